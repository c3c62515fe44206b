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
//!
//! Nearly all accesses consist of aligned elements with a power of two of bytes. Their element
//! numbers are compared in vector registers; other accesses are sorted first.

use texunit_unit::Build;

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

/// Element numbers of the lanes, relative to a base below the first, and the largest number of an
/// active lane.
struct Elements {
    numbers: [u32; 32],
    last: u32,
    lanes: u32,
}

/// Maximum range of element numbers for the bit set.
const MOST: usize = 4096;

impl Elements {
    /// Elements of `bytes` bytes, if all are aligned and their range is small enough.
    #[inline(always)]
    fn of(addresses: &Addresses, lanes: u32, bytes: u32) -> Option<Self> {
        let bytes = u64::from(bytes);
        if !bytes.is_power_of_two() || bytes > SECTOR || lanes == 0 {
            return None;
        }
        let on = |lane: usize| lanes >> lane & 1 == 1;
        let (mut bits, mut least, mut most) = (0, u64::MAX, 0);
        for (lane, &at) in addresses.iter().enumerate() {
            bits |= if on(lane) { at } else { 0 };
            least = least.min(if on(lane) { at } else { u64::MAX });
            most = most.max(if on(lane) { at } else { 0 });
        }
        // The base is aligned to sectors and to rows of banks.
        let first = least & !(BANKS * WORD - 1);
        let last = u32::try_from(most.wrapping_sub(first)).ok().filter(|&last| last != u32::MAX)?;
        let shift = bytes.trailing_zeros();
        // A loop instead of `map`, which would be compiled without the vector instructions and
        // called.
        let mut numbers = [0; 32];
        for (number, at) in numbers.iter_mut().zip(addresses) {
            *number = (at.wrapping_sub(first) >> shift) as u32;
        }
        (bits & (bytes - 1) == 0).then_some(Self { numbers, last: last >> shift, lanes })
    }

    /// Converts the elements to larger ones of 2^`shift` elements each, such as words to sectors;
    /// returns the numbers of the larger elements that the lanes access.
    #[inline(always)]
    fn larger(&self, shift: u32) -> Self {
        let mut larger = Self { last: self.last >> shift, ..*self };
        larger.numbers.iter_mut().for_each(|number| *number >>= shift);
        larger
    }

    /// A bit set of the numbers, in words of 64 bits.
    #[inline(always)]
    fn bits(&self) -> Option<[u64; MOST / 64]> {
        if self.last as usize >= MOST {
            return None;
        }
        let mut bits = [0; MOST / 64];
        for lane in texunit_unit::lanes(self.lanes) {
            let number = self.numbers[lane] as usize;
            bits[number / 64 % bits.len()] |= 1 << (number % 64);
        }
        Some(bits)
    }

    /// Number of distinct numbers.
    #[inline(always)]
    fn different(&self) -> u64 {
        if let Some(bits) = self.bits() {
            let words = &bits[..=self.last as usize / 64];
            return words.iter().map(|word| u64::from(word.count_ones())).sum();
        }
        // Inactive lanes get the number of an active one.
        let numbers = self.of_others(self.numbers[self.lanes.trailing_zeros() as usize & 31]);
        let mut before = [self.last.wrapping_add(1); 64];
        before[32..].copy_from_slice(&numbers);
        let mut again = [0; 32];
        for distance in 1..32 {
            for lane in 0..32 {
                again[lane] |= u32::from(before[lane + 32 - distance] == numbers[lane]);
            }
        }
        32 - again.iter().map(|&again| u64::from(again)).sum::<u64>()
    }

    /// The numbers, with `other` for inactive lanes.
    #[inline(always)]
    fn of_others(&self, other: u32) -> [u32; 32] {
        let mut numbers = self.numbers;
        for (lane, number) in numbers.iter_mut().enumerate() {
            *number = if self.lanes >> lane & 1 == 1 { *number } else { other };
        }
        numbers
    }

