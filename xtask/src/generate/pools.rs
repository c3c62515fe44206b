//! The lists of texts in pools.toml.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use texunit_testkit::Random;

static POOLS: LazyLock<BTreeMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let pools: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("pools.toml")).expect("pools.toml has lists of texts");
    let leaked = |list: Vec<String>| list.into_iter().map(|text| &*text.leak()).collect();
    pools.into_iter().map(|(name, list)| (name, leaked(list))).collect()
});

/// The texts of a pool.
pub(super) fn pool(name: &str) -> &'static [&'static str] {
    &POOLS[name]
}

/// A random text of a pool.
pub(super) fn draw(name: &str, random: &mut Random) -> &'static str {
    random.of(pool(name))
}
