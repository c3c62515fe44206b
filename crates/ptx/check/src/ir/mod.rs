//! The typed module: names are resolved, kinds and widths of operands are checked, and modifiers
//! are parsed into fields. Crate `simt` lowers it to warp code.
//!
//! Operands of texture, surface and query instructions have names ([`FetchOperands`],
//! [`SurfaceOperands`], [`QueryOperands`]). Other instructions have a list of operands in source
//! order, except for:
//!
//! | instruction | operands |
//! |---|---|
//! | setp, shfl, match, lop3.BoolOp | `d, p` (or `p, q`): the second is `Discard` if not written; then the sources. match.any has only `d` |
//! | mov of vectors | `Reg, Vector` packs, `Vector, Reg` unpacks |
//! | ld, ldu | `Reg` or `Vector`, `Address` (`_` elements are `Discard`); vector registers are expanded to `Vector` |
//! | st | `Address`, source (`Reg`, `Imm` or `Vector`) |
//! | atom | `d` or `Discard`, `Address`, b, (c) |
//! | red | `Address`, b |
//! | cvta, isspacep, prefetch | as written |
//! | bra | `Label`; brx.idx: index, `Targets` |
//! | call | `Args` (results), `Function` or `Reg`, `Args` (arguments), then for indirect calls `Prototype` |
//! | bar, barrier | barrier number, thread count if written, predicate of `.red` as `Reg`/`NotReg`; `bar.red`: destination first |
//! | istypep | p, a |

mod code;
mod operands;
pub mod print;

pub use code::BodyCode;
pub use operands::{FetchOperands, Lod, Operands, QueryOperands, SurfaceOperands};
pub(crate) use operands::{coordinates, first};

use std::sync::Arc;

use texunit_isa::{Modifiers, Opcode, ScalarType, SpecialReg};
use texunit_syntax::Span;

use crate::sources::Sources;

/// Index of a register in its function's [`Function::regs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegId(pub u32);
/// Index of a variable in [`Module::variables`] (module scope, and `.shared`, `.global`, `.const`
/// variables declared in bodies).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);
/// Index of a function in [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(pub u32);
/// Index of a label in its function's [`Function::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);
/// Index in [`Function::params`] (incoming parameters of the function itself).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub u32);
/// Index in [`Function::frame`], which holds `.local` variables of the body and `.param` variables
/// that are declared there for calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameVarId(pub u32);

/// A checked PTX module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The version in `.version`: (8, 5) for 8.5.
    pub version: (u32, u32),
    /// Architecture in `.target`, such as `sm_75`.
    pub target: String,
    /// Whether `.target` says `texmode_independent`.
    pub independent: bool,
    /// Size of addresses: 32 or 64 bits.
    pub address_size: u32,
    /// Variables with static storage.
    pub variables: Vec<Variable>,
    /// Functions and kernels, including prototypes.
    pub functions: Vec<Function>,
    /// Source locations of instructions, from `.file` and `.loc`.
    pub sources: Arc<Sources>,
}

/// The memory that holds a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// The state space `.global`.
    Global,
    /// The state space `.const`.
    Const,
    /// The state space `.shared`.
    Shared,
    /// `.extern .shared x[]`, which begins after the static shared memory.
    DynamicShared,
    /// `.texref`, `.samplerref`, `.surfref` at module scope: the variable is a handle.
    Opaque(ScalarType),
}

