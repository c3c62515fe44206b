//! The taps of anisotropic gradients for 32 lanes: docs/numerics.md, rule 4.12. Levels and taps are
//! computed lane by lane with the reference; texels are read and summed for all lanes at once.

use super::tally::Tally;
use crate::reference::anisotropy::Taps;
use crate::reference::weights::Scale;
use crate::request::{FetchRequest, Lanes, lanes};
use crate::warp::levels::{LevelLanes, LevelStage};

/// The taps of 32 lanes in both levels, and the state of the tap that is current.
#[derive(Clone, Debug)]
pub(super) struct TapLanes {
    /// Taps of each lane in both levels; `None` stands for one tap with the level's whole share.
    taps: [[Option<Taps>; 32]; 2],
    /// The scale of the sum of all weights, for each lane.
    pub(super) scale: [Scale; 32],
    /// The maximum number of taps of any lane, in each level.
    pub(super) most: [u32; 2],
    /// The weight of the current tap, in the unit of the weights of its level; 0 in lanes that have
    /// fewer taps.
    pub(super) weight: Lanes,
    /// Binary logarithm of the ratio between two units of weights: that of the current level, and
    /// the finer one of the lane's whole fetch.
    pub(super) finer: Lanes,
    /// The mask of the lanes that have the current tap.
    pub(super) active: u32,
    /// The offset of the current tap from the coordinates along x and y, in 1/256 of a texel.
    pub(super) shift: [Lanes; 2],
    pub(super) tallies: [Tally; 4],
    /// The sum of the weights of the texels that pass a depth compare.
    pub(super) passing: [u32; 32],
}

impl TapLanes {
    pub(super) fn new() -> Self {
        Self {
            taps: [[None; 32]; 2],
            scale: [0; 32],
            most: [0; 2],
            weight: [0; 32],
            finer: [0; 32],
            active: 0,
            shift: [[0; 32]; 2],
            tallies: std::array::from_fn(|_| Tally::ZERO),
            passing: [0; 32],
        }
    }

    /// Computes levels and taps of all active lanes. Returns whether any lane has a second level.
    pub(super) fn grade(
        &mut self,
        stage: &LevelStage,
        request: &FetchRequest<'_>,
        levels: &mut LevelLanes,
    ) -> bool {
        let mut wanted = [0; 32];
        let mut all = [None; 32];
        for lane in lanes(request.active) {
            let graded = stage.graded(request, lane);
            wanted[lane] = stage.wanted(graded.level());
            all[lane] = Some(graded);
        }
        let has_second = stage.finish(&wanted, request.active, levels);
        self.taps = [[None; 32]; 2];
        self.scale = [0; 32];
        self.most = [1; 2];
        for lane in lanes(request.active) {
            let rest = levels.share[1][lane];
            for slot in 0..if rest > 0 { 2 } else { 1 } {
                let taps = all[lane].and_then(|graded| graded.taps(slot > 0, rest));
                let Some(taps) = taps else { continue };
                self.taps[slot][lane] = Some(taps);
                self.scale[lane] = self.scale[lane].max(taps.scale);
                self.most[slot] = self.most[slot].max(taps.count);
            }
        }
        has_second
    }

    /// Whether any lane has more than one tap.
    pub(super) fn is_tapped(&self) -> bool {
        self.most[0].max(self.most[1]) > 1
    }

    /// Sets all sums to zero, before the first tap.
    pub(super) fn clear(&mut self) {
        self.tallies = std::array::from_fn(|_| Tally::ZERO);
        self.passing = [0; 32];
    }

    /// Makes the tap with index `number` in a level the current one, for the lanes of `active`.
    /// `share` is the level's share.
    pub(super) fn select(&mut self, slot: usize, number: u32, share: &Lanes, active: u32) {
        (self.weight, self.finer, self.shift) = ([0; 32], [0; 32], [[0; 32]; 2]);
        self.active = 0;
        for lane in lanes(active) {
            match &self.taps[slot][lane] {
                _ if share[lane] == 0 => continue,
                Some(taps) if number < taps.count => {
                    self.weight[lane] = taps.weight(number);
                    self.finer[lane] = self.scale[lane] - taps.scale;
                    let way = taps.tap_offset(number);
                    for axis in 0..2 {
                        self.shift[axis][lane] = (2 * way[axis]) as u32;
                    }
                }
                None if number == 0 => {
                    self.weight[lane] = share[lane];
                    self.finer[lane] = self.scale[lane];
                }
                _ => continue,
            }
            self.active |= 1 << lane;
        }
    }
}
