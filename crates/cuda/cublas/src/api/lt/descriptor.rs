//! Descriptors of cuBLASLt: an array of 64-bit words, each the value of an attribute; the last word
//! marks the kind of descriptor.

use crate::code::*;

/// Storage that is large enough for a descriptor of any kind.
type Words = [u64; 13];

pub(super) struct Kind {
    mark: u64,
    /// The attributes of this kind of descriptor, each with its number, the index of its word, and
    /// its size in bytes.
    attributes: &'static [(u32, usize, usize)],
    /// Number of 64-bit words of the descriptor, at most that of `data` in the structure of
    /// `cublasLt.h`.
    words: usize,
}

/// `cublasLtMatrixLayout_t`: type, order, rows, columns, leading dimension, batch count, batch
/// stride.
pub(super) const LAYOUT: Kind = Kind {
    mark: 0x7465_7875_6e69_744c,
    attributes: &[(0, 0, 4), (1, 1, 4), (2, 2, 8), (3, 3, 8), (4, 4, 8), (5, 5, 4), (6, 6, 8)],
    words: 8,
};
/// `cublasLtMatmulDesc_t`: compute type, scale type, pointer mode, operations, epilogue, bias.
pub(super) const PRODUCT: Kind = Kind {
    mark: 0x7465_7875_6e69_744d,
    attributes: &[
        (0, 0, 4),
        (1, 1, 4),
        (2, 2, 4),
        (3, 3, 4),
        (4, 4, 4),
        (5, 5, 4),
        (7, 7, 4),
        (8, 8, 8),
        (10, 10, 8),
        (26, 11, 4),
    ],
    words: 13,
};
/// `cublasLtMatmulPreference_t`: stored, but without effect.
pub(super) const PREFERENCE: Kind =
    Kind { mark: 0x7465_7875_6e69_7450, attributes: &[(0, 0, 4), (1, 1, 8), (3, 2, 4)], words: 8 };

/// Attributes that are ignored because they only affect speed: number of multiprocessors,
/// alignment, reduction schemes.
const IGNORED: [u32; 9] = [5, 6, 7, 8, 9, 12, 15, 25, 41];

impl Kind {
    /// Writes an initialised descriptor to the program's memory.
    ///
    /// # Safety
    /// The memory holds `size` bytes.
    pub(super) unsafe fn write(
        &self,
        at: Out<'_, u64>,
        size: usize,
        values: &[(usize, u64)],
    ) -> Answer {
        at.check()?;
        ensure!(
            size >= self.words * 8,
            BlasCode::AllocFailed,
            "a size of {size} is too small for a descriptor of {}",
            self.words * 8
        );
        let mut words: Words = [0; 13];
        for &(word, value) in values {
            words[word] = value;
        }
        words[self.words - 1] = self.mark;
        // SAFETY: the caller upholds this function's safety contract.
        Ok(unsafe { at.elements(self.words) }.set_all(words.into_iter().take(self.words))?)
    }

    /// Allocates an initialised descriptor and returns its handle.
    pub(super) fn create(&self, to: Out<'_, usize>, values: &[(usize, u64)]) -> Answer {
        to.check()?;
        let made = Box::into_raw(Box::<Words>::new([0; 13]));
        // SAFETY: the new box holds this many words.
        unsafe { self.write(Out::new(made.cast()), size_of::<Words>(), values)? };
        Ok(to.set(made.expose_provenance())?)
    }

    /// Frees a descriptor made by [`Self::create`].
    pub(super) fn destroy(&self, at: usize) -> Answer {
        self.read(at)?;
        let place = std::ptr::with_exposed_provenance_mut::<Words>(at);
        // SAFETY: the mark shows that the handle is an allocation of `Box::into_raw`; the mark is
        // removed before the box is freed.
        unsafe {
            (*place)[self.words - 1] = 0;
            drop(Box::from_raw(place));
        }
        Ok(())
    }

    /// Reads the words of a descriptor.
    pub(super) fn read(&self, at: usize) -> Answer<Vec<u64>> {
        // SAFETY: the handle is null or the program's descriptor.
        let words = unsafe { In::<u64>::of(at as u64).elements(self.words) }.to_vec()?;
        ensure!(
            words.last() == Some(&self.mark),
            BlasCode::InvalidValue,
            "{at:#x} is not a descriptor of the kind that is wanted"
        );
        Ok(words)
    }

    fn attribute(&self, attribute: u32) -> Option<(usize, usize)> {
        let found = self.attributes.iter().find(|(number, ..)| *number == attribute);
        found.map(|&(_, word, bytes)| (word, bytes))
    }

    /// Sets an attribute.
    pub(super) fn set(&self, at: usize, attribute: u32, value: In<'_, u8>, size: usize) -> Answer {
        self.read(at)?;
        let (word, bytes) = match self.attribute(attribute) {
            Some(found) => found,
            None if IGNORED.contains(&attribute) => return Ok(()),
            None => {
                // Setting an unsupported feature to zero leaves it off, and is accepted. SAFETY:
                // the caller's value has this many bytes.
                let given = unsafe { value.elements(size.min(64)) }.to_vec()?;
                if given.iter().all(|&byte| byte == 0) {
                    return Ok(());
                }
                bail!(BlasCode::NotSupported, "attribute {attribute} is not provided");
            }
        };
        ensure!(
            size == bytes,
            BlasCode::InvalidValue,
            "the size of attribute {attribute} is {bytes}, not {size}"
        );
        // SAFETY: the caller's value has this many bytes.
        let given = unsafe { value.elements(bytes) }.to_vec()?;
        let mut whole = [0; 8];
        whole[..bytes].copy_from_slice(&given);
        // SAFETY: the word is in the program's descriptor.
        Ok(unsafe { Out::<u64>::of((at + word * 8) as u64) }.set(u64::from_le_bytes(whole))?)
    }

    /// Reads an attribute.
    pub(super) fn get(
        &self,
        at: usize,
        attribute: u32,
        to: Out<'_, u8>,
        size: usize,
        written: Out<'_, usize>,
    ) -> Answer {
        let words = self.read(at)?;
        let Some((word, bytes)) = self.attribute(attribute) else {
            bail!(BlasCode::NotSupported, "attribute {attribute} is not provided");
        };
        written.set_if(bytes);
        if size == 0 {
            return Ok(());
        }
        ensure!(
            size >= bytes,
            BlasCode::InvalidValue,
            "the size of attribute {attribute} is {bytes}, not {size}"
        );
        // SAFETY: the caller's buffer holds this many bytes.
        Ok(unsafe { to.elements(bytes) }.set_all(words[word].to_le_bytes())?)
    }
}
