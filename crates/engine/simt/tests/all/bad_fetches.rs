//! Tests of fetches and accesses that are incompatible with their texture or surface: the results
//! of a card, interpreted and compiled, and the faults with `BadFetch::Fault`.

use crate::common::{Arg, How, Loaded, load_text, words};
use crate::unit_common::{number, numbered, shape, surface, texture};
use std::sync::Arc;
use texunit_memory::Block;
use texunit_simt::launch::{SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use texunit_simt::{BadFetch, CtaRange, Fault, FaultKind, JitMode, LaunchStats};
use texunit_testkit::ptx;
use texunit_texel::Format;
use texunit_unit::{Geometry, Resource, Sampler, TexelIndex};

/// Handles of the test's objects; index 0 is not assigned.
struct Handles {
    /// A 2D texture of 8 x 8 texels.
    plane: u64,
    linear: u64,
    /// Two 2D surfaces; the second has another format.
    surface: u64,
    bytes: u64,
    /// The texels of the first surface.
    texels: Arc<Resource>,
}

/// Handles of one object, or of none.
type Which = fn(&Handles) -> u64;

fn bind(loaded: &mut Loaded) -> Handles {
    let tables = &mut loaded.descriptors;
    tables.textures.push(None);
    tables.samplers.push(None);
    tables.surfaces.push(None);
    let format = Format::from_name("f32").unwrap();
    let block = Arc::new(Block::new(64, "memory").unwrap());
    let linear = Arc::new(Resource::linear(format, 16, block, 0, 0, "memory").unwrap());
    let plane = numbered(&shape(Geometry::D2, "f32"), "picture");
    let texels = numbered(&shape(Geometry::D2, "f32"), "drawn");
    let unorm = numbered_bytes();
    Handles {
        plane: texture(loaded, plane, Sampler::default()),
        linear: texture(loaded, linear, Sampler::default()),
        surface: surface(loaded, Arc::clone(&texels)),
        bytes: surface(loaded, unorm),
        texels,
    }
}

/// 8 x 8 texels of 8 bits with the value 51, which is a fifth.
fn numbered_bytes() -> Arc<Resource> {
    let made = crate::unit_common::zeros(&shape(Geometry::D2, "unorm8"), "bytes");
    made.fill_packed(&[51; 64]).unwrap();
    made
}

/// Each thread executes the instruction three times, even ones with handle `a`, odd ones with `b`,
/// and stores the first component and the predicate. Coordinates are 2.5 and 1.5.
fn kernel(inst: &str) -> String {
    ptx::kernel(
        ptx::SM_75,
        ".param .u64 out, .param .u64 a, .param .u64 b",
        &format!(
            ".reg .u64 %o, %a, %b, %q, %n; .reg .u32 %t, %c, %m, %i, %g; .reg .b32 %v, %w<4>; .reg .f32 %x, %y, %f<4>;
.reg .pred %p, %r, %l;
ld.param.u64 %o, [out];
ld.param.u64 %a, [a];
ld.param.u64 %b, [b];
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
mad.lo.u32 %t, %c, 64, %t;
and.b32 %m, %t, 1;
setp.eq.u32 %p, %m, 1;
selp.b64 %q, %b, %a, %p;
mov.f32 %x, 0f40200000;
mov.f32 %y, 0f3fc00000;
mov.b32 %v, 7;
mov.u32 %i, 0;
setp.ne.u32 %r, %i, 0;
again:
{inst}
add.u32 %i, %i, 1;
setp.lt.u32 %l, %i, 3;
@%l bra again;
selp.u32 %g, 1, 0, %r;
mul.wide.u32 %n, %t, 8;
add.u64 %o, %o, %n;
st.global.u32 [%o], %v;
st.global.u32 [%o+4], %g;
ret;"
        ),
    )
}

const SAMPLE: &str = "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%x, %y}]; mov.b32 %v, %f0;";
const THREADS: usize = 192;

/// Runs the kernel in 3 CTAs of two warps, and returns the threads' values and predicates.
fn run_as(
    how: How,
    inst: &str,
    handles: impl Fn(&Handles) -> [u64; 2],
) -> (Result<LaunchStats, Box<Fault>>, Vec<[u32; 2]>, Handles) {
    let mut loaded = load_text(&kernel(inst));
    let bound = bind(&mut loaded);
    let (out, block) = loaded.buffer(2 * THREADS);
    let how = How { grid: [3, 1, 1], block: [64, 1, 1], ..how };
    let [a, b] = handles(&bound);
    let ran = loaded.run("k", how, &[Arg::U64(out), Arg::U64(a), Arg::U64(b)]);
    (ran, words(&block).chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect(), bound)
}

/// Runs the kernel in all execution modes, which must agree. Returns the faults that would have
/// been raised, and the stored values.
fn run(inst: &str, handles: impl Fn(&Handles) -> [u64; 2]) -> (Vec<Fault>, Vec<[u32; 2]>, Handles) {
    let zero = How { bad_fetch: BadFetch::Zero, ..How::default() };
    let ways = [
        How { jit: Some(JitMode::Off), ..zero },
        How { jit: Some(JitMode::Always), ..zero },
        How { jit: Some(JitMode::Always), threads: 3, ..zero },
        How { cooperative: true, ..zero },
        How { schedule: Some(5), ..zero },
    ];
    let mut all = ways.map(|how| {
        let (ran, stored, bound) = run_as(how, inst, &handles);
        let stats = ran.unwrap();
        assert_eq!(stats.fetches + stats.surface_accesses, 3 * THREADS as u64, "{inst}");
        assert_eq!(stats.bad_fetches.more, 0);
        (stats.bad_fetches.faults, stored, bound)
    });
    // With a random order of warps, another thread may be the first to execute the instruction.
    let first = all[0].0.clone();
    all[4].0.iter_mut().zip(&first).for_each(|(fault, first)| {
        (fault.cta, fault.thread) = (first.cta, first.thread);
    });
    for (faults, stored, _) in &all[1..] {
        assert_eq!((faults, stored), (&all[0].0, &all[0].1), "{inst}");
    }
    let [first, ..] = all;
    // With `BadFetch::Fault` the same instruction is a fault.
    let fault = How { bad_fetch: BadFetch::Fault, ..How::default() };
    let (ran, ..) = run_as(fault, inst, &handles);
    match &first.0[..] {
        [] => drop(ran.unwrap()),
        [told, ..] => {
            let mut fault = ran.unwrap_err();
            fault.stats = LaunchStats::default();
            assert_eq!(*fault, *told, "{inst}");
        }
    }
    first
}

#[test]
fn fetches_that_read_zeros() {
    let none = "no handle with this value was ever returned";
    #[rustfmt::skip]
    let rows: &[(&str, Which, &str)] = &[
        ("tex.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%x, %y, %x, %y}]; mov.b32 %v, %f0;", |h| h.plane, ".3d geometry"),
        ("tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%x, %y, %x, %y}]; mov.b32 %v, %f2;", |h| h.plane, ".cube geometry"),
        ("tex.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}|%r, [%q, {%x, %y, %x, %y}]; mov.b32 %v, %f3;", |h| h.plane, "`picture` is a 2D array"),
        ("tex.grad.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%x, %y, %x, %y}], {%x, %y, %x, %y}, {%x, %y, %x, %y}; mov.b32 %v, %f1;", |h| h.plane, ".3d"),
        ("tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}|%r, [%q, {%x}]; mov.b32 %v, %f3;", |h| h.linear, "integer coordinates (.s32)"),
        ("tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%x, %y}]; mov.b32 %v, %f0;", |h| h.linear, ".2d geometry"),
        (SAMPLE, |_| 0, "the handle is zero"),
        (SAMPLE, |_| 0xffff, none),
        (SAMPLE, |_| 0xffff_ffff, none),
        (SAMPLE, |_| TEXTURE_BIT, none),
        (SAMPLE, |_| TEXTURE_BIT | 500, none),
        (SAMPLE, |h| h.surface | 1 << 40, none),
        (SAMPLE, |_| SURFACE_BIT | 500, "it is a surface"),
        (SAMPLE, |h| TEXTURE_BIT | h.plane & 0xf_ffff, none),
        (SAMPLE, |h| h.plane & 0xf_ffff, none),
        // A surface that is incompatible with the instruction, too.
        ("tex.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%x, %y, %x, %y}]; mov.b32 %v, %f0;", |h| h.surface, "it is a surface"),
    ];
    for &(inst, handle, part) in rows {
        let (faults, stored, _) = run(inst, |h| [handle(h); 2]);
        let resident = u32::from(inst.contains("|%r"));
        assert_eq!(stored, [[0, resident]; THREADS], "{inst}");
        let [fault] = &faults[..] else { panic!("{inst}: {faults:?}") };
        assert!(fault.kind.to_string().contains(part), "{inst}: {}", fault.kind);
        assert_eq!((fault.cta, fault.thread), ([0; 3], [0; 3]));
    }
}

/// Lanes with a valid texture fetch from it beside lanes without one, and each object is reported
/// once.
#[test]
fn lanes_beside_each_other() {
    let texel = number(TexelIndex { at: [2, 1, 0], ..TexelIndex::default() }).to_bits();
    let (faults, stored, _) = run(SAMPLE, |h| [h.plane, 0]);
    assert!(stored.iter().enumerate().all(|(t, &[v, _])| v == [texel, 0][t % 2]), "{stored:?}");
    assert!(faults.len() == 1 && faults[0].thread == [1, 0, 0], "{faults:?}");
    let twice =
        format!("{SAMPLE} {}", SAMPLE.replace("tex.2d", "tex.cube").replace("%y}", "%y, %x, %y}"));
    let zero = How { bad_fetch: BadFetch::Zero, ..How::default() };
    let (ran, ..) = run_as(zero, &twice, |h| [h.linear, h.plane]);
    let told: Vec<_> = ran.unwrap().bad_fetches.faults.iter().map(|f| f.kind.to_string()).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].contains(".2d") && told[0].contains("`memory`"), "{told:?}");
    assert!(told[1].contains(".cube") && told[1].contains("`memory`"), "{told:?}");
    assert!(told[2].contains(".cube") && told[2].contains("`picture`"), "{told:?}");
}