/// A variable with static storage.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name as written; for a variable declared in a body, `function.name`.
    pub name: String,
    /// Memory in which the variable is stored.
    pub storage: Storage,
    /// The declared state space. References belong in `.global`, but ptxas accepts arrays of
    /// references elsewhere, too.
    pub space: texunit_syntax::ast::Space,
    /// Type of an array or vector element.
    pub ty: ScalarType,
    /// Vector length: 2 or 4 for `.v2` and `.v4`, else 1.
    pub vector: u8,
    /// Array dimensions, followed by the vector length. The first is 0 for an uninitialised `[]`.
    pub dims: Vec<u64>,
    /// Size of the variable in bytes (0 for `[]`).
    pub size: u64,
    /// Alignment of the variable in bytes.
    pub align: u64,
    /// Whether the variable is `.extern` without a definition.
    pub is_extern: bool,
    /// Whether the variable has `.attribute(.managed)`, so that the host program uses it, too.
    pub managed: bool,
    /// Initial bytes from offset 0 on (may be shorter than `size`; further bytes are zero).
    pub init: Vec<u8>,
    /// Positions in `init` that receive addresses when the module is loaded.
    pub relocations: Vec<Relocation>,
    /// Fields of an opaque variable's static initialiser: name and value. `linear`, `wrap` and so
    /// on are given as their PTX numbers: nearest 0, linear 1; wrap 0, mirror 1, clamp_ogl 2,
    /// clamp_to_edge 3, clamp_to_border 4.
    pub fields: Vec<(String, i64)>,
    /// Source location of the declaration.
    pub span: Span,
}

/// An address in the initial value of a variable.
#[derive(Clone, Debug)]
pub struct Relocation {
    /// Byte offset of the address in the variable.
    pub offset: u64,
    /// Size of the stored value in bytes: 4 or 8, or 1 for a masked byte of the address.
    pub size: u8,
    /// The symbol whose address is stored.
    pub target: Symbol,
    /// Number that is added to the address.
    pub addend: i64,
    /// Right shift before a masked byte is taken (`0xff00(name)`: 8).
    pub shift: u8,
    /// Whether the address is generic: `generic(name)`.
    pub generic: bool,
}

/// A symbol with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A variable: its address in its state space, or the handle of an opaque variable.
    Variable(VarId),
    /// A function.
    Function(FuncId),
}

/// A parameter or result of a function.
#[derive(Clone, Debug)]
pub struct Param {
    /// Name of the parameter.
    pub name: String,
    /// Type of an element; `Texref`, `Samplerref` or `Surfref` for a handle.
    pub ty: ScalarType,
    /// Size of the parameter in bytes.
    pub size: u32,
    /// Alignment of the parameter in bytes.
    pub align: u32,
    /// Byte offset in the kernel's parameter buffer, or in the argument frame of a function, in
    /// which parameters and results are laid out separately from 0.
    pub offset: u32,
    /// The register of a parameter of a `.func` that was declared with `.reg`.
    pub reg: Option<RegId>,
    /// Whether the parameter is an array (`.param .align 8 .b8 p[16]`).
    pub is_array: bool,
    /// Source location of the declaration.
    pub span: Span,
}

/// A variable of a function body, of which each call of the function has a separate copy.
#[derive(Clone, Debug)]
pub struct FrameVar {
    /// Name of the variable.
    pub name: String,
    /// Whether the variable is a `.param` of a call sequence instead of a `.local`.
    pub is_param: bool,
    /// Type of an array element, or of the variable.
    pub ty: ScalarType,
    /// Size of the variable in bytes.
    pub size: u32,
    /// Alignment of the variable in bytes.
    pub align: u32,
    /// Whether the variable was declared with dimensions.
    pub is_array: bool,
}

/// A register.
#[derive(Clone, Debug)]
pub struct Reg {
    /// Name of the register as written.
    pub name: String,
    /// Type of the register, or of a vector register's element.
    pub ty: ScalarType,
    /// Vector length. A vector register (`.reg .v4 .f32`) is 2 or 4 consecutive [`RegId`]s, of
    /// which the first has the length, and the others, like scalar registers, 1.
    pub vector: u8,
}

