//! The syntax tree of a PTX module. Names are borrowed from the source text, and every node keeps
//! its order and position, so that the printer can reproduce the text.

use crate::span::Span;
use texunit_forms::words;

/// A name as written (identifiers may begin with `%`, `$` or `_`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident<'a> {
    /// The name's text.
    pub text: &'a str,
    /// Range of the name in the text.
    pub span: Span,
}

/// A whole PTX module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module<'a> {
    /// The items of the module in source order.
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
    /// Range of the whole directive.
    pub span: Span,
}

/// A `.target` directive.
#[derive(Clone, Debug, PartialEq)]
pub struct Target<'a> {
    /// Architecture and options of the module, in source order.
    pub options: Vec<Ident<'a>>,
    /// Range of the whole directive.
    pub span: Span,
}

/// An `.address_size` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressSize {
    /// Size in bits; 32 or 64 in valid modules.
    pub bits: u64,
    /// Range of the whole directive.
    pub span: Span,
}

/// An alias: `.alias alias, aliasee;`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alias<'a> {
    /// The new name of the function.
    pub alias: Ident<'a>,
    /// The aliased function.
    pub aliasee: Ident<'a>,
    /// Range of the whole directive.
    pub span: Span,
}

/// A directive that does not affect execution, kept as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive<'a> {
    /// Name of the directive without its dot: `file`, `loc`, `pragma`, `section`; or `@@DWARF`.
    pub name: Ident<'a>,
    /// The text after the directive's name, without the final `;`.
    pub text: &'a str,
    /// The parsed content, for directives whose content texunit uses.
    pub content: Content<'a>,
    /// Range of the whole directive.
    pub span: Span,
}

/// The parsed content of a [`Directive`].
#[derive(Clone, Debug, PartialEq)]
pub enum Content<'a> {
    /// The content of the directive is not parsed.
    None,
    /// `.file 1 "name.cu"`: number and name.
    File(u32, &'a str),
    /// `.loc 1 20 5`: a source location.
    Loc(Loc<'a>),
    /// `.pragma "nounroll", "used_bytes_mask 0xf";`: the strings without quotes.
    Pragma(Vec<&'a str>),
    /// `.section .debug_str { ... }`, or a line `@@DWARF .byte 1`
    Section(Box<Section<'a>>),
}

/// A location in a source file of a `.loc` directive. Numbers that are too large are `u32::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FilePlace {
    /// Number of the `.file` directive that names the source file.
    pub file: u32,
    /// Line number, from 1; 0 for none.
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

/// The contents of a `.section`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section<'a> {
    /// Contents of `.debug_str`: zero-terminated strings. Empty for other sections.
    pub bytes: Vec<u8>,
    /// Labels in the section, each with its byte offset.
    pub labels: Vec<(Ident<'a>, u32)>,
    /// Range of the first value of the form `name+4`, for diagnostics.
    pub offset: Option<Span>,
    /// Range of the first value of the form `name-name`, for diagnostics.
    pub difference: Option<Span>,
    /// Range of the first negative number, for diagnostics.
    pub negative: Option<Span>,
    /// Range of the name in `@@DWARF .section .debug_info, "", @progbits`, for diagnostics.
    pub begun: Option<Span>,
}

words! {
    /// The linkage of a symbol: `.extern`, `.visible`, `.weak`, `.common`.
    Linkage {
        Extern = "extern", Visible = "visible", Weak = "weak", Common = "common",
    }
}

words! {
    /// State space of a declaration.
    Space {
        Reg = "reg", Const = "const", Global = "global", Local = "local", Shared = "shared",
        Param = "param",
        /// The obsolete space `.tex` of textures.
        Tex = "tex",
    }
}

/// A declared variable, such as `.global .align 4 .v4 .f32 a[3] = {...}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable<'a> {
    /// Linkage directive, such as `.visible`, with its range.
    pub linkage: Option<(Linkage, Span)>,
    /// State space of the variable.
    pub space: Space,
    /// Alignment in bytes, from `.align n`.
    pub align: Option<(u64, Span)>,
    /// Vector length of `.v2`, `.v4`, `.v8`, else 1.
    pub vector: u8,
    /// Type without the dot: `f32`, `b64`, `pred`, `texref`, ...
    pub ty: Ident<'a>,
    /// What `.ptr{.space}{.align n}` of a kernel parameter says.
    pub ptr: Option<Ptr>,
    /// The attributes in `.attribute(...)`.
    pub attributes: Vec<Ident<'a>>,
    /// The variable's name; empty for an anonymous parameter `_`.
    pub name: Ident<'a>,
    /// The number of variables, if the name declares a numbered group `%r<10>`: `%r0` to `%r9`.
    pub count: Option<(u64, Span)>,
    /// Array dimensions `a[2][3]`; `None` for `[]`.
    pub dimensions: Vec<Option<Expr>>,
    /// The initial value after `=`.
    pub initializer: Option<Initializer<'a>>,
    /// Range of the whole declaration.
    pub span: Span,
}

/// The object to which a kernel parameter with `.ptr` points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ptr {
    /// State space of the object; `None`: the pointer is generic.
    pub space: Option<Space>,
    /// Alignment of the object in bytes.
    pub align: Option<u64>,
    /// Type of the object, if the parameter is a handle: `.ptr .texref` and so on.
    pub opaque: Option<OpaqueType>,
}

words! {
    /// Opaque types that `.ptr` accepts instead of a state space.
    OpaqueType {
        Texref = "texref", Samplerref = "samplerref", Surfref = "surfref",
    }
}

/// The initial value of a variable, or of a part of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer<'a> {
    /// A number or an address.
    Value(InitialValue<'a>),
    /// `{ ..., ... }`, nested for arrays and vectors.
    List(Vec<Initializer<'a>>, Span),
    /// `{ filter_mode = linear, ... }` of texrefs, samplerrefs and surfrefs.
    Fields(Vec<(Ident<'a>, FieldValue<'a>)>, Span),
}

impl Initializer<'_> {
    /// Range of the initial value in the text.
    pub const fn span(&self) -> Span {
        match self {
            Self::Value(InitialValue { span, .. })
            | Self::List(_, span)
            | Self::Fields(_, span) => *span,
        }
    }
}

/// A number or an address as initial value.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialValue<'a> {
    /// The mask that selects one byte of the value: `0xff00(name)`.
    pub mask: Option<u64>,
    /// The value without the mask.
    pub whole: WholeValue<'a>,
    /// Range of the value in the text, with its mask.
    pub span: Span,
}

