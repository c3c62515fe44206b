//! The notation of rows in the instruction table.
//!
//! The modifiers of a row are slots separated by spaces, in the documented order:
//! `class:word|word?`. A `?` at the end makes the slot optional; a `^` at the start fixes its
//! position (the sub-operation of `tex.level` must follow the opcode). A slot without a class is a
//! single flag. Words in capitals are the sets of [`SETS`]. `m64n*k16` stands for the shapes with
//! 8, 16, 24, ... to 256 columns, `m64n+k16` for the shapes with 8, 24 and the multiples of 16.
//!
//! The slot `policy` stands for `.L2::cache_hint`. A row with it is two forms: one without the
//! modifier, and one with the modifier, a cache policy as last operand, only global memory, and at
//! least PTX ISA 7.4 and `sm_80`.
//!
//! An operand is written as its role, its marks, a `?` if it is optional, and after `:` its type:
//!
//! | role | operand | marks |
//! |---|---|---|
//! | `d` | destination register | `_` is valid; `~` before ptxas 13.5, any register of a bf16's width is valid; `=` only an untyped register |
//! | `s` | source: register or constant | `=` only an untyped register |
//! | `r` | destination register, the relaxed width rule of ld and cvt; a vector if `.vec` | `=` a register of exactly the width; `{}` always a vector, `{4}` a vector of 4, `{n/2}` of half as many elements as the shape has columns, `{n*2}` of twice as many as `.x4` says; `-` never a vector |
//! | `x` | source, the relaxed width rule of st and cvt; a vector if `.vec` | `~`, `=`, `{}` and `-` as above; `%` a special register is also valid |
//! | `dp` | destination with an optional predicate, `d\|p` | `_` is valid for the first register |
//! | `pp` | one or two destination predicates, `p\|q` | `_` is valid for the first register |
//! | `c` | source predicate, which may be negated with `!` | |
//! | `m` | memory address in brackets | `[]` an array element is also valid |
//! | `w` | address in brackets of memory that is written | `[]` as above |
//! | `t` | tensor map and coordinates in brackets | |
//! | `a` | an address in a register | `&` the name of a variable is also valid |
//! | `i` | integer constant | |
//!
//! The type is a digit for the type modifier with that index (`w` before the digit doubles the
//! width), or the name of a type; `!` before the type refuses floats. After the type, `|pred` also
//! accepts a predicate, and `|~pred` marks that ptxas accepts and miscompiles a predicate. A memory
//! operand has the object at the address in place of a type; see [`Pointee`].
//!
//! Limits of the constants that are valid as an operand follow the type:
//!
//! | limit | valid constants |
//! |---|---|
//! | `/a-b` | from a to b |
//! | `/a-bx8` | multiples of 8 from a to b |
//! | `/a^b` | powers of two from a to b |
//! | `/x16` | multiples of 16 |
//! | `/2&3` | a vector of two: a multiple of 2 up to 3, and a number up to 3 |
//! | `/sign` | 1 and -1 |
//! | `/part` | above 0 and at most 1 |
//! | `/warps` | numbers of threads in whole warps; `/warps+` the same except 0 |
//! | `/f32` | all except f64 |
//! | `/reg` | none; of a vector, not all elements may be constants |
//! | `/mask` | 16 bits; before ptxas 13.5 none |
//! | `/barrier` | 0 to 15 in the low 32 bits |
//!
//! `@13.5` after a limit is the release of ptxas that first checks it.
//!
//! `+name` is a property of the row; see [`Property`]. `@name` instead of operands selects the code
//! with that name in crate `check`.

use super::{
    AsPredicate, Braces, Class, Form, FormRow, Limit, OperandRule, OperandType, Pointee, Property,
    Role, Shape, Slot,
};
use crate::ScalarType;

