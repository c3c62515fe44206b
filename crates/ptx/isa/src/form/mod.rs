//! Rows of the instruction table, and the forms that are parsed from them: valid modifiers and
//! operands, and other rules. [`notation`] defines the notation of rows.

mod fields;
pub mod notation;

pub(crate) use fields::apply;
pub(crate) use notation::read_row;

use crate::types::words;
use crate::{Opcode, ScalarType};

words! {
    /// The meaning of a modifier slot.
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
        /// A flag whose field has its name.
        Flag = "flag",
        /// A hint: accepted, without effect.
        Hint = "hint",
        /// `.L2::cache_hint`: the last operand is a cache policy.
        Policy = "policy",
        /// Selects one of the instructions that share an opcode; kept as a word.
        Action = "act",
        /// Changes the result, but has no field, so that the instruction cannot be executed.
        Unexecuted = "x",
    }
}

/// A slot for one modifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The class of the modifier, which determines its meaning.
    pub class: Class,
    /// The accepted words.
    pub words: Vec<&'static str>,
    /// Whether an instruction may omit the modifier or operand.
    pub optional: bool,
    /// Whether the position is fixed.
    pub pinned: bool,
}

/// How the type of an operand is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandType {
    /// The type modifier with this index.
    Word(u8),
    /// Twice the width of the type modifier with this index.
    Wide(u8),
    /// The operand always has this type.
    Fixed(ScalarType),
    /// No type, for addresses.
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

/// The rule for one operand of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperandRule {
    /// The role of the operand.
    pub role: Role,
    /// The type of the operand.
    pub ty: OperandType,
    /// Whether an instruction may omit the modifier or operand.
    pub optional: bool,
    /// Whether floats are refused for untyped bits.
    pub strict: bool,
    /// The valid constants, if limited.
    pub limit: Option<Limit>,
    /// The first release of ptxas that checks the limit, times ten; 0: all do.
    pub limit_since: u32,
    /// Whether `_` is valid.
    pub discard: bool,
    /// Whether a predicate is valid, whatever the type.
    pub predicate: Option<AsPredicate>,
    /// Whether ptxas before 13.5 accepted registers of other types for a bf16.
    pub loose_bf16: bool,
    /// Whether a loaded or stored register must have exactly the width of the type. Another
    /// register must be untyped.
    pub exact: bool,
    /// Whether registers are in braces.
    pub braces: Braces,
    /// Whether a special register is valid.
    pub special: bool,
    /// Whether an address may be the name of a variable.
    pub named: bool,
    /// Whether the memory is written.
    pub written: bool,
    /// Whether an array element `a[2]` is valid as a memory operand.
    pub element: bool,
    /// The object in memory.
    pub pointee: Option<Pointee>,
}

words! {
    /// The meaning of a predicate in the position of a number.
    AsPredicate {
        /// The instruction accepts a predicate in this position, as an operand of type `.pred`.
        Taken = "pred",
        /// A mistake that ptxas accepts and miscompiles.
        Miscompiled = "~pred",
    }
}

/// Whether an operand is registers in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Braces {
    /// The operand is registers in braces if the instruction has a vector modifier; a single
    /// register may have braces.
    OfVectors,
    /// The operand is always registers in braces.
    Always,
    /// The operand is always this number of registers in braces.
    Exactly(u8),
    /// The operand is registers in braces, as many as the shape has columns, or as `.x4` says,
    /// times a number and divided by one.
    #[allow(missing_docs)]
    Columns { times: usize, of: usize },
    /// The operand is never in braces.
    Never,
}

words! {
    /// The object at a memory operand, if the instruction determines it without a state space
    /// modifier.
    Pointee {
        /// `:global`: global memory, whatever the modifiers of other operands.
        Global = "global",
        /// `:shared`: shared memory, whatever the modifiers of other operands.
        Shared = "shared",
        /// `:mbarrier`: an mbarrier in shared memory.
        Mbarrier = "mbarrier",
        /// `:uniform`: memory that is read through the uniform cache.
        Uniform = "uniform",
        /// `:tensormap`: a tensor map, whose address ptxas copies with `mov`.
        TensorMap = "tensormap",
        /// `:any`: memory in any state space.
        Any = "any",
        /// `:tensor`: tensor memory, whose addresses have 32 bits.
        TensorMemory = "tensor",
        /// `:wide`: memory by an address of 64 bits.
        Wide = "wide",
    }
}

