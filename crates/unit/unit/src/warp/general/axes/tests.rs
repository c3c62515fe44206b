//! Both ways to find texels against each other, out to where the quick one ends.

use super::*;
use texunit_testkit::Random;

/// A coordinate of any size up to a limit, one in two of them next to half a texel.
fn coordinate(random: &mut Random, limit: f32, unit: f32) -> u32 {
    let size = limit * (-(random.below(40_u32) as f32)).exp2() * 0.999_999;
    let x = random.between(0.0, size);
    let x = if random.one_in(2) { x } else { (x * unit * 2.0).round() / (unit * 2.0) };
    let x = if random.one_in(2) { x } else { -x };
    let other = random.below(3_u32).wrapping_sub(1);
    if x == 0.0 { x.to_bits() } else { x.to_bits().wrapping_add(other) }
}

fn compare<const FIND: u8, const NORMALIZED: bool, const MODE: u8>() {
    let mut random = Random::for_test(u64::from(FIND) << 8 | u64::from(MODE));
    let mut near = 0;
    for n in [1, 2, 3, 5, 16, 1000, 1024, 65_535, 131_071, 131_072].into_iter().cycle().take(2000) {
        let unit = if NORMALIZED { n as f32 } else { 1.0 };
        let limit = if NORMALIZED { (4_194_304.0 / unit).min(1024.0) } else { 4_194_304.0 };
        let (mut coords, mut offset) = ([0; 32], [0; 32]);
        coords.fill_with(|| coordinate(&mut random, limit, unit));
        offset.fill_with(|| random.within(-31..=31));
        let of = Operands { coords: &coords, size: &[f64::from(n); 32], offset: &offset };
        let (mut quick, mut slow) = (AxisLanes::NONE, AxisLanes::NONE);
        let is_near = match FIND {
            POINT => near::texels::<MODE>(of, NORMALIZED, &mut quick),
            _ => near::pairs::<MODE>(of, (NORMALIZED, FIND == LINEAR), &mut quick),
        };
        exact::<FIND, NORMALIZED, MODE>(of, &mut slow);
        if is_near {
            near += 1;
            let all = |a: &AxisLanes| [a.lower, a.upper, a.weight];
            assert_eq!(all(&quick), all(&slow), "{FIND} {NORMALIZED} {MODE}, {n}: {coords:x?}");
        }
    }
    assert!(near > 1500, "{near}");
}

fn compare_modes<const FIND: u8, const NORMALIZED: bool>() {
    compare::<FIND, NORMALIZED, CLAMP>();
    compare::<FIND, NORMALIZED, WRAP>();
    compare::<FIND, NORMALIZED, MIRROR>();
    compare::<FIND, NORMALIZED, BORDER>();
}

#[test]
fn near_points_are_found_as_all_are() {
    compare_modes::<POINT, true>();
    compare_modes::<POINT, false>();
    compare_modes::<LINEAR, true>();
    compare_modes::<LINEAR, false>();
    compare_modes::<GATHER, true>();
    compare_modes::<GATHER, false>();
    compare::<LINEAR, true, CLAMP_OGL>();
    compare::<LINEAR, false, CLAMP_OGL>();
    compare::<GATHER, true, RAW>();
}
