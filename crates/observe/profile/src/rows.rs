//! The set of texels that a warp's fetch reads, as rows of bits, in which a texel that several
//! lanes read counts once. It is used if the texels are close to each other.

use crate::cost::SECTOR;
use texunit_unit::{AxisTexels, Build, Resource, TexelIndex, WarpTexels};

/// Maximum number of rows, and of texels in a row.
const MOST: usize = 64;
/// Maximum number of rows for which all lanes are compared with each row.
const FEW: usize = 8;

/// Counts of the texels that the lanes of a fetch read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TexelCounts {
    pub(crate) texels: u32,
    pub(crate) outside: u32,
    /// Number of lanes with a texel outside the texture.
    pub(crate) lanes_outside: u32,
}

/// A set of texels in a plane, as a bit for each texel of the bounding box.
#[derive(Debug)]
pub(crate) struct TexelRows {
    plane: u32,
    /// The first texel of the bounding box along each axis, and (`sizes`) its number of texels
    /// along y and z.
    first: [u32; 3],
    sizes: [usize; 2],
    /// The rows of texels as bits. The last element takes the bits of inactive lanes and of texels
    /// outside the texture, which are in no row.
    bits: [u64; MOST + 1],
}

impl Default for TexelRows {
    fn default() -> Self {
        Self { plane: 0, first: [0; 3], sizes: [0; 2], bits: [0; MOST + 1] }
    }
}

/// The texels in a row: the byte offset of the first, and a bit for each texel from the first on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TexelRow {
    pub(crate) offset: u64,
    pub(crate) bits: u64,
}

/// The texels of a fetch along one axis. All loops are without branches, to be vectorised.
struct FetchAxis<'a> {
    both: &'a [[i32; 32]; 2],
    /// The lowest texel number of the active lanes, and (`count`) the number of texels from there
    /// to the highest.
    first: u32,
    count: usize,
    /// Whether any lane reads an upper neighbour inside the texture.
    is_double: bool,
}

impl<'a> FetchAxis<'a> {
    /// The texels of the active lanes, whose mask in `on` is not 0.
    #[inline(always)]
    fn of(AxisTexels(both): &'a AxisTexels, on: &[i32; 32]) -> Self {
        let (mut first, mut last, mut uppers) = (u32::MAX, -1, -1);
        for row in both {
            for (&k, &on) in row.iter().zip(on) {
                // Texels outside the texture and inactive lanes have negative numbers, which are
                // very large as unsigned numbers.
                first = first.min((k | !on) as u32);
                last = last.max(k | !on);
            }
        }
        for (&k, &on) in both[1].iter().zip(on) {
            uppers = uppers.max(k | !on);
        }
        let count = if last < 0 { 0 } else { (last as u32 - first) as usize + 1 };
        Self { both, first, count, is_double: uppers >= 0 }
    }

    /// The lanes' texel numbers relative to the first texel; texels outside the texture get a
    /// number beyond all rows.
    #[inline(always)]
    fn numbers(&self, upper: usize) -> [u32; 32] {
        let mut numbers = [0; 32];
        // A loop instead of `map`, which would be compiled without the vector instructions and
        // called.
        for (to, &k) in numbers.iter_mut().zip(&self.both[upper]) {
            let number = (k as u32).wrapping_sub(self.first).min(MOST as u32);
            *to = if k < 0 { MOST as u32 } else { number };
        }
        numbers
    }

    /// How many texels a lane reads on this axis, and how many of them inside the texture.
    #[inline(always)]
    fn texels(&self, lane: usize) -> (u32, u32) {
        let [low, high] = self.both.each_ref().map(|row| row[lane]);
        (1 + u32::from(high != AxisTexels::UNREAD), u32::from(low >= 0) + u32::from(high >= 0))
    }
}

