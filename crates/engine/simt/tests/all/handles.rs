//! Tests of the ways to name a texture, sampler or surface: by reference, by parameter, by address,
//! by handle, in both texturing modes.

use crate::common::{Arg, HEADER, How, Loaded, load_bound, words};
use crate::unit_common::{numbered, shape, surface, texture};
use texunit_simt::launch::{SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use texunit_simt::{BadFetch, Fault, FaultKind};
use texunit_unit::{AddressMode, Geometry, Sampler};

const MODES: [&str; 2] = ["", ", texmode_independent"];

/// Two layered 1D arrays, the first with a repeating and the second with a clamping sampler, which
/// `.1d` accesses with integer coordinates; and a surface.
fn bind(loaded: &mut Loaded) {
    let mut levels = shape(Geometry::A1d, "f32");
    levels.levels = Some(4);
    let wrap = Sampler::default().with_address_mode(AddressMode::Wrap);
    let made = [
        texture(loaded, numbered(&shape(Geometry::A1d, "f32"), "first"), wrap),
        texture(loaded, numbered(&levels, "second"), Sampler::default()),
        surface(loaded, numbered(&shape(Geometry::D1, "f32"), "third")),
    ];
    assert_eq!(made, [FIRST, SECOND, SURFACE]);
}

const FIRST: u64 = TEXTURE_BIT;
const SECOND: u64 = TEXTURE_BIT | 1 << 20 | 1;
const WRAP: u64 = SAMPLER_BIT;
const CLAMP: u64 = SAMPLER_BIT | 1 << 20;
const SURFACE: u64 = SURFACE_BIT;

/// Runs a kernel with these parameters after `out`, and returns the values stored from `%v`.
fn run(
    mode: &str,
    module: &str,
    parameters: &str,
    body: &str,
    handles: &[(&str, u64)],
    args: &[u64],
) -> Result<u32, Box<Fault>> {
    run_with(BadFetch::Fault, (mode, module, parameters, body), handles, args)
}

fn run_with(
    bad_fetch: BadFetch,
    (mode, module, parameters, body): (&str, &str, &str, &str),
    handles: &[(&str, u64)],
    args: &[u64],
) -> Result<u32, Box<Fault>> {
    let header = HEADER.replace(".target sm_80", &format!(".target sm_80{mode}"));
    let text = format!(
        "{header}
{module}
.visible .entry k(.param .u64 out{parameters})
{{
.reg .u64 %out, %a, %b, %c; .reg .f32 %f<9>; .reg .u32 %v; .reg .pred %p;
ld.param.u64 %out, [out];
mov.f32 %f1, 1.0;
{body}
st.global.u32 [%out], %v;
ret;
}}"
    );
    let mut loaded = load_bound(&text, handles);
    bind(&mut loaded);
    let (out, block) = loaded.buffer(1);
    let mut all = vec![Arg::U64(out)];
    all.extend(args.iter().map(|&a| Arg::U64(a)));
    loaded.run("k", How { block: [1; 3], bad_fetch, ..How::default() }, &all)?;
    Ok(words(&block)[0])
}

/// The texel 2 of the first texture through `tex.1d`, or the level count of the second.
const FETCH: &str = "tex.1d.v4.u32.s32 {%v, _, _, _}, ";
const TWO: u32 = 0x4000_0000;

#[test]
fn references_and_parameters() {
    let references = ".global .texref t; .global .surfref s;";
    let bound = [("t", FIRST), ("s", SURFACE)];
    let parameters = ", .param .texref t, .param .surfref s";
    let both = [FIRST, SURFACE];
    for body in [
        format!("{FETCH}[t, {{2}}];"),
        format!("mov.u64 %a, t; {FETCH}[%a, {{2}}];"),
        "suld.b.1d.b32.trap {%v}, [s, {8}];".to_owned(),
        "mov.u64 %a, s; suld.b.1d.b32.trap {%v}, [%a, {8}];".to_owned(),
    ] {
        assert_eq!(run("", references, "", &body, &bound, &[]), Ok(TWO), "{body}");
        assert_eq!(run("", "", parameters, &body, &[], &both), Ok(TWO), "{body}");
    }
    for (query, wanted) in [
        ("txq.width.b32 %v, [t];", 8),
        ("txq.addr_mode_0.b32 %v, [t];", 0),
        ("suq.width.b32 %v, [s];", 8),
        ("mov.u64 %a, t; txq.normalized_coords.b32 %v, [%a];", 0),
        ("mov.u64 %a, t; istypep.texref %p, %a; selp.u32 %v, 5, 6, %p;", 5),
        ("mov.u64 %a, s; istypep.texref %p, %a; selp.u32 %v, 5, 6, %p;", 6),
        ("mov.u64 %a, s; istypep.surfref %p, %a; selp.u32 %v, 5, 6, %p;", 5),
    ] {
        assert_eq!(run("", references, "", query, &bound, &[]), Ok(wanted), "{query}");
        assert_eq!(run("", "", parameters, query, &[], &both), Ok(wanted), "{query}");
    }
}

/// A texture with a separate sampler: the eight ways to name the two.
#[test]
fn independent_mode() {
    let module = ".global .texref t; .global .samplerref m;";
    let bound = [("t", FIRST), ("m", CLAMP)];
    let parameters = ", .param .texref t, .param .samplerref m";
    let args = [FIRST, CLAMP];
    // x = 9.0 texels: 7 where it clamps. (Wrap needs normalized coordinates.)
    let tex = "tex.a1d.v4.u32.f32 {%v, _, _, _}, ";
    let seven = 7.0_f32.to_bits();
    for operand in [
        "[t, m, {0, 0f41100000}]",
        "[%a, m, {0, 0f41100000}]",
        "[t, %b, {0, 0f41100000}]",
        "[%a, %b, {0, 0f41100000}]",
    ] {
        let body = format!("mov.u64 %a, t; mov.u64 %b, m; {tex}{operand};");
        assert_eq!(run(MODES[1], module, "", &body, &bound, &[]), Ok(seven), "{body}");
        assert_eq!(run(MODES[1], "", parameters, &body, &[], &args), Ok(seven), "{body}");
    }
    for (query, wanted) in [
        ("txq.addr_mode_0.b32 %v, [m];", 3),
        ("txq.filter_mode.b32 %v, [m];", 0),
        ("txq.force_unnormalized_coords.b32 %v, [m];", 0),
        ("mov.u64 %b, m; txq.addr_mode_1.b32 %v, [%b];", 3),
        ("mov.u64 %b, m; istypep.samplerref %p, %b; selp.u32 %v, 5, 6, %p;", 5),
        ("txq.num_mipmap_levels.b32 %v, [t];", 0),
    ] {
        assert_eq!(run(MODES[1], module, "", query, &bound, &[]), Ok(wanted), "{query}");
        assert_eq!(run(MODES[1], "", parameters, query, &[], &args), Ok(wanted), "{query}");
    }
    let (second, wrap) = ([("t", SECOND), ("m", WRAP)], "txq.addr_mode_0.b32 %v, [m];");
    assert_eq!(run(MODES[1], module, "", wrap, &second, &[]), Ok(0));
    let levels = "txq.num_mipmap_levels.b32 %v, [t];";
    assert_eq!(run(MODES[1], module, "", levels, &second, &[]), Ok(4));
}

/// Handles passed in parameters, in memory, and through a function.
#[test]
fn handles_in_registers() {
    let module = ".global .texref t; .global .u64 table[2] = {0, t};
.func (.param .b32 r) fetch(.param .u64 h)
{
.reg .u64 %h; .reg .u32 %v;
ld.param.u64 %h, [h];
tex.1d.v4.u32.s32 {%v, _, _, _}, [%h, {2}];
st.param.b32 [r], %v;
ret;
}";
    let bound = [("t", FIRST)];
    let call = "{ .param .b32 r; .param .u64 h; st.param.u64 [h], %a; call (r), fetch, (h); ld.param.b32 %v, [r]; }";
    for body in [
        format!("ld.param.u64 %a, [a]; {FETCH}[%a, {{2}}];"),
        format!("mov.u64 %b, table; ld.global.u64 %a, [%b+8]; {FETCH}[%a, {{2}}];"),
        format!("mov.u64 %a, t; cvta.global.u64 %b, %a; {FETCH}[%b, {{2}}];"),
        format!("mov.u64 %a, t; {call}"),
    ] {
        let result = run("", module, ", .param .u64 a", &body, &bound, &[SECOND]);
        assert_eq!(result, Ok(TWO), "{body}");
    }
}

/// The fault names the reference or parameter, and the kind of object bound to it.
#[test]
fn wrong_handles() {
    let parameters = ", .param .texref t, .param .surfref s, .param .samplerref m";
    let gone = TEXTURE_BIT | 2;
    #[rustfmt::skip]
    let rows: &[(&str, [u64; 3], u64, &str, &str)] = &[
        ("tex.1d.v4.u32.s32 {%v, _, _, _}, [t, m, {2}];", [0, SURFACE, CLAMP], 0, "texture", "parameter `t` is not bound"),
        ("tex.1d.v4.u32.s32 {%v, _, _, _}, [t, m, {2}];", [SURFACE, SURFACE, CLAMP], SURFACE, "texture", "parameter `t` holds a surface, not a texture"),
        ("tex.1d.v4.u32.s32 {%v, _, _, _}, [t, m, {2}];", [gone, SURFACE, CLAMP], gone, "texture", "ever returned"),
        ("tex.1d.v4.u32.s32 {%v, _, _, _}, [t, m, {2}];", [FIRST, SURFACE, SURFACE], SURFACE, "sampler", "parameter `m` holds a surface, not a sampler"),
        ("tex.1d.v4.u32.s32 {%v, _, _, _}, [t, m, {2}];", [FIRST, SURFACE, 0], 0, "sampler", "parameter `m` is not bound"),
        ("tex.1d.v4.u32.s32 {%v, _, _, _}, [t, m, {2}];", [FIRST, SURFACE, CLAMP | 7 << 20], CLAMP | 7 << 20, "sampler", "ever returned"),
        ("tld4.r.2d.v4.u32.f32 {%v, _, _, _}, [t, m, {%f1, %f1}];", [SURFACE, SURFACE, CLAMP], SURFACE, "texture", "holds a surface"),
        ("suld.b.1d.b32.trap {%v}, [s, {0}];", [FIRST, FIRST, CLAMP], FIRST, "surface", "parameter `s` holds a texture, not a surface"),
        ("sust.p.1d.b32.trap [s, {0}], %v;", [FIRST, 0, CLAMP], 0, "surface", "parameter `s` is not bound"),
        ("sured.b.add.1d.u32.trap [s, {0}], %v;", [FIRST, CLAMP, CLAMP], CLAMP, "surface", "holds a sampler"),
        ("suq.width.b32 %v, [s];", [FIRST, SURFACE | 9, CLAMP], SURFACE | 9, "surface", "ever returned"),
        ("txq.width.b32 %v, [t];", [CLAMP, SURFACE, CLAMP], CLAMP, "texture", "holds a sampler"),
        ("txq.filter_mode.b32 %v, [m];", [FIRST, SURFACE, SURFACE], SURFACE, "sampler", "holds a surface"),
    ];
    for &(inst, args, bad, wanted_kind, part) in rows {
        let fault = run(MODES[1], "", parameters, &format!("mov.u32 %v, 0; {inst}"), &[], &args);
        let FaultKind::Handle { handle, wanted, why, .. } = fault.unwrap_err().kind else {
            panic!("{inst}")
        };
        assert_eq!((handle, wanted), (bad, wanted_kind), "{inst}");
        assert!(why.starts_with("parameter `") && why.contains(part), "{inst}: {why}");
    }
}

/// A card ignores an invalid sampler operand, and uses the texture's own sampler.
#[test]
fn samplers_that_are_none() {
    let parameters = ", .param .texref t, .param .samplerref m";
    let body = format!("{FETCH}[t, m, {{2}}];");
    let text = (MODES[1], "", parameters, &*body);
    for sampler in [0, CLAMP | 7 << 20] {
        assert!(run_with(BadFetch::Fault, text, &[], &[FIRST, sampler]).is_err());
        assert_eq!(run_with(BadFetch::Zero, text, &[], &[FIRST, sampler]), Ok(TWO));
    }
    assert!(run_with(BadFetch::Zero, text, &[], &[FIRST, SURFACE]).is_err());
}

/// An opaque reference has no elements: its address plus an offset is not the next reference.
#[test]
fn offsets_of_references_are_refused() {
    for (module, parameters) in [(".global .texref t[4];", ""), ("", ", .param .texref t")] {
        let text = format!(
            "{HEADER}{module}
.visible .entry k(.param .u64 out{parameters}) {{ .reg .u64 %a; mov.u64 %a, t+8; ret; }}"
        );
        let loaded = load_bound(&text, &[("t", FIRST)]);
        let kernel = loaded.program.kernel("k").unwrap();
        let unsupported = loaded.program.unsupported(kernel);
        assert_eq!(unsupported.len(), 1);
        let help = unsupported[0].help.as_ref().unwrap();
        assert!(help.contains("one reference"), "{help}");
    }
}
