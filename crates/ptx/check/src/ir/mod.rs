//! The typed module: every name resolved, every operand of the right kind and width, modifiers
//! read into fields. Crate `simt` lowers it to warp code.
//!
//! Operands of texture, surface and query instructions have names ([`FetchOperands`], [`SurfaceOperands`],
//! [`QueryOperands`]). Of all others they are a list; its order where it is not simply that of the source:
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
/// Index in [`Function::frame`]: `.local` variables of the body and `.param` variables declared
/// there for calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameVarId(pub u32);

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `.version`, e.g. (8, 5).
    pub version: (u32, u32),
    /// First word of `.target`, e.g. `sm_75`.
    pub target: String,
    /// Whether `.target` says `texmode_independent`.
    pub independent: bool,
    /// 32 or 64.
    pub address_size: u32,
    /// Variables with static storage.
    pub variables: Vec<Variable>,
    /// Functions and kernels, prototypes included.
    pub functions: Vec<Function>,
    /// What `.file` and `.loc` say: where each instruction comes from, by its span.
    pub sources: Arc<Sources>,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// `.global`
    Global,
    /// `.const`
    Const,
    /// `.shared`
    Shared,
    /// `.extern .shared x[]`: begins after the static shared memory.
    DynamicShared,
    /// `.texref`, `.samplerref`, `.surfref` at module scope: the variable is a handle.
    Opaque(ScalarType),
}

/// A variable with static storage.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name as written (variables of bodies: `function.name`).
    pub name: String,
    /// Where it lives.
    pub storage: Storage,
    /// The state space that was written. References belong in `.global`, but ptxas takes arrays of them elsewhere, too.
    pub space: texunit_syntax::ast::Space,
    /// Type of an element.
    pub ty: ScalarType,
    /// 2 or 4 for `.v2` and `.v4`, else 1.
    pub vector: u8,
    /// Array dimensions, the first 0 for `[]` without an initial value; then the vector's.
    pub dims: Vec<u64>,
    /// Size in bytes (0 for `[]`).
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// `.extern` without a definition.
    pub is_extern: bool,
    /// `.attribute(.managed)`: the host program uses it too.
    pub managed: bool,
    /// Initial bytes from offset 0 on (may be shorter than `size`; the rest is zero).
    pub init: Vec<u8>,
    /// Places in `init` to be filled with addresses at load.
    pub relocations: Vec<Relocation>,
    /// Fields of an opaque variable's static initialiser: name and value (`linear`, `wrap` and so
    /// on as their PTX numbers: nearest 0, linear 1; wrap 0, mirror 1, clamp_ogl 2,
    /// clamp_to_edge 3, clamp_to_border 4).
    pub fields: Vec<(String, i64)>,
    /// Declaration.
    pub span: Span,
}

/// An address in an initialiser.
#[derive(Clone, Debug)]
pub struct Relocation {
    /// Byte offset of the value.
    pub offset: u64,
    /// Size of the value: 1 (masked byte), 4 or 8.
    pub size: u8,
    /// What the address is of.
    pub target: Symbol,
    /// Added to the address.
    pub addend: i64,
    /// Shift right before a masked byte is taken (`0xff00(name)`: 8).
    pub shift: u8,
    /// `generic(name)`: the generic address.
    pub generic: bool,
}

/// Something with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A variable. Its address in its own space; of an opaque one: its handle.
    Variable(VarId),
    /// A function.
    Function(FuncId),
}

/// A parameter or return value.
#[derive(Clone, Debug)]
pub struct Param {
    /// Name.
    pub name: String,
    /// Type of an element; `Texref`, `Samplerref`, `Surfref` for opaque ones.
    pub ty: ScalarType,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Byte offset in the kernel's parameter buffer, or in the frame of the function's arguments
    /// (returns follow each other from 0, parameters likewise).
    pub offset: u32,
    /// Old-style `.reg` parameter of a `.func`: the register.
    pub reg: Option<RegId>,
    /// Whether it is an array (`.param .align 8 .b8 p[16]`).
    pub is_array: bool,
    /// Declaration.
    pub span: Span,
}

/// A variable of a body that each activation has its own copy of.
#[derive(Clone, Debug)]
pub struct FrameVar {
    /// Name.
    pub name: String,
    /// True: `.param` of a call sequence; false: `.local`.
    pub is_param: bool,
    /// Type of an element.
    pub ty: ScalarType,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Whether it was declared with dimensions.
    pub is_array: bool,
}

