//! Random control flow: labels, branches, scopes, calls of every kind, lists of targets,
//! prototypes, predicates.

use std::fmt::Write as _;

use super::Question;
use super::mutation::mutated;
use super::operand::any_register;
use super::setup::Setup;
use texunit_testkit::Random;

/// The functions that modules call: the definition of each, and a call.
#[rustfmt::skip]
const FUNCTIONS: &[(&str, &str)] = &[
    (".func f0 { ret; }", "call f0;"),
    (".func f1 (.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r1, [a]; ret; }", "{ .param .b32 pa; st.param.b32 [pa], %r1; call f1, (pa); }"),
    (".func (.param .b32 v) f2 (.param .b32 a, .param .b64 b) { .reg .b32 %r<2>; ld.param.b32 %r1, [a]; st.param.b32 [v], %r1; ret; }",
     "{ .param .b32 pv; .param .b32 pa; .param .b64 pb; st.param.b32 [pa], %r1; st.param.b64 [pb], %rd1; call (pv), f2, (pa, pb); ld.param.b32 %r2, [pv]; }"),
    (".func (.reg .u32 v) f3 (.reg .u32 a, .reg .f32 b) { add.u32 v, a, 1; ret; }", "call (%r1), f3, (%r2, %f1);"),
    (".func (.param .align 8 .b8 v[16]) f4 (.param .align 8 .b8 a[16]) { .reg .b64 %rd<2>; ld.param.b64 %rd1, [a+8]; st.param.b64 [v], %rd1; ret; }",
     "{ .param .align 8 .b8 pv[16]; .param .align 8 .b8 pa[16]; st.param.b64 [pa+8], %rd1; call.uni (pv), f4, (pa); ld.param.b64 %rd2, [pv+8]; }"),
    (".extern .func (.param .b32 v) f5 (.param .b64 a, .param .b64 b);", "{ .param .b64 pa; .param .b64 pb; .param .b32 pv; call.uni (pv), f5, (pa, pb); }"),
    (".func f6 (.param .f32 a) ;\n.func f6 (.param .f32 a) { ret; }", "{ .param .f32 pa; st.param.f32 [pa], %f1; call f6, (pa); }"),
    (".func (.reg .pred v) f7 (.reg .pred a) { mov.pred v, a; ret; }", "call (%p1), f7, (%p0);"),
];

/// Calls of functions through registers.
#[rustfmt::skip]
const INDIRECT: &[&str] = &[
    "pr: .callprototype (.param .b32 _) _ (.param .b64 _); { .param .b32 pv; .param .b64 pa; call (pv), %rd1, (pa), pr; }",
    "pr: .callprototype _ (.param .b64 _); { .param .b64 pa; call %rd1, (pa), pr; }",
    "pr: .callprototype (.reg .b32 v) _ (.reg .b32 a); call (%r1), %rd1, (%r2), pr;",
    "pr: .callprototype _ ; call %rd1, pr;",
    "pr: .callprototype _ (); call %rd1, (), pr;",
    "pr: .calltargets f0; call %rd1, pr;",
    "pr: .calltargets f1, f6; { .param .b32 pa; call %rd1, (pa), pr; }",
    "call %rd1, (%r1);",
];

/// Random lines are drawn from these statements, which are not calls.
#[rustfmt::skip]
const STATEMENTS: &[&str] = &[
    "bra L1;", "@%p1 bra L2;", "@!%p0 bra.uni L1;", "bra L3;", "bra inner;", "bra k;", "bra %r1;", "bra f0;", "@%r1 bra L1;", "bra.uni L0;",
    "ts: .branchtargets L0, L1, L2; brx.idx %r1, ts;", "ts: .branchtargets L<3>; brx.idx %r1, ts;", "ts: .branchtargets L0, L7; brx.idx.uni %r1, ts;",
    "ts: .branchtargets L0; @%p1 brx.idx %rd1, ts;", "brx.idx %r1, L0;", "brx.idx 2, ts;", "brx.idx %r1, {L0, L1};",
    "{ inner: add.u32 %r1, %r1, 1; @%p1 bra inner; bra L1; }", "{ .reg .b32 %r<2>; mov.b32 %r1, 2; }", "{ .reg .b32 t; mov.b32 t, %r1; }", "{ { bra L2; } }", "{ }", "{ L0: }",
    "ret;", "exit;", "@%p1 ret;", "@%p1 exit;", "ret.uni;", "trap;", "brkpt;", "bar.sync 0;", "barrier.sync 0;", "bar.warp.sync 0xffffffff;", "membar.gl;", "nanosleep.u32 5;",
    "setp.eq.u32 %p1, %r1, %r2;", "setp.lt.and.s32 %p1|%p2, %r1, 4, !%p3;", "@%p1 add.u32 %r1, %r2, %r3;", "mov.u32 t, 1;", "mov.u64 %rd1, f0;", "mov.u64 %rd1, L1;", ";",
    ".reg .b32 late; mov.b32 late, 1;", ".reg .pred %p<2>;", ".local .b32 l; st.local.b32 [l], %r1;", ".shared .b32 s; st.shared.b32 [s], %r1;", ".param .b32 pp; st.param.b32 [pp], %r1;",
    ".loc 1 2 3", ".pragma \"nounroll\";", "LL: LM: ret;", "L1: ret;", "%r1: ret;", "add: ret;", "@%p1 { ret; }", "@%p1 L9: ret;", "call k;", "call nobody;", "call (%r1), nobody, (%r2);", "call f0, ();", "call f1;",
];

/// A question about a random module of this family.
pub(super) fn question(setup: Setup, family: &'static str, random: &mut Random) -> Question {
    let mut text = setup.head();
    let functions: Vec<_> = (0..random.below(4) + 1).map(|_| random.of(FUNCTIONS)).collect();
    let mut seen: Vec<&str> = Vec::new();
    for (function, _) in &functions {
        if !seen.contains(function) || random.chance(3) {
            text += function;
            text.push('\n');
            seen.push(function);
        }
    }
    text += ".entry k(.param .u32 a)\n{\n";
    text +=
        ".reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .f32 %f<6>; .reg .pred %p<6>; .reg .u16 %h<4>;\n";
    for label in 0..3 {
        let _ = writeln!(text, "L{label}:");
        for _ in 0..random.below(4) {
            let statement = match random.below(10) {
                0..=3 => random.of(&functions).1,
                4 => random.of(INDIRECT),
                _ => random.of(STATEMENTS),
            };
            let statement = match random.below(12) {
                0 => statement.replacen("%r1", &any_register(random), 1),
                1 => statement.replacen("pa", "pb", 1),
                2 => statement.replacen(
                    ".b32",
                    random.of(&[".u32", ".f32", ".b64", ".s16", ".b8"]),
                    1,
                ),
                _ => statement.to_owned(),
            };
            text += &statement;
            text.push('\n');
        }
    }
    text += "ret;\n}\n";
    let strength = random.of(&[0, 0, 0, 1, 1, 2]);
    let text = mutated(&text, strength, random);
    setup.whole(family, text)
}
