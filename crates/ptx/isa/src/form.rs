//! Rows of the instruction table and the little language they are written in.
//!
//! The modifiers of a row are slots separated by spaces, in the documented order:
//! `class:word|word?`. A `?` at the end makes the slot optional, a `^` at the start pins it to its
//! place (the sub-operation of `tex.level` must follow the opcode). A slot without a class is a
//! single flag. Words in capitals are the sets of [`SETS`].
//!
//! Operands are a role, a `?` if optional, and a type:
//!
//! | role | operand |
//! |---|---|
//! | `d` | destination register |
//! | `s` | source: register, constant or special register |
//! | `r` | destination register, the relaxed width rule of ld and cvt; a vector if `.vec` |
//! | `x` | source, the relaxed width rule of st and cvt; a vector if `.vec` |
//! | `dp` | destination with an optional predicate, `d\|p` |
//! | `pp` | one or two destination predicates, `p\|q` |
//! | `c` | source predicate, `!` allowed |
//! | `m` | memory address in brackets |
//! | `a` | an address: register, or the name of a variable |
//! | `i` | integer constant |
//!
//! and its type: a digit is the type word with that number, `w` before it doubles the width, a
//! type word is that type; `!` before it keeps floats out. `/a-b` behind it is the range of a
//! constant, `/a^b` the powers of two among them, `/part` above 0 and up to 1, `/warps` a number of threads of whole warps, `/warps+` not 0. `@name` hands the operands to code of that name in crate `check`.

use crate::{Modifiers, Opcode, ScalarType};

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
}

/// Which constants an operand may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// From the first to the last.
    Between(u32, u32),
    /// A power of two from the first to the last.
    Power(u32, u32),
    /// Above 0 and up to 1.
    Part,
    /// The number of a barrier: 0 to 15 in the low 32 bits.
    Barrier,
    /// Threads of whole warps: a multiple of 32.
    Warps,
    /// The same, not 0.
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
}

