//! The state of lowering a function: slots of registers, constants, temporaries, labels, and the
//! emitted instructions.

use super::pools::{Pools, RegisterAllocator};
use super::symbols::Symbols;
use super::{Requirements, fuse, unsupported};
use crate::code::{Func, Inst, Op, Slot};
use std::collections::HashMap;
use texunit_alu::Approximate;
use texunit_check::ir;
use texunit_flow::{Access, Code};
use texunit_forms::sort_by_key;
use texunit_isa::{Opcode, ScalarType};
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// The inputs of lowering.
#[derive(Clone, Copy)]
pub(super) struct LoweringInput<'a> {
    pub(super) module: &'a ir::Module,
    pub(super) symbols: &'a Symbols,
    pub(super) source: &'a SourceFile,
    /// For each function, the index of the function that has its body.
    pub(super) resolved: &'a [u32],
}

impl LoweringInput<'_> {
    /// The function with the body of an alias or a prototype.
    pub(super) fn resolve_alias(&self, f: u32) -> u32 {
        self.resolved.get(f as usize).copied().unwrap_or(f)
    }
}

/// Lowers a function to warp code.
pub(crate) struct Builder<'a> {
    pub(super) input: LoweringInput<'a>,
    pub(crate) function: &'a ir::Function,
    pub(crate) pools: &'a mut Pools,
    pub(crate) needs: Requirements,
    /// Implementation of approximate instructions.
    pub(super) approximate: Approximate,
    pub(super) slots: Vec<Slot>,
    /// For each register, whether it is read.
    pub(crate) is_read: Vec<bool>,
    pub(super) narrow: RegisterAllocator,
    pub(super) wide: RegisterAllocator,
    pub(super) predicates: RegisterAllocator,
    insts: Vec<Inst>,
    labels: Vec<u32>,
    /// Copies of the factors of products that are fused into a later sum, if the factors are
    /// overwritten before the sum; by the index of the product.
    pub(super) saved: HashMap<usize, [Option<Slot>; 2]>,
    /// Offsets of results in the call frame.
    pub(crate) returns_at: Vec<u32>,
    pub(crate) params_at: Vec<u32>,
    pub(super) frame_at: Vec<u32>,
    pub(super) frame_size: u32,
    pub(super) passed: u32,
    /// Frame offset of the hidden stack size of a function that uses `alloca`.
    pub(super) stack_at: Option<u32>,
    objects: Vec<(String, u32, u32)>,
    /// Guard of the instruction being lowered.
    pub(crate) guard: Slot,
    span: Span,
}

/// For each register of a function, whether it is read.
fn is_read(function: &ir::Function) -> Vec<bool> {
    let (code, mut is_read) = (ir::BodyCode::new(function), vec![false; function.regs.len()]);
    code.results(&mut |reg| is_read[reg as usize] = true);
    for at in 0..code.instructions() {
        code.operands(at, &mut |reg, access| is_read[reg as usize] |= access == Access::Use);
    }
    is_read
}

