//! Tests of every form of `suld` and `sust`: coordinates and registers reach the unit, bytes reach
//! memory; faults of all surface instructions.

use crate::common::{Arg, HEADER, How, load_text, words};
use crate::unit_common::surface::{form, load, name, run};
use crate::unit_common::{numbered, shape, surface, zeros};
use texunit_simt::{FaultKind, Watch, Watched};
use texunit_unit::{ClampMode, Coordinates, Geometry, Resource, SurfaceKind, TexelIndex};

/// Coordinates as written, including padding, and as given to the unit. Byte 16 is texel 4 of an
/// f32 surface.
#[rustfmt::skip]
const COORDINATES: &[(Geometry, &str, [u32; 3], f32)] = &[
    (Geometry::D1,  "%x16",                  [16, 0, 0], 4.0),
    (Geometry::D1,  "{16}",                  [16, 0, 0], 4.0),
    (Geometry::D1,  "{16, %r2}",             [16, 0, 0], 4.0),
    (Geometry::D1,  "{16, %r2, %r3, %r4}",   [16, 0, 0], 4.0),
    (Geometry::D2,  "{16, %r2}",             [16, 2, 0], 24.0),
    (Geometry::D2,  "{16, %r2, %r3, %r4}",   [16, 2, 0], 24.0),
    (Geometry::D3,  "{16, %r2, %r3, %r4}",   [16, 2, 3], 324.0),
    (Geometry::A1d, "{%r2, 16}",             [2, 16, 0], 20004.0),
    (Geometry::A1d, "{2, 16, %r3, %r4}",     [2, 16, 0], 20004.0),
    (Geometry::A2d, "{%r2, 16, %r3, %r4}",   [2, 16, 3], 20034.0),
];

#[test]
fn coordinates_of_loads() {
    for &(geometry, text, coords, value) in COORDINATES {
        for cop in ["", ".ca", ".cg", ".cs", ".cv"] {
            let inst = format!("suld.b.{}{cop}.b32.trap {{%w0}}, [%h, {text}]", name(geometry));
            let ran = run(&inst, numbered(&shape(geometry, "f32"), "picture"));
            let kind = SurfaceKind::Load { element_size: 4, vector: 1 };
            assert_eq!(ran.seen.form, form(kind, geometry), "{inst}");
            assert_eq!(ran.seen.coords.padded(geometry), coords, "{inst}");
            assert_eq!(ran.seen.surface.resource.name(), "picture");
            let bits = u64::from(value.to_bits());
            assert_eq!(ran.seen.outcome, Ok([bits, 0, 0, 0]), "{inst}");
            assert_eq!(ran.stored[0], bits, "{inst}");
        }
    }
}

#[test]
fn coordinates_of_stores() {
    for &(geometry, text, coords, old) in COORDINATES {
        for cop in ["", ".wb", ".cg", ".cs", ".wt"] {
            let inst = format!("sust.b.{}{cop}.b32.trap [%h, {text}], {{%r9}}", name(geometry));
            let ran = run(&inst, numbered(&shape(geometry, "f32"), "picture"));
            let kind = SurfaceKind::Store { element_size: 4, vector: 1 };
            let seen = (ran.seen.form, ran.seen.coords.padded(geometry));
            assert_eq!(seen, (form(kind, geometry), coords), "{inst}");
            assert_eq!(ran.seen.outcome, Ok([9, 0, 0, 0]));
            let changed = changes(&ran.resource, geometry);
            assert_eq!(changed, [(old, 9)], "{inst}");
        }
    }
}

/// Texels of a numbered surface that no longer hold their number: the number, and the bits.
fn changes(resource: &Resource, geometry: Geometry) -> Vec<(f32, u32)> {
    let before = numbered(&shape(geometry, "f32"), "before").to_packed();
    let after = resource.to_packed();
    let pairs = before.chunks_exact(4).zip(after.chunks_exact(4));
    let word = |b: &[u8]| u32::from_le_bytes(b.try_into().unwrap());
    pairs.filter(|(a, b)| a != b).map(|(a, b)| (f32::from_bits(word(a)), word(b))).collect()
}

