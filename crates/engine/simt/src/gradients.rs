//! Another engine for fetches with gradients (`tex.grad`): asked in the unit's place, fetch by fetch.

use std::collections::BTreeMap;
use std::sync::Arc;
use texunit_syntax::Span;
use texunit_unit::{FetchAnswer, FetchForm, FetchRequest, Sampler, Texture};

/// A `tex.grad` of lanes of a warp that have texture and sampler in common.
#[derive(Clone, Copy, Debug)]
pub struct GradientFetch<'a> {
    /// Which instruction, by its place in the source.
    pub span: Span,
    /// What it is.
    pub form: FetchForm,
    /// Handle of the texture (see [`crate::launch::TEXTURE_BIT`]).
    pub texture_handle: u64,
    /// Handle of the sampler; the texture's where it has none of its own.
    pub sampler_handle: u64,
    /// What the texture's handle names, as an instruction of this geometry sees it.
    pub texture: &'a Arc<Texture>,
    /// What the sampler's handle names.
    pub sampler: &'a Sampler,
    /// Lanes and operands.
    pub request: &'a FetchRequest<'a>,
}

/// Who answers a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// The engine has.
    Engine,
    /// The unit shall.
    Unit,
}

/// Who answered the fetches of a launch that had an engine, a lane each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GradientStats {
    /// Answered by the engine.
    pub engine: u64,
    /// Answered by the unit, by the engine's reason.
    pub unit: BTreeMap<String, u64>,
}

/// Answers fetches with gradients. The unit has accepted form, texture and sampler before.
pub trait GradientEngine: Sync {
    /// Fills the lanes of the request in an answer as [`texunit_unit::FetchPlan::fetch`] does, or
    /// leaves all as it is for the unit. The error is the text of a fault that ends the launch.
    fn fetch(
        &self,
        fetch: &GradientFetch<'_>,
        answer: &mut FetchAnswer,
    ) -> Result<Answered, String>;

    /// What was answered so far.
    fn stats(&self) -> GradientStats;
}
