//! Tests the lowering of `tex.grad` against NVIDIA's assembler, and the messages for code whose
//! lowering is unknown.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use proptest::prelude::*;
use serde_json::Value;
use texunit_check::{Options, check_with};
use texunit_sass::field::Field;
use texunit_sass::parse::FieldPositions;
use texunit_sass::rules::check;
use texunit_sass::txd::{AOFFI, BINDLESS, INDEX, LC, MASK, NODEP, PARAM, PS, RD};
use texunit_sass::{Arch, Control, Txd};
use texunit_syntax::{SourceFile, parse};
use texunit_txd::lower::{Fetch, Form, Lowered, Quad, module};

/// The lowering of a module, which must pass the checks of ptxas.
fn lower(text: &str, arch: Arch) -> Vec<Lowered> {
    let source = SourceFile::new("text.ptx", text);
    let parsed = parse(&source);
    let checked = check_with(&source, &parsed.module, Options::PTXAS);
    let found: Vec<_> =
        parsed.diagnostics.iter().chain(&checked.diagnostics).filter(|d| d.is_error()).collect();
    assert!(found.is_empty(), "{text}\n{found:?}");
    module(&checked.module, &HashSet::new(), arch)
}

/// The text of a module with one kernel.
fn kernel(target: &str, params: &str, body: &str) -> String {
    format!(
        ".version 7.8\n.target {target}\n.address_size 64\n.global .texref t;\n.global .texref t1;\n{}\
         .visible .entry k(.param .u64 in, .param .u64 out{params})\n{{\n\
         .reg .f32 %f<64>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<8>; .reg .b16 %h<8>;\n\
         ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n\
         ld.global.v4.f32 {{%f10, %f11, %f12, %f13}}, [%rd0];\n\
         ld.global.v4.f32 {{%f20, %f21, %f22, %f23}}, [%rd0+16];\n\
         ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%rd0+32];\n{body}\nret;\n}}\n",
        if target.contains("independent") { ".global .samplerref s;\n" } else { "" },
    )
}

const ALL: &str = "st.global.v4.f32 [%rd1], {%f0, %f1, %f2, %f3};";

fn one(target: &str, params: &str, body: &str) -> Form {
    let arch = target.split(',').next().unwrap().parse().unwrap();
    let mut list = lower(&kernel(target, params, body), arch);
    assert_eq!(list.len(), 1);
    list.pop().unwrap().form
}

fn txd(form: Form) -> Fetch {
    match form {
        Form::Txd(fetch) => *fetch,
        other => panic!("{other:?}"),
    }
}

fn quad(form: Form) -> Quad {
    match form {
        Form::Quad(quad) => *quad,
        other => panic!("{other:?}"),
    }
}

/// The fields that must equal those of NVIDIA's assembler: all except register numbers.
const SHAPE: &[&Field] = &[&BINDLESS, &LC, &AOFFI, &NODEP, &INDEX, &PARAM, &MASK];

fn steps(list: &[texunit_txd::lower::Step]) -> Vec<&str> {
    list.iter().map(|step| step.text.as_str()).collect()
}

fn values(list: &[texunit_txd::lower::Packed]) -> Vec<(&str, &str)> {
    list.iter().map(|p| (p.name, p.value.as_str())).collect()
}

#[test]
fn the_shapes_are_those_of_the_assembler() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/sass/txd-lowering.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let mut rows = 0;
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let arch: Arch = row["arch"].as_str().unwrap().parse().unwrap();
        let list = lower(row["module"].as_str().unwrap(), arch);
        let theirs = row["sass"].as_array().unwrap();
        assert_eq!(list.len(), theirs.len(), "{}", row["instr"]);
        for (ours, theirs) in list.into_iter().zip(theirs) {
            let ours = txd(ours.form).txd;
            let hex = theirs[1].as_str().unwrap().trim_start_matches("0x");
            let word = u64::from_str_radix(hex, 16).unwrap();
            let text = theirs[0].as_str().unwrap();
            let theirs = Txd::decode(word, Control::NONE, arch).unwrap();
            for field in SHAPE {
                // The index of a bindless instruction is not compared, because it is not printed.
                if !(**field == INDEX && theirs.has(&BINDLESS)) {
                    let name = field.name;
                    assert_eq!(
                        ours.get(field),
                        theirs.get(field),
                        "{name}: {text} {}",
                        row["instr"]
                    );
                }
            }
            assert_eq!(ours.get(&PS) == 7, theirs.get(&PS) == 7, "Ps: {text} {}", row["instr"]);
            assert_eq!(ours.control.phase_p(), text.contains(".P "), "{text}");
            assert!(!ours.control.phase_t());
            assert!(check(&ours, &FieldPositions::default(), arch).is_empty());
            rows += 1;
        }
    }
    assert_eq!(rows, 400);
}

