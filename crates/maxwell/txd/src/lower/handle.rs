//! Finds where the handle of a texture and its sampler comes from: a word of the constant bank, or
//! a computation.

use super::bank::{Name, name_of};
use super::operands::Operands;
use super::value::Value;
use super::{Context, Step};
use texunit_check::ir::Base;
use texunit_sass::txd::INDEX;

/// The registers that hold temporary values while a handle is computed.
const TEMPORARY: [&str; 2] = ["R12", "R13"];

/// The handle of texture and sampler that a fetch uses, and where it comes from.
pub(super) struct Handle {
    /// Text that says where the handle comes from: a parameter, a named texture, a register.
    pub(super) from: String,
    pub(super) place: HandleLocation,
}

/// The location from which the instruction reads its handle.
pub(super) enum HandleLocation {
    /// The word of the constant bank with this index.
    Constant(u64),
    /// Register R0, which the steps given here compute the handle in; the TXD has the modifier .B,
    /// so that it reads the handle from a register.
    Computed(Vec<Step>),
}

/// The index of a texture or of a sampler in independent mode, which is half of a handle.
enum HandleHalf {
    /// The word of the constant bank at this byte offset has the index in the bits that the index
    /// has in a handle.
    Placed(u32),
    /// The machine operand that has the index, and a text that says where the index comes from.
    Index(String, String),
}

/// Finds the handle of the instruction at `at`; the error says why it cannot be found.
pub(super) fn find(context: &Context, operands: &Operands, at: usize) -> Result<Handle, String> {
    let texture = operands.texture;
    match operands.sampler {
        None => unified(context, texture, at),
        Some(sampler) => independent(context, texture, sampler, at),
    }
}

fn constant(byte: u32, from: String) -> Result<Handle, String> {
    let index = u64::from(byte / 4);
    if index > INDEX.max() {
        return Err(format!(
            "its handle lies at byte {byte:#x} of the constant bank, which the index does not reach"
        ));
    }
    let from = format!("{}: {from}", at_byte(byte));
    Ok(Handle { from, place: HandleLocation::Constant(index) })
}

fn at_byte(byte: u32) -> String {
    format!("c[0x0][{byte:#x}]")
}

fn unified(context: &Context, texture: Base, at: usize) -> Result<Handle, String> {
    let name = name_of(context.module, context.id, texture);
    if let Some((name, _)) = name {
        let byte = context.bank.single(name).ok_or("its texture has no place in the bank")?;
        return constant(byte, format!("handle of {}", context.name(name)));
    }
    let (value, register) = context.register(texture, at);
    let (steps, from) = match value {
        Value::Bank(byte) if byte.is_multiple_of(4) => {
            return constant(byte, format!("kernel parameter, through {register}"));
        }
        Value::Handle(name) => (
            context.marked(name, "R0")?,
            format!("address of {} in {register}, marked as one", context.name(name)),
        ),
        Value::Number(number) => (
            vec![Step::new(format!("MOV32I R0, {:#x}", number as u32), "handle: a number")],
            format!("number {number:#x} in {register}"),
        ),
        _ => (
            vec![Step::new(format!("MOV R0, {register}"), "handle: lower 32 bits of the register")],
            format!("{register}, which is not simply a kernel parameter"),
        ),
    };
    Ok(Handle { from, place: HandleLocation::Computed(steps) })
}

fn independent(
    context: &Context,
    texture: Base,
    sampler: Base,
    at: usize,
) -> Result<Handle, String> {
    let name = |base| name_of(context.module, context.id, base).map(|n| n.0);
    if let (Some(texture), Some(sampler)) = (name(texture), name(sampler)) {
        let byte =
            context.bank.pair(texture, sampler).ok_or("its pair has no place in the bank")?;
        let (texture, sampler) = (context.name(texture), context.name(sampler));
        return constant(byte, format!("handle of {texture} with {sampler}"));
    }
    let mut steps = Vec::new();
    let (texture, texture_from) = context.part(texture, at, &mut steps, TEMPORARY[0])?.read();
    let base = match context.part(sampler, at, &mut steps, TEMPORARY[1])? {
        HandleHalf::Placed(byte) => (at_byte(byte), format!("{} (in bits 31:20)", at_byte(byte))),
        HandleHalf::Index(text, from) => {
            let shifted = format!("SHL {}, {text}, 0x14", TEMPORARY[1]);
            steps.push(Step::new(shifted, "sampler index to bits 31:20"));
            (TEMPORARY[1].to_owned(), from)
        }
    };
    let insert = format!("BFI R0, {texture}, 0x1400, {}", base.0);
    steps.push(Step::new(insert, "handle: sampler index 31:20, texture index 19:0"));
    let from = format!("texture {texture_from}, sampler {}", base.1);
    Ok(Handle { from, place: HandleLocation::Computed(steps) })
}

impl HandleHalf {
    /// The machine operand that has the index, with a text that says where the index comes from.
    fn read(self) -> (String, String) {
        match self {
            Self::Placed(byte) => (at_byte(byte), at_byte(byte)),
            Self::Index(text, from) => (text, from),
        }
    }
}

impl Context<'_> {
    /// The name of a texture or sampler in the PTX.
    fn name(&self, name: Name) -> String {
        let found = match name {
            Name::Variable(id) => self.module.variables.get(id.0 as usize).map(|v| &v.name),
            Name::Param(function, id) => self.module.functions[function.0 as usize]
                .params
                .get(id.0 as usize)
                .map(|p| &p.name),
        };
        found.cloned().unwrap_or_default()
    }

    /// What is known about the value of a PTX register that has a handle, and the register's name.
    fn register(&self, base: Base, at: usize) -> (Value, String) {
        match base {
            Base::Reg(reg) => {
                let name = self.function.regs.get(reg.0 as usize).map(|r| r.name.clone());
                (self.values.of(reg, at, self.bank), name.unwrap_or_default())
            }
            _ => (Value::Unknown, "RZ".to_owned()),
        }
    }

    /// The instructions that compute into a register the address of a texture, which PTX takes with
    /// `mov`: it is the handle with bit 31 set.
    fn marked(&self, name: Name, register: &str) -> Result<Vec<Step>, String> {
        let byte = self.bank.single(name).ok_or("its texture has no place in the bank")?;
        let name = self.name(name);
        Ok(vec![
            Step::new(format!("MOV {register}, {}", at_byte(byte)), format!("handle of {name}")),
            Step::new(
                format!("LOP32I.OR {register}, {register}, 0x80000000"),
                "the mark of an address that mov took",
            ),
        ])
    }

    fn part(
        &self,
        base: Base,
        at: usize,
        steps: &mut Vec<Step>,
        register: &str,
    ) -> Result<HandleHalf, String> {
        if let Some((name, _)) = name_of(self.module, self.id, base) {
            let byte = self.bank.single(name).ok_or("its handle has no place in the bank")?;
            return Ok(HandleHalf::Placed(byte));
        }
        let (value, name) = self.register(base, at);
        Ok(match value {
            Value::Bank(byte) => {
                let from = format!("{} ({name})", at_byte(byte));
                HandleHalf::Index(at_byte(byte), from)
            }
            Value::Handle(named) => {
                steps.extend(self.marked(named, register)?);
                HandleHalf::Index(register.to_owned(), format!("address of {}", self.name(named)))
            }
            Value::Number(number) => {
                HandleHalf::Index(format!("{:#x}", number as u32), format!("number {number:#x}"))
            }
            _ => HandleHalf::Index(name.clone(), name),
        })
    }
}