/// A kernel or function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name of the function as written.
    pub name: String,
    /// Whether the function is a kernel.
    pub is_entry: bool,
    /// Parameters of the function.
    pub params: Vec<Param>,
    /// Results of the function.
    pub returns: Vec<Param>,
    /// Total size of all parameters in bytes.
    pub param_size: u32,
    /// Registers that the function declares or names.
    pub regs: Vec<Reg>,
    /// `.local` and `.param` variables of the body.
    pub frame: Vec<FrameVar>,
    /// Name of each label, and the index in `body` of the instruction after the label (the length
    /// of `body` at the end).
    pub labels: Vec<(String, usize)>,
    /// Instructions of the function; `None` for a prototype (`.extern .func vprintf ...`).
    pub body: Option<Vec<Instruction>>,
    /// Performance directives such as `.maxntid`: name without the dot, and numbers.
    pub directives: Vec<(String, Vec<u64>)>,
    /// Source location of the function's header.
    pub span: Span,
    /// The aliased function, if the function was declared with `.alias`.
    pub alias_of: Option<FuncId>,
}

/// The guard predicate of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register that is tested.
    pub reg: RegId,
    /// Whether the guard is negated: `@!p`.
    pub negated: bool,
}

/// A checked instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Opcode.
    pub opcode: Opcode,
    /// Modifiers, shared between instructions with the same spelling.
    pub mods: Arc<Modifiers>,
    /// Guard predicate.
    pub guard: Option<Guard>,
    /// Checked operands.
    pub operands: Operands,
    /// Range of the instruction in the PTX.
    pub span: Span,
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A register of 32 or 64 bits that holds the address.
    Reg(RegId),
    /// A variable with static storage.
    Variable(VarId),
    /// A parameter of the function.
    Param(ParamId),
    /// A result parameter of the function.
    Return(ParamId),
    /// A `.local` or `.param` variable of the body.
    Frame(FrameVarId),
    /// The address has no base; the offset is the address.
    Absolute,
}

/// A checked operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Reg(RegId),
    /// A negated predicate, `!p`.
    NotReg(RegId),
    /// Bits of a constant, converted to the instruction's operand type and truncated to its width
    /// (f32: its 32 bits; s16: low 16 bits, upper bits zero).
    Imm(u64),
    /// A special register and its component, 0 to 3.
    Special(SpecialReg, u8),
    /// The special register `%envreg<n>`.
    EnvReg(u8),
    /// `%pm0` and other performance counters, which read as 0.
    ZeroCounter,
    /// Operand of mov or cvta: address of a variable, parameter or frame variable, plus offset.
    AddressOf(Base, i64),
    /// A function, in `mov.u64 %rd, f` and direct calls.
    Function(FuncId),
    /// The target of bra, a label in the same function.
    Label(LabelId),
    /// Target labels of brx.idx.
    Targets(Vec<LabelId>),
    /// A vector `{a, b}`.
    Vector(Vec<Operand>),
    /// The discarded operand `_`.
    Discard,
    /// A memory operand `[base + offset]`.
    Address(Base, i64),
    /// An array element `name[%r1+2]`: for ld, ldu and st the element itself, for mov and cvta its
    /// address. An element with a constant subscript is an [`Operand::Address`] or
    /// [`Operand::AddressOf`].
    Element(Box<Element>),
    /// Handle of a texture, sampler or surface: a module variable, a kernel parameter of opaque
    /// type (as [`Base::Param`]), or a 64-bit register.
    Handle(Base),
    /// Arguments or results of a call: frame variables, registers or constants.
    Args(Vec<Operand>),
    /// A `.param` frame variable as an argument.
    FrameVar(FrameVarId),
    /// The prototype of an indirect call.
    Prototype(Box<Prototype>),
}

/// An array element whose index is in a register.
///
/// The element's byte offset is `(index + offset) * size` in 32-bit arithmetic. As in ptxas, the
/// offset is added to the array's address, zero-extended in global memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The array that contains the element.
    pub base: Base,
    /// A register of 8 to 64 bits, extended according to its type and truncated to 32 bits, or a
    /// special register.
    pub index: Operand,
    /// Number that is added to the register, in elements.
    pub offset: i64,
    /// Size in bytes of the array's element type, ignoring dimensions and vectors.
    pub size: u32,
}

/// Signature of the functions that an indirect call may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// Type and size in bytes of each result.
    pub returns: Vec<(ScalarType, u32)>,
    /// Type and size in bytes of each parameter.
    pub params: Vec<(ScalarType, u32)>,
}
