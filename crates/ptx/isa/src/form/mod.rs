//! Rows of the instruction table, and the instruction forms that are parsed from them: valid
//! modifiers and operands, and other rules. [`notation`] defines the notation of rows.

mod fields;
pub mod notation;

pub(crate) use fields::apply;
pub(crate) use notation::read_row;

use crate::types::words;
use crate::{Opcode, ScalarType};

words! {
    /// The meaning of the modifiers in a slot.
    Class {
        Type = "ty",
        Vector = "vec",
        Rounding = "rnd",
        Part = "part",
        Compare = "cmp",
        Bool = "bool",
        Space = "space",
        Atom = "atom",
        Reduce = "reduce",
        Redux = "redux",
        Prmt = "prmt",
        Test = "test",
        Shfl = "shfl",
        Vote = "vote",
        Match = "match",
        ShfDirection = "dir",
        Wrap = "wrap",
        Geometry = "geom",
        Mip = "mip",
        Component = "comp",
        Query = "query",
        Clamp = "clamp",
        Surface = "surf",
        /// Type of the elements that `cvt.pack` produces.
        Pack = "pack",
        /// A flag; [`crate::Modifiers`] has a field of its name.
        Flag = "flag",
        /// A hint, which has no effect on results.
        Hint = "hint",
        /// `.L2::cache_hint`: the last operand is a cache policy.
        Policy = "policy",
        /// Selects an instruction among those with the same opcode; kept in
        /// [`crate::Modifiers::actions`].
        Action = "act",
        /// A modifier that changes the result and that texunit does not simulate, so that it does
        /// not execute instructions with it.
        Unexecuted = "x",
    }
}

/// A position in an instruction form that one of several modifiers can fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The class of the modifier, which determines its meaning.
    pub class: Class,
    /// The modifiers that the slot accepts, without dots.
    pub words: Vec<&'static str>,
    /// Whether an instruction may omit the modifier.
    pub optional: bool,
    /// Whether the modifier must stand at this position, directly after the opcode.
    pub pinned: bool,
}

/// How the type of an operand is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandType {
    /// The type that the instruction's type modifier with this index names.
    Word(u8),
    /// The type of twice the width of the type modifier with this index.
    Wide(u8),
    /// The operand always has this type.
    Fixed(ScalarType),
    /// The operand has no type, because it is an address.
    None,
}

words! {
    /// The role of an operand.
    Role {
        Dest = "d",
        Source = "s",
        RelaxedDest = "r",
        RelaxedSource = "x",
        DestWithPredicate = "dp",
        PredicatePair = "pp",
        Condition = "c",
        Memory = "m",
        Address = "a",
        Constant = "i",
        Tensor = "t",
    }
}

/// The rule for an operand of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperandRule {
    /// The role of the operand.
    pub role: Role,
    /// The type of the operand.
    pub ty: OperandType,
    /// Whether an instruction may omit the operand.
    pub optional: bool,
    /// Whether an operand of untyped bits (`.bN`) refuses floating-point registers and constants.
    pub strict: bool,
    /// The valid constants, if not all of the type are.
    pub limit: Option<Limit>,
    /// The first release of ptxas that checks `limit`, times ten; 0: all releases do.
    pub limit_since: u32,
    /// Whether `_` is valid instead of a register.
    pub discard: bool,
    /// Whether a predicate is valid although the operand's type is a number.
    pub predicate: Option<AsPredicate>,
    /// Whether ptxas before 13.5 accepted registers of any type of the width for a bf16.
    pub loose_bf16: bool,
    /// For a loaded or stored register, whether it must have exactly the width of the type; for
    /// another register, whether it must be untyped.
    pub exact: bool,
    /// Whether registers are in braces.
    pub braces: Braces,
    /// Whether a special register is valid.
    pub special: bool,
    /// Whether an address may be the name of a variable.
    pub named: bool,
    /// Whether the instruction writes the memory at the address.
    pub written: bool,
    /// Whether an array element `a[2]` is valid as a memory operand.
    pub element: bool,
    /// The object that must be at the address, if the instruction prescribes it.
    pub pointee: Option<Pointee>,
}

