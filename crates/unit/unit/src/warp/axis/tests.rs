//! The stages against the reference, out to where 32-bit arithmetic ends and beyond.

use super::far::Found;
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

/// A coordinate of any size up to a limit, one in two of them next to half a texel.
fn coordinate(random: &mut Random, limit: f32, unit: f32) -> u32 {
    let size = limit * (-(random.below(40_u32) as f32)).exp2() * 0.999_999;
    let x = random.between(0.0, size);
    let x = if random.one_in(2) { x } else { (x * unit * 2.0).round() / (unit * 2.0) };
    let x = if random.one_in(2) { x } else { -x };
    let other = random.below(3_u32).wrapping_sub(1);
    if x == 0.0 { x.to_bits() } else { x.to_bits().wrapping_add(other) }
}

/// Coordinates of which some are far.
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

/// What all lanes found.
fn found(out: &AxisLanes, pairs: bool, lane: usize) -> Found {
    let upper = if pairs { out.upper[lane] } else { out.lower[lane] };
    let weight = if pairs { out.weight[lane] } else { 0 };
    Found { texels: [out.lower[lane], upper].map(|texel| texel as i32), weight }
}

fn compare(find: Find, coords: Coords, mode: AddressMode, build: Build) {
    let mut random = Random::for_test(find as u64 * 16 + mode as u64);
    let normalized = coords == Coords::Normalized;
    let sizes = [1, 2, 3, 5, 16, 1000, 1024, 65_535, 131_071, 131_072];
    for (n, size) in sizes.into_iter().cycle().take(600).enumerate() {
        let unit = if normalized { size as f32 } else { 1.0 };
        let limit = if normalized { (FAR / unit).min(1024.0) } else { FAR };
        let at = coordinates(&mut random, limit, unit, n % 4 == 0);
        let mut offset = [0; 32];
        offset.fill_with(|| random.within(-31..=31) as u32);
        let mut size_of = [size; 32];
        if n % 2 == 0 {
            size_of.fill_with(|| (size >> random.below(4_u32)).max(1));
        }
        let of = Operands { coords: &at, offset: Some(&offset), size: Some(&size_of), pitch: None };
        let axis = Axis::general(size, find, coords, mode, build);
        let mut out = AxisLanes::ZERO;
        axis.run(of, &mut out);
        let pairs = !matches!(find, Find::Point | Find::Integer);
        for lane in 0..32 {
            let mut wanted = axis.exact.find(at[lane], offset[lane] as i32, size_of[lane]);
            if !pairs {
                wanted.texels[1] = wanted.texels[0];
            }
            let got = found(&out, pairs, lane);
            let x = f32::from_bits(at[lane]);
            assert_eq!(
                got, wanted,
                "{find:?} {coords:?} {mode:?} {build:?}: {x} of {}",
                size_of[lane]
            );
        }
    }
}

#[test]
fn stages_find_the_texels_of_the_reference() {
    for build in Build::all() {
        for mode in MODES {
            for coords in [Coords::Normalized, Coords::Unnormalized] {
                for find in [Find::Point, Find::Linear, Find::Gather] {
                    compare(find, coords, mode, build);
                }
            }
            compare(Find::Integer, Coords::Integer, mode, build);
        }
        compare(Find::Seamless, Coords::Normalized, AddressMode::Clamp, build);
    }
}

/// Byte offsets are those of the same texels.
#[test]
fn offsets_are_texels_times_their_pitch() {
    for build in Build::all() {
        let Some(wide) = Wide::of(build) else { continue };
        let mut random = Random::for_test(7);
        for mode in MODES.into_iter().filter(|&mode| mode != AddressMode::ClampOgl) {
            for (find, size) in [Find::Point, Find::Linear]
                .into_iter()
                .flat_map(|find| [5, 64, 1000].map(|size| (find, size)))
            {
                let at = coordinates(&mut random, 9.0, size as f32, true);
                let of = Operands { coords: &at, offset: None, size: None, pitch: None };
                let to = To::Level { size, pitch: 12 };
                let axis = Axis::fast(to, find, Coords::Normalized, mode, wide);
                let mut out = AxisLanes::ZERO;
                axis.run(of, &mut out);
                let sides = if find == Find::Linear { 2 } else { 1 };
                for lane in 0..32 {
                    let wanted = axis.exact.find(at[lane], 0, size);
                    for side in 0..sides {
                        let outside = out.outside[side] >> lane & 1 == 1;
                        assert_eq!(outside, wanted.texels[side] < 0, "{find:?} {mode:?} {size}");
                        if !outside {
                            let offset = out.side(side)[lane];
                            assert_eq!(
                                offset,
                                wanted.texels[side] as u32 * 12,
                                "{find:?} {mode:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
