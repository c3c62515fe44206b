//! Texture fetches and surface accesses through handles and references.

use crate::common::{Arg, HEADER, How, Loaded, load_text, words};
use std::sync::Arc;
use texunit_memory::Block;
use texunit_simt::launch::{SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use texunit_simt::{BadHandle, Fault, FaultKind};
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ArrayShape, Extent, Geometry, ReadMode, Resource, Sampler, Surface, Texture,
};

/// An 8 x 4 array of f32 whose texels are `base + x + 10 y`.
fn array(base: f32) -> Arc<Resource> {
    let block = Block::new(8 * 4 * 4, "texels").unwrap();
    for i in 0..32 {
        let v = base + (i % 8) as f32 + 10.0 * (i / 8) as f32;
        block.store_u32(i * 4, v.to_bits()).unwrap();
    }
    let extent = Extent { width: 8, height: 4, depth: 1 };
    let format = Format::from_name("f32").unwrap();
    Arc::new(
        Resource::array(&ArrayShape::new(format, Geometry::D2, extent), Arc::new(block), "picture")
            .unwrap(),
    )
}

fn bind(loaded: &mut Loaded) {
    let wrap = Sampler::default().with_address_mode(AddressMode::Wrap);
    let tables = &mut loaded.descriptors;
    for base in [0.0, 1000.0] {
        let sampler = Sampler::default();
        let texture = Texture::new(array(base), ReadMode::Element, true, &sampler).unwrap();
        tables.textures.push(Some(Arc::new(texture)));
    }
    tables.textures.push(None);
    tables.samplers = vec![Some(Arc::new(Sampler::default())), Some(Arc::new(wrap))];
    tables.surfaces = vec![Some(Arc::new(Surface::new(array(0.0)).unwrap()))];
}

fn fetch_kernel(mode: &str, declarations: &str, operand: &str) -> String {
    format!(
        "{}
{declarations}
.visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b)
{{
    .reg .u64 %o, %a, %b, %q; .reg .u32 %t, %m; .reg .f32 %x, %y, %r<4>; .reg .pred %p;
    ld.param.u64 %o, [out];
    ld.param.u64 %a, [a];
    ld.param.u64 %b, [b];
    mov.u32 %t, %tid.x;
    and.b32 %m, %t, 1;
    setp.eq.u32 %p, %m, 1;
    selp.b64 %q, %b, %a, %p;
    cvt.rn.f32.u32 %x, %t;
    mul.f32 %x, %x, 0f3e000000;
    add.f32 %x, %x, 0f3d800000;
    mov.f32 %y, 0f3f200000;
    tex.2d.v4.f32.f32 {{%r0, %r1, %r2, %r3}}, {operand};
    mul.wide.u32 %a, %t, 4;
    add.u64 %o, %o, %a;
    st.global.f32 [%o], %r0;
    ret;
}}",
        HEADER.replace(".target sm_80", &format!(".target sm_80{mode}"))
    )
}

fn run(text: &str, a: u64, b: u64) -> Result<Vec<f32>, Box<Fault>> {
    let mut loaded = load_text(text);
    bind(&mut loaded);
    let (out, block) = loaded.buffer(16);
    let how = How { block: [16, 1, 1], ..How::default() };
    let stats = loaded.run("k", how, &[Arg::U64(out), Arg::U64(a), Arg::U64(b)])?;
    assert_eq!(stats.fetches, 16);
    Ok(words(&block).into_iter().map(f32::from_bits).collect())
}

#[test]
fn handles_that_differ_by_lane() {
    let text = fetch_kernel("", "", "[%q, {%x, %y}]");
    // Texture 0 has the wrapping sampler, texture 1 the clamping one.
    let got = run(&text, TEXTURE_BIT | 1 << 20, TEXTURE_BIT | 1).unwrap();
    for (t, v) in got.iter().enumerate() {
        let wanted = if t % 2 == 0 { 20 + t % 8 } else { 1020 + t.min(7) };
        assert_eq!(*v, wanted as f32, "lane {t}");
    }
}

#[test]
fn independent_mode_takes_the_sampler_from_its_own_handle() {
    let text = fetch_kernel(", texmode_independent", "", "[%a, %b, {%x, %y}]");
    let got = run(&text, TEXTURE_BIT | 1, SAMPLER_BIT | 1 << 20).unwrap();
    for (t, v) in got.iter().enumerate() {
        assert_eq!(*v, (1020 + t % 8) as f32, "lane {t}");
    }
}

