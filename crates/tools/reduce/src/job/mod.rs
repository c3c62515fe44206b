//! Reduces a job: fewer threads, fewer keys, smaller numbers, smaller contents. Each function makes
//! attempts in a search, and returns whether any succeeded.

pub(crate) mod contents;
mod path;

use crate::case::Case;
use crate::search::Search;
use path::{Path, keys, numbers};
use toml::{Table, Value};

/// Keys without which a job is invalid.
const NEEDED: [&str; 4] = ["ptx", "kernel", "grid", "block"];

/// Reduces the numbers of CTAs and threads, which makes all later attempts faster.
pub(crate) fn shape(search: &mut Search<'_>) -> bool {
    search.step("grid and block");
    let Some(job) = search.best().job.clone() else { return false };
    let mut changed = false;
    for key in ["grid", "block"] {
        let place = Path::of(&[key]);
        changed |= lower(search, &place, 1);
        // The last axis is tried first, because it is most likely to be unnecessary.
        for axis in (0..job.get(key).and_then(Value::as_array).map_or(0, Vec::len)).rev() {
            changed |= lower(search, &place.item(axis), 1);
        }
    }
    changed
}

/// Applies each reduction of a job once; returns whether any succeeded.
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

/// Replaces `%tid` and `%ctaid` by the number of the last thread and CTA. The launch has been
/// shrunk to the failing thread, which is therefore the last one; afterwards it may be the only
/// one.
fn last_thread(search: &mut Search<'_>) -> bool {
    search.step("thread numbers");
    let mut changed = false;
    for (key, register) in [("block", "%tid"), ("grid", "%ctaid")] {
        for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
            let base = search.best().clone();
            let count = match base.job.as_ref().and_then(|job| job.get(key)) {
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

/// Removes optional keys of the job, so that their defaults apply.
fn entries(search: &mut Search<'_>) -> bool {
    search.step("keys of the job");
    let base = search.best().clone();
    let job = base.job.clone().unwrap_or_default();
    let places = keys(&job);
    let needed = |place: &Path| place.is_top() && NEEDED.iter().any(|key| place.ends_in(key));
    let places: Vec<Path> = places.into_iter().filter(|place| !needed(place)).collect();
    search.subsets(places.len(), |gone| {
        let mut job = job.clone();
        // Removing a table has removed its inner keys already, so that removing these has no
        // effect.
        for (place, _) in places.iter().zip(gone).filter(|(_, gone)| **gone) {
            place.remove(&mut job);
        }
        base.with_job(job)
    })
}

/// Reduces all numbers of the job except those of long lists, which are contents.
fn all_numbers(search: &mut Search<'_>) -> bool {
    search.step("numbers of the job");
    let job = search.best().job.clone().unwrap_or_default();
    numbers(&job).iter().fold(false, |changed, place| lower(search, place, 0) | changed)
}

/// Reduces the number at a path in the job, but not below `least`.
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
