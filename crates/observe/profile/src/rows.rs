//! Texels of the fetches of a warp as rows of bits, if they are close to each other: so each counts once.

use crate::cost::SECTOR;
use texunit_unit::{AxisTexels, Resource, TexelIndex, WarpTexels, lanes};

/// Rows, and texels of a row.
const MOST: usize = 64;

/// What the lanes read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) texels: u64,
    pub(crate) outside: u64,
    /// Lanes with a texel outside.
    pub(crate) lanes_outside: u64,
}

/// Texels of a plane, between the first and the last one along each axis.
#[derive(Debug)]
pub(crate) struct Rows {
    plane: u32,
    /// The first of each axis, and how many along y and z.
    first: [u32; 3],
    sizes: [usize; 2],
    bits: [u64; MOST],
}

/// The texels of a row that are read: the first one's offset, of which each bit stands for the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) offset: u64,
    pub(crate) bits: u64,
}

/// The first texel of active lanes along an axis, and how many there are up to the last one.
fn extent(AxisTexels(both): &AxisTexels, active: u32) -> (u32, usize) {
    let (mut first, mut last) = (u32::MAX, -1);
    for row in both {
        for (lane, &k) in row.iter().enumerate() {
            let is_on = active >> lane & 1 == 1;
            // What is outside is a large number as the first one.
            first = first.min(if is_on { k as u32 } else { u32::MAX });
            last = last.max(if is_on { k } else { -1 });
        }
    }
    let count = if last < 0 { 0 } else { last as usize + 1 - first as usize };
    (first, count)
}

impl Rows {
    /// The rows of active lanes, and what they read. `None`: they are too many or too long.
    pub(crate) fn of(texels: &WarpTexels, active: u32) -> Option<(Self, Read)> {
        let [x, y, z] = texels.axes.each_ref().map(|axis| extent(axis, active));
        let sizes = [y.1, z.1];
        if x.1 > MOST || y.1.checked_mul(z.1)? > MOST {
            return None;
        }
        let mut rows = Self { plane: texels.plane, first: [x.0, y.0, z.0], sizes, bits: [0; MOST] };
        let mut read = Read::default();
        let [AxisTexels(along_x), AxisTexels(along_y), AxisTexels(along_z)] = &texels.axes;
        let is_inside = |k: &i32| *k >= 0;
        for lane in lanes(active) {
            let [xs, ys, zs] =
                [along_x, along_y, along_z].map(|[low, high]| [low[lane], high[lane]]);
            let place = |k: i32| if k >= 0 { 1 << (k as u32 - x.0) } else { 0_u64 };
            let bits = place(xs[0]) | place(xs[1]);
            for z in zs.into_iter().filter(is_inside) {
                for y in ys.into_iter().filter(is_inside) {
                    let row = (z as u32 - rows.first[2]) as usize * sizes[0]
                        + (y as u32 - rows.first[1]) as usize;
                    rows.bits[row % MOST] |= bits;
                }
            }
            let of = |is: &dyn Fn(i32) -> bool| -> u64 {
                [xs, ys, zs].iter().map(|of| of.iter().filter(|k| is(**k)).count() as u64).product()
            };
            let inside = of(&|k| k >= 0);
            let outside = of(&|k| k != AxisTexels::UNREAD) - inside;
            read.texels += inside;
            read.outside += outside;
            read.lanes_outside += u64::from(outside > 0);
        }
        Some((rows, read))
    }

    /// All that have texels, in the order of their offsets; false: one does not begin with a whole texel.
    pub(crate) fn each(&self, resource: &Resource, size: u64, mut f: impl FnMut(Row)) -> bool {
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
                Some(offset) if offset.is_multiple_of(size) => f(Row { offset, bits }),
                _ => return false,
            }
        }
        true
    }

    /// How many texels of so many bytes there are, and in how many sectors they lie. `None`: texels are not parts of sectors.
    pub(crate) fn sectors(&self, resource: &Resource, size: u64) -> Option<(u64, u64)> {
        if !size.is_power_of_two() || size > SECTOR || resource.format().block_extent() != 1 {
            return None;
        }
        let each = SECTOR / size;
        // A bit for the first texel of each sector.
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
            // The end of the row before may lie in the first one.
            sectors -= u64::from(sector(first) < next);
            next = sector(last) + 1;
        });
        is_whole.then_some((texels, sectors))
    }
}