/// Every element size and vector: elements in order, lowest address first, zero-extended.
#[test]
fn widths_and_vectors() {
    let bytes: Vec<u8> = (0..128).collect();
    let registers = |letter: char, n: usize| {
        (0..n).map(|i| format!("%{letter}{i}")).collect::<Vec<_>>().join(", ")
    };
    for (size, letters) in [(1, "hwd"), (2, "hwd"), (4, "wd"), (8, "d")] {
        for vector in [1, 2, 4] {
            if size * vector > 16 {
                continue;
            }
            let vec = if vector == 1 { String::new() } else { format!(".v{vector}") };
            for letter in letters.chars() {
                let list = registers(letter, vector);
                let ty = size * 8;
                let inst = format!("suld.b.1d{vec}.b{ty}.trap {{{list}}}, [%h, {{32}}]");
                let resource = zeros(&shape(Geometry::D1, "f32x4"), "bytes");
                resource.fill_packed(&bytes).unwrap();
                let ran = run(&inst, resource);
                let kind = SurfaceKind::Load { element_size: size as u8, vector: vector as u8 };
                assert_eq!(ran.seen.form, form(kind, Geometry::D1), "{inst}");
                for (i, stored) in ran.stored.iter().enumerate() {
                    let mut wanted = [0; 8];
                    if i < vector {
                        wanted[..size].copy_from_slice(&bytes[32 + i * size..][..size]);
                    } else {
                        wanted[0] = 7;
                    }
                    assert_eq!(*stored, u64::from_le_bytes(wanted), "{inst}: element {i}");
                }
                // And back: element i is the byte 11 * (i + 1) repeated.
                let list = ["%l1", "%l2", "%l3", "%l4"][..vector].join(", ");
                let inst = format!("sust.b.1d{vec}.b{ty}.trap [%h, {{32}}], {{{list}}}");
                let ran = run(&inst, zeros(&shape(Geometry::D1, "f32x4"), "bytes"));
                let mut wanted = vec![0; 128];
                for i in 0..vector {
                    wanted[32 + i * size..][..size].fill(0x11 * (i as u8 + 1));
                }
                assert_eq!(ran.resource.to_packed(), wanted, "{inst}");
            }
        }
    }
}

#[test]
fn elements_that_are_not_wanted_and_numbers() {
    let inst = "suld.b.1d.v4.b32.trap {_, %w1, _, %w3}, [%h, {0}]";
    // The kernel widens by the name of the first register.
    let inst = format!("mov.u32 %w0, 7; {inst}");
    let (loaded, handle) = load(&inst, &numbered(&shape(Geometry::D1, "f32"), "p"));
    let (out, block) = loaded.buffer(8);
    let how = How { block: [1; 3], ..How::default() };
    loaded.run("k", how, &[Arg::U64(out), Arg::U64(handle)]).unwrap();
    let stored: Vec<u32> = words(&block).into_iter().step_by(2).collect();
    assert_eq!(stored, [7, 1.0_f32.to_bits(), 7, 3.0_f32.to_bits()]);
    // Data may be wider than elements, and floats.
    for (data, wanted) in [("%l3", 0x3333_3333), ("0f3fc00000", 0x3fc0_0000), ("%f", 0xbf80_0000)] {
        for inst in ["sust.b.1d.b32.trap", "sust.p.1d.b32.trap"] {
            let inst = format!("{inst} [%h, {{0}}], {data}");
            let ran = run(&inst, zeros(&shape(Geometry::D1, "f32"), "p"));
            assert_eq!(ran.resource.texel(TexelIndex::default()).unwrap()[0], wanted, "{inst}");
        }
    }
    let inst = "sured.b.add.1d.u32.trap [%h, {0}], %l3";
    let ran = run(inst, zeros(&shape(Geometry::D1, "u32"), "p"));
    assert_eq!(ran.resource.to_packed()[..8], [0x33, 0x33, 0x33, 0x33, 0, 0, 0, 0]);
    let ran = run(
        "sust.b.1d.v4.b16.trap [%h, {8}], {-1, 2, 0x1234, 4}",
        zeros(&shape(Geometry::D1, "u16"), "p"),
    );
    assert_eq!(
        ran.resource.to_packed(),
        [0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 2, 0, 0x34, 0x12, 4, 0]
    );
}

#[test]
fn clamp_modes() {
    for (word, clamp, loaded) in
        [("clamp", ClampMode::Clamp, 7.0_f32), ("zero", ClampMode::Zero, 0.0)]
    {
        let inst = format!("suld.b.2d.b32.{word} {{%w0}}, [%h, {{320, -1}}]");
        let ran = run(&inst, numbered(&shape(Geometry::D2, "f32"), "p"));
        let coords = Coordinates::at([320, !0, 0], 0);
        assert_eq!((ran.seen.form.clamp, ran.seen.coords), (clamp, coords));
        assert_eq!(ran.stored[0], u64::from(loaded.to_bits()), "{inst}");
        let inst = format!("sust.b.2d.b32.{word} [%h, {{320, -1}}], {{%r9}}");
        let ran = run(&inst, numbered(&shape(Geometry::D2, "f32"), "p"));
        let wanted: &[(f32, u32)] = if clamp == ClampMode::Zero { &[] } else { &[(7.0, 9)] };
        assert_eq!(changes(&ran.resource, Geometry::D2), wanted, "{inst}");
    }
}