/// A card reads a surface by a point filter, with coordinates in texels; the upper half of a handle
/// means nothing to it.
#[test]
fn what_is_fetched_in_place_of_a_texture() {
    let texel = number(TexelIndex { at: [2, 1, 0], ..TexelIndex::default() }).to_bits();
    for (handle, part) in [
        ((|h| h.surface) as Which, "it is a surface, not a texture"),
        (|h| h.plane & 0xffff_ffff, "ever returned"),
        (|h| h.plane | 0xffff_ffff << 32, "ever returned"),
    ] {
        let (faults, stored, _) = run(SAMPLE, |h| [handle(h); 2]);
        assert!(stored.iter().all(|&[v, _]| v == texel), "{part}: {stored:?}");
        assert!(faults.len() == 1 && faults[0].kind.to_string().contains(part), "{faults:?}");
    }
    let (_, stored, _) = run(SAMPLE, |h| [h.bytes; 2]);
    assert!(stored.iter().all(|&[v, _]| f32::from_bits(v) == 0.2), "{stored:?}");
}

#[test]
fn surfaces_that_read_zeros_and_drop_stores() {
    let (sust, sured) = ("sust.b.3d.b32.trap", "sured.b.add.3d.u32.trap");
    #[rustfmt::skip]
    let rows: &[(String, Which, &str)] = &[
        ("suld.b.3d.b32.trap {%v}, [%q, {%i, %i, %i, %i}];".into(), |h| h.surface, ".3d geometry"),
        ("suld.b.3d.v2.b32.zero {%w0, %v}, [%q, {%i, %i, %i, %i}];".into(), |h| h.surface, "`drawn` is a 2D array"),
        (format!("{sust} [%q, {{0, 0, 0, 0}}], {{%t}};"), |h| h.surface, ".3d geometry"),
        ("sust.p.3d.b32.trap [%q, {0, 0, 0, 0}], {%t};".into(), |h| h.surface, ".3d geometry"),
        (format!("{sured} [%q, {{0, 0, 0, 0}}], %t;"), |h| h.surface, ".3d geometry"),
        ("suld.b.2d.b32.trap {%v}, [%q, {0, 0}];".into(), |_| 0, "the handle is zero"),
        ("sust.b.2d.b32.trap [%q, {0, 0}], {%t};".into(), |_| 0xffff, "ever returned"),
        ("sured.b.add.2d.u32.trap [%q, {0, 0}], %t;".into(), |h| h.surface | 77, "ever returned"),
    ];
    for (inst, handle, part) in rows {
        let (faults, stored, bound) = run(inst, |h| [handle(h); 2]);
        let value = if inst.starts_with("suld") { 0 } else { 7 };
        assert_eq!(stored, [[value, 0]; THREADS], "{inst}");
        let [fault] = &faults[..] else { panic!("{inst}: {faults:?}") };
        assert!(fault.kind.to_string().contains(part), "{inst}: {}", fault.kind);
        let untouched = numbered(&shape(Geometry::D2, "f32"), "drawn");
        assert_eq!(bound.texels.to_packed(), untouched.to_packed(), "{inst}");
    }
    // The upper half of a surface's handle means nothing either.
    let load = "suld.b.2d.b32.trap {%v}, [%q, {8, 1}];";
    let (faults, stored, _) = run(load, |h| [h.surface, h.surface & 0xffff_ffff]);
    let texel = number(TexelIndex { at: [2, 1, 0], ..TexelIndex::default() }).to_bits();
    assert!(stored.iter().all(|&[v, _]| v == texel) && faults.len() == 1, "{faults:?}");
}

