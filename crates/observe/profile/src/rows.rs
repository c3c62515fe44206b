//! The set of texels that a warp's fetch reads, as rows of bits. Applicable if the texels are close
//! to each other, and counts shared texels once.

use crate::cost::SECTOR;
use texunit_unit::{AxisTexels, Build, Resource, TexelIndex, WarpTexels, lanes};

/// Maximum number of rows, and of texels in a row.
const MOST: usize = 64;

/// Counts of the lanes' texels.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TexelCounts {
    pub(crate) texels: u32,
    pub(crate) outside: u32,
    /// Mask of lanes with a texel outside the texture.
    pub(crate) lanes_outside: u32,
}

/// A set of texels in a plane, as a bit for each texel of the bounding box.
#[derive(Debug)]
pub(crate) struct TexelRows {
    plane: u32,
    /// The first texel along each axis, and the number of texels along y and z.
    first: [u32; 3],
    sizes: [usize; 2],
    bits: [u64; MOST],
}

/// Texels in a row: the offset of the first, and a bit for each from it on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TexelRow {
    pub(crate) offset: u64,
    pub(crate) bits: u64,
}

/// The texels of a fetch along one axis.
struct FetchAxis<'a> {
    both: &'a [[i32; 32]; 2],
    /// The first texel of the active lanes, and the number of texels to the last.
    first: u32,
    count: usize,
    /// For each lane, the number of texels that it reads, and the number of these inside the
    /// texture.
    texels: [u32; 32],
    inside: [u32; 32],
    /// Whether any lane reads an upper neighbour.
    is_double: bool,
}

impl<'a> FetchAxis<'a> {
    #[inline(always)]
    fn of(AxisTexels(both): &'a AxisTexels, active: u32) -> Self {
        let (mut first, mut last, mut uppers) = (u32::MAX, -1, 0);
        let (mut texels, mut inside) = ([1; 32], [0; 32]);
        for (row, is_upper) in both.iter().zip([false, true]) {
            for (lane, &k) in row.iter().enumerate() {
                let is_on = active >> lane & 1 == 1;
                // Texels outside are negative, and very large as unsigned numbers.
                first = first.min(if is_on { k as u32 } else { u32::MAX });
                last = last.max(if is_on { k } else { -1 });
                inside[lane] += u32::from(k >= 0);
                texels[lane] += u32::from(is_upper && k != AxisTexels::UNREAD);
                uppers |= u32::from(is_upper && k >= 0);
            }
        }
        let count = if last < 0 { 0 } else { (last as u32 - first) as usize + 1 };
        Self { both, first, count, texels, inside, is_double: uppers != 0 }
    }

    /// Texel numbers relative to the first; texels outside get a number beyond all rows.
    #[inline(always)]
    fn numbers(&self, upper: usize) -> [u32; 32] {
        let mut numbers = [0; 32];
        // A loop instead of `map`, which would be compiled without the vector instructions and
        // called.
        for (to, &k) in numbers.iter_mut().zip(&self.both[upper]) {
            *to = if k < 0 { MOST as u32 } else { (k as u32).wrapping_sub(self.first) };
        }
        numbers
    }
}

impl TexelRows {
    /// The rows of the active lanes, and their counts; `None` if there are too many rows or too
    /// long ones.
    pub(crate) fn of(texels: &WarpTexels, active: u32) -> Option<(Self, TexelCounts)> {
        Build::current().run(
            #[inline(always)]
            || {
                let [x, y, z] = &texels.axes;
                let (x, y, z) =
                    (FetchAxis::of(x, active), FetchAxis::of(y, active), FetchAxis::of(z, active));
                if x.count > MOST || y.count.checked_mul(z.count)? > MOST {
                    return None;
                }
                let (first, sizes) = ([x.first, y.first, z.first], [y.count, z.count]);
                let mut rows = Self { plane: texels.plane, first, sizes, bits: [0; MOST] };
                let mut of_lanes = [0; 32];
                for numbers in [x.numbers(0), x.numbers(1)] {
                    for (bits, number) in of_lanes.iter_mut().zip(numbers) {
                        *bits |= if number < MOST as u32 { 1_u64 << number } else { 0 };
                    }
                }
                for slices in (0..=usize::from(z.is_double)).map(|upper| z.numbers(upper)) {
                    for lines in (0..=usize::from(y.is_double)).map(|upper| y.numbers(upper)) {
                        rows.add(&slices, &lines, &of_lanes, active);
                    }
                }
                let mut read = TexelCounts::default();
                for lane in 0..32 {
                    let is_on = active >> lane & 1;
                    let inside = x.inside[lane] * y.inside[lane] * z.inside[lane] * is_on;
                    let all = x.texels[lane] * y.texels[lane] * z.texels[lane] * is_on;
                    read.texels += inside;
                    read.outside += all - inside;
                    read.lanes_outside += u32::from(all != inside);
                }
                Some((rows, read))
            },
        )
    }

    /// Adds the bits of the active lanes, each in its slice and line.
    #[inline(always)]
    fn add(&mut self, slices: &[u32; 32], lines: &[u32; 32], bits: &[u64; 32], active: u32) {
        // Neighbouring lanes usually have the same row.
        let (mut row, mut all) = (0, 0);
        for lane in lanes(active) {
            let (slice, line) = (slices[lane] as usize, lines[lane] as usize);
            if slice < MOST && line < MOST {
                let of = slice * self.sizes[0] + line;
                if of != row {
                    self.bits[row % MOST] |= std::mem::take(&mut all);
                    row = of;
                }
                all |= bits[lane];
            }
        }
        self.bits[row % MOST] |= all;
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

    /// The number of texels, and of the sectors that contain them; `None` if sectors do not consist
    /// of whole texels.
    pub(crate) fn sectors(&self, resource: &Resource, size: u64) -> Option<(u64, u64)> {
        if !size.is_power_of_two() || size > SECTOR || resource.format().block_extent() != 1 {
            return None;
        }
        let each = SECTOR / size;
        // A bit at the first texel of each sector.
        let firsts = u128::MAX / (u128::MAX >> (128 - each));
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