impl TexelRows {
    /// Sets the rows to the texels that the active lanes read, and counts the texels; `None` if
    /// there are too many rows or a row is too long.
    pub(crate) fn read(&mut self, texels: &WarpTexels, active: u32) -> Option<TexelCounts> {
        Build::current().run(
            #[inline(always)]
            || {
                let mut on = [0; 32];
                for (lane, on) in on.iter_mut().enumerate() {
                    *on = -((active >> lane & 1) as i32);
                }
                let [x, y, z] = &texels.axes;
                let (x, y, z) =
                    (FetchAxis::of(x, &on), FetchAxis::of(y, &on), FetchAxis::of(z, &on));
                let count = y.count.checked_mul(z.count)?;
                if x.count > MOST || count > MOST {
                    return None;
                }
                (self.plane, self.first) = (texels.plane, [x.first, y.first, z.first]);
                self.sizes = [y.count, z.count];
                let mut of_lanes = [0; 32];
                for numbers in [x.numbers(0), x.numbers(1)] {
                    for ((bits, number), &on) in of_lanes.iter_mut().zip(numbers).zip(&on) {
                        let bit = if number < MOST as u32 { 1_u64 << number } else { 0 };
                        *bits |= bit & i64::from(on) as u64;
                    }
                }
                self.bits[..count].fill(0);
                for upper_y in 0..=usize::from(y.is_double) {
                    for upper_z in 0..=usize::from(z.is_double) {
                        self.add(&y.numbers(upper_y), &z.numbers(upper_z), &of_lanes);
                    }
                }
                let mut read = TexelCounts::default();
                for (lane, &on) in on.iter().enumerate() {
                    let [x, y, z] = [&x, &y, &z].map(|axis| axis.texels(lane));
                    let inside = (x.1 * y.1 * z.1) & on as u32;
                    let all = (x.0 * y.0 * z.0) & on as u32;
                    read.texels += inside;
                    read.outside += all - inside;
                    read.lanes_outside += u32::from(all != inside);
                }
                Some(read)
            },
        )
    }

    /// Adds each lane's bits to the row of the lane's line (y) and slice (z).
    #[inline(always)]
    fn add(&mut self, lines: &[u32; 32], slices: &[u32; 32], bits: &[u64; 32]) {
        let mut rows = [0; 32];
        for (row, (&line, &slice)) in rows.iter_mut().zip(lines.iter().zip(slices)) {
            let is_in = line.max(slice) < MOST as u32;
            *row = if is_in { slice * self.sizes[0] as u32 + line } else { MOST as u32 };
        }
        let count = self.sizes[0] * self.sizes[1];
        if count > FEW {
            for (&row, bits) in rows.iter().zip(bits) {
                self.bits[row.min(MOST as u32) as usize] |= bits;
            }
            return;
        }
        for (number, to) in (0..).zip(&mut self.bits[..count]) {
            for (&row, &bits) in rows.iter().zip(bits) {
                *to |= if row == number { bits } else { 0 };
            }
        }
    }

    /// Calls `f` with each row that has texels, in ascending order of offsets. Returns false if a
    /// row does not begin with a whole texel.
    pub(crate) fn each(&self, resource: &Resource, size: u64, mut f: impl FnMut(TexelRow)) -> bool {
        for (row, &bits) in self.bits[..self.sizes[0] * self.sizes[1]].iter().enumerate() {
            if bits == 0 {
                continue;
            }
            let [x, y, z] = self.first;
            let (dy, dz) = (row % self.sizes[0], row / self.sizes[0]);
            let at = TexelIndex {
                plane: self.plane,
                at: [x, y + dy as u32, z + dz as u32],
                ..TexelIndex::default()
            };
            match resource.texel_offset(at) {
                Some(offset) if offset.is_multiple_of(size) => f(TexelRow { offset, bits }),
                _ => return false,
            }
        }
        true
    }

    /// The number of texels in the set, and of the sectors that contain the texels; `None` if
    /// sectors do not consist of whole texels.
    pub(crate) fn sectors(&self, resource: &Resource, size: u64) -> Option<(u64, u64)> {
        if !size.is_power_of_two() || size > SECTOR || resource.format().block_extent() != 1 {
            return None;
        }
        let each = SECTOR / size;
        // A bit at the first texel of each sector.
        let mut firsts = 1_u128;
        (each.trailing_zeros()..7).for_each(|step| firsts |= firsts << (1 << step));
        let (mut texels, mut sectors, mut next) = (0, 0, 0);
        let is_whole = self.each(resource, size, |row| {
            let mut bits = u128::from(row.bits) << (row.offset / size % each);
            let begin = row.offset / SECTOR;
            let (first, last) = (bits.trailing_zeros(), 127 - bits.leading_zeros());
            let sector = |bit: u32| begin + u64::from(bit) / each;
            texels += u64::from(row.bits.count_ones());
            let mut step = 1;
            while step < each {
                bits |= bits >> step;
                step *= 2;
            }
            sectors += u64::from((bits & firsts).count_ones());
            // The first sector may contain the end of the previous row.
            sectors -= u64::from(sector(first) < next);
            next = sector(last) + 1;
        });
        is_whole.then_some((texels, sectors))
    }
}
