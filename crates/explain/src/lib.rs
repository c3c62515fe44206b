//! Shows what a fetch did: which texels, which weights, which level, and why.
//!
//! [`Explanation`] puts a [`Trace`] of the reference beside the texture and the sampler that it is
//! of; [`text`], [`json`] and [`svg`] are views of it. Nothing is computed here but pictures: every
//! number comes from the trace.

mod json;
mod picture;
mod svg;
mod text;
mod value;

pub use json::json;
pub use svg::svg;
pub use text::text;

use texunit_unit::reference::trace::{FetchValue, Trace};
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
    /// What should have come out, if that is known.
    pub expected: Option<FetchValue>,
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
        Ok(Self { trace, texture, sampler, overrides, place: None, expected: None })
    }
}
