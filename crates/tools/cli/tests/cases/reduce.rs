//! Inserts the fault of every case of tests/reduce into a large program of tests/programs, reduces
//! it with `texunit reduce`, and repeats the result. tests/reduce/README.md describes the cases.
//! `TEXUNIT_REDUCE=all` includes slow cases.

use crate::{Trials, golden};
use libtest_mimic::Failed;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use texunit_testkit::TempDir;
use toml::{Table, Value};

/// The maximum number of statements of a result.
const MAX: u64 = 40;

pub(crate) fn add(trials: &mut Trials) {
    let cases = golden::files(&repository().join("tests/reduce"), "toml", 20);
    let all = std::env::var_os("TEXUNIT_REDUCE").is_some_and(|v| v == "all");
    for path in cases {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let case: Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let is_slow = case.get("slow").is_some_and(|v| v.as_bool() == Some(true));
        trials.add_ignored_if(is_slow && !all, name, move || run(&case));
    }
    trials.add("what does not fail", nothing_fails);
    trials.add("wrong usage", wrong_usage);
    trials.add("limits", limits);
    trials.add("a recorded launch", recorded);
    trials.add("the formula of an index", index);
    trials.add("an output that is not as expected", unexpected);
    #[cfg(target_os = "linux")]
    trials.add("interrupted", interrupted);
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// Writes the program with its fault, as a job or as PTX alone.
fn planted(case: &Table, dir: &TempDir) -> Result<PathBuf, Failed> {
    let ptx = repository().join("tests/programs").join(text(case, "program"));
    let mut module = std::fs::read_to_string(&ptx)?;
    for plant in case.get("plant").and_then(Value::as_array).into_iter().flatten() {
        let (find, with) = (plant["find"].as_str().unwrap(), plant["with"].as_str().unwrap());
        let nth = plant.get("nth").map_or(1, |n| n.as_integer().unwrap()) as usize;
        let place = module.match_indices(find).nth(nth - 1).map(|(at, _)| at);
        let place = place.ok_or_else(|| format!("the program has no `{find}` number {nth}"))?;
        module.replace_range(place..place + find.len(), with);
    }
    let kernel = dir.file("kernel.ptx", module);
    if case.get("alone").is_some() {
        return Ok(kernel);
    }
    let folder = ptx.parent().unwrap();
    let mut job: Table = std::fs::read_to_string(folder.join("case.toml"))?.parse()?;
    job.retain(|key, _| !key.starts_with("expect"));
    job.insert("ptx".to_owned(), Value::from("kernel.ptx"));
    if let Some(Value::Table(set)) = case.get("set") {
        merge(&mut job, set);
    }
    for (name, value) in
        case.get("put").and_then(|put| put.get("params")?.as_table()).into_iter().flatten()
    {
        job["params"].as_table_mut().unwrap().insert(name.clone(), value.clone());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "npy") {
            std::fs::copy(&path, dir.join(path.file_name().unwrap()))?;
        }
    }
    Ok(dir.file("job.toml", toml::to_string(&job)?))
}

fn text<'a>(table: &'a Table, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("the case has no `{key}`"))
}

/// Merges tables; other values are replaced.
fn merge(into: &mut Table, from: &Table) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(Value::Table(inner)), Value::Table(more)) => merge(inner, more),
            _ => drop(into.insert(key.clone(), value.clone())),
        }
    }
}

fn texunit() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.env("NO_COLOR", "1").env_remove("TEXUNIT_JIT").env_remove("TEXUNIT_SIMD");
    command
}

fn words(case: &Table, key: &str) -> Vec<String> {
    let list = case.get(key).and_then(Value::as_array).into_iter().flatten();
    list.map(|word| word.as_str().unwrap().to_owned()).collect()
}

