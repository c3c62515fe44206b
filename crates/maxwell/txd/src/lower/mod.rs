//! Lowers `tex.grad` of PTX to machine code: to the TXD that NVIDIA's assembler generates, or to
//! the quad of fetches by which it emulates coordinates that TXD does not support.
//!
//! Modifiers, coordinate description, write mask, index and the packing of operands are those of
//! the assembler (releases 11.8 to 12.9). Registers are allocated here, by the rules of
//! [`texunit_sass::rules`]. Further effects of the assembler's scheduler and optimiser are not
//! reproduced: merged equal fetches, constants found by arithmetic, dead stores, unrolled loops,
//! removed predicates, and the phases of instructions that are issued together (all but the last
//! have .T in place of .P).

mod bank;
mod fetch;
mod flow;
mod handle;
mod operands;
mod quad;
mod target;
mod usage;
mod value;
mod warp;

use bank::{Bank, Names};
use flow::Flow;
use operands::Operands;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use texunit_check::ir::{FuncId, Function, Instruction, Module, Operand};
use texunit_forms::sort_by_key;
use texunit_isa::{Geometry, MipMode, Opcode};
use texunit_sass::{Arch, Txd};
use texunit_syntax::Span;
use usage::Usage;
use value::Values;

pub use target::{arch_of, target_number, visible_functions};

/// A machine instruction before or after the fetch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The text in the disassembler's style, where a PTX register stands for the machine register
    /// with its value.
    pub text: String,
    /// The purpose of the instruction.
    pub why: String,
}

impl Step {
    fn new(text: impl Into<String>, why: impl Into<String>) -> Self {
        Self { text: text.into(), why: why.into() }
    }
}

/// A register of an operand group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Packed {
    /// The machine register's number.
    pub register: u64,
    /// The name of the register's role: `s`, `dsdx`, `R`.
    pub name: &'static str,
    /// The register or constant of the PTX that the machine register stands for: an operand's
    /// value, or a result's destination.
    pub value: String,
}

/// A TXD that replaces a `tex.grad`, with its operands.
#[derive(Clone, Debug, Serialize)]
pub struct Fetch {
    /// The TXD instruction.
    #[serde(skip)]
    pub txd: Txd,
    /// A description of the handle's source.
    pub handle: String,
    /// The registers from Ra on.
    pub ra: Vec<Packed>,
    /// The registers from Rb on.
    pub rb: Vec<Packed>,
    /// The registers from Rd on, with the destinations of the results.
    pub rd: Vec<Packed>,
    /// Instructions before the fetch, which compute its operands.
    pub before: Vec<Step>,
    /// Instructions after the fetch, which convert its results.
    pub after: Vec<Step>,
    /// Remarks on choices that the PTX does not determine.
    pub notes: Vec<String>,
}

/// The emulation of a `tex.grad` by one ordinary fetch for each lane of a quad.
#[derive(Clone, Debug, Serialize)]
pub struct Quad {
    /// Why a TXD cannot be used.
    pub why: String,
    /// The ordinary fetch without its registers: `TEX.DC.NDV.P`.
    pub fetch: String,
    /// The coordinate description of the fetch.
    pub coordinates: &'static str,
    /// The write mask of the fetch.
    pub mask: u64,
    /// Index of the handle's word in the constant bank; `None` for a fetch with .B.
    pub index: Option<u64>,
    /// A description of the handle's source.
    pub handle: String,
    /// Instructions that are executed once, before the fetches.
    pub before: Vec<Step>,
    /// Instructions executed for each lane k = 0, 1, 2, 3 of the quad.
    pub each: Vec<Step>,
    /// Instructions that are executed once, after the fetches.
    pub after: Vec<Step>,
}

/// The machine code for a `tex.grad`.
#[derive(Clone, Debug)]
pub enum Form {
    /// A single TXD.
    Txd(Box<Fetch>),
    /// An emulation by a quad of fetches.
    Quad(Box<Quad>),
    /// No code, because no result is used.
    Unused,
    /// The code is unknown, for this reason.
    Refused(String),
}

/// A `tex.grad` of a module, with its machine code.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The kernel or function that contains the `tex.grad`.
    pub function: FuncId,
    /// The kernel whose constant bank the `tex.grad` reads, which is the first one that reaches the
    /// function.
    pub kernel: Option<FuncId>,
    /// The position of the `tex.grad` in the PTX.
    pub span: Span,
    /// The machine code.
    pub form: Form,
}

/// The module, function and constant bank of an instruction that is lowered.
pub struct Context<'a> {
    module: &'a Module,
    id: FuncId,
    function: &'a Function,
    bank: &'a Bank,
    usage: Usage<'a>,
    values: Values<'a>,
    arch: Arch,
}

/// Whether an instruction is a `tex.grad`.
pub fn is_gradient(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Tex && instruction.mods.mip == Some(MipMode::Grad)
}

