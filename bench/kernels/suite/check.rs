//! Whether results are right.

use super::Data;

/// How a buffer is compared with what is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Check {
    /// Not at all: memory between two launches.
    Scratch,
    /// Equal.
    Equal,
    /// Each element within an absolute and a relative distance.
    Close(f64, f64),
    /// Equal but for this share of the elements: a float decides in a loop when it ends.
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

/// What is wrong with results, if anything is.
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
            // So a NaN is wrong.
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