fn run(case: &Table) -> Result<(), Failed> {
    let dir = TempDir::new("reduce");
    let input = planted(case, &dir)?;
    let alone = case.get("alone").is_some();
    let out = dir.join(if alone { "small.ptx" } else { "small" });
    let mut command = texunit();
    command.current_dir(dir.path()).arg("reduce").arg(&input).arg("--out").arg(&out);
    let output = command.args(["--format", "json"]).args(words(case, "args")).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let report: Json =
        serde_json::from_str(&said).map_err(|e| format!("{e}: {said}{}", stderr(&output)))?;
    if output.status.code() != Some(0) || report["succeeded"] != true {
        return Err(format!("exit {:?}: {said}", output.status).into());
    }
    let kept = report["kept"]["what"].as_str().unwrap_or_default();
    if kept != text(case, "kept") {
        return Err(format!("kept `{kept}`, expected `{}`", text(case, "kept")).into());
    }
    let module = std::fs::read_to_string(if alone { out.clone() } else { out.join("kernel.ptx") })?;
    let after = report["after"]["statements"].as_u64().unwrap();
    let before = report["before"]["statements"].as_u64().unwrap();
    if after >= MAX || before < 100 || report["end"] != "smallest" {
        return Err(format!("{before} statements became {after}: {report}\n{module}").into());
    }
    if std::env::var_os("TEXUNIT_REDUCE_SHOW").is_some() {
        let job = std::fs::read_to_string(out.join("job.toml")).unwrap_or_default();
        eprintln!("{report:#}\n{job}\n{module}");
    }
    repeats(case, &report, &out, &dir)
}

