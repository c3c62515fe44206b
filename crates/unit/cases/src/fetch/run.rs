//! Running of fetch cases: on the reference sampler and on the planned path.

use super::{Expected, ExpectedValue, Uses};
use std::fmt;
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
            let lanes = WarpOperands::new(warp);
            plan.fetch(&lanes.request(warp.len()), &mut scratch, &mut result);
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

    /// The first result that differs from the expected one.
    pub fn disagreement(&self, answers: &[Answer]) -> Option<Disagreement> {
        let Expected::Values(expected) = &self.expected else { return None };
        let pairs = self.operands.iter().zip(expected).zip(answers);
        pairs.enumerate().find_map(|(fetch, ((operands, expected), got))| {
            (!expected.agrees(got)).then_some(Disagreement {
                form: self.form,
                fetch,
                operands: *operands,
                expected: *expected,
                got: *got,
            })
        })
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

/// A fetch whose result differs from the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The instruction.
    pub form: FetchForm,
    /// Index of the differing fetch in its case, from 0.
    pub fetch: usize,
    /// The operands of the differing fetch.
    pub operands: FetchOperands,
    /// The expected result.
    pub expected: ExpectedValue,
    /// The actual result.
    pub got: Answer,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (form, o) = (self.form, &self.operands);
        let uses = Uses::of(form);
        write!(f, "fetch {}, {form}", self.fetch)?;
        let coords: Vec<u32> = o.coords.vector(form.geometry).copied().collect();
        write!(f, "\n  coords   {}", Words(&coords))?;
        if form.offset {
            write!(f, "\n  offset   {:?}", o.offset)?;
        }
        if uses.lod {
            write!(f, "\n  lod      {}", Words(&[o.level]))?;
        }
        if uses.gradients {
            let n = form.geometry.gradients();
            write!(f, "\n  dpdx     {}\n  dpdy     {}", Words(&o.dpdx[..n]), Words(&o.dpdy[..n]))?;
        }
        if form.compare {
            write!(f, "\n  compare  {}", Words(&[o.compare]))?;
        }
        write!(
            f,
            "\n  expected {}\n  got      {}",
            Words(&self.expected.values[..self.expected.components.into()]),
            Words(&self.got.values)
        )?;
        match self.expected.resident {
            Some(resident) => {
                write!(f, "\n  resident {resident} expected, {} got", self.got.resident)
            }
            None => Ok(()),
        }
    }
}

/// Formats words as bits and as floats.
struct Words<'a>(&'a [u32]);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits: Vec<_> = self.0.iter().map(|w| format!("{w:08x}")).collect();
        let floats: Vec<_> = self.0.iter().map(|&w| format!("{:?}", f32::from_bits(w))).collect();
        write!(f, "{} = {}", bits.join(" "), floats.join(" "))
    }
}
