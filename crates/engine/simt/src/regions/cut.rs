//! Cuts a range of warp code into the basic blocks of a region.
//!
//! [`Cut::region`] is given the code, the range and the results of the function's analyses; it
//! returns the region in the form that the JIT compiles.

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
pub(super) struct Cut {
    pub(super) function: usize,
    pub(super) insts: Range<u32>,
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

impl Cut {
    /// The instructions of the range, with their numbers.
    fn insts<'c>(&self, code: &'c Code) -> impl Iterator<Item = (u32, &'c Inst)> {
        let all = code.insts.get(self.insts.start as usize..self.insts.end as usize);
        self.insts.clone().zip(all.unwrap_or_default())
    }

    /// Builds the region. `facts`: the analysis results of the function, if known.
    pub(super) fn region(
        &self,
        code: &Code,
        facts: Option<&Arc<Facts>>,
        yield_points: &[YieldPoint],
    ) -> Region {
        let mut operands = Operands::new(code, self.function);
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
        let parts: Vec<Role> = self.insts(code).map(&mut part).collect();
        let sites = operands.sites;
        let starts = self.starts(code, &parts);
        let kept = self.kept(code, facts, &starts, &parts);
        let entered = self.entered(code, facts, &starts, &parts);
        let blocks = Blocks { cut: self, starts: &starts }.of(code, parts, kept, &entered);
        let (params, strides) = self.values(code, facts, &starts);
        let stride_makers = self.stride_makers(code, facts, &starts);
        Region { blocks, sites, params, strides, stride_makers, products: PRODUCTS.to_vec() }
    }

    /// The first instructions of the region's blocks. Blocks also begin at reconvergence points,
    /// and end at instructions that are not compiled.
    fn starts(&self, code: &Code, parts: &[Role]) -> Vec<u32> {
        let insts = code.insts.get(self.insts.start as usize..self.insts.end as usize);
        let mut starts = parts.iter().enumerate().flat_map(|(i, part)| match part {
            Role::Join => i..i + 2,
            Role::Leave | Role::YieldPoint => i + 1..i + 2,
            Role::Branch(_) | Role::Steps(_) => 0..0,
        });
        let insts = FunctionCode::without_registers(insts.unwrap_or_default(), self.insts.start);
        let cfg = Cfg::with_starts(&insts, &mut starts);
        cfg.ranges().map(|range| self.insts.start + range.start as u32).collect()
    }

