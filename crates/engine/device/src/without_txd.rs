//! Replaces `txd` without the feature `sass`: the texture unit computes all fetches with gradients.

use crate::launch_options::{GradientPath, LaunchOptions};
use std::convert::Infallible;
use std::marker::PhantomData;
use texunit_simt::{Answered, GradientEngine, GradientFetch, GradientStats};
use texunit_syntax::SourceFile;
use texunit_unit::FetchAnswer;

/// The gradient fetches of a module, of which no engine needs anything.
#[derive(Debug)]
pub(crate) struct GradientInstructions;

impl GradientInstructions {
    pub(crate) fn new(_: &SourceFile) -> Self {
        Self
    }
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
pub(crate) fn engine<'a>(
    _: impl FnOnce() -> &'a GradientInstructions,
    options: &LaunchOptions<'_>,
) -> Option<Engine<'a>> {
    match options.gradients {
        GradientPath::Unit => None,
    }
}