words! {
    /// What a predicate register in the position of a number means.
    AsPredicate {
        /// The instruction accepts a predicate in this position, as an operand of type `.pred`.
        Taken = "pred",
        /// ptxas accepts a predicate in this position, and miscompiles the instruction.
        Miscompiled = "~pred",
    }
}

/// Whether an operand is a vector of registers in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Braces {
    /// The operand is registers in braces if the instruction has a vector modifier; a single
    /// register may have braces.
    OfVectors,
    /// The operand is always registers in braces.
    Always,
    /// The operand is always this number of registers in braces.
    Exactly(u8),
    /// The operand is registers in braces: the number N of the shape `m64nNk16` or of `.xN`,
    /// multiplied by `times` and divided by `of`.
    #[allow(missing_docs)]
    Columns { times: usize, of: usize },
    /// The operand is never in braces.
    Never,
}

words! {
    /// The object at a memory operand, if the instruction determines it without a state space
    /// modifier.
    Pointee {
        /// `:global`: global memory, whichever state space other operands are in.
        Global = "global",
        /// `:shared`: shared memory, whichever state space other operands are in.
        Shared = "shared",
        /// `:mbarrier`: an mbarrier in shared memory.
        Mbarrier = "mbarrier",
        /// `:uniform`: memory that is read through the uniform cache.
        Uniform = "uniform",
        /// `:tensormap`: a tensor map, whose address ptxas copies to a register with `mov`.
        TensorMap = "tensormap",
        /// `:any`: memory in any state space.
        Any = "any",
        /// `:tensor`: tensor memory, whose addresses have 32 bits.
        TensorMemory = "tensor",
        /// `:wide`: memory whose address must have 64 bits.
        Wide = "wide",
    }
}

words! {
    /// A rule of ptxas for an instruction form that its modifiers and operands do not express.
    Property {
        /// `+macro`: ptxas expands the instruction before it parses operands, which therefore
        /// cannot be a name plus an offset.
        Macro = "macro",
        /// `+routine`: ptxas appends a routine to the module; before 12.9 it then did not check the
        /// module's version and target.
        Routine = "routine",
        /// `+both`: the destination predicate of `d|p` must be given.
        WritesBoth = "both",
        /// `+remote`: with `.shared::cluster`, the destination must be `_`.
        NoRemoteResult = "remote",
        /// `+ordered`: a memory order and its scope must be given together.
        OrderHasScope = "ordered",
        /// `+relaxed`: `.relaxed` was introduced in PTX ISA 8.6.
        LateRelaxed = "relaxed",
        /// `+unsynced`: the form without `.sync` ended with PTX ISA 6.4 for `sm_70` and later.
        EndedWithSync = "unsynced",
        /// `+onesided`: PTX ISA 8.6 introduced the form; not every release of ptxas requires it.
        OneSidedFence = "onesided",
        /// `+single`: the destination is a predicate `p`, never a pair `p|q`.
        OnePredicate = "single",
        /// `+unrounded`: the form without rounding ended with PTX ISA 3.2 for `sm_20` and later.
        EndedUnrounded = "unrounded",
        /// `+flushed`: ptxas 13.5 requires a higher version and target than earlier releases.
        LateFlush = "flushed",
        /// `+rowcol`: the layouts of the two matrices must be `.row` and `.col`.
        RowByColumn = "rowcol",
        /// `+latest`: only ptxas 13.5 accepts the form.
        OnlyLatest = "latest",
        /// `+eight`: a vector of eight elements, which ptxas accepts since 12.9.
        VectorsOfEight = "eight",
        /// `+mmio`: with ptxas 13.5, `.mmio` needs the scope `.sys`.
        MmioOfSystem = "mmio",
        /// `+unaligned`: ptxas before 13.5 accepts the instruction without `.aligned`.
        Unaligned = "unaligned",
        /// `+register`: in an instruction with a state space, the address must be a register.
        AddressInRegister = "register",
        /// `+aligned`: `.aligned` was introduced in PTX ISA 6.3, and has been mandatory since.
        LateAligned = "aligned",
    }
}

