//! The syntax tree of a PTX module. It borrows its names from the source text and keeps the
//! order and the place of everything, so that the printer can write it back.

use crate::span::Span;

/// A name as written (identifiers may begin with `%`, `$` or `_`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident<'a> {
    /// The text.
    pub text: &'a str,
    /// Where it stands.
    pub span: Span,
}

/// A whole module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module<'a> {
    /// Everything at module scope, in order.
    pub items: Vec<Item<'a>>,
}

/// Something at module scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item<'a> {
    /// `.version major.minor`
    Version(Version),
    /// `.target sm_75, texmode_independent`
    Target(Target<'a>),
    /// `.address_size 64`
    AddressSize(AddressSize),
    /// A variable (several declarators in one statement become several items).
    Variable(Variable<'a>),
    /// A function or kernel: definition or prototype.
    Function(Function<'a>),
    /// `.alias a, b;`
    Alias(Alias<'a>),
    /// `.file`, `.section`, `.pragma`, `.loc` and the like at module scope.
    Directive(Directive<'a>),
}

/// `.version`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
    /// The whole directive.
    pub span: Span,
}

/// `.target`
#[derive(Clone, Debug, PartialEq)]
pub struct Target<'a> {
    /// Architecture and options, in order.
    pub options: Vec<Ident<'a>>,
    /// The whole directive.
    pub span: Span,
}

/// `.address_size`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressSize {
    /// 32 or 64 in right modules.
    pub bits: u64,
    /// The whole directive.
    pub span: Span,
}

/// `.alias alias, aliasee;`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alias<'a> {
    /// The new name.
    pub alias: Ident<'a>,
    /// The function it stands for.
    pub aliasee: Ident<'a>,
    /// The whole directive.
    pub span: Span,
}

/// A directive that the executor has no use for, kept as its words.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive<'a> {
    /// Name without the dot: `file`, `loc`, `pragma`, `section`.
    pub name: Ident<'a>,
    /// What follows, as written, without the final `;`.
    pub text: &'a str,
    /// What of it somebody reads.
    pub content: Content<'a>,
    /// The whole directive.
    pub span: Span,
}

/// What a [`Directive`] says, where somebody reads it.
#[derive(Clone, Debug, PartialEq)]
pub enum Content<'a> {
    /// Nothing.
    None,
    /// `.file 1 "name.cu"`: the number and the name.
    File(u32, &'a str),
    /// `.loc`
    Loc(Loc<'a>),
    /// `.pragma "nounroll", "used_bytes_mask 0xf";`: the strings without their quotes.
    Pragma(Vec<&'a str>),
    /// `.section .debug_str { ... }`
    Section(Box<Section<'a>>),
}

/// A place in a source file. Numbers that are too large are `u32::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FilePlace {
    /// Number of a `.file`.
    pub file: u32,
    /// Line, from 1; 0: none in particular.
    pub line: u32,
    /// Column in bytes, from 1; 0: none in particular.
    pub column: u32,
}

/// `.loc 1 20 5, function_name $L__info_string0+4, inlined_at 1 9 3`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loc<'a> {
    /// Where the instructions behind it come from.
    pub place: FilePlace,
    /// Label in the section `.debug_str`, and the offset from there, of the function's name.
    pub function: Option<(&'a str, u32)>,
    /// Where the function is called whose code stands here in place of the call.
    pub inlined_at: Option<FilePlace>,
}

/// The contents of a section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section<'a> {
    /// Of `.debug_str`: texts, each with a zero behind it. Others keep none.
    pub bytes: Vec<u8>,
    /// Names of places, with the bytes before them.
    pub labels: Vec<(Ident<'a>, u32)>,
    /// The first `name+4`.
    pub offset: Option<Span>,
    /// The first `name-name`.
    pub difference: Option<Span>,
    /// The first negative number.
    pub negative: Option<Span>,
}

/// `.extern`, `.visible`, `.weak`, `.common`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Linkage {
    Extern,
    Visible,
    Weak,
    Common,
}

/// State space of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Space {
    Reg,
    Const,
    Global,
    Local,
    Shared,
    Param,
    /// Legacy `.tex`.
    Tex,
}

