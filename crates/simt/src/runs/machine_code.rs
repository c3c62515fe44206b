//! What the machine code of kernels is, byte by byte, against a record: nothing that is added to the
//! executor (observers, checks, counters) may change what runs without it.
//!
//! `machine_code.txt` has a line for each PTX: runs of arithmetic, bytes of code, and a digest of code and
//! pools. Who changes the code that is made on purpose writes it anew with `TEXUNIT_BLESS=1`, and says in
//! the commit what has changed. The code has no addresses in it (its pool and all files are reached through
//! the frame), and does not depend on the processor, as long as there is code at all.
#![allow(clippy::unwrap_used)]

use super::Run;
use crate::code::{Code, Op};
use crate::lower::{Program, Symbols};
use crate::observe::Events;
use std::path::{Path, PathBuf};
use texunit_jit::region::Level;
use texunit_syntax::SourceFile;

const RECORD: &str = "src/runs/machine_code.txt";

/// 64 bits of FNV-1a.
fn digest(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

fn lowered(path: &Path) -> Program {
    let source = SourceFile::new(name(path), std::fs::read_to_string(path).unwrap());
    let module = texunit_check::check(&source, &texunit_syntax::parse(&source).module).module;
    crate::lower(module, Symbols::default(), source)
}

/// The line of one text: with and without fused instructions.
fn line(path: &Path) -> String {
    let (name, program) = (name(path), lowered(path));
    let (mut runs, mut bytes, mut hash) = (0, 0, 0xcbf2_9ce4_8422_2325);
    for fmad in [false, true] {
        let code = program.code(fmad);
        for run in &*code.runs.all {
            let Run { first, length, steps, whole, .. } = run;
            hash = [first, length, steps, whole]
                .iter()
                .fold(hash, |hash, n| digest(hash, &n.to_le_bytes()));
            let function =
                run.block(code).and_then(|block| texunit_jit::compile(&block, Level::Avx512).ok());
            let Some(function) = function else { continue };
            let (code, pool) = function.parts();
            runs += 1;
            bytes += code.len();
            hash = digest(hash, code);
            hash = pool.iter().fold(hash, |hash, n| digest(hash, &n.to_le_bytes()));
        }
    }
    format!("{name} {runs} {bytes} {hash:016x}\n")
}

/// The PTX files of programs, one of each, and of the benchmarks.
fn texts() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = std::fs::read_dir(root.join("tests/programs")).unwrap();
    let forms = ["nvcc-O3.ptx", "clang-O2.ptx", "nvcc-O0.ptx"];
    let mut paths: Vec<PathBuf> = folders
        .map(|folder| folder.unwrap().path())
        .flat_map(|folder| forms.map(|form| folder.join(form)))
        .filter(|path| path.is_file())
        .collect();
    paths.extend(
        ["sample-coh.ptx", "sample-rand.ptx"].map(|name| root.join("bench/data").join(name)),
    );
    paths.push(root.join("bench/benches/fma.ptx"));
    paths.sort();
    paths
}

/// Folder and name.
fn name(path: &Path) -> String {
    let parts: Vec<_> = path.iter().rev().take(2).map(|part| part.to_str().unwrap()).collect();
    format!("{}/{}", parts[1], parts[0])
}

#[test]
fn machine_code_is_what_it_was() {
    if super::setting::level() != Some(Level::Avx512) {
        let why = "no machine code is made here: no AVX-512, TEXUNIT_JIT or TEXUNIT_SIMD";
        texunit_testkit::skipped(why);
        return;
    }
    let mut now = String::new();
    for path in texts() {
        now += &line(&path);
    }
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORD);
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        std::fs::write(record, now).unwrap();
        return;
    }
    let before = std::fs::read_to_string(record).unwrap();
    let differs: Vec<_> = before.lines().zip(now.lines()).filter(|(a, b)| a != b).collect();
    assert!(differs.is_empty(), "code has changed (was, is): {differs:#?}");
    assert_eq!(before.lines().count(), now.lines().count());
    assert!(before.lines().count() > 100, "the programs are not where they were");
}

/// Without marks, what is put together again is what was taken apart; with them, each operation is there once.
#[test]
fn marked_code_is_the_code() {
    for path in texts() {
        let program = lowered(&path);
        let code = program.code(false);
        let text = |code: &Code| {
            let insts = code.insts.iter().map(|inst| format!("{inst:?}"));
            insts.collect::<Vec<_>>()
        };
        let (same, _) = crate::observe::marks::marked(&program, code, Events::NONE);
        assert_eq!(text(code), text(&same), "{}", path.display());
        let (marked, origin) = crate::observe::marks::marked(&program, code, Events::ALL);
        let is_own = |op: &Op| {
            let counts = matches!(op, Op::Count { .. } | Op::CountIndexed { .. });
            !counts && !matches!(op, Op::Mark(_) | Op::Run { .. })
        };
        let those = marked.insts.iter().zip(&origin).filter(|(inst, _)| is_own(&inst.op));
        let ops: Vec<u32> = those.map(|(_, &op)| op).collect();
        let all = (0..).zip(&code.insts).filter(|(_, inst)| is_own(&inst.op));
        assert_eq!(ops, all.map(|(op, _)| op).collect::<Vec<u32>>(), "{}", path.display());
        assert!(marked.insts.len() > code.insts.len());
    }
}
