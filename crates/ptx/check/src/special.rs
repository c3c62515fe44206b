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

/// A special register, its types, whether it is a vector, and the `.version` (times ten) and the
/// `.target` number that introduced it.
type Row = (SpecialReg, &'static [ScalarType], bool, (u32, u32));

#[rustfmt::skip]
const TABLE: &[Row] = &[
    (R::Tid, INDEX, true, (0, 0)), (R::Ntid, INDEX, true, (0, 0)), (R::Ctaid, INDEX, true, (0, 0)),
    (R::Nctaid, INDEX, true, (0, 0)), (R::Clusterid, WORD, true, (78, 90)),
    (R::Nclusterid, WORD, true, (78, 90)), (R::ClusterCtaid, WORD, true, (78, 90)),
    (R::ClusterNctaid, WORD, true, (78, 90)), (R::ClusterCtarank, WORD, false, (78, 90)),
    (R::ClusterNctarank, WORD, false, (78, 90)), (R::IsExplicitCluster, &[Pred], false, (78, 90)),
    (R::Gridid, EITHER, false, (0, 0)), (R::Laneid, WORD, false, (13, 0)),
    (R::Warpid, WORD, false, (13, 0)), (R::Nwarpid, WORD, false, (20, 20)),
    (R::Smid, WORD, false, (13, 0)), (R::Nsmid, WORD, false, (20, 20)),
    (R::Clock, WORD, false, (0, 0)), (R::ClockHi, WORD, false, (50, 20)),
    (R::Clock64, LONG, false, (20, 20)), (R::Globaltimer, LONG, false, (31, 30)),
    (R::GlobaltimerLo, WORD, false, (31, 30)), (R::GlobaltimerHi, WORD, false, (31, 30)),
    (R::LanemaskEq, WORD, false, (20, 20)), (R::LanemaskLe, WORD, false, (20, 20)),
    (R::LanemaskLt, WORD, false, (20, 20)), (R::LanemaskGe, WORD, false, (20, 20)),
    (R::LanemaskGt, WORD, false, (20, 20)), (R::DynamicSmemSize, WORD, false, (41, 20)),
    (R::TotalSmemSize, WORD, false, (41, 20)), (R::AggrSmemSize, WORD, false, (81, 90)),
    (R::CurrentGraphExec, LONG, false, (80, 50)),
    (R::ReservedSmemOffsetBegin, WORD, false, (76, 80)),
    (R::ReservedSmemOffsetEnd, WORD, false, (76, 80)),
    (R::ReservedSmemOffsetCap, WORD, false, (76, 80)),
    (R::ReservedSmemOffset0, WORD, false, (76, 80)),
    (R::ReservedSmemOffset1, WORD, false, (76, 80)),
];

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
    let &(_, types, is_vector, since) = TABLE.iter().find(|row| row.0 == reg)?;
    Some(Special { kind: SpecialKind::Register(reg), types, is_vector, since })
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
