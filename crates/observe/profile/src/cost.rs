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

/// Number of sectors that an access touches, and the minimum for the same number of distinct bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// Sectors that the access touches.
    pub touched: u64,
    /// Sectors that would suffice if the bytes were contiguous.
    pub ideal: u64,
}

/// The passes (wavefronts) over the shared memory banks that an access needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Passes that the access needs.
    pub made: u64,
    /// Passes that would suffice without bank conflicts.
    pub ideal: u64,
}

/// How the lanes of an access share addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Number of distinct addresses.
    pub addresses: u64,
    /// Number of lanes at the most frequent address.
    pub most: u64,
}

/// The numbers of the elements that the lanes access, counted from a base address that is a
/// multiple of the size of all banks together.
#[derive(Clone, Copy)]
struct Elements {
    numbers: [u32; 32],
    lanes: u32,
}

/// Distance from the base address up to the first active lane's address.
const BELOW: u64 = 1 << 30;
/// The number of an inactive lane, which no element has.
const NONE: u32 = u32::MAX;
/// Maximum range of words for which a bit set is used.
const MOST: usize = 4096;

impl Elements {
    /// The lanes' elements of `bytes` bytes; `None` unless all are aligned and close to each other.
    #[inline(always)]
    fn of(addresses: &Addresses, lanes: u32, bytes: u32) -> Option<Self> {
        let bytes = u64::from(bytes);
        if !bytes.is_power_of_two() || bytes > SECTOR || lanes == 0 {
            return None;
        }
        let first = addresses[lanes.trailing_zeros() as usize & 31];
        let base = (first & !(BANKS * WORD - 1)).wrapping_sub(BELOW);
        let shift = bytes.trailing_zeros();
        let (mut numbers, mut bits) = ([0; 32], 0);
        for (lane, (number, at)) in numbers.iter_mut().zip(addresses).enumerate() {
            let offset = at.wrapping_sub(base);
            let wrong = offset & (bytes - 1) | offset & !(2 * BELOW - 1);
            bits |= wrong & 0_u64.wrapping_sub(u64::from(lanes >> lane & 1));
            *number = offset as u32 >> shift;
        }
        (bits == 0).then_some(Self { numbers, lanes })
    }

    /// Converts the elements to larger elements of 2^`shift` elements each, such as words to
    /// sectors; returns the numbers of the larger elements that the lanes access.
    #[inline(always)]
    fn larger(&self, shift: u32) -> Self {
        let mut larger = *self;
        larger.numbers.iter_mut().for_each(|number| *number >>= shift);
        larger
    }

    /// The largest multiple of the number of banks that is no larger than any element's number, and
    /// the distance from it to the largest number.
    #[inline(always)]
    fn span(&self) -> (u32, u32) {
        let (mut least, mut most) = (NONE, 0);
        for (low, high) in self.of_others(NONE).into_iter().zip(self.of_others(0)) {
            (least, most) = (least.min(low), most.max(high));
        }
        least &= !(BANKS as u32 - 1);
        (least, most - least)
    }

    /// The number of distinct elements, and of distinct larger elements of 2^`shift` elements.
    #[inline(always)]
    fn different(&self, shift: u32) -> (u64, u64) {
        // Most scattered accesses are by lanes in ascending order of addresses, for which comparing
        // neighbours is enough.
        let numbers = self.of_active();
        let mut before = [numbers[0]; 32];
        before[1..].copy_from_slice(&numbers[..31]);
        let (mut falls, mut elements, mut larger) = (0, 1, 1);
        for (&number, &before) in numbers.iter().zip(&before) {
            falls |= u32::from(number < before);
            elements += u32::from(number != before);
            larger += u32::from(number >> shift != before >> shift);
        }
        if falls == 0 {
            return (elements.into(), larger.into());
        }
        let larger = self.larger(shift).compared().addresses;
        // If no two lanes share a larger element, no two lanes share an element.
        let is_apart = larger == u64::from(self.lanes.count_ones());
        (if is_apart { larger } else { self.compared().addresses }, larger)
    }

