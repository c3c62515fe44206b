//! Flow-insensitive analysis of the origins of register values, for pointers and handles in kernel
//! parameters. The order of instructions and branches is ignored, so the result is all values that
//! a register may hold.

use crate::ir::{Base, FuncId, Instruction, Module, Operand, RegId, VarId};
use std::collections::{BTreeSet, HashMap};
use texunit_isa::{Opcode, Space};

/// A possible origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// Eight bytes of a kernel parameter. `pointer`: the value passed through `cvta.to`, so it is a
    /// pointer.
    Param { index: u32, offset: u32, pointer: bool },
    /// The address of a kernel parameter.
    ParamAddress { index: u32, offset: i64 },
    /// The address of a variable in a function's frame.
    Frame { function: u32, variable: u32, offset: i64 },
    /// The handle of a reference at module scope.
    Reference(VarId),
}

pub(super) type Origins = BTreeSet<Origin>;

/// Maximum number of origins of a value, which limits the work; no real program has more.
const MAX: usize = 64;
/// Maximum number of passes over the code; values that are copied through more variables are lost.
const ROUNDS: usize = 12;

/// A storage location of a function: a register, a frame variable, or a parameter of a called
/// function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Cell {
    Register(u32, RegId),
    Frame(u32, u32),
    Param(u32, u32),
}

/// The origins of all values in a kernel and its callees.
pub(super) struct Values<'m> {
    module: &'m Module,
    kernel: FuncId,
    /// The origins, by storage location and byte offset; the offset is 0 for registers.
    cells: HashMap<(Cell, i64), Origins>,
    /// The functions that the kernel reaches, starting with itself.
    pub(super) reached: Vec<FuncId>,
    changed: bool,
}

impl<'m> Values<'m> {
    /// Analyses a kernel and the functions that it reaches.
    pub(super) fn new(module: &'m Module, kernel: FuncId) -> Self {
        let mut values =
            Self { module, kernel, cells: HashMap::new(), reached: vec![kernel], changed: true };
        for _ in 0..ROUNDS {
            if !std::mem::take(&mut values.changed) {
                break;
            }
            let mut next = 0;
            while let Some(&function) = values.reached.get(next) {
                for instruction in values.body(function) {
                    values.follow(function, instruction);
                }
                next += 1;
            }
        }
        values
    }

