//! Running of fetch cases: on the reference sampler and on the planned path.

use super::Expected;
use std::sync::Arc;
use texunit_unit::{
    Coordinates, FetchAnswer, FetchForm, FetchOperands, FetchPlan, FetchRequest, Lanes, PlanError,
    Sampler, Scratch, SimdLevel, Texture, fetch_simd_level, reference,
};

/// The actual result of one fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Contents of the result registers x, y, z, w; for `.f16x2`, two registers and zeros.
    pub values: [u32; 4],
    /// The destination predicate.
    pub resident: bool,
}

/// A fetch case with its texture, ready to run.
#[derive(Clone, Debug)]
pub struct BuiltFetch {
    /// The instruction.
    pub form: FetchForm,
    /// The texture from which the fetches read.
    pub texture: Arc<Texture>,
    /// Sampler state.
    pub sampler: Sampler,
    /// Operands of each fetch.
    pub operands: Vec<FetchOperands>,
    /// The expected results of the fetches.
    pub expected: Expected,
}

impl BuiltFetch {
    /// Runs every fetch on the reference.
    pub fn reference(&self) -> Result<Vec<Answer>, PlanError> {
        let answer = |operands: &FetchOperands| {
            reference::fetch(self.form, &self.texture, &self.sampler, operands)
                .map(|value| self.answer(value.values, value.resident))
        };
        self.or_zeros(self.operands.iter().map(answer).collect())
    }

    /// Runs every fetch on the planned path, 32 at a time.
    pub fn planned(&self) -> Result<Vec<Answer>, PlanError> {
        self.planned_at(fetch_simd_level())
    }

    /// Runs every fetch on the planned path, with the code for the given SIMD level.
    pub fn planned_at(&self, level: SimdLevel) -> Result<Vec<Answer>, PlanError> {
        self.or_zeros(self.plan_answers(level))
    }

    fn plan_answers(&self, level: SimdLevel) -> Result<Vec<Answer>, PlanError> {
        let plan = FetchPlan::at_level(self.form, &self.texture, &self.sampler, level)?;
        let mut scratch = Scratch::new();
        let mut answers = Vec::with_capacity(self.operands.len());
        for warp in self.operands.chunks(32) {
            let mut result = FetchAnswer::default();
            plan.fetch(&WarpOperands::new(warp).request(warp.len()), &mut scratch, &mut result);
            answers.extend((0..warp.len()).map(|lane| {
                self.answer(result.values.map(|v| v[lane]), result.resident >> lane & 1 != 0)
            }));
        }
        Ok(answers)
    }

    /// If the fetch cannot be planned for a reason for which the hardware returns zeros, the
    /// results are zeros instead of the error, unless the case expects the error.
    fn or_zeros(&self, answers: Result<Vec<Answer>, PlanError>) -> Result<Vec<Answer>, PlanError> {
        let zeros = Answer { values: [0; 4], resident: true };
        match answers {
            Err(e) if e.reads_zero() && !matches!(self.expected, Expected::Error(_)) => {
                Ok(vec![zeros; self.operands.len()])
            }
            answers => answers,
        }
    }

    fn answer(&self, mut values: [u32; 4], resident: bool) -> Answer {
        values[self.form.result.registers().into()..].fill(0);
        Answer { values, resident }
    }
}

/// The operands of up to 32 fetches in the layout of a warp's registers: one array of 32 lanes for
/// each operand.
struct WarpOperands {
    coords: Coordinates<Lanes>,
    offset: [Lanes; 3],
    level: Lanes,
    dpdx: [Lanes; 3],
    dpdy: [Lanes; 3],
    compare: Lanes,
}

impl WarpOperands {
    fn new(warp: &[FetchOperands]) -> Self {
        let lanes = |word: &dyn Fn(&FetchOperands) -> u32| -> Lanes {
            std::array::from_fn(|lane| warp.get(lane).map_or(0, word))
        };
        Self {
            coords: Coordinates {
                layer: lanes(&|o| o.coords.layer),
                sample: lanes(&|o| o.coords.sample),
                point: std::array::from_fn(|a| lanes(&|o| o.coords.point[a])),
            },
            offset: std::array::from_fn(|a| lanes(&|o| o.offset[a] as u32)),
            level: lanes(&|o| o.level),
            dpdx: std::array::from_fn(|a| lanes(&|o| o.dpdx[a])),
            dpdy: std::array::from_fn(|a| lanes(&|o| o.dpdy[a])),
            compare: lanes(&|o| o.compare),
        }
    }

    fn request(&self, lanes: usize) -> FetchRequest<'_> {
        FetchRequest {
            offset: self.offset.each_ref(),
            level: &self.level,
            dpdx: self.dpdx.each_ref(),
            dpdy: self.dpdy.each_ref(),
            compare: &self.compare,
            ..FetchRequest::new(u32::MAX >> (32 - lanes), self.coords.each_ref())
        }
    }
}
