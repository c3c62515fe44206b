//! Where the processor is of another kind: nothing is compiled.

use crate::machine::{DivergedLanes, Entry, Inputs, Level, Mode, Sites};
use crate::region::{
    Budget, DivergenceLimits, Exit, Listener, Memory, Region, RegisterFiles, Resume, Start,
};
use crate::{B32, Error, Registers};
use std::ops::Range;
use texunit_memory::Reach;

/// Code of a region: there is none here.
#[derive(Debug)]
pub enum Function {}

impl Level {
    /// Whether this processor has the instructions.
    pub fn is_available(self) -> bool {
        false
    }
}

/// Makes code of a region.
pub fn compile(_: &Region, _: Mode, _: Level) -> Result<Function, Error> {
    Err(Error::Processor)
}

impl Function {
    /// Bytes of code.
    pub fn code_size(&self) -> usize {
        match *self {}
    }

    /// The code, and the numbers that it reads.
    pub fn parts(&self) -> (&[u8], &[u64]) {
        match *self {}
    }

    /// Where it can be entered before an instruction.
    pub fn entry(&self, _: u32) -> Option<Entry> {
        match *self {}
    }

    /// Whether warps wait in it that run together.
    pub fn has_yield_points(&self) -> bool {
        match *self {}
    }

    /// Whether lanes may part in it.
    pub fn can_diverge(&self) -> bool {
        match *self {}
    }

    /// The entry at an instruction for lanes of a mode.
    pub fn entry_of(&self, _: Mode, _: u32) -> Option<Entry> {
        match *self {}
    }

    /// Sites that know no allocation yet.
    pub fn sites<'m>(&self) -> Sites<'m> {
        match *self {}
    }

    /// Tells the site of an access which allocation to look in.
    pub fn fill<'m>(&self, _: &mut Sites<'m>, _: u32, _: Reach<'m>, _: &'m [u8]) -> bool {
        match *self {}
    }

    /// Makes ready to run with these inputs.
    pub fn with<'a>(&'a self, _: Inputs<'a>, _: &'a mut Sites<'_>) -> Option<Running<'a>> {
        match *self {}
    }
}

/// A function with its inputs.
#[derive(Debug)]
pub struct Running<'a>(&'a Function);

impl<'a> Running<'a> {
    /// Who hears of steps.
    pub fn listen(&mut self, _: &'a mut (dyn Listener + 'a)) {
        match *self.0 {}
    }

    /// The number of the warp that is run next.
    pub fn set_warp(&mut self, _: u32) {
        match *self.0 {}
    }

    /// Runs the region for a warp.
    pub fn run(
        &mut self,
        _: Registers<'_>,
        _: Memory<'_>,
        _: (u32, u32),
        _: Entry,
        _: Budget,
    ) -> Option<Exit> {
        match *self.0 {}
    }

    /// An empty table.
    pub fn table<'r>(
        &'r mut self,
        _: Mode,
        _: &'r mut [u8],
        _: u32,
        _: DivergenceLimits,
    ) -> WarpTable<'r, 'a> {
        match *self.0 {}
    }

    /// How a warp stopped.
    pub fn exit(&self, _: usize) -> Option<Exit> {
        match *self.0 {}
    }

    /// Diverged lanes.
    pub fn diverged_lanes(&mut self) -> DivergedLanes<'_> {
        match *self.0 {}
    }

    /// What has been counted for all warps.
    pub fn zeros(&self) -> u64 {
        match *self.0 {}
    }
}

/// Warps that have retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retired {
    /// How many.
    pub warps: usize,
    /// Steps of all of them.
    pub steps: u64,
    /// Threads of all of them.
    pub threads: u64,
}

/// A batch of warps.
#[derive(Debug)]
pub struct WarpTable<'r, 'a>(&'r mut Running<'a>);

impl<'r> WarpTable<'r, '_> {
    /// Warps wait at yield points.
    pub fn wait_at_yield_points(&mut self) {
        match *self.0.0 {}
    }

    /// The code passes barriers.
    pub fn pass_barriers(&mut self) {
        match *self.0.0 {}
    }

    /// Adds a warp.
    pub fn add(&mut self, _: Registers<'r>, _: &'r mut [B32], _: Range<u64>, _: Start) -> bool {
        match *self.0.0 {}
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match *self.0.0 {}
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        match *self.0.0 {}
    }

    /// Runs some of them.
    pub fn run(&mut self, _: Range<usize>, _: Resume, _: u32) -> Option<usize> {
        match *self.0.0 {}
    }

    /// Runs warps with the files of the first one.
    pub fn run_series<const N: usize, const W: usize>(
        &mut self,
        _: Resume,
        _: (&[[B32; N]], u32),
        _: &[[u32; W]],
        _: u32,
    ) -> Option<Retired> {
        match *self.0.0 {}
    }

    /// All of them begin again, with other words.
    pub fn begin_again(&mut self, _: &[u32], _: u64) -> bool {
        match *self.0.0 {}
    }

    /// The barrier that has been passed.
    pub fn passed(&self) -> Option<u32> {
        match *self.0.0 {}
    }

    /// All of them have done so many instructions.
    pub fn count(&mut self, _: usize, _: u64) {
        match *self.0.0 {}
    }

    /// How a warp stopped.
    pub fn exit(&self, _: usize) -> Option<Exit> {
        match *self.0.0 {}
    }

    /// The instruction at which all of them wait.
    pub fn wait_at(&self) -> Option<u32> {
        match *self.0.0 {}
    }

    /// Diverged lanes of a warp.
    pub fn diverged_lanes(&mut self) -> DivergedLanes<'_> {
        match *self.0.0 {}
    }

    /// Whether no warp has used up its turn.
    pub fn may_go_on(&self) -> bool {
        match *self.0.0 {}
    }

    /// The registers and live lanes of each.
    pub fn each(&mut self) -> impl Iterator<Item = (RegisterFiles<'_>, u32)> {
        std::iter::empty()
    }
}