/// Checks that the result fails as the input does.
fn repeats(case: &Table, report: &Json, out: &Path, dir: &TempDir) -> Result<(), Failed> {
    let shell = report["repeat"].as_str().unwrap();
    let Some(command) = shell.strip_prefix("texunit ").filter(|rest| !rest.contains(';')) else {
        return Ok(());
    };
    let words: Vec<&str> = command.split_whitespace().collect();
    let output =
        texunit().current_dir(dir.path()).args(words).args(["--format", "json"]).output()?;
    if output.status.code() != Some(1) {
        return Err(format!("`{shell}` ends with {:?}", output.status).into());
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let first: Json = serde_json::from_str(said.lines().next().unwrap_or_default())?;
    let name = first["fault"]["kind"].as_str().or(first["code"].as_str());
    let name = name.or(first["errors"][0]["code"].as_str()).unwrap_or_default();
    let commented =
        std::fs::read_to_string(if out.is_dir() { out.join("job.toml") } else { out.to_owned() })?;
    match text(case, "kept").starts_with(name) && !name.is_empty() && commented.contains(name) {
        true => Ok(()),
        false => Err(format!("`{shell}` gives `{name}`: {said}\n{commented}").into()),
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs `reduce` with the input and arguments. Returns the exit code, standard output and standard
/// error.
fn reduce(dir: &TempDir, words: &[&str]) -> Result<(Option<i32>, String, String), Failed> {
    let output = texunit().current_dir(dir.path()).arg("reduce").args(words).output()?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((output.status.code(), out, stderr(&output)))
}

const FINE: &str = ".version 8.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n\
    .reg .u64 %a; .reg .u32 %t;\nld.param.u64 %a, [out]; mov.u32 %t, %ctaid.x;\nst.global.u32 [%a], %t; ret; }\n";
const JOB: &str = "ptx = \"k.ptx\"\nkernel = \"k\"\ngrid = 1\nblock = 1\n[params.0]\nbuffer = { zeros = 4 }\n\
    output = { file = \"out.raw\" }\n";

fn nothing_fails() -> Result<(), Failed> {
    let dir = TempDir::new("reduce-fine");
    dir.file("k.ptx", FINE);
    dir.file("job.toml", JOB);
    dir.file("wrong.toml", JOB.replace("kernel", "colonel"));
    dir.file("silent.toml", JOB.replace("output", "# output"));
    dir.file("binary.ptx", b"\x7fELF\x02\x01\x01");
    let rows: [(&[&str], &str); 9] = [
        (&["k.ptx"], "`k.ptx` has no errors: there is nothing to reduce"),
        (&["job.toml"], "same results on every engine"),
        (&["job.toml", "--keep", "fault"], "runs without a fault"),
        (&["silent.toml"], "has no output that could be wrong"),
        (&["job.toml", "--against", "--fmad=off"], "gives the same results both ways"),
        (&["wrong.toml"], "unknown key `colonel`"),
        (&["none.toml"], "none.toml"),
        (&["binary.ptx"], "expected PTX or a job file, found"),
        (&["k.ptx", "--command", "true"], "`true` succeeds (exit code 0)"),
    ];
    for (words, wanted) in rows {
        let (code, out, err) = reduce(&dir, words)?;
        if code != Some(1) || !err.contains(wanted) || !out.is_empty() {
            return Err(format!("{words:?}: exit {code:?}\n{out}{err}").into());
        }
    }
    let (code, out, _) = reduce(&dir, &["k.ptx", "--format", "json"])?;
    let report: Json = serde_json::from_str(&out)?;
    assert_eq!((code, &report["succeeded"]), (Some(1), &Json::Bool(false)), "{report}");
    Ok(())
}

fn wrong_usage() -> Result<(), Failed> {
    let dir = TempDir::new("reduce-usage");
    dir.file("k.ptx", FINE);
    dir.file("job.toml", JOB);
    let rows: [&[&str]; 7] = [
        &[],
        &["k.ptx", "--keep", "everything"],
        &["k.ptx", "--time", "0"],
        &["job.toml", "--out", "."],
        &["k.ptx", "--out", "k.ptx"],
        &["k.ptx", "--keep", "fault", "--command", "false"],
        &["job.toml", "--against", "--fmat"],
    ];
    for words in rows {
        let (code, _, err) = reduce(&dir, words)?;
        if code != Some(2) || err.is_empty() {
            return Err(format!("{words:?}: exit {code:?}\n{err}").into());
        }
    }
    assert_eq!(std::fs::read_to_string(dir.join("k.ptx"))?, FINE);
    Ok(())
}

/// A failing job that takes many attempts.
fn faulty(dir: &TempDir) -> Result<PathBuf, Failed> {
    let case = "program = \"sha256/nvcc-O3.ptx\"\n[set.params.1.buffer]\nzeros = 1500\n";
    planted(&case.parse()?, dir)
}

/// With a limit, the best result so far is a job that fails, and the same limit gives the same
/// result.
fn limits() -> Result<(), Failed> {
    let dir = TempDir::new("reduce-limits");
    faulty(&dir)?;
    let mut before = None;
    for out in ["a", "b"] {
        let (code, said, err) = reduce(&dir, &["job.toml", "--max-tries", "25", "--out", out])?;
        if code != Some(0) || !said.contains("stopped by --max-tries") {
            return Err(format!("exit {code:?}\n{said}{err}").into());
        }
        let module = std::fs::read_to_string(dir.join(out).join("kernel.ptx"))?;
        let launch = texunit().arg("launch").arg(dir.join(out).join("job.toml")).output()?;
        if launch.status.code() != Some(1) || !stderr(&launch).contains("out of bounds") {
            return Err(stderr(&launch).into());
        }
        if before.get_or_insert_with(|| module.clone()) != &module {
            return Err("the result is another one".into());
        }
    }
    Ok(())
}

/// Reduces the job of a folder. Returns the report.
fn reduced(dir: &TempDir, more: &[&str]) -> Result<Json, Failed> {
    let words = [&["job.toml", "--out", "small", "--format", "json"], more].concat();
    let (code, said, err) = reduce(dir, &words)?;
    if code != Some(0) {
        return Err(format!("exit {code:?}\n{said}{err}").into());
    }
    Ok(serde_json::from_str(&said)?)
}

/// The computation of the failing address remains, and so does an indexed array; files of a
/// recording keep distinct names.
fn index() -> Result<(), Failed> {
    let dir = TempDir::new("reduce-index");
    let ptx = ".version 8.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n) {\n\
        .reg .u64 %a<4>; .reg .u32 %t<7>;\nld.param.u64 %a1, [out];\nld.param.u32 %t5, [n];\nmov.u32 %t1, %ctaid.x;\n\
        mov.u32 %t2, %ntid.x;\nmov.u32 %t3, %tid.x;\nmad.lo.u32 %t4, %t1, %t2, %t3;\nadd.u32 %t6, %t5, %t3;\n\
        mul.wide.u32 %a2, %t4, 4;\nadd.u64 %a3, %a1, %a2;\nst.global.u32 [%a3], %t6;\nret;\n}\n";
    let job = "ptx = \"k.ptx\"\nkernel = \"k\"\ngrid = 4\nblock = 64\n[params.out]\nbuffer = { zeros = 1000 }\n\
        [params.n]\nscalar = { u32 = 5 }\n";
    for name in ["one", "two"] {
        std::fs::create_dir(dir.join(name))?;
        dir.file(format!("{name}/k.ptx"), ptx);
        dir.file(format!("{name}/job.toml"), job);
        let (code, said, err) = reduce(&dir, &[&format!("{name}/job.toml")])?;
        if code != Some(0) || !said.contains(&format!("wrote {name}-reduced\n")) {
            return Err(format!("exit {code:?}\n{said}{err}").into());
        }
        let small = std::fs::read_to_string(dir.join(format!("{name}-reduced/kernel.ptx")))?;
        for kept in ["%ctaid.x", "%ntid.x", "%tid.x", "mad.lo.u32", "mul.wide.u32", "add.u64"] {
            if !small.contains(kept) {
                return Err(format!("{kept} is gone:\n{small}").into());
            }
        }
        let reduced: Table =
            std::fs::read_to_string(dir.join(format!("{name}-reduced/job.toml")))?.parse()?;
        let bytes = &reduced["params"]["out"]["buffer"]["zeros"];
        if small.contains("add.u32")
            || !bytes.as_integer().is_some_and(|bytes| (8..1000).contains(&bytes))
        {
            return Err(format!("{bytes}\n{small}").into());
        }
    }
    // A recording with an equal name in another folder is not replaced.
    std::fs::create_dir(dir.join("sub"))?;
    std::fs::rename(dir.join("one"), dir.join("sub/one"))?;
    let (_, said, err) = reduce(&dir, &["sub/one/job.toml"])?;
    let again = reduce(&dir, &["sub/one/job.toml"])?.1;
    match [&said, &again].iter().all(|said| said.contains("wrote one-reduced-2\n")) {
        true => Ok(()),
        false => Err(format!("{said}{err}{again}").into()),
    }
}

/// Memory whose address is in memory stays; memory without pointers to it is removed.
fn recorded() -> Result<(), Failed> {
    let dir = TempDir::new("reduce-recorded");
    let mut list = vec![0_u8; 64];
    list[..8].copy_from_slice(&0x7000_0020_0000_u64.to_le_bytes());
    dir.file("list.bin", list);
    dir.file("other.bin", [7; 4096]);
    let ptx = FINE.replace(
        "st.global.u32 [%a], %t;",
        "ld.global.u64 %a, [%a+16];\nst.global.u32 [%a+400], %t;",
    );
    dir.file("k.ptx", ptx);
    let job = "ptx = \"k.ptx\"\nkernel = \"k\"\ngrid = [3, 2]\nblock = 64\nmax_steps = 100000\ncheck = true\n\
        [objects.list]\nbuffer = { file = \"list.bin\", parts = [[16, 64]], size = 512, address = \"0x700000000000\", number = 1 }\n\
        [objects.target]\nbuffer = { file = \"other.bin\", parts = [[0, 256]], size = 256, address = \"0x700000200000\", number = 2, name = \"numbers\" }\n\
        [objects.other]\nbuffer = { file = \"other.bin\", address = \"0x700000400000\", number = 3 }\n\
        [objects.array-1]\narray = { zeros = true, format = \"u8x4\", geometry = \"2d\", width = 64, height = 64 }\n\
        [objects.texture-1]\ntexture = { array = \"array-1\", handle = \"0x2000000000100001\" }\n\
        [params.0]\nuse = \"list\"\n";
    dir.file(
        "job.toml",
        job.replace("file = \"other.bin\", parts", "bytes = \"07\", parts")
            .replace("[[0, 256]]", "[[0, 1]]"),
    );
    let report = reduced(&dir, &[])?;
    let small = std::fs::read_to_string(dir.join("small/job.toml"))?;
    let wanted = "out-of-bounds in k (store, .global, behind `numbers`)";
    if report["kept"]["what"] != wanted || report["after"]["threads"] != 1 {
        return Err(format!("{report}\n{small}").into());
    }
    assert!(
        ["objects.other", "array-1", "texture-1", "check"].iter().all(|gone| !small.contains(gone)),
        "{small}"
    );
    assert!(
        ["0x700000200000", "objects.target"].iter().all(|kept| small.contains(kept)),
        "{small}"
    );
    let launch = texunit().arg("launch").arg(dir.join("small/job.toml")).output()?;
    assert!(
        launch.status.code() == Some(1) && stderr(&launch).contains("`numbers`"),
        "{}",
        stderr(&launch)
    );
    Ok(())
}

/// The wrong word remains; correct words, and words that are wrong for another reason, are removed.
fn unexpected() -> Result<(), Failed> {
    let dir = TempDir::new("reduce-expected");
    let more: String = (0..40).map(|n| format!("add.u32 %t, %t, {n};\n")).collect();
    let ptx = FINE.replace(
        "st.global",
        &format!("{more}st.global.u32 [%a+8], %t;\nst.global.u32 [%a+4], 77;\nst.global"),
    );
    dir.file("k.ptx", ptx);
    let job = JOB.replace("zeros = 4", "zeros = 12") + "expected = { u32 = [780, 78, 780] }\n";
    dir.file("job.toml", job);
    let report = reduced(&dir, &["--keep", "output"])?;
    let (job, ptx) = ["small/job.toml", "small/kernel.ptx"]
        .map(|f| std::fs::read_to_string(dir.join(f)).unwrap())
        .into();
    let what = "`out` holds 4d 00 00 00 at byte 4, which is not expected";
    if report["kept"]["what"] != what || report["kept"]["kind"] != "output" {
        return Err(format!("{report}\n{job}\n{ptx}").into());
    }
    assert!(ptx.contains("77") && !ptx.contains("add.u32") && !ptx.contains("%a+8"), "{ptx}");
    let launch = texunit()
        .arg("launch")
        .arg(dir.join("small/job.toml"))
        .arg("--out")
        .arg(dir.join("out"))
        .output()?;
    assert!(
        launch.status.code() == Some(1) && stderr(&launch).contains("J0011"),
        "{}",
        stderr(&launch)
    );
    Ok(())
}

/// On any number of signals, the best result so far is written, and no other files remain.
#[cfg(target_os = "linux")]
fn interrupted() -> Result<(), Failed> {
    for signals in [&["-INT"][..], &["-HUP"], &["-TERM", "-TERM"], &["-INT", "-INT", "-INT"]] {
        let dir = TempDir::new("reduce-interrupted");
        let temporary = dir.join("tmp");
        std::fs::create_dir(&temporary)?;
        dir.file("k.ptx", FINE);
        // Little can be removed, and every attempt takes some time.
        let script = "n=$(wc -l < \"$0\"); sleep 0.1; [ $n -lt 7 ] || exit 7";
        // Background jobs of a shell ignore interrupts, and `nohup` hangups, in all children.
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP,INT", env!("CARGO_BIN_EXE_texunit")]);
        command.current_dir(dir.path()).args(["reduce", "k.ptx", "--command", "sh", "-c", script]);
        command.env("TMPDIR", &temporary).stdout(std::process::Stdio::piped());
        let child = command.spawn()?;
        std::thread::sleep(std::time::Duration::from_millis(500));
        for signal in signals {
            Command::new("kill").args([signal, &*child.id().to_string()]).status()?;
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        if output.status.code() != Some(0) || !said.contains("interrupted") {
            return Err(format!("{signals:?}: {:?}: {said}", output.status).into());
        }
        assert!(dir.join("k.reduced.ptx").is_file());
        assert_eq!(std::fs::read_dir(&temporary)?.count(), 0, "{signals:?}");
    }
    Ok(())
}
