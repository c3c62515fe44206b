//! Propagation rules of uninitialised bits through arithmetic operations, selected by operation
//! name.

use texunit_alu::Row;

/// How the shadow of a result follows from the shadows of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The operation moves bits: it is applied to the shadows of these sources, with the other
    /// sources as they are. If one of the others is uninitialised, the whole result is.
    Moves(&'static [usize]),
    /// Each bit depends on the bits at the same position.
    Each,
    And,
    Or,
    /// A bit depends on the bits at the same and lower positions.
    Upwards,
    /// Every bit depends on all bits of the sources.
    All,
}

/// The rule of an operation.
pub(super) fn rule(row: &Row) -> Rule {
    match row.name() {
        "And" | "And64" | "and.b16" => Rule::And,
        "Or" | "Or64" | "or.b16" => Rule::Or,
        "Xor" | "Xor64" | "xor.b16" | "Not" | "not.b16" | "not.b64" => Rule::Each,
        "Shl" | "ShrU" | "ShrS" | "Shl64" | "ShrU64" | "ShrS64" => Rule::Moves(&[0]),
        "shl.b16" | "shr.b16" | "shr.s16" => Rule::Moves(&[0]),
        "bfe.u32" | "bfe.s32" | "bfe.u64" | "bfe.s64" => Rule::Moves(&[0]),
        "brev.b32" | "brev.b64" => Rule::Moves(&[0]),
        "U8ToU32" | "U16ToU32" | "U32ToU64" | "S32ToS64" | "Low" | "High" => Rule::Moves(&[0]),
        "PackBytes" | "PackHalves" | "PackWords" => Rule::Moves(&[0, 1]),
        "ShfLWrap" | "ShfRWrap" | "shf.l.clamp.b32" | "shf.r.clamp.b32" => Rule::Moves(&[0, 1]),
        "bfi.b32" | "bfi.b64" => Rule::Moves(&[0, 1]),
        name if name.starts_with("prmt.") => Rule::Moves(&[0, 1]),
        name if is_plain_conversion(name) => Rule::Moves(&[0]),
        "Add" | "Sub" | "MulLo" | "MadLo" | "Neg" => Rule::Upwards,
        "Add64" | "Sub64" | "MulLo64" | "mad.lo.u64" | "neg.s64" => Rule::Upwards,
        _ => Rule::All,
    }
}

/// Whether an operation is a conversion between integers that extends or truncates.
fn is_plain_conversion(name: &str) -> bool {
    let is_integer = |word: &str| {
        let digits = word.strip_prefix(['u', 's', 'b']);
        digits.is_some_and(|digits| matches!(digits, "8" | "16" | "32" | "64"))
    };
    let mut words = name.split('.');
    words.next() == Some("cvt") && words.clone().count() == 2 && words.all(is_integer)
}

/// Whether the result consists of copied parts of the sources and is not computed. `amounts`: the
/// values of non-data sources that are constants.
pub(super) fn is_copy(row: &Row, amounts: &[Option<u64>]) -> bool {
    match rule(row) {
        Rule::Moves(_) if row.name().starts_with("sh") || row.name().starts_with("Sh") => {
            amounts.iter().all(|amount| amount.is_some_and(|amount| amount % 8 == 0))
        }
        Rule::Moves(_) | Rule::Or => true,
        Rule::And => amounts.iter().any(|mask| mask.is_some_and(is_bytes)),
        _ => false,
    }
}

/// Whether each byte of a mask is all zeros or all ones.
fn is_bytes(mask: u64) -> bool {
    mask.to_le_bytes().iter().all(|&byte| byte == 0 || byte == u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rules_are_names_of_rows() {
        assert!(is_plain_conversion("cvt.u32.s8") && is_plain_conversion("cvt.s64.u16"));
        assert!(!is_plain_conversion("cvt.rn.f32.u32") && !is_plain_conversion("cvt.sat.u8.s32"));
        assert!(is_bytes(0xff00) && is_bytes(0) && !is_bytes(0xf0));
        // An operation that was renamed would silently fall back to `All`.
        let named: Vec<_> = texunit_alu::all().iter().collect();
        let with = |wanted: Rule| named.iter().filter(|row| rule(row) == wanted).count();
        assert_eq!((with(Rule::And), with(Rule::Or), with(Rule::Each)), (3, 3, 6));
        assert_eq!(with(Rule::Upwards), 10);
        let moves = named.iter().filter(|row| matches!(rule(row), Rule::Moves(_))).count();
        assert!(moves >= 30, "{moves}");
    }
}
