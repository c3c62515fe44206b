//! What can be taken away from a job.

pub(crate) mod contents;
mod path;

use crate::case::Case;
use crate::search::Search;
use path::{Path, keys, numbers};
use toml::{Table, Value};

/// What every job must have.
const NEEDED: [&str; 4] = ["ptx", "kernel", "grid", "block"];

/// Fewer CTAs and threads, which makes every attempt quicker.
pub(crate) fn shape(search: &mut Search<'_>) -> bool {
    search.step("grid and block");
    let Some(job) = search.best().job.clone() else { return false };
    let mut changed = false;
    for key in ["grid", "block"] {
        let axes = match job.get(key) {
            Some(Value::Array(axes)) => axes.len(),
            _ => 0,
        };
        let places: Vec<Path> = match axes {
            0 => vec![Path::of(&[key])],
            // The last axis first: it is the one that a kernel has no use for, most likely.
            _ => (0..axes).rev().map(|n| Path::of(&[key]).item(n)).collect(),
        };
        for place in places {
            changed |= lower(search, &place, 1);
        }
    }
    changed
}

/// Goes once through all that can be made smaller.
pub(crate) fn round(search: &mut Search<'_>) -> bool {
    if search.best().job.is_none() {
        return false;
    }
    let mut changed = shape(search);
    changed |= last_thread(search);
    changed |= entries(search);
    changed |= all_numbers(search);
    changed |= contents::smaller(search);
    changed
}

/// Numbers in place of `%tid` and `%ctaid`: there are no more threads than it takes, so that it is the last one
/// that is needed, which then may be the only one.
fn last_thread(search: &mut Search<'_>) -> bool {
    search.step("thread numbers");
    let mut changed = false;
    for (key, register) in [("block", "%tid"), ("grid", "%ctaid")] {
        for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
            let base = search.best().clone();
            let shape = base.job.as_ref().and_then(|job| job.get(key));
            let count = match shape {
                Some(Value::Array(axes)) => axes.get(axis).and_then(Value::as_integer),
                Some(Value::Integer(count)) if axis == 0 => Some(*count),
                _ => None,
            };
            let name = format!("{register}.{letter}");
            let last = count.unwrap_or(1) - 1;
            changed |= search.attempt(base.with_ptx(base.ptx.replace(&name, &last.to_string())));
        }
    }
    changed
}

/// Takes keys away: what they say becomes what is so without them.
fn entries(search: &mut Search<'_>) -> bool {
    search.step("keys of the job");
    let base = search.best().clone();
    let job = base.job.clone().unwrap_or_default();
    let places = keys(&job);
    let needed = |place: &Path| place.is_top() && NEEDED.iter().any(|key| place.ends_in(key));
    let places: Vec<Path> = places.into_iter().filter(|place| !needed(place)).collect();
    search.subsets(places.len(), |gone| {
        let mut job = job.clone();
        // Inner keys are gone with the tables around them.
        for (place, _) in places.iter().zip(gone).filter(|(_, gone)| **gone) {
            place.remove(&mut job);
        }
        base.with_job(job)
    })
}

/// Lowers all numbers, but those of long lists, which are contents.
fn all_numbers(search: &mut Search<'_>) -> bool {
    search.step("numbers of the job");
    let job = search.best().job.clone().unwrap_or_default();
    let mut changed = false;
    for place in numbers(&job) {
        changed |= lower(search, &place, 0);
    }
    changed
}

/// Lowers the number at a place.
fn lower(search: &mut Search<'_>, place: &Path, least: i64) -> bool {
    let base = search.best().clone();
    let Some(job) = &base.job else { return false };
    let Some(from) = place.get(job).and_then(Value::as_integer) else { return false };
    search.lower(least, from, |n| Some(with(&base, job, place, Value::from(n))))
}

fn with(base: &Case, job: &Table, place: &Path, value: Value) -> Case {
    let mut job = job.clone();
    if let Some(old) = place.get_mut(&mut job) {
        *old = value;
    }
    base.with_job(job)
}
