//! Tests every pass on small modules, with judges that require certain texts.

use super::{inline, names, operands, tidy, together};
use crate::search::{Limits, Search};
use crate::text::words;
use crate::{Case, Judge, Progress};
use std::sync::atomic::AtomicBool;
use texunit_syntax::{SourceFile, parse};

/// A judge for which a module fails if it has no syntax errors and contains these texts.
struct Has(&'static [&'static str]);

impl Judge for Has {
    fn fails(&mut self, case: &Case) -> bool {
        let source = SourceFile::new("k.ptx", &*case.ptx);
        let sound = !parse(&source).diagnostics.iter().any(texunit_syntax::Diagnostic::is_error);
        sound && self.0.iter().all(|text| case.ptx.contains(text))
    }
}

fn after(body: &str, has: &'static [&'static str], pass: impl Fn(&mut Search<'_>)) -> String {
    let head = ".version 8.8\n.target sm_75\n.address_size 64\n";
    let stop = AtomicBool::new(false);
    let limits = Limits { deadline: None, tries: u64::MAX, stop: &stop };
    let (mut judge, mut tell) = (Has(has), |_: &Progress<'_>| {});
    let case = Case::of_ptx(&format!("{head}{body}"));
    assert!(judge.fails(&case), "{body}");
    let mut search = Search::new(case, &mut judge, &limits, &mut tell);
    pass(&mut search);
    let ptx = search.finish().case.ptx;
    ptx.strip_prefix(head).unwrap_or(&ptx).to_owned()
}

const KERNEL: &str = ".global .u32 unused;\n.entry k(.param .u64 p, .param .u32 n)\n{\n.reg .pred %q;\n.reg .u32 %a, %b;\n\
    .reg .u64 %r<9>;\n// a comment\nld.param.u64 %r5, [p];\nmov.u32 %a, %tid.x;\nsetp.lt.u32 %q, %a, 7;\n@%q bra L;\n\
    {\nadd.u64 %r7, %r5, 16;\nst.global.u32 [%r7+4], %a;\n}\nL:\nret;\n}\n";

#[test]
fn all_passes_together() {
    let small = after(KERNEL, &["st.global.u32"], |search| {
        super::without_debug(search);
        while super::round(search, true) {}
        tidy(search);
    });
    // The judge requires no names, so that all names are removed.
    let left: Vec<_> = words(&small).iter().map(|w| w.text).collect();
    assert_eq!(left, ["8.8", "sm_75", "k", "st", "%r7", "0"], "{small}");
}

#[test]
fn what_is_unused_goes() {
    let small = after(KERNEL, &["st.global.u32"], |search| {
        together(search, "", super::statements::split);
        together(search, "", names::unused);
    });
    assert!(!small.contains("unused") && !small.contains("%b"), "{small}");
    assert!(small.contains("%a") && small.contains("L:") && small.contains("%r<9>"), "{small}");
    let small = after(&small, &["st.global.u32"], tidy);
    assert!(small.contains("%r<3>") && small.contains("ld.param.u64 %r1, [p]"), "{small}");
    assert!(small.contains("st.global.u32 [%r2+4], %a"), "{small}");
}

#[test]
fn parts_of_instructions() {
    let all = |search: &mut Search<'_>| {
        together(search, "", operands::guards);
        together(search, "", operands::offsets);
        together(search, "", operands::simpler);
    };
    let small = after(KERNEL, &["bra L", "setp.lt"], all);
    assert!(small.contains("\nbra L;") && small.contains("setp.lt.u32 %q, 0, 7;"), "{small}");
    assert!(small.contains("st.global.u32 [%r7], 0;"), "{small}");
}

#[test]
fn values_are_handed_on() {
    // An instruction can be replaced by its value, by the address that it computes, or by one of
    // its operands.
    let source = SourceFile::new(
        "k.ptx",
        ".entry k() { add.u64 %c, %b, 16; shl.b64 %d, 5, 2; ld.u32 %x, [%c+4]; mov.u64 %e, %d; }",
    );
    let tree = super::Tree { text: source.text(), parsed: parse(&source) };
    let found: Vec<String> =
        operands::forward(&tree).iter().map(|unit| crate::text::apply(tree.text, unit)).collect();
    for wanted in ["ld.u32 %x, [%b+16+4]", "ld.u32 %x, [%b+4]", "mov.u64 %e, 20;", "mov.u64 %e, 5;"]
    {
        assert!(found.iter().any(|text| text.contains(wanted)), "{wanted}: {found:#?}");
    }
}

#[test]
fn the_only_call_becomes_the_body() {
    let module = ".func (.param .b32 r) f(.param .b32 x, .param .b64 y)\n{\n.reg .u32 %a;\nld.param.u32 %a, [x+0];\n\
        add.u32 %a, %a, 1;\nL: st.param.b32 [r], %a;\nret;\n}\n.entry k()\n{\n.reg .u32 %a;\nmov.u32 %a, 3;\n{\n\
        .param .b32 u; .param .b64 v; .param .b32 w;\nst.param.b32 [u+0], %a;\ncall.uni (w), f, (u, v);\n\
        ld.param.b32 %a, [w];\n}\n}\n";
    let small = after(module, &["add.u32"], |search| {
        super::singly(search, "", inline::only_calls);
    });
    for wanted in ["mov.u32 %i1_a, %a;", "add.u32 %i1_a, %i1_a, 1;", "i1_L:  mov.b32 %a, %i1_a;"] {
        assert!(small.contains(wanted), "{wanted}\n{small}");
    }
    assert!(!small.contains("call") && !small.contains(".func"), "{small}");
}
