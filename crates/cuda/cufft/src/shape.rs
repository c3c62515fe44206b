//! The shape of a plan: sizes, types, and the layout of elements in memory. The memory regions that
//! an execution reads and writes are computed from it.

use crate::code::*;
use crate::number::Precision;

/// Kind of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `C2C`, in the direction that each execution names.
    Complex,
    /// `R2C`: forward; only the first half of the spectrum is stored along the last dimension.
    FromReal,
    /// `C2R`: inverse, of half a spectrum.
    ToReal,
}

/// `cufftType`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    pub(crate) precision: Precision,
}

/// Defines the types of `cufft.h`, by their numbers there.
macro_rules! types {
    ($($number:literal $name:ident: $kind:ident $precision:ident,)*) => {
        impl Type {
            $(pub(crate) const $name: Self =
                Self { kind: Kind::$kind, precision: Precision::$precision };)*

            const NAMED: &[(u32, &str, Self)] =
                &[$(($number, concat!("CUFFT_", stringify!($name)), Self::$name)),*];
        }
    };
}
types! {
    0x29 C2C: Complex Single,
    0x2a R2C: FromReal Single,
    0x2c C2R: ToReal Single,
    0x69 Z2Z: Complex Double,
    0x6a D2Z: FromReal Double,
    0x6c Z2D: ToReal Double,
}

impl Type {
    /// The type of a number in `cufft.h`.
    pub(crate) fn of_c(number: u32) -> Answer<Self> {
        Self::NAMED.iter().find(|known| known.0 == number).map(|known| known.2).ok_or_else(|| {
            FftCode::InvalidType.because(format!("type {number:#x} is not a cufftType"))
        })
    }

    /// The type of three `cudaDataType`: input, output, and computation.
    pub(crate) fn of_data([input, output, execution]: [u32; 3]) -> Answer<Self> {
        // The `cudaDataType` numbers of half, bfloat, single and double precision, for real and for
        // complex numbers.
        let known = |number| {
            let precision = match number {
                2 | 6 => Precision::Half,
                14 | 15 => Precision::Bfloat,
                0 | 4 => Precision::Single,
                1 | 5 => Precision::Double,
                _ => return None,
            };
            Some((precision, matches!(number, 4..=6 | 15)))
        };
        let all = [input, output, execution].map(known);
        let kind = match all {
            [Some((a, from)), Some((b, to)), Some((c, true))] if a == b && b == c => {
                match (from, to) {
                    (true, true) => Some(Kind::Complex),
                    (false, true) => Some(Kind::FromReal),
                    (true, false) => Some(Kind::ToReal),
                    (false, false) => None,
                }
            }
            _ => None,
        };
        let (Some(kind), Some((precision, _))) = (kind, all[2]) else {
            bail!(
                FftCode::InvalidType,
                "inputtype {input}, outputtype {output} and executiontype {execution} do not make a transform: all have one precision, \
                 input or output is complex, and executiontype is"
            );
        };
        Ok(Self { kind, precision })
    }

    /// Name of the type in `cufft.h`.
    pub(crate) fn name(self) -> String {
        match Self::NAMED.iter().find(|known| known.2 == self) {
            Some(known) => known.1.to_owned(),
            None => format!("{:?} precision", self.precision),
        }
    }

    /// Whether input and output are complex.
    fn is_complex(self) -> [bool; 2] {
        [self.kind != Kind::FromReal, self.kind != Kind::ToReal]
    }
}

/// Layout of the input or the output, in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Allocated elements of each dimension; the first is not used.
    pub(crate) embed: Vec<i64>,
    /// Distance between elements along the last dimension.
    pub(crate) stride: i64,
    /// Distance between transforms.
    pub(crate) distance: i64,
}

/// Sizes, type and layout of a plan's transforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) of: Type,
    /// Sizes of one to three dimensions.
    pub(crate) sizes: Vec<i64>,
    pub(crate) batch: i64,
    /// Layouts of input and output; `None` if transforms are contiguous.
    pub(crate) layouts: Option<[Layout; 2]>,
}

impl Shape {
    /// Checks that sizes are valid and that addresses fit into 64 bits.
    pub(crate) fn new(
        of: Type,
        sizes: Vec<i64>,
        batch: i64,
        layouts: Option<[Layout; 2]>,
    ) -> Answer<Self> {
        if let Some(size) = sizes.iter().find(|&&size| size < 1) {
            bail!(FftCode::InvalidSize, "size {size} of a dimension is not at least 1");
        }
        ensure!(batch >= 1, FftCode::InvalidSize, "batch {batch} is not at least 1");
        ensure!(
            !of.precision.is_short()
                || sizes.iter().all(|size| size.cast_unsigned().is_power_of_two()),
            FftCode::InvalidSize,
            "a size is not a power of two, as those of transforms in half precision are"
        );
        for (side, layout) in ["i", "o"].into_iter().zip(layouts.iter().flatten()) {
            let Layout { embed, stride, distance } = layout;
            if let Some(embed) = embed.iter().skip(1).find(|&&embed| embed < 1) {
                bail!(FftCode::InvalidValue, "{side}nembed has {embed}, which is not at least 1");
            }
            if *stride < 1 || *distance < 0 || (*distance < 1 && batch > 1 && side == "o") {
                bail!(
                    FftCode::InvalidValue,
                    "{side}stride {stride} or {side}dist {distance} is too small"
                );
            }
        }
        let shape = Self { of, sizes, batch, layouts };
        for in_place in [false, true] {
            if shape.regions([0, 0], in_place).is_none() {
                bail!(FftCode::InvalidSize, "the transforms have more bytes than addresses count");
            }
        }
        Ok(shape)
    }