/// One declared variable: `.global .align 4 .v4 .f32 a[3] = {...}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable<'a> {
    /// `.extern`, `.visible`, ...
    pub linkage: Option<(Linkage, Span)>,
    /// State space.
    pub space: Space,
    /// `.align n`
    pub align: Option<(u64, Span)>,
    /// `.v2`, `.v4`, `.v8`: number of elements; 1 without.
    pub vector: u8,
    /// Type without the dot: `f32`, `b64`, `pred`, `texref`, ...
    pub ty: Ident<'a>,
    /// `.ptr{.space}{.align n}` of a kernel parameter.
    pub ptr: Option<Ptr>,
    /// `.attribute(...)`: its words.
    pub attributes: Vec<Ident<'a>>,
    /// The name; empty text for an anonymous parameter `_`.
    pub name: Ident<'a>,
    /// `%r<10>`: that many registers (or variables) numbered from 0.
    pub count: Option<(u64, Span)>,
    /// `a[2][3]`, each `None` for `[]`.
    pub dimensions: Vec<Option<Expr<'a>>>,
    /// What stands after `=`.
    pub initializer: Option<Initializer<'a>>,
    /// The whole declaration.
    pub span: Span,
}

/// `.ptr` of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ptr {
    /// The space pointed to; none: generic.
    pub space: Option<Space>,
    /// `.align` of the object pointed to.
    pub align: Option<u64>,
    /// `.ptr .texref` and the like: a handle.
    pub opaque: Option<OpaqueType>,
}

/// Handle types that `.ptr` takes in place of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum OpaqueType {
    Texref,
    Samplerref,
    Surfref,
}

/// Initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer<'a> {
    /// A value: number, address (`name`, `name+4`, `generic(name)`), masked address (`0xff(name)`).
    Value(Expr<'a>),
    /// `{ ..., ... }`, nested for arrays and vectors.
    List(Vec<Initializer<'a>>, Span),
    /// `{ filter_mode = linear, ... }` of texrefs, samplerrefs and surfrefs.
    Fields(Vec<(Ident<'a>, Expr<'a>)>, Span),
}

/// A kernel (`.entry`) or function (`.func`).
#[derive(Clone, Debug, PartialEq)]
pub struct Function<'a> {
    /// `.extern`, `.visible`, `.weak`
    pub linkage: Option<(Linkage, Span)>,
    /// Whether it is `.entry`.
    pub is_entry: bool,
    /// `.attribute(...)`: its words.
    pub attributes: Vec<Ident<'a>>,
    /// Return parameters of a `.func`.
    pub returns: Vec<Variable<'a>>,
    /// Name.
    pub name: Ident<'a>,
    /// Parameters.
    pub params: Vec<Variable<'a>>,
    /// `.maxntid`, `.reqntid`, `.minnctapersm`, `.maxnreg`, `.noreturn`, `.pragma` ...: name and
    /// numbers.
    pub directives: Vec<PerformanceDirective<'a>>,
    /// `{ ... }`; none for a prototype.
    pub body: Option<Block<'a>>,
    /// From linkage to the end of the header.
    pub span: Span,
}

/// `.maxntid 256, 1, 1`
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceDirective<'a> {
    /// Without the dot.
    pub name: Ident<'a>,
    /// Its numbers.
    pub values: Vec<u64>,
    /// Its strings, without their quotes (`.pragma` only).
    pub strings: Vec<&'a str>,
    /// The whole directive.
    pub span: Span,
}

/// `{ ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct Block<'a> {
    /// In order.
    pub statements: Vec<Statement<'a>>,
    /// Braces included.
    pub span: Span,
}