#[test]
fn references_that_are_bound_or_not() {
    // The tests' loader assigns handle 0 to references that are not bound.
    let text = fetch_kernel("", ".global .texref tex;", "[tex, {%x, %y}]");
    let fault = run(&text, 0, 0).unwrap_err();
    let why = "texref `tex` is not bound".to_owned();
    let kind = FaultKind::Handle { handle: 0, wanted: "texture", is: BadHandle::Unknown, why };
    assert_eq!(fault.kind, kind);
}

#[test]
fn bad_handles() {
    let text = fetch_kernel("", "", "[%q, {%x, %y}]");
    let good = TEXTURE_BIT;
    for (bad, part) in [
        (0, "zero"),
        (12345, "ever returned"),
        (SURFACE_BIT, "it is a surface, not a texture"),
        (SAMPLER_BIT, "it is a sampler"),
        (TEXTURE_BIT | 2, "destroyed"),
        (TEXTURE_BIT | 3, "ever returned"),
        (TEXTURE_BIT | 9 << 20, "ever returned"),
        (TEXTURE_BIT | 1 << 40, "ever returned"),
    ] {
        let fault = run(&text, good, bad).unwrap_err();
        assert_eq!(fault.thread, [1, 0, 0]);
        let FaultKind::Handle { handle, why, .. } = fault.kind else { panic!("{fault:?}") };
        assert!(handle == bad && why.contains(part), "{bad:#x}: {why}");
    }
}

#[test]
fn a_fetch_of_the_wrong_geometry() {
    let text = fetch_kernel("", "", "[%a, {%x, %y}]").replace("tex.2d", "tex.3d");
    let text = text.replace("{%x, %y}", "{%x, %y, %x, %y}");
    let fault = run(&text, TEXTURE_BIT, 0).unwrap_err();
    let FaultKind::Geometry { surface: false, error } = &fault.kind else { panic!("{fault:?}") };
    assert_eq!((error.instruction, error.own), (Geometry::D3, Geometry::D2));
    assert!(fault.kind.to_string().contains("picture"), "{fault:?}");
}

fn surface_kernel(inst: &str) -> String {
    format!(
        "{HEADER}
.visible .entry k(.param .u64 out, .param .u64 s)
{{
    .reg .u64 %o, %s, %a; .reg .u32 %t, %x, %y, %v, %w;
    ld.param.u64 %o, [out];
    ld.param.u64 %s, [s];
    mov.u32 %t, %tid.x;
    shl.b32 %x, %t, 2;
    mov.u32 %y, 1;
    {inst}
    mul.wide.u32 %a, %t, 4;
    add.u64 %o, %o, %a;
    st.global.u32 [%o], %v;
    ret;
}}"
    )
}

#[test]
fn surface_loads_and_stores() {
    let text = surface_kernel(
        "suld.b.2d.b32.trap {%v}, [%s, {%x, %y}];
         add.u32 %w, %v, 1;
         sust.b.2d.b32.trap [%s, {%x, %y}], {%w};
         suld.b.2d.b32.zero {%v}, [%s, {%x, %y}];",
    );
    let mut loaded = load_text(&text);
    bind(&mut loaded);
    let (out, block) = loaded.buffer(8);
    let how = How { block: [8, 1, 1], ..How::default() };
    let stats = loaded.run("k", how, &[Arg::U64(out), Arg::U64(SURFACE_BIT)]).unwrap();
    assert_eq!(stats.surface_accesses, 24);
    let wanted: Vec<u32> = (0..8).map(|x| (x as f32 + 10.0).to_bits() + 1).collect();
    assert_eq!(words(&block), wanted);
}

#[test]
fn surface_faults() {
    let text = surface_kernel("suld.b.2d.b32.trap {%v}, [%s, {%x, %y}];");
    let mut loaded = load_text(&text);
    bind(&mut loaded);
    let (out, _) = loaded.buffer(16);
    let how = How { block: [16, 1, 1], ..How::default() };
    let fault = loaded.run("k", how, &[Arg::U64(out), Arg::U64(SURFACE_BIT)]).unwrap_err();
    assert_eq!(fault.thread, [8, 0, 0]);
    assert!(loaded.line(&fault).starts_with("suld.b.2d"));
    assert!(matches!(&fault.kind, FaultKind::Surface(m) if m.contains("(32, 1, 0)")), "{fault:?}");
    let fault = loaded.run("k", how, &[Arg::U64(out), Arg::U64(SURFACE_BIT | 5)]).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Handle { wanted: "surface", .. }), "{fault:?}");
    let fault = loaded.run("k", how, &[Arg::U64(out), Arg::U64(TEXTURE_BIT)]).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Handle { wanted: "surface", .. }), "{fault:?}");
}

