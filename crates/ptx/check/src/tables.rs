//! Maps and sets of names, with a hash that is fast for short keys and that no text can be written
//! against (it is seeded anew in each process).

use foldhash::fast::RandomState;

pub(crate) type Map<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type Set<K> = std::collections::HashSet<K, RandomState>;
