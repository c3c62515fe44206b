//! How the addresses of an access's lanes are arranged, which decides how observers and compiled
//! code process them.

use texunit_alu::L64;
use texunit_unit::Build;

/// The arrangement of the addresses of an access's lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Consecutive lanes access consecutive memory; the address is that of lane 0, even if lane 0
    /// is not among the lanes.
    Row(u64),
    /// All lanes access this address.
    One(u64),
    /// Any other arrangement.
    Other,
}

impl Arrangement {
    /// The arrangement of the addresses of these lanes, each of which accesses `bytes` bytes.
    #[inline]
    pub fn of(addresses: &L64, lanes: u32, bytes: u32) -> Self {
        let compared = Build::current().run(
            #[inline(always)]
            || Self::compare(addresses, lanes, bytes),
        );
        Self::of_compared(compared, addresses, lanes, bytes)
    }

    /// The address of the first of these lanes, and the address that lane 0 would have if the lanes
    /// access consecutive memory.
    #[inline(always)]
    fn first(addresses: &L64, lanes: u32, bytes: u32) -> (u64, u64) {
        let first = lanes.trailing_zeros() & 31;
        let at = addresses[first as usize];
        (at, at.wrapping_sub(u64::from(first) * u64::from(bytes)))
    }

    /// Compares the addresses for [`Self::of_compared`]. Bit 0 of the result says that they are not
    /// all the same, bit 1 that they are not consecutive. The loop has no early exit, so that it is
    /// vectorised; inactive lanes are masked out. The result is a number, because an enum would be
    /// stored in parts, and loading it as a vector would wait for these stores.
    #[inline(always)]
    pub(crate) fn compare(addresses: &L64, lanes: u32, bytes: u32) -> u32 {
        let (at, base) = Self::first(addresses, lanes, bytes);
        let (mut apart, mut off, mut next) = (0, 0, base);
        for (lane, &address) in addresses.iter().enumerate() {
            let here = 0_u64.wrapping_sub(u64::from(lanes >> lane & 1));
            apart |= (address ^ at) & here;
            off |= (address ^ next) & here;
            next = next.wrapping_add(u64::from(bytes));
        }
        u32::from(apart != 0) | u32::from(off != 0) << 1
    }

    /// The arrangement of addresses that [`Self::compare`] has compared.
    #[inline]
    pub(crate) fn of_compared(compared: u32, addresses: &L64, lanes: u32, bytes: u32) -> Self {
        let (at, base) = Self::first(addresses, lanes, bytes);
        match compared {
            0 | 2 => Self::One(at),
            1 => Self::Row(base),
            _ => Self::Other,
        }
    }

    /// The arrangement with all addresses `by` bytes higher.
    #[inline]
    pub fn moved(self, by: u64) -> Self {
        match self {
            Self::Row(at) => Self::Row(at.wrapping_add(by)),
            Self::One(at) => Self::One(at.wrapping_add(by)),
            Self::Other => Self::Other,
        }
    }

    /// The addresses of the first of these lanes and of the last one, each of which accesses
    /// `bytes` bytes; all others are between them. `None` for [`Self::Other`].
    #[inline]
    pub fn ends(self, lanes: u32, bytes: u32) -> Option<[u64; 2]> {
        let of_lane = |at: u64, lane: u32| at.wrapping_add(u64::from(lane) * u64::from(bytes));
        match self {
            Self::Row(at) => {
                Some([lanes.trailing_zeros(), 31 - lanes.leading_zeros()].map(|l| of_lane(at, l)))
            }
            Self::One(at) => Some([at; 2]),
            Self::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_single_addresses_of_the_given_lanes_are_found() {
        let row: L64 = std::array::from_fn(|lane| 64 + 8 * lane as u64);
        assert_eq!(Arrangement::of(&row, u32::MAX, 8), Arrangement::Row(64));
        assert_eq!(Arrangement::of(&row, u32::MAX, 4), Arrangement::Other);
        // A single lane counts as one address. Inactive lanes do not count, not even lane 0.
        assert_eq!(Arrangement::of(&row, 1 << 5, 8), Arrangement::One(104));
        let mut holed = row;
        (holed[0], holed[9]) = (7, 7);
        assert_eq!(Arrangement::of(&holed, u32::MAX, 8), Arrangement::Other);
        assert_eq!(Arrangement::of(&holed, !0x201, 8), Arrangement::Row(64));
        assert_eq!(Arrangement::of(&holed, 0x201, 8), Arrangement::One(7));
        assert_eq!(Arrangement::of(&[9; 32], u32::MAX, 4).moved(3), Arrangement::One(12));
        // The ends are those of the given lanes.
        assert_eq!(Arrangement::Row(64).ends(0x70, 4), Some([80, 88]));
        assert_eq!(Arrangement::One(5).ends(0x70, 4), Some([5, 5]));
        assert_eq!(Arrangement::Other.ends(1, 4), None);
        // A row wraps at the end of the address space.
        assert_eq!(Arrangement::Row(0).moved(4_u64.wrapping_neg()).ends(3, 4).unwrap()[1], 0);
    }
}
