//! Byte ranges of a resource's rows in its block.

use super::{Resource, elements};
use std::ops::Range;

impl Resource {
    /// The byte range of each row, in the order of [`Self::to_packed`].
    pub fn rows(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.rows_of(0..self.shape.planes())
    }

    /// The byte range of each row of some planes, in the order of [`Self::to_packed`].
    pub fn rows_of(&self, planes: Range<u32>) -> impl Iterator<Item = Range<u64>> + '_ {
        let samples = self.shape.samples;
        self.levels.iter().enumerate().flat_map(move |(n, level)| {
            let (_, rows) = elements(self.format(), level.extent);
            let bytes = self.row_bytes(n as u32);
            let slices = u64::from(level.extent.depth);
            planes.clone().flat_map(move |plane| {
                (0..u64::from(samples)).flat_map(move |sample| {
                    (0..slices * rows).map(move |i| {
                        let start = level.offset
                            + u64::from(plane) * level.plane_pitch
                            + sample * level.sample_pitch
                            + i / rows * level.slice_pitch
                            + i % rows * level.row_pitch;
                        start..start + bytes
                    })
                })
            })
        })
    }
}
