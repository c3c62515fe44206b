//! Compares two states.

use super::divergence::Warp;
use super::model::{Next, World, live};
use super::{Case, position};
use std::collections::{HashMap, HashSet};
use texunit_jit::VReg;
use texunit_jit::region::Mode;

/// The difference between two states: for lanes of the warp in registers that are live where the
/// lane is, for other lanes in all registers.
pub(crate) fn difference(case: &Case, warp: &Warp, a: &World, b: &World) -> Option<String> {
    let lanes = if case.mode == Mode::Live { case.mask } else { u32::MAX };
    let kept = case.region.blocks.iter().flat_map(|b| b.kept.iter().copied());
    let all: HashSet<VReg> = kept.collect();
    let mut known: HashMap<(usize, usize), HashSet<VReg>> = HashMap::new();
    let mut read_by = |lane: usize| {
        let at = match warp.place(lane) {
            Some(Next::At(b, i)) => Some((b, i)),
            Some(Next::Out(number)) => position(&case.region, number),
            _ => None,
        };
        let find = |at| known.entry(at).or_insert_with(|| live(&case.region, at)).clone();
        at.map_or_else(|| all.clone(), find)
    };
    let differs = |lane: usize, x: u64, y: u64| lanes >> lane & 1 != 0 && x != y;
    for lane in 0..32 {
        let read = read_by(lane);
        for (i, (x, y)) in a.narrow.iter().zip(&b.narrow).enumerate() {
            let dead = !read.contains(&VReg::B32(i as u32));
            if !dead && differs(lane, x[lane].into(), y[lane].into()) {
                return Some(format!("narrow {i}, lane {lane}: {:#x}, {:#x}", x[lane], y[lane]));
            }
        }
        for (i, (x, y)) in a.wide.iter().zip(&b.wide).enumerate() {
            let dead = !read.contains(&VReg::B64(i as u32));
            if !dead && differs(lane, x[lane], y[lane]) {
                return Some(format!("wide {i}, lane {lane}: {:#x}, {:#x}", x[lane], y[lane]));
            }
        }
        for (i, (x, y)) in a.predicates.iter().zip(&b.predicates).enumerate() {
            let dead = !read.contains(&VReg::Predicate(i as u32));
            if !dead && differs(lane, u64::from(x >> lane & 1), u64::from(y >> lane & 1)) {
                return Some(format!("predicate {i}, lane {lane}: {x:#x}, {y:#x}"));
            }
        }
    }

    for (i, (x, y)) in a.local.iter().zip(&b.local).enumerate() {
        if let Some(lane) = (0..32).find(|&lane| differs(lane, x[lane].into(), y[lane].into())) {
            return Some(format!("local {i}, lane {lane}: {:#x}, {:#x}", x[lane], y[lane]));
        }
    }
    if a.shared != b.shared {
        return Some("shared memory".to_owned());
    }
    if (0..2).any(|i| a.bytes(i) != b.bytes(i)) {
        return Some("global memory".to_owned());
    }
    if a.notified != b.notified {
        return Some(format!("heard: {:?}, {:?}", a.notified, b.notified));
    }
    let counts = |w: &World| (w.steps, w.threads, w.zeros, w.counts.clone());
    (counts(a) != counts(b)).then(|| format!("counts: {:?}, {:?}", counts(a), counts(b)))
}