#[test]
fn coordinates_and_derivatives_are_packed() {
    let fetch = txd(one(
        "sm_52",
        "",
        &format!(
            "tex.grad.a2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [t, {{%r0, %f10, %f11, %f12}}], \
             {{%f20, %f21}}, {{%f22, %f23}}, {{%r1, %r2}}; {ALL}"
        ),
    ));
    assert_eq!(
        values(&fetch.ra),
        [("s", "%f10"), ("t", "%f11"), ("packed", "array 15:0, u 19:16, v 23:20")]
    );
    assert_eq!(
        values(&fetch.rb),
        [("dsdx", "%f20"), ("dsdy", "%f22"), ("dtdx", "%f21"), ("dtdy", "%f23")]
    );
    assert_eq!(
        steps(&fetch.before),
        ["I2I.U16.U32.SAT R13, %r0", "BFI R12, %r2, 0x404, %r1", "BFI R2, R12, 0xc10, R13"]
    );
    assert_eq!(values(&fetch.rd), [("R", "%f0"), ("G", "%f1"), ("B", "%f2"), ("A", "%f3")]);
    assert!(fetch.handle.contains("handle of t"), "{}", fetch.handle);
}

#[test]
fn known_words_are_packed_at_once() {
    for (offset, array, word) in
        [("{1, -2}", "7", "0xe10007"), ("{0, 0}", "0", "0x0"), ("{-8, 7}", "65536", "0xf78ffff")]
    {
        let fetch = txd(one(
            "sm_52",
            "",
            &format!(
                "tex.grad.a2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [t, {{{array}, %f10, %f11, %f12}}], \
                 {{%f20, %f21}}, {{%f22, %f23}}, {offset}; {ALL}"
            ),
        ));
        assert_eq!(steps(&fetch.before), [format!("MOV32I R2, {word}")]);
    }
}

#[test]
fn unified_1d_is_flat_2d_and_independent_1d_is_not() {
    let body = |handles: &str| {
        format!(
            "tex.grad.1d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [{handles}, {{%f10}}], {{%f20}}, {{%f22}}, {{-3}}; {ALL}"
        )
    };
    let unified = txd(one("sm_52", "", &body("t")));
    assert_eq!(unified.txd.get(&PARAM), 2);
    assert_eq!(values(&unified.ra), [("s", "%f10"), ("t", "RZ"), ("packed", "0xffd0000")]);
    let rb = [("dsdx", "%f20"), ("dsdy", "%f22"), ("dtdx", "RZ"), ("dtdy", "RZ")];
    assert_eq!(values(&unified.rb), rb);
    assert_eq!(unified.notes.len(), 2);
    let independent = txd(one("sm_52, texmode_independent", "", &body("t, s")));
    assert_eq!(independent.txd.get(&PARAM), 0);
    assert_eq!(values(&independent.ra), [("s", "%f10"), ("packed", "0xffd0000")]);
    assert_eq!(values(&independent.rb), rb[..2]);
}

/// The index of the handle's word, if it is in the constant bank, and the instructions that compute
/// the handle.
fn handle_of(
    target: &str,
    params: &str,
    before: &str,
    handles: &str,
) -> (Option<u64>, Vec<String>) {
    let fetch = txd(one(
        target,
        params,
        &format!(
            "{before} tex.grad.2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [{handles}, {{%f10, %f11}}], \
             {{%f20, %f21}}, {{%f22, %f23}}; {ALL}"
        ),
    ));
    let index = (!fetch.txd.has(&BINDLESS)).then(|| fetch.txd.get(&INDEX));
    assert_eq!(index.is_none(), fetch.ra[0].name == "handle");
    (index, fetch.before.into_iter().map(|step| step.text).collect())
}