/// An initial value without its mask.
#[derive(Clone, Debug, PartialEq)]
pub enum WholeValue<'a> {
    /// A number or constant expression.
    Number(Expr),
    /// The address of a variable or function.
    Address {
        /// Whether the address is generic: `generic(name)`.
        generic: bool,
        /// The variable or function whose address is the value.
        name: Ident<'a>,
        /// Constant offset: `name+4`, `generic(name)+4`.
        offset: Option<Expr>,
    },
}

/// The value of a field of a texref, samplerref or surfref.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue<'a> {
    /// A named value, such as `linear`.
    Word(Ident<'a>),
    /// A number.
    Number(Expr),
}

impl FieldValue<'_> {
    /// Range of the field's value in the text.
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
    /// Linkage directive, such as `.visible`, with its range.
    pub linkage: Option<(Linkage, Span)>,
    /// Whether the function is a kernel (`.entry`).
    pub is_entry: bool,
    /// The attributes in `.attribute(...)`.
    pub attributes: Vec<Ident<'a>>,
    /// Results of a `.func`.
    pub returns: Vec<Variable<'a>>,
    /// Name of the function.
    pub name: Ident<'a>,
    /// Parameters of the function.
    pub params: Vec<Variable<'a>>,
    /// Performance directives: `.maxntid`, `.reqntid`, `.minnctapersm`, `.maxnreg`, `.noreturn`,
    /// `.pragma` and so on.
    pub directives: Vec<PerformanceDirective<'a>>,
    /// The body `{ ... }`; `None` for a prototype.
    pub body: Option<Block<'a>>,
    /// Range from the linkage to the end of the header.
    pub span: Span,
}

/// A performance directive, such as `.maxntid 256, 1, 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceDirective<'a> {
    /// Name of the directive without its dot.
    pub name: Ident<'a>,
    /// The numbers after the directive.
    pub values: Vec<u64>,
    /// The strings after the directive, without quotes (only for `.pragma`).
    pub strings: Vec<&'a str>,
    /// Range of the whole directive.
    pub span: Span,
}

