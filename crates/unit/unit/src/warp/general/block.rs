//! A cache of decoded blocks of block-compressed formats, and the lookup of a warp's texels in it.

use super::indices::{TexelIndices, TexelLanes};
use crate::request::Lanes;
use crate::warp::simd::{Simd, int, load};
use texunit_memory::Block;
use texunit_texel::{Format, block_codes};

/// A direct-mapped cache of decoded 4x4 blocks. The address of a block selects the slot, but the
/// entry of the slot is tagged with the format and the bytes of the block, which are compared on
/// every lookup, so that writes to the memory by others are always noticed.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    /// The format of each slot's entry; `None` in empty slots.
    formats: Box<[Option<Format>; BLOCKS]>,
    bytes: Box<[[u64; 2]; BLOCKS]>,
    /// The decoded texels of each slot: four codes of 16 bits per texel, the first one lowest.
    texels: Box<[[u64; 16]; BLOCKS]>,
    /// The number of blocks that have been decoded so far.
    decoded: u64,
}

/// The number of slots. The blocks on a line across a texture of 1024 x 1024 texels need fewer
/// slots, so that the next line finds most of its blocks in the cache.
const BLOCKS: usize = 2048;

/// The distance in slots between rows of 4x4 blocks. It is the golden section of the number of
/// slots, so that neighbouring rows are spread apart whatever their length.
const ROW: u32 = 1265;

/// The length of per-lane arrays. It exceeds 32, so that four lanes at a time can be copied from
/// any lane on.
const ROOM: usize = 36;

/// The lookup in the cache of one texel per lane, at the same corner of the 32 lanes' footprints.
/// Each step of a lookup is done for all corners before the next step, because arrays that were
/// just partly written are slow to read.
#[derive(Clone, Debug)]
pub(super) struct Corner {
    /// The byte offset of each lane's 4x4 block; negative if the texel is outside.
    offsets: [i64; 32],
    /// The byte offsets in units of 8 bytes, between two sentinels that are equal to no lane's
    /// offset.
    keys: [u32; 34],
    /// The cache slot of each lane's block.
    places: [u32; 32],
    /// The index of the texel in its 4x4 block, 0 to 15.
    cells: [u8; ROOM],
    texels: [u64; ROOM],
    /// The mask of the lanes whose texel is needed.
    wanted: u32,
    /// The mask of the lanes whose block differs from that of the lane before.
    starts: u32,
    /// The mask of the lanes whose block has already been looked up for an earlier corner.
    known: u32,
    /// Whether the texel of any lane is outside.
    outside: bool,
}

impl Cache {
    pub(super) fn new() -> Self {
        let texels = places([0; 16]);
        Self { formats: places(None), bytes: places([0; 2]), texels, decoded: 0 }
    }

    /// Reads the texels of the given corners for all lanes that need them; other lanes get
    /// arbitrary texels or zeros.
    ///
    /// Neighbouring lanes often share a 4x4 block, which is then looked up once. Writes to the
    /// memory by others are visible to the next fetch.
    #[inline(always)]
    pub(super) fn read(
        &mut self,
        block: &Block,
        (format, size): (Format, usize),
        corners: &mut [Corner],
    ) {
        let before = self.decoded;
        for of in corners {
            of.texels = [0; ROOM];
            let mut starts = of.starts;
            while starts != 0 {
                let lane = starts.trailing_zeros() as usize;
                starts &= starts - 1;
                let end = starts.trailing_zeros() as usize;
                let offset = of.offsets[lane];
                let lanes = ((1_u64 << end) - (1 << lane)) as u32;
                if offset < 0 || of.wanted & lanes == 0 {
                    continue;
                }
                let place = of.places[lane] as usize % BLOCKS;
                // A block that was decoded meanwhile may have replaced one that was looked up
                // before.
                if of.known >> lane & 1 == 0 || self.decoded != before {
                    self.check(place, format, bytes(block, offset as u64, size));
                }
                of.copy(&self.texels[place], lane, end);
            }
        }
    }

    /// The texels, row by row, of a 4x4 block with these bytes (little endian). The block is cached
    /// in the slot [`place`].
    #[inline(always)]
    pub(super) fn texels(&mut self, place: usize, format: Format, bytes: [u64; 2]) -> &[u64; 16] {
        let place = place % BLOCKS;
        self.check(place, format, bytes);
        &self.texels[place]
    }

    /// Ensures that a slot, whose number is below [`BLOCKS`], holds the block with these bytes.
    #[inline(always)]
    fn check(&mut self, place: usize, format: Format, bytes: [u64; 2]) {
        let kept = self.bytes[place];
        // The bytes are compared word by word, because two words that were just stored separately
        // are slow to load as one.
        let differs = (kept[0] ^ bytes[0]) | (kept[1] ^ bytes[1]) != 0;
        if differs || self.formats[place] != Some(format) {
            self.decode(place, format, bytes);
        }
    }

