//! The syntax tree of a PTX module. Names are borrowed from the source text, and the order and
//! position of everything are kept, so that the printer can reproduce the text.

use crate::span::Span;
use texunit_forms::words;

/// A name as written (identifiers may begin with `%`, `$` or `_`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident<'a> {
    /// The text.
    pub text: &'a str,
    /// Position in the text.
    pub span: Span,
}

/// A whole module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module<'a> {
    /// The items in order.
    pub items: Vec<Item<'a>>,
}

/// An item of module scope.
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
    /// `.file`, `.section`, `.pragma`, `.loc` or another directive at module scope.
    Directive(Directive<'a>),
}

/// A `.version` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Major version.
    pub major: u32,
    /// Minor version.
    pub minor: u32,
    /// The whole directive.
    pub span: Span,
}

/// A `.target` directive.
#[derive(Clone, Debug, PartialEq)]
pub struct Target<'a> {
    /// Architecture and options, in order.
    pub options: Vec<Ident<'a>>,
    /// The whole directive.
    pub span: Span,
}

/// An `.address_size` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressSize {
    /// Size in bits; 32 or 64 in valid modules.
    pub bits: u64,
    /// The whole directive.
    pub span: Span,
}

/// An alias: `.alias alias, aliasee;`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alias<'a> {
    /// The new name.
    pub alias: Ident<'a>,
    /// The aliased function.
    pub aliasee: Ident<'a>,
    /// The whole directive.
    pub span: Span,
}

/// A directive that does not affect execution, kept as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive<'a> {
    /// Name without the dot: `file`, `loc`, `pragma`, `section`; or `@@DWARF`.
    pub name: Ident<'a>,
    /// The text after the name, without the final `;`.
    pub text: &'a str,
    /// The parsed content, for directives whose content is used.
    pub content: Content<'a>,
    /// The whole directive.
    pub span: Span,
}

/// The parsed content of a [`Directive`].
#[derive(Clone, Debug, PartialEq)]
pub enum Content<'a> {
    /// The content of the directive is not parsed.
    None,
    /// `.file 1 "name.cu"`: number and name.
    File(u32, &'a str),
    /// `.loc` and its location.
    Loc(Loc<'a>),
    /// `.pragma "nounroll", "used_bytes_mask 0xf";`: the strings without quotes.
    Pragma(Vec<&'a str>),
    /// `.section .debug_str { ... }`, or a line `@@DWARF .byte 1`
    Section(Box<Section<'a>>),
}

/// A location in a source file. Numbers that are too large are `u32::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FilePlace {
    /// Number of its `.file`.
    pub file: u32,
    /// Line, from 1; 0 for none.
    pub line: u32,
    /// Column in bytes, from 1; 0 for none.
    pub column: u32,
}

/// A line directive: `.loc 1 20 5, function_name $L__info_string0+4, inlined_at 1 9 3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loc<'a> {
    /// The source location of the instructions that follow.
    pub place: FilePlace,
    /// The function's name, as a label in the section `.debug_str` and an offset.
    pub function: Option<(&'a str, u32)>,
    /// For inlined code, the location of the call.
    pub inlined_at: Option<FilePlace>,
}

/// The contents of a section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section<'a> {
    /// Contents of `.debug_str`: zero-terminated strings. Empty for other sections.
    pub bytes: Vec<u8>,
    /// Labels, each with its byte offset.
    pub labels: Vec<(Ident<'a>, u32)>,
    /// The first `name+4`, for diagnostics.
    pub offset: Option<Span>,
    /// The first `name-name`, for diagnostics.
    pub difference: Option<Span>,
    /// The first negative number, for diagnostics.
    pub negative: Option<Span>,
    /// The name in `@@DWARF .section .debug_info, "", @progbits`, for diagnostics.
    pub begun: Option<Span>,
}

words! {
    /// `.extern`, `.visible`, `.weak`, `.common`
    Linkage {
        Extern = "extern", Visible = "visible", Weak = "weak", Common = "common",
    }
}

words! {
    /// State space of a declaration.
    Space {
        Reg = "reg", Const = "const", Global = "global", Local = "local", Shared = "shared",
        Param = "param",
        /// Legacy `.tex`.
        Tex = "tex",
    }
}

/// A declared variable, such as `.global .align 4 .v4 .f32 a[3] = {...}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable<'a> {
    /// `.extern`, `.visible`, ...
    pub linkage: Option<(Linkage, Span)>,
    /// State space.
    pub space: Space,
    /// `.align n`
    pub align: Option<(u64, Span)>,
    /// Vector length of `.v2`, `.v4`, `.v8`, else 1.
    pub vector: u8,
    /// Type without the dot: `f32`, `b64`, `pred`, `texref`, ...
    pub ty: Ident<'a>,
    /// `.ptr{.space}{.align n}` of a kernel parameter.
    pub ptr: Option<Ptr>,
    /// The words of `.attribute(...)`.
    pub attributes: Vec<Ident<'a>>,
    /// The name; empty for an anonymous parameter `_`.
    pub name: Ident<'a>,
    /// The count of a numbered group `%r<10>`: variables numbered from 0.
    pub count: Option<(u64, Span)>,
    /// Array dimensions `a[2][3]`; `None` for `[]`.
    pub dimensions: Vec<Option<Expr>>,
    /// The value after `=`.
    pub initializer: Option<Initializer<'a>>,
    /// The whole declaration.
    pub span: Span,
}

/// `.ptr` of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ptr {
    /// The state space that it points to; `None`: generic.
    pub space: Option<Space>,
    /// `.align` of the object that it points to.
    pub align: Option<u64>,
    /// A handle type: `.ptr .texref` and so on.
    pub opaque: Option<OpaqueType>,
}