/// Use after free, handles of other kinds, and other cases without a defined result.
#[test]
fn what_stays_a_fault() {
    let zero = How { bad_fetch: BadFetch::Zero, ..How::default() };
    let load = "suld.b.2d.b32.trap {%v}, [%q, {0, 0}];";
    for (inst, handle, name, part) in [
        (SAMPLE, (|_| SAMPLER_BIT | 1 << 20) as Which, "handle", "it is a sampler"),
        (load, |h| h.plane, "handle", "it is a texture, not a surface"),
        ("suld.b.2d.b32.trap {%v}, [%q, {2, 0}];", |h| h.surface, "surface", "not a multiple"),
        ("txq.width.b32 %v, [%q];", |_| 0, "handle", "the handle is zero"),
    ] {
        let fault = run_as(zero, inst, |h| [handle(h); 2]).0.unwrap_err();
        assert!(fault.kind.name() == name && fault.kind.to_string().contains(part), "{fault:?}");
    }
    for (inst, gone) in
        [(SAMPLE, TEXTURE_BIT | 1 << 20 | 1), (SAMPLE, SURFACE_BIT | 1), (load, SURFACE_BIT | 1)]
    {
        let mut loaded = load_text(&kernel(inst));
        bind(&mut loaded);
        (loaded.descriptors.textures[1], loaded.descriptors.surfaces[1]) = (None, None);
        let (out, _) = loaded.buffer(2 * THREADS);
        let fault = loaded.run("k", zero, &[Arg::U64(out), Arg::U64(gone), Arg::U64(gone)]);
        let kind = fault.unwrap_err().kind;
        assert!(
            matches!(kind, FaultKind::Handle { .. }) && kind.to_string().contains("destroyed"),
            "{kind}"
        );
    }
}

