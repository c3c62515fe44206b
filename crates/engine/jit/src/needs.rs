//! Minimum lengths of register files and inputs. They are computed once from a region, and compared
//! with a caller's slices before each run, so that compiled code needs no bounds checks for
//! registers and inputs.

use crate::ir::{Action, End, Region, Space, Step};
use crate::machine::Inputs;
use crate::operand::{Source, VReg};
use crate::{B32, Error, Registers};
use std::ops::Range;

/// Exclusive limit of register and input numbers, which keeps displacements within 32 bits.
const MAX: u32 = 1 << 20;

/// Minimum lengths of the register files and inputs of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    narrow: usize,
    wide: usize,
    predicates: usize,
    constants: usize,
    wide_constants: usize,
    per_lane: usize,
    pub(crate) uniforms: usize,
    bytes: usize,
    counts: usize,
    /// Bytes of the running function's frame in local memory.
    pub(crate) frame: u64,
    /// Whether the region accesses shared memory, and whether it accesses local memory.
    pub(crate) shared: bool,
    pub(crate) local: bool,
}

impl Needs {
    /// Computes the lengths that a region needs.
    pub(crate) fn of(region: &Region) -> Result<Self, Error> {
        let mut needs = Self::default();
        for block in &region.blocks {
            for step in &block.steps {
                let mut result = Ok(());
                step.each_vreg(&mut |vreg| result = result.clone().and(needs.register(vreg)));
                step.each_source(&mut |source| result = result.clone().and(needs.input(source)));
                result?;
                needs.step(step)?;
            }
            if let End::Branch { taken, .. } = block.end {
                taken.vreg().map_or(Ok(()), |vreg| needs.register(vreg))?;
            }
        }
        for &word in region.products.as_flattened() {
            needs.input(Source::Uniform(word))?;
        }
        for &(vreg, at) in region.params.iter().flatten() {
            needs.input(match vreg {
                VReg::B64(_) => Source::Bytes64(at),
                VReg::B32(_) | VReg::Predicate(_) => Source::Bytes32(at),
            })?;
        }
        Ok(needs)
    }

    fn step(&mut self, step: &Step) -> Result<(), Error> {
        if let Action::Count { counter, of } | Action::Issue { counter, of } = &step.action {
            if *counter >= MAX {
                return Err(Error::Counter(*counter));
            }
            self.counts = self.counts.max(*counter as usize + 1 + usize::from(of.is_some()));
        }
        let Some((access, _)) = step.access() else { return Ok(()) };
        let end = access.offset.saturating_add(u64::from(access.size) * u64::from(access.count));
        match access.space {
            Space::Global => {}
            Space::Shared => self.shared = true,
            Space::Local => self.local = true,
            Space::Frame | Space::Param if end >= MAX.into() => {
                return Err(Error::Offset(access.offset));
            }
            Space::Frame => self.frame = self.frame.max(end),
            Space::Param => self.bytes = self.bytes.max(end as usize),
        }
        Ok(())
    }

    fn register(&mut self, vreg: VReg) -> Result<(), Error> {
        let (need, number) = match vreg {
            VReg::B32(i) => (&mut self.narrow, i),
            VReg::B64(i) => (&mut self.wide, i),
            VReg::Predicate(i) => (&mut self.predicates, i),
        };
        if number >= MAX {
            return Err(Error::RegisterLimit(vreg));
        }
        *need = (*need).max(number as usize + 1);
        Ok(())
    }

    fn input(&mut self, source: Source) -> Result<(), Error> {
        let (need, number, size) = match source {
            Source::Constant(i) => (&mut self.constants, i, 1),
            Source::WideConstant(i) => (&mut self.wide_constants, i, 1),
            Source::PerLane(i) => (&mut self.per_lane, i, 1),
            Source::Uniform(i) => (&mut self.uniforms, i, 1),
            Source::Bytes32(i) => (&mut self.bytes, i, 4),
            Source::Bytes64(i) => (&mut self.bytes, i, 8),
            Source::B32(_) | Source::B64(_) | Source::Literal(_) => return Ok(()),
            Source::FrameAt | Source::Lane => return Ok(()),
        };
        if number >= MAX {
            return Err(Error::InputLimit(source));
        }
        *need = (*need).max(number as usize + size);
        Ok(())
    }

    /// Whether the inputs are long enough.
    pub(crate) fn hold(&self, inputs: &Inputs<'_>) -> bool {
        inputs.constants.len() >= self.constants
            && inputs.wide_constants.len() >= self.wide_constants
            && inputs.uniforms.len() >= self.uniforms
            && inputs.bytes.len() >= self.bytes
            && inputs.counts.len() >= self.counts
    }

    /// The number of per-lane inputs that a warp needs.
    #[inline(always)]
    pub(crate) fn per_lane(&self) -> usize {
        self.per_lane
    }

    /// Whether the register files and the per-lane inputs of a warp are long enough, and the
    /// function's frame is large enough and lies inside local memory.
    #[inline(always)]
    pub(crate) fn hold_warp(
        &self,
        registers: &Registers<'_>,
        local: &[B32],
        frame: &Range<u64>,
    ) -> bool {
        let holds_frame = || {
            frame.start.is_multiple_of(8)
                && frame.end.saturating_sub(frame.start) >= self.frame
                && local.len() as u64 >= frame.end.div_ceil(4)
        };
        registers.narrow.len() >= self.narrow
            && registers.wide.len() >= self.wide
            && registers.predicates.len() >= self.predicates
            && registers.per_lane.len() >= self.per_lane
            && (self.frame == 0 || holds_frame())
    }
}
