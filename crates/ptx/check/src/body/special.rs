//! Special registers: names, types, components (PTX ISA 10).

use crate::ir::Operand;
use texunit_isa::{ScalarType, SpecialReg};

/// A special register as an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Special {
    /// The register; `%envreg` and counters have their own kinds.
    pub(crate) kind: SpecialKind,
    /// The types with which it can be read.
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

use ScalarType::{Pred, U16, U32, U64};
use SpecialReg as R;

const INDEX: &[ScalarType] = &[U32, U16];
const WORD: &[ScalarType] = &[U32];
const LONG: &[ScalarType] = &[U64];
const EITHER: &[ScalarType] = &[U64, U32];

/// Special registers with their types and whether they are vectors.
#[rustfmt::skip]
const TABLE: &[(SpecialReg, &[ScalarType], bool)] = &[
    (R::Tid, INDEX, true), (R::Ntid, INDEX, true), (R::Ctaid, INDEX, true), (R::Nctaid, INDEX, true),
    (R::Clusterid, WORD, true), (R::Nclusterid, WORD, true),
    (R::ClusterCtaid, WORD, true), (R::ClusterNctaid, WORD, true),
    (R::ClusterCtarank, WORD, false), (R::ClusterNctarank, WORD, false),
    (R::IsExplicitCluster, &[Pred], false),
    (R::Gridid, EITHER, false), (R::Laneid, WORD, false), (R::Warpid, WORD, false),
    (R::Nwarpid, WORD, false), (R::Smid, WORD, false), (R::Nsmid, WORD, false),
    (R::Clock, WORD, false), (R::ClockHi, WORD, false), (R::Clock64, LONG, false),
    (R::Globaltimer, LONG, false), (R::GlobaltimerLo, WORD, false), (R::GlobaltimerHi, WORD, false),
    (R::LanemaskEq, WORD, false), (R::LanemaskLe, WORD, false), (R::LanemaskLt, WORD, false),
    (R::LanemaskGe, WORD, false), (R::LanemaskGt, WORD, false),
    (R::DynamicSmemSize, WORD, false), (R::TotalSmemSize, WORD, false),
    (R::AggrSmemSize, WORD, false), (R::CurrentGraphExec, LONG, false),
    (R::ReservedSmemOffsetBegin, WORD, false), (R::ReservedSmemOffsetEnd, WORD, false),
    (R::ReservedSmemOffsetCap, WORD, false), (R::ReservedSmemOffset0, WORD, false),
    (R::ReservedSmemOffset1, WORD, false),
];

/// Looks up a special register by its name (with `%`).
pub(crate) fn lookup(name: &str) -> Option<Special> {
    let name = name.strip_prefix('%')?;
    if let Some(number) = name.strip_prefix("envreg") {
        let n = small(number, 31)?;
        return Some(Special {
            kind: SpecialKind::Env(n),
            types: WORD,
            is_vector: false,
            since: (0, 0),
        });
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
    let &(_, types, is_vector) = TABLE.iter().find(|row| row.0 == reg)?;
    Some(Special { kind: SpecialKind::Register(reg), types, is_vector, since: since(reg) })
}

/// The `.version` (times ten) and the `.target` number that introduced a register.
fn since(reg: SpecialReg) -> (u32, u32) {
    match reg {
        R::Tid | R::Ntid | R::Ctaid | R::Nctaid | R::Gridid | R::Clock => (0, 0),
        R::Laneid | R::Warpid | R::Smid => (13, 0),
        R::Nwarpid | R::Nsmid | R::Clock64 => (20, 20),
        R::LanemaskEq | R::LanemaskLe | R::LanemaskLt | R::LanemaskGe | R::LanemaskGt => (20, 20),
        R::Globaltimer | R::GlobaltimerLo | R::GlobaltimerHi => (31, 30),
        R::DynamicSmemSize | R::TotalSmemSize => (41, 20),
        R::ClockHi => (50, 20),
        R::ReservedSmemOffsetBegin | R::ReservedSmemOffsetEnd | R::ReservedSmemOffsetCap => {
            (76, 80)
        }
        R::ReservedSmemOffset0 | R::ReservedSmemOffset1 => (76, 80),
        R::Clusterid | R::Nclusterid | R::IsExplicitCluster => (78, 90),
        R::ClusterCtaid | R::ClusterNctaid | R::ClusterCtarank | R::ClusterNctarank => (78, 90),
        R::CurrentGraphExec => (80, 50),
        R::AggrSmemSize => (81, 90),
    }
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