    /// For each block, whether control can come there from code outside the region, or from an
    /// instruction that is not compiled.
    fn entered(
        &self,
        code: &Code,
        facts: Option<&Arc<Facts>>,
        starts: &[u32],
        parts: &[Role],
    ) -> Vec<bool> {
        let Some(flow) = facts.and_then(|facts| Flow::with(code, self.function, facts)) else {
            return vec![true; starts.len()];
        };
        let (cfg, first) = (&flow.facts.cfg, flow.code.first);
        let is_foreign = |last: usize| {
            let own = (last + first as usize).checked_sub(self.insts.start as usize);
            own.and_then(|i| parts.get(i)).is_none_or(|part| matches!(part, Role::Leave))
        };
        let is_entered = |&start: &u32| {
            let at = (start - first) as usize;
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
        starts.iter().map(is_entered).collect()
    }

    /// The data flow of a kernel, for registers that hold parameters.
    fn flow_of_params<'c>(&self, code: &'c Code, facts: Option<&Arc<Facts>>) -> Option<Flow<'c>> {
        let is_entry = code.funcs.get(self.function).is_some_and(|f| f.is_entry);
        let flow = facts.and_then(|facts| Flow::with(code, self.function, facts));
        flow.filter(|_| is_entry)
    }

    /// The yield points of the range.
    pub(super) fn yield_points(
        &self,
        code: &Code,
        facts: Option<&Arc<Facts>>,
    ) -> Box<[YieldPoint]> {
        let flow = self.flow_of_params(code, facts);
        self.insts(code).filter_map(|(at, inst)| YieldPoint::of(flow.as_ref(), at, inst)).collect()
    }

    /// For each block, the registers that hold parameters at its start, and those with a known
    /// stride.
    #[expect(clippy::type_complexity, reason = "two fields of a region")]
    fn values(
        &self,
        code: &Code,
        facts: Option<&Arc<Facts>>,
        starts: &[u32],
    ) -> (Vec<Vec<(VReg, u32)>>, Vec<Vec<(u32, u32)>>) {
        let Some(flow) = self.flow_of_params(code, facts) else { return Default::default() };
        let held = |&start: &u32| {
            let held = flow.values_at((start - flow.code.first) as usize)?;
            let params = held.params().map(|(slot, at)| (vreg(slot), at)).collect();
            Some((params, held.strides().collect()))
        };
        starts.iter().map(|start| held(start).unwrap_or_default()).unzip()
    }

    /// Instructions that write a register with a known stride.
    fn stride_makers(
        &self,
        code: &Code,
        facts: Option<&Arc<Facts>>,
        starts: &[u32],
    ) -> Vec<(u32, u32)> {
        let Some(flow) = self.flow_of_params(code, facts) else { return Vec::new() };
        let mut makers = Vec::new();
        for (i, &start) in starts.iter().enumerate() {
            let end = starts.get(i + 1).copied().unwrap_or(self.insts.end);
            let own = |at: u32| (at - flow.code.first) as usize;
            let Some(mut values) = flow.values_at(own(start)) else { continue };
            for at in start..end {
                values.step(&flow.code, own(at));
                let mut stride = None;
                writes(&flow.code.insts[own(at)].op, &mut |slot| {
                    stride = stride.or_else(|| values.stride(slot).filter(|_| !slot.is_none()));
                });
                makers.extend(stride.map(|stride| (at, stride)));
            }
        }
        makers
    }

    /// For each block, the registers written by the region that are live at its end.
    fn kept(
        &self,
        code: &Code,
        facts: Option<&Arc<Facts>>,
        starts: &[u32],
        parts: &[Role],
    ) -> Vec<HashSet<VReg>> {
        let mut written: Vec<Slot> = Vec::new();
        for ((_, inst), part) in self.insts(code).zip(parts) {
            if matches!(part, Role::Steps(_)) {
                writes(&inst.op, &mut |slot| written.extend((!slot.is_none()).then_some(slot)));
            }
        }
        sort_by_key(&mut written, |slot| slot.as_number());
        written.dedup();
        let Some(flow) = facts.and_then(|facts| Flow::with(code, self.function, facts)) else {
            let all: HashSet<VReg> = written.iter().map(|&slot| vreg(slot)).collect();
            return vec![all; starts.len()];
        };
        let number = |slot: &Slot| flow.code.registers.number(*slot);
        let keep = |live: &LiveSet<'_>| -> HashSet<VReg> {
            let is_live = |slot: &&Slot| number(slot).is_none_or(|i| live.has(i as u32));
            written.iter().filter(is_live).map(|&slot| vreg(slot)).collect()
        };
        let Facts { cfg, liveness, .. } = &*flow.facts;
        let mut kept = vec![HashSet::new(); starts.len()];
        // The blocks are visited from the last to the first, so that all blocks of the region in
        // one block of the graph share a walk over live registers.
        let mut walk: Option<(u32, usize, LiveSet<'_>)> = None;
        for i in (0..starts.len()).rev() {
            let end = starts.get(i + 1).copied().unwrap_or(self.insts.end);
            let last = (end - 1 - flow.code.first) as usize;
            let block = cfg.block_of(last);
            let (mut at, mut live) = match walk.take() {
                Some((of, at, live)) if of == block => (at, live),
                _ => (cfg.range(block).end, liveness.live_out(cfg, block)),
            };
            // If the block's last instruction is not compiled, the interpreter reads its operands,
            // so that these count as live.
            let part = parts.get((end - 1 - self.insts.start) as usize);
            let to = last + usize::from(matches!(part, Some(Role::Steps(_))));
            while at > to {
                at -= 1;
                live.step_back(&flow.code, at);
            }
            kept[i] = keep(&live);
            walk = Some((block, at, live));
        }
        kept
    }
}

/// Builder of a region's blocks.
struct Blocks<'a> {
    cut: &'a Cut,
    starts: &'a [u32],
}

impl Blocks<'_> {
    fn of(
        &self,
        code: &Code,
        parts: Vec<Role>,
        kept: Vec<HashSet<VReg>>,
        entered: &[bool],
    ) -> Vec<Block> {
        let mut blocks = Vec::with_capacity(self.starts.len());
        let mut parts = self.cut.insts(code).zip(parts);
        for (i, (&at, kept)) in self.starts.iter().zip(kept).enumerate() {
            let end = self.starts.get(i + 1).copied().unwrap_or(self.cut.insts.end);
            let mut block = Block {
                at,
                is_entry: entered[i],
                joins: false,
                steps: Vec::new(),
                end: End::Jump(self.target(end)),
                kept,
            };
            for ((at, inst), part) in parts.by_ref().take((end - at) as usize) {
                match part {
                    Role::Steps(steps) => block.steps.extend(steps),
                    Role::Join => block.joins = true,
                    Role::Leave => block.end = End::Leave { at },
                    Role::YieldPoint => {
                        let barrier = matches!(inst.op, Op::Barrier(_)).then(|| inst.count.into());
                        block.end = End::Yield { at, next: self.target(at + 1), barrier };
                    }
                    Role::Branch(target) => block.end = self.branch(at, inst, target),
                }
            }
            blocks.push(block);
        }
        blocks
    }

    /// Converts a branch target: the first instruction of a block, or an exit of the region.
    fn target(&self, at: u32) -> Target {
        match self.starts.binary_search(&at) {
            Ok(block) => Target::Block(block as u32),
            Err(_) => Target::Leave(at),
        }
    }

    fn branch(&self, at: u32, inst: &Inst, target: u32) -> End {
        let (to, next) = (self.target(target), self.target(at + 1));
        let (taken, counted) = (predicate(inst.guard), inst.count != 0);
        let Op::Branch { reconverge: reconverge_at, .. } = inst.op else {
            return End::Leave { at };
        };
        match taken {
            Predicate::Always if !counted => End::Jump(to),
            _ => End::Branch { taken, to, next, at, counted, reconverge_at },
        }
    }
}
