//! Runs every program of tests/programs, as compiled by each compiler, with `texunit launch`, and
//! compares its results. The README beside the cases describes their format.

use crate::{Trials, explained};
use libtest_mimic::Failed;
use model::{Counts, Model, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use texunit::launch_args::LaunchArgs;
use texunit::launch_report::Report;
use texunit_device::{LaunchStats, Observer};
use toml::{Table, Value};

mod model;

/// The checks that are run (`explained.toml`).
const CHECKS: &str = "all";

pub(crate) fn add(trials: &mut Trials) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/programs");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.join("case.toml").is_file())
        .collect();
    cases.sort();
    assert!(cases.len() > 50, "the programs are not where they were");
    for folder in &cases {
        add_case(trials, folder);
    }
    trials.add("wrong expectations fail", wrong_expectations);
    trials.add("what is explained has its program", move || {
        let names = cases.iter().filter_map(|case| case.file_name()?.to_str()).collect();
        match &*explained::without_case("programs", &names)? {
            [] => Ok(()),
            others => Err(format!("there is no program of these names: {others:?}").into()),
        }
    });
}

/// Adds a test for each PTX of a case.
fn add_case(trials: &mut Trials, folder: &Path) {
    let text = std::fs::read_to_string(folder.join("case.toml")).unwrap();
    let case: Table = text.parse().unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
    let forms = case["ptx"].as_array().unwrap().clone();
    for form in forms.iter().filter_map(Value::as_str) {
        let (folder, case, form) = (folder.to_owned(), case.clone(), form.to_owned());
        trials.add(format!("{name}/{form}"), move || run(&folder, case, &form));
    }
    if let Some(form) = forms.first().and_then(Value::as_str) {
        let (folder, case, form) = (folder.to_owned(), case.clone(), form.to_owned());
        let name = format!("{name}/{form} observed");
        trials.add(name, move || observed(&folder, case, &form));
    }
    // Only the first PTX, unless long tests are requested.
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    for form in forms.iter().filter_map(Value::as_str).take(if long { usize::MAX } else { 1 }) {
        let (folder, case, form) = (folder.to_owned(), case.clone(), form.to_owned());
        let name = format!("{name}/{form} checked");
        trials.add(name, move || checked(&folder, case, &form));
    }
    for form in forms.iter().filter_map(Value::as_str) {
        let text = std::fs::read_to_string(folder.join(form)).unwrap();
        if text.contains("tex.grad") {
            let (name, form) = (format!("{name}/{form} by TXD"), form.to_owned());
            let (folder, case) = (folder.to_owned(), case.clone());
            trials.add(name, move || by_txd(&folder, case, &form));
        }
    }
}

/// With TXD for gradients the results are the same, and every fetch with gradients is counted.
fn by_txd(folder: &Path, case: Table, form: &str) -> Result<(), Failed> {
    let (unit, _) = launch(folder, case.clone(), form, &[])?;
    let (txd, report) = launch(folder, case, form, &["--via-txd"])?;
    if unit.is_empty() || unit != txd {
        return Err("the results differ".into());
    }
    let stats = report.stats.and_then(|stats| stats.gradients).ok_or("nothing was counted")?;
    if stats.engine == 0 {
        return Err(format!("nothing went by way of TXD: {:?}", stats.unit).into());
    }
    Ok(())
}

/// Checks do not change results, and their findings are those of tests/findings/explained.toml.
fn checked(folder: &Path, case: Table, form: &str) -> Result<(), Failed> {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let explained = explained::findings("programs", name, form)?;
    let (plain, _) = launch(folder, case.clone(), form, &[])?;
    let (bytes, report) = launch(folder, case, form, &["--check", CHECKS])?;
    if plain != bytes {
        return Err("the results differ".into());
    }
    let log = report.log.ok_or("nothing is checked")?;
    let findings = log.findings();
    let kinds = findings.iter().flat_map(texunit_checks::Finding::kinds);
    let found: BTreeSet<String> = kinds.map(|f| f.code().to_owned()).collect();
    match found == explained {
        true => Ok(()),
        false => Err(format!("found {found:?}, explained are {explained:?}").into()),
    }
}

