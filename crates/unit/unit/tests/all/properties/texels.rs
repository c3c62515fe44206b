//! Tests the texels that observers get for a fetch, without its result: they must be those of the
//! reference.

use super::draw::*;
use proptest::prelude::*;
use std::sync::Arc;
use texunit_cases::{Access, random_unit_case};
use texunit_unit::{
    AxisTexels, CoordType, FetchForm, FetchKind, FetchOperands, FetchPlan, FetchRequest, Lod,
    ReadMode, ReadTexel, ReadTexels, WarpTexels, reference,
};

/// The texels inside the texture that the reference reads, in the order in which they are summed.
fn of_reference(plan: &FetchPlan, operands: &FetchOperands) -> Vec<ReadTexel> {
    let (form, texture, sampler) = (plan.form(), plan.texture(), plan.sampler());
    let trace = reference::trace(form, texture, sampler, operands).unwrap();
    let texels = trace.footprints.iter().flat_map(|footprint| &footprint.texels);
    let read = |texel: &reference::trace::TexelTrace| {
        let counts = texel.weight > 0 || texel.exact == 0.0;
        texel.at.map(|at| ReadTexel { at, counts })
    };
    texels.filter_map(read).collect()
}

/// Compares the texels of a lane with those that are computed for a warp: their positions, and the
/// number of texels outside.
fn of_warp(plan: &FetchPlan, operands: &FetchOperands, texels: Option<&ReadTexels>) {
    let spread = operands.coords.map(|bits| [bits; 32]);
    let coords = spread.each_ref();
    let offset = operands.offset.map(|offset| [offset as u32; 32]);
    let request = FetchRequest { offset: offset.each_ref(), ..FetchRequest::new(1 << 19, coords) };
    let Some(WarpTexels { plane, axes }) = plan.texels_of_warp(&request) else { return };
    let texels = texels.expect("those of a lane are known, too");
    let along = |a: usize| {
        let both = axes[a].0.map(|row| row[19]);
        both.into_iter().filter(|&k| k != AxisTexels::UNREAD).collect::<Vec<_>>()
    };
    let (mut inside, mut outside) = (Vec::new(), 0);
    for z in along(2) {
        for y in along(1) {
            for x in along(0) {
                match [x, y, z].map(u32::try_from) {
                    [Ok(x), Ok(y), Ok(z)] => inside.push((plane, [x, y, z])),
                    _ => outside += 1,
                }
            }
        }
    }
    let found: Vec<_> = texels.iter().map(|texel| (texel.at.plane, texel.at.at)).collect();
    assert_eq!((inside, outside), (found, texels.outside()), "{:?} {operands:?}", plan.form());
}

/// Compares the texels with those of the reference. Returns whether they were found without the
/// reference.
fn compare(plan: &FetchPlan, operands: &FetchOperands) -> bool {
    let expected = of_reference(plan, operands);
    let mut texels = ReadTexels::default();
    let few = plan.few_texels(operands, &mut texels);
    if few {
        assert_eq!(texels.to_vec(), expected, "{:?} {operands:?}", plan.form());
    }
    of_warp(plan, operands, few.then_some(&texels));
    let mut counted = Vec::new();
    plan.texels_that_count(operands, &mut texels, |at| counted.push(at));
    let counts = expected.iter().filter(|texel| texel.counts);
    assert_eq!(counted, counts.map(|texel| texel.at).collect::<Vec<_>>());
    few
}

#[test]
fn texels_of_random_cases() {
    let (mut all, mut few) = (0, 0);
    for index in 0..6000 {
        let Access::Fetch(case) = random_unit_case(77, index).access else { continue };
        let built = case.build().unwrap();
        let Ok(plan) = FetchPlan::new(built.form, &built.texture, &built.sampler) else { continue };
        for operands in built.operands.iter().take(4) {
            all += 1;
            few += u32::from(compare(&plan, operands));
        }
    }
    assert!(all > 8000 && few > all / 8, "{few} of {all}");
}

/// Coordinates close to edges, centres and halves of 1/256, where rounding decides.
fn close() -> impl Strategy<Value = f32> {
    (-40..40_i32, 0..5_i32, -2..3_i32).prop_map(|(n, of, steps)| {
        let x = n as f32 / [1.0, 2.0, 256.0, 512.0, 1024.0][of as usize];
        f32::from_bits(x.to_bits().saturating_add_signed(steps))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn texels_where_rounding_decides(
        geometry in prop::sample::select(GEOMETRIES[..5].to_vec()),
        size in prop::array::uniform3(edge()),
        sampler in sampler(),
        is_normalized in any::<bool>(),
        coord in prop::sample::select(vec![CoordType::F32, CoordType::F32, CoordType::S32]),
        offset in any::<bool>(),
        operands in any_operands(),
        point in prop::array::uniform3(prop_oneof![close(), any::<f32>()]),
    ) {
        let sampler = fitting(sampler, geometry);
        let mut texture = texture(&shape(geometry, "f32", size, 3), ReadMode::Element, &[1]);
        texture.normalized_coords = is_normalized;
        let kind = FetchKind::Sample(Lod::Implicit);
        let form = FetchForm { offset, coord, kind, ..sample(geometry, Lod::Implicit) };
        let Ok(plan) = FetchPlan::new(form, &Arc::new(texture), &sampler) else { return Ok(()) };
        let mut operands = operands;
        operands.coords.point = match coord {
            CoordType::F32 => point.map(f32::to_bits),
            CoordType::S32 => point.map(|x| x as i32 as u32),
        };
        compare(&plan, &operands);
        let is_small = point.iter().all(|x| x.abs() < 4096.0 || x.is_nan());
        prop_assert!(!is_small || plan.few_texels(&operands, &mut ReadTexels::default()) || sampler.max_anisotropy > 1);
    }
}
