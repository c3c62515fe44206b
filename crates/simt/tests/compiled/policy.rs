//! When code is made: where ten times as long has been interpreted as it takes, and not before. What is interpreted in
//! the middle of compiled code (`%clock` is) says that there was some.

use crate::common::{Arg, How, kernel, load_text};
use texunit_simt::{Interpreted, JitMode};
use texunit_testkit::skipped;

/// What of these loops was interpreted in the middle of compiled code: each has a few instructions, runs so often,
/// and each launch of the kernel is one warp.
fn interpreted(loops: u32, turns: u32, launches: u32, jit: JitMode) -> Vec<Interpreted> {
    let mut body = String::from("mov.u32 %b, 0;\n");
    for i in 0..loops {
        body += &format!(
            "mov.u32 %a, 0;\nL{i}:\nmov.u32 %c, %clock;\nadd.u32 %b, %b, %c;\nadd.u32 %a, %a, 1;\n\
             setp.lt.u32 %p, %a, {turns};\n@%p bra L{i};\n"
        );
    }
    let text = kernel(".reg .u32 %a, %b, %c;\n.reg .pred %p;", &(body + "ret;"));
    let loaded = load_text(&text);
    let (address, _) = loaded.buffer(32);
    let how = How { jit: Some(jit), max_steps: 1 << 40, ..How::default() };
    let once = |_| loaded.run("k", how, &[Arg::U64(address)]).unwrap().interpreted;
    (0..launches).map(once).collect()
}

fn is_compiled(interpreted: &Interpreted) -> bool {
    !interpreted.0.is_empty()
}

/// Whether there are regions here at all.
fn none_here() -> bool {
    let none = !is_compiled(&interpreted(1, 2, 1, JitMode::Always)[0]);
    if none {
        skipped("no machine code is made here: no AVX2, or TEXUNIT_SIMD says so");
    }
    none
}

#[test]
fn what_runs_often_is_compiled_and_nothing_else() {
    if none_here() {
        return;
    }
    let one = |turns| interpreted(1, turns, 1, JitMode::On).remove(0);
    assert!(!is_compiled(&one(300)));
    let Interpreted(many) = one(100_000);
    let [(_, count)] = many[..] else { panic!("%clock alone: {many:?}") };
    assert!((90_000..100_000).contains(&count), "{count}");
    assert!(!is_compiled(&interpreted(1, 100_000, 1, JitMode::Off)[0]));
}

/// Compiling all of them would take much longer than a tenth of the time.
#[test]
fn many_loops_that_run_seldom_are_interpreted() {
    if none_here() {
        return;
    }
    assert!(!is_compiled(&interpreted(400, 300, 1, JitMode::On)[0]));
}

/// What one launch alone does not pay for, many do.
#[test]
fn launches_add_up() {
    if none_here() {
        return;
    }
    let compiled = interpreted(1, 300, 40, JitMode::On);
    assert!(!is_compiled(&compiled[0]) && is_compiled(&compiled[39]));
}
