//! Tests of every form of `sured`: operands, results, and atomicity between lanes, warps and CTAs.

use crate::common::{Arg, How};
use crate::unit_common::surface::{form, load, name, run};
use crate::unit_common::{shape, zeros};
use texunit_unit::{ClampMode, Geometry, ReduceOp, ReduceType, SurfaceKind, TexelIndex};

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
        let seen = (ran.seen.coords.point, ran.seen.form.clamp);
        assert_eq!(seen, (coords, ClampMode::Clamp));
        let at = TexelIndex { at: [1, coords[1], coords[2]], ..TexelIndex::default() };
        assert_eq!(ran.resource.texel(at).unwrap()[0], 9, "{inst}");
    }
}

/// The operand of `sured.p` is an integer, whatever the format (docs/numerics.md 10.9).
#[test]
fn texels_of_floats_are_integers_to_reductions() {
    for format in ["f32", "f16x2", "unorm16x2", "u8x4"] {
        let inst = "sured.p.add.2d.b32.trap [%h, {4, 2}], %r9";
        let ran = run(inst, zeros(&shape(Geometry::D2, format), "picture"));
        let bytes = ran.resource.to_packed();
        assert_eq!(bytes[4 * (2 * 8 + 4)..][..4], 9_u32.to_le_bytes(), "{format}");
        assert_eq!(bytes.iter().filter(|byte| **byte != 0).count(), 1, "{format}");
    }
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
