//! Boxes of texels of an array, on which copies work row by row.

use crate::array::Array;
use crate::error::Error;
use crate::linear::copy_in;
use texunit_unit::{CreateError, Extent, Geometry, TexelIndex};

impl Array {
    /// The size of the array for copies: bytes of a row, rows, slices. Slices are those of a 3D
    /// array, or layers, or faces of all cubes. A row of a block-compressed format is a row of 4x4
    /// blocks.
    pub fn copy_extent(&self) -> [u64; 3] {
        let Extent { height, depth, .. } = self.extent();
        let rows = height.div_ceil(self.format().block_extent());
        let slices = if self.geometry() == Geometry::D3 { depth } else { self.planes() };
        [self.texels().row_bytes(0), rows.into(), slices.into()]
    }

    /// Bytes of a texel or 4x4 block. Offsets and sizes along a row must be multiples of it.
    pub fn copy_unit(&self) -> u64 {
        self.format().texel_size().into()
    }

    /// Checks that a box consists of whole texels or blocks inside the array. `at` is the byte in
    /// the row, the row and the slice of its first texel, and `size` has the same units.
    /// Multi-sample arrays have no boxes.
    pub fn check_box(&self, at: [u64; 3], size: [u64; 3]) -> Result<(), Error> {
        if self.samples() > 1 {
            let reason = format!(
                "`{}` is a multi-sample array, of which no part can be copied",
                self.name()
            );
            return Err(CreateError::Refused(reason).into());
        }
        let unit = self.copy_unit();
        for bytes in [at[0], size[0]] {
            if !bytes.is_multiple_of(unit) {
                let (what, value) = ("copy of texels", bytes);
                return Err(CreateError::Alignment { what, value, align: unit }.into());
            }
        }
        let all = self.copy_extent();
        for axis in 0..3 {
            let end = at[axis].checked_add(size[axis]);
            if end.is_none_or(|end| end > all[axis]) {
                let (offset, len, size) = (at[axis], size[axis], all[axis]);
                let name = self.name().to_owned();
                return Err(Error::CopyOutside { name, offset, len, size });
            }
        }
        Ok(())
    }

    /// Copies a part of a row to `out`. `at` is the byte in the row, the row and the slice
    /// ([`Self::copy_extent`]).
    pub fn read_row(&self, at: [u64; 3], out: &mut [u8]) -> Result<(), Error> {
        let Some(offset) = self.row_offset(at, out.len() as u64)? else { return Ok(()) };
        self.texels().block().read(offset, out).map_err(|e| self.outside(e.offset, e.len))
    }

    /// Sets a part of a row. `at` is the byte in the row, the row and the slice
    /// ([`Self::copy_extent`]).
    pub fn write_row(&self, at: [u64; 3], bytes: &[u8]) -> Result<(), Error> {
        let Some(offset) = self.row_offset(at, bytes.len() as u64)? else { return Ok(()) };
        copy_in(self.texels().block(), offset, bytes)
    }

    /// Whether some bytes of a row are uninitialised; if so, `out` receives the masks
    /// ([`texunit_memory::Block::undefined_mask`]).
    pub fn row_states(&self, at: [u64; 3], out: &mut [u8]) -> bool {
        let offset = self.row_offset(at, out.len() as u64).ok().flatten();
        offset.is_some_and(|offset| self.texels().block().undefined_mask(offset, out))
    }

    /// Sets which bits of a row are uninitialised, after a copy of data with these states.
    pub fn set_row_states(&self, at: [u64; 3], states: &[u8]) {
        if let Ok(Some(offset)) = self.row_offset(at, states.len() as u64) {
            self.texels().block().set_states(offset, states);
        }
    }

    /// The location of a part of a row: the host address of the array's memory, which identifies
    /// the array, and the offset in it. `None` if the part is empty or not inside the array.
    pub fn row_place(&self, at: [u64; 3], len: u64) -> Option<(usize, u64)> {
        let offset = self.row_offset(at, len).ok().flatten()?;
        Some((self.texels().block().reach(0).host().as_ptr() as usize, offset))
    }

    /// The offset of a part of a row in the array's memory; `None` if the part is empty.
    fn row_offset(&self, at: [u64; 3], len: u64) -> Result<Option<u64>, Error> {
        self.check_box(at, [len, 1, 1])?;
        if len == 0 {
            return Ok(None);
        }
        // The check has compared all coordinates with the extent, which has 32 bits.
        let block = self.format().block_extent();
        let x = (at[0] / self.copy_unit()) as u32 * block;
        let (y, slice) = (at[1] as u32 * block, at[2] as u32);
        let (plane, z) = if self.geometry() == Geometry::D3 { (0, slice) } else { (slice, 0) };
        let index = TexelIndex { level: 0, plane, sample: 0, at: [x, y, z] };
        let offset = self.texels().texel_offset(index);
        offset.map(Some).ok_or_else(|| self.outside(at[0], len))
    }

    fn outside(&self, offset: u64, len: u64) -> Error {
        Error::CopyOutside { name: self.name().to_owned(), offset, len, size: self.size() }
    }
}
