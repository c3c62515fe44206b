//! Replaces `txd` without the feature `sass`: the texture unit computes all fetches with gradients.

use crate::launch_options::LaunchOptions;
use crate::module::Module;
use std::convert::Infallible;
use std::marker::PhantomData;
use texunit_simt::{Answered, GradientEngine, GradientFetch, GradientStats};
use texunit_unit::FetchAnswer;

/// What computes fetches with gradients (`tex.grad`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GradientPath {
    /// The texture unit.
    #[default]
    Unit,
}

/// An engine that cannot exist.
pub(crate) struct Engine<'a>(Infallible, PhantomData<&'a ()>);

impl GradientEngine for Engine<'_> {
    fn fetch(&self, _: &GradientFetch<'_>, _: &mut FetchAnswer) -> Result<Answered, String> {
        match self.0 {}
    }

    fn stats(&self) -> GradientStats {
        match self.0 {}
    }
}

/// The engine for the gradient fetches of a launch, of which there is none.
pub(crate) fn engine<'a>(_: &'a Module, options: &LaunchOptions<'_>) -> Option<Engine<'a>> {
    match options.gradients {
        GradientPath::Unit => None,
    }
}
