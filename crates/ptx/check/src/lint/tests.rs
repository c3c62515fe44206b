//! Tests of the analyses on small functions.

use texunit_flow::{Variation, control_dependence};
use texunit_syntax::{SourceFile, parse};

use super::body::{Body, Origin};
use super::divergence::Values;
use crate::check_with;
use crate::ir::RegId;
use crate::options::Options;

/// Calls `f` with the body of a kernel with these statements, a register, and the last instruction
/// before `ret`.
fn with_body<T>(statements: &str, name: &str, f: impl FnOnce(&Body, RegId, usize) -> T) -> T {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.shared .b32 word;\n\
         .entry k(.param .u64 out, .param .u32 n) {{\n.reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .pred %p<20>;\n\
         ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n{statements}\nret;\n}}"
    );
    let source = SourceFile::new("k.ptx", text);
    let parsed = parse(&source);
    let checked = check_with(&source, &parsed.module, Options::default());
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let function = &checked.module.functions[0];
    let block = parsed.module.items.iter().find_map(|item| match item {
        texunit_syntax::ast::Item::Function(f) => f.body.as_ref(),
        _ => None,
    });
    let body =
        Body::new(Origin::default(), &source, &checked.module, function, block.unwrap()).unwrap();
    let reg = function.regs.iter().position(|r| r.name == name).unwrap();
    f(&body, RegId(reg as u32), body.code.len() - 2)
}

/// The variation of a register where the last instruction before `ret` reads it.
fn kind(statements: &str, name: &str) -> Variation {
    with_body(statements, name, |body, reg, at| {
        let control = control_dependence(&body.graph.successors, 10_000).unwrap();
        Values::new(body, &control).read(reg, at).kind
    })
}

#[test]
fn sources() {
    let of = |what: &str| kind(&format!("{what} st.global.u32 [%rd1], %r2;"), "%r2");
    assert_eq!(of("mov.u32 %r2, %tid.x;"), Variation::TID);
    assert_eq!(of("mov.u32 %r2, %tid.y;"), Variation::Varying);
    assert_eq!(of("mov.u32 %r2, %laneid;"), Variation::Lane);
    assert_eq!(of("mov.u32 %r2, %clock;"), Variation::Varying);
    assert_eq!(of("mov.u32 %r2, %ctaid.x;"), Variation::Uniform);
    assert_eq!(of("mov.u32 %r2, %ntid.x;"), Variation::Uniform);
    assert_eq!(of("mov.u32 %r2, 5;"), Variation::Uniform);
    assert_eq!(of("mov.u32 %r2, %r1;"), Variation::Uniform);
    assert_eq!(of("ld.global.u32 %r2, [%rd1];"), Variation::Uniform);
    assert_eq!(of("atom.global.add.u32 %r2, [%rd1], 1;"), Variation::Varying);
    assert_eq!(of("bar.red.popc.u32 %r2, 0, 1;"), Variation::Uniform);
}

#[test]
fn operations() {
    let of = |what: &str| {
        kind(&format!("mov.u32 %r3, %tid.x; {what} st.global.u32 [%rd1], %r2;"), "%r2")
    };
    let affine = |stride| Variation::Affine { from_zero: false, stride };
    assert_eq!(of("add.s32 %r2, %r3, %r1;"), affine(1));
    assert_eq!(of("sub.s32 %r2, %r1, %r3;"), affine(-1));
    assert_eq!(of("mad.lo.s32 %r2, %r1, %r1, %r3;"), affine(1));
    assert_eq!(of("mad.lo.s32 %r2, 12, %r3, %r1;"), affine(12));
    assert_eq!(of("shl.b32 %r4, %r3, 2; add.s32 %r2, %r4, 8;"), affine(4));
    let scaled = Variation::Affine { from_zero: true, stride: -6 };
    assert_eq!(of("mul.lo.s32 %r2, %r3, -6;"), scaled);
    assert_eq!(of("shl.b32 %r2, %r3, 32;"), Variation::Uniform);
    assert_eq!(of("mul.hi.s32 %r2, %r3, 4;"), Variation::Varying);
    assert_eq!(of("mul.f32 %r2, %r3, 0f40000000;"), Variation::Varying);
    assert_eq!(of("mul.lo.s32 %r2, %r3, %r1;"), Variation::Varying);
    assert_eq!(of("and.b32 %r2, %r3, 31;"), Variation::Lane);
    assert_eq!(of("and.b32 %r2, %r3, 63;"), Variation::Varying);
    assert_eq!(of("rem.u32 %r2, %r3, 32;"), Variation::Lane);
    assert_eq!(of("sub.s32 %r2, %r3, %r3;"), Variation::Uniform);
    assert_eq!(of("ld.global.u32 %r2, [%rd1];"), Variation::Uniform);
    let load = "mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];";
    assert_eq!(of(load), Variation::Varying);
    assert_eq!(of("shfl.sync.idx.b32 %r2, %r3, 0, 31, -1;"), Variation::Varying);
    assert_eq!(of("shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;"), Variation::Uniform);
    assert_eq!(of("mov.u32 %r2, 1; mov.u32 %r2, %r3; mov.u32 %r2, 2;"), Variation::Uniform);
    assert_eq!(
        of("setp.eq.s32 %p1, %r3, 1; mov.u32 %r2, 1; @%p1 mov.u32 %r2, 2;"),
        Variation::Varying
    );
    assert_eq!(
        of("setp.eq.s32 %p1, %r1, 1; mov.u32 %r2, 1; @%p1 mov.u32 %r2, 2;"),
        Variation::Uniform
    );
    assert_eq!(of("setp.eq.s32 %p1, %r3, 1; selp.b32 %r2, 1, 2, %p1;"), Variation::Varying);
}

