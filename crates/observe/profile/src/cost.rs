//! The memory cost of a warp's access, computed from the addresses of its lanes: sectors,
//! wavefronts, distinct addresses.
//!
//! * Global memory is transferred in sectors of 32 bytes (CUDA C++ Best Practices Guide, "Coalesced
//!   Access to Global Memory").
//! * Shared memory has 32 banks of 4 bytes; lanes that access the same word are served together
//!   (CUDA C++ Programming Guide, "Shared Memory"). Accesses of 8 bytes per lane are made by half
//!   warps, those of 16 bytes by quarter warps.
//! * Local memory is laid out so that the same 4-byte word of consecutive threads is contiguous
//!   (CUDA C++ Programming Guide, "Local Memory").

/// The addresses of a warp's lanes.
pub type Addresses = [u64; 32];

/// Bytes of a sector.
pub const SECTOR: u64 = 32;
/// Bytes of a bank's word.
const WORD: u64 = 4;
/// Number of shared memory banks.
const BANKS: u64 = 32;

/// Sectors of an access, and the minimum for the same number of distinct bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// Sectors that the access touches.
    pub touched: u64,
    /// Sectors that would suffice if the bytes were contiguous.
    pub ideal: u64,
}

/// Passes over the shared memory banks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Passes that the access needs.
    pub made: u64,
    /// Passes that would suffice without bank conflicts.
    pub ideal: u64,
}

/// How lanes share addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Number of distinct addresses.
    pub addresses: u64,
    /// Number of lanes at the most frequent address.
    pub most: u64,
}

/// Addresses of the active lanes in ascending order.
#[inline]
fn ascending(addresses: &Addresses, lanes: u32) -> ([u64; 32], usize) {
    let (mut all, mut count) = (*addresses, 0);
    for lane in texunit_unit::lanes(lanes) {
        all[count] = addresses[lane & 31];
        count += 1;
    }
    all[..count].sort_unstable();
    (all, count)
}

/// The sectors of global memory that the active lanes access, with `bytes` bytes each.
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
    // The first sector and the first byte that are not counted yet.
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

/// The passes over the shared memory banks for the active lanes, with `bytes` bytes each.
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

/// The maximum number of distinct words that are requested from one bank.
fn passes(addresses: &Addresses, lanes: u32, words: u64) -> u64 {
    let (all, count) = ascending(addresses, lanes);
    let (first, last) = (all[0] / WORD, all[count - 1] / WORD + words);
    if last - first <= BANKS {
        // All words are in different banks.
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

/// The sectors of local memory that the active lanes access at these offsets, with `bytes` bytes
/// each.
pub fn local_sectors(offsets: &Addresses, lanes: u32, bytes: u32) -> Sectors {
    let words = u64::from(bytes).div_ceil(WORD).max(1);
    let mut touched: Vec<u64> = Vec::with_capacity(32);
    for lane in texunit_unit::lanes(lanes) {
        let word = offsets[lane] / WORD;
        // The words of 8 lanes share a sector.
        touched.extend((word..word.saturating_add(words)).map(|word| word * 4 + lane as u64 / 8));
    }
    touched.sort_unstable();
    touched.dedup();
    let all = u64::from(lanes.count_ones()) * u64::from(bytes);
    Sectors { touched: touched.len() as u64, ideal: all.div_ceil(SECTOR) }
}

/// The number of distinct addresses, and the number of lanes at the most frequent one.
pub fn sharing(addresses: &Addresses, lanes: u32) -> Sharing {
    let (all, count) = ascending(addresses, lanes);
    let runs = all[..count].chunk_by(|a, b| a == b).map(<[u64]>::len);
    let (addresses, most) = runs.fold((0, 0), |(n, most), run| (n + 1, most.max(run as u64)));
    Sharing { addresses, most }
}

#[cfg(test)]
mod tests;
