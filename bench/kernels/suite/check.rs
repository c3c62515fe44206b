//! Compares results with expected ones.

use super::Data;

/// How a buffer is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Check {
    /// Not compared: temporary memory between launches.
    Scratch,
    /// Bit-exact.
    Equal,
    /// Each element within an absolute and a relative tolerance.
    Close(f64, f64),
    /// Exact except for this share of the elements: rounding decides when a loop ends.
    Mostly(f64),
}

fn numbers(data: &Data) -> Vec<f64> {
    match data {
        Data::U8(all) => all.iter().map(|&v| f64::from(v)).collect(),
        Data::U32(all) => all.iter().map(|&v| f64::from(v)).collect(),
        Data::F32(all) => all.iter().map(|&v| f64::from(v)).collect(),
        Data::F64(all) => all.clone(),
    }
}

/// Describes the differences of the results.
pub(crate) fn differences(
    name: &str,
    check: Check,
    found: &Data,
    expected: &Data,
) -> Option<String> {
    let (found, expected) = (numbers(found), numbers(expected));
    if found.len() != expected.len() {
        return Some(format!("{name}: {} elements and not {}", found.len(), expected.len()));
    }
    let is_wrong = |found: f64, expected: f64| match check {
        Check::Scratch => false,
        Check::Equal | Check::Mostly(_) => found != expected,
        Check::Close(absolute, relative) => {
            let is_close = (found - expected).abs() <= absolute + relative * expected.abs();
            // Negated, so that NaN differs.
            !is_close
        }
    };
    let wrong = || (0..found.len()).filter(|&i| is_wrong(found[i], expected[i]));
    let allowed = match check {
        Check::Mostly(share) => (share * found.len() as f64) as usize,
        _ => 0,
    };
    let (count, first) = (wrong().count(), wrong().next()?);
    (count > allowed).then(|| {
        let (found, expected) = (found[first], expected[first]);
        format!("{name}: {count} elements are wrong; [{first}] is {found} and not {expected}")
    })
}