    #[inline(never)]
    fn decode(&mut self, place: usize, format: Format, bytes: [u64; 2]) {
        // Only formats without 4x4 blocks have no texels here.
        self.texels[place] = block_codes(format, bytes).unwrap_or_default();
        (self.formats[place], self.bytes[place]) = (Some(format), bytes);
        self.decoded += 1;
    }
}

/// For each lane, the row of 4x4 blocks that contains the two corners of its footprint with one y.
#[derive(Clone, Debug)]
pub(super) struct BlockRow {
    offsets: [i64; 32],
    /// For each lane, the cache slot of the first block in its row of blocks.
    places: [u32; 32],
    /// The index in its block of the first texel at the row's y; negative if y or z is outside.
    cells: [i32; 32],
}

impl BlockRow {
    pub(super) const ZERO: Self = Self { offsets: [0; 32], places: [0; 32], cells: [0; 32] };

    /// Step 1 of the lookup of texels in decoded 4x4 blocks: finds the row of blocks that contains
    /// the corners of a footprint with the same y.
    #[inline(always)]
    pub(super) fn find(&mut self, which: TexelIndices<'_>) {
        let TexelIndices { at: [_, y, z], pitches, .. } = which;
        for lane in 0..32 {
            let [y, z] = [y[lane] as i32, z[lane] as i32];
            let slice = pitches.base[lane] + i64::from(z) * pitches.slice[lane];
            self.offsets[lane] = slice + i64::from(y >> 2) * pitches.row[lane];
            self.places[lane] = place([0, y], slice);
            self.cells[lane] = if y | z < 0 { -1 } else { (y & 3) << 2 };
        }
    }
}

impl Corner {
    pub(super) const NONE: Self = Self {
        offsets: [-1; 32],
        keys: [NOWHERE; 34],
        places: [0; 32],
        cells: [0; ROOM],
        texels: [0; ROOM],
        wanted: 0,
        starts: 0,
        known: 0,
        outside: false,
    };

    /// Step 2 of the lookup of texels in decoded 4x4 blocks: finds each lane's block, of `size`
    /// bytes, in the row of blocks, and the index of the texel in that block.
    #[inline(always)]
    pub(super) fn find(&mut self, size: usize, row: &BlockRow, which: TexelIndices<'_>) {
        let shift = size.trailing_zeros();
        let mut signs = 0;
        for lane in 0..32 {
            let (x, cell) = (which.at[0][lane] as i32, row.cells[lane]);
            let offset = row.offsets[lane] + (i64::from(x >> 2) << shift);
            let offset = if x | cell < 0 { -1 } else { offset };
            self.offsets[lane] = offset;
            self.keys[lane + 1] = (offset >> 3) as u32;
            self.places[lane] = row.places[lane].wrapping_add(x as u32 >> 2);
            self.cells[lane] = (cell & 12 | x & 3) as u8;
            signs |= x | cell;
        }
        (self.wanted, self.outside) = (which.wanted, signs < 0);
    }

    /// Marks the lanes whose block has already been looked up for the earlier corner `other`. With
    /// `row`, `other` is the adjacent corner in the same row, whose block is often that of the next
    /// lane. Otherwise it is the corner in the other row.
    #[inline(always)]
    fn compare_with<S: Simd>(&mut self, simd: S, other: &Self, row: bool) {
        let keys = window(&self.keys, 1);
        self.known |= same(simd, keys, window(&other.keys, 1)) & other.wanted;
        if row {
            self.known |= same(simd, keys, window(&other.keys, 2)) & other.wanted >> 1;
        }
    }

    /// Copies texels of a block to the lanes `start..end`, and possibly to a few lanes after them,
    /// which are overwritten later from their own blocks.
    #[inline(always)]
    fn copy(&mut self, texels: &[u64; 16], start: usize, end: usize) {
        let mut lane = start;
        while lane < end {
            let (to, cells) = (&mut self.texels[lane..lane + 4], &self.cells[lane..lane + 4]);
            for i in 0..4 {
                to[i] = texels[usize::from(cells[i] & 15)];
            }
            lane += 4;
        }
    }

    /// The last step of a lookup, after [`Cache::read`]: extracts the codes of the first `channels`
    /// channels. Lanes outside get the codes of the border colour.
    #[inline(always)]
    pub(super) fn unpack<S: Simd>(
        &self,
        simd: S,
        border: [u32; 4],
        channels: usize,
        out: &mut TexelLanes,
    ) {
        let mut pairs = [[0; 32]; 4];
        self.unpack_pairs(border, &mut pairs);
        for chunk in 0..32 / S::LANES {
            for c in 0..channels {
                let pair = load(simd, &pairs[c / 2], chunk);
                let code = if c % 2 == 0 { pair & int(simd, 0xffff) } else { pair.shr(16) };
                code.store(&mut out[c], chunk);
            }
        }
    }

