//! Launches that wait for somebody else: what their loops look at, and who is asked what becomes of them.

use crate::fault::Described;
use std::fmt::Debug;
use texunit_syntax::Span;

/// What becomes of a launch that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on looking.
    Wait,
    /// It ends: nobody changes what it looks at, for this reason.
    End(String),
}

/// Who else may change memory while a launch waits.
pub trait Others: Sync + Debug {
    /// All that can run of the launch waits, and has looked so many times since it does.
    fn wait(&self, looks: u64, loops: &[WaitingLoop]) -> Verdict;

    /// It goes on.
    fn go_on(&self);
}

/// A place at which threads wait, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingLoop {
    /// The kernel.
    pub kernel: String,
    /// The CTA.
    pub cta: [u32; 3],
    /// An instruction of the loop.
    pub span: Span,
    /// Threads of the CTA that have not exited.
    pub threads: u32,
    /// What they look at.
    pub looks: Vec<Looked>,
}

/// Memory that a loop looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    /// Where.
    pub address: u64,
    /// Bytes.
    pub size: u32,
    /// What it holds.
    pub value: Option<u64>,
    /// The allocation.
    pub object: Option<Described>,
}