/// An observer of all events does not change results, and the events are consistent.
fn observed(folder: &Path, case: Table, form: &str) -> Result<(), Failed> {
    // The model needs the order of one worker.
    let alone = LaunchSettings { more: &[], threads: "1", observer: None };
    let (plain, before) = launch_given(folder, case.clone(), form, &alone)?;
    let model = Model::default();
    let given = LaunchSettings { observer: Some(&model), ..alone };
    let (seen, report) = launch_given(folder, case.clone(), form, &given)?;
    if plain != seen {
        return Err("the results differ".into());
    }
    let Verdict { wrong, compared, counted, counts } = model.verdict();
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    // An observer that only counts blocks and branches does not change results either, and its
    // counts are the same.
    let counter = Counts::default();
    let (seen, _) =
        launch_given(folder, case, form, &LaunchSettings { observer: Some(&counter), ..alone })?;
    let few = counter.take();
    if plain != seen || few.is_empty() || !counts.starts_with(&few) {
        return Err("counted alone, the results or the counts differ".into());
    }
    let [stats, before] = [report, before].map(|report| report.stats.unwrap());
    // Lanes that diverge may run together in different groups.
    let before = LaunchStats { warp_instructions: stats.warp_instructions, ..before };
    if stats != before {
        return Err(format!("the launch counts otherwise: {before:?}, {stats:?}").into());
    }
    // Lanes with different masks or callees are counted once for each.
    let all = stats.thread_instructions;
    if counted > all || (all - counted) * 20 > all {
        return Err(format!("{counted} of {all} thread instructions, {compared} bytes").into());
    }
    Ok(())
}

/// A difference of one element, one tolerance or one printed letter is detected.
fn wrong_expectations() -> Result<(), Failed> {
    let good = [1.0_f32, 2.0].map(f32::to_le_bytes).concat();
    let check = |text: &str, bytes: &[u8]| {
        compare(Path::new(""), &text.parse::<Table>().unwrap(), bytes).is_ok()
    };
    #[rustfmt::skip]
    let rows = [
        ("f32 = [1.0, 2.0]",                      true),
        ("f32 = [1.0, 2.0000002]",                false),
        ("f32 = [1.0, 2.0000002]\nulps = 1",      true),
        ("f32 = [1.0, 2.0000004]\nulps = 1",      false),
        ("f32 = [1.0, 2.25]\nabsolute = 0.25",    true),
        ("f32 = [1.0, nan]",                      false),
        ("f32 = [1.0]",                           false),
        ("u32 = [0x3f800000, 0x40000000]",        true),
        ("u32 = [0x3f800000, 0x40000001]",        false),
        ("s64 = [0x400000003f800000]",            true),
    ];
    for (text, passes) in rows {
        if check(text, &good) != passes {
            return Err(format!("{text} should pass: {passes}").into());
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/programs/printf");
    let mut case: Table = std::fs::read_to_string(folder.join("case.toml"))?.parse()?;
    let form = case["ptx"][0].as_str().unwrap().to_owned();
    let printed = format!("{}x", case["expect_printf"].as_str().unwrap());
    case.insert("expect_printf".into(), printed.into());
    match run(&folder, case, &form) {
        Ok(()) => Err("a wrong text was not found".into()),
        Err(_) => Ok(()),
    }
}

/// A folder that is removed at the end of the test.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(folder: &Path, case: Table, form: &str) -> Result<(), Failed> {
    let expect = case.get("expect").and_then(Value::as_table).cloned().unwrap_or_default();
    let printf = case.get("expect_printf").cloned();
    let (found, report) = launch(folder, case, form, &[])?;
    if let Some(printf) = printf {
        let printed = String::from_utf8_lossy(&report.stats.as_ref().unwrap().printf).into_owned();
        if Some(printed.as_str()) != printf.as_str() {
            return Err(format!("printed {printed:?}\nexpected {printf}").into());
        }
    }
    for (param, expected) in &expect {
        compare(folder, expected.as_table().unwrap(), &found[param])
            .map_err(|e| format!("parameter {param}: {e}"))?;
    }
    Ok(())
}

/// The contents of the expected parameters after a launch of a case.
fn launch(
    folder: &Path,
    case: Table,
    form: &str,
    more: &[&str],
) -> Result<(BTreeMap<String, Vec<u8>>, Report), Failed> {
    launch_given(folder, case, form, &LaunchSettings { more, threads: "2", observer: None })
}

/// Settings of a launch besides its case.
struct LaunchSettings<'a> {
    more: &'a [&'a str],
    threads: &'a str,
    observer: Option<&'a dyn Observer>,
}