    /// The last step of a lookup for codes in pairs: two codes of 16 bits per word, the first
    /// lowest.
    #[inline(always)]
    pub(super) fn unpack_pairs(&self, border: [u32; 4], out: &mut TexelLanes) {
        let [low, high, ..] = out;
        for lane in 0..32 {
            low[lane] = self.texels[lane] as u32;
            high[lane] = (self.texels[lane] >> 32) as u32;
        }
        let [x, y, z, w] = border;
        self.surround(x | y << 16, low);
        self.surround(z | w << 16, high);
    }

    /// Sets the lanes outside to the border colour.
    #[inline(always)]
    fn surround(&self, border: u32, out: &mut [u32; 32]) {
        if self.outside {
            for lane in 0..32 {
                out[lane] = if self.offsets[lane] < 0 { border } else { out[lane] };
            }
        }
    }
}

/// Step 3 of the lookup of texels in decoded 4x4 blocks, for all corners in order: determines which
/// lanes and corners share a block.
#[inline(always)]
pub(super) fn compare<S: Simd>(simd: S, block: &Block, corners: &mut [Corner]) {
    // If 32-bit keys are too short for the memory, each lane looks up its block on its own.
    let is_vast = block.size() as u64 >= 1 << 35;
    for corner in &mut *corners {
        let differs = !same(simd, window(&corner.keys, 1), window(&corner.keys, 0));
        corner.starts = if is_vast { u32::MAX } else { differs | 1 };
        corner.known = 0;
    }
    for k in 1..if is_vast { 1 } else { corners.len() } {
        let (before, here) = corners.split_at_mut(k);
        if k % 2 == 1 {
            here[0].compare_with(simd, &before[k - 1], true);
        }
        if k >= 2 {
            here[0].compare_with(simd, &before[k - 2], false);
        }
    }
}

/// A key that equals that of no block.
const NOWHERE: u32 = 0x8000_0000;

/// The 32 consecutive keys from index `first` on.
#[inline(always)]
fn window(keys: &[u32; 34], first: usize) -> &Lanes {
    keys[first..].first_chunk().expect("first is at most 2")
}

/// The mask of the lanes whose numbers are equal in both arrays.
#[inline(always)]
fn same<S: Simd>(simd: S, a: &Lanes, b: &Lanes) -> u32 {
    let mut mask = 0;
    for chunk in 0..32 / S::LANES {
        mask |= load(simd, a, chunk).is(load(simd, b, chunk)).bits() << (chunk * S::LANES);
    }
    mask
}

/// The number of the cache slot for the block that contains the texel at x and y, in a slice that
/// begins at a byte offset. The caller takes it modulo the number of slots.
#[inline(always)]
pub(super) fn place([x, y]: [i32; 2], slice: i64) -> u32 {
    let row = (y as u32 >> 2).wrapping_mul(ROW);
    // Levels, layers and slices begin at multiples of large numbers, so their offsets are hashed.
    let slice = ((slice as u64 >> 6) as u32).wrapping_mul(0x9e37_79b1) >> 20;
    (x as u32 >> 2).wrapping_add(row).wrapping_add(slice)
}

/// Allocates an array on the heap whose pages are committed only when they are used.
fn places<T: Clone>(none: T) -> Box<[T; BLOCKS]> {
    let all = vec![none; BLOCKS].into_boxed_slice();
    all.try_into().unwrap_or_else(|_| unreachable!("as many as there are places"))
}

/// Reads the bytes of a 4x4 block.
#[inline(always)]
pub(super) fn bytes(block: &Block, offset: u64, size: usize) -> [u64; 2] {
    const INSIDE: &str = "address modes keep to the extent, and `Resource` to the block";
    let second = if size == 16 { block.load_u64(offset + 8).expect(INSIDE) } else { 0 };
    [block.load_u64(offset).expect(INSIDE), second]
}

/// Splits a cached texel into its four codes.
pub(super) fn codes(texel: u64) -> [u32; 4] {
    [0, 16, 32, 48].map(|bit: u32| u32::from((texel >> bit) as u16))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use texunit_texel::decode_block;

    #[test]
    fn a_block_is_decoded_anew_for_other_bytes_and_formats() {
        let mut blocks = Cache::new();
        let mut check = |format: Format, place: usize, bytes: [u64; 2]| {
            let all: Vec<u8> = bytes.into_iter().flat_map(u64::to_le_bytes).collect();
            let wanted = decode_block(format, &all).unwrap();
            for round in ["decoded", "kept"] {
                let texels = blocks.texels(place, format, bytes);
                assert_eq!(texels.map(codes), wanted, "{format}, {round}");
            }
        };
        for name in ["bc1", "bc4", "bc7", "bc6h", "bc3"] {
            let format = Format::from_name(name).unwrap();
            for i in 0..1000_u64 {
                let word = i.wrapping_mul(0x2545_f491_4f6c_dd1d);
                let high = if format.texel_size() == 16 { !word } else { 0 };
                check(format, (i % 7 * 341) as usize, [word, high]);
            }
        }
        for format in Format::all().filter(|f| f.is_block()) {
            check(format, 0, [0x5a5a_5a5a_5a5a_5a5a; 2]);
        }
    }
}
