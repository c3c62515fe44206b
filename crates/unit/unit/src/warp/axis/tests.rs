//! Tests of the axis stages against the reference, up to and beyond the limits of 32-bit
//! arithmetic.

use super::exact::ExactTexels;
use super::*;
use crate::request::Lanes;
use texunit_testkit::Random;

const MODES: [AddressMode; 5] = [
    AddressMode::Clamp,
    AddressMode::Wrap,
    AddressMode::Mirror,
    AddressMode::Border,
    AddressMode::ClampOgl,
];

/// A random coordinate up to a limit. Every second one is close to a multiple of half a texel.
fn coordinate(random: &mut Random, limit: f32, unit: f32) -> u32 {
    let size = limit * (-(random.below(40_u32) as f32)).exp2() * 0.999_999;
    let x = random.between(0.0, size);
    let x = if random.one_in(2) { x } else { (x * unit * 2.0).round() / (unit * 2.0) };
    let x = if random.one_in(2) { x } else { -x };
    let other = random.below(3_u32).wrapping_sub(1);
    if x == 0.0 { x.to_bits() } else { x.to_bits().wrapping_add(other) }
}

/// Random coordinates up to a limit. With `far`, some of them are beyond it.
fn coordinates(random: &mut Random, limit: f32, unit: f32, far: bool) -> Lanes {
    let mut coords = [0; 32];
    coords.fill_with(|| coordinate(random, limit, unit));
    if far {
        let ends = [limit, 4_194_304.0 / unit].map(f32::next_down);
        let ends = [ends[0], -ends[0], ends[1], -ends[1]];
        let others = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38, -1e9, 2e6];
        for x in ends.into_iter().chain(others) {
            coords[random.below(32_u32) as usize] = x.to_bits();
        }
    }
    coords
}

/// The texels and the weight that the stage has computed for a lane.
fn found(out: &AxisLanes, pairs: bool, lane: usize) -> ExactTexels {
    let upper = if pairs { out.upper[lane] } else { out.lower[lane] };
    let weight = if pairs { out.weight[lane] } else { 0 };
    ExactTexels { texels: [out.lower[lane], upper].map(|texel| texel as i32), weight }
}

/// Sizes for which coordinates keep different numbers of fractional bits (rule 1.2 of
/// docs/numerics.md).
const SIZES: [u32; 15] =
    [1, 2, 3, 5, 16, 1000, 1024, 8192, 16_383, 16_384, 20_000, 32_768, 65_535, 131_071, 131_072];

fn compare(find: Find, scaling: Scaling, mode: AddressMode, build: Build) {
    let mut random = Random::for_test(find as u64 * 16 + mode as u64);
    let normalized = scaling.coords == Coords::Normalized;
    let pairs = !matches!(find, Find::Point | Find::Taps | Find::Integer | Find::Clamped);
    for (n, size) in SIZES.into_iter().cycle().take(600).enumerate() {
        let unit = if normalized { size as f32 } else { 1.0 };
        let limit = if normalized { (FAR / unit).min(1024.0) } else { FAR };
        let mut at = coordinates(&mut random, limit, unit, n % 4 == 0);
        if scaling.of_face && n % 3 == 0 {
            // Coordinates run from edge to edge of a face, and slightly beyond.
            at = at.map(|x| (f32::from_bits(x) % 1.000_001).to_bits());
        }
        let mut offset = [0; 32];
        offset.fill_with(|| random.within(-31..=31) as u32);
        let mut shift = [0; 32];
        if n % 5 == 0 && (pairs || find == Find::Taps) {
            shift.fill_with(|| (2 * random.within(-960..=960)) as u32);
        }
        let mut size_of = [size; 32];
        if n % 2 == 0 {
            size_of.fill_with(|| (size >> random.below(4_u32)).max(1));
        }
        let of = Operands {
            coords: &at,
            offset: Some(&offset),
            shift: Some(&shift),
            size: Some(&size_of),
            pitch: None,
        };
        let axis = Axis::general(size, find, scaling, mode, build);
        let mut out = AxisLanes::ZERO;
        axis.run(of, &mut out);
        for lane in 0..32 {
            let moved = [offset[lane], shift[lane]].map(|by| by as i32);
            let mut wanted = axis.exact.find(at[lane], moved, size_of[lane]);
            if !pairs {
                wanted.texels[1] = wanted.texels[0];
            }
            let got = found(&out, pairs, lane);
            let x = f32::from_bits(at[lane]);
            assert_eq!(
                got, wanted,
                "{find:?} {scaling:?} {mode:?} {build:?}: {x:e} and {moved:?} of {} of {size}",
                size_of[lane]
            );
        }
    }
}

