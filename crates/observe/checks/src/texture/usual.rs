//! Counts the usual fetches of a warp, which cause no finding: no coordinate is NaN, no texel lies
//! beyond an edge, and with a linear filter the coordinates have fractions. The lanes are counted
//! together in loops without branches, which the compiler vectorises.

use super::measure::Frame;
use super::measured::Measured;
use texunit_unit::{Build, Lanes};

/// Adding this number (1.5 * 2^52) rounds to an integer, because the significand has no bits left
/// for a fraction.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// The distance from `x` to the nearest integer, for `x` below 2^51 in magnitude.
#[inline(always)]
fn fraction(x: f64) -> f64 {
    (x - ((x + WHOLE) - WHOLE)).abs()
}

#[inline(always)]
fn number(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

impl Frame {
    /// Adds the lanes with usual fetches to the statistics, for fetches of which [`Self::is_plain`]
    /// is true. Returns these lanes. The other lanes have to be added by [`Self::place`].
    pub(super) fn usual(&self, measured: &mut Measured, point: &[&Lanes; 3], lanes: u32) -> u32 {
        Build::current().run(
            #[inline(always)]
            || {
                let usual = self.are_usual(point, lanes);
                if usual != 0 {
                    let axes = point.iter().take(self.axes).enumerate();
                    axes.for_each(|(axis, row)| measured.add_lanes(axis, row, usual));
                    let count = u64::from(usual.count_ones());
                    measured.fetches += count;
                    if self.is_linear {
                        measured.whole.fetches += count;
                    }
                }
                usual
            },
        )
    }

    #[inline(always)]
    fn are_usual(&self, point: &[&Lanes; 3], lanes: u32) -> u32 {
        let (mut usual, mut between) = (lanes, if self.is_linear { 0 } else { u32::MAX });
        for (along, row) in self.along.iter().zip(point).take(self.axes) {
            let slack = if self.is_normalized { 1.0 / f64::from(1 << 22) } else { 0.0 };
            for (lane, &bits) in row.iter().enumerate() {
                let place = number(bits) * along.scale;
                let is_within = (place >= along.least)
                    & ((place < along.most) | along.has_most & (place == along.most));
                let is_between = fraction(place) > if place > 1.0 { place * slack } else { slack };
                usual &= !(u32::from(!is_within) << lane);
                between |= u32::from(is_between & along.is_wide) << lane;
            }
        }
        usual & between
    }
}

impl Measured {
    /// Adds one coordinate of some lanes to the statistics.
    #[inline(always)]
    fn add_lanes(&mut self, axis: usize, row: &Lanes, lanes: u32) {
        let first = number(row[lanes.trailing_zeros() as usize & 31]);
        if self.fetches == 0 {
            (self.least[axis], self.most[axis]) = (first, first);
        }
        let (known, mut least, mut most) = (self.least[axis], first, first);
        let (mut varies, mut odd) = (0, 0);
        for (lane, &bits) in row.iter().enumerate() {
            let is_on = lanes >> lane & 1;
            let c = if is_on == 1 { number(bits) } else { first };
            least = if c < least { c } else { least };
            most = if c > most { c } else { most };
            varies |= u32::from(c != known);
            odd += is_on & u32::from(fraction(c * 2.0) != 0.0);
        }
        self.least[axis] = known.min(least);
        self.most[axis] = self.most[axis].max(most);
        self.varies |= varies != 0;
        self.odd += u64::from(odd);
    }
}