/// A block `{ ... }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Block<'a> {
    /// The statements of the block in source order.
    pub statements: Vec<Statement<'a>>,
    /// Range of the block, including the braces.
    pub span: Span,
}

/// A statement of a function body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement<'a> {
    /// A label `name:`.
    Label(Ident<'a>),
    /// An instruction.
    Instruction(Instruction<'a>),
    /// A declaration of a register or variable.
    Variable(Box<Variable<'a>>),
    /// A nested block, which is a scope of names.
    Block(Block<'a>),
    /// `name: .branchtargets a, b;`, including the label.
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
    /// The label before the directive, which names the list.
    pub label: Ident<'a>,
    /// The listed labels or functions. `name<n>` stands for `name0` to `name(n-1)`.
    pub targets: Vec<(Ident<'a>, Option<u64>)>,
    /// Range of the whole statement.
    pub span: Span,
}

/// A `.callprototype` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct CallPrototype<'a> {
    /// The label before the directive, which names the prototype.
    pub label: Ident<'a>,
    /// Results of a function with the prototype.
    pub returns: Vec<Variable<'a>>,
    /// Parameters of a function with the prototype.
    pub params: Vec<Variable<'a>>,
    /// Directives of the prototype, such as `.noreturn`.
    pub directives: Vec<PerformanceDirective<'a>>,
    /// Range of the whole statement.
    pub span: Span,
}

/// A guard, `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guard<'a> {
    /// The predicate register.
    pub register: Ident<'a>,
    /// Whether the guard is negated (`!`).
    pub negated: bool,
    /// Range of the guard, including the `@`.
    pub span: Span,
}

/// An instruction, such as `@p opcode.mod.mod operands;`.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction<'a> {
    /// Guard predicate.
    pub guard: Option<Guard<'a>>,
    /// The opcode: the word before the first dot.
    pub opcode: Ident<'a>,
    /// The modifiers: the words after the dots, without dots, in source order. `::` does not split
    /// a word (`L1::evict_last`, `shared::cta`).
    pub modifiers: Vec<Ident<'a>>,
    /// Operands in source order; `d|p` is a single operand.
    pub operands: Vec<Operand<'a>>,
    /// Range of the whole instruction with its `;`.
    pub span: Span,
}

/// An operand with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand<'a> {
    /// The kind of the operand, with its contents.
    pub kind: OperandKind<'a>,
    /// Range of the operand in the text.
    pub span: Span,
}

/// Kinds of operands. Operands take nearly all memory of a tree, so the contents of rare kinds are
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
    /// An array element: `name[2]`, `name[%r1+2]`. In `ld`, `ldu` and `st` it stands for the
    /// element in memory, elsewhere for its address.
    Index(Ident<'a>, Box<Subscript<'a>>),
    /// A negated predicate `!p`.
    Not(Ident<'a>),
    /// A negated register `-%r1`, which only `vmad` accepts; other instructions are refused later.
    /// A selector is part of the name (`%r1.h0`).
    Negated(Ident<'a>),
    /// The discarded operand `_`.
    Discard,
    /// A vector `{a, b, c, d}`.
    Vector(Vec<Operand<'a>>),
    /// A pair of destinations `d|p`.
    Pair(Box<Operand<'a>>, Box<Operand<'a>>),
    /// A memory operand: `[base]`, `[base+8]`, `[base+-8]`.
    Address(Address<'a>),
    /// The operands in brackets of a texture, surface or tensor instruction: `[a, {x, y}]`, `[a, b,
    /// {x, y}]`.
    Bracket(Vec<Operand<'a>>),
    /// The operand list of a call: `(a, b)`.
    List(Vec<Operand<'a>>),
}

/// The subscript of an array, in elements.
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
    /// The base: a register, a variable or a number.
    pub base: Box<Operand<'a>>,
    /// Constant offset from the base; `None`: 0.
    pub offset: Option<Expr>,
}

/// A constant expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The kind of the expression, with its contents.
    pub kind: ExprKind,
    /// Range of the expression in the text.
    pub span: Span,
}

/// Kinds of constant expressions. PTX evaluates integers in 64 bits, as `.s64` unless an operand is
/// unsigned (suffix `U`, or too large for `.s64`), and floats in f64.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer: `12`, `0x1f`, `0b101`, `017`, `12U`. It is unsigned if it has a suffix or
    /// exceeds `i64::MAX`.
    Integer {
        /// The 64 bits of the value.
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
