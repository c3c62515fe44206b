//! Work of a library in a stream: what `libcufft` and its like hand to texunit's driver (`texunit_work_2`).
//!
//! A library says which bytes its work reads and writes, as boxes of elements. The driver does the work in the order of the
//! stream: it reads the boxes, calls the library with their elements in memory of the host, one after the other, and writes what it
//! leaves there. So the checks of a run see each access, no memory of a device is touched by code that does not know the rules of
//! its memory, and a library needs to know nothing of either.

use std::ffi::c_void;

/// Dimensions of a box.
pub const DIMENSIONS: usize = 4;

/// Elements of memory that devices reach: `count[0]` times what follows, and so on, at `stride` bytes from each other. Their order in
/// memory of the host is that of their indices, the last of which is the fastest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Region {
    /// Address of the first element.
    pub address: u64,
    /// Bytes of an element, a power of two: addresses are multiples of it.
    pub element: u64,
    /// [`Region::READ`], [`Region::WRITTEN`], or both; and [`Region::MAY_BE_UNDEFINED`].
    pub access: u64,
    /// Elements of each dimension.
    pub count: [u64; DIMENSIONS],
    /// Bytes from one to the next.
    pub stride: [i64; DIMENSIONS],
}

impl Region {
    /// The work reads it: its elements are there when it begins.
    pub const READ: u64 = 1;
    /// The work writes it: what is there in the end are its elements.
    pub const WRITTEN: u64 = 2;
    /// Of what is read not all is used, so that it may be undefined: the other half of a triangular matrix.
    pub const MAY_BE_UNDEFINED: u64 = 4;

    /// Whether the work reads it.
    pub fn is_read(&self) -> bool {
        self.access & Self::READ != 0
    }

    /// Whether the work writes it.
    pub fn is_written(&self) -> bool {
        self.access & Self::WRITTEN != 0
    }

    /// The part of it with `count` elements of the first dimension from `first` on, which are there.
    #[must_use]
    pub fn part(mut self, first: u64, count: u64) -> Self {
        let offset = self.stride[0].wrapping_mul(first.cast_signed());
        self.address = self.address.wrapping_add_signed(offset);
        self.count[0] = count;
        self
    }

    /// Bytes of all elements; none if 64 bits do not count them.
    pub fn bytes(&self) -> Option<u64> {
        self.count.iter().try_fold(self.element, |bytes, &count| bytes.checked_mul(count))
    }

    /// The first address and the number of bytes from there to the end of the last element; none if they are not addresses, or
    /// there is no element.
    pub fn hull(&self) -> Option<(u64, u64)> {
        if self.count.contains(&0) {
            return None;
        }
        let (mut first, mut last) = (i128::from(self.address), i128::from(self.address));
        for (&count, &stride) in self.count.iter().zip(&self.stride) {
            // 64 bits each: no product is too large, nor is a sum of four.
            let reach = i128::from(count - 1) * i128::from(stride);
            *(if reach < 0 { &mut first } else { &mut last }) += reach;
        }
        let bytes = last - first + i128::from(self.element);
        let end = first.checked_add(bytes)?;
        (first >= 0 && end <= i128::from(u64::MAX)).then_some((first as u64, bytes as u64))
    }

    /// The bytes of the region in pieces that are as long as possible: an element and what follows it without a gap is one.
    #[must_use]
    pub fn in_pieces(mut self) -> Self {
        for d in (0..DIMENSIONS).rev() {
            if self.count[d] != 1 && u64::try_from(self.stride[d]) != Ok(self.element) {
                break;
            }
            self.element = self.element.saturating_mul(self.count[d]);
            self.count[d] = 1;
        }
        self
    }

    /// The address of each element, in their order.
    pub fn addresses(&self) -> impl Iterator<Item = u64> + use<> {
        let &Self { address, count, stride, .. } = self;
        let at = move |base: u64, d: usize, i: u64| {
            base.wrapping_add((stride[d] as u64).wrapping_mul(i))
        };
        (0..count[0]).flat_map(move |i| {
            let base = at(address, 0, i);
            (0..count[1]).flat_map(move |j| {
                let base = at(base, 1, j);
                (0..count[2]).flat_map(move |k| {
                    let base = at(base, 2, k);
                    (0..count[3]).map(move |l| at(base, 3, l))
                })
            })
        })
    }
}

/// A text: its bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Name {
    /// Its first byte.
    pub start: *const u8,
    /// Its length.
    pub size: usize,
}

/// Does the work, which may be done several times: `data`, for each region its elements in memory of the host, aligned to 64
/// bytes, and how many of the first dimension they are. What is not read may be anything before. The answer is 0, or a `CUresult` if the
/// work cannot be done.
pub type Run = unsafe extern "C" fn(data: *mut c_void, memory: *const *mut u8, count: u64) -> u32;
/// Ends `data`: the work will not be done any more.
pub type Forget = unsafe extern "C" fn(data: *mut c_void);

/// `texunit_work_2(stream, name, regions, count, together, run, forget, data)`. `name` is the function of the library. All regions have as
/// many elements in their first dimension, and the work may be done for `together` of them after the other, if that is not 0: what it does
/// for some reads nothing that it writes for others. `data` is the driver's from then on, whatever the answer is.
pub type Submit = unsafe extern "C" fn(
    usize,
    Name,
    *const Region,
    usize,
    u64,
    Run,
    Forget,
    *mut c_void,
) -> crate::CUresult;

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of three floats, from the last row to the first.
    const ROWS: Region = Region {
        address: 4096,
        element: 4,
        access: Region::READ,
        count: [1, 2, 1, 3],
        stride: [999, -64, 7, 4],
    };

    #[test]
    fn a_box_has_addresses_a_hull_and_pieces() {
        assert_eq!(ROWS.addresses().collect::<Vec<_>>(), [4096, 4100, 4104, 4032, 4036, 4040],);
        assert_eq!((ROWS.bytes(), ROWS.hull()), (Some(24), Some((4032, 76))));
        let pieces = ROWS.in_pieces();
        assert_eq!((pieces.element, pieces.count), (12, [1, 2, 1, 1]));
        assert_eq!(pieces.addresses().collect::<Vec<_>>(), [4096, 4032]);
        let part = Region { count: [3, 2, 1, 3], stride: [-128, -64, 7, 4], ..ROWS }.part(1, 2);
        assert_eq!((part.address, part.count), (4096 - 128, [2, 2, 1, 3]));
        let all = Region { stride: [0, 12, 12, 4], ..ROWS }.in_pieces();
        assert_eq!((all.element, all.count), (24, [1; 4]));
    }

    #[test]
    fn what_is_no_memory_has_no_hull() {
        let none = Region { count: [0, 1, 1, 1], ..ROWS };
        assert_eq!((none.hull(), none.bytes()), (None, Some(0)));
        let below = Region { stride: [0, i64::MIN, 0, 4], ..ROWS };
        assert_eq!(below.hull(), None);
        let beyond = Region { address: u64::MAX - 8, ..ROWS };
        assert_eq!(beyond.hull(), None);
        assert_eq!(Region { count: [u64::MAX, 2, 1, 1], ..ROWS }.bytes(), None);
    }
}