    /// The maximum number of lanes with the same number; lanes are compared with those at each
    /// distance, in vectors.
    #[inline(always)]
    fn most(&self) -> u64 {
        let numbers = self.of_others(self.last.wrapping_add(1));
        let mut twice = [0; 64];
        twice[..32].copy_from_slice(&numbers);
        twice[32..].copy_from_slice(&numbers);
        let mut alike = [1_u32; 32];
        for distance in 1..32 {
            for lane in 0..32 {
                alike[lane] += u32::from(twice[lane + distance] == numbers[lane]);
            }
        }
        let of = |lane: usize| if self.lanes >> lane & 1 == 1 { alike[lane] } else { 0 };
        u64::from((0..32).fold(0, |most, lane| most.max(of(lane))))
    }

    /// The maximum number of distinct words in one bank.
    #[inline(always)]
    fn most_of_bank(&self) -> Option<u64> {
        let bits = self.bits()?;
        // The number of words of each bank as a binary counter: one vector of 32 bits for each
        // digit.
        let mut counts = [0_u64; 8];
        for &word in &bits[..=self.last as usize / 64] {
            for row in [word & u64::from(u32::MAX), word >> 32] {
                let mut carry = row;
                for count in &mut counts {
                    (carry, *count) = (carry & *count, carry ^ *count);
                }
            }
        }
        let (mut among, mut most) = (u64::from(u32::MAX), 0);
        for (i, count) in counts.iter().enumerate().rev() {
            if among & count != 0 {
                among &= count;
                most |= 1 << i;
            }
        }
        Some(most)
    }
}

/// Addresses of the active lanes in ascending order.
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
    // The loop has no early exit, so that it is vectorised.
    let falls = all[..count].windows(2).fold(false, |any, pair| any | (pair[0] > pair[1]));
    if falls {
        all[..count].sort_unstable();
    }
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
    let near = Build::current().run(
        #[inline(always)]
        || {
            let elements = Elements::of(addresses, lanes, bytes as u32)?;
            let touched = elements.larger((SECTOR / bytes).trailing_zeros()).different();
            // If each lane has a sector of its own, no two lanes share an element.
            let all = u64::from(lanes.count_ones());
            let different = if touched == all { all } else { elements.different() };
            let ideal = (different * bytes).div_ceil(SECTOR);
            Some(Sectors { touched, ideal })
        },
    );
    if let Some(sectors) = near {
        return sectors;
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
    let near = Build::current().run(
        #[inline(always)]
        || {
            let elements = Elements::of(addresses, lanes, bytes).filter(|_| words == 1)?;
            elements.larger((WORD as u32 / bytes).trailing_zeros()).most_of_bank()
        },
    );
    if let Some(made) = near {
        return Wavefronts { made, ideal: 1 };
    }
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
    for lane in (0..32_u64).filter(|lane| lanes >> lane & 1 == 1) {
        let word = offsets[lane as usize] / WORD;
        // The words of 8 lanes share a sector.
        touched.extend((word..word.saturating_add(words)).map(|word| word * 4 + lane / 8));
    }
    touched.sort_unstable();
    touched.dedup();
    let all = u64::from(lanes.count_ones()) * u64::from(bytes);
    Sectors { touched: touched.len() as u64, ideal: all.div_ceil(SECTOR) }
}

/// The number of distinct addresses, and the number of lanes at the most frequent one.
pub fn sharing(addresses: &Addresses, lanes: u32) -> Sharing {
    let near = Build::current().run(
        #[inline(always)]
        || {
            let elements = Elements::of(addresses, lanes, 1)?;
            Some(Sharing { addresses: elements.different(), most: elements.most() })
        },
    );
    if let Some(sharing) = near {
        return sharing;
    }
    let (all, count) = ascending(addresses, lanes);
    let runs = all[..count].chunk_by(|a, b| a == b).map(<[u64]>::len);
    let (addresses, most) = runs.fold((0, 0), |(n, most), run| (n + 1, most.max(run as u64)));
    Sharing { addresses, most }
}

#[cfg(test)]
mod tests;
