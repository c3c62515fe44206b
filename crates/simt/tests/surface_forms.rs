//! Every form of `suld`, `sust` and `sured`: coordinates and registers arrive where the unit
//! expects them, bytes arrive in memory, reductions are atomic.
#![allow(clippy::unwrap_used)]

mod common;
mod unit_common;
use common::{Arg, HEADER, How, Loaded, load_text, words};
use std::sync::Arc;
use texunit_simt::{FaultKind, Watch, Watched, WatchedSurface};
use texunit_unit::{
    ClampMode, Geometry, ReduceOp, ReduceType, Resource, SurfaceForm, SurfaceKind, TexelIndex,
};
use unit_common::{numbered, shape, surface, zeros};

/// A kernel that runs `inst` on the handle `%h` and stores four 64-bit words: registers `%d0` to
/// `%d3`, or, whichever `inst` names, `%w0` to `%w3` and `%h0` to `%h3` widened. `%r1` to `%r9` hold
/// 1 to 9, `%l1` to `%l4` 0x1111111111111111 times their number.
fn kernel(inst: &str) -> String {
    let numbers: String = (1..10).map(|i| format!("mov.u32 %r{i}, {i};\n")).collect();
    let long: String =
        (1..5).map(|i| format!("mov.u64 %l{i}, 0x{0};\n", i.to_string().repeat(16))).collect();
    let widen: String = (0..4)
        .map(|i| match inst {
            _ if inst.contains("%w0") => format!("cvt.u64.u32 %d{i}, %w{i};\n"),
            _ if inst.contains("%h0") => format!("cvt.u64.u16 %d{i}, %h{i};\n"),
            _ => String::new(),
        })
        .collect();
    let start: String = (0..4)
        .map(|i| format!("mov.u64 %d{i}, 7; mov.u32 %w{i}, 7; mov.u16 %h{i}, 7;\n"))
        .collect();
    format!(
        "{}.visible .entry k(.param .u64 out, .param .u64 handle)
{{
.reg .u64 %out, %h, %l<5>, %d<4>; .reg .u32 %r<10>, %w<4>, %t, %x4, %x16; .reg .f32 %f; .reg .b16 %h<4>;
ld.param.u64 %out, [out];
ld.param.u64 %h, [handle];
mov.u32 %t, %tid.x; mov.u32 %x4, 4; mov.u32 %x16, 16; mov.f32 %f, -1.0;
{numbers}{long}{start}
{inst};
{widen}
st.global.v2.u64 [%out], {{%d0, %d1}};
st.global.v2.u64 [%out+16], {{%d2, %d3}};
ret;
}}",
        HEADER.replace("8.0", "8.1")
    )
}

struct Ran {
    seen: WatchedSurface,
    stored: [u64; 4],
    resource: Arc<Resource>,
}

fn load(inst: &str, resource: &Arc<Resource>) -> (Loaded, u64) {
    let mut loaded = load_text(&kernel(inst));
    let handle = surface(&mut loaded, Arc::clone(resource));
    (loaded, handle)
}

/// Runs an instruction on a surface.
fn run(inst: &str, resource: Arc<Resource>) -> Ran {
    let (mut loaded, handle) = load(inst, &resource);
    loaded.watch = Some(Watch::new([0; 3]));
    let (out, block) = loaded.buffer(8);
    let how = How { block: [1; 3], ..How::default() };
    if let Err(fault) = loaded.run("k", how, &[Arg::U64(out), Arg::U64(handle)]) {
        panic!("{inst}: {}", fault.kind);
    }
    let (mut seen, more) = loaded.watch.as_ref().unwrap().take();
    assert_eq!((seen.len(), more), (1, 0), "{inst}");
    let access = seen.pop().unwrap();
    assert_eq!(loaded.source.snippet(access.span).trim().trim_end_matches(';'), inst);
    let Watched::Surface(seen) = access.what else { panic!("{inst}: not a surface") };
    let stored = std::array::from_fn(|i| block.load(i as u64 * 8, 8).unwrap());
    Ran { seen, stored, resource }
}

fn form(kind: SurfaceKind, geometry: Geometry) -> SurfaceForm {
    SurfaceForm { kind, geometry, clamp: ClampMode::Trap }
}

const GEOMETRIES: [(&str, Geometry); 5] = [
    ("1d", Geometry::D1),
    ("2d", Geometry::D2),
    ("3d", Geometry::D3),
    ("a1d", Geometry::A1d),
    ("a2d", Geometry::A2d),
];

