//! Commands never overwrite their inputs, nor write two results under one name: that is wrong
//! usage, detected before anything is written.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::process::Command;
use texunit_testkit::TempDir;

const PTX: &str = "\
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
	.reg .b32 %r<3>;
	.reg .b64 %d<3>;
	ld.param.u64 %d1, [a];
	ld.param.u64 %d2, [b];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d0, %r1, 4;
	add.u64 %d1, %d1, %d0;
	add.u64 %d2, %d2, %d0;
	ld.global.u32 %r2, [%d1];
	st.global.u32 [%d2], %r2;
	ret;
}
";
const JOB: &str = "\
ptx = \"k.ptx\"
kernel = \"k\"
grid = 2
block = 32
params.a = { buffer = { file = \"in.bin\" } }
params.b = { buffer = { zeros = 128 }, output = { file = \"b.bin\" } }
";
/// It fails, so that it can be reduced.
const FAILS: &str = "\
ptx = \"k.ptx\"
kernel = \"k\"
grid = 1
block = 64
params.a = { buffer = { file = \"in.bin\" } }
params.b = { buffer = { zeros = 128 } }
";

fn folder(name: &str) -> TempDir {
    let folder = TempDir::new(name);
    for (name, text) in [
        ("k.ptx", PTX),
        ("job.toml", JOB),
        ("fails.toml", FAILS),
        ("s.txt", "{\n x\n rule: race*\n}\n"),
        ("case.toml", "[[case]]\n"),
    ] {
        folder.file(name, text);
    }
    std::fs::write(folder.join("in.bin"), [0; 128]).unwrap();
    folder
}

fn texunit(folder: &TempDir, words: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.current_dir(folder.path()).args(words.split_whitespace());
    let done = command.output().unwrap();
    (done.status.code(), String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned())
}

/// The files of a folder.
fn files(folder: &TempDir) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap);
    let file = |entry: std::fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap_or_default())
    };
    entries.map(file).collect()
}

#[test]
fn wrong_usage_before_anything_is_written() {
    let folder = folder("places");
    std::os::unix::fs::symlink("s.txt", folder.join("link")).unwrap();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n";
    let length = (header.len() as u16).to_le_bytes();
    let npy = [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &[0; 16]].concat();
    std::fs::write(folder.join("at.npy"), npy).unwrap();
    std::fs::hard_link(folder.join("at.npy"), folder.join("hard.npy")).unwrap();
    for range in ["0..1", "1..2"] {
        let (code, said) =
            texunit(&folder, &format!("launch job.toml -q --ctas {range} --writes {range}.sets"));
        assert_eq!(code, Some(0), "{said}");
    }
    std::fs::rename(folder.join("0..1.sets"), folder.join("b.bin")).unwrap();
    let before = files(&folder);
    for words in [
        // Results of a launch with the name of an input.
        "launch job.toml --out . --coverage in.bin",
        "launch job.toml --coverage ./job.toml",
        "launch job.toml --explain 0 --explain-out k.ptx",
        "launch job.toml --check all --suppressions s.txt --coverage link",
        "launch job.toml --check all --suppressions s.txt --explain 1 --explain-out s.txt",
        "launch job.toml --check all --suppressions s.txt --ctas 0..1 --writes s.txt",
        "launch job.toml --check all --suppressions ./b.bin --out .",
        // Results of a launch with equal names.
        "launch job.toml --out . --coverage b.bin",
        "launch job.toml --out new --coverage new/../new/b.bin",
        "launch job.toml --coverage z --explain 1 --explain-out z",
        "launch job.toml --coverage z --ctas 0..1 --writes ./z",
        // Other commands.
        "merge job.toml b.bin 1..2.sets --out .",
        "init k.ptx --out k.ptx --force",
        "init ./k.ptx --out ../../../../../../../proc/self/cwd/k.ptx --force",
        "reduce fails.toml --out .",
        "reduce k.ptx --out k.ptx --command false",
        "explain --tex hard.npy --op tex.2d.v4.f32.f32 --at 0,0 --out at.npy",
        "sample --tex hard.npy --at at.npy --out hard.npy",
        "run --report s.txt --check all --suppressions s.txt true",
        "run --coverage link --check all --suppressions s.txt true",
        "run --report k.ptx true k.ptx",
        "run --report r --coverage ./r true",
        "run --record r --save-ptx r true",
        "run --explain k:0 --explain-out x --report x true",
        "compare case.toml --record case.toml",
    ] {
        let (code, said) = texunit(&folder, words);
        assert_eq!(code, Some(2), "{words}: {said}");
        assert!(said.contains("name another"), "{words}: {said}");
        assert!(files(&folder) == before, "{words}: {said}");
    }
}

/// A reduction may overwrite its earlier result, and nothing else.
#[test]
fn a_reduction_replaces_only_reductions() {
    let folder = folder("places-reduce");
    let other = folder.join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("job.toml"), JOB).unwrap();
    let (code, said) = texunit(&folder, "reduce fails.toml --out other --time 5");
    assert!(code == Some(2) && said.contains("not a result of `texunit reduce`"), "{said}");
    assert_eq!(std::fs::read_to_string(other.join("job.toml")).unwrap(), JOB);
    assert_eq!(std::fs::read_dir(&other).unwrap().count(), 1);
    for _ in 0..2 {
        let (code, said) = texunit(&folder, "reduce fails.toml --out reduced --time 5");
        assert_eq!(code, Some(0), "{said}");
    }
}

/// A suite overwrites neither its own cases nor itself, and an incomplete suite says so.
#[test]
fn a_suite_is_whole_or_says_that_it_is_not() {
    let folder = folder("places-suite");
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fetch/point.toml");
    std::fs::create_dir(folder.join("cases")).unwrap();
    std::fs::copy(cases, folder.join("cases/suite.toml")).unwrap();
    let (code, said) = texunit(&folder, "cases export out --cases cases");
    assert!(code == Some(2) && said.contains("twice"), "{said}");
    assert!(!folder.join("out").exists());
    std::fs::rename(folder.join("cases/suite.toml"), folder.join("cases/point.toml")).unwrap();
    let (code, said) = texunit(&folder, "cases export out --cases cases");
    assert_eq!(code, Some(0), "{said}");
    assert!(folder.join("out/suite.json").is_file() && !folder.join("out/unfinished.txt").exists());
    // A case that cannot be exported stops the export.
    std::fs::write(folder.join("cases/wrong.toml"), "[[case]]\n").unwrap();
    let (code, said) = texunit(&folder, "cases export out --cases cases");
    assert_eq!(code, Some(1), "{said}");
    let unfinished = std::fs::read_to_string(folder.join("out/unfinished.txt")).unwrap();
    assert!(unfinished.contains("Run the command again"), "{unfinished}");
    assert!(!folder.join("out/suite.json").exists());
}
