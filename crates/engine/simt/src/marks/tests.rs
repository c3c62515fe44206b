//! Tests of marked code against the code that it was made from.
#![allow(clippy::unwrap_used)]

use crate::code::{Code, Events, Op};
use crate::launch::Arithmetic;
use crate::lower::lower_text;
use std::path::{Path, PathBuf};

/// PTX files of the test programs, one for each compiler, and of the benchmarks.
fn texts() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
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

/// The text form of each kernel is parsed and printed again unchanged. Without marks, the
/// reassembled code equals the original; with marks, it contains each original operation once.
#[test]
fn code_is_the_same_after_parsing_and_between_marks() {
    let texts = texts();
    assert!(texts.len() > 100, "the programs are not where they were");
    for path in texts {
        let program = lower_text(&std::fs::read_to_string(&path).unwrap());
        for (kernel, name) in program.kernels() {
            let text = crate::dump::warp_code(&program, kernel);
            let again = crate::dump::of_warp_code(&text, None).unwrap_or_else(|e| e);
            let differs = text.lines().zip(again.lines()).find(|(a, b)| a != b);
            assert_eq!(differs, None, "{}: {name}", path.display());
            assert_eq!(text.len(), again.len(), "{}: {name}", path.display());
        }
        let code = program.code(Arithmetic::default());
        let text = |code: &Code| {
            let insts = code.insts.iter().map(|inst| format!("{inst:?}"));
            insts.collect::<Vec<_>>()
        };
        let same = super::marked(program.source(), code, Events::NONE, &|_| true);
        assert_eq!(text(code), text(&same.code.unwrap()), "{}", path.display());
        // The shadow operations of `DEFINED` are left out, because this test could not tell them
        // from operations of the program.
        let told = Events::ALL - Events::DEFINED;
        let marked = super::marked(program.source(), code, told, &|_| true);
        let (marked, origin) = (marked.code.unwrap(), marked.origin);
        let is_own = |op: &Op| {
            use Op::{Count, CountIndexed, Issue, IssueIndexed, Mark};
            !matches!(
                op,
                Count { .. } | CountIndexed { .. } | Issue { .. } | IssueIndexed { .. } | Mark(_)
            )
        };
        let those = marked.insts.iter().zip(&origin).filter(|(inst, _)| is_own(&inst.op));
        let ops: Vec<u32> = those.map(|(_, &op)| op).collect();
        let all = (0..).zip(&code.insts).filter(|(_, inst)| is_own(&inst.op));
        assert_eq!(ops, all.map(|(op, _)| op).collect::<Vec<u32>>(), "{}", path.display());
        assert!(marked.insts.len() > code.insts.len());
    }
}
