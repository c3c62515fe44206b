//! What an access of a warp costs, by the addresses of its lanes: sectors, wavefronts, addresses.
//!
//! * Global memory moves in sectors of 32 bytes (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory").
//! * Shared memory has 32 banks of 4 bytes; lanes at one word are served together (CUDA C++ Programming Guide, "Shared
//!   Memory"). Accesses of 8 bytes a lane are made for half warps, those of 16 bytes for quarters.
//! * Local memory is laid out so that the same 4-byte word of consecutive threads lies side by side (CUDA C++ Programming
//!   Guide, "Local Memory").
//!
//! Nearly all accesses of real kernels have addresses that do not fall from lane to lane; these are counted in one pass, and
//! others are sorted first.

/// Addresses of the lanes of a warp.
pub type Addresses = [u64; 32];

/// Bytes of a sector.
pub const SECTOR: u64 = 32;
/// Bytes of a word of a bank.
const WORD: u64 = 4;
/// Banks of shared memory.
const BANKS: u64 = 32;

/// Sectors of an access, and those that its different bytes would fill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// Sectors that are touched.
    pub touched: u64,
    /// Sectors for the same bytes side by side.
    pub ideal: u64,
}

/// Passes over the banks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Passes that are made.
    pub made: u64,
    /// Passes without conflicts.
    pub ideal: u64,
}

/// How lanes share addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Different addresses.
    pub addresses: u64,
    /// Lanes at the most frequent one.
    pub most: u64,
}

/// Addresses of the lanes that take part, in ascending order.
#[inline]
fn ascending(addresses: &Addresses, lanes: u32) -> ([u64; 32], usize) {
    let mut all = *addresses;
    let mut count = 32;
    if lanes != u32::MAX {
        count = 0;
        let mut rest = lanes;
        while rest != 0 {
            all[count] = addresses[rest.trailing_zeros() as usize];
            count += 1;
            rest &= rest - 1;
        }
    }
    // Without a branch for each pair, so that several are compared at once.
    let falls = all[..count].windows(2).fold(false, |any, pair| any | (pair[0] > pair[1]));
    if falls {
        all[..count].sort_unstable();
    }
    (all, count)
}

/// The sectors of global memory that lanes touch with so many bytes each.
#[inline]
pub fn sectors(addresses: &Addresses, lanes: u32, bytes: u32) -> Sectors {
    let bytes = u64::from(bytes.max(1));
    let first = addresses[0];
    if lanes == u32::MAX {
        let is_row = (0_u64..32)
            .zip(addresses)
            .fold(true, |all, (i, &at)| all & (at == first.wrapping_add(i * bytes)));
        if is_row {
            let all = 32 * bytes;
            return Sectors {
                touched: (first % SECTOR + all).div_ceil(SECTOR),
                ideal: all.div_ceil(SECTOR),
            };
        }
    }
    let (all, count) = ascending(addresses, lanes);
    // The first sector that has not been counted yet, and the first byte.
    let (mut touched, mut different, mut next, mut free) = (0, 0, 0, 0);
    for &at in &all[..count] {
        let (begin, end) = (at / SECTOR, (at.saturating_add(bytes - 1)) / SECTOR + 1);
        touched += end.saturating_sub(begin.max(next));
        next = next.max(end);
        let last = at.saturating_add(bytes);
        different += last.saturating_sub(at.max(free));
        free = free.max(last);
    }
    Sectors { touched, ideal: different.div_ceil(SECTOR) }
}

/// The passes over the banks of shared memory for lanes with so many bytes each.
#[inline]
pub fn wavefronts(addresses: &Addresses, lanes: u32, bytes: u32) -> Wavefronts {
    let group = match bytes {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    };
    let words = u64::from(bytes).div_ceil(WORD).max(1);
    let mut all = Wavefronts::default();
    for first in (0..32).step_by(group) {
        let mask = (u64::MAX >> (64 - group)) as u32;
        let own = lanes >> first & mask;
        if own != 0 {
            all.ideal += (words * group as u64).div_ceil(BANKS);
            all.made += passes(addresses, own << first, words);
        }
    }
    all
}

