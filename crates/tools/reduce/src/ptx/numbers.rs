//! Reduces numbers in the text of a module: offsets, immediates, array sizes.

use super::{Tree, Unit, together};
use crate::search::Search;
use crate::text::{Edit, Word, apply, words};

/// Maximum number of numbers in a module that are reduced one by one. If there are more, most are
/// elements of a table.
const MAX: usize = 400;

/// Sets as many numbers as possible to zero. Each other number is then set to 1 or halved
/// repeatedly.
pub(super) fn reduce(search: &mut Search<'_>) -> bool {
    let mut changed = together(search, "numbers", zeros);
    let mut at = 0;
    while !search.is_over() {
        let text = search.best().ptx.clone();
        let found = numbers(&text);
        let Some(word) = found.get(at).filter(|_| found.len() <= MAX) else { break };
        at += 1;
        if let Some(value) = integer(word.text).filter(|&v| v > 1) {
            changed |= halve(search, &text, word, value);
        }
    }
    changed
}

fn zeros(tree: &Tree<'_>) -> Vec<Unit> {
    let edit = |word: &Word<'_>| {
        let zero = if word.text.starts_with("0f") || word.text.starts_with("0F") {
            "0f00000000"
        } else if word.text.starts_with("0d") || word.text.starts_with("0D") {
            "0d0000000000000000"
        } else if integer(word.text).is_some() {
            "0"
        } else {
            return None;
        };
        (zero != word.text).then(|| vec![Edit::replace(word.range(), zero)])
    };
    numbers(tree.text).iter().filter_map(edit).collect()
}

/// Reduces a number to 1 or, failing that, halves it as long as the case still fails. Powers of two
/// stay powers of two, as array sizes and alignments must.
fn halve(search: &mut Search<'_>, text: &str, word: &Word<'_>, value: i64) -> bool {
    let with = |n: i64| apply(text, &[Edit::replace(word.range(), n.to_string())]);
    let one = search.best().with_ptx(with(1));
    if search.attempt(one) {
        return true;
    }
    let (mut value, mut changed) = (value, false);
    while value > 3 {
        value /= 2;
        let case = search.best().with_ptx(with(value));
        if !search.attempt(case) {
            break;
        }
        changed = true;
    }
    changed
}

/// The numbers in a module's text that can be reduced: all except those in version, target and
/// debug directives, and counts of register declarations.
fn numbers(text: &str) -> Vec<Word<'_>> {
    const HEADS: [&str; 5] = [".version", ".target", ".address_size", ".file", ".loc"];
    let is_head = |word: &Word<'_>| {
        let line = text[..word.start].rfind('\n').map_or(0, |n| n + 1);
        HEADS.iter().any(|head| text[line..].trim_start().starts_with(head))
    };
    // Counts of register declarations are excluded, because they follow from the registers that are
    // used.
    let is_count = |word: &Word<'_>| text[..word.start].ends_with('<');
    let all = words(text).into_iter();
    all.filter(|word| word.is_number() && !is_count(word) && !is_head(word)).collect()
}

fn integer(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches('U');
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => {
            u64::from_str_radix(hex, 16).ok().map(|v| i64::try_from(v).unwrap_or(i64::MAX))
        }
        None => digits.parse::<u64>().ok().map(|v| i64::try_from(v).unwrap_or(i64::MAX)),
    }
}
