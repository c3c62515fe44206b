//! Detects linear filtering at coordinates without a fraction. Texel centres lie at n + 0.5, so
//! that such a fetch returns the mean of two texels: the program has probably forgotten to add 0.5.

use super::words;
use crate::end::{Lane, Spot};
use texunit_forms::Count;
use texunit_unit::{Coords, FetchOperands, FetchPlan, ResultType, reference};

/// Maximum number of fetches per instruction for which the result at the coordinate and the result
/// at the texel's centre are both computed and compared.
const MOST_COMPARED: u64 = 64;
/// Minimum number of fetches for a finding.
const FEWEST: u64 = 8;

/// Statistics of fetches with a linear filter, and how many of them have coordinates without
/// fractions.
#[derive(Clone, Debug, Default)]
pub(super) struct WholeCoordinates {
    pub(super) fetches: u64,
    /// Number of fetches without a fractional coordinate. Axes with only one texel do not count.
    whole: u64,
    /// Whether a coordinate without a fraction is even. If all are odd, the program intends the
    /// mean of texels 2n and 2n + 1, since it scales an image to half its size.
    is_even: bool,
    /// Whether different fetches have different coordinates.
    varies: bool,
    first: Option<[i64; 3]>,
    /// The largest difference between a fetch's result and the texel whose number its coordinates
    /// are: the fetch's thread, a description, the difference.
    difference: Option<(Spot, String, f64)>,
}

impl WholeCoordinates {
    /// Adds a fetch with a linear filter to the statistics.
    #[inline]
    pub(super) fn take(
        &mut self,
        plan: &FetchPlan,
        (operands, point): (&dyn Fn() -> FetchOperands, &[f64]),
        who: Lane<'_>,
    ) {
        self.fetches += 1;
        let extent = plan.seen().resource.extent().axes();
        let is_normalized = plan.effective().coords == Coords::Normalized;
        let (mut texel, mut is_wide, mut is_even) = ([0; 3], false, false);
        for (axis, &c) in point.iter().enumerate().take(3) {
            let size = extent[axis];
            if size == 1 {
                continue;
            }
            let scaled = if is_normalized { c * f64::from(size) } else { c };
            // A coordinate that the program has divided by the texture's size may be inexact by
            // rounding.
            let slack =
                if is_normalized { scaled.abs().max(1.0) / f64::from(1 << 22) } else { 0.0 };
            let near = (scaled + 0.5_f64.copysign(scaled)) as i64;
            if (scaled - near as f64).abs() > slack || scaled.abs() > 1e9 {
                return;
            }
            texel[axis] = near;
            is_even |= texel[axis] % 2 == 0;
            is_wide = true;
        }
        if !is_wide {
            return;
        }
        self.whole += 1;
        self.is_even |= is_even;
        let is_inside = texel.iter().zip(extent).all(|(&at, n)| (0..i64::from(n)).contains(&at));
        if self.whole <= MOST_COMPARED && is_inside {
            self.compare(plan, (&operands(), point, &texel[..point.len()]), who.spot());
        }
        match &self.first {
            Some(first) => self.varies |= *first != texel,
            None => self.first = Some(texel),
        }
    }

    /// Compares a fetch's result with the result at the centre of the texel whose number its
    /// coordinates are.
    fn compare(
        &mut self,
        plan: &FetchPlan,
        (operands, point, texel): (&FetchOperands, &[f64], &[i64]),
        spot: Spot,
    ) {
        if plan.form().result != ResultType::F32 {
            return;
        }
        let extent = plan.seen().resource.extent().axes();
        let mut middle = *operands;
        for (axis, &at) in texel.iter().enumerate() {
            let place = at as f64 + 0.5;
            let is_normalized = plan.effective().coords == Coords::Normalized;
            let place = if is_normalized { place / f64::from(extent[axis]) } else { place };
            middle.coords.point[axis] = (place as f32).to_bits();
        }
        let fetch = |operands: &FetchOperands| {
            reference::fetch(plan.form(), plan.texture(), plan.sampler(), operands).ok()
        };
        let Some((between, meant)) = fetch(operands).zip(fetch(&middle)) else { return };
        let channels = usize::from(plan.seen().resource.format().channels());
        for (between, meant) in between.values.iter().zip(meant.values).take(channels) {
            let (between, meant) = (f32::from_bits(*between), f32::from_bits(meant));
            let difference = f64::from((between - meant).abs());
            let most = self.difference.as_ref().map_or(0.0, |(.., most)| *most);
            if difference > most && difference.is_finite() {
                let texel: Vec<f64> = texel.iter().map(|&at| at as f64).collect();
                let (place, texel) = (words::point(point), words::point(&texel));
                let text = format!(
                    "the result at {place} is {between}, a mean of texels, and texel {texel} is {meant}"
                );
                self.difference = Some((spot, text, difference));
            }
        }
    }

    /// Adds the statistics of another worker thread.
    pub(super) fn add(&mut self, other: &Self) {
        self.fetches += other.fetches;
        self.whole += other.whole;
        self.is_even |= other.is_even;
        self.varies |= other.varies
            || self.first.is_some() && other.first.is_some() && self.first != other.first;
        self.first = self.first.or(other.first);
        let much = |of: &Option<(Spot, String, f64)>| of.as_ref().map_or(0.0, |(.., much)| *much);
        if much(&other.difference) > much(&self.difference) {
            self.difference.clone_from(&other.difference);
        }
    }

    /// The finding as thread, description and number of fetches. `None` if the coordinates look
    /// right, or if the mean of texels does not differ from the intended texel.
    pub(super) fn found(&self) -> Option<(Spot, String, u64)> {
        let is_usual = self.fetches >= FEWEST && self.whole * 10 >= self.fetches * 9;
        if !is_usual || !self.is_even || !self.varies {
            return None;
        }
        let (spot, difference, _) = self.difference.clone()?;
        let (whole, fetches) = (self.whole, Count(self.fetches, "fetch"));
        let message = format!(
            "{whole} of {fetches} with a linear filter have whole coordinates, which lie between texels: {difference}"
        );
        Some((spot, message, whole))
    }
}
