//! Special registers: names, types, components (PTX ISA 10).

use crate::ir::Operand;
use std::sync::LazyLock;
use texunit_isa::{ScalarType, SpecialReg};

/// A special register as an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Special {
    /// Which register; `%envreg` and performance counters are separate kinds.
    pub(crate) kind: SpecialKind,
    /// The types as which the special register can be read.
    pub(crate) types: &'static [ScalarType],
    /// Whether the special register has components, such as `%tid.x`.
    pub(crate) is_vector: bool,
    /// The `.version` (times ten) and the `.target` number that introduced it.
    pub(crate) since: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum SpecialKind {
    Register(SpecialReg),
    Env(u8),
    Zero,
}

const WORD: &[ScalarType] = &[ScalarType::U32];
const LONG: &[ScalarType] = &[ScalarType::U64];

/// The special registers that are not numbered, from special.txt.
static TABLE: LazyLock<Vec<(SpecialReg, Special)>> = LazyLock::new(|| {
    let row = |line: &str| {
        let mut words = line.split(' ');
        let reg = SpecialReg::from_name(words.next()?)?;
        let since = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let is_vector = words.clone().next() == Some("vector");
        let types: Vec<_> = words.filter_map(ScalarType::from_name).collect();
        let kind = SpecialKind::Register(reg);
        // The leak is harmless: the table is built once and never dropped.
        Some((reg, Special { kind, types: types.leak(), is_vector, since }))
    };
    include_str!("special.txt").lines().filter_map(row).collect()
});

/// Looks up a special register by its name (with `%`).
pub(crate) fn lookup(name: &str) -> Option<Special> {
    let name = name.strip_prefix('%')?;
    if let Some(number) = name.strip_prefix("envreg") {
        let n = small(number, 31)?;
        let kind = SpecialKind::Env(n);
        return Some(Special { kind, types: WORD, is_vector: false, since: (0, 0) });
    }
    if let Some(number) = name.strip_prefix("pm") {
        let long = number.strip_suffix("_64");
        let n = small(long.unwrap_or(number), 7)?;
        let (types, since) = match (long, n) {
            (Some(_), _) => (LONG, (40, 50)),
            (None, 0..4) => (WORD, (13, 0)),
            (None, _) => (WORD, (30, 20)),
        };
        return Some(Special { kind: SpecialKind::Zero, types, is_vector: false, since });
    }
    let reg = SpecialReg::from_name(name)?;
    TABLE.iter().find(|row| row.0 == reg).map(|row| row.1)
}

/// The names of special registers for suggestions: all except numbered ones.
pub(crate) fn names() -> impl Iterator<Item = String> {
    TABLE.iter().map(|row| format!("%{}", row.0))
}

fn small(text: &str, max: u8) -> Option<u8> {
    let canonical = text == "0" || !text.starts_with('0');
    text.parse().ok().filter(|n| canonical && *n <= max)
}

impl Special {
    pub(crate) fn operand(self, component: u8) -> Operand {
        match self.kind {
            SpecialKind::Register(reg) => Operand::Special(reg, component),
            SpecialKind::Env(n) => Operand::EnvReg(n),
            SpecialKind::Zero => Operand::ZeroCounter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_register_has_a_row() {
        for reg in SpecialReg::ALL {
            assert!(lookup(&format!("%{reg}")).is_some(), "{reg}");
        }
        assert!(lookup("%envreg31").is_some() && lookup("%envreg32").is_none());
        assert!(lookup("%pm7_64").is_some() && lookup("%pm8").is_none());
        assert!(lookup("tid").is_none());
    }
}