    /// Elements of a transform along each dimension of the input (0) or the output (1).
    pub(crate) fn counts(&self, side: usize) -> Vec<i64> {
        let mut counts = self.sizes.clone();
        if let (Some(last), true) = (counts.last_mut(), self.halves(side)) {
            *last = *last / 2 + 1;
        }
        counts
    }

    /// Whether half the spectrum is stored along the last dimension.
    fn halves(&self, side: usize) -> bool {
        matches!((self.of.kind, side), (Kind::FromReal, 1) | (Kind::ToReal, 0))
    }

    /// Size of an element in bytes.
    pub(crate) fn element(&self, side: usize) -> i64 {
        let parts = if self.of.is_complex()[side] { 2 } else { 1 };
        (self.of.precision.size() * parts).cast_signed()
    }

    /// The layout of the input or output: as the program gave it, or contiguous. In place,
    /// contiguous rows of real numbers are padded to hold the complex result.
    pub(crate) fn layout(&self, side: usize, in_place: bool) -> Option<Layout> {
        if let Some(layouts) = &self.layouts {
            return Some(layouts[side].clone());
        }
        let mut embed = self.counts(side);
        if let (Some(last), true) = (embed.last_mut(), in_place && !self.of.is_complex()[side]) {
            *last = (*last / 2 + 1) * 2;
        }
        let distance = product(&embed)?;
        Some(Layout { embed, stride: 1, distance })
    }

    /// Input and output regions at addresses; `None` if they exceed the address space.
    pub(crate) fn regions(&self, addresses: [u64; 2], in_place: bool) -> Option<[Region; 2]> {
        let region = |side: usize| {
            let layout = self.layout(side, in_place)?;
            let (mut dimensions, mut stride) = (Vec::new(), layout.stride);
            for (d, count) in self.counts(side).into_iter().enumerate().rev() {
                dimensions.insert(0, (count, stride));
                if d > 0 {
                    stride = stride.checked_mul(layout.embed[d])?;
                }
            }
            let repeated = [(self.batch, layout.distance)];
            let region = self.region(side, addresses[side], &repeated, &dimensions)?;
            region.bytes().filter(|&bytes| bytes <= i64::MAX.cast_unsigned())?;
            region.hull().map(|_| region)
        };
        Some([region(0)?, region(1)?])
    }

    /// The region of the input (0) or output (1) at an address. `repeated` has the dimensions along
    /// which a transform is repeated, `dimensions` those of a transform: each has a number of
    /// elements, and their distance in elements.
    pub(crate) fn region(
        &self,
        side: usize,
        address: u64,
        repeated: &[(i64, i64)],
        dimensions: &[(i64, i64)],
    ) -> Option<Region> {
        let size = self.element(side);
        let element = size.cast_unsigned();
        let access = if side == 0 { Region::READ } else { Region::WRITTEN };
        let mut region = Region { address, element, access, count: [1; 4], stride: [0; 4] };
        // The first dimension of a region is the first dimension along which the transform is
        // repeated. All other dimensions are the last elements of the region's arrays; unused
        // elements are between.
        let (first, others) = repeated.split_first().unwrap_or((&(1, 0), &[]));
        let places = std::iter::once(0).chain(4 - others.len() - dimensions.len()..4);
        let all = std::iter::once(first).chain(others).chain(dimensions);
        for (at, &(count, stride)) in places.zip(all) {
            region.count[at] = count.cast_unsigned();
            region.stride[at] = size.checked_mul(stride)?;
        }
        Some(region)
    }

    /// Size of the work area in bytes: room for a copy of the larger side. Texunit needs none, but
    /// a program that provides too small a work area, or one for two plans at once, then gets
    /// cuFFT's errors here, too.
    pub(crate) fn work_size(&self) -> usize {
        let bytes = |side| {
            let all = product(&self.counts(side))?.checked_mul(self.batch)?;
            all.checked_mul(self.element(side))
        };
        let larger = [bytes(0), bytes(1)].into_iter().flatten().max();
        larger.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
    }
}

/// Bytes of input and output that a thread transforms at once, so that they stay in caches.
const TOGETHER: u64 = 1 << 19;