/// A kernel that stores the 32-bit result of each query.
fn query_kernel(mode: &str, queries: &[&str]) -> String {
    let stores: Vec<_> = queries
        .iter()
        .enumerate()
        .map(|(i, q)| format!("{q}; st.global.u32 [%o+{}], %r;", i * 4))
        .collect();
    format!(
        "{}
.visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b)
{{
    .reg .u64 %o, %a, %b; .reg .u32 %r; .reg .pred %p;
    ld.param.u64 %o, [out];
    ld.param.u64 %a, [a];
    ld.param.u64 %b, [b];
    mov.u32 %r, 77;
    {}
    ret;
}}",
        HEADER.replace(".target sm_80", &format!(".target sm_80{mode}")),
        stores.join("\n    ")
    )
}

fn ask(mode: &str, queries: &[&str], a: u64, b: u64) -> Result<Vec<u32>, Box<Fault>> {
    let mut loaded = load_text(&query_kernel(mode, queries));
    bind(&mut loaded);
    let (out, block) = loaded.buffer(queries.len());
    let how = How { block: [1; 3], ..How::default() };
    loaded.run("k", how, &[Arg::U64(out), Arg::U64(a), Arg::U64(b)])?;
    Ok(words(&block))
}

#[test]
fn queries() {
    let texture = [
        "txq.width.b32 %r, [%a]",
        "txq.height.b32 %r, [%a]",
        "txq.depth.b32 %r, [%a]",
        "txq.channel_data_type.b32 %r, [%a]",
        "txq.channel_order.b32 %r, [%a]",
        "txq.normalized_coords.b32 %r, [%a]",
        "txq.filter_mode.b32 %r, [%a]",
        "txq.addr_mode_1.b32 %r, [%a]",
        "txq.level.width.b32 %r, [%a], 0",
        "txq.level.width.b32 %r, [%a], 1",
        "@%p txq.width.b32 %r, [%b]",
        "txq.array_size.b32 %r, [%a]",
        "suq.width.b32 %r, [%b]",
        "suq.height.b32 %r, [%b]",
        "suq.channel_order.b32 %r, [%b]",
        "suq.memory_layout.b32 %r, [%b]",
    ];
    // The second sampler wraps.
    let got = ask("", &texture, TEXTURE_BIT | 1 << 20, SURFACE_BIT).unwrap();
    assert_eq!(got, [8, 4, 0, 0x10de, 0x10b0, 1, 0, 0, 8, 0, 0, 0, 8, 4, 0x10b0, 0]);
    let sampler = ["txq.addr_mode_0.b32 %r, [%b]", "txq.force_unnormalized_coords.b32 %r, [%b]"];
    let independent = ", texmode_independent";
    assert_eq!(ask(independent, &sampler, 0, SAMPLER_BIT).unwrap(), [3, 0]);
    assert_eq!(ask(independent, &sampler, 0, SAMPLER_BIT | 1 << 20).unwrap(), [0, 0]);
    for (query, wanted) in [
        ("txq.width.b32 %r, [%a]", "texture"),
        ("suq.width.b32 %r, [%b]", "surface"),
        ("txq.filter_mode.b32 %r, [%a]", "sampler"),
    ] {
        let fault = ask("", &[query], SURFACE_BIT, TEXTURE_BIT).unwrap_err();
        assert!(
            matches!(fault.kind, FaultKind::Handle { wanted: w, .. } if w == wanted),
            "{fault:?}"
        );
    }
}

#[test]
fn kinds_of_handles() {
    let kinds = ["texref", "samplerref", "surfref"];
    let queries = kinds.map(|k| format!("istypep.{k} %p, %a; selp.u32 %r, 1, 0, %p"));
    let queries: Vec<_> = queries.iter().map(String::as_str).collect();
    for (handle, wanted) in [
        (TEXTURE_BIT | 5, [1, 0, 0]),
        (SAMPLER_BIT, [0, 1, 0]),
        (SURFACE_BIT, [0, 0, 1]),
        (0, [0, 0, 0]),
        (!0, [1, 1, 1]),
    ] {
        assert_eq!(ask("", &queries, handle, 0).unwrap(), wanted, "{handle:#x}");
    }
}
