//! Both ways to find texels against each other, out to where the quick one ends.

use super::*;

/// Random bits.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as u32
    }

    /// A coordinate of any size up to a limit, one in two of them next to half a texel.
    fn coordinate(&mut self, limit: f32, unit: f32) -> u32 {
        let size = limit * (-((self.next() % 40) as f32)).exp2() * 0.999_999;
        let x = size * (self.next() as f32 / 2_147_483_648.0);
        let x = if self.next() & 1 == 0 { x } else { (x * unit * 2.0).round() / (unit * 2.0) };
        let x = if self.next() & 1 == 0 { x } else { -x };
        let other = (self.next() % 3).wrapping_sub(1);
        if x == 0.0 { x.to_bits() } else { x.to_bits().wrapping_add(other) }
    }
}

fn compare<const FIND: u8, const NORMALIZED: bool, const MODE: u8>() {
    let mut bits = Bits(u64::from(FIND) << 8 | u64::from(MODE));
    let mut near = 0;
    for n in [1, 2, 3, 5, 16, 1000, 1024, 65_535, 131_071, 131_072].into_iter().cycle().take(2000) {
        let unit = if NORMALIZED { n as f32 } else { 1.0 };
        let limit = if NORMALIZED { (4_194_304.0 / unit).min(1024.0) } else { 4_194_304.0 };
        let (mut coords, mut offset) = ([0; 32], [0; 32]);
        coords.fill_with(|| bits.coordinate(limit, unit));
        offset.fill_with(|| bits.next() as i32 % 32);
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
