//! Tests variables in `texunit debug` against the program's own `printf`.
//!
//! `tests/debug/variables/*.cu` are kernels with comments such as `//# i %d | p {a = %d} : p.a`:
//! from the next line to the end of the block, a debugger must show `i` as `printf("%d", i)` prints
//! it, and `p` as `{a = 17}`. After each line, the test inserts a line that prints all declared
//! variables of one thread, and sets a breakpoint whose commands do the same; the two outputs are
//! compared. `//-` prevents the insertion after a line.

use crate::process::{run, succeed};
use crate::program::{VARIANTS, build};
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The thread that prints.
const THREAD: &str = "threadIdx.x == 37 && blockIdx.x == 1";

const HEAD: &str = "#include <cstdio>\n#include <fcntl.h>\n#include <unistd.h>\n";

/// An expression, the format of its value, and the arguments of the format.
#[derive(Clone)]
struct Item {
    expr: String,
    format: String,
    arguments: String,
}

/// A test for each file.
pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let folder = setup.root.join("tests/debug/variables");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "cu"))
        .collect();
    files.sort();
    let trial = |source: PathBuf| {
        let (setup, name) = (setup.clone(), source.file_stem().unwrap().to_owned());
        let skipped = !setup.has(&["nvcc"]);
        let name = format!("debug/variables/{}", name.display());
        Trial::test(name, move || check(&setup, &source)).with_ignored_flag(skipped)
    };
    files.into_iter().map(trial).collect()
}

fn items(text: &str) -> Vec<Item> {
    let all = text.split(" | ").map(|item| {
        let (expr, rest) = item.trim().split_once(' ').unwrap();
        let (format, arguments) = rest.split_once(" : ").unwrap_or((rest, expr));
        Item { expr: expr.to_owned(), format: format.to_owned(), arguments: arguments.to_owned() }
    });
    all.collect()
}

/// The source with inserted prints, and the debugger's commands.
fn instrumented(text: &str, file: &str) -> (String, String) {
    let (mut source, mut commands) = (HEAD.to_owned(), String::new());
    let mut scopes: Vec<Vec<Item>> = vec![Vec::new()];
    let mut kernels = Vec::new();
    let mut line = HEAD.lines().count();
    for own in text.lines() {
        let (code, note) = own.split_once("//").map_or((own, ""), |(code, note)| (code, note));
        if let Some(name) = code.strip_prefix("__global__ void ") {
            let name = name.split("(int").next().unwrap();
            kernels.push(name.rsplit(' ').next().unwrap().to_owned());
        }
        // Braces of code; strings of these files contain none.
        for c in code.chars() {
            match c {
                '{' => scopes.push(Vec::new()),
                '}' => drop(scopes.pop().unwrap()),
                _ => {}
            }
        }
        if let Some(declared) = note.strip_prefix("# ") {
            scopes.last_mut().unwrap().extend(items(declared));
        }
        let _ = writeln!(source, "{own}");
        line += 1;
        let end = code.trim();
        let leaves = ["return", "break", "goto"].iter().any(|word| end.starts_with(word));
        if !end.ends_with([';', '{', '}']) || leaves || note.starts_with('-') {
            continue;
        }
        let mut seen: Vec<&Item> = Vec::new();
        for item in scopes.iter().rev().flat_map(|scope| scope.iter().rev()) {
            if !seen.iter().any(|other| other.expr == item.expr) {
                seen.push(item);
            }
        }
        if seen.is_empty() {
            continue;
        }
        line += 1;
        let mut says = format!("if ({THREAD}) {{");
        let _ = writeln!(commands, "break {file}:{line} if {THREAD}\ncommands\nsilent");
        for Item { expr, format, arguments } in seen {
            let name = expr.replace('%', "%%");
            let _ = write!(says, " printf(\"@{line} {name}:{format}\\n\", {arguments});");
            let _ = writeln!(commands, "echo @{line} {expr}:\noutput {expr}\necho \\n");
        }
        let _ = writeln!(source, "{says} }}");
        commands += "continue\nend\n";
    }
    source += "int main(int count, char **) {\nif (count > 1) dup2(open(\"/dev/null\", O_WRONLY), 1);\nint *out;\ncudaMalloc(&out, 4096);\ncudaMemset(out, 0, 4096);\ncudaDeviceSetLimit(cudaLimitStackSize, 16384);\n";
    for name in &kernels {
        let _ = writeln!(source, "{name}<<<2, 64, 1024>>>(out);");
    }
    source += "return cudaDeviceSynchronize() != cudaSuccess;\n}\n";
    (source, commands + "run\n")
}

fn check(setup: &Setup, path: &Path) -> Result<(), Failed> {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let folder = setup.build.join("said");
    std::fs::create_dir_all(&folder)?;
    let source = folder.join(format!("said_{name}.cu"));
    let file = source.file_name().unwrap().to_str().unwrap();
    let (text, commands) = instrumented(&std::fs::read_to_string(path)?, file);
    std::fs::write(&source, text)?;
    let script = source.with_extension("gdb");
    std::fs::write(&script, commands)?;
    let flags = ["-G".to_owned()];
    let program = build(setup, &source, VARIANTS[0], &flags)?;
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with('@')).map(str::to_owned).collect()
    };
    // Blocks change variables of the module in the debugger's order: one after the other.
    let mut command = setup.run();
    command.env("TEXUNIT_THREADS", "1").arg(&program);
    let said = lines(&succeed(&mut command, &program)?.stdout);
    let mut command = setup.texunit();
    // The program must not print its lines a second time.
    command.args(["debug", "--batch", "-x"]).arg(&script).arg(&program).arg("quiet");
    let shown = run(&mut command, &program)?;
    let shown_lines = lines(&shown.stdout);
    let differs = said.iter().zip(&shown_lines).filter(|(a, b)| a != b);
    let differs: Vec<String> =
        differs.take(20).map(|(a, b)| format!("printf {a}\n debug {b}")).collect();
    if said.len() < 20 || said.len() != shown_lines.len() || !differs.is_empty() {
        return Err(format!(
            "{} lines of printf, {} of the debugger\n{}\n{}",
            said.len(),
            shown_lines.len(),
            differs.join("\n"),
            shown.stderr
        )
        .into());
    }
    Ok(())
}
