//! A mutator that keeps texts similar to PTX: it replaces tokens by tokens of the same kind,
//! copies, moves and removes statements, and makes instructions from the table. libFuzzer itself
//! mutates bytes.

use std::sync::LazyLock;
use texunit_isa::{Opcode, ScalarType, Shape, forms};
use texunit_syntax::{Span, token_spans};
use texunit_testkit::Random;

type Pieces = LazyLock<Vec<&'static str>>;

/// The pieces that mutations insert, one a line: numbers at the limits of types and ranges.
static NUMBERS: Pieces = LazyLock::new(|| include_str!("numbers.txt").lines().collect());

/// Module-scope declarations, each with its end of line.
static ITEMS: Pieces = LazyLock::new(|| include_str!("items.txt").split_inclusive('\n').collect());

/// Statements of function bodies, each with its end of line.
static STATEMENTS: Pieces =
    LazyLock::new(|| include_str!("statements.txt").split_inclusive('\n').collect());

/// The ranges of parts that end with `;`, a brace, a colon or a line.
fn statements(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut list = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices([';', '{', '}', ':', '\n']) {
        list.push(start..at + 1);
        start = at + 1;
    }
    list.push(start..text.len());
    list.retain(|r| !text[r.clone()].trim().is_empty());
    list
}

/// A token of the same kind as another.
fn like(random: &mut Random, text: &str, old: &str, all: &[std::ops::Range<usize>]) -> String {
    let first = old.bytes().next().unwrap_or(0);
    let same = |other: &str| match first {
        b'%' | b'.' => other.as_bytes().first() == Some(&first),
        _ => other.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_'),
    };
    match first {
        b'0'..=b'9' => random.of(&NUMBERS).to_owned(),
        b'.' if random.below(3) > 0 => {
            let form = random.pick(forms());
            match form.slots.as_slice() {
                [] => format!(".{}", random.pick(ScalarType::ALL)),
                slots => {
                    let slot = random.pick(slots);
                    format!(".{}", random.of(&slot.words))
                }
            }
        }
        b if b.is_ascii_alphabetic()
            && random.below(2) == 0
            && Opcode::from_name(old).is_some() =>
        {
            random.pick(Opcode::ALL).name().to_owned()
        }
        _ => {
            let others: Vec<&str> =
                all.iter().map(|r| &text[r.clone()]).filter(|other| same(other)).collect();
            match others.as_slice() {
                [] => old.to_owned(),
                others => random.of(others).to_owned(),
            }
        }
    }
}

/// An instruction of the table, with operands from the text.
fn instruction(random: &mut Random, text: &str, all: &[std::ops::Range<usize>]) -> String {
    let form = random.pick(forms());
    let mut made = String::new();
    if random.below(6) == 0 {
        made += "@%p1 ";
    }
    made += form.row.opcode.name();
    for slot in &form.slots {
        if !slot.optional || random.below(3) == 0 {
            made.push('.');
            made += random.of(&slot.words);
        }
    }
    let names: Vec<&str> = all
        .iter()
        .map(|r| &text[r.clone()])
        .filter(|t| t.starts_with(|c: char| c == '%' || c.is_ascii_alphabetic()))
        .collect();
    let name = |random: &mut Random| match names.as_slice() {
        [] => "%r1",
        names => random.of(names),
    };
    let count = match form.shape {
        Shape::Listed => form.operands.len(),
        _ => 1 + random.below(4),
    };
    for n in 0..count {
        made += if n == 0 { " " } else { ", " };
        made += &match random.below(12) {
            0 => random.of(&NUMBERS).to_owned(),
            1 => format!("[{}]", name(random)),
            2 => format!("[{}+{}]", name(random), random.of(&NUMBERS)),
            3 => format!("{{{}, {}}}", name(random), name(random)),
            4 => format!("{{{0}, {0}, {0}, {1}}}", name(random), name(random)),
            5 => format!("[{}, {{{}, {}}}]", name(random), name(random), name(random)),
            6 if n == 0 => format!("{}|{}", name(random), name(random)),
            7 => "_".to_owned(),
            _ => name(random).to_owned(),
        };
    }
    made + ";\n"
}

/// Makes one mutation.
fn change(random: &mut Random, text: &mut String) {
    let tokens = token_spans(text).map(Span::range);
    let all: Vec<_> = tokens.filter(|token| !token.is_empty()).collect();
    let parts = statements(text);
    if all.is_empty() || parts.is_empty() {
        text.push_str(random.of(&ITEMS));
        return;
    }
    let at = random.pick(&parts).clone();
    match random.below(12) {
        0..=3 => {
            let token = random.pick(&all).clone();
            let new = like(random, text, &text[token.clone()], &all);
            text.replace_range(token, &new);
        }
        4 => {
            let token = random.pick(&all).clone();
            text.replace_range(token, "");
        }
        5 => {
            let (from, to) = (random.pick(&all).clone(), random.pick(&all).start);
            let word = text[from].to_owned();
            text.insert_str(to, &word);
        }
        6 => {
            let copied = text[random.pick(&parts).clone()].to_owned();
            text.insert_str(at.start, &copied);
        }
        7 => text.replace_range(at, ""),
        8 => {
            let new = instruction(random, text, &all);
            text.insert_str(at.start, &new);
        }
        9 => text.insert_str(at.start, random.of(&STATEMENTS)),
        10 => text.insert_str(at.start, random.of(&ITEMS)),
        _ => {
            // A modifier after an opcode.
            let words: Vec<_> =
                all.iter().filter(|r| Opcode::from_name(&text[(*r).clone()]).is_some()).collect();
            if let [_, ..] = words.as_slice() {
                let end = random.pick(&words).end;
                let slots = &random.pick(forms()).slots;
                let words = slots.first().map_or(&[][..], |s| s.words.as_slice());
                let word = if words.is_empty() { "sync" } else { random.of(words) };
                text.insert_str(end, &format!(".{word}"));
            }
        }
    }
}

/// A mutated text of at most `most` bytes.
pub fn mutate(text: &str, most: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = text.to_owned();
    for _ in 0..=random.below(4) {
        change(&mut random, &mut text);
    }
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}