#[test]
fn unified_handles() {
    let of = |params: &str, before: &str| handle_of("sm_52", params, before, "%rd2");
    let at = |index| (Some(index), Vec::new());
    // References of the module follow the parameters, and .texref parameters occupy no space.
    assert_eq!(handle_of("sm_52", "", "", "t"), at(0x54));
    assert_eq!(handle_of("sm_52", ", .param .u8 x", "", "t"), at(0x55));
    assert_eq!(handle_of("sm_52", ", .param .texref x, .param .u64 y", "", "x"), at(0x56));
    assert_eq!(
        handle_of("sm_52", ", .param .u8 x, .param .texref y, .param .u8 z", "", "t"),
        at(0x56)
    );
    // Handles in parameters are read from the constant bank, also if the PTX copies them.
    let param = ", .param .u32 x, .param .u64 h";
    assert_eq!(of(param, "ld.param.u64 %rd2, [h];"), at(0x56));
    assert_eq!(of(param, "ld.param.u64 %rd3, [h]; mov.b64 %rd2, %rd3;"), at(0x56));
    assert_eq!(of(param, "ld.param.u64 %rd3, [h]; cvta.to.global.u64 %rd2, %rd3;"), at(0x56));
    let select = "ld.param.u64 %rd3, [h]; mov.b64 %rd4, %rd3; setp.ne.u32 %p1, %r0, 0; selp.b64 %rd2, %rd3, %rd4, %p1;";
    assert_eq!(of(param, select), at(0x56));
    let array = ", .param .align 8 .b8 h[32]";
    assert_eq!(of(array, "ld.param.u64 %rd2, [h+8];"), at(0x56));
    assert_eq!(
        of(array, "mov.b64 %rd3, h; add.s64 %rd3, %rd3, 16; ld.param.u64 %rd2, [%rd3];"),
        at(0x58)
    );
    assert_eq!(of(", .param .align 16 .b8 h[16]", "ld.param.v2.u64 {%rd3, %rd2}, [h];"), at(0x56));
    // Handles from other sources are bindless.
    let moved = (None, vec!["MOV R0, %rd2".to_owned()]);
    assert_eq!(of("", "ld.global.u64 %rd2, [%rd0+64];"), moved);
    assert_eq!(of(param, "ld.param.u64 %rd3, [h]; add.s64 %rd2, %rd3, 1;"), moved);
    assert_eq!(
        of(
            ", .param .u64 h, .param .u64 g",
            "ld.param.u64 %rd2, [h]; setp.ne.u32 %p1, %r0, 0; @%p1 ld.param.u64 %rd2, [g];"
        ),
        moved
    );
    assert_eq!(of("", "mov.u64 %rd2, 5;"), (None, vec!["MOV32I R0, 0x5".into()]));
    assert_eq!(
        of("", "mov.u64 %rd2, t1;"),
        (None, vec!["MOV R0, c[0x0][0x150]".into(), "LOP32I.OR R0, R0, 0x80000000".into()])
    );
}

