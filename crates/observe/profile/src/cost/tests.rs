//! Compares costs with counts from sets of bytes and words.

use super::*;

fn at(mut f: impl FnMut(u64) -> u64) -> Addresses {
    std::array::from_fn(|lane| f(lane as u64))
}

/// Sectors counted by sets.
fn counted(addresses: &Addresses, lanes: u32, bytes: u32) -> Sectors {
    let all: std::collections::BTreeSet<u64> = (0..32)
        .filter(|lane| lanes >> lane & 1 == 1)
        .flat_map(|lane| (0..u64::from(bytes)).map(move |byte| addresses[lane] + byte))
        .collect();
    let sectors: std::collections::BTreeSet<u64> = all.iter().map(|at| at / 32).collect();
    Sectors { touched: sectors.len() as u64, ideal: (all.len() as u64).div_ceil(32) }
}

#[test]
fn sectors_are_those_of_the_bytes() {
    let mut random = texunit_testkit::Random::new(7);
    for _ in 0..2000 {
        let bytes = 1_u32 << random.below(5_u32);
        let (base, step, spread) = (random.u64() >> 40, random.below(9_u32), random.below(400_u32));
        let addresses =
            at(|lane| base + lane * u64::from(step * bytes) + lane * lane % u64::from(spread + 1));
        let lanes = if random.one_in(3) { u32::MAX } else { random.u32() | 1 };
        assert_eq!(sectors(&addresses, lanes, bytes), counted(&addresses, lanes, bytes));
    }
}

#[test]
fn passes_are_those_of_words_by_bank() {
    let mut random = texunit_testkit::Random::new(8);
    for _ in 0..2000 {
        let bytes = 1_u32 << random.below(3_u32);
        let (base, most) = (random.u64() >> 50, 1 + random.below(300_u64));
        let addresses = at(|_| u64::from(bytes) * (base + random.below(most)));
        let lanes = if random.one_in(3) { u32::MAX } else { random.u32() | 1 };
        let on = (0..32).filter(|lane| lanes >> lane & 1 == 1);
        let words: std::collections::BTreeSet<u64> =
            on.clone().map(|lane| addresses[lane] / 4).collect();
        let of = |bank| words.iter().filter(|&&word| word % 32 == bank).count() as u64;
        let made = (0..32).map(of).max().unwrap();
        assert_eq!(wavefronts(&addresses, lanes, bytes), Wavefronts { made, ideal: 1 });
        let at = |address| on.clone().filter(|&lane| addresses[lane] == address).count() as u64;
        let all: std::collections::BTreeSet<u64> = on.clone().map(|lane| addresses[lane]).collect();
        let most = all.iter().map(|&address| at(address)).max().unwrap();
        assert_eq!(sharing(&addresses, lanes), Sharing { addresses: all.len() as u64, most });
    }
}

#[test]
fn words_of_one_bank_are_passes() {
    // Distance of the lanes and bytes of each, and the wavefronts.
    let strides = [(4, 4), (0, 4), (8, 4), (128, 4), (132, 4), (8, 8), (16, 16), (32, 16), (1, 1)];
    let made = strides.map(|(stride, bytes)| {
        let all = wavefronts(&at(|lane| 64 + stride * lane), u32::MAX, bytes);
        (all.made, all.ideal)
    });
    assert_eq!(made, [(1, 1), (1, 1), (2, 1), (32, 1), (1, 1), (2, 2), (4, 4), (8, 4), (1, 1)]);
}

#[test]
fn local_words_of_neighbours_share_sectors() {
    let all = |f: &dyn Fn(u64) -> u64, bytes| local_sectors(&at(f), u32::MAX, bytes).touched;
    assert_eq!(all(&|_| 16, 4), 4);
    assert_eq!(all(&|_| 16, 16), 16);
    assert_eq!(all(&|lane| 4 * lane, 4), 32);
    assert_eq!(local_sectors(&at(|_| 0), 0xff, 4), Sectors { touched: 1, ideal: 1 });
}

#[test]
fn lanes_at_one_address_come_one_after_the_other() {
    assert_eq!(sharing(&at(|_| 4), 0xffff), Sharing { addresses: 1, most: 16 });
    assert_eq!(sharing(&at(|lane| lane % 8), u32::MAX), Sharing { addresses: 8, most: 4 });
}