/// The most different words that one bank is asked for.
fn passes(addresses: &Addresses, lanes: u32, words: u64) -> u64 {
    let (all, count) = ascending(addresses, lanes);
    let (first, last) = (all[0] / WORD, all[count - 1] / WORD + words);
    if last - first <= BANKS {
        // No two words of one bank.
        return 1;
    }
    let mut of_bank = [0_u8; BANKS as usize];
    let (mut next, mut most) = (0, 1);
    for &at in &all[..count] {
        let begin = at / WORD;
        for word in begin.max(next)..begin + words {
            let bank = &mut of_bank[(word % BANKS) as usize];
            *bank += 1;
            most = most.max(*bank);
        }
        next = next.max(begin + words);
    }
    u64::from(most)
}

/// The sectors of local memory that lanes touch with so many bytes each at these offsets.
pub fn local_sectors(offsets: &Addresses, lanes: u32, bytes: u32) -> Sectors {
    let words = u64::from(bytes).div_ceil(WORD).max(1);
    let mut touched: Vec<u64> = Vec::with_capacity(32);
    for lane in (0..32_u64).filter(|lane| lanes >> lane & 1 == 1) {
        let word = offsets[lane as usize] / WORD;
        // 8 lanes have their words in one sector.
        touched.extend((word..word.saturating_add(words)).map(|word| word * 4 + lane / 8));
    }
    touched.sort_unstable();
    touched.dedup();
    let all = u64::from(lanes.count_ones()) * u64::from(bytes);
    Sectors { touched: touched.len() as u64, ideal: all.div_ceil(SECTOR) }
}

/// How many different addresses lanes have, and how many of them are at the same one.
pub fn sharing(addresses: &Addresses, lanes: u32) -> Sharing {
    let (all, count) = ascending(addresses, lanes);
    let runs = all[..count].chunk_by(|a, b| a == b).map(<[u64]>::len);
    let (addresses, most) = runs.fold((0, 0), |(n, most), run| (n + 1, most.max(run as u64)));
    Sharing { addresses, most }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(f: impl Fn(u64) -> u64) -> Addresses {
        std::array::from_fn(|lane| f(lane as u64))
    }

    /// The same by sets.
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
            let (base, step, spread) =
                (random.u64() >> 40, random.below(9_u32), random.below(400_u32));
            let addresses = at(|lane| {
                base + lane * u64::from(step * bytes) + lane * lane % u64::from(spread + 1)
            });
            let lanes = if random.one_in(3) { u32::MAX } else { random.u32() | 1 };
            assert_eq!(sectors(&addresses, lanes, bytes), counted(&addresses, lanes, bytes));
        }
    }

    #[test]
    fn words_of_one_bank_are_passes() {
        let made = |f: &dyn Fn(u64) -> u64, bytes| wavefronts(&at(f), u32::MAX, bytes);
        assert_eq!(made(&|lane| 4 * lane, 4), Wavefronts { made: 1, ideal: 1 });
        assert_eq!(made(&|_| 64, 4), Wavefronts { made: 1, ideal: 1 });
        assert_eq!(made(&|lane| 8 * lane, 4), Wavefronts { made: 2, ideal: 1 });
        assert_eq!(made(&|lane| 128 * lane, 4), Wavefronts { made: 32, ideal: 1 });
        assert_eq!(made(&|lane| 132 * lane, 4), Wavefronts { made: 1, ideal: 1 });
        assert_eq!(made(&|lane| 8 * lane, 8), Wavefronts { made: 2, ideal: 2 });
        assert_eq!(made(&|lane| 16 * lane, 16), Wavefronts { made: 4, ideal: 4 });
        assert_eq!(made(&|lane| 32 * lane, 16), Wavefronts { made: 8, ideal: 4 });
        assert_eq!(made(&|lane| lane, 1), Wavefronts { made: 1, ideal: 1 });
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
}
