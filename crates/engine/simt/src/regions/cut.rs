//! Cuts a range of warp code into the basic blocks of a region.
//!
//! A [`Cut`] is made of the code, the range and the results of the function's analyses; it gives
//! the region in the form that the JIT compiles.

use super::action;
use super::operand::{Operands, predicate, vreg};
use super::yield_point::YieldPoint;
use crate::code::{Code, Inst, Op, PRODUCTS, Slot};
use crate::flow::{Facts, Flow, FunctionCode, writes};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use texunit_flow::{Cfg, LiveSet};
use texunit_forms::sort_by_key;
use texunit_jit::region::{Block, End, Region, Step, Target};
use texunit_jit::{Predicate, VReg};

/// A range of instructions of a function that becomes a region.
pub(super) struct Cut<'c> {
    pub(super) code: &'c Code,
    function: usize,
    pub(super) insts: Range<u32>,
    /// The data flow of the function; `None` if it has not been analysed.
    flow: Option<Flow<'c>>,
}

/// Role of an instruction in a region.
enum Role {
    /// An instruction, with the steps to which it is compiled.
    Steps(Vec<Step>),
    /// A branch.
    Branch(u32),
    /// A reconvergence point.
    Join,
    /// A yield point, which can be executed for several warps at once.
    YieldPoint,
    /// An instruction that the interpreter executes.
    Leave,
}

impl<'c> Cut<'c> {
    pub(super) fn new(
        code: &'c Code,
        function: usize,
        insts: Range<u32>,
        facts: Option<&Arc<Facts>>,
    ) -> Self {
        let flow = facts.and_then(|facts| Flow::with(code, function, facts));
        Self { code, function, insts, flow }
    }

    /// The instructions of the range, with their numbers.
    fn insts(&self) -> impl Iterator<Item = (u32, &'c Inst)> {
        let all = self.code.insts.get(self.insts.start as usize..self.insts.end as usize);
        self.insts.clone().zip(all.unwrap_or_default())
    }

    /// Builds the region. `yield_points` are those of the range.
    pub(super) fn region(&self, yield_points: &[YieldPoint]) -> Region {
        let mut operands = Operands::new(self.code, self.function);
        let pauses_at =
            |at: u32| yield_points.binary_search_by_key(&at, |yield_point| yield_point.at).is_ok();
        let mut part = |(at, inst): (u32, &Inst)| match &inst.op {
            Op::Branch { target, .. } => Role::Branch(*target),
            Op::Join => Role::Join,
            _ => match action::steps(&mut operands, inst, at) {
                Some(steps) => Role::Steps(steps),
                None if pauses_at(at) => Role::YieldPoint,
                None => Role::Leave,
            },
        };
        let parts: Vec<Role> = self.insts().map(&mut part).collect();
        let ranges = self.ranges(&parts);
        let (kept, entered) = (self.live_outs(&ranges, &parts), self.entered(&ranges, &parts));
        let (sites, products) = (operands.sites, PRODUCTS.to_vec());
        let blocks = self.blocks(&ranges, parts, kept, &entered);
        let mut region = Region { blocks, sites, products, ..Region::default() };
        self.find_values(&ranges, &mut region);
        region
    }

    /// The instructions of each block of the region. Blocks also begin at reconvergence points, and
    /// end at instructions that are not compiled.
    fn ranges(&self, parts: &[Role]) -> Vec<Range<u32>> {
        let first = self.insts.start;
        let insts = self.code.insts.get(first as usize..self.insts.end as usize);
        let mut starts = parts.iter().enumerate().flat_map(|(i, part)| match part {
            Role::Join => i..i + 2,
            Role::Leave | Role::YieldPoint => i + 1..i + 2,
            Role::Branch(_) | Role::Steps(_) => 0..0,
        });
        let insts = FunctionCode::without_registers(insts.unwrap_or_default(), first);
        let cfg = Cfg::with_starts(&insts, &mut starts);
        cfg.ranges().map(|range| first + range.start as u32..first + range.end as u32).collect()
    }

    /// For each block, whether control can come there from code outside the region, or from an
    /// instruction that is not compiled.
    fn entered(&self, ranges: &[Range<u32>], parts: &[Role]) -> Vec<bool> {
        let Some(flow) = &self.flow else { return vec![true; ranges.len()] };
        let (cfg, first) = (&flow.facts.cfg, flow.code.first);
        let is_foreign = |last: usize| {
            let own = (last + first as usize).checked_sub(self.insts.start as usize);
            own.and_then(|i| parts.get(i)).is_none_or(|part| matches!(part, Role::Leave))
        };
        let is_entered = |range: &Range<u32>| {
            let at = (range.start - first) as usize;
            let block = cfg.block_of(at);
            match at.checked_sub(1) {
                None => true,
                Some(before) if cfg.range(block).start != at => is_foreign(before),
                _ => {
                    let mut from = cfg.predecessors.of(block).iter();
                    from.any(|&from| is_foreign(cfg.range(from).end - 1))
                }
            }
        };
        ranges.iter().map(is_entered).collect()
    }