    /// The number of distinct elements, and of lanes at the most frequent one; each lane is
    /// compared with the lanes before it.
    #[inline(always)]
    fn compared(&self) -> Sharing {
        let numbers = self.of_others(NONE);
        let mut before = [NONE; 64];
        before[32..].copy_from_slice(&numbers);
        let mut again = [0; 32];
        for distance in 1..32 {
            for lane in 0..32 {
                again[lane] += u32::from(before[lane + 32 - distance] == numbers[lane]);
            }
        }
        let (mut new, mut most) = (0, 0);
        for (lane, &again) in again.iter().enumerate() {
            let is_on = self.lanes >> lane & 1;
            new += is_on & u32::from(again == 0);
            most = most.max(is_on * again);
        }
        Sharing { addresses: new.into(), most: u64::from(most) + 1 }
    }

    /// The element numbers of the active lanes in lane order; the last number is repeated.
    #[inline(always)]
    fn of_active(&self) -> [u32; 32] {
        if self.lanes == u32::MAX {
            return self.numbers;
        }
        let last = 31 - (self.lanes.leading_zeros() & 31);
        let mut numbers = [self.numbers[last as usize]; 32];
        for (to, lane) in numbers.iter_mut().zip(texunit_unit::lanes(self.lanes)) {
            *to = self.numbers[lane & 31];
        }
        numbers
    }

    /// The element numbers of all lanes, with `other` for inactive lanes.
    #[inline(always)]
    fn of_others(&self, other: u32) -> [u32; 32] {
        let mut numbers = self.numbers;
        for (lane, number) in numbers.iter_mut().enumerate() {
            *number = if self.lanes >> lane & 1 == 1 { *number } else { other };
        }
        numbers
    }

    /// The maximum number of distinct words that the lanes access in one bank.
    #[inline(always)]
    fn most_of_bank(&self) -> Option<u64> {
        let (least, most) = self.span();
        if most < 64 {
            // Most accesses are to neighbouring words. The loop has no branches, so that it is
            // vectorised.
            let mut bits = 0;
            for (lane, number) in self.numbers.iter().enumerate() {
                bits |= u64::from(self.lanes >> lane & 1) << (number.wrapping_sub(least) & 63);
            }
            return Some(1 + u64::from(bits as u32 & (bits >> 32) as u32 != 0));
        }
        if most as usize >= MOST {
            return None;
        }
        // A bit set of the accessed words.
        let mut bits = [0_u64; MOST / 64];
        for lane in texunit_unit::lanes(self.lanes) {
            let number = (self.numbers[lane] - least) as usize;
            bits[number / 64 % bits.len()] |= 1 << (number % 64);
        }
        let used = most as usize / 64 + 1;
        // The number of words of each bank as a binary counter: one vector of 32 bits for each
        // digit.
        let mut counts = [0_u64; 8];
        for &word in &bits[..used] {
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
    let near = Build::current().run(
        #[inline(always)]
        || {
            let elements = Elements::of(addresses, lanes, bytes as u32)?;
            let (different, touched) = elements.different((SECTOR / bytes).trailing_zeros());
            let ideal = (different * bytes).div_ceil(SECTOR);
            Some(Sectors { touched, ideal })
        },
    );
    if let Some(sectors) = near {
        return sectors;
    }
    let (all, count) = ascending(addresses, lanes);
    // `next` and `free` are the first sector and the first byte that are not counted yet.
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
        // The words span no more than the banks, so that all are in different banks.
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

/// The sectors of local memory that the active lanes access at `offsets`, with `bytes` bytes each.
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
    let near = Build::current().run(
        #[inline(always)]
        || {
            let elements = Elements::of(addresses, lanes, 1)?;
            Some(elements.compared())
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