words! {
    /// Handle types that `.ptr` accepts instead of a state space.
    OpaqueType {
        Texref = "texref", Samplerref = "samplerref", Surfref = "surfref",
    }
}

/// Initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer<'a> {
    /// A value.
    Value(InitialValue<'a>),
    /// `{ ..., ... }`, nested for arrays and vectors.
    List(Vec<Initializer<'a>>, Span),
    /// `{ filter_mode = linear, ... }` of texrefs, samplerrefs and surfrefs.
    Fields(Vec<(Ident<'a>, FieldValue<'a>)>, Span),
}

impl Initializer<'_> {
    /// Position in the text.
    pub const fn span(&self) -> Span {
        match self {
            Self::Value(InitialValue { span, .. })
            | Self::List(_, span)
            | Self::Fields(_, span) => *span,
        }
    }
}

/// A number or an address.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialValue<'a> {
    /// The mask of the only byte that is used: `0xff00(name)`.
    pub mask: Option<u64>,
    /// The value, whose byte the mask selects.
    pub whole: WholeValue<'a>,
    /// Position in the text, with the mask.
    pub span: Span,
}

/// An initial value without its mask.
#[derive(Clone, Debug, PartialEq)]
pub enum WholeValue<'a> {
    /// A number.
    Number(Expr),
    /// The address of a variable or function.
    Address {
        /// Whether the address is generic: `generic(name)`.
        generic: bool,
        /// The variable or function.
        name: Ident<'a>,
        /// Constant offset: `name+4`, `generic(name)+4`.
        offset: Option<Expr>,
    },
}

/// The value of a field of a texref, samplerref or surfref.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue<'a> {
    /// A word, such as `linear`.
    Word(Ident<'a>),
    /// A number.
    Number(Expr),
}

impl FieldValue<'_> {
    /// Position in the text.
    pub const fn span(&self) -> Span {
        match self {
            Self::Word(word) => word.span,
            Self::Number(number) => number.span,
        }
    }
}

/// A kernel (`.entry`) or function (`.func`).
#[derive(Clone, Debug, PartialEq)]
pub struct Function<'a> {
    /// `.extern`, `.visible`, `.weak`
    pub linkage: Option<(Linkage, Span)>,
    /// Whether the function is a kernel (`.entry`).
    pub is_entry: bool,
    /// The words of `.attribute(...)`.
    pub attributes: Vec<Ident<'a>>,
    /// Results of a `.func`.
    pub returns: Vec<Variable<'a>>,
    /// Name.
    pub name: Ident<'a>,
    /// Parameters.
    pub params: Vec<Variable<'a>>,
    /// Performance directives: `.maxntid`, `.reqntid`, `.minnctapersm`, `.maxnreg`, `.noreturn`,
    /// `.pragma` and so on.
    pub directives: Vec<PerformanceDirective<'a>>,
    /// The body `{ ... }`; `None` for a prototype.
    pub body: Option<Block<'a>>,
    /// From the linkage to the end of the header.
    pub span: Span,
}

/// A performance directive, such as `.maxntid 256, 1, 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceDirective<'a> {
    /// Name without the dot.
    pub name: Ident<'a>,
    /// The numbers after the directive.
    pub values: Vec<u64>,
    /// The strings after the directive, without quotes (only for `.pragma`).
    pub strings: Vec<&'a str>,
    /// The whole directive.
    pub span: Span,
}

/// A block `{ ... }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Block<'a> {
    /// The statements in order.
    pub statements: Vec<Statement<'a>>,
    /// Position, including the braces.
    pub span: Span,
}

/// A statement of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement<'a> {
    /// A label `name:`.
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
    /// `.loc`, `.pragma` or another directive that does not affect execution.
    Directive(Directive<'a>),
}