/// Sets of modifiers that many rows share, by the name in capitals.
#[rustfmt::skip]
pub const SETS: &[(&str, &str)] = &[
    ("INT", "u16|u32|u64|s16|s32|s64"),
    ("BITS", "b16|b32|b64"),
    ("DATA", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"),
    ("MEM", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"),
    ("EIGHT", "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32"),
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
    ("COLLECT_A", "collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard"),
    ("COLLECT_B", "collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard"),
    ("COLLECT_WS", "collector::b0::fill|collector::b0::use|collector::b0::lastuse|collector::b0::discard|\
        collector::b1::fill|collector::b1::use|collector::b1::lastuse|collector::b1::discard|\
        collector::b2::fill|collector::b2::use|collector::b2::lastuse|collector::b2::discard|\
        collector::b3::fill|collector::b3::use|collector::b3::lastuse|collector::b3::discard"),
    ("GEOM", "1d|2d|3d|a1d|a2d|cube|acube|2dms|a2dms"),
    ("SGEOM", "1d|2d|3d|a1d|a2d"),
    ("CLAMP", "trap|clamp|zero"),
    ("BYTE", "s8|u8"),
    ("NIBBLE", "s4|u4"),
    ("TINY", "e4m3|e5m2"),
    ("WMMA", "m16n16k16|m8n32k16|m32n8k16"),
];

/// Parses a row of the instruction table into its form, or two forms if it has a `policy` slot.
/// Panics on an invalid row; a test parses all rows.
pub(crate) fn read_row(row: &FormRow) -> Vec<Form> {
    let (shape, operands, properties) = read_operands(row.operands);
    let words = row.modifiers.split_whitespace();
    let slots = words.clone().filter(|word| *word != "policy").map(read_slot).collect();
    let plain = Form { row: *row, slots, shape, operands, properties };
    let Some(at) = words.clone().position(|word| word == "policy") else { return vec![plain] };
    let with = with_policy(&plain, at);
    vec![plain, with]
}

/// The form `plain` with a cache policy, whose modifier slot is inserted at index `at`.
fn with_policy(plain: &Form, at: usize) -> Form {
    let mut form = plain.clone();
    let slot = read_slot("policy:L2::cache_hint");
    form.slots.insert(at, slot);
    for slot in form.slots.iter_mut().filter(|slot| slot.class == Class::Space) {
        if slot.words.contains(&"global") {
            slot.words = vec!["global"];
        }
    }
    let predicate = plain.operands.iter().find_map(|operand| operand.predicate);
    form.operands.push(OperandRule { predicate, ..read_operand("s:!b64") });
    form.row.version = plain.row.version.max(74);
    form.row.target = plain.row.target.max(80);
    // The leak is harmless: the table is built once and never dropped.
    form.row.doc = String::leak(format!("{} with a cache policy", plain.row.doc));
    form
}

fn read_slot(text: &'static str) -> Slot {
    let (text, pinned) = text.strip_prefix('^').map_or((text, false), |t| (t, true));
    let (text, optional) = text.strip_suffix('?').map_or((text, false), |t| (t, true));
    let (class, words) = match text.split_once(':').filter(|(_, w)| !w.starts_with(':')) {
        Some((class, words)) => (spelled("class", class, Class::from_name), words),
        None => (Class::Flag, text),
    };
    let words = words.split('|').flat_map(expand).flat_map(with_columns).collect();
    Slot { class, words, optional, pinned }
}

fn expand(word: &'static str) -> Vec<&'static str> {
    match SETS.iter().find(|(name, _)| *name == word) {
        Some((_, words)) => words.split('|').collect(),
        None => vec![word],
    }
}

/// The shapes of `wgmma` for which `m64n*k16` or `m64n+k16` stands.
fn with_columns(word: &'static str) -> Vec<&'static str> {
    let all = |mark, columns: fn(&u32) -> bool| {
        let (rows, inner) = word.split_once(mark)?;
        let shape = |n| &*String::leak(format!("{rows}{n}{inner}"));
        Some((8..=256).step_by(8).filter(columns).map(shape).collect())
    };
    all('*', |_| true).or_else(|| all('+', |n| n % 16 == 0 || *n <= 24)).unwrap_or(vec![word])
}

/// The enum value whose spelling is `name`; `what` names the enum in the panic message.
fn spelled<T>(what: &str, name: &str, from_name: fn(&str) -> Option<T>) -> T {
    from_name(name).unwrap_or_else(|| panic!("instruction table: no {what} {name}"))
}

fn read_operands(text: &'static str) -> (Shape, Vec<OperandRule>, Vec<Property>) {
    let properties = text.split_whitespace().filter_map(|word| word.strip_prefix('+'));
    let properties =
        properties.map(|name| spelled("property", name, Property::from_name)).collect();
    let shape = Shape::from_name(text).unwrap_or(Shape::Listed);
    let listed = if shape == Shape::Listed { text } else { "" };
    let operands = listed.split_whitespace().filter(|word| !word.starts_with('+'));
    (shape, operands.map(read_operand).collect(), properties)
}

fn read_operand(text: &'static str) -> OperandRule {
    let (role, ty) = text.split_once(':').unwrap_or((text, ""));
    let (role, optional) = role.strip_suffix('?').map_or((role, false), |t| (t, true));
    let letters = role.bytes().take_while(u8::is_ascii_lowercase).count();
    let (role, mut marks) = role.split_at(letters);
    let mut mark = |mark: &str| {
        let rest = marks.strip_prefix(mark);
        marks = rest.unwrap_or(marks);
        rest.is_some()
    };
    let (discard, loose_bf16, exact) = (mark("_"), mark("~"), mark("="));
    let count = (1..=8).find(|n| mark(&format!("{{{n}}}")));
    let part = [2, 4].into_iter().find(|n| mark(&format!("{{n/{n}}}"))).map(|n| (1, n));
    let part = part.or([1, 2, 4].into_iter().find(|n| mark(&format!("{{n*{n}}}"))).map(|n| (n, 1)));
    let braces = match (count, part, mark("{}"), mark("-")) {
        (Some(n), ..) => Braces::Exactly(n),
        (_, Some((times, of)), ..) => Braces::Columns { times, of },
        (_, _, true, _) => Braces::Always,
        (.., true) => Braces::Never,
        _ => Braces::OfVectors,
    };
    let (special, element, named) = (mark("%"), mark("[]"), mark("&"));
    assert!(marks.is_empty(), "instruction table: no mark {marks}");
    let (ty, limit) = ty.split_once('/').unwrap_or((ty, ""));
    let (limit, since) = limit.split_once('@').unwrap_or((limit, "0"));
    let limit = (!limit.is_empty()).then(|| read_limit(limit));
    let limit_since = since.replace('.', "").parse::<u32>();
    let limit_since =
        limit_since.unwrap_or_else(|_| panic!("instruction table: no release {since}"));
    let (ty, strict) = ty.strip_prefix('!').map_or((ty, false), |t| (t, true));
    let (ty, predicate) = match ty.split_once('|') {
        None => (ty, None),
        Some((ty, name)) => (ty, Some(spelled("alternative", name, AsPredicate::from_name))),
    };
    let written = role == "w";
    let role = if written { Role::Memory } else { spelled("role", role, Role::from_name) };
    let (ty, pointee) = match role {
        Role::Memory if !ty.is_empty() => ("", Some(spelled("memory", ty, Pointee::from_name))),
        _ => (ty, None),
    };
    let ty = match ty {
        "" => OperandType::None,
        "0" => OperandType::Word(0),
        "1" => OperandType::Word(1),
        "w0" => OperandType::Wide(0),
        name => OperandType::Fixed(spelled("type", name, ScalarType::from_name)),
    };
    OperandRule {
        role,
        ty,
        optional,
        strict,
        limit,
        limit_since,
        discard,
        predicate,
        loose_bf16,
        exact,
        braces,
        special,
        named,
        written,
        element,
        pointee,
    }
}

fn read_limit(text: &str) -> Limit {
    match text {
        "barrier" => return Limit::Barrier,
        "warps" => return Limit::Warps,
        "warps+" => return Limit::SomeWarps,
        "part" => return Limit::Part,
        "sign" => return Limit::Sign,
        "f32" => return Limit::Single,
        "reg" => return Limit::Register,
        "mask" => return Limit::Mask,
        _ => {}
    }
    let pair = |mark: char| {
        text.split_once(mark).and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)))
    };
    if let Some((first, last)) = pair('^') {
        return Limit::Power(first, last);
    }
    if let Some((step, last)) = pair('&') {
        return Limit::Pair(step, last);
    }
    let (range, step) = text.split_once('x').unwrap_or((text, "1"));
    let (first, last) = range.split_once('-').unwrap_or(("0", "18446744073709551615"));
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("no limit {text}"));
    Limit::Between { first: number(first), last: number(last), step: number(step) }
}