/// Number of transforms that may be done at a time, so that copies stay in caches; 0 if one
/// transform may overwrite another one's input.
pub(crate) fn together(regions: &[Region; 2]) -> u64 {
    let [input, output] = regions;
    let (Some(from), Some(to)) = (input.hull(), output.hull()) else { return 0 };
    let is_before = |a: (u64, u64), b: (u64, u64)| a.0.saturating_add(a.1) <= b.0;
    // In place, no transform may overwrite elements of another one.
    let distance = input.stride[0].unsigned_abs();
    let own = |region: &Region| {
        let hull = region.part(0, 1).hull();
        hull.is_some_and(|(first, bytes)| first == region.address && bytes <= distance)
    };
    let is_in_place = input.address == output.address
        && input.stride[0] == output.stride[0]
        && own(input)
        && own(output);
    if !is_before(from, to) && !is_before(to, from) && !is_in_place {
        return 0;
    }
    let bytes = regions.iter().filter_map(|region| region.part(0, 1).bytes()).sum::<u64>().max(1);
    (TOGETHER * threads() as u64 / bytes).max(1)
}

fn product(counts: &[i64]) -> Option<i64> {
    counts.iter().try_fold(1_i64, |product, &count| product.checked_mul(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(number: u32, sizes: &[i64], batch: i64) -> Shape {
        Shape::new(Type::of_c(number).unwrap(), sizes.to_vec(), batch, None).unwrap()
    }

    #[test]
    fn rows_of_real_numbers_are_padded_in_place() {
        let shape = shape(0x2a, &[3, 5], 2);
        let [input, output] = shape.regions([0, 0], false).unwrap();
        assert_eq!((input.count, input.stride), ([2, 1, 3, 5], [60, 0, 20, 4]));
        assert_eq!((output.count, output.stride), ([2, 1, 3, 3], [72, 0, 24, 8]));
        let [input, output] = shape.regions([0, 0], true).unwrap();
        assert_eq!((input.count, input.stride), ([2, 1, 3, 5], [72, 0, 24, 4]));
        assert_eq!(output.stride, [72, 0, 24, 8]);
        assert_eq!(shape.work_size(), 2 * 3 * 3 * 8);
    }

    #[test]
    fn transforms_are_done_together_where_none_reads_what_another_writes() {
        let complex = shape(0x29, &[1024], 64);
        let at = |addresses, in_place| together(&complex.regions(addresses, in_place).unwrap());
        let some = TOGETHER / (2 * 1024 * 8) * threads() as u64;
        assert_eq!(at([0, 1 << 20], false), some);
        assert_eq!(at([1 << 20, 0], false), some);
        assert_eq!(at([4096, 4096], true), some);
        assert_eq!(at([0, 8192], false), 0, "each transform reads what the one before writes");
        let real = shape(0x2a, &[1024], 64);
        assert_ne!(together(&real.regions([0, 0], true).unwrap()), 0, "rows are padded");
        assert_eq!(together(&shape(0x29, &[1 << 20], 2).regions([0, 1 << 40], false).unwrap()), 1);
    }

    #[test]
    fn a_layout_is_what_the_documentation_says() {
        // The address is b * dist + ((x * nembed[1] + y) * nembed[2] + z) * stride.
        let layout = Layout { embed: vec![9, 7, 6], stride: 3, distance: 1000 };
        let of = Type::of_c(0x69).unwrap();
        let shape = Shape::new(of, vec![2, 4, 5], 3, Some([layout.clone(), layout])).unwrap();
        let [input, _] = shape.regions([16, 0], false).unwrap();
        let all: Vec<u64> = input.addresses().collect();
        let at = |b: u64, x: u64, y: u64, z: u64| 16 + 16 * (b * 1000 + ((x * 7 + y) * 6 + z) * 3);
        assert_eq!(all.len(), 3 * 2 * 4 * 5);
        assert_eq!(
            (all[0], all[1], all[5], all[20]),
            (16, at(0, 0, 0, 1), at(0, 0, 1, 0), at(0, 1, 0, 0))
        );
        assert_eq!(all[119], at(2, 1, 3, 4));
    }

    #[test]
    fn what_is_no_transform_is_refused() {
        assert_eq!(Type::of_c(7).unwrap_err().code, FftCode::InvalidType);
        let half = Type::of_data([6, 6, 6]).unwrap();
        assert_eq!(half.precision, Precision::Half);
        assert_eq!(Type::of_data([0, 4, 4]).unwrap().kind, Kind::FromReal);
        assert!(Type::of_data([0, 4, 5]).is_err() && Type::of_data([0, 0, 4]).is_err());
        let layout = Layout { embed: vec![4], stride: 0, distance: 4 };
        for (of, sizes, batch, layouts, code) in [
            (Type::C2C, vec![0], 1, None, FftCode::InvalidSize),
            (Type::C2C, vec![8], 0, None, FftCode::InvalidSize),
            (Type::C2C, vec![i64::MAX, 4], 9, None, FftCode::InvalidSize),
            (Type::C2C, vec![4], 1, Some([layout.clone(), layout]), FftCode::InvalidValue),
            (half, vec![6], 1, None, FftCode::InvalidSize),
        ] {
            assert_eq!(Shape::new(of, sizes, batch, layouts).unwrap_err().code, code);
        }
    }
}