#[test]
fn independent_handles() {
    let of = |params: &str, before: &str, handles: &str| {
        handle_of("sm_52, texmode_independent", params, before, handles)
    };
    assert_eq!(of("", "", "t, s"), (Some(0x54), Vec::new()));
    let made = |list: &[&str]| (None, list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
    assert_eq!(
        of(
            ", .param .u64 h, .param .u64 g",
            "ld.param.u64 %rd2, [h]; ld.param.u64 %rd3, [g];",
            "%rd2, %rd3"
        ),
        made(&["SHL R13, c[0x0][0x158], 0x14", "BFI R0, c[0x0][0x150], 0x1400, R13"])
    );
    assert_eq!(
        of(", .param .u64 h", "ld.param.u64 %rd2, [h];", "%rd2, s"),
        made(&["BFI R0, c[0x0][0x150], 0x1400, c[0x0][0x158]"])
    );
    assert_eq!(
        of("", "ld.global.u64 %rd2, [%rd0+64];", "t, %rd2"),
        made(&["SHL R13, %rd2, 0x14", "BFI R0, c[0x0][0x150], 0x1400, R13"])
    );
}

/// The write mask of a fetch with these destinations that is followed by this code.
fn mask(dest: &str, after: &str) -> Option<u64> {
    let body = format!(
        "tex.grad.2d.v4.f32.f32 {{{dest}}}, [t, {{%f10, %f11}}], {{%f20, %f21}}, {{%f22, %f23}}; {after}"
    );
    match one("sm_52", "", &body) {
        Form::Txd(fetch) => Some(fetch.txd.get(&MASK)),
        Form::Unused => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_nobody_uses_is_not_fetched() {
    const FOUR: &str = "%f0, %f1, %f2, %f3";
    let zero = "mov.f32 %f0, 0f00000000;";
    assert_eq!(mask(FOUR, ALL), Some(0xf));
    assert_eq!(mask("_, %f1, _, %f3", "st.global.v2.f32 [%rd1], {%f1, %f3};"), Some(0xa));
    assert_eq!(mask("%f0, %f0, %f0, %f0", "st.global.f32 [%rd1], %f0;"), Some(0x8));
    assert_eq!(mask(FOUR, "st.global.f32 [%rd1], %f2;"), Some(0x4));
    assert_eq!(mask(FOUR, ""), None);
    assert_eq!(mask(FOUR, &format!("{zero} {ALL}")), Some(0xe));
    assert_eq!(
        mask(FOUR, &format!("setp.ne.u32 %p1, %r0, 0; @%p1 bra L; {zero} L: {ALL}")),
        Some(0xf)
    );
    assert_eq!(mask(FOUR, &format!("setp.ne.u32 %p1, %r0, 0; @%p1 {zero} {ALL}")), Some(0xf));
    // A component does not count as used if only unused results depend on it.
    assert_eq!(mask(FOUR, "add.f32 %f5, %f1, %f2; st.global.f32 [%rd1], %f0;"), Some(0x1));
    // A component can be used after the loop around the fetch, or in the next iteration of the
    // loop.
    let around = |what: &str| {
        let body = format!(
            "L: tex.grad.2d.v4.f32.f32 {{{FOUR}}}, [t, {{%f10, %f11}}], {{%f20, %f21}}, {{%f22, %f23}}; \
             add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 10; @%p1 bra L; {what}"
        );
        txd(one("sm_52", "", &body)).txd.get(&MASK)
    };
    assert_eq!(around("st.global.f32 [%rd1], %f3;"), 0x8);
    let body = format!(
        "bra M; L: st.global.f32 [%rd1], %f1; M: tex.grad.2d.v4.f32.f32 {{{FOUR}}}, [t, {{%f10, %f11}}], \
         {{%f20, %f21}}, {{%f22, %f23}}; add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 10; @%p1 bra L;"
    );
    assert_eq!(txd(one("sm_52", "", &body)).txd.get(&MASK), 0x2);
}

#[test]
fn halves_are_converted() {
    let fetch = |dest: &str, after: &str| {
        txd(one(
            "sm_53",
            "",
            &format!(
                "tex.grad.2d.{dest}, [t, {{%f10, %f11}}], {{%f20, %f21}}, {{%f22, %f23}}; {after}"
            ),
        ))
    };
    let four = fetch("v4.f16.f32 {%h0, _, %h2, %h3}", "st.global.v2.b16 [%rd1], {%h0, %h2};");
    assert_eq!(four.txd.get(&MASK), 0x5);
    assert_eq!(steps(&four.after), ["F2F.F16.F32 %h0, R8", "F2F.F16.F32 %h2, R9"]);
    let pairs = fetch("v2.f16x2.f32 {%r5, %r6}", "st.global.b32 [%rd1], %r6;");
    assert_eq!(pairs.txd.get(&MASK), 0xc);
    assert_eq!(
        steps(&pairs.after),
        ["F2F.F16.F32 R8, R8", "F2F.F16.F32 R9, R9", "XMAD.PSL.CLO %r6, R9, 0x1, R8"]
    );
    let half =
        fetch("v2.f16x2.f32 {%r5, %r6}", "mov.b32 {%h0, %h1}, %r5; st.global.b16 [%rd1], %h1;");
    assert_eq!(half.txd.get(&MASK), 0x2);
    assert_eq!(steps(&half.after), ["F2F.F16.F32 R8, R8", "XMAD.PSL.CLO %r5, R8, 0x1, RZ"]);
}

#[test]
fn the_predicate_is_the_negation_of_ps() {
    let fetch = |after: &str| {
        txd(one(
            "sm_60",
            "",
            &format!(
                "tex.grad.2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}|%p1, [t, {{%f10, %f11}}], {{%f20, %f21}}, {{%f22, %f23}}; {after}"
            ),
        ))
    };
    let both = fetch(&format!("selp.f32 %f0, %f0, %f1, %p1; {ALL}"));
    assert_eq!(both.txd.get(&PS), 0);
    assert_eq!(steps(&both.after), ["PSETP.AND.AND %p1, PT, !P0, PT, PT"]);
    assert_eq!(fetch(ALL).txd.get(&PS), 7);
    let only = fetch("selp.f32 %f0, %f10, %f11, %p1; st.global.f32 [%rd1], %f0;");
    let shape = [&PS, &RD, &MASK, &NODEP].map(|field| only.txd.get(field));
    assert_eq!(shape, [0, 255, 1, 1]);
}

#[test]
fn what_txd_cannot_do_is_emulated() {
    let tex = |form: &str, coords: &str, d: &str, more: &str, after: &str| {
        quad(one(
            "sm_60",
            "",
            &format!(
                "tex.grad.{form}.v4.f32.f32 {{%f0, %f1, %f2, %f3}}{after}, [t, {{{coords}}}], {{{d}}}, {{{d}}}{more}; {ALL} \
                      selp.f32 %f4, %f10, %f11, %p1; st.global.f32 [%rd1+16], %f4;"
            ),
        ))
    };
    let three = "%f10, %f11, %f12, %f13";
    let volume = tex("3d", three, three, ", {%r0, %r1, %r2, 0}", "");
    assert_eq!(volume.fetch, "TEX.AOFFI.NDV.P");
    assert_eq!((volume.coordinates, volume.mask, volume.index), ("3D", 0xf, Some(0x54)));
    assert_eq!(
        steps(&volume.before),
        ["BFI offset, %r1, 0x404, %r0", "BFI offset, %r2, 0x408, offset"]
    );
    assert!(steps(&volume.each).contains(&"FSWZADD.NDV r, drdy, r, ZPZPPPPP"));
    let cube = tex("cube", three, three, "", "");
    assert!(steps(&cube.each).contains(&"MUFU.RCP m, m"));
    let layers = tex("acube", "%r0, %f10, %f11, %f12", three, ", %f13", "|%p1");
    assert_eq!((layers.fetch.as_str(), layers.coordinates), ("TEX.DC.NDV.P", "ARRAY_CUBE"));
    assert!(
        steps(&layers.each)
            .iter()
            .any(|s| s.contains("P0, colour, {array_k, s, t, r}, {reference_k}"))
    );
    let compare = tex("2d", "%f10, %f11", "%f20, %f21", ", %f13", "");
    assert_eq!(compare.why, "TXD has no depth compare");
    // Unified `1d` ignores its reference value.
    let body = format!(
        "tex.grad.1d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [t, {{%f10}}], {{%f20}}, {{%f21}}, %f13; {ALL}"
    );
    assert!(txd(one("sm_52", "", &body)).notes[1].contains("dropped"));
}

#[test]
fn words_after_the_parameters_come_in_the_order_of_use() {
    let fetch = |t: &str, n: u32| {
        format!(
            "tex.grad.2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [{t}, {{%f10, %f11}}], {{%f20, %f21}}, {{%f22, %f23}}; \
             st.global.v4.f32 [%rd1+{}], {{%f0, %f1, %f2, %f3}};",
            16 * n
        )
    };
    let body = format!(
        "txq.width.b32 %r5, [t1]; st.global.u32 [%rd1], %r5; {} {} {}",
        fetch("t", 1),
        fetch("x", 2),
        fetch("t1", 3)
    );
    let list = lower(&kernel("sm_52", ", .param .texref x, .param .u32 y", &body), Arch::Sm52);
    let index: Vec<u64> = list.into_iter().map(|l| txd(l.form).txd.get(&INDEX)).collect();
    assert_eq!(index, [0x56, 0x57, 0x55]);
}

#[test]
fn functions_have_the_words_of_the_kernel_that_calls_them() {
    let function = |name: &str, t: &str| {
        format!(
            ".func (.param .b32 r) {name}(.param .f32 x)\n{{ .reg .f32 %f<8>; ld.param.f32 %f1, [x];\n\
             tex.grad.2d.v4.f32.f32 {{%f4, %f5, %f6, %f7}}, [{t}, {{%f1, %f1}}], {{%f1, %f1}}, {{%f1, %f1}};\n\
             st.param.f32 [r], %f4; ret; }}\n"
        )
    };
    let text = format!(
        ".version 7.8\n.target sm_52\n.address_size 64\n.global .texref t0;\n.global .texref t1;\n.global .texref t2;\n\
         .global .texref t3;\n{}{}{}.visible .entry k(.param .u64 out)\n{{ .reg .f32 %f<16>; .reg .b64 %rd<4>;\n\
         .param .b32 r; .param .f32 p;\nld.param.u64 %rd1, [out]; ld.global.f32 %f1, [%rd1];\n\
         tex.grad.2d.v4.f32.f32 {{%f8, %f5, %f6, %f7}}, [t0, {{%f1, %f1}}], {{%f1, %f1}}, {{%f1, %f1}};\n\
         st.param.f32 [p], %f8; call (r), fa, (p); call (r), fb, (p);\n\
         ld.param.f32 %f2, [r]; tex.grad.a1d.v4.f32.f32 {{%f8, %f5, %f6, %f7}}, [t1, {{0, %f1}}], {{%f1}}, {{%f1}};\n\
         add.f32 %f2, %f2, %f8; st.global.f32 [%rd1], %f2; ret; }}\n",
        function("fb", "t3"),
        function("fa", "t2"),
        function("nobody", "t1"),
    );
    let index = |visible: &[&str]| -> Vec<u64> {
        let source = SourceFile::new("text.ptx", text.as_str());
        let parsed = parse(&source);
        let checked = check_with(&source, &parsed.module, Options::PTXAS);
        let list = module(&checked.module, &visible.iter().copied().collect(), Arch::Sm52);
        list.into_iter().map(|l| txd(l.form).txd.get(&INDEX)).collect()
    };
    // The indices are those of the fetches in fb, in fa, in the function that is never called, and
    // of the two in the kernel.
    assert_eq!(index(&[]), [0x54, 0x53, 0x50, 0x52, 0x55]);
    assert_eq!(index(&["fb"]), [0x52, 0x54, 0x50, 0x53, 0x55]);
}

proptest! {
    /// Long and unusual code lowers in a short time and without panics.
    #[test]
    fn any_code(seed in any::<u64>()) {
        let mut random = texunit_testkit::Random::new(seed);
        let mut next = |n: u64| random.below(n);
        let mut body = String::new();
        for n in 0..40 {
            let (a, b, c) = (next(8), next(8), next(40));
            body += &match next(7) {
                0 => format!("mov.b64 %rd{a}, %rd{b};\n"),
                1 => format!("@%p{a} bra L{c};\n"),
                2 => format!("add.f32 %f{a}, %f{b}, %f{c};\n"),
                3 => format!("ld.param.u64 %rd{a}, [in];\n"),
                4 => format!("st.global.f32 [%rd{a}], %f{b};\n"),
                5 => format!("mov.u64 %rd{a}, t;\n"),
                _ => format!(
                    "tex.grad.2d.v4.f32.f32 {{%f{a}, %f{b}, _, %f{c}}}, [%rd{a}, {{%f10, %f11}}], {{%f20, %f21}}, {{%f22, %f23}};\n"
                ),
            };
            body += &format!("L{n}:\n");
        }
        for lowered in lower(&kernel("sm_52", "", &body), Arch::Sm52) {
            prop_assert!(!matches!(lowered.form, Form::Refused(_)), "{:?}", lowered.form);
        }
    }
}