/// Coordinates as they may be written, padding included, and what the unit gets. Byte 16 is the
/// texel 4 of an f32 surface.
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

fn name(geometry: Geometry) -> &'static str {
    GEOMETRIES.iter().find(|(_, g)| *g == geometry).unwrap().0
}

#[test]
fn coordinates_of_loads() {
    for &(geometry, text, coords, value) in COORDINATES {
        for cop in ["", ".ca", ".cg", ".cs", ".cv"] {
            let inst = format!("suld.b.{}{cop}.b32.trap {{%w0}}, [%h, {text}]", name(geometry));
            let ran = run(&inst, numbered(&shape(geometry, "f32"), "picture"));
            let kind = SurfaceKind::Load { element_size: 4, vector: 1 };
            assert_eq!(ran.seen.form, form(kind, geometry), "{inst}");
            assert_eq!(ran.seen.coords, coords, "{inst}");
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
            assert_eq!((ran.seen.form, ran.seen.coords), (form(kind, geometry), coords), "{inst}");
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
        assert_eq!((ran.seen.form.clamp, ran.seen.coords), (clamp, [320, !0, 0]));
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

/// Geometry of the instruction and the surface: named, and refused.
#[test]
fn other_geometries() {
    for (inst, geometry) in [
        ("suld.b.2d.b32.zero {%w0}, [%h, {0, 0}]", Geometry::A2d),
        ("suld.b.a2d.b32.zero {%w0}, [%h, {0, 0, 0, 0}]", Geometry::D2),
        ("sust.b.a1d.b32.zero [%h, {0, 0}], {%r1}", Geometry::D2),
        ("sust.p.3d.b32.zero [%h, {0, 0, 0, 0}], {%r1}", Geometry::D2),
        ("sured.b.add.1d.u32.zero [%h, {0}], %r1", Geometry::D3),
    ] {
        let (loaded, handle) = load(inst, &zeros(&shape(geometry, "u32"), "picture"));
        let (out, _) = loaded.buffer(8);
        let fault =
            loaded.run("k", How::default(), &[Arg::U64(out), Arg::U64(handle)]).unwrap_err();
        let FaultKind::Surface(text) = &fault.kind else { panic!("{fault:?}") };
        assert!(text.contains("picture") && text.contains("geometry"), "{inst}: {text}");
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
        assert_eq!((ran.seen.form, ran.seen.coords), (form(kind, geometry), coords), "{inst}");
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

#[test]
fn reductions() {
    use ReduceOp as O;
    use ReduceType as T;
    // The surface holds 1, 2, 3 ... as 64-bit numbers; the operation is with element 2, at byte 16
    // (the 32-bit word 4): 3.
    #[rustfmt::skip]
    let rows: &[(&str, &str, ReduceOp, ReduceType, u64)] = &[
        ("b.add", "u32", O::Add, T::U32, 12),
        ("b.add", "s32", O::Add, T::S32, 12),
        ("b.add", "u64", O::Add, T::U64, 12),
        ("b.min", "u32", O::Min, T::U32, 3),
        ("b.min", "s32", O::Min, T::S32, 3),
        ("b.min", "u64", O::Min, T::U64, 3),
        ("b.min", "s64", O::Min, T::S64, 3),
        ("b.max", "u32", O::Max, T::U32, 9),
        ("b.max", "s32", O::Max, T::S32, 9),
        ("b.max", "u64", O::Max, T::U64, 9),
        ("b.max", "s64", O::Max, T::S64, 9),
        ("b.and", "b32", O::And, T::B32, 1),
        ("b.or",  "b32", O::Or,  T::B32, 11),
        ("p.add", "b32", O::Add, T::B32, 12),
        ("p.min", "b32", O::Min, T::B32, 3),
        ("p.max", "b32", O::Max, T::B32, 9),
        ("p.and", "b32", O::And, T::B32, 1),
        ("p.or",  "b32", O::Or,  T::B32, 11),
        ("p.min", "b64", O::Min, T::B64, 3),
        ("p.max", "b64", O::Max, T::B64, 9),
    ];
    for &(op, ty, reduce, of, wanted) in rows {
        let formatted = op.starts_with('p');
        let long = ty.ends_with("64");
        let at = match (formatted, long) {
            (false, _) => 16,
            (true, true) => 2,
            (true, false) => 4,
        };
        let inst = format!("sured.{op}.1d.{ty}.trap [%h, {{{at}}}], 9");
        let resource = zeros(&shape(Geometry::D1, "u32x2"), "numbers");
        let bytes: Vec<u8> = (1..9_u64).flat_map(u64::to_le_bytes).collect();
        resource.fill_packed(&bytes).unwrap();
        let ran = run(&inst, resource);
        let kind = SurfaceKind::Reduce { op: reduce, ty: of, formatted };
        assert_eq!(ran.seen.form, form(kind, Geometry::D1), "{inst}");
        assert_eq!(ran.seen.outcome, Ok([9, 0, 0, 0]), "{inst}");
        let after = ran.resource.to_packed();
        let number = u64::from_le_bytes(after[16..24].try_into().unwrap());
        assert_eq!(number, wanted, "{inst}");
        assert_eq!((&after[..16], &after[24..]), (&bytes[..16], &bytes[24..]), "{inst}");
    }
    for (geometry, text, coords) in
        [(Geometry::D2, "{4, %r2}", [4, 2, 0]), (Geometry::D3, "{4, %r2, %r3, %r4}", [4, 2, 3])]
    {
        let inst = format!("sured.b.or.{}.b32.clamp [%h, {text}], %r9", name(geometry));
        let ran = run(&inst, zeros(&shape(geometry, "u32"), "numbers"));
        assert_eq!((ran.seen.coords, ran.seen.form.clamp), (coords, ClampMode::Clamp));
        let at = TexelIndex { at: [1, coords[1], coords[2]], ..TexelIndex::default() };
        assert_eq!(ran.resource.texel(at).unwrap()[0], 9, "{inst}");
    }
}

/// The ISA gives `sured.p` a meaning on integers only.
#[test]
fn reductions_of_floats_are_refused() {
    let inst = "sured.p.add.2d.b32.trap [%h, {0, 0}], %r1";
    let (loaded, handle) = load(inst, &zeros(&shape(Geometry::D2, "f32"), "picture"));
    let (out, _) = loaded.buffer(8);
    let fault = loaded.run("k", How::default(), &[Arg::U64(out), Arg::U64(handle)]).unwrap_err();
    assert!(matches!(&fault.kind, FaultKind::Surface(m) if m.contains("picture")), "{fault:?}");
}

/// 64 CTAs of 96 threads on several host threads: no addition is lost, within a warp or between
/// them, and minimum and maximum are those of all.
#[test]
fn reductions_are_atomic() {
    let inst = "sured.b.add.2d.u32.trap [%h, {0, 0}], 1;
        sured.p.add.2d.b32.trap [%h, {1, 0}], %t;
        mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 96, %t;
        sured.b.max.2d.u32.trap [%h, {8, 0}], %r1;
        neg.s32 %r2, %r1;
        sured.p.min.2d.b32.trap [%h, {3, 0}], %r2;
        cvt.s64.s32 %l1, %r2;
        sured.b.min.2d.s64.trap [%h, {16, 0}], %l1;
        sured.b.add.2d.u64.trap [%h, {24, 0}], %l4";
    let (loaded, handle) = load(inst, &zeros(&shape(Geometry::D2, "s32"), "sums"));
    let (out, _) = loaded.buffer(8);
    let how = How { grid: [64, 1, 1], block: [96, 1, 1], threads: 4, ..How::default() };
    let stats = loaded.run("k", how, &[Arg::U64(out), Arg::U64(handle)]).unwrap();
    let n = 64 * 96_u64;
    assert_eq!(stats.surface_accesses, 6 * n);
    let resource = &loaded.descriptors.surfaces[0].as_ref().unwrap().resource;
    let packed = resource.to_packed();
    let word = |i: usize| u32::from_le_bytes(packed[i * 4..][..4].try_into().unwrap());
    assert_eq!(u64::from(word(0)), n);
    assert_eq!(word(1), 64 * (95 * 96 / 2));
    assert_eq!(u64::from(word(2)), n - 1);
    assert_eq!(word(3) as i32, 1 - n as i32);
    let long = |i: usize| u64::from(word(i)) | u64::from(word(i + 1)) << 32;
    assert_eq!(long(4) as i64, 1 - n as i64);
    assert_eq!(long(6), 0x4444_4444_4444_4444_u64.wrapping_mul(n));
}

/// Two warps, the second of them partial, each lane with its own surface of two: only the lanes
/// that exist store.
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
    assert_eq!((seen.surface.resource.name(), seen.coords), ("even", [16, 5, 0]));
    assert_eq!(seen.outcome, Ok([44, 0, 0, 0]));
}
