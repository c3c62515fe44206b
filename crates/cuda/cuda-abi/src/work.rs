//! Work that a library (`libcufft` and others) submits to a stream of texunit's driver
//! (`texunit_work_2`).
//!
//! A library declares the memory that its work reads and writes as strided regions. When the stream
//! reaches the work, the driver gathers the elements into contiguous host memory, calls the
//! library, and scatters the results. Thus texunit's checks of memory accesses (`--check`) see each
//! access, and libraries need to know nothing of checks or device memory.
//!
//! If no check observes accesses, a region that is written and contiguous in device memory is not
//! copied: the library works on the memory itself. A program that accesses the region at the same
//! time has a race, whose outcome CUDA does not define. The bytes may then change at any time, so
//! a library must not take addresses, lengths or offsets from regions that it writes.

use std::ffi::c_void;

/// Number of dimensions of a region; an unused dimension has one element.
pub const DIMENSIONS: usize = 4;

/// A strided region of device-accessible memory: `count[0]` times the elements of the other
/// dimensions, at `stride` bytes, and so on. In host memory the elements are contiguous, with the
/// last index varying fastest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Region {
    /// Address of the first element.
    pub address: u64,
    /// Size of an element in bytes, a power of two, and the alignment of addresses.
    pub element: u64,
    /// Access flags: [`Region::READ`], [`Region::WRITTEN`], [`Region::MAY_BE_UNDEFINED`].
    pub access: u64,
    /// Number of elements along each dimension.
    pub count: [u64; DIMENSIONS],
    /// Distance in bytes between neighbouring elements along each dimension.
    pub stride: [i64; DIMENSIONS],
}

impl Region {
    /// The work reads the region: host memory contains its elements at the start.
    pub const READ: u64 = 1;
    /// The work writes the region: its elements are copied back at the end, unless the library
    /// has written the memory itself.
    pub const WRITTEN: u64 = 2;
    /// Some elements that are read are not used and may be uninitialised, such as the half of a
    /// triangular matrix that is not stored.
    pub const MAY_BE_UNDEFINED: u64 = 4;

    /// Whether the work reads the region.
    pub fn is_read(&self) -> bool {
        self.access & Self::READ != 0
    }

    /// Whether the work writes the region.
    pub fn is_written(&self) -> bool {
        self.access & Self::WRITTEN != 0
    }

    /// The subregion of `count` elements of the first dimension, from `first` on, which must exist.
    #[must_use]
    pub fn part(mut self, first: u64, count: u64) -> Self {
        let offset = self.stride[0].wrapping_mul(first.cast_signed());
        self.address = self.address.wrapping_add_signed(offset);
        self.count[0] = count;
        self
    }

    /// Size of all elements in bytes; `None` if it exceeds 64 bits.
    pub fn bytes(&self) -> Option<u64> {
        self.count.iter().try_fold(self.element, |bytes, &count| bytes.checked_mul(count))
    }

    /// The lowest address, and the number of bytes to the end of the highest element; `None` if the
    /// region is empty or exceeds the address space.
    pub fn hull(&self) -> Option<(u64, u64)> {
        if self.count.contains(&0) {
            return None;
        }
        let (mut first, mut last) = (i128::from(self.address), i128::from(self.address));
        for (&count, &stride) in self.count.iter().zip(&self.stride) {
            // Products of 64-bit numbers, and sums of four of them, fit into 128 bits.
            let reach = i128::from(count - 1) * i128::from(stride);
            *(if reach < 0 { &mut first } else { &mut last }) += reach;
        }
        let bytes = last - first + i128::from(self.element);
        let end = first.checked_add(bytes)?;
        (first >= 0 && end <= i128::from(u64::MAX)).then_some((first as u64, bytes as u64))
    }

    /// Returns the region with the longest possible elements: contiguous dimensions are merged.
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

    /// The address of each element, in order of indices.
    pub fn addresses(&self) -> impl Iterator<Item = u64> + use<> {
        let &Self { address, count, stride, .. } = self;
        let along = move |d: usize, base: u64| {
            (0..count[d]).map(move |i| base.wrapping_add((stride[d] as u64).wrapping_mul(i)))
        };
        let planes = along(0, address).flat_map(move |at| along(1, at));
        planes.flat_map(move |at| along(2, at)).flat_map(move |at| along(3, at))
    }
}

/// A string that is passed to the driver as pointer and length.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Str {
    start: *const u8,
    size: usize,
}

impl Str {
    /// The text as an argument for the driver, which may read it as long as `text` exists.
    pub fn of(text: &str) -> Self {
        Self { start: text.as_ptr(), size: text.len() }
    }

    /// A copy of the string.
    ///
    /// # Safety
    /// The pointer is to this many bytes, or the size is 0.
    pub unsafe fn text(self) -> String {
        // SAFETY: the caller upholds this function's safety contract.
        String::from_utf8_lossy(unsafe { self.bytes() }).into_owned()
    }

    /// The bytes of the string.
    ///
    /// # Safety
    /// As for [`Str::text`]; the bytes live as long as the caller's text.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { std::slice::from_raw_parts(self.start, self.size) }
    }
}

/// Callback that does the work and may be called several times. The callback is given `data`, for
/// each region a pointer to its elements, aligned to 64 bytes, and the number of elements along the
/// first dimension. The elements of two regions never overlap. Memory that is not read is
/// uninitialised. The callback returns 0, or a `CUresult` if the work fails.
pub type Run = unsafe extern "C" fn(data: *mut c_void, memory: *const *mut u8, count: u64) -> u32;
/// Callback that frees `data`, when the work will not be done again.
pub type Forget = unsafe extern "C" fn(data: *mut c_void);

/// `texunit_work_2(stream, name, regions, count, together, run, forget, data)`. `name` is the
/// library's function. All regions have the same number of elements in their first dimension. If
/// `together` is not 0, the work may be split into parts of `together` elements, as no part reads
/// what another part writes. The driver owns `data` from the call on, also if the call fails.
pub type Submit = unsafe extern "C" fn(
    usize,
    Str,
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

    /// A test region: rows of three floats, from the last row to the first.
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
        assert_eq!(Region { stride: [0, i64::MIN, 0, 4], ..ROWS }.hull(), None);
        assert_eq!(Region { address: u64::MAX - 8, ..ROWS }.hull(), None);
        assert_eq!(Region { count: [u64::MAX, 2, 1, 1], ..ROWS }.bytes(), None);
    }
}