/// A limit of an operand's valid constants, or of other valid operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The multiples of a number in an inclusive range.
    #[allow(missing_docs)]
    Between { first: u64, last: u64, step: u64 },
    /// A power of two in an inclusive range.
    Power(u32, u32),
    /// The operand must be above 0 and at most 1.
    Part,
    /// The operand must be 1 or -1.
    Sign,
    /// Of a vector of two constants, the first must be a multiple of the first number and at most
    /// 3, and the second at most the second number.
    Pair(u32, u32),
    /// The operand must not be an f64.
    Single,
    /// The operand must be a register, not a constant; in a vector, at least one element must be.
    Register,
    /// A constant of 16 bits, where ptxas before 13.5 accepted only a register.
    Mask,
    /// A barrier number: 0 to 15 in the low 32 bits.
    Barrier,
    /// A number of threads that is a multiple of 32.
    Warps,
    /// A number of threads that is a multiple of 32 and not 0.
    SomeWarps,
}

words! {
    /// How the operands of a form are checked.
    Shape {
        /// By the operand rules in [`Form::operands`].
        Listed = "",
        Mov = "@mov",
        Branch = "@bra",
        IndexedBranch = "@brx",
        Call = "@call",
        Texture = "@tex",
        Gather = "@tld4",
        TextureQuery = "@txq",
        SurfaceQuery = "@suq",
        IsType = "@istypep",
        SurfaceLoad = "@suld",
        SurfaceStore = "@sust",
        SurfaceReduce = "@sured",
        Video = "@video",
    }
}

/// A row of the instruction table, in the notation of [`notation`].
#[derive(Clone, Copy, Debug)]
pub struct FormRow {
    /// The opcode.
    pub opcode: Opcode,
    /// The modifiers of the form, in the notation of [`notation`].
    pub modifiers: &'static str,
    /// The operands of the form, in the notation of [`notation`].
    pub operands: &'static str,
    /// The required `.version`, times ten: 63 is 6.3, 10 is 1.0.
    pub version: u32,
    /// The number of the required `.target`, 80 for `sm_80`; 0: any.
    pub target: u32,
    /// Section of the PTX ISA that documents the form.
    pub section: &'static str,
    /// What an instruction of this form does, for the documentation.
    pub doc: &'static str,
}

/// A form of an instruction: a parsed row of the instruction table.
#[derive(Clone, Debug)]
pub struct Form {
    /// The row from which the form was parsed.
    pub row: FormRow,
    /// Modifier slots in the documented order.
    pub slots: Vec<Slot>,
    /// How the operands are checked.
    pub shape: Shape,
    /// The operands in order, if the shape is [`Shape::Listed`].
    pub operands: Vec<OperandRule>,
    /// Additional rules for the form.
    pub properties: Vec<Property>,
}

impl Form {
    /// Whether the form has a property.
    pub fn has(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }

    /// The opcode and modifiers of the form in the style of the PTX ISA: `add{.sat}.s32`.
    pub fn syntax(&self) -> String {
        let mut text = self.row.opcode.name().to_string();
        for slot in &self.slots {
            let words = match slot.words.as_slice() {
                [word] => format!(".{word}"),
                words => format!(".{}", class_name(slot.class, words)),
            };
            text += &if slot.optional { format!("{{{words}}}") } else { words };
        }
        text
    }
}

fn class_name(class: Class, words: &[&str]) -> String {
    match class {
        Class::Type => "type".into(),
        Class::Vector => "vec".into(),
        Class::Rounding => "rnd".into(),
        Class::Compare => "cmp".into(),
        Class::Space => "space".into(),
        Class::Geometry => "geom".into(),
        _ => format!("({})", words.join("|")),
    }
}
