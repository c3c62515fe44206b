//! Tracks the values of 64-bit registers, to find handles in the constant bank.

use super::bank::{Bank, Name, name_of};
use super::flow::Flow;
use texunit_check::ir::{Base, FuncId, Module, Operand, RegId};
use texunit_isa::{Opcode, Space};

/// Maximum number of steps in tracking one value; beyond it the value counts as unknown.
const STEPS: usize = 64;
/// Maximum number of definitions of a register that are compared; beyond it the value counts as
/// unknown.
const WRITES: usize = 8;

/// The value of a 64-bit register, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The 8 bytes at this offset of the constant bank.
    Bank(u32),
    /// The address of the byte at this offset of the constant bank.
    AddressOf(u32),
    /// The handle of a named texture or sampler.
    Handle(Name),
    /// A constant number.
    Number(u64),
    /// The value is unknown.
    Unknown,
}

/// Tracks the values of a function's registers.
pub(super) struct Values<'a> {
    module: &'a Module,
    id: FuncId,
    flow: &'a Flow<'a>,
}

impl<'a> Values<'a> {
    pub(super) fn new(module: &'a Module, id: FuncId, flow: &'a Flow<'a>) -> Self {
        Self { module, id, flow }
    }

    /// The value of a register before instruction `at`.
    pub(super) fn of(&self, reg: RegId, at: usize, bank: &Bank) -> Value {
        self.search(reg, at, bank, &mut { STEPS })
    }

    fn search(&self, reg: RegId, at: usize, bank: &Bank, left: &mut usize) -> Value {
        if *left == 0 {
            return Value::Unknown;
        }
        *left -= 1;
        let Flow { code, cfg, definitions, .. } = self.flow;
        let block = cfg.range(cfg.block_of(at)).start..at;
        if let Some(n) = definitions.last_within(reg.0, block)
            && code.body[n].guard.is_none()
        {
            return self.written(reg, n, bank, left);
        }
        match definitions.of(reg.0) {
            [first, rest @ ..] if rest.len() < WRITES => {
                let value = self.written(reg, *first as usize, bank, left);
                let mut others = rest.iter().map(|&n| self.written(reg, n as usize, bank, left));
                if others.all(|other| other == value) { value } else { Value::Unknown }
            }
            _ => Value::Unknown,
        }
    }

    /// The value that an instruction writes to a register.
    fn written(&self, reg: RegId, n: usize, bank: &Bank, left: &mut usize) -> Value {
        let i = &self.flow.code.body[n];
        let is_kernel = self.flow.code.function.is_entry;
        match (i.opcode, i.operands.as_slice()) {
            (Opcode::Mov | Opcode::Cvta, [Operand::Reg(_), source]) => match source {
                Operand::Reg(source) => self.search(*source, n, bank, left),
                Operand::Imm(bits) => Value::Number(*bits),
                Operand::AddressOf(base, offset) => self.address(*base, *offset, bank),
                _ => Value::Unknown,
            },
            (Opcode::Selp, [_, Operand::Reg(one), Operand::Reg(other), _]) => {
                let value = self.search(*one, n, bank, left);
                if self.search(*other, n, bank, left) == value { value } else { Value::Unknown }
            }
            (Opcode::Add, [_, Operand::Reg(source), Operand::Imm(bits)])
            | (Opcode::Add, [_, Operand::Imm(bits), Operand::Reg(source)]) => {
                let Value::AddressOf(byte) = self.search(*source, n, bank, left) else {
                    return Value::Unknown;
                };
                moved(byte, *bits as i64).map_or(Value::Unknown, Value::AddressOf)
            }
            (Opcode::Ld, [dest, Operand::Address(base, offset)])
                if is_kernel
                    && i.mods.space == Some(Space::Param)
                    && i.mods.ty().is_some_and(|ty| ty.bytes() == 8) =>
            {
                let element = match dest {
                    Operand::Vector(list) => list.iter().rposition(|o| *o == Operand::Reg(reg)),
                    _ => None,
                };
                let from = match base {
                    Base::Reg(base) => self.search(*base, n, bank, left),
                    _ => self.address(*base, 0, bank),
                };
                let Value::AddressOf(byte) = from else { return Value::Unknown };
                let offset = offset.saturating_add(8 * element.unwrap_or(0) as i64);
                moved(byte, offset).map_or(Value::Unknown, Value::Bank)
            }
            _ => Value::Unknown,
        }
    }

    fn address(&self, base: Base, offset: i64, bank: &Bank) -> Value {
        if let Some((name, _)) = name_of(self.module, self.id, base)
            && offset == 0
        {
            return Value::Handle(name);
        }
        let byte = match base {
            Base::Param(id) if self.flow.code.function.is_entry => bank.param(id),
            _ => None,
        };
        byte.and_then(|byte| moved(byte, offset)).map_or(Value::Unknown, Value::AddressOf)
    }
}

fn moved(byte: u32, offset: i64) -> Option<u32> {
    u32::try_from(i64::from(byte).checked_add(offset)?).ok()
}
