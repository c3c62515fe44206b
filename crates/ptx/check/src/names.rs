//! Names: maps and sets of them, with a hash that is fast for short keys and that no text can be written
//! against (it is seeded anew in each process).

use foldhash::fast::RandomState;

pub(crate) type Map<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type Set<K> = std::collections::HashSet<K, RandomState>;

/// The ways to read a name as one of a numbered group: `%r12` as `%r` 12 and `%r1` 2.
pub(crate) fn splits(name: &str) -> impl Iterator<Item = (&str, u64)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    (1..=digits.min(19)).rev().filter_map(move |n| {
        let (prefix, number) = name.split_at(name.len() - n);
        let canonical = number.len() == 1 || !number.starts_with('0');
        Some((prefix, number.parse().ok()?)).filter(|_| canonical && !prefix.is_empty())
    })
}
