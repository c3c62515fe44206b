//! cuFFTW (`cufftw.h`): FFTW's interface to the transforms, what becomes `libcufftw.so.11` and
//! `libcufftw.so.12`. A plan is given arrays of the program in host memory; an execution gathers
//! their elements, transforms them in the calling thread and its helpers, and scatters the results.
//! Neither the driver nor device memory takes part.

use crate::code::*;
use crate::shape::{Layout, Shape, Type, together};
use crate::transform::Engine;
use rustfft::FftDirection;
use std::ffi::c_int;
use std::sync::Arc;
use texunit_forms::Count;

/// An FFTW plan: the transforms, and the arrays that `fftw_execute` transforms.
pub(crate) struct Plan {
    engine: Engine,
    of: Type,
    direction: FftDirection,
    /// Memory regions of input and output; other arrays that the plan is executed on have the same
    /// layout.
    regions: [Region; 2],
}

/// A dimension of the guru interface (`fftw_iodim`, `fftw_iodim64`): size, and the distances in
/// numbers between elements of input and output.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Dimension<T> {
    pub(crate) size: T,
    pub(crate) strides: [T; 2],
}

/// An array of the guru interface: its length, and its elements.
pub(crate) type Dimensions<'a, T> = (c_int, In<'a, Dimension<T>>);

static PLANS: Handles<Arc<Plan>, FftCode> = Handles::new(1, 1, none);

/// Keeps a plan, and returns its handle, which is not 0.
pub(crate) fn keep(plan: Plan) -> usize {
    PLANS.insert(Arc::new(plan))
}

fn none(handle: usize) -> Refused<FftCode> {
    FftCode::InvalidPlan.because(format!("plan {handle:#x} was never made, or it was destroyed"))
}

/// Destroys a plan; a null pointer is ignored, as by FFTW.
pub(crate) fn destroy(handle: usize) -> Answer {
    if handle == 0 { Ok(()) } else { PLANS.remove(handle).map(drop) }
}

/// Executes a plan on its own arrays, or on the arrays `others`, if the plan has this type.
pub(crate) fn execute(handle: usize, others: Option<(Type, [usize; 2])>) -> Answer {
    let plan = PLANS.get(handle)?;
    let mut regions = plan.regions;
    if let Some((of, arrays)) = others {
        ensure!(
            of == plan.of,
            FftCode::InvalidType,
            "the plan is of {}, not of {}",
            plan.of.name(),
            of.name()
        );
        for (region, array) in regions.iter_mut().zip(arrays) {
            region.address = array as u64;
        }
    }
    plan.run(&regions)
}

/// The direction of FFTW's `sign`.
pub(crate) fn direction(sign: c_int) -> Answer<FftDirection> {
    match sign {
        -1 => Ok(FftDirection::Forward),
        1 => Ok(FftDirection::Inverse),
        _ => Err(FftCode::InvalidValue
            .because(format!("sign {sign} is not FFTW_FORWARD (-1) or FFTW_BACKWARD (1)"))),
    }
}

fn too_large() -> Refused<FftCode> {
    FftCode::InvalidSize.because("the transforms have more bytes than addresses count")
}

/// The elements of an array of `rank` dimensions.
///
/// # Safety
/// The array is null, or has `rank` elements.
pub(crate) unsafe fn read<T: Copy>(
    rank: c_int,
    ranks: std::ops::RangeInclusive<c_int>,
    array: In<'_, T>,
) -> Answer<Vec<T>> {
    ensure!(
        ranks.contains(&rank),
        FftCode::InvalidValue,
        "rank {rank} is not from {} to {}",
        ranks.start(),
        ranks.end()
    );
    // SAFETY: the caller upholds this function's safety contract.
    Ok(unsafe { array.elements(rank.unsigned_abs() as usize) }.to_vec()?)
}

impl Plan {
    pub(crate) fn new(shape: Shape, regions: [Region; 2], direction: FftDirection) -> Answer<Self> {
        let is_memory = |bytes| bytes <= isize::MAX.unsigned_abs() as u64;
        if !regions.iter().all(|region| region.bytes().is_some_and(is_memory)) {
            return Err(too_large());
        }
        Ok(Self { of: shape.of, engine: Engine::new(shape), direction, regions })
    }

    /// Plans one contiguous transform.
    pub(crate) fn simple(
        of: Type,
        sizes: &[c_int],
        arrays: [usize; 2],
        direction: FftDirection,
    ) -> Answer<Self> {
        let sizes = sizes.iter().map(|&size| size.into()).collect();
        Self::of_shape(Shape::new(of, sizes, 1, None)?, arrays, direction)
    }

    fn of_shape(shape: Shape, arrays: [usize; 2], direction: FftDirection) -> Answer<Self> {
        let [input, output] = arrays;
        let regions = shape.regions(arrays.map(|array| array as u64), input == output);
        Self::new(shape, regions.ok_or_else(too_large)?, direction)
    }