/// Offsets of consecutive values of these sizes and alignments, each aligned to 16 bytes at least,
/// and the end offset.
pub(crate) fn layout(values: impl Iterator<Item = (u32, u32)>, from: u32) -> (Vec<u32>, u32) {
    let up = |at: u32, align| at.checked_next_multiple_of(align).unwrap_or(u32::MAX - 15);
    let mut end = from;
    let offsets = values
        .map(|(size, align)| {
            let at = up(end, align.max(16));
            end = up(at.saturating_add(size), 16);
            at
        })
        .collect();
    (offsets, end)
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        input: LoweringInput<'a>,
        function: &'a ir::Function,
        pools: &'a mut Pools,
    ) -> Self {
        let own = |params: &[ir::Param]| -> Vec<(u32, u32)> {
            if function.is_entry { vec![] } else { params.iter().map(|p| (p.size, 16)).collect() }
        };
        let (returns_at, end) = layout(own(&function.returns).into_iter(), 0);
        let (params_at, end) = layout(own(&function.params).into_iter(), end);
        let place = |v: &ir::FrameVar| (v.size.max(1), v.align);
        let (frame_at, frame_size) = layout(function.frame.iter().map(place), end);
        let of_calls = function.frame.iter().filter(|v| v.is_param);
        let (_, passed) = layout(of_calls.map(place), end);
        let moves = |i: &ir::Instruction| {
            matches!(i.opcode, Opcode::Alloca | Opcode::Stacksave | Opcode::Stackrestore)
        };
        let moves = function.body.as_ref().is_some_and(|body| body.iter().any(moves));
        let stack_at = moves.then_some(frame_size);
        let frame_size = frame_size.saturating_add(if moves { 16 } else { 0 });
        let named = |params: &[ir::Param], at: &[u32]| -> Vec<(String, u32, u32)> {
            params.iter().zip(at).map(|(p, &o)| (p.name.clone(), o, p.size)).collect()
        };
        let mut objects = named(&function.returns, &returns_at);
        objects.extend(named(&function.params, &params_at));
        let vars = function.frame.iter().zip(&frame_at);
        objects.extend(vars.map(|(v, &o)| (v.name.clone(), o, v.size)));
        Self {
            input,
            function,
            pools,
            needs: Requirements::default(),
            approximate: Approximate::Card,
            slots: vec![Slot::NONE; function.regs.len()],
            is_read: is_read(function),
            narrow: RegisterAllocator::new(Slot::narrow),
            wide: RegisterAllocator::new(Slot::wide),
            predicates: RegisterAllocator::new(Slot::predicate),
            insts: Vec::new(),
            saved: HashMap::new(),
            labels: vec![0; function.labels.len()],
            returns_at,
            params_at,
            frame_at,
            frame_size,
            passed,
            stack_at,
            objects,
            guard: Slot::TRUE,
            span: function.span,
        }
    }

    pub(crate) fn body(&mut self, body: &'a [ir::Instruction], pairs: &fuse::Pairs) {
        let mut labels: Vec<(usize, usize)> =
            self.function.labels.iter().enumerate().map(|(i, l)| (l.1, i)).collect();
        sort_by_key(&mut labels, |&label| label);
        let mut labels = labels.into_iter().peekable();
        for (i, inst) in body.iter().enumerate() {
            while let Some((_, label)) = labels.next_if(|&(at, _)| at <= i) {
                self.labels[label] = self.insts.len() as u32;
            }
            self.span = inst.span;
            self.guard = match inst.guard {
                None => Slot::TRUE,
                Some(g) => {
                    let p = self.register(g.reg);
                    if g.negated { p.negated() } else { p }
                }
            };
            for file in [&mut self.narrow, &mut self.wide, &mut self.predicates] {
                file.used = 0;
            }
            match pairs.at(i) {
                Some(fuse::Role::Product(product)) => {
                    self.save_factors(i, inst, product);
                    if product.is_read {
                        self.instruction(inst);
                    }
                }
                Some(fuse::Role::Sum(sum)) => {
                    if self.fused(body, inst, sum).is_none() {
                        self.unsupported(inst);
                    }
                }
                None => self.instruction(inst),
            }
        }
        for (_, label) in labels {
            self.labels[label] = self.insts.len() as u32;
        }
    }

    fn instruction(&mut self, inst: &'a ir::Instruction) {
        use Opcode as O;
        let done = match inst.opcode {
            _ if inst.mods.unexecuted.is_some() => None,
            O::Mov => self.mov(inst),
            O::Selp => self.selp(inst),
            O::Cvta => self.cvta(inst),
            O::Isspacep => self.isspacep(inst),
            O::Set | O::Setp | O::Testp => self.comparison(inst),
            O::Ld | O::Ldu => self.load(inst),
            O::St => self.store(inst),
            O::Atom | O::Red => self.atomic(inst),
            O::Prefetch | O::Prefetchu | O::Discard | O::Applypriority => self.control(inst),
            O::Bra | O::Brx | O::Ret | O::Exit | O::Trap | O::Brkpt => self.control(inst),
            O::Membar | O::Fence | O::Nanosleep | O::Griddepcontrol => self.control(inst),
            O::Setmaxnreg | O::Pmevent | O::Activemask => self.control(inst),
            O::Cp if inst.mods.acts("bulk") => self.bulk_copy(inst),
            O::Cp => self.async_copy(inst),
            O::Mapa | O::Getctarank => self.cluster_address(inst),
            O::Mbarrier => self.mbarrier(inst),
            O::Elect => self.elect(inst),
            O::Alloca | O::Stacksave | O::Stackrestore => self.stack(inst),
            O::Createpolicy => self.create_policy(inst),
            O::Ldmatrix | O::Stmatrix | O::Movmatrix => self.matrix(inst),
            O::Wmma if inst.mods.acts("load") || inst.mods.acts("store") => {
                self.fragment_access(inst)
            }
            O::Mma | O::Wmma => self.product(inst),
            O::Call => self.call(inst),
            O::Redux if inst.mods.ty() == Some(ScalarType::F32) => self.redux_float(inst),
            O::Bar | O::Barrier => self.barrier(inst),
            O::Shfl => self.shuffle(inst),
            O::Vote => self.vote(inst),
            O::Match => self.matching(inst),
            O::Redux => self.redux(inst),
            O::Tex | O::Tld4 => self.fetch(inst),
            O::Suld | O::Sust | O::Sured => self.surface(inst),
            O::Txq | O::Suq => self.query(inst),
            O::Istypep => self.is_type(inst),
            _ => self.arithmetic(inst),
        };
        if done.is_none() {
            self.unsupported(inst);
        }
    }

    fn unsupported(&mut self, inst: &ir::Instruction) {
        let (code, help) = unsupported::why_unsupported(inst, self.missing_callee(inst));
        let mut text = self.input.source.snippet(inst.span).split_whitespace().take(1);
        let word = text.next().map_or(inst.opcode.name(), |w| w.trim_end_matches(';'));
        // If the text begins with a guard, the diagnostic names the opcode, because the guard is
        // not its cause.
        let word = if word.starts_with('@') { inst.opcode.name() } else { word };
        let message = match self.missing_callee(inst) {
            Some(name) if unsupported::is_device_runtime(name) => {
                format!("`{name}` of the device runtime is not executed by texunit")
            }
            Some(name) => format!("`{name}` is called, and has no body"),
            None => format!("`{word}` is not executed by texunit"),
        };
        let kind = if self.function.is_entry { "kernel" } else { "function" };
        let diagnostic = Diagnostic::error(code, inst.span, message)
            .label(format!("in {kind} `{}`", self.function.name))
            .help(help);
        self.needs.unsupported.push(diagnostic);
        self.emit(Op::Unsupported);
    }

    /// Name of the function without a body that an instruction calls.
    fn missing_callee(&self, inst: &ir::Instruction) -> Option<&'a str> {
        let [_, ir::Operand::Function(f), ..] = &inst.operands[..] else { return None };
        let at = self.input.resolve_alias(f.0);
        let function = self.input.module.functions.get(at as usize)?;
        function.body.is_none().then_some(function.name.as_str())
    }

    /// Ends the function, whose first instruction gets this number, with a return.
    pub(crate) fn finish(mut self, entry: u32) -> (Func, Vec<Inst>, Requirements) {
        let end = self.insts.len() as u32;
        self.span = self.insts.last().map_or_else(Default::default, |inst| inst.span);
        self.helper(Op::Return);
        let resolve = |label: &mut u32| {
            *label = entry + self.labels.get(*label as usize).copied().unwrap_or(end);
        };
        for inst in &mut self.insts {
            match &mut inst.op {
                Op::Branch { target, .. } => resolve(target),
                Op::BranchIndexed { targets, .. } => targets.iter_mut().for_each(resolve),
                _ => {}
            }
        }
        sort_by_key(&mut self.needs.functions, |&f| f);
        self.needs.functions.dedup();
        sort_by_key(&mut self.needs.shared, |&v| v);
        self.needs.shared.dedup();
        let f = self.function;
        let own = |params: &[ir::Param]| params.iter().map(|p| p.size).collect();
        let func = Func {
            name: f.name.clone(),
            is_entry: f.is_entry,
            entry,
            narrow: self.narrow.count,
            wide: self.wide.count,
            predicates: self.predicates.count,
            frame: self.frame_size,
            passed: self.passed,
            frame_align: f.frame.iter().map(|v| v.align).max().unwrap_or(0),
            shape: if f.is_entry { Default::default() } else { (own(&f.returns), own(&f.params)) },
            objects: self.objects,
            has_body: f.body.is_some(),
            cleared: f.is_entry,
            clears_predicates: f.is_entry,
            registers: Vec::new(),
        };
        (func, self.insts, self.needs)
    }

    pub(super) fn push(&mut self, op: Op, guard: Slot, counts: bool) {
        self.insts.push(Inst { op, guard, count: counts.into(), span: self.span });
    }

    /// Appends an operation under the instruction's guard. The result is that of the lowering
    /// functions, most of which end with an operation.
    pub(crate) fn emit(&mut self, op: Op) -> Option<()> {
        self.push(op, self.guard, true);
        Some(())
    }

    /// Appends an uncounted operation that prepares operands or finishes results.
    pub(crate) fn helper(&mut self, op: Op) {
        self.push(op, Slot::TRUE, false);
    }

    /// As [`Self::helper`], under the instruction's guard.
    pub(crate) fn finisher(&mut self, op: Op) {
        self.push(op, self.guard, false);
    }

    /// Creates a label at the next instruction to be emitted, which `place` can move.
    pub(crate) fn label(&mut self) -> u32 {
        self.labels.push(self.insts.len() as u32);
        self.labels.len() as u32 - 1
    }

    pub(crate) fn place(&mut self, label: u32) {
        self.labels[label as usize] = self.insts.len() as u32;
    }
}

/// Mask of the low `bits` bits.
pub(crate) fn mask_of(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Whether values of a type are held in wide registers.
pub(crate) fn is_wide(ty: ScalarType) -> bool {
    ty.bits() == 64
}