/// Outside with `.trap`, and misaligned with any mode: the fault names the thread, the line and
/// the surface, and the watched access has it too.
#[test]
fn faults() {
    for (inst, part) in [
        ("suld.b.2d.b32.trap {%w0}, [%h, {32, 1}]", "(32, 1, 0)"),
        ("sust.b.2d.b32.trap [%h, {0, 8}], {%r1}", "(0, 8, 0)"),
        ("suld.b.2d.v2.b32.clamp {%w0, %w1}, [%h, {4, 1}]", "not a multiple of the 8 bytes"),
        ("sured.b.add.2d.u32.zero [%h, {2, 1}], %r1", "not a multiple of the 4 bytes"),
        ("sured.b.add.2d.u32.trap [%h, {-4, 1}], %r1", "(-4, 1, 0)"),
    ] {
        let (mut loaded, handle) = load(inst, &zeros(&shape(Geometry::D2, "u32"), "picture"));
        loaded.watch = Some(Watch::new([0; 3]));
        let (out, _) = loaded.buffer(8);
        let how = How { block: [2, 1, 1], ..How::default() };
        let fault = loaded.run("k", how, &[Arg::U64(out), Arg::U64(handle)]).unwrap_err();
        assert_eq!((fault.kernel.as_str(), fault.cta, fault.thread), ("k", [0; 3], [0; 3]));
        assert_eq!(loaded.line(&fault).trim_end_matches(';'), inst);
        let FaultKind::Surface(text) = &fault.kind else { panic!("{fault:?}") };
        assert!(text.contains(part) && text.contains("picture"), "{inst}: {text}");
        let (seen, _) = loaded.watch.as_ref().unwrap().take();
        let Watched::Surface(seen) = &seen[0].what else { panic!("{inst}") };
        assert_eq!(seen.outcome.as_ref().unwrap_err().to_string(), *text);
    }
}

/// A surface of another geometry class (docs/numerics.md 10.10) is named, and is a fault on
/// request.
#[test]
fn other_geometries() {
    for (inst, geometry) in [
        ("suld.b.2d.b32.zero {%w0}, [%h, {0, 0}]", Geometry::D1),
        ("suld.b.a2d.b32.zero {%w0}, [%h, {0, 0, 0, 0}]", Geometry::A1d),
        ("sust.b.a1d.b32.zero [%h, {0, 0}], {%r1}", Geometry::D2),
        ("sust.p.3d.b32.zero [%h, {0, 0, 0, 0}], {%r1}", Geometry::D2),
        ("sured.b.add.1d.u32.zero [%h, {0}], %r1", Geometry::D3),
    ] {
        let (loaded, handle) = load(inst, &zeros(&shape(geometry, "u32"), "picture"));
        let (out, _) = loaded.buffer(8);
        let fault =
            loaded.run("k", How::default(), &[Arg::U64(out), Arg::U64(handle)]).unwrap_err();
        let FaultKind::Geometry { surface: true, error } = &fault.kind else { panic!("{fault:?}") };
        assert_eq!(error.own, geometry);
        let text = error.to_string();
        assert!(text.contains("picture") && text.contains("geometry"), "{inst}: {text}");
    }
}

/// Layered accesses to plain surfaces reach layer 0, and no other (docs/numerics.md 10.10).
#[test]
fn one_layer() {
    for (inst, geometry, outside) in [
        ("suld.b.a1d.b32.trap {%w0}, [%h, {0, 4}]", Geometry::D1, false),
        ("suld.b.a2d.b32.trap {%w0}, [%h, {0, 4, 1, 0}]", Geometry::D2, false),
        ("sust.b.a2d.b32.clamp [%h, {7, 4, 1, 0}], {%r1}", Geometry::D2, false),
        ("sust.p.a1d.b32.zero [%h, {1, 0}], {%r1}", Geometry::D1, false),
        ("sust.b.a1d.b32.trap [%h, {1, 0}], {%r1}", Geometry::D1, true),
        ("suld.b.a2d.b32.trap {%w0}, [%h, {-1, 0, 0, 0}]", Geometry::D2, true),
    ] {
        let (loaded, handle) = load(inst, &zeros(&shape(geometry, "u32"), "picture"));
        let (out, _) = loaded.buffer(8);
        match loaded.run("k", How::default(), &[Arg::U64(out), Arg::U64(handle)]) {
            Ok(_) => assert!(!outside, "{inst}"),
            Err(fault) => {
                let FaultKind::Surface(text) = &fault.kind else { panic!("{fault:?}") };
                assert!(outside && text.starts_with("layer "), "{inst}: {text}");
            }
        }
    }
}

