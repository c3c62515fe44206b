//! The directives and types of PTX, and suggestions for unknown ones.

use crate::ast::{Linkage, Space};

/// Splits a name such as `%r12` into prefix and number, as ptxas does: all trailing digits are the
/// number, of which the low 32 bits are used. `%r12` and `%r012` are `%r` 12, never `%r1` 2.
pub fn numbered(name: &str) -> Option<(&str, u64)> {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name[prefix.len()..].bytes();
    let number = digits.fold(0u32, |n, d| n.wrapping_mul(10).wrapping_add(u32::from(d - b'0')));
    (!prefix.is_empty() && prefix.len() < name.len()).then_some((prefix, u64::from(number)))
}

/// Vector lengths of declarations, by directive.
pub(crate) const VECTORS: &[(&str, u8)] = &[("v2", 2), ("v4", 4), ("v8", 8)];

/// Types that a declaration may have, without the dot.
#[rustfmt::skip]
pub(crate) const TYPES: &[&str] = &[
    "b8", "b16", "b32", "b64", "b128",
    "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64",
    "u16x2", "s16x2", "u8x4", "s8x4",
    "f16", "f16x2", "f32", "f32x2", "f64", "bf16", "bf16x2", "tf32", "e4m3", "e5m2", "e4m3x2", "e5m2x2",
    "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2", "ue5m3x2",
    "pred", "texref", "samplerref", "surfref",
];

/// A performance directive: its name, number of values, and whether it is for kernels or functions.
pub(crate) struct Bound {
    pub(crate) name: &'static str,
    pub(crate) numbers: std::ops::RangeInclusive<usize>,
    pub(crate) of_entry: bool,
}

const fn bound(name: &'static str, least: usize, most: usize, of_entry: bool) -> Bound {
    Bound { name, numbers: least..=most, of_entry }
}

#[rustfmt::skip]
pub(crate) const BOUNDS: &[Bound] = &[
    bound("maxntid",              1, 3, true),
    bound("reqntid",              1, 3, true),
    bound("minnctapersm",         1, 1, true),
    bound("maxnctapersm",         1, 1, true),
    bound("maxnreg",              1, 1, true),
    bound("maxclusterrank",       1, 1, true),
    bound("reqnctapercluster",    1, 3, true),
    bound("explicitcluster",      0, 0, true),
    bound("blocksareclusters",    0, 0, true),
    bound("noreturn",             0, 0, false),
    bound("abi_preserve",         1, 1, false),
    bound("abi_preserve_control", 1, 1, false),
];

/// All other words that may follow a dot, for suggestions.
#[rustfmt::skip]
pub(crate) const OTHERS: &[&str] = &[
    "version", "target", "address_size", "entry", "func", "alias", "align", "ptr", "attribute",
    "branchtargets", "calltargets", "callprototype", "pragma", "loc", "file", "section",
];

/// The value of a word in a table of words.
pub(crate) fn look_up<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == word).map(|&(_, value)| value)
}

/// Whether the word is a directive that is never a modifier, unlike `.weak`, types, most state
/// spaces, and `alias` of `fence.proxy.alias`.
#[rustfmt::skip]
pub(crate) fn is_no_modifier(word: &str) -> bool {
    // For speed, no table is searched: this is tested for every modifier of a module.
    matches!(word, "reg" | "visible" | "extern" | "common"
        | "version" | "target" | "address_size" | "entry" | "func" | "align" | "ptr" | "attribute"
        | "branchtargets" | "calltargets" | "callprototype" | "pragma" | "loc" | "file" | "section"
        | "maxntid" | "reqntid" | "minnctapersm" | "maxnctapersm" | "maxnreg" | "maxclusterrank"
        | "reqnctapercluster" | "explicitcluster" | "blocksareclusters" | "noreturn"
        | "abi_preserve" | "abi_preserve_control")
}

/// Whether a word after a dot is a directive in any position.
pub(crate) fn is_directive(word: &str) -> bool {
    all().any(|name| name == word)
}

fn all() -> impl Iterator<Item = &'static str> {
    let spaces = Space::ALL.iter().map(|space| space.name());
    let linkages = Linkage::ALL.iter().map(|linkage| linkage.name());
    let vectors = VECTORS.iter().map(|&(name, _)| name);
    let bounds = BOUNDS.iter().map(|b| b.name);
    let others = OTHERS.iter().copied();
    spaces.chain(linkages).chain(vectors).chain(bounds).chain(others).chain(TYPES.iter().copied())
}

/// The known word that is most similar to `word`; at most a third of the letters may differ.
pub(crate) fn nearest(word: &str) -> Option<&'static str> {
    if word.len() > 32 {
        return None;
    }
    let most = (word.len() / 3).max(1);
    all()
        .map(|name| (distance(word, name), name))
        .filter(|&(distance, _)| distance <= most)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The known word that was certainly intended: `word` is long, one typing error away from the known
/// word, and similar to no other.
pub(crate) fn certainly(word: &str) -> Option<&'static str> {
    if !(5..=32).contains(&word.len()) {
        return None;
    }
    let mut near = all().filter(|name| distance(word, name) <= 1);
    let first = near.next()?;
    near.all(|other| other == first).then_some(first)
}

/// Case-insensitive edit distance, in which swapping two neighbouring letters counts as one edit.
fn distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_ascii_lowercase(), &b.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_no_modifiers() {
        let bounds = BOUNDS.iter().map(|bound| bound.name);
        for word in OTHERS.iter().copied().chain(bounds).chain(["reg", "visible", "common"]) {
            assert!(is_no_modifier(word) || word == "alias", "{word}");
        }
        for word in ["f32", "volatile", "weak", "global", "alias", "", "regs"] {
            assert!(!is_no_modifier(word), "{word}");
        }
    }

    #[test]
    fn near_words_are_found() {
        assert_eq!(nearest("gloabl"), Some("global"));
        assert_eq!(nearest("sharde"), Some("shared"));
        assert_eq!(nearest("Entry"), Some("entry"));
        assert_eq!(nearest("callprototyp"), Some("callprototype"));
        assert_eq!(nearest("maxtnid"), Some("maxntid"));
        assert_eq!(nearest("something"), None);
        assert_eq!(nearest(&"x".repeat(1000)), None);
        assert_eq!(certainly("gloabl"), Some("global"));
        assert_eq!(certainly("Entry"), Some("entry"));
        assert_eq!(certainly("u23"), None);
        assert_eq!(certainly("gobl"), None);
    }
}