/// A `.branchtargets` or `.calltargets` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchTargets<'a> {
    /// The label before it.
    pub label: Ident<'a>,
    /// The names. `name<n>` stands for `name0` to `name(n-1)`.
    pub targets: Vec<(Ident<'a>, Option<u64>)>,
    /// The whole statement.
    pub span: Span,
}

/// A `.callprototype` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct CallPrototype<'a> {
    /// The label before it.
    pub label: Ident<'a>,
    /// Results.
    pub returns: Vec<Variable<'a>>,
    /// Parameters.
    pub params: Vec<Variable<'a>>,
    /// `.noreturn` and so on.
    pub directives: Vec<PerformanceDirective<'a>>,
    /// The whole statement.
    pub span: Span,
}

/// A guard, `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard<'a> {
    /// The predicate register.
    pub register: Ident<'a>,
    /// Whether the guard is negated (`!`).
    pub negated: bool,
    /// Position, from `@` on.
    pub span: Span,
}

/// An instruction, such as `@p opcode.mod.mod operands;`.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction<'a> {
    /// Guard predicate.
    pub guard: Option<Guard<'a>>,
    /// The word before the first dot.
    pub opcode: Ident<'a>,
    /// The words after the dots, without dots, in order. `::` does not split a word
    /// (`L1::evict_last`, `shared::cta`).
    pub modifiers: Vec<Ident<'a>>,
    /// Operands in source order; `d|p` is one operand.
    pub operands: Vec<Operand<'a>>,
    /// The whole instruction with its `;`.
    pub span: Span,
}

/// An operand with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand<'a> {
    /// The kind of operand.
    pub kind: OperandKind<'a>,
    /// Position in the text.
    pub span: Span,
}

/// Kinds of operands. Operands take nearly all memory of a tree, so the parts of rare kinds are
/// boxed.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind<'a> {
    /// A register, variable, label, function or special register. In `%tid.x` and `%v.y` the
    /// component is separate.
    Name {
        /// The name without component.
        name: Ident<'a>,
        /// The component: `x`, `y`, `z`, `w`, `r`, `g`, `b`, `a`.
        component: Option<Ident<'a>>,
    },
    /// A number or constant expression (without names).
    Constant(Expr),
    /// The address of a variable with an offset: `name + 4`, `name + -4`.
    Offset(Ident<'a>, Box<Expr>),
    /// An array element: `name[2]`, `name[%r1+2]`. In `ld`, `ldu` and `st` it is a memory operand,
    /// elsewhere the element's address.
    Index(Ident<'a>, Box<Subscript<'a>>),
    /// A negated predicate `!p`.
    Not(Ident<'a>),
    /// A negated register `-%r1`, which only `vmad` accepts; elsewhere it is kept for the error
    /// message. A selector is part of the name (`%r1.h0`).
    Negated(Ident<'a>),
    /// The discarded operand `_`.
    Discard,
    /// A vector `{a, b, c, d}`.
    Vector(Vec<Operand<'a>>),
    /// A pair of destinations `d|p`.
    Pair(Box<Operand<'a>>, Box<Operand<'a>>),
    /// A memory operand: `[base]`, `[base+8]`, `[base+-8]`.
    Address(Address<'a>),
    /// The operands in brackets of texture, surface and tensor instructions: `[a, {x, y}]`, `[a, b,
    /// {x, y}]`.
    Bracket(Vec<Operand<'a>>),
    /// The operand list of a call: `(a, b)`.
    List(Vec<Operand<'a>>),
}

/// The subscript of an array, which counts elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Subscript<'a> {
    /// A constant expression.
    Constant(Expr),
    /// A register with an optional constant: `%r1`, `%r1+2`.
    Register(Ident<'a>, Option<Expr>),
}

/// A memory operand `[base + offset]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Address<'a> {
    /// A register, a variable or a number.
    pub base: Box<Operand<'a>>,
    /// Constant offset; `None`: 0.
    pub offset: Option<Expr>,
}

/// Constant expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// Position in the text.
    pub span: Span,
}

/// Kinds of constant expressions. PTX evaluates integers in 64 bits, as `.s64` unless an operand is
/// unsigned (suffix `U`, or too large for `.s64`), and floats in f64.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer: `12`, `0x1f`, `0b101`, `017`, `12U`. It is unsigned if it has a suffix or
    /// exceeds `i64::MAX`.
    Integer {
        /// The value as bits.
        value: u64,
        /// Whether the integer is unsigned (`.u64`) instead of signed (`.s64`).
        unsigned: bool,
    },
    /// The bits of an f32: `0f3f800000`.
    F32(u32),
    /// The bits of an f64: `0d3ff0000000000000` or `1.5e3`.
    F64(u64),
    /// The constant `WARP_SZ`.
    WarpSize,
    /// A unary operator: `- ! ~ +`.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A conditional expression `c ? a : b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A cast `(.s64) e` or `(.u64) e`; true for `.u64`.
    Cast(bool, Box<Expr>),
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