/// Objects beyond the number that is reported one by one are counted.
#[test]
fn there_is_an_end_to_them() {
    let own = "cvt.u64.u32 %n, %t; add.u64 %q, %a, %n;";
    let mut loaded = load_text(&kernel(&format!("{own} {SAMPLE}")));
    bind(&mut loaded);
    for i in 0..1280 {
        let format = Format::from_name("f32").unwrap();
        let block = Arc::new(Block::new(64, "memory").unwrap());
        let linear = Resource::linear(format, 16, block, 0, 0, format!("memory {i}")).unwrap();
        texture(&mut loaded, Arc::new(linear), Sampler::default());
    }
    let (out, _) = loaded.buffer(2 * 1280);
    let how = How { bad_fetch: BadFetch::Zero, ..How::default() };
    let how = How { grid: [20, 1, 1], block: [64, 1, 1], ..how };
    let args = [Arg::U64(out), Arg::U64(TEXTURE_BIT | 1 << 20 | 3), Arg::U64(0)];
    let found = loaded.run("k", how, &args).unwrap().bad_fetches;
    // The instruction is executed three times in the loop.
    assert_eq!((found.faults.len(), found.more), (1000, 3 * 280));
    let how = How { ctas: Some(CtaRange { begin: 19, end: 20 }), ..how };
    let found = loaded.run("k", how, &args).unwrap().bad_fetches;
    assert!(found.faults.len() == 64 && found.faults[0].cta == [19, 0, 0] && found.more == 0);
}
