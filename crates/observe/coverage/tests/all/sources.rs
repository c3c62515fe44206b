//! Tests the coverage of source lines, functions and branches with inlined functions, for the PTX
//! that compilers generate from tests/places/places.cu.

use crate::common::{Arg, How, load_text};
use std::path::Path;
use texunit_coverage::{Coverage, Function, Module, lcov};
use texunit_simt::observe::Listing;

const FILE: &str = "/tmp/texunit-places/places.cu";

/// The coverage of 96 threads, of which 40 are below `n`.
fn of_places(text: &str) -> Coverage {
    let loaded = load_text(text);
    let (out, _) = loaded.buffer(1024);
    let module =
        Module::new(Listing::of(&loaded.program, Default::default()), Path::new("places.ptx"));
    let how = How { block: [96, 1, 1], ..How::default() };
    let args = [Arg::U64(out), Arg::F32(2.0), Arg::U32(40)];
    loaded.run_observed("places", how, &args, Some(&module)).unwrap();
    module.coverage()
}

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/places");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// `put` is inlined, and its address is computed before the branch around it; its count is that of
/// its store.
#[test]
fn inlined_functions_count_at_their_own_lines() {
    let coverage = of_places(&text("nvcc-lineinfo.ptx"));
    let expected = format!(
        "TN:\nSF:{FILE}\nFN:4,blend(float, float)\nFN:13,places\nFN:10,put<float>(float*, int, float)\n\
         FNDA:40,blend(float, float)\nFNDA:96,places\nFNDA:40,put<float>(float*, int, float)\nFNF:3\nFNH:3\n\
         BRDA:16,0,0,56\nBRDA:16,0,1,40\nBRF:2\nBRH:2\n\
         DA:4,40\nDA:10,40\nDA:13,96\nDA:15,96\nDA:16,96\nDA:17,40\nDA:18,96\nDA:19,96\nLF:8\nLH:8\nend_of_record\n"
    );
    assert_eq!(lcov::text(&coverage), expected);
}

/// For every compiler, the kernel's lines are covered, and those after the branch have fewer lanes.
#[test]
fn every_compiler_has_the_lines() {
    for name in ["nvcc-G.ptx", "nvrtc-lineinfo.ptx", "clang-gline-tables-only.ptx", "clang-g.ptx"] {
        let coverage = of_places(&text(name));
        let (_, file) =
            coverage.files.iter().find(|(file, _)| file.ends_with("places.cu")).unwrap();
        // clang does not write inlined calls.
        let is_clang = name.starts_with("clang");
        let inlined = if is_clang { &[][..] } else { &[(4, 40), (17, 40)] };
        for &(line, lanes) in [(10, 40), (16, 96), (18, 96)].iter().chain(inlined) {
            assert_eq!(file.lines.get(&line), Some(&lanes), "{name}, line {line}: {file:?}");
        }
        let expected = Function { line: if is_clang { 14 } else { 13 }, lanes: 96 };
        assert_eq!(file.functions["places"], expected, "{name}: {file:?}");
        let ways: Vec<_> = file.branches.iter().filter(|(key, _)| key.line == 16).collect();
        let mut lanes = ways[0].1.clone();
        lanes.sort_unstable();
        assert_eq!((ways.len(), lanes), (1, vec![40, 56]), "{name}: {file:?}");
    }
}

/// Kernels that are loaded but never launched, and functions without calls, are listed with counts
/// of 0.
#[test]
fn what_is_never_reached_is_shown() {
    let text = format!(
        "{}.func never(.param .u32 a)\n{{\nret;\n}}\n.visible .entry k()\n{{\n.reg .pred %p;\n\
         setp.eq.u32 %p, 0, 1;\n@%p bra L;\nret;\nL:\nret;\n}}\n",
        crate::common::HEADER
    );
    let loaded = load_text(&text);
    let module = Module::new(Listing::of(&loaded.program, Default::default()), Path::new("k.ptx"));
    let nothing = "TN:\nSF:k.ptx\nFN:8,k\nFN:4,never\nFNDA:0,k\nFNDA:0,never\nFNF:2\nFNH:0\n\
         BRDA:12,0,0,-\nBRDA:12,0,1,-\nBRF:2\nBRH:0\nDA:4,0\nDA:6,0\nDA:8,0\nDA:11,0\nDA:12,0\nDA:13,0\nDA:15,0\nLF:7\nLH:0\nend_of_record\n";
    assert_eq!(lcov::text(&module.coverage()), nothing);
    loaded.run_observed("k", How::default(), &[], Some(&module)).unwrap();
    let once = "TN:\nSF:k.ptx\nFN:8,k\nFN:4,never\nFNDA:32,k\nFNDA:0,never\nFNF:2\nFNH:1\n\
         BRDA:12,0,0,0\nBRDA:12,0,1,32\nBRF:2\nBRH:1\nDA:4,0\nDA:6,0\nDA:8,32\nDA:11,32\nDA:12,32\nDA:13,32\nDA:15,0\nLF:7\nLH:4\nend_of_record\n";
    assert_eq!(lcov::text(&module.coverage()), once);
}

/// A launch that ends with a fault covers the instructions before the fault.
#[test]
fn a_fault_ends_what_is_counted() {
    let text = format!(
        "{}.visible .entry k()\n{{\n.reg .pred %p; .reg .u32 %r; .reg .u64 %d;\nmov.u32 %r, %tid.x;\n\
         setp.lt.u32 %p, %r, 8;\n@%p bra L;\nmov.u64 %d, 64;\nst.global.u32 [%d], %r;\nbra L;\nadd.u32 %r, %r, 1;\nL:\nret;\n}}\n",
        crate::common::HEADER
    );
    let loaded = load_text(&text);
    let module = Module::new(Listing::of(&loaded.program, Default::default()), Path::new("k.ptx"));
    loaded.run_observed("k", How::default(), &[], Some(&module)).unwrap_err();
    let file = &module.coverage().files["k.ptx"];
    // Lanes that skip the branch have reached the store; lanes that branch may not have continued.
    let line = |line: u32| file.lines[&line];
    assert_eq!([7, 8, 9, 10, 11, 12, 13].map(line), [32, 32, 32, 24, 24, 24, 0], "{file:?}");
    let ways: Vec<_> = file.branches.values().collect();
    assert_eq!(ways, [&vec![8, 24]]);
}
