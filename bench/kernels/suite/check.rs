//! Compares the buffers that kernels have written with the expected contents.

use super::Data;

/// How the contents of a buffer are compared with the expected ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Check {
    /// The buffer is not compared, since it is temporary memory between launches.
    Scratch,
    /// All elements must be bit-exact.
    Equal,
    /// Each element must be within an absolute and a relative tolerance.
    Close(f64, f64),
    /// All elements must be exact except for this share of them, in kernels where rounding decides
    /// when a loop ends.
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

/// Describes how the contents of a buffer differ from the expected ones; `None` if they pass the
/// check.
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
            // The comparison is negated, so that NaN counts as different.
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