    /// Transforms of FFTW's advanced interface: input and output each have an array `embed` with
    /// the allocated elements of each dimension, a stride and a distance. Unlike with cuFFT, stride
    /// and distance apply also if `embed` is null; the sizes then stand for it.
    ///
    /// # Safety
    /// Arrays of numbers are null, or have `rank` elements.
    pub(crate) unsafe fn many(
        of: Type,
        (rank, sizes, batch): (c_int, In<'_, c_int>, c_int),
        sides: [(usize, In<'_, c_int>, c_int, c_int); 2],
        direction: FftDirection,
    ) -> Answer<Self> {
        let read = |array| -> Answer<Vec<i64>> {
            // SAFETY: the caller upholds this function's safety contract.
            Ok(unsafe { read(rank, 1..=3, array) }?.into_iter().map(i64::from).collect())
        };
        let arrays = sides.map(|(array, ..)| array);
        let in_place = arrays[0] == arrays[1];
        let contiguous = Shape::new(of, read(sizes)?, batch.into(), None)?;
        let layout = |side: usize| -> Answer<Layout> {
            let (_, embed, stride, distance) = sides[side];
            let embed = match embed.is_null() {
                true => contiguous.layout(side, in_place).ok_or_else(too_large)?.embed,
                false => read(embed)?,
            };
            Ok(Layout { embed, stride: stride.into(), distance: distance.into() })
        };
        let layouts = Some([layout(0)?, layout(1)?]);
        let shape = Shape::new(of, contiguous.sizes, batch.into(), layouts)?;
        Self::of_shape(shape, arrays, direction)
    }

    /// Transforms of FFTW's guru interface: dimensions of a transform, and dimensions along which
    /// it is repeated, four in all.
    ///
    /// # Safety
    /// The arrays are null, or have as many elements as said.
    pub(crate) unsafe fn guru<T: Copy + Into<i64>>(
        of: Type,
        [dimensions, repeated]: [Dimensions<'_, T>; 2],
        arrays: [usize; 2],
        direction: FftDirection,
    ) -> Answer<Self> {
        // SAFETY: the caller upholds this function's safety contract.
        let dimensions = unsafe { read(dimensions.0, 1..=3, dimensions.1) }?;
        let most = 4 - dimensions.len() as c_int;
        // SAFETY: as above.
        let repeated = unsafe { read(repeated.0, 0..=most, repeated.1) }?;
        let sizes = |all: &[Dimension<T>]| all.iter().map(|d| d.size.into()).collect::<Vec<i64>>();
        let counts = sizes(&repeated);
        let batch = counts
            .iter()
            .try_fold(1_i64, |product, &count| product.checked_mul(count).filter(|_| count > 0));
        let batch =
            batch.ok_or_else(|| FftCode::InvalidSize.because("a repetition is not at least 1"))?;
        let shape = Shape::new(of, sizes(&dimensions), batch, None)?;
        let region = |side: usize| -> Option<Region> {
            let [repeated, dimensions] = [(&counts, &repeated), (&shape.counts(side), &dimensions)]
                .map(|(counts, of)| {
                    let strides = of.iter().map(|d| d.strides[side].into());
                    counts.iter().copied().zip(strides).collect::<Vec<(i64, i64)>>()
                });
            shape.region(side, arrays[side] as u64, &repeated, &dimensions)
        };
        let regions = [region(0).ok_or_else(too_large)?, region(1).ok_or_else(too_large)?];
        Self::new(shape, regions, direction)
    }

    /// Transforms the arrays in these regions.
    pub(crate) fn run(&self, regions: &[Region; 2]) -> Answer {
        if regions.iter().any(|region| region.address == 0) {
            bail!(FftCode::InvalidValue, "an array is null");
        }
        if regions.iter().any(|region| region.hull().is_none()) {
            return Err(too_large());
        }
        let all = regions[0].count[0];
        let together =
            Some(together(regions)).filter(|&count| count != 0).map_or(all, |n| n.min(all));
        let mut rooms = [Vec::new(), Vec::new()];
        for (room, region) in rooms.iter_mut().zip(regions) {
            *room = zeros(size(&region.part(0, together)))?;
        }
        let mut first = 0;
        while first < all {
            let parts = regions.map(|region| region.part(first, together.min(all - first)));
            let mut bytes = rooms.iter_mut().zip(&parts).map(|(room, part)| {
                let all: &mut [u8] = bytemuck::cast_slice_mut(room);
                &mut all[..size(part)]
            });
            if let (Some(input), Some(output)) = (bytes.next(), bytes.next()) {
                // SAFETY: by FFTW's documentation the program's array has these elements.
                unsafe { copy(&parts[0], input, false) };
                self.engine.run(self.direction, input, output);
                // SAFETY: as above.
                unsafe { copy(&parts[1], output, true) };
            }
            first += together;
        }
        Ok(())
    }
}

/// Size in bytes of a region that is known to fit into memory.
fn size(region: &Region) -> usize {
    region.bytes().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default()
}

/// Zeroed memory for numbers, aligned to eight bytes.
fn zeros(bytes: usize) -> Answer<Vec<u64>> {
    let mut room = Vec::new();
    let count = bytes.div_ceil(8);
    room.try_reserve_exact(count).map_err(|_| {
        FftCode::AllocFailed.because(format!("there is no memory for {}", Count(bytes, "byte")))
    })?;
    room.resize(count, 0);
    Ok(room)
}

/// Copies the elements of an array to the contiguous memory `packed`, or (`back`) from it.
///
/// # Safety
/// The region's elements are memory of the program, which nothing accesses meanwhile.
unsafe fn copy(region: &Region, packed: &mut [u8], back: bool) {
    let pieces = region.in_pieces();
    let size = pieces.element as usize;
    for (at, piece) in pieces.addresses().zip(packed.chunks_exact_mut(size)) {
        let (own, piece) = (std::ptr::with_exposed_provenance_mut(at as usize), piece.as_mut_ptr());
        let (from, to) = if back { (piece, own) } else { (own, piece) };
        // SAFETY: the caller upholds this function's safety contract; the piece is our own.
        unsafe { std::ptr::copy_nonoverlapping::<u8>(from, to, size) };
    }
}