/// Formatted stores: components in order, x in texels.
#[test]
fn formatted_stores() {
    for &(geometry, text, coords, old) in COORDINATES {
        let text = text.replace("16", "4");
        let inst = format!("sust.p.{}.b32.trap [%h, {text}], {{%r9}}", name(geometry));
        let ran = run(&inst, numbered(&shape(geometry, "f32"), "picture"));
        let kind = SurfaceKind::StoreFormatted { vector: 1 };
        let coords = coords.map(|c| if c == 16 { 4 } else { c });
        let seen = (ran.seen.form, ran.seen.coords.padded(geometry));
        assert_eq!(seen, (form(kind, geometry), coords), "{inst}");
        assert_eq!(changes(&ran.resource, geometry), [(old, 9)], "{inst}");
    }
    for (vector, list, wanted) in [
        ("", "{%r5}", [5, 0, 0, 0]),
        (".v2", "{%r5, %r6}", [5, 6, 0, 0]),
        (".v4", "{%r5, %r6, %r7, -1}", [5, 6, 7, 0xff]),
        (".v4", "{300, %r6, %r7, %r8}", [0xff, 6, 7, 8]),
    ] {
        let inst = format!("sust.p.2d{vector}.b32.zero [%h, {{3, 2}}], {list}");
        let ran = run(&inst, zeros(&shape(Geometry::D2, "u8x4"), "picture"));
        let n = list.split(',').count() as u8;
        assert_eq!(ran.seen.form.kind, SurfaceKind::StoreFormatted { vector: n });
        let at = TexelIndex { at: [3, 2, 0], ..TexelIndex::default() };
        assert_eq!(ran.resource.texel(at), Some(wanted), "{inst}");
    }
}

/// Two warps, the second one partial, with two surfaces in alternating lanes: only lanes with a
/// thread store.
#[test]
fn handles_by_lane_and_partial_warps() {
    let text = format!(
        "{HEADER}.visible .entry k(.param .u64 a, .param .u64 b)
{{
.reg .u64 %a, %b, %h; .reg .u32 %t, %x, %y, %m; .reg .pred %odd;
ld.param.u64 %a, [a];
ld.param.u64 %b, [b];
mov.u32 %t, %tid.x;
and.b32 %m, %t, 1;
setp.eq.u32 %odd, %m, 1;
selp.u64 %h, %b, %a, %odd;
and.b32 %x, %t, 7;
shl.b32 %x, %x, 2;
shr.u32 %y, %t, 3;
sust.b.2d.b32.trap [%h, {{%x, %y}}], {{%t}};
ret;
}}"
    );
    let mut loaded = load_text(&text);
    let shape = shape(Geometry::D2, "u32");
    let pair = [zeros(&shape, "even"), zeros(&shape, "odd")];
    let [a, b] = pair.clone().map(|r| surface(&mut loaded, r));
    loaded.watch = Some(Watch::new([44, 0, 0]));
    let how = How { block: [45, 1, 1], ..How::default() };
    let stats = loaded.run("k", how, &[Arg::U64(a), Arg::U64(b)]).unwrap();
    assert_eq!(stats.surface_accesses, 45);
    for (i, resource) in pair.iter().enumerate() {
        for t in 0..64_u32 {
            let at = TexelIndex { at: [t % 8, t / 8, 0], ..TexelIndex::default() };
            let wanted = if t < 45 && t as usize % 2 == i { t } else { 0 };
            assert_eq!(resource.texel(at).unwrap()[0], wanted, "thread {t}");
        }
    }
    let (seen, _) = loaded.watch.unwrap().take();
    let [one] = &seen[..] else { panic!("{seen:?}") };
    let Watched::Surface(seen) = &one.what else { panic!("{one:?}") };
    let coords = Coordinates::at([16, 5, 0], 0);
    assert_eq!((seen.surface.resource.name(), seen.coords), ("even", coords));
    assert_eq!(seen.outcome, Ok([44, 0, 0, 0]));
}
