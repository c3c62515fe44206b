//! A model of the cost of accesses, by sets of sectors and words. Compiled code counts the cost
//! itself, or notifies the listener.

use std::collections::{BTreeMap, BTreeSet};
use texunit_jit::region::{Cost, Notification};
use texunit_testkit::Random;

/// Notifications with this number or a larger one belong to accesses with costs.
const FIRST: u32 = 1 << 16;
/// The first counter of costs.
pub(crate) const COUNTER: u32 = 4;
const OFFSETS: [u32; 4] = [0, 4, 64, u32::MAX - 15];

/// The notification of an access, whose number encodes its parameters.
fn of(number: u32) -> Notification {
    let bits = number - FIRST;
    let (bytes, banks) = (1 << (bits & 7), bits >> 3 & 1 == 1);
    let offset = OFFSETS[(bits >> 4) as usize & 3];
    let above = if banks { (24, 0) } else { (44, 7) };
    let cost = Some(Cost { counter: COUNTER, bytes, offset, above, banks });
    Notification { number, sources: 1, narrow: [banks; 4], cost }
}

/// A random access of shared or global memory.
pub(crate) fn any(random: &mut Random, banks: bool) -> Notification {
    of(FIRST + random.below(5_u32) + 8 * u32::from(banks) + 16 * random.below(4_u32))
}

/// The cost of an access whose notification the listener received, by the base addresses of its
/// lanes; `None` for other notifications.
pub(crate) fn cost_of_notification(number: u32, lanes: u32, rows: &[Vec<u64>]) -> Option<[u64; 3]> {
    let Cost { bytes, offset, banks, .. } =
        of(Some(number).filter(|&number| number >= FIRST)?).cost?;
    let lanes: Vec<usize> = (0..32).filter(|lane| lanes >> lane & 1 == 1).collect();
    let address = |&base: &u64| match banks {
        true => u64::from((base as u32).wrapping_add(offset)),
        false => base.wrapping_add(i64::from(offset as i32) as u64),
    };
    let bytes = u64::from(bytes);
    let each: BTreeMap<usize, u64> = lanes.into_iter().zip(rows[0].iter().map(address)).collect();
    let all = |group: std::ops::Range<usize>| -> BTreeSet<u64> {
        each.range(group).flat_map(|(_, &at)| (0..bytes).map(move |i| at.wrapping_add(i))).collect()
    };
    if !banks {
        let bytes = all(0..32);
        let sectors: BTreeSet<u64> = bytes.iter().map(|at| at / 32).collect();
        return Some([1, sectors.len() as u64, (bytes.len() as u64).div_ceil(32)]);
    }
    let group = (128 / bytes).min(32) as usize;
    let (mut made, mut least) = (0, 0);
    for first in (0..32).step_by(group) {
        let words: BTreeSet<u64> = all(first..first + group).iter().map(|at| at / 4).collect();
        let of_bank = |bank| words.iter().filter(|&&word| word % 32 == bank).count() as u64;
        made += (0..32).map(of_bank).max().unwrap_or(0);
        least += u64::from(!words.is_empty());
    }
    Some([1, made, least])
}

/// Adds a cost to the counters.
pub(crate) fn add(counters: &mut [u64], cost: [u64; 3]) {
    counters[COUNTER as usize..].iter_mut().zip(cost).for_each(|(sum, n)| *sum += n);
}
