//! Maps and sets of names, with a hash that is fast for short keys, and seeded anew in each process
//! so that no text can provoke collisions.

use foldhash::fast::RandomState;
use texunit_syntax::numbered;

pub(crate) type Map<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type Set<K> = std::collections::HashSet<K, RandomState>;

/// The canonical spelling of a name that ends with a number, if it is written differently: `%r12`
/// for `%r012`.
pub(crate) fn usual(name: &str) -> Option<String> {
    let (prefix, number) = numbered(name)?;
    let digits = &name[prefix.len()..];
    let is_usual = digits.len() < 10 && !digits.starts_with('0') || digits == "0";
    if is_usual {
        return None;
    }
    Some(format!("{prefix}{number}")).filter(|usual| usual != name)
}