/// What stands in a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement<'a> {
    /// `name:`
    Label(Ident<'a>),
    /// An instruction.
    Instruction(Instruction<'a>),
    /// A declaration.
    Variable(Box<Variable<'a>>),
    /// A nested scope.
    Block(Block<'a>),
    /// `name: .branchtargets a, b;` (the label is inside).
    BranchTargets(BranchTargets<'a>),
    /// `name: .calltargets f, g;`
    CallTargets(BranchTargets<'a>),
    /// `name: .callprototype (ret) _ (params);`
    CallPrototype(CallPrototype<'a>),
    /// `.loc`, `.pragma` and other words without effect here.
    Directive(Directive<'a>),
}

/// `.branchtargets` or `.calltargets`
#[derive(Clone, Debug, PartialEq)]
pub struct BranchTargets<'a> {
    /// The label before it.
    pub label: Ident<'a>,
    /// The names. `name<n>` stands for `name0` to `name(n-1)`.
    pub targets: Vec<(Ident<'a>, Option<u64>)>,
    /// The whole statement.
    pub span: Span,
}

/// `.callprototype`
#[derive(Clone, Debug, PartialEq)]
pub struct CallPrototype<'a> {
    /// The label before it.
    pub label: Ident<'a>,
    /// Return parameters.
    pub returns: Vec<Variable<'a>>,
    /// Parameters.
    pub params: Vec<Variable<'a>>,
    /// `.noreturn`
    pub noreturn: bool,
    /// The whole statement.
    pub span: Span,
}

/// `@p`, `@!p`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard<'a> {
    /// The predicate register.
    pub register: Ident<'a>,
    /// With `!`.
    pub negated: bool,
    /// From `@` on.
    pub span: Span,
}

/// `@p opcode.mod.mod operands;`
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction<'a> {
    /// Guard predicate.
    pub guard: Option<Guard<'a>>,
    /// The word before the first dot.
    pub opcode: Ident<'a>,
    /// The words after the dots, without them, in order. `::` stays inside a word
    /// (`L1::evict_last`, `shared::cta`).
    pub modifiers: Vec<Ident<'a>>,
    /// In source order, `d|p` as one operand.
    pub operands: Vec<Operand<'a>>,
    /// The whole instruction with its `;`.
    pub span: Span,
}

/// An operand with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand<'a> {
    /// What it is.
    pub kind: OperandKind<'a>,
    /// Where it stands.
    pub span: Span,
}

/// Forms of operands. Nearly all memory of a tree is theirs, so what only few have stands in boxes.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind<'a> {
    /// A register, variable, label, function or special register; also `%tid.x` and `%v.y`
    /// are one of these with the component split off.
    Name {
        /// Without the component.
        name: Ident<'a>,
        /// `x`, `y`, `z`, `w`, `r`, `g`, `b`, `a`.
        component: Option<Ident<'a>>,
    },
    /// A number or constant expression (without names).
    Constant(Expr<'a>),
    /// `name + 4`, `name + -4`: address of a variable with an offset.
    Offset(Ident<'a>, Box<Expr<'a>>),
    /// `name[2]`, `name[%r1+2]`: an element of an array. In `ld`, `ldu` and `st` it stands where a
    /// memory operand does, elsewhere it is the element's address.
    Index(Ident<'a>, Box<Subscript<'a>>),
    /// `!p`
    Not(Ident<'a>),
    /// `-%r1`: only `vmad` takes it; elsewhere kept so that the message can say so. A selector
    /// stays in the name (`%r1.h0`).
    Negated(Ident<'a>),
    /// `_`
    Discard,
    /// `{a, b, c, d}`
    Vector(Vec<Operand<'a>>),
    /// `d|p`
    Pair(Box<Operand<'a>>, Box<Operand<'a>>),
    /// `[base]`, `[base+8]`, `[base+-8]`: memory operand.
    Address(Address<'a>),
    /// `[a, {x, y}]`, `[a, b, {x, y}]`: everything between the brackets, for texture, surface
    /// and tensor instructions.
    Bracket(Vec<Operand<'a>>),
    /// `(a, b)` of a call.
    List(Vec<Operand<'a>>),
}

/// What stands between the brackets behind the name of an array: it counts elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Subscript<'a> {
    /// A constant expression.
    Constant(Expr<'a>),
    /// `%r1`, `%r1+2`: a register, and what is added to it.
    Register(Ident<'a>, Option<Expr<'a>>),
}

/// `[base + offset]`
#[derive(Clone, Debug, PartialEq)]
pub struct Address<'a> {
    /// A register, a variable or a number.
    pub base: Box<Operand<'a>>,
    /// Constant offset; none: 0.
    pub offset: Option<Expr<'a>>,
}

/// Constant expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr<'a> {
    /// What it is.
    pub kind: ExprKind<'a>,
    /// Where it stands.
    pub span: Span,
}

/// Forms of constant expressions. PTX evaluates integers in 64 bits, `.s64` unless an operand
/// is unsigned (suffix `U`, or too large for `.s64`), and floats in f64.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind<'a> {
    /// `12`, `0x1f`, `0b101`, `017`, `12U`. `unsigned` if suffixed or beyond `i64::MAX`.
    Integer {
        /// The bits.
        value: u64,
        /// Whether it is `.u64`.
        unsigned: bool,
    },
    /// `0f3f800000`: exactly these bits of an f32.
    F32(u32),
    /// `0d3ff0000000000000` or `1.5e3`: an f64, by bits.
    F64(u64),
    /// `WARP_SZ`
    WarpSize,
    /// A name: the address of a variable, or a field value such as `linear`.
    Name(Ident<'a>),
    /// `generic(name)`, or the byte mask `0xff(name)`.
    Call(Box<Expr<'a>>, Box<Expr<'a>>),
    /// `- ! ~ +`
    Unary(UnaryOp, Box<Expr<'a>>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `c ? a : b`
    Conditional(Box<Expr<'a>>, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `(.s64) e`, `(.u64) e`; true for `.u64`.
    Cast(bool, Box<Expr<'a>>),
}

/// Unary operators of constant expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    BitNot,
}

/// Binary operators of constant expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}