/// Lowers every `tex.grad` of a module without errors, in order. `visible` has the names of
/// functions that are declared `.visible` or `.weak`.
pub fn module(module: &Module, visible: &HashSet<&str>, arch: Arch) -> Vec<Lowered> {
    let ids = || (0..module.functions.len() as u32).map(FuncId);
    let has_some =
        |id: &FuncId| module.functions[id.0 as usize].body.iter().flatten().any(is_gradient);
    let functions: Vec<FuncId> = ids().filter(has_some).collect();
    if functions.is_empty() {
        return Vec::new();
    }
    let names = Names::new(module, visible);
    // For each function, the first kernel that reaches it.
    let mut kernels = HashMap::new();
    for kernel in ids().filter(|id| module.functions[id.0 as usize].is_entry) {
        names.reach(kernel, &mut kernels);
    }
    let mut banks: HashMap<FuncId, Bank> = HashMap::new();
    let mut list = Vec::new();
    for id in functions {
        let kernel = kernels.get(&id).copied();
        let owner = kernel.unwrap_or(id);
        let bank = banks.entry(owner).or_insert_with(|| Bank::new(module, &names, owner));
        let function = &module.functions[id.0 as usize];
        let flow = Flow::new(function);
        let (usage, values) = (Usage::new(&flow), Values::new(module, id, &flow));
        let context = Context { module, id, function, bank, usage, values, arch };
        for (at, i) in function.body.iter().flatten().enumerate() {
            if is_gradient(i) {
                let form = lower(i, at, &context);
                list.push(Lowered { function: id, kernel, span: i.span, form });
            }
        }
    }
    sort_by_key(&mut list, |l| l.span.start);
    list
}

/// Lowers the instruction with index `at` of a function.
pub fn lower(instruction: &Instruction, at: usize, context: &Context) -> Form {
    let refused = |why: &str| Form::Refused(why.to_owned());
    let Some(operands) = Operands::read(instruction) else {
        return refused("its operands are not those of a tex.grad");
    };
    let used = context.used(&operands, at);
    if used.mask == 0 && !used.resident {
        return Form::Unused;
    }
    if used.resident && context.arch < Arch::Sm52 {
        return refused("a result d|p needs Ps, which came with sm_52");
    }
    let handle = match handle::find(context, &operands, at) {
        Ok(handle) => handle,
        Err(why) => return Form::Refused(why),
    };
    match why_emulated(context, &operands) {
        Some(why) => {
            let mut quad = quad::lower(context, &operands, &used, handle, why);
            if let Some(guard) = instruction.guard {
                let not = if guard.negated { "" } else { "!" };
                let p = context.text(&Operand::Reg(guard.reg));
                let step = Step::new(format!("@{not}{p} BRA"), "past it all, by the guard");
                quad.before.insert(0, step);
            }
            Form::Quad(Box::new(quad))
        }
        None => fetch::lower(context, instruction, &operands, &used, handle),
    }
}

/// Why an instruction cannot be a TXD and must be emulated; `None` if it can.
fn why_emulated(context: &Context, operands: &Operands) -> Option<String> {
    if operands.geometry == Geometry::D3 || operands.geometry.is_cube() {
        return Some(format!("TXD has no {} coordinates", operands.geometry));
    }
    // For `1d` in unified mode the assembler generates a TXD nevertheless, which ignores the
    // reference value.
    let forgets = operands.geometry == Geometry::D1 && !context.module.independent;
    (operands.compare.is_some() && !forgets).then(|| "TXD has no depth compare".to_owned())
}

/// The components of a result that are used.
struct UsedComponents {
    /// A mask of the used components.
    mask: u64,
    resident: bool,
}

impl Context<'_> {
    fn used(&self, operands: &Operands, at: usize) -> UsedComponents {
        let mut mask = 0;
        for (n, dest) in operands.dest.iter().enumerate() {
            // If two results have the same register, it gets the last component.
            if let Some(reg) = operands::register(dest)
                && !operands.dest[n + 1..].contains(dest)
            {
                let [low, high] = self.usage.of(reg, at);
                mask |= match operands.is_paired() {
                    true => (u64::from(low) | u64::from(high) << 1) << (2 * n),
                    false => u64::from(low || high) << n,
                };
            }
        }
        let resident = operands
            .resident
            .and_then(operands::register)
            .is_some_and(|reg| self.usage.of(reg, at) != [false; 2]);
        UsedComponents { mask: mask & 0xf, resident }
    }

    /// The PTX text of an operand: the name of a register, or the bits of a constant.
    fn text(&self, operand: &Operand) -> String {
        match operand {
            Operand::Reg(reg) => {
                let reg = self.function.regs.get(reg.0 as usize);
                reg.map_or_else(String::new, |reg| reg.name.clone())
            }
            Operand::Imm(bits) if *bits != 0 => format!("{bits:#x}"),
            _ => "RZ".to_owned(),
        }
    }
}