fn launch_given(
    folder: &Path,
    mut case: Table,
    form: &str,
    LaunchSettings { more, threads, observer }: &LaunchSettings<'_>,
) -> Result<(BTreeMap<String, Vec<u8>>, Report), Failed> {
    static LAUNCHES: AtomicUsize = AtomicUsize::new(0);
    let number = LAUNCHES.fetch_add(1, Relaxed);
    let name = folder.file_name().unwrap().to_str().unwrap();
    let unique = format!("texunit-{}-{number}-{name}-{form}", std::process::id());
    let scratch = Scratch(std::env::temp_dir().join(unique));
    std::fs::create_dir_all(&scratch.0)?;

    let expect = case.remove("expect");
    case.remove("expect_printf");
    let expect = expect.map_or_else(Table::new, |e| e.as_table().unwrap().clone());
    make_job(&mut case, folder, form, &expect);
    let job = scratch.0.join("job.toml");
    std::fs::write(&job, toml::to_string(&case)?)?;

    let options = ["--quiet", "--format", "json", "--threads", threads];
    let limits = ["--max-steps", "100000000", "--memory-limit", "1G"];
    let args = LaunchArgs::parse(&job, &scratch.0, &[&options[..], &limits, more].concat())?;
    let report = texunit::run::launch_observed(&args, *observer);
    // Other tests examine the findings.
    if !report.ran() {
        return Err(texunit::human::render(&report, true, false).1.into());
    }
    let read = |param: &String| -> Result<_, Failed> {
        Ok((param.clone(), std::fs::read(scratch.0.join(format!("{param}.raw")))?))
    };
    let found: Result<_, Failed> = expect.keys().map(read).collect();
    Ok((found?, report))
}

/// Writes a job for a case: one PTX, absolute paths, raw outputs.
fn make_job(case: &mut Table, folder: &Path, form: &str, expect: &Table) {
    let absolute =
        |file: &str| Value::from(folder.join(file).canonicalize().unwrap().to_str().unwrap());
    case.insert("ptx".into(), absolute(form));
    let Some(params) = case.get_mut("params").and_then(Value::as_table_mut) else { return };
    for (name, param) in params.iter_mut() {
        let param = param.as_table_mut().unwrap();
        if let Some(buffer) = param.get_mut("buffer").and_then(Value::as_table_mut)
            && let Some(file) = buffer.get("file").and_then(Value::as_str).map(absolute)
        {
            buffer.insert("file".into(), file);
        }
        if expect.contains_key(name) {
            let file = Value::from(format!("{name}.raw"));
            param.insert("output".into(), Value::Table(Table::from_iter([("file".into(), file)])));
        }
    }
}

/// Elements of a buffer, in the type of the expectation.
#[derive(Clone, Copy, Debug)]
enum Element {
    Integer(i128),
    F32(f32),
    F64(f64),
}

fn element(ty: &str, bytes: &[u8]) -> Element {
    let mut le = [0; 8];
    le[..bytes.len()].copy_from_slice(bytes);
    let v = u64::from_le_bytes(le);
    match ty {
        "f32" => Element::F32(f32::from_bits(v as u32)),
        "f64" => Element::F64(f64::from_bits(v)),
        "s8" => Element::Integer((v as i8).into()),
        "s16" => Element::Integer((v as i16).into()),
        "s32" => Element::Integer((v as i32).into()),
        "s64" => Element::Integer((v as i64).into()),
        _ => Element::Integer(v.into()),
    }
}