words! {
    /// A rule of ptxas for a row that neither modifiers nor operands express.
    Property {
        /// `+macro`: ptxas expands it before it parses operands, which therefore cannot be a name
        /// plus an offset.
        Macro = "macro",
        /// `+routine`: ptxas appends a routine to the module; before 12.9 it then compared neither
        /// version nor target of the module.
        Routine = "routine",
        /// `+both`: its predicate is always written.
        WritesBoth = "both",
        /// `+remote`: with `.shared::cluster` it has no result.
        NoRemoteResult = "remote",
        /// `+ordered`: a memory order and its scope must be given together.
        OrderHasScope = "ordered",
        /// `+relaxed`: `.relaxed` was introduced in PTX ISA 8.6.
        LateRelaxed = "relaxed",
        /// `+unsynced`: removed in PTX ISA 6.4 for `sm_70` and later.
        EndedWithSync = "unsynced",
        /// `+onesided`: introduced in PTX ISA 8.6, which not every release of ptxas supports.
        OneSidedFence = "onesided",
        /// `+single`: writes one predicate instead of `p|q`.
        OnePredicate = "single",
        /// `+unrounded`: removed in PTX ISA 3.2 for `sm_20` and later.
        EndedUnrounded = "unrounded",
        /// `+flushed`: the latest ptxas has higher requirements than earlier releases.
        LateFlush = "flushed",
        /// `+rowcol`: its two matrix layouts are `.row` and `.col`.
        RowByColumn = "rowcol",
        /// `+latest`: only the latest ptxas accepts it.
        OnlyLatest = "latest",
        /// `+eight`: ptxas accepts it since 12.9.
        VectorsOfEight = "eight",
        /// `+mmio`: for the latest ptxas, `.mmio` has the scope `.sys`.
        MmioOfSystem = "mmio",
        /// `+unaligned`: ptxas accepts it without `.aligned` before 13.5.
        Unaligned = "unaligned",
        /// `+register`: with a state space, its address is in a register.
        AddressInRegister = "register",
        /// `+aligned`: `.aligned` was introduced in PTX ISA 6.3, and has been mandatory since.
        LateAligned = "aligned",
    }
}

/// The valid constants of an operand.
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
    /// Of two elements, the first must be a multiple of the first number and at most 3, the other
    /// at most the second number.
    Pair(u32, u32),
    /// The operand must not be an f64.
    Single,
    /// The operand must be a register, not a constant; of a vector, one element must be.
    Register,
    /// A mask of 16 bits, which ptxas before 13.5 accepted only in a register.
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
        /// By the list [`Form::operands`].
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

/// A row in the notation of the table.
#[derive(Clone, Copy, Debug)]
pub struct FormRow {
    /// The opcode.
    pub opcode: Opcode,
    /// The modifiers of the form, in the notation of the table.
    pub modifiers: &'static str,
    /// The operands of the form, in the notation of the table.
    pub operands: &'static str,
    /// The required `.version`, times ten: 63 is 6.3, 10 is 1.0.
    pub version: u32,
    /// The number of the required `.target`; 0: any.
    pub target: u32,
    /// Section of the PTX ISA.
    pub section: &'static str,
    /// What an instruction of this form does, for the documentation.
    pub doc: &'static str,
}

/// A parsed row of the instruction table.
#[derive(Clone, Debug)]
pub struct Form {
    /// The row from which it was parsed.
    pub row: FormRow,
    /// Modifier slots in the documented order.
    pub slots: Vec<Slot>,
    /// How the operands are checked.
    pub shape: Shape,
    /// The operands in order, if the shape is [`Shape::Listed`].
    pub operands: Vec<OperandRule>,
    /// Additional rules.
    pub properties: Vec<Property>,
}

impl Form {
    /// Whether the form has a property.
    pub fn has(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }

    /// The syntax in the style of the manual: `add{.sat}.s32`.
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
