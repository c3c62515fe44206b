//! The interface of an external engine for fetches with gradients (`tex.grad`), which is called
//! before the texture unit for each fetch.

use std::collections::BTreeMap;
use std::sync::Arc;
use texunit_syntax::Span;
use texunit_unit::{FetchAnswer, FetchForm, FetchRequest, Sampler, Texture};

/// A `tex.grad` for those lanes of a warp that share texture and sampler.
#[derive(Clone, Copy, Debug)]
pub struct GradientFetch<'a> {
    /// Source location of the instruction.
    pub span: Span,
    /// Form of the instruction: geometry, types and operands.
    pub form: FetchForm,
    /// Handle of the texture (see [`crate::launch::TEXTURE_BIT`]).
    pub texture_handle: u64,
    /// Handle of the sampler, or the texture's handle if the instruction has no sampler operand.
    pub sampler_handle: u64,
    /// The texture bound to the handle, as an instruction of this geometry sees it.
    pub texture: &'a Arc<Texture>,
    /// The sampler bound to the handle.
    pub sampler: &'a Sampler,
    /// Active lanes and their operands.
    pub request: &'a FetchRequest<'a>,
}

/// Result of asking the external engine for a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// The gradient engine has executed the fetch and filled in the answer.
    Engine,
    /// The texture unit must execute the fetch.
    Unit,
}

/// Number of fetches that the engine and the texture unit have executed in a launch; each lane
/// counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GradientStats {
    /// Fetches executed by the engine.
    pub engine: u64,
    /// Fetches executed by the unit, by the reason that the engine gave.
    pub unit: BTreeMap<String, u64>,
}

/// Executes fetches with gradients. The unit has validated form, texture and sampler before the
/// call.
pub trait GradientEngine: Sync + std::fmt::Debug {
    /// Fills the active lanes of the answer, as [`texunit_unit::FetchPlan::fetch`] does, or leaves
    /// the answer unchanged for the unit.
    ///
    /// # Errors
    /// The text of a fault that ends the launch.
    fn fetch(&self, fetch: &GradientFetch<'_>, to: &mut FetchAnswer) -> Result<Answered, String>;

    /// Counts of the fetches so far.
    fn stats(&self) -> GradientStats;
}