fn compare(folder: &Path, expected: &Table, found: &[u8]) -> Result<(), String> {
    let (ty, wanted) = expected_elements(folder, expected)?;
    let size = ty[1..].parse::<usize>().unwrap() / 8;
    let found: Vec<_> = found.chunks(size).map(|b| element(&ty, b)).collect();
    if found.len() != wanted.len() {
        return Err(format!("{} elements, but {} are expected", found.len(), wanted.len()));
    }
    let tolerance = |key: &str| {
        expected.get(key).map(|v| match v {
            Value::Integer(i) => *i as f64,
            v => v.as_float().unwrap(),
        })
    };
    let (ulps, absolute) = (tolerance("ulps"), tolerance("absolute"));
    let wrong: Vec<_> =
        (0..found.len()).filter(|&i| !same(found[i], wanted[i], ulps, absolute)).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let mut text = format!("{} of {} elements are wrong:", wrong.len(), found.len());
    for &i in wrong.iter().take(12) {
        text += &format!("\n  [{i}] is {:?}, expected {:?}", found[i], wanted[i]);
    }
    Err(text)
}

fn expected_elements(folder: &Path, expected: &Table) -> Result<(String, Vec<Element>), String> {
    if let Some(file) = expected.get("file") {
        let path = folder.join(file.as_str().unwrap());
        let array = texunit_files::read_array(&path).map_err(|e| e.to_string())?;
        let kind = if array.dtype.kind() == 'i' { 's' } else { array.dtype.kind() };
        let ty = format!("{kind}{}", 8 * array.dtype.size());
        let list = array.bytes.chunks(array.dtype.size()).map(|b| element(&ty, b)).collect();
        return Ok((ty, list));
    }
    let types = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"];
    let ty = types.iter().find(|t| expected.contains_key(**t)).ok_or("no type")?;
    let number = |v: &Value| match (*ty, v) {
        ("f32", Value::Integer(i)) => Element::F32(*i as f32),
        ("f32", v) => Element::F32(v.as_float().unwrap() as f32),
        ("f64", Value::Integer(i)) => Element::F64(*i as f64),
        ("f64", v) => Element::F64(v.as_float().unwrap()),
        (_, v) => Element::Integer(v.as_integer().unwrap().into()),
    };
    Ok(((*ty).to_owned(), expected[*ty].as_array().unwrap().iter().map(number).collect()))
}

fn same(found: Element, wanted: Element, ulps: Option<f64>, absolute: Option<f64>) -> bool {
    // The bits of a float as an integer of the same order.
    let order32 = |v: f32| {
        let b = v.to_bits() as i32;
        i128::from(if b < 0 { i32::MIN - b } else { b })
    };
    let order64 = |v: f64| {
        let b = v.to_bits() as i64;
        i128::from(if b < 0 { i64::MIN - b } else { b })
    };
    let (distance, difference, bits, nan) = match (found, wanted) {
        (Element::Integer(a), Element::Integer(b)) => return a == b,
        (Element::F32(a), Element::F32(b)) => (
            order32(a) - order32(b),
            f64::from(a) - f64::from(b),
            a.to_bits() == b.to_bits(),
            (a.is_nan(), b.is_nan()),
        ),
        (Element::F64(a), Element::F64(b)) => {
            (order64(a) - order64(b), a - b, a.to_bits() == b.to_bits(), (a.is_nan(), b.is_nan()))
        }
        _ => return false,
    };
    if nan.0 || nan.1 {
        return nan.0 && nan.1;
    }
    bits || ulps.is_some_and(|u| distance.unsigned_abs() as f64 <= u)
        || absolute.is_some_and(|a| difference.abs() <= a)
}
