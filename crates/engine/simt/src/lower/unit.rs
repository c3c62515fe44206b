//! The code of a kernel and of all that it can call, made when it is first needed.

use super::builder::Builder;
use super::pools::Pools;
use super::symbols::Symbols;
use super::{Needs, flow_into, fuse, reuse, spin};
use crate::code::{Callee, Code, Decoded, Func, NONE, Op};
use crate::launch::Arithmetic;
use crate::observe::marks::Kept;
use crate::regions::Regions;
use crate::stats::Fusion;
use std::collections::HashMap;
use texunit_check::ir::{self, Operand};
use texunit_isa::Opcode;
use texunit_syntax::SourceFile;

/// The functions that can run when a kernel does, as code, and what they need.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) code: Code,
    /// Numbers in the code, by number in the module. In the unit of a kernel that is the first one.
    numbers: HashMap<u32, u32>,
    /// What each function of the code needs.
    pub(super) needs: Vec<Needs>,
    /// By number in the module: number in the code of each function that can be called through a register, else
    /// [`NONE`]. Nothing where no call is so made.
    targets: Vec<u32>,
    /// The counts of fused and of undecided sums in all functions of the unit.
    pub(crate) fusion: Fusion,
    /// Code that has been made for observers.
    pub(crate) kept: Kept,
    /// Compiled regions of the code.
    pub(crate) regions: Regions,
}

impl Unit {
    /// The number in the code of a function of the module.
    pub(crate) fn number(&self, function: u32) -> Option<u32> {
        self.numbers.get(&function).copied()
    }

    /// The number in the code of a function of the module that is called through a register.
    pub(crate) fn target(&self, function: u32) -> Option<u32> {
        self.targets.get(function as usize).copied().filter(|&number| number != NONE)
    }

    /// The functions of the module that it has.
    pub(super) fn functions(&self) -> impl Iterator<Item = u32> {
        self.numbers.keys().copied()
    }

    /// Whether it has approximate instructions.
    pub(super) fn is_approximate(&self, module: &ir::Module) -> bool {
        let function = |f: &u32| module.functions.get(*f as usize);
        let bodies = self.numbers.keys().filter_map(function).flat_map(|f| &f.body);
        bodies.flatten().any(|inst| inst.mods.approx || inst.mods.full)
    }
}

/// What code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// To be executed.
    Usual,
    /// To be looked at, too: each register of the PTX has a row of its own, and is written even where nobody reads it.
    Debug,
}

/// Lowers functions, and all that they can call.
pub(super) fn lower<'a>(
    parts: Parts<'a>,
    taken: impl Fn() -> &'a [u32],
    roots: impl IntoIterator<Item = u32>,
    arithmetic: Arithmetic,
    form: Form,
) -> Unit {
    let mut maker = Maker {
        parts,
        arithmetic,
        form,
        pools: Pools::default(),
        code: Code::default(),
        functions: Vec::new(),
        numbers: HashMap::new(),
        needs: Vec::new(),
        fusion: Fusion::default(),
    };
    roots.into_iter().for_each(|function| maker.want(function));
    let mut is_indirect = false;
    while let Some(&function) = maker.functions.get(maker.needs.len()) {
        maker.function(function);
        let Some(needs) = maker.needs.last() else { break };
        // Pointers may come from anywhere: initialisers, other kernels by way of memory.
        let all = if needs.indirect && !is_indirect { taken() } else { &[] };
        is_indirect |= needs.indirect;
        let called: Vec<u32> = needs.functions.iter().map(|f| f.0).collect();
        called.iter().chain(all).for_each(|&f| maker.want(parts.behind(f)));
    }
    let mut targets = Vec::new();
    if is_indirect {
        targets.resize(parts.module.functions.len(), NONE);
        for &f in taken() {
            targets[f as usize] = maker.numbers.get(&f).copied().unwrap_or(NONE);
        }
    }
    maker.finish(targets)
}

/// What lowering reads.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) module: &'a ir::Module,
    pub(super) symbols: &'a Symbols,
    pub(super) source: &'a SourceFile,
    /// Index of the function that has the body, of each function.
    pub(super) resolved: &'a [u32],
}

impl Parts<'_> {
    /// The function that an alias or a prototype stands for.
    pub(super) fn behind(&self, f: u32) -> u32 {
        self.resolved.get(f as usize).copied().unwrap_or(f)
    }
}

/// A unit that is being made.
struct Maker<'a> {
    parts: Parts<'a>,
    arithmetic: Arithmetic,
    form: Form,
    pools: Pools,
    code: Code,
    /// Functions of the module, by their number in the code: those without needs are still to be lowered.
    functions: Vec<u32>,
    /// The other way round.
    numbers: HashMap<u32, u32>,
    needs: Vec<Needs>,
    fusion: Fusion,
}

