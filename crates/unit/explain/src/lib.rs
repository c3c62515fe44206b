//! Shows what a fetch or a surface access did: which texels, which weights, which level or which
//! bytes, and why.
//!
//! [`Explanation`] puts a [`Trace`] of the reference beside the texture and the sampler that it is
//! of, [`SurfaceExplanation`] a `SurfaceTrace` beside its surface; text, JSON and SVG are views of
//! them. Nothing is computed here but pictures: every number comes from the trace, and the texels
//! around a footprint from the texture. However large a texture or a coordinate is, a picture has a
//! bounded size.

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

/// A fetch with what it was done on.
#[derive(Clone, Debug)]
pub struct Explanation<'a> {
    /// What the fetch did.
    pub trace: Trace,
    /// The texture.
    pub texture: &'a Texture,
    /// The sampler as asked for.
    pub sampler: &'a Sampler,
    /// What the hardware makes of the state that was asked for.
    pub overrides: Vec<Override>,
    /// Where the fetch comes from: a case, or thread and line of a kernel.
    pub place: Option<String>,
    /// The answer, where it is known from elsewhere.
    pub known: Option<Known>,
}

/// An answer that is known from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// As the registers have it; of `.f16x2` two registers and zeros.
    pub values: [u32; 4],
    /// The destination predicate, where it is known.
    pub resident: Option<bool>,
    /// Who knows it.
    pub from: Source,
}

/// Where an answer is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A case says that this must come out.
    Case,
    /// A kernel got this. Texels that it changed later are not those that it read.
    Launch,
}

impl<'a> Explanation<'a> {
    /// Fetches, and keeps what happened.
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

    /// Whether the answer is the one that is known; `None` if none is.
    pub fn agrees(&self) -> Option<bool> {
        let known = self.known?;
        let n = value::registers(self.trace.form.result);
        let answer = &self.trace.answer;
        let values = answer.values[..n] == known.values[..n];
        Some(values && known.resident.is_none_or(|resident| resident == answer.resident))
    }

    /// As text of several lines, rule numbers of docs/numerics.md in brackets.
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// As one JSON object. Bits are strings of eight hexadecimal digits.
    pub fn json(&self) -> serde_json::Value {
        json::json(self)
    }

    /// As an SVG document: the texels around each footprint with their weights, the sample point,
    /// the exact weights beside the 8-bit ones, the level chain, the cube face.
    pub fn svg(&self) -> String {
        svg::svg(self)
    }
}
