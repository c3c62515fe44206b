//! Numbers of mip levels in 1/256, without a sampler's state: docs/numerics.md, rules 3.2 and 3.3.

/// How far a level may go in 1/256: keeps sums of saturated numbers in range.
pub(crate) const FAR: i64 = 1 << 40;

/// Rule 3.2: an f32 level or bias in 1/256, cut. Rule 3.2 (open): a NaN level is 0.
pub(crate) fn cut_to_256ths(x: f32) -> i64 {
    // The product is exact; `as` cuts, saturates and takes NaN to 0.
    ((f64::from(x) * 256.0) as i64).clamp(-FAR, FAR)
}

/// Rule 3.3: the level clamps of a sampler and the levels there are, as one interval in 1/256. If
/// the clamps are in the wrong order the lower one wins.
pub(crate) fn clamp_interval(min: f32, max: f32, levels: usize) -> [i64; 2] {
    let last = 256 * (levels as i64 - 1);
    let [min, max] = [min, max].map(cut_to_256ths);
    [min.clamp(0, last), max.max(min).clamp(0, last)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_cut() {
        assert_eq!(cut_to_256ths(1.7), 435);
        assert_eq!(cut_to_256ths(-1.7), -435);
        assert_eq!(cut_to_256ths(f32::NAN), 0);
        assert_eq!(cut_to_256ths(f32::INFINITY), FAR);
        assert_eq!(cut_to_256ths(-1e-40), 0);
    }

    #[test]
    fn clamps() {
        assert_eq!(clamp_interval(0.0, f32::INFINITY, 5), [0, 1024]);
        assert_eq!(clamp_interval(1.999, 2.5, 5), [511, 640]);
        assert_eq!(clamp_interval(3.0, 1.0, 5), [768, 768], "the lower clamp wins");
        assert_eq!(clamp_interval(-7.0, -3.0, 5), [0, 0]);
        assert_eq!(clamp_interval(9.0, 12.0, 5), [1024, 1024]);
        assert_eq!(clamp_interval(f32::NAN, f32::NAN, 5), [0, 0]);
    }
}
