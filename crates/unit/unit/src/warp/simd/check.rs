//! A helper of tests, which runs a stage on numbers in every build.

#![allow(clippy::unwrap_used)]

use super::{Stage, arguments, pick};
use crate::request::Lanes;
use crate::warp::build::Build;

/// The arguments of a test stage, which converts 32 numbers to 32 others.
pub(in crate::warp) struct Numbers<'a> {
    pub(in crate::warp) from: &'a Lanes,
    pub(in crate::warp) to: &'a mut Lanes,
}

arguments!(pub(in crate::warp) NumberArgs = Numbers);

/// Runs a stage on all numbers of an iterator, in every build, and compares its results with the
/// expected ones.
pub(in crate::warp) fn check<K: Stage<NumberArgs>>(
    numbers: impl Iterator<Item = u32> + Clone,
    want: impl Fn(u32) -> u32,
) {
    for build in Build::all() {
        let stage = pick::<NumberArgs, K>(build);
        let mut numbers = numbers.clone().peekable();
        while numbers.peek().is_some() {
            let first = numbers.next().unwrap();
            let mut next = |n| if n == 0 { first } else { numbers.next().unwrap_or(first) };
            let from: Lanes = std::array::from_fn(&mut next);
            let mut to = [0; 32];
            stage.call(Numbers { from: &from, to: &mut to });
            for lane in 0..32 {
                let (from, to) = (from[lane], to[lane]);
                assert_eq!(to, want(from), "{build:?} {from:#x}");
            }
        }
    }
}