impl Form {
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

/// Sets of words that many rows share.
#[rustfmt::skip]
pub const SETS: &[(&str, &str)] = &[
    ("INT", "u16|u32|u64|s16|s32|s64"),
    ("BITS", "b16|b32|b64"),
    ("DATA", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"),
    ("MEM", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"),
    ("HALF", "f16|f16x2"),
    ("BHALF", "bf16|bf16x2"),
    ("RND", "rn|rz|rm|rp"),
    ("IRND", "rni|rzi|rmi|rpi"),
    ("ICMP", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"),
    ("FCMP", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("BOOL", "and|or|xor"),
    ("SCOPE", "cta|cluster|gpu|sys"),
    ("SEM", "relaxed|acquire|release|acq_rel"),
    ("LDSPACE", "const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster"),
    ("STSPACE", "global|local|param|param::func|shared|shared::cta|shared::cluster"),
    ("ATOMSPACE", "global|shared|shared::cta|shared::cluster"),
    ("L1HINT", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"),
    ("STOREHINT", "L1::evict_normal|L1::evict_first|L1::evict_last|L1::no_allocate"),
    ("L2HINT", "L2::evict_normal|L2::evict_first|L2::evict_last"),
    ("FETCHSIZE", "L2::64B|L2::128B|L2::256B"),
    ("GEOM", "1d|2d|3d|a1d|a2d|cube|acube|2dms|a2dms"),
    ("SGEOM", "1d|2d|3d|a1d|a2d"),
    ("CLAMP", "trap|clamp|zero"),
];

/// Reads a row. Panics on a row that does not follow the little language: a test reads them all.
pub(crate) fn read_row(row: &Row) -> Form {
    let slots = row.modifiers.split_whitespace().map(read_slot).collect();
    let (shape, operands) = read_operands(row.operands);
    Form { row: *row, slots, shape, operands }
}

fn read_slot(text: &'static str) -> Slot {
    let (text, pinned) = text.strip_prefix('^').map_or((text, false), |t| (t, true));
    let (text, optional) = text.strip_suffix('?').map_or((text, false), |t| (t, true));
    let (class, words) = match text.split_once(':').filter(|(_, w)| !w.starts_with(':')) {
        Some((class, words)) => (class_of(class), words),
        None => (Class::Flag, text),
    };
    let words = words.split('|').flat_map(expand).collect();
    Slot { class, words, optional, pinned }
}

fn expand(word: &'static str) -> Vec<&'static str> {
    match SETS.iter().find(|(name, _)| *name == word) {
        Some((_, words)) => words.split('|').collect(),
        None => vec![word],
    }
}

fn class_of(name: &str) -> Class {
    match name {
        "ty" => Class::Type,
        "vec" => Class::Vector,
        "rnd" => Class::Rounding,
        "part" => Class::Part,
        "cmp" => Class::Compare,
        "bool" => Class::Bool,
        "space" => Class::Space,
        "atom" => Class::Atom,
        "reduce" => Class::Reduce,
        "redux" => Class::Redux,
        "prmt" => Class::Prmt,
        "test" => Class::Test,
        "shfl" => Class::Shfl,
        "vote" => Class::Vote,
        "match" => Class::Match,
        "dir" => Class::ShfDirection,
        "wrap" => Class::Wrap,
        "geom" => Class::Geometry,
        "mip" => Class::Mip,
        "comp" => Class::Component,
        "query" => Class::Query,
        "clamp" => Class::Clamp,
        "surf" => Class::Surface,
        "pack" => Class::Pack,
        "hint" => Class::Hint,
        "act" => Class::Action,
        "x" => Class::Unexecuted,
        other => panic!("instruction table: no class {other}"),
    }
}

fn read_operands(text: &'static str) -> (Shape, Vec<OperandRule>) {
    let shape = match text {
        "@mov" => Shape::Mov,
        "@bra" => Shape::Branch,
        "@brx" => Shape::IndexedBranch,
        "@call" => Shape::Call,
        "@tex" => Shape::Texture,
        "@tld4" => Shape::Gather,
        "@txq" => Shape::TextureQuery,
        "@suq" => Shape::SurfaceQuery,
        "@istypep" => Shape::IsType,
        "@suld" => Shape::SurfaceLoad,
        "@sust" => Shape::SurfaceStore,
        "@sured" => Shape::SurfaceReduce,
        "@video" => Shape::Video,
        "*" => Shape::Unchecked,
        _ => Shape::Listed,
    };
    let listed = if shape == Shape::Listed { text } else { "" };
    (shape, listed.split_whitespace().map(read_operand).collect())
}

fn read_operand(text: &'static str) -> OperandRule {
    let (role, ty) = text.split_once(':').unwrap_or((text, ""));
    let (role, optional) = role.strip_suffix('?').map_or((role, false), |t| (t, true));
    let (ty, limit) = ty.split_once('/').map_or((ty, None), |(ty, l)| (ty, Some(read_limit(l))));
    let (ty, strict) = ty.strip_prefix('!').map_or((ty, false), |t| (t, true));
    let role = match role {
        "d" => Role::Dest,
        "s" => Role::Source,
        "r" => Role::RelaxedDest,
        "x" => Role::RelaxedSource,
        "dp" => Role::DestWithPredicate,
        "pp" => Role::PredicatePair,
        "c" => Role::Condition,
        "m" => Role::Memory,
        "a" => Role::Address,
        "i" => Role::Constant,
        other => panic!("instruction table: no role {other}"),
    };
    let ty = match ty {
        "" => OperandType::None,
        "0" => OperandType::Word(0),
        "1" => OperandType::Word(1),
        "w0" => OperandType::Wide(0),
        name => OperandType::Fixed(
            ScalarType::from_name(name)
                .unwrap_or_else(|| panic!("instruction table: no type {name}")),
        ),
    };
    OperandRule { role, ty, optional, strict, limit }
}

fn read_limit(text: &str) -> Limit {
    match text {
        "barrier" => return Limit::Barrier,
        "warps" => return Limit::Warps,
        "warps+" => return Limit::SomeWarps,
        "part" => return Limit::Part,
        _ => {}
    }
    let pair = |mark: char| {
        text.split_once(mark).and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)))
    };
    if let Some((first, last)) = pair('^') {
        return Limit::Power(first, last);
    }
    let (first, last) = pair('-').unwrap_or_else(|| panic!("instruction table: no limit {text}"));
    Limit::Between(first, last)
}

/// Sets the field that a word of a slot stands for.
pub(crate) fn apply(class: Class, word: &'static str, mods: &mut Modifiers) {
    use crate::types::*;
    let base = word.split("::").next().unwrap_or(word);
    match class {
        Class::Type => mods.types.extend(ScalarType::from_name(word)),
        Class::Vector => mods.vector = word[1..].parse().unwrap_or(0),
        Class::Rounding => mods.rounding = Rounding::from_name(word),
        Class::Part => mods.part = crate::MulPart::from_name(word),
        Class::Compare => mods.cmp = CmpOp::from_name(word),
        Class::Bool => {
            mods.bool_op = BoolOp::from_name(word);
            mods.red_op = mods.bool_op.filter(|_| mods.red);
        }
        Class::Space => mods.space = Space::from_name(base),
        Class::Atom => mods.atom = AtomOp::from_name(word),
        Class::Reduce => mods.reduce = ReduceOp::from_name(word),
        Class::Redux => mods.redux = AtomOp::from_name(word),
        Class::Prmt => mods.prmt = PrmtMode::from_name(word),
        Class::Test => mods.test = TestOp::from_name(word),
        Class::Shfl => mods.shfl = ShflMode::from_name(word),
        Class::Vote => mods.vote = VoteMode::from_name(word),
        Class::Match => mods.matching = MatchMode::from_name(word),
        Class::ShfDirection => mods.shf_right = word == "r",
        Class::Wrap => mods.wrap = word == "wrap",
        Class::Geometry => mods.geometry = Geometry::from_name(word),
        Class::Mip => mods.mip = MipMode::from_name(word),
        Class::Component => mods.component = Component::from_name(word),
        Class::Query => mods.query = Attribute::from_name(word),
        Class::Clamp => mods.clamp = ClampMode::from_name(word),
        Class::Surface => mods.formatted = word == "p",
        Class::Pack => {
            mods.pack = word[1..].parse().ok().map(|bits| (bits, word.starts_with('s')));
        }
        Class::Hint => {}
        Class::Action => mods.actions.push(word),
        Class::Unexecuted => mods.unexecuted = Some(word),
        Class::Flag => set_flag(word, mods),
    }
}

fn set_flag(word: &str, mods: &mut Modifiers) {
    *match word {
        "approx" => &mut mods.approx,
        "full" => &mut mods.full,
        "ftz" => &mut mods.ftz,
        "sat" => &mut mods.sat,
        "satfinite" => &mut mods.satfinite,
        "relu" => &mut mods.relu,
        "NaN" => &mut mods.nan,
        "xorsign" => &mut mods.xorsign,
        "abs" => &mut mods.abs,
        "cc" => &mut mods.cc,
        "to" => &mut mods.to,
        "nc" => &mut mods.nc,
        "noftz" => &mut mods.noftz,
        "shiftamt" => &mut mods.shiftamt,
        "sync" => &mut mods.sync,
        "warp" => &mut mods.warp,
        "arrive" => &mut mods.arrive,
        "po" => &mut mods.po,
        "shr7" => &mut mods.shr7,
        "shr15" => &mut mods.shr15,
        "red" => &mut mods.red,
        "uni" => &mut mods.uni,
        other => panic!("instruction table: no flag {other}"),
    } = true;
}
