//! Launches that wait for memory to be changed from outside: the values that their loops poll, and
//! the host that decides whether they continue.

use crate::fault::Described;
use std::fmt::Debug;
use texunit_syntax::Span;

/// Decision on a launch all of whose threads wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The launch continues, and its loops poll further.
    Wait,
    /// The launch ends with this reason, because nothing will change the memory that it polls.
    End(String),
}

/// Other agents that may change memory while a launch waits: the host, and other launches.
pub trait ExternalWriters: Sync + Debug {
    /// Called when all running CTAs of the launch have been polling, for the `polls`th time in
    /// succession. [`Verdict::End`] counts when it is the answer twice, because memory may have
    /// changed between the last poll of a CTA and the first answer.
    fn wait(&self, polls: u64, loops: &[WaitingLoop]) -> Verdict;

    /// Called again and again while a CTA may wait for these agents, although its state never
    /// recurs: it polls memory in a loop with a count or a clock, or it has run for a long time.
    fn may_wait(&self);

    /// Called when the launch has left its waiting loops.
    fn resumed(&self);
}

/// A loop in which threads wait, and the memory that they poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingLoop {
    /// Name of the kernel.
    pub kernel: String,
    /// `%ctaid` of the CTA.
    pub cta: [u32; 3],
    /// Source location of an instruction of the loop.
    pub span: Span,
    /// Number of threads of the CTA that have not exited.
    pub threads: u32,
    /// Memory that the loop polls.
    pub polls: Vec<PolledMemory>,
}

/// A memory location that a loop polls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolledMemory {
    /// Address of the location.
    pub address: u64,
    /// Size in bytes.
    pub size: u32,
    /// The value it holds, if it can be read.
    pub value: Option<u64>,
    /// The allocation that contains the location.
    pub object: Option<Described>,
}
