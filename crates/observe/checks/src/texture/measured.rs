//! Statistics of the coordinates of fetches. From these follow the findings about footprints
//! outside the texture, and about normalized coordinates in place of texel coordinates or the
//! reverse. A footprint is the set of texels that a fetch reads.

use super::half::WholeCoordinates;
use crate::end::{Lane, Spot};

/// Statistics of the fetches of one instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) fetches: u64,
    /// Number of fetches whose threads use the result, as far as known: a thread all of whose
    /// surface stores are dropped does not use it.
    pub(super) judged: u64,
    /// Among the fetches whose threads use the result: the first that reads only texels of an edge,
    /// because its footprint is outside the texture, and the number of these fetches.
    pub(super) outside: (Option<Spot>, u64),
    /// Among the fetches whose threads use the result: the first that reads the border colour or
    /// zeros, because its footprint is outside the texture, and the number of these fetches.
    pub(super) border: (Option<Spot>, u64),
    /// Fetches with a linear filter at coordinates without fractions.
    pub(super) whole: WholeCoordinates,
    /// For each axis: the first fetch of which a texel with a nonzero weight lies beyond the
    /// texture's edge, and the number of such fetches.
    pub(super) beyond: [(Option<Spot>, u64); 3],
    pub(super) least: [f64; 3],
    pub(super) most: [f64; 3],
    /// Number of coordinates that are not multiples of 1/2.
    pub(super) odd: u64,
    /// Whether the fetches have different coordinates on some axis.
    pub(super) varies: bool,
}

/// Where a footprint lies relative to the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FootprintPosition {
    /// At least one texel of the footprint is inside the texture.
    Inside,
    /// The footprint is outside, and the fetch reads the border colour or zeros.
    InBorder,
    /// The footprint is outside, and the fetch reads texels of an edge.
    Outside,
}

impl Measured {
    /// Counts fetches of a thread that uses their results.
    pub(super) fn lies(&mut self, lies: FootprintPosition, count: u64, who: Lane<'_>) {
        self.judged += count;
        match lies {
            _ if count == 0 => {}
            FootprintPosition::Inside => {}
            FootprintPosition::InBorder => note(&mut self.border, count, who),
            FootprintPosition::Outside => note(&mut self.outside, count, who),
        }
    }

    #[inline]
    pub(super) fn take(&mut self, point: &[f64]) {
        if self.fetches == 0 {
            self.least[..point.len()].copy_from_slice(point);
            self.most = self.least;
        }
        for (axis, &c) in point.iter().enumerate().take(3) {
            self.varies |= self.least[axis] != c;
            self.least[axis] = self.least[axis].min(c);
            self.most[axis] = self.most[axis].max(c);
            self.odd += u64::from(!is_whole(c * 2.0));
        }
        self.fetches += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        if other.fetches == 0 {
            return;
        }
        for axis in 0..3 {
            if self.fetches == 0 {
                (self.least[axis], self.most[axis]) = (other.least[axis], other.most[axis]);
            }
            self.varies |= self.least[axis] != other.least[axis];
            self.least[axis] = self.least[axis].min(other.least[axis]);
            self.most[axis] = self.most[axis].max(other.most[axis]);
            add(&mut self.beyond[axis], other.beyond[axis]);
        }
        self.judged += other.judged;
        add(&mut self.outside, other.outside);
        add(&mut self.border, other.border);
        self.whole.add(&other.whole);
        self.varies |= other.varies;
        self.odd += other.odd;
        self.fetches += other.fetches;
    }

    /// Whether the coordinates look normalized: all lie between 0 and 1 and have fractions,
    /// although the texture has many texels.
    pub(super) fn look_normalized(&self, extent: [u32; 3], axes: usize) -> bool {
        let small = |axis: usize| self.least[axis] >= 0.0 && self.most[axis] <= 1.0;
        let large = extent[..axes].iter().any(|&n| n >= 4);
        let spans =
            (0..axes).any(|axis| extent[axis] >= 4 && self.most[axis] - self.least[axis] > 0.25);
        large && self.varies && spans && self.odd > 0 && (0..axes).all(small)
    }

    /// Whether the coordinates look like texel numbers or centres: all are multiples of 1/2 up to
    /// the size of the texture, and not only those of the first texels.
    pub(super) fn look_like_texels(&self, extent: [u32; 3], axes: usize) -> bool {
        let fits = |axis: usize| {
            self.least[axis] >= 0.0 && self.most[axis] <= f64::from(extent[axis]) + 0.5
        };
        let large = (0..axes).any(|axis| {
            extent[axis] >= 4
                && self.most[axis] >= f64::from(extent[axis]) / 2.0
                && self.most[axis] > 1.5
        });
        self.odd == 0 && self.varies && large && (0..axes).all(fits)
    }

    pub(super) fn largest(&self) -> f64 {
        self.most.iter().copied().fold(0.0, f64::max)
    }
}

/// Whether a number has no fraction. The conversion to an integer needs no call of the C library;
/// beyond 2^63 no float has a fraction.
fn is_whole(x: f64) -> bool {
    let cut = x as i64;
    cut as f64 == x || matches!(cut, i64::MIN | i64::MAX) && x.is_finite()
}

/// Adds two counts. The first fetch of the lower CTA is kept, so that the report does not depend on
/// the number of worker threads.
fn add(sum: &mut (Option<Spot>, u64), other: (Option<Spot>, u64)) {
    sum.0 = match (sum.0, other.0) {
        (Some(own), Some(other)) if other.order() < own.order() => Some(other),
        (own, other) => own.or(other),
    };
    sum.1 += other.1;
}

/// Counts `count` fetches of a thread.
pub(super) fn note(sum: &mut (Option<Spot>, u64), count: u64, who: Lane<'_>) {
    let [x, y, z] = who.at.cta;
    // The finding shows one fetch as an example: the first one of the first CTA.
    let is_first = count > 0 && sum.0.is_none_or(|spot| [z, y, x] < spot.order());
    add(sum, (is_first.then(|| who.spot()), count));
}
