//! Lowers a kernel with all functions that it can call.

use super::builder::{Builder, LoweringInput};
use super::pools::Pools;
use super::{Requirements, fuse, joins, reuse, spin};
use crate::code::{Callee, Code, Func, NONE, Op};
use crate::launch::Arithmetic;
use crate::marks::MarkedCodes;
use crate::regions::Regions;
use crate::stats::Fusion;
use std::collections::HashMap;
use texunit_check::ir::{self, Operand};
use texunit_forms::sort_by_key;
use texunit_isa::Opcode;

/// The code of a set of functions closed under calls, with their requirements.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) code: Code,
    /// Function numbers in the code, by number in the module. The kernel is function 0 of its unit.
    numbers: HashMap<u32, u32>,
    /// Requirements of each function of the code.
    pub(super) needs: Vec<Requirements>,
    /// By number in the module: number in the code of each function that can be called indirectly,
    /// else [`NONE`]. Empty if there is no indirect call.
    targets: Vec<u32>,
    /// Numbers of fused and undecided sums in all functions of the unit.
    pub(crate) fusion: Fusion,
    /// Marked code for observers.
    pub(crate) marked: MarkedCodes,
    /// Compiled regions of the code.
    pub(crate) regions: Regions,
}

impl Unit {
    /// The number in the code of a function of the module.
    pub(crate) fn number(&self, function: u32) -> Option<u32> {
        self.numbers.get(&function).copied()
    }

    /// The number in the code of a function of the module that can be called indirectly.
    pub(crate) fn target(&self, function: u32) -> Option<u32> {
        self.targets.get(function as usize).copied().filter(|&number| number != NONE)
    }

    /// The functions of the module that the unit contains.
    pub(super) fn functions(&self) -> impl Iterator<Item = u32> {
        self.numbers.keys().copied()
    }

    /// Whether the unit has approximate instructions.
    pub(super) fn is_approximate(&self, module: &ir::Module) -> bool {
        let function = |f: &u32| module.functions.get(*f as usize);
        let bodies = self.numbers.keys().filter_map(function).flat_map(|f| &f.body);
        bodies.flatten().any(|inst| inst.mods.approx || inst.mods.full)
    }
}

/// Purpose of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The code is executed without an observer.
    Usual,
    /// Debugging: each PTX register has storage of its own and is written even if it is never read.
    Debug,
}

/// Lowers functions and all functions that they can call.
pub(super) fn lower<'a>(
    parts: LoweringInput<'a>,
    taken: impl Fn() -> &'a [u32],
    roots: impl IntoIterator<Item = u32>,
    arithmetic: Arithmetic,
    form: Form,
) -> Unit {
    let mut maker = UnitBuilder {
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
        // Function pointers may come from initialisers or, through memory, from other kernels, so
        // all functions whose address is taken are included.
        let all = if needs.indirect && !is_indirect { taken() } else { &[] };
        is_indirect |= needs.indirect;
        let called: Vec<u32> = needs.functions.iter().map(|f| f.0).collect();
        called.iter().chain(all).for_each(|&f| maker.want(parts.resolve_alias(f)));
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

/// A unit under construction.
struct UnitBuilder<'a> {
    parts: LoweringInput<'a>,
    arithmetic: Arithmetic,
    form: Form,
    pools: Pools,
    code: Code,
    /// Functions of the module by their number in the code; those without entry in `needs` remain
    /// to be lowered.
    functions: Vec<u32>,
    /// The inverse mapping of `functions`.
    numbers: HashMap<u32, u32>,
    needs: Vec<Requirements>,
    fusion: Fusion,
}

impl UnitBuilder<'_> {
    /// Assigns a number to a function, if it has none.
    fn want(&mut self, function: u32) {
        let next = self.functions.len() as u32;
        if (function as usize) < self.parts.module.functions.len()
            && *self.numbers.entry(function).or_insert(next) == next
        {
            self.functions.push(function);
        }
    }

    /// Lowers the next function.
    fn function(&mut self, function: u32) {
        let function = &self.parts.module.functions[function as usize];
        let mut builder = Builder::new(self.parts, function, &mut self.pools);
        builder.approximate = self.arithmetic.approximate;
        if self.form == Form::Debug {
            // Results that no instruction reads are written, too.
            builder.is_read.fill(true);
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
        let (func, insts, need) = builder.finish(self.code.insts.len() as u32);
        // A debugger must not show register values of the previous CTA.
        let cleared = func.cleared || (self.form == Form::Debug && func.is_entry);
        self.code.insts.extend(insts);
        self.code.funcs.push(Func { registers, cleared, ..func });
        self.needs.push(need);
    }

    fn finish(self, targets: Vec<u32>) -> Unit {
        let Self { mut code, numbers, mut needs, pools, fusion, .. } = self;
        for inst in &mut code.insts {
            if let Op::Call(call) = &mut inst.op
                && let Callee::Direct(function) = &mut call.callee
            {
                // All functions that can be called have been lowered at this point.
                *function = numbers.get(function).copied().unwrap_or(NONE);
            }
        }
        for function in spin::yield_in_loops(&mut code) {
            needs[function].may_wait = true;
        }
        joins::join(&mut code);
        code.funcs.iter_mut().for_each(Func::add_temporaries);
        if self.form == Form::Usual {
            reuse::share_rows(&mut code);
        }
        (code.constants, code.patches) = pools.finish();
        code.complete();
        let (marked, regions) = (MarkedCodes::default(), Regions::default());
        Unit { code, numbers, needs, targets, fusion, marked, regions }
    }
}

/// Numbers of the functions of a module, aliases resolved, that an indirect call may reach: those
/// whose address is taken, and those that are called.
pub(super) fn taken(parts: LoweringInput<'_>) -> Vec<u32> {
    let (module, mut taken) = (parts.module, Vec::new());
    let instructions = module.functions.iter().flat_map(|f| f.body.iter().flatten());
    for inst in instructions {
        for operand in inst.operands.iter() {
            if let (Opcode::Call, Operand::Function(f)) = (inst.opcode, operand) {
                // Callees without a body are built in, and kernels cannot be called.
                let callee = module.functions.get(parts.resolve_alias(f.0) as usize);
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
    taken.iter_mut().for_each(|f| *f = parts.resolve_alias(*f));
    taken.retain(|&f| (f as usize) < module.functions.len());
    sort_by_key(&mut taken, |&f| f);
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