    /// The data flow of a kernel, for registers that hold parameters.
    fn flow_of_params(&self) -> Option<&Flow<'c>> {
        let is_entry = self.code.funcs.get(self.function).is_some_and(|f| f.is_entry);
        self.flow.as_ref().filter(|_| is_entry)
    }

    /// The yield points of the range.
    pub(super) fn yield_points(&self) -> Box<[YieldPoint]> {
        let flow = self.flow_of_params();
        self.insts().filter_map(|(at, inst)| YieldPoint::of(flow, at, inst)).collect()
    }

    /// Finds, for each block, the registers that hold parameters at its start and those with a
    /// known stride, and the instructions that write a register with a known stride.
    fn find_values(&self, ranges: &[Range<u32>], region: &mut Region) {
        let Some(flow) = self.flow_of_params() else { return };
        let own = |at: u32| (at - flow.code.first) as usize;
        (region.params, region.strides) = ranges.iter().map(|_| Default::default()).unzip();
        for (i, range) in ranges.iter().enumerate() {
            let Some(mut values) = flow.values_at(own(range.start)) else { continue };
            region.params[i] = values.params().map(|(slot, at)| (vreg(slot), at)).collect();
            region.strides[i] = values.strides().collect();
            for at in range.clone() {
                values.step(&flow.code, own(at));
                let mut stride = None;
                writes(&flow.code.insts[own(at)].op, &mut |slot| {
                    stride = stride.or_else(|| values.stride(slot).filter(|_| !slot.is_none()));
                });
                region.stride_makers.extend(stride.map(|stride| (at, stride)));
            }
        }
    }

    /// For each block, the registers written by the region that are live at its end.
    fn live_outs(&self, ranges: &[Range<u32>], parts: &[Role]) -> Vec<HashSet<VReg>> {
        let mut written: Vec<Slot> = Vec::new();
        for ((_, inst), part) in self.insts().zip(parts) {
            if matches!(part, Role::Steps(_)) {
                writes(&inst.op, &mut |slot| written.extend((!slot.is_none()).then_some(slot)));
            }
        }
        sort_by_key(&mut written, |slot| slot.as_number());
        written.dedup();
        let Some(flow) = &self.flow else {
            let all: HashSet<VReg> = written.iter().map(|&slot| vreg(slot)).collect();
            return vec![all; ranges.len()];
        };
        let number = |slot: &Slot| flow.code.registers.number(*slot);
        let keep = |live: &LiveSet<'_>| -> HashSet<VReg> {
            let is_live = |slot: &&Slot| number(slot).is_none_or(|i| live.has(i as u32));
            written.iter().filter(is_live).map(|&slot| vreg(slot)).collect()
        };
        let Facts { cfg, liveness, .. } = &*flow.facts;
        let mut kept = vec![HashSet::new(); ranges.len()];
        // The blocks are visited from the last to the first, so that all blocks of the region in
        // one block of the graph share a walk over live registers.
        let mut walk: Option<(u32, usize, LiveSet<'_>)> = None;
        for (kept, range) in kept.iter_mut().zip(ranges).rev() {
            let last = (range.end - 1 - flow.code.first) as usize;
            let block = cfg.block_of(last);
            let (mut at, mut live) = match walk.take() {
                Some((of, at, live)) if of == block => (at, live),
                _ => (cfg.range(block).end, liveness.live_out(cfg, block)),
            };
            // If the block's last instruction is not compiled, the interpreter reads its operands,
            // so that these count as live.
            let part = parts.get((range.end - 1 - self.insts.start) as usize);
            let to = last + usize::from(matches!(part, Some(Role::Steps(_))));
            while at > to {
                at -= 1;
                live.step_back(&flow.code, at);
            }
            *kept = keep(&live);
            walk = Some((block, at, live));
        }
        kept
    }

    fn blocks(
        &self,
        ranges: &[Range<u32>],
        parts: Vec<Role>,
        kept: Vec<HashSet<VReg>>,
        entered: &[bool],
    ) -> Vec<Block> {
        // A branch target is the first instruction of a block, or an exit of the region.
        let target = |at: u32| match ranges.binary_search_by_key(&at, |range| range.start) {
            Ok(block) => Target::Block(block as u32),
            Err(_) => Target::Leave(at),
        };
        let mut blocks = Vec::with_capacity(ranges.len());
        let mut parts = self.insts().zip(parts);
        for ((range, kept), &is_entry) in ranges.iter().zip(kept).zip(entered) {
            let (at, end) = (range.start, End::Jump(target(range.end)));
            let mut block = Block { at, is_entry, joins: false, steps: Vec::new(), end, kept };
            for ((at, inst), part) in parts.by_ref().take(range.len()) {
                match part {
                    Role::Steps(steps) => block.steps.extend(steps),
                    Role::Join => block.joins = true,
                    Role::Leave => block.end = End::Leave { at },
                    Role::YieldPoint => {
                        let barrier = matches!(inst.op, Op::Barrier(_)).then(|| inst.count.into());
                        block.end = End::Yield { at, next: target(at + 1), barrier };
                    }
                    Role::Branch(to) => block.end = branch(at, inst, target(to), target(at + 1)),
                }
            }
            blocks.push(block);
        }
        blocks
    }
}

/// The end of a block at a branch.
fn branch(at: u32, inst: &Inst, to: Target, next: Target) -> End {
    let (taken, counted) = (predicate(inst.guard), inst.count != 0);
    let Op::Branch { reconverge: reconverge_at, .. } = inst.op else { return End::Leave { at } };
    match taken {
        Predicate::Always if !counted => End::Jump(to),
        _ => End::Branch { taken, to, next, at, counted, reconverge_at },
    }
}
