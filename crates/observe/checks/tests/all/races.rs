//! Cases of the race check: `tests/findings/race/NAME.cu` with its PTX, or PTX alone. The first
//! lines say how the kernel `k(in, out, work)` is launched on three buffers of zeros; `any order`
//! says that the results depend on the order of threads. `// finding[CODE] with A: words, in NAME`
//! is on each line where exactly that must be found; A is the line of the other end
//! (`texunit_testkit::findings`). A line may have several.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use texunit_checks::{Check, End, Finding, Log, Options};
use texunit_device::{Arg, Device, LaunchOptions, Module};
use texunit_testkit::findings::{Expected, FoundAt, expected};

/// Bytes of each buffer.
const BUFFER: u64 = 64 << 10;

/// The value of a key in the first lines of a case.
fn said<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let head = text.lines().take_while(|line| line.starts_with("//"));
    head.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)).next()
}

/// The line of the source, or of the PTX without a source.
fn line(end: &End) -> u32 {
    // Code inlined from a header counts at the line of its call.
    let own = end.place.frames.iter().find(|frame| !frame.file.contains("include"));
    own.map_or(end.place.ptx.line, |frame| frame.line)
}

/// The findings of a launch, and the memory after it.
fn launch(
    source: &str,
    ptx: &str,
    (checked, threads, seed): (bool, usize, Option<u64>),
) -> (Vec<FoundAt>, Vec<u8>) {
    let device = Device::default();
    let module = Module::load(&device, "k.ptx", ptx).unwrap_or_else(|error| panic!("{error}"));
    let kernel = module.kernel("k").expect("it is there");
    let buffers: Vec<_> =
        ["in", "out", "work"].map(|name| device.alloc(BUFFER, name).expect("there is room")).into();
    let number = |key| said(source, key).and_then(|text| text.trim().parse().ok()).unwrap_or(1);
    let log = Log::new(Options { checks: Check::Race.into(), ..Options::default() });
    {
        let checks = log.launch("k").expect("it is checked");
        let options = LaunchOptions::new(number("grid:"), number("block:"))
            .with_threads(threads)
            .with_schedule(seed)
            .with_max_steps(10_000_000)
            .with_cooperative(said(source, "cooperative").is_some())
            .with_observer(checked.then_some(&checks as &dyn texunit_simt::Observer));
        let args: Vec<_> = buffers.iter().map(Arg::Buffer).collect();
        kernel.launch(&options, &args).unwrap_or_else(|error| panic!("{error}"));
    }
    let findings = log.findings();
    let found = findings.iter().flat_map(Finding::kinds).map(|finding| FoundAt {
        line: finding.at.as_ref().map_or(0, line),
        code: finding.code().to_owned(),
        other: finding.other.as_ref().map(|(_, end)| line(end)),
        message: finding.message.clone(),
        object: finding.object.clone().map_or_else(String::new, |object| object.text),
    });
    (found.collect(), buffers.iter().flat_map(|buffer| buffer.read()).collect())
}

fn cases() -> Vec<(PathBuf, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/findings/race");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut all: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    all.retain(|file| file.extension().is_some_and(|e| e == "ptx"));
    all.sort();
    let source = |ptx: PathBuf| {
        let cu = ptx.with_extension("cu");
        (if cu.exists() { cu } else { ptx.clone() }, ptx)
    };
    all.into_iter().map(source).collect()
}

/// Differences from the expected findings, one per line. Both ends must match; a line of an
/// unrolled loop may stand for several instructions.
fn differences(wanted: &[Expected], found: &[FoundAt]) -> Vec<String> {
    let is = |wanted: &Expected, found: &FoundAt| wanted.other.is_some() && wanted.is(found);
    let unexpected = found.iter().filter(|found| !wanted.iter().any(|wanted| is(wanted, found)));
    let missing = wanted.iter().filter(|wanted| !found.iter().any(|found| is(wanted, found)));
    let unexpected = unexpected.map(|found| format!("    unexpected: {found}"));
    unexpected.chain(missing.map(|wanted| format!("    not found: {wanted:?}"))).collect()
}

#[test]
fn each_line_has_what_is_found_there() {
    let mut wrong = Vec::new();
    let all = cases();
    assert!(all.len() >= 60, "{} cases", all.len());
    for (source, ptx) in all {
        let read = |file: &Path| std::fs::read_to_string(file).expect("it can be read");
        let (text, code) = (read(&source), read(&ptx));
        let wanted = expected(&text);
        let (_, plain) = launch(&text, &code, (false, 1, None));
        // With one worker in order; several workers or another order may find only some of the
        // races.
        let (found, bytes) = launch(&text, &code, (true, 1, None));
        let differ = differences(&wanted, &found);
        if !differ.is_empty() {
            wrong.push(format!("{}:\n{}", source.display(), differ.join("\n")));
        }
        assert!(bytes == plain, "{}: the check has changed what is computed", source.display());
        for how in [(true, 2, None), (true, 1, Some(7)), (true, 1, Some(8))] {
            let (found, bytes) = launch(&text, &code, how);
            if wanted.is_empty() {
                let same = bytes == plain || said(&text, "any order").is_some();
                if !found.is_empty() || !same {
                    let which = source.display();
                    wrong.push(format!("{which}: {how:?} found {found:?}, same bytes: {same}"));
                }
            } else if !found.iter().any(|found| wanted.iter().any(|wanted| wanted.has_ends(found)))
            {
                wrong.push(format!("{}: {how:?} has found {found:?}", source.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The results of a case for a seed of the scheduler.
fn by_seed(name: &str, seed: u64) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/findings/race");
    let read = |file: PathBuf| std::fs::read_to_string(file).expect("it can be read");
    let [source, ptx] = ["cu", "ptx"].map(|end| read(folder.join(format!("{name}.{end}"))));
    launch(&source, &ptx, (false, 4, Some(seed))).1
}

#[test]
fn a_seed_is_an_order_that_can_be_repeated() {
    for name in ["counter", "compaction", "counter-volatile"] {
        let all: BTreeSet<Vec<u8>> = (0..8).map(|seed| by_seed(name, seed)).collect();
        assert!(all.len() > 1, "{name}: all orders are one");
        assert!((0..4).all(|seed| by_seed(name, seed) == by_seed(name, seed)), "{name}");
    }
    // Without races, the results do not depend on the seed.
    assert!(by_seed("bitonic", 1) == by_seed("bitonic", 2));
}
