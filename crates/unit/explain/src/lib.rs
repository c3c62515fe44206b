//! Explanations of fetches and surface accesses: which texels, weights and levels were used, or
//! which bytes, and why.
//!
//! [`Explanation`] combines a [`Trace`] of the reference with its texture and sampler, and
//! [`SurfaceExplanation`] a `SurfaceTrace` with its surface; text, JSON and SVG show these traces.
//! Only pictures are computed here: every number comes from the trace, and the texels around a
//! footprint come from the texture. The size of a picture is bounded, whatever the size of a
//! texture or a coordinate.

mod json;
pub mod operand;
mod page;
mod picture;
mod surface;
mod svg;
mod text;
mod value;

pub use page::Page;
pub use surface::{SurfaceExpected, SurfaceExplanation};

use texunit_unit::reference::trace::Trace;
use texunit_unit::{Override, Sampler, Texture, overrides, reference};

/// A fetch with its trace, texture and sampler.
#[derive(Clone, Debug)]
pub struct Explanation<'a> {
    /// The trace of the fetch.
    pub trace: Trace,
    /// The texture from which the fetch reads.
    pub texture: &'a Texture,
    /// The sampler as requested, before the hardware ignores or changes settings.
    pub sampler: &'a Sampler,
    /// Requested settings that the hardware ignores or changes.
    pub overrides: Vec<Override>,
    /// Where the fetch was executed: the name of a test case, or thread and line of a kernel.
    pub place: Option<String>,
    /// The result of the same fetch from a test case or a launch, to compare the explanation with.
    pub known: Option<KnownResult>,
}

/// A result of the fetch from another source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownResult {
    /// Contents of the result registers; for `.f16x2`, two registers and zeros.
    pub values: [u32; 4],
    /// The destination predicate, if known.
    pub resident: Option<bool>,
    /// Whether a test case or a kernel launch states the result.
    pub from: Source,
}

/// The source of a known result of the explained fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The expected result of a case.
    Case,
    /// The result that the fetch returned to a kernel. The explanation may differ from it if the
    /// kernel has changed the texels since.
    Launch,
}

impl<'a> Explanation<'a> {
    /// Executes the fetch on the reference, and keeps its trace.
    pub fn new(
        form: texunit_unit::FetchForm,
        texture: &'a Texture,
        sampler: &'a Sampler,
        operands: &texunit_unit::FetchOperands,
    ) -> Result<Self, texunit_unit::PlanError> {
        let trace = reference::trace(form, texture, sampler, operands)?;
        let overrides = overrides(texture, sampler, form);
        Ok(Self { trace, texture, sampler, overrides, place: None, known: None })
    }

    /// Adds to the explanation the result that the fetch returned to a kernel.
    #[must_use]
    pub fn with_launch(mut self, values: [u32; 4], resident: bool) -> Self {
        let (resident, from) = (Some(resident), Source::Launch);
        self.known = Some(KnownResult { values, resident, from });
        self
    }

    /// Whether the explained result equals the known one; `None` without a known result.
    pub fn agrees(&self) -> Option<bool> {
        let known = self.known?;
        let n = value::registers(self.trace.form.result);
        let answer = &self.trace.answer;
        let values = answer.values[..n] == known.values[..n];
        Some(values && known.resident.is_none_or(|resident| resident == answer.resident))
    }

    /// The explanation as text, with rule numbers of docs/numerics.md in brackets.
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// The explanation as one JSON object. Bits are strings of eight hexadecimal digits.
    pub fn json(&self) -> serde_json::Value {
        json::json(self)
    }

    /// The explanation as an SVG document: the texels around each footprint with their weights, the
    /// sample point, the exact weights beside the 8-bit ones, the level chain, the cube face.
    pub fn svg(&self) -> String {
        svg::svg(self)
    }
}