/// A register.
#[derive(Clone, Debug)]
pub struct Reg {
    /// Name as written.
    pub name: String,
    /// Type of an element.
    pub ty: ScalarType,
    /// 1, or 2 or 4 for vector registers (`.reg .v4 .f32`), which are that many consecutive
    /// [`RegId`]s, each with `vector` 1 after the first.
    pub vector: u8,
}

/// A kernel or function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name as written.
    pub name: String,
    /// Whether it is a kernel.
    pub is_entry: bool,
    /// Parameters.
    pub params: Vec<Param>,
    /// Return parameters.
    pub returns: Vec<Param>,
    /// Size of all parameters in bytes.
    pub param_size: u32,
    /// Registers.
    pub regs: Vec<Reg>,
    /// `.local` and `.param` variables of the body.
    pub frame: Vec<FrameVar>,
    /// Name and index into `body` of the instruction that follows (the length of `body` at the end).
    pub labels: Vec<(String, usize)>,
    /// Instructions; none: a prototype (`.extern .func vprintf ...`).
    pub body: Option<Vec<Instruction>>,
    /// `.maxntid`, `.reqntid` and so on: name without the dot, numbers.
    pub directives: Vec<(String, Vec<u64>)>,
    /// Header.
    pub span: Span,
    /// Whether a `.alias` or `.weak` of the same function.
    pub alias_of: Option<FuncId>,
}

/// Guard predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Predicate register.
    pub reg: RegId,
    /// `@!p`
    pub negated: bool,
}

/// A checked instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Opcode.
    pub opcode: Opcode,
    /// Modifiers; instructions with the same words share them.
    pub mods: Arc<Modifiers>,
    /// Guard.
    pub guard: Option<Guard>,
    /// Operands.
    pub operands: Operands,
    /// Source.
    pub span: Span,
}

/// Base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Address in a register (32 or 64 bits).
    Reg(RegId),
    /// A variable.
    Variable(VarId),
    /// An incoming parameter of the function.
    Param(ParamId),
    /// A return parameter of the function.
    Return(ParamId),
    /// A frame variable.
    Frame(FrameVarId),
    /// A number.
    Absolute,
}

/// A checked operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Reg(RegId),
    /// `!p`
    NotReg(RegId),
    /// Bits of a constant, already converted to the instruction's operand type and cut to its
    /// width (f32: its 32 bits; s16: low 16 bits, upper bits zero).
    Imm(u64),
    /// A special register; component 0 to 3.
    Special(SpecialReg, u8),
    /// `%envreg<n>`
    EnvReg(u8),
    /// `%pm0` and other counters that read as 0.
    ZeroCounter,
    /// Address of a variable, parameter or frame variable plus offset (mov, cvta).
    AddressOf(Base, i64),
    /// A function: `mov.u64 %rd, f` and direct calls.
    Function(FuncId),
    /// A label of this function: bra.
    Label(LabelId),
    /// Targets of brx.idx, or of an indirect call when listed.
    Targets(Vec<LabelId>),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `_`
    Discard,
    /// `[base + offset]`
    Address(Base, i64),
    /// `name[%r1+2]`: of ld, ldu and st the element itself, of mov and cvta its address. An element
    /// with a constant subscript is an [`Operand::Address`] or [`Operand::AddressOf`].
    Element(Box<Element>),
    /// Handle of a texture, sampler or surface: a module variable, a kernel parameter of opaque
    /// type, or a 64-bit register. Direct opaque parameters are [`Base::Param`].
    Handle(Base),
    /// Arguments or results of a call: frame variables, registers or constants.
    Args(Vec<Operand>),
    /// A `.param` frame variable as an argument.
    FrameVar(FrameVarId),
    /// A `.param` of the enclosing function handed on as an argument.
    Param(ParamId),
    /// Signature of an indirect call.
    Prototype(Box<Prototype>),
}

/// An element of an array whose number is in a register.
///
/// Its place is `(index + offset) * size` in 32 bits, added to the array's address: as an unsigned
/// number in global memory, as ptxas computes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The array.
    pub base: Base,
    /// A register of 8 to 64 bits, extended as its type says and cut to 32 bits, or a special one.
    pub index: Operand,
    /// Added to the register, in elements.
    pub offset: i64,
    /// Bytes of the array's type: dimensions and vectors do not count.
    pub size: u32,
}

/// Signature of an indirect call.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// Type and size in bytes of each result.
    pub returns: Vec<(ScalarType, u32)>,
    /// Type and size in bytes of each parameter.
    pub params: Vec<(ScalarType, u32)>,
}
