//! Records which functions the programs call, in tests/cuda/tested.txt, from which docs/cuda-api.md
//! is generated.

use object::{Object, ObjectSymbol};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The called functions, each with the tests that call it.
static CALLED: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

const HEAD: &str = "\
# Functions of the CUDA APIs, and a test that calls each: those of the driver from its trace, those of the runtime and
# of libraries from the program's table of symbols. `UPDATE=1 cargo test -p texunit --test cuda` writes this file.
";

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cuda/tested.txt")
}

/// The contents of the file: a test for each function.
fn recorded() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(file()).unwrap_or_default();
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = rows.filter_map(|line| line.split_once(' '));
    pairs.map(|(function, test)| (function.to_owned(), test.to_owned())).collect()
}

/// The driver's functions in a trace on standard error, without failed calls.
pub(crate) fn traced(stderr: &str) -> BTreeSet<String> {
    let calls = stderr.lines().filter_map(|line| line.strip_prefix("texunit: "));
    let made = calls.filter(|line| line.starts_with("cu") && !line.contains("NOT_SUPPORTED"));
    // The line of a failed call contains the reason, which may contain brackets.
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let names = made.filter_map(|line| Some(line.split_once('(')?.0));
    names.filter(|name| is_name(name)).map(str::to_owned).collect()
}

/// The functions of the runtime and other shared libraries that a program imports.
pub(crate) fn linked(program: &Path) -> BTreeSet<String> {
    let bytes = std::fs::read(program).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let names = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
    let names = names.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    let of = ["cuda", "__cuda", "cufft", "cublas", "curand", "fftw"];
    names.filter(|name| of.iter().any(|start| name.starts_with(start))).collect()
}

/// Records the calls of a test; `UPDATE=1` writes the file. Variants of a program call different
/// functions, so the file cannot be judged by one of them.
pub(crate) fn note(test: &str, called: &BTreeSet<String>) {
    let mut all = CALLED.lock().unwrap();
    for function in called {
        all.entry(function.clone()).or_default().insert(test.to_owned());
    }
}

/// Writes the file. A function keeps its test if that still calls it, or failed this time.
pub(crate) fn write() {
    let called = CALLED.lock().unwrap();
    let ran: BTreeSet<&String> = called.values().flatten().collect();
    let mut rows = recorded();
    rows.retain(|function, test| {
        !ran.contains(test) || called.get(function).is_some_and(|tests| tests.contains(test))
    });
    for (function, tests) in called.iter() {
        if let Some(test) = tests.first() {
            rows.entry(function.clone()).or_insert_with(|| test.clone());
        }
    }
    let rows: String = rows.iter().map(|(function, test)| format!("{function} {test}\n")).collect();
    std::fs::write(file(), format!("{HEAD}{rows}")).unwrap();
}