#[test]
fn comparisons() {
    let of = |what: &str| {
        let start = "mov.u32 %r2, %tid.x; mov.u32 %r3, %laneid;";
        kind(&format!("{start} {what} @%p1 st.global.u32 [%rd1], %r2;"), "%p1")
    };
    assert_eq!(of("setp.eq.s32 %p1, %r2, 0;"), Variation::InWarp);
    assert_eq!(of("setp.ne.s32 %p1, 5, %r2;"), Variation::InWarp);
    assert_eq!(of("setp.lt.u32 %p1, %r2, 64;"), Variation::Varying);
    assert_eq!(of("setp.gt.u32 %p1, %r2, 63;"), Variation::Varying);
    assert_eq!(of("setp.gt.u32 %p1, 64, %r2;"), Variation::Varying);
    assert_eq!(of("setp.lt.u32 %p1, %r2, 48;"), Variation::InWarp);
    assert_eq!(of("setp.le.u32 %p1, %r2, 48;"), Variation::InWarp);
    assert_eq!(of("setp.lt.s32 %p1, %r2, %r1;"), Variation::Bound);
    assert_eq!(of("add.s32 %r2, %r2, %r1; setp.lt.s32 %p1, %r2, 9;"), Variation::Bound);
    assert_eq!(of("shl.b32 %r2, %r2, 2; setp.lt.s32 %p1, %r2, %r1;"), Variation::Varying);
    assert_eq!(of("setp.lt.s32 %p1, %r3, 16;"), Variation::InWarp);
    assert_eq!(of("setp.lt.s32 %p1, %r3, 32;"), Variation::Varying);
    assert_eq!(of("setp.lt.s32 %p1, %r1, 16;"), Variation::Uniform);
    assert_eq!(of("setp.eq.s32 %p2, %r3, 1; not.pred %p1, %p2;"), Variation::InWarp);
}

#[test]
fn control_flow() {
    let of = |what: &str| kind(&format!("{what} st.global.u32 [%rd1], %r2;"), "%r2");
    // A value that a branch selects varies as the branch condition does.
    let choice = |special: &str| {
        format!(
            "mov.u32 %r3, {special}; setp.eq.s32 %p1, %r3, 0; mov.u32 %r2, 1; @%p1 bra after;
             mov.u32 %r2, 2; after:"
        )
    };
    assert_eq!(of(&choice("%tid.y")), Variation::Varying);
    assert_eq!(of(&choice("%ctaid.y")), Variation::Uniform);
    // A read under the same branch sees the same value in all threads that execute it.
    let inside = "mov.u32 %r3, %tid.x; setp.eq.s32 %p1, %r3, 0; @%p1 bra end; mov.u32 %r2, 2;
                  add.s32 %r2, %r2, 1; end: mov.u32 %r2, 3;";
    assert_eq!(of(inside), Variation::Uniform);
    // The counter of a loop is uniform inside the loop, but not after it.
    let counter = |special: &str, last: &str| {
        format!(
            "mov.u32 %r3, {special}; mov.u32 %r2, 0; loop: add.s32 %r2, %r2, 1;
             setp.lt.s32 %p1, %r2, %r3; {last}"
        )
    };
    let inside = kind(&counter("%tid.x", "st.global.u32 [%rd1], %r2; @%p1 bra loop;"), "%r2");
    assert_eq!(inside, Variation::Uniform);
    assert_eq!(of(&counter("%tid.x", "@%p1 bra loop;")), Variation::Varying);
    assert_eq!(of(&counter("%ntid.x", "@%p1 bra loop;")), Variation::Uniform);
    let both = "loop: add.s32 %r2, %r2, 1; mov.u32 %r3, %tid.x; add.s32 %r2, %r2, %r3;
                setp.lt.s32 %p1, %r1, 3; @%p1 bra loop;";
    assert_eq!(of(both), Variation::Varying);
}

#[test]
fn constants() {
    let of = |what: &str| {
        let statements = format!("{what} st.global.u32 [%rd1], %r2;");
        with_body(&statements, "%r2", |body, reg, at| body.constant(reg, at).map(|c| c.0))
    };
    assert_eq!(of("mov.b32 %r2, 7;"), Some(7));
    assert_eq!(of("mov.b32 %r3, 7; mov.b32 %r2, %r3;"), Some(7));
    assert_eq!(of("mov.b32 %r2, 7; mov.b32 %r2, 8;"), Some(8));
    assert_eq!(of("mov.b32 %r2, 7; add.s32 %r2, %r2, 8;"), None);
    assert_eq!(of("setp.eq.s32 %p1, %r1, 0; mov.b32 %r2, 7; @%p1 mov.b32 %r2, 8;"), None);
    assert_eq!(of("mov.b32 %r2, 7; bra next; next:"), Some(7));
    assert_eq!(of("mov.b32 %r2, 7; loop: add.s32 %r2, %r2, 1; bra loop; end:"), None);
}