    /// The code of a function; empty for a prototype.
    pub(super) fn body(&self, function: FuncId) -> &'m [Instruction] {
        let body = self.module.functions.get(function.0 as usize).and_then(|f| f.body.as_ref());
        body.map_or(&[], |body| body.as_slice())
    }

    /// The possible origins of a register's value.
    pub(super) fn of(&self, function: FuncId, register: RegId) -> Origins {
        self.cell(Cell::Register(function.0, register), 0)
    }

    fn add(&mut self, function: FuncId, register: RegId, origins: &Origins) {
        self.store(Cell::Register(function.0, register), 0, origins);
    }

    fn store(&mut self, cell: Cell, offset: i64, origins: &Origins) {
        if origins.is_empty() {
            return;
        }
        let known = self.cells.entry((cell, offset)).or_default();
        for &origin in origins {
            if known.len() < MAX && known.insert(origin) {
                self.changed = true;
            }
        }
    }

    fn cell(&self, cell: Cell, offset: i64) -> Origins {
        self.cells.get(&(cell, offset)).cloned().unwrap_or_default()
    }

    fn follow(&mut self, function: FuncId, i: &Instruction) {
        let operands = i.operands.as_slice();
        match i.opcode {
            Opcode::Ld | Opcode::Ldu => self.load(function, i),
            Opcode::St => self.keep(function, i),
            Opcode::Call => self.call(function, operands),
            Opcode::Mov | Opcode::Cvta | Opcode::Selp | Opcode::And | Opcode::Or => {
                let marked =
                    i.opcode == Opcode::Cvta && i.mods.to && i.mods.space == Some(Space::Global);
                if let Some((Operand::Reg(to), from)) = operands.split_first() {
                    for operand in from {
                        let mut origins = self.value(function, operand);
                        if marked {
                            origins = origins.into_iter().map(as_pointer).collect();
                        }
                        self.add(function, *to, &origins);
                    }
                }
            }
            Opcode::Add | Opcode::Sub => self.sum(function, i.opcode, operands),
            // The product is no pointer; the result may point to the addend's object.
            Opcode::Mad | Opcode::Fma => {
                if let (Some(Operand::Reg(to)), Some(Operand::Reg(from))) =
                    (operands.first(), operands.last())
                {
                    let origins = self.of(function, *from);
                    self.add(function, *to, &origins);
                }
            }
            _ => {}
        }
    }

    /// The possible origins of the value of an operand that is not a memory operand.
    fn value(&self, function: FuncId, operand: &Operand) -> Origins {
        match operand {
            Operand::Reg(register) => self.of(function, *register),
            Operand::AddressOf(base, offset) => self.addresses(function, *base, *offset),
            Operand::Handle(Base::Variable(variable)) => [Origin::Reference(*variable)].into(),
            _ => Origins::new(),
        }
    }

    /// The possible origins of an address.
    pub(super) fn addresses(&self, function: FuncId, base: Base, offset: i64) -> Origins {
        match base {
            Base::Reg(register) => {
                self.of(function, register).into_iter().map(|o| moved(o, offset)).collect()
            }
            Base::Variable(variable) => [Origin::Reference(variable)].into(),
            Base::Frame(variable) => {
                [Origin::Frame { function: function.0, variable: variable.0, offset }].into()
            }
            Base::Param(param) if function == self.kernel => {
                [Origin::ParamAddress { index: param.0, offset }].into()
            }
            _ => Origins::new(),
        }
    }

    fn sum(&mut self, function: FuncId, opcode: Opcode, operands: &[Operand]) {
        let [Operand::Reg(to), a, b] = operands else { return };
        let number = |operand: &Operand| match operand {
            Operand::Imm(bits) if opcode == Opcode::Add => Some(*bits as i64),
            Operand::Imm(bits) => Some((*bits as i64).wrapping_neg()),
            _ => None,
        };
        let mut origins = self.value(function, a);
        match number(b) {
            Some(n) => origins = origins.into_iter().map(|o| moved(o, n)).collect(),
            None if opcode == Opcode::Add => origins.extend(self.value(function, b)),
            None => {}
        }
        self.add(function, *to, &origins);
    }

    /// The possible origins of the value at an address.
    fn contents(&self, function: FuncId, base: Base, offset: i64) -> Origins {
        if let Base::Param(param) = base
            && function != self.kernel
        {
            return self.cell(Cell::Param(function.0, param.0), offset);
        }
        let contents = |origin| match origin {
            Origin::Frame { function, variable, offset } => {
                self.cell(Cell::Frame(function, variable), offset)
            }
            Origin::ParamAddress { index, offset } => {
                let offset = u32::try_from(offset).ok();
                let param = |offset| Origin::Param { index, offset, pointer: false };
                offset.map(param).into_iter().collect()
            }
            Origin::Param { .. } | Origin::Reference(_) => Origins::new(),
        };
        self.addresses(function, base, offset).into_iter().flat_map(contents).collect()
    }

    fn load(&mut self, function: FuncId, i: &Instruction) {
        let [to, Operand::Address(base, offset)] = i.operands.as_slice() else { return };
        // Smaller values are ignored: pointers and handles have eight bytes.
        let size = i.mods.types.first().map_or(0, |ty| ty.bytes());
        if size != 8 {
            return;
        }
        for (n, element) in to.elements().iter().enumerate() {
            if let Operand::Reg(register) = element {
                let origins = self.contents(function, *base, offset + 8 * n as i64);
                self.add(function, *register, &origins);
            }
        }
    }

    fn keep(&mut self, function: FuncId, i: &Instruction) {
        let [Operand::Address(base, offset), from] = i.operands.as_slice() else { return };
        for (n, element) in from.elements().iter().enumerate() {
            let origins = self.value(function, element);
            for target in self.addresses(function, *base, offset + 8 * n as i64) {
                if let Origin::Frame { function, variable, offset } = target {
                    self.store(Cell::Frame(function, variable), offset, &origins);
                }
            }
        }
    }

    /// Passes arguments to the called function.
    fn call(&mut self, function: FuncId, operands: &[Operand]) {
        let Some(at) = operands.iter().position(|o| matches!(o, Operand::Function(_))) else {
            return;
        };
        let Operand::Function(callee) = operands[at] else { return };
        if !self.reached.contains(&callee) {
            self.reached.push(callee);
            self.changed = true;
        }
        let Some(Operand::Args(arguments)) = operands.get(at + 1) else { return };
        for (n, argument) in arguments.iter().enumerate() {
            let cell = Cell::Param(callee.0, n as u32);
            match argument {
                Operand::FrameVar(variable) => {
                    let from = Cell::Frame(function.0, variable.0);
                    let all: Vec<(i64, Origins)> = self
                        .cells
                        .iter()
                        .filter(|((known, _), _)| *known == from)
                        .map(|((_, offset), origins)| (*offset, origins.clone()))
                        .collect();
                    all.iter().for_each(|(offset, origins)| self.store(cell, *offset, origins));
                }
                Operand::Reg(register) => {
                    let origins = self.of(function, *register);
                    let to = self.module.functions.get(callee.0 as usize);
                    if let Some(to) = to.and_then(|f| f.params.get(n)?.reg) {
                        self.add(callee, to, &origins);
                    }
                }
                _ => {}
            }
        }
    }
}

fn as_pointer(origin: Origin) -> Origin {
    match origin {
        Origin::Param { index, offset, .. } => Origin::Param { index, offset, pointer: true },
        other => other,
    }
}

/// The origin of a value after a constant was added.
fn moved(origin: Origin, by: i64) -> Origin {
    match origin {
        Origin::ParamAddress { index, offset } => {
            Origin::ParamAddress { index, offset: offset.wrapping_add(by) }
        }
        Origin::Frame { function, variable, offset } => {
            Origin::Frame { function, variable, offset: offset.wrapping_add(by) }
        }
        other => other,
    }
}