impl Maker<'_> {
    /// Gives a function a number, if it has none.
    fn want(&mut self, function: u32) {
        let next = self.functions.len() as u32;
        if (function as usize) < self.parts.module.functions.len()
            && *self.numbers.entry(function).or_insert(next) == next
        {
            self.functions.push(function);
        }
    }

    /// Lowers the function whose turn it is.
    fn function(&mut self, function: u32) {
        let Parts { module, symbols, source, resolved } = self.parts;
        let function = &module.functions[function as usize];
        let mut builder =
            Builder::new(module, function, symbols, source, resolved, &mut self.pools);
        builder.approximate = self.arithmetic.approximate;
        if self.form == Form::Debug {
            builder.reads_all();
        }
        if let Some(body) = &function.body {
            let pairs =
                if self.arithmetic.fmad { fuse::pairs(function) } else { fuse::Pairs::default() };
            self.fusion.add(pairs.fusion);
            builder.prologue();
            builder.body(body, &pairs);
        }
        let registers = match self.form {
            Form::Debug => builder.slots.clone(),
            Form::Usual => Vec::new(),
        };
        let (func, mut insts, mut need) = builder.finish();
        // Registers of the CTA before are not to be seen in this one.
        let cleared = func.cleared || (self.form == Form::Debug && func.is_entry);
        need.may_wait |= spin::yield_in_loops(&mut insts);
        let entry = self.code.insts.len() as u32;
        self.code.insts.extend(flow_into(insts, entry));
        self.code.funcs.push(Func { entry, registers, cleared, ..func });
        self.needs.push(need);
    }

    fn finish(self, targets: Vec<u32>) -> Unit {
        let Self { mut code, numbers, needs, pools, fusion, .. } = self;
        for inst in &mut code.insts {
            if let Op::Call(call) = &mut inst.op
                && let Callee::Direct(function) = &mut call.callee
            {
                // All that is called has been lowered.
                *function = numbers.get(function).copied().unwrap_or(NONE);
            }
        }
        if self.form == Form::Usual {
            (0..code.funcs.len()).for_each(|function| reuse::share_rows(&mut code, function));
        }
        code.funcs.iter_mut().for_each(Func::add_temporaries);
        code.decoded = code.insts.iter().map(Decoded::of).collect();
        code.has_cluster_barrier =
            code.insts.iter().any(|inst| matches!(inst.op, Op::ClusterBarrier { .. }));
        code.uses_activemask = code.insts.iter().any(|inst| match &inst.op {
            Op::ActiveMask { .. } => true,
            Op::Shuffle(shuffle) => shuffle.members.is_none(),
            Op::Vote { members, .. } => members.is_none(),
            _ => false,
        });
        (code.constants, code.patches, code.sites) = pools.finish();
        let (kept, regions) = (Kept::default(), Regions::default());
        Unit { code, numbers, needs, targets, fusion, kept, regions }
    }
}

/// Functions of a module, by number and without aliases, that a pointer may point to: those whose address is taken
/// somewhere, and those that are called.
pub(super) fn taken(module: &ir::Module, behind: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut taken = Vec::new();
    let instructions = module.functions.iter().flat_map(|f| f.body.iter().flatten());
    for inst in instructions {
        for operand in inst.operands.iter() {
            if let (Opcode::Call, Operand::Function(f)) = (inst.opcode, operand) {
                // What is called and has no body is made by the executor; kernels are not called.
                let callee = module.functions.get(behind(f.0) as usize);
                if callee.is_some_and(|f| f.body.is_some() && !f.is_entry) {
                    taken.push(f.0);
                }
                continue;
            }
            each_function(operand, &mut |f| taken.push(f));
        }
    }
    let initial = module.variables.iter().flat_map(|v| &v.relocations);
    taken.extend(initial.filter_map(|r| match r.target {
        ir::Symbol::Function(f) => Some(f.0),
        ir::Symbol::Variable(_) => None,
    }));
    taken.iter_mut().for_each(|f| *f = behind(*f));
    taken.retain(|&f| (f as usize) < module.functions.len());
    taken.sort_unstable();
    taken.dedup();
    taken
}

fn each_function(operand: &Operand, found: &mut impl FnMut(u32)) {
    match operand {
        Operand::Function(f) => found(f.0),
        Operand::Vector(list) | Operand::Args(list) => {
            list.iter().for_each(|operand| each_function(operand, found));
        }
        _ => {}
    }
}
