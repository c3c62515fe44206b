//! Rows of the instruction table, and the forms that are read from them: what may be written, and what is asked of it.
//! [`notation`] has the little language that rows are written in.

mod fields;
pub mod notation;

pub(crate) use fields::apply;
pub(crate) use notation::read_row;

use crate::{Opcode, ScalarType};

/// What a modifier slot sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Class {
    Type,
    Vector,
    Rounding,
    Part,
    Compare,
    Bool,
    Space,
    Atom,
    Reduce,
    Redux,
    Prmt,
    Test,
    Shfl,
    Vote,
    Match,
    ShfDirection,
    Wrap,
    Geometry,
    Mip,
    Component,
    Query,
    Clamp,
    Surface,
    /// Type of the elements that `cvt.pack` makes.
    Pack,
    /// A flag with a field of its own name.
    Flag,
    /// Read and checked, without effect.
    Hint,
    /// `.L2::cache_hint`: the last operand is a cache policy.
    Policy,
    /// Which of the instructions that share an opcode: kept as words.
    Action,
    /// Changes the result in a way that no field holds.
    Unexecuted,
}

/// A place for one modifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What it sets.
    pub class: Class,
    /// The words it takes.
    pub words: Vec<&'static str>,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether it must stand at exactly this place.
    pub pinned: bool,
}

/// How an operand finds its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandType {
    /// The type word with this number.
    Word(u8),
    /// Twice the width of that type word.
    Wide(u8),
    /// Always this type.
    Fixed(ScalarType),
    /// No type: addresses.
    None,
}

/// What an operand may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Role {
    Dest,
    Source,
    RelaxedDest,
    RelaxedSource,
    DestWithPredicate,
    PredicatePair,
    Condition,
    Memory,
    Address,
    Constant,
}

/// One operand of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperandRule {
    /// What it may be.
    pub role: Role,
    /// Its type.
    pub ty: OperandType,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether floats are kept out of plain bits.
    pub strict: bool,
    /// Which constants it may be.
    pub limit: Option<Limit>,
    /// The release of ptxas that first looks at the limit, times ten; 0: all do.
    pub limit_since: u32,
    /// Whether `_` may stand here.
    pub discard: bool,
    /// Whether a predicate may stand here, whatever the type.
    pub predicate: Option<AsPredicate>,
    /// Whether ptxas before 13.5 took registers of other types for a result in bf16.
    pub loose_bf16: bool,
    /// Whether a register that is loaded or stored is exactly as wide as the type.
    pub exact: bool,
    /// Whether registers stand between braces.
    pub braces: Braces,
    /// Whether a special register may be read.
    pub special: bool,
    /// Whether an address may be the name of a variable.
    pub named: bool,
    /// Whether memory is written.
    pub written: bool,
    /// Whether an element of an array, `a[2]`, stands for a memory operand.
    pub element: bool,
    /// What lies in memory.
    pub pointee: Option<Pointee>,
}

/// What a predicate in place of a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsPredicate {
    /// An operand of its own kind.
    Taken,
    /// A mistake that ptxas accepts and translates wrongly.
    Miscompiled,
}

/// Whether an operand is registers between braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Braces {
    /// With a vector modifier; one register may have them.
    OfVectors,
    /// In any case.
    Always,
    /// In any case, and as many registers.
    Exactly(u8),
    /// Never.
    Never,
}

/// What lies at a memory operand, if the instruction says so and no state space modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pointee {
    /// `:global`: global memory, whatever the modifier says of other operands.
    Global,
    /// `:shared`: shared memory, likewise.
    Shared,
    /// `:mbarrier`: an mbarrier, which lies in shared memory.
    Mbarrier,
    /// `:uniform`: memory that the uniform cache reads.
    Uniform,
    /// `:tensormap`: a tensor map, whose address ptxas copies with `mov`.
    TensorMap,
}

/// What the assembler asks of a row that neither modifiers nor operands show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// `+macro`: ptxas expands it before it reads operands, which cannot be sums with a name.
    Macro,
    /// `+both`: its predicate is always written.
    WritesBoth,
    /// `+remote`: with `.shared::cluster` it has no result.
    NoRemoteResult,
    /// `+ordered`: an order and its scope stand together.
    OrderHasScope,
    /// `+relaxed`: `.relaxed` came with PTX ISA 8.6.
    LateRelaxed,
    /// `+unsynced`: ended with PTX ISA 6.4 and `sm_70`.
    EndedWithSync,
    /// `+onesided`: came with PTX ISA 8.6, which not every release of ptxas knows.
    OneSidedFence,
    /// `+single`: writes one predicate, and not `p|q`.
    OnePredicate,
    /// `+unrounded`: ended with PTX ISA 3.2 for `sm_20` and later.
    EndedUnrounded,
    /// `+flushed`: what the latest ptxas asks more for than its releases before.
    LateFlush,
    /// `+rowcol`: its two orders of matrices are `.row` and `.col`.
    RowByColumn,
    /// `+aligned`: `.aligned` came with PTX ISA 6.3, and must be written from then on.
    LateAligned,
}

/// Which constants an operand may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// From the first to the last.
    Between(u32, u32),
    /// A power of two from the first to the last.
    Power(u32, u32),
    /// A multiple of a number.
    Multiple(u32),
    /// Above 0 and up to 1.
    Part,
    /// No double.
    Single,
    /// No constant.
    Register,
    /// The number of a barrier: 0 to 15 in the low 32 bits.
    Barrier,
    /// Threads of whole warps: a multiple of 32.
    Warps,
    /// Threads of whole warps, and not none of them.
    SomeWarps,
}

/// The operands of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Shape {
    /// As [`Form::operands`] lists them.
    Listed,
    Mov,
    Branch,
    IndexedBranch,
    Call,
    Texture,
    Gather,
    TextureQuery,
    SurfaceQuery,
    IsType,
    SurfaceLoad,
    SurfaceStore,
    SurfaceReduce,
    Video,
    /// Not looked at: the form is never executed.
    Unchecked,
}

/// A row as written in the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The opcode.
    pub opcode: Opcode,
    /// Its modifiers.
    pub modifiers: &'static str,
    /// Its operands.
    pub operands: &'static str,
    /// The `.version` it needs, times ten: 63 is 6.3, 10 is 1.0.
    pub version: u32,
    /// The number of the `.target` it needs; 0: any.
    pub target: u32,
    /// Section of the PTX ISA.
    pub section: &'static str,
    /// What it does.
    pub doc: &'static str,
}

/// A row of the instruction table.
#[derive(Clone, Debug)]
pub struct Form {
    /// The row it was read from.
    pub row: Row,
    /// Modifier slots in the documented order.
    pub slots: Vec<Slot>,
    /// How the operands are checked.
    pub shape: Shape,
    /// Operands in order, if the shape is [`Shape::Listed`].
    pub operands: Vec<OperandRule>,
    /// What else is asked of it.
    pub properties: Vec<Property>,
}

impl Form {
    /// Whether it has a property.
    pub fn has(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }

    /// The `.version` it needs.
    pub fn version(&self) -> (u32, u32) {
        (self.row.version / 10, self.row.version % 10)
    }

    /// The syntax as the manual would write it: `add{.sat}.s32`.
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