fn scaling(coords: Coords) -> Scaling {
    Scaling { coords, of_face: false }
}

/// The scaling of products on a cube face (rule 7.2 of docs/numerics.md).
const OF_FACE: Scaling = Scaling { coords: Coords::Normalized, of_face: true };

#[test]
fn stages_find_the_texels_of_the_reference() {
    for build in Build::all() {
        for mode in MODES {
            let floats = [scaling(Coords::Normalized), scaling(Coords::Unnormalized), OF_FACE];
            for scaling in floats {
                for find in [Find::Point, Find::Taps, Find::Linear, Find::Gather] {
                    compare(find, scaling, mode, build);
                }
            }
            for find in [Find::Integer, Find::Clamped] {
                compare(find, scaling(Coords::Integer), mode, build);
            }
        }
        compare(Find::Seamless, OF_FACE, AddressMode::Clamp, build);
    }
}

const NONE: Operands<'static> =
    Operands { coords: &[0; 32], offset: None, shift: None, size: None, pitch: None };

/// Rule 1.2 of docs/numerics.md: coordinates are floored to multiples of 2^-21, or finer for large
/// sizes. The test uses coordinates for which a finer multiple would be another texel.
#[test]
fn large_sizes_floor_to_finer_steps() {
    // Each row has a size and its number of fractional bits.
    for (size, bits) in [(8192, 21), (16_383, 21), (16_384, 22), (32_768, 23), (131_072, 23)] {
        for build in Build::all() {
            for mode in [AddressMode::Clamp, AddressMode::Wrap, AddressMode::Border] {
                let (mode, normalized) = (mode, scaling(Coords::Normalized));
                let axis = Axis::general(size, Find::Linear, normalized, mode, build);
                // The coordinates are a position inside plus one step, plus almost two steps, and
                // plus two steps.
                let step = (-bits as f32).exp2();
                let place = 0.007_812_5;
                let coords = std::array::from_fn(|lane| match lane {
                    0 => (place + step).to_bits(),
                    1 => (place + 2.0 * step).next_down().to_bits(),
                    _ => (place + 2.0 * step).to_bits(),
                });
                let of = Operands { coords: &coords, ..NONE };
                let mut out = AxisLanes::ZERO;
                axis.run(of, &mut out);
                let [first, last, next] = [0, 1, 2].map(|lane| found(&out, true, lane));
                assert_eq!(first, last, "{size} {mode:?} {build:?}");
                assert_ne!(first, next, "{size} {mode:?} {build:?}");
            }
        }
    }
}

/// Byte offsets must be indices times the pitch.
#[test]
fn offsets_are_texels_times_their_pitch() {
    for build in Build::all() {
        let Some(wide) = Wide::of(build) else { continue };
        let mut random = Random::for_test(7);
        for mode in MODES.into_iter().filter(|&mode| mode != AddressMode::ClampOgl) {
            let sizes = [5, 64, 1000, 8192, 32_768];
            let finds = [Find::Point, Find::Linear].into_iter();
            for (find, size) in finds.flat_map(|find| sizes.map(|size| (find, size))) {
                for scaling in [scaling(Coords::Normalized), OF_FACE] {
                    let at = coordinates(&mut random, 9.0, size as f32, true);
                    let of = Operands { coords: &at, ..NONE };
                    let to = To::Level { size, pitch: 12 };
                    let axis = Axis::fast(to, find, scaling, mode, wide);
                    let mut out = AxisLanes::ZERO;
                    axis.run(of, &mut out);
                    let sides = if find == Find::Linear { 2 } else { 1 };
                    for lane in 0..32 {
                        let wanted = axis.exact.find(at[lane], [0; 2], size);
                        for side in 0..sides {
                            let outside = out.outside[side] >> lane & 1 == 1;
                            let name = format!("{find:?} {scaling:?} {mode:?} {size}");
                            assert_eq!(outside, wanted.texels[side] < 0, "{name}");
                            if !outside {
                                let offset = wanted.texels[side] as u32 * 12;
                                assert_eq!(out.side(side)[lane], offset, "{name}");
                            }
                        }
                    }
                }
            }
        }
    }
}
