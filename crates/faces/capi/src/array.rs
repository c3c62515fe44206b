//! Arrays: creating, filling and reading them.

use crate::caller::{Out, apart, bytes, bytes_mut, path, range, read, set};
use crate::constants::*;
use crate::desc::texunit_array_desc;
use crate::handle::{find, forget, keep, texunit_array};
use crate::resource::{described, made, shape};
use crate::status::{Failure, guard, texunit_status};
use std::ffi::{c_char, c_void};
use std::ops::Range;
use std::sync::Arc;
use texunit_files::mipmaps;
use texunit_forms::Count;
use texunit_sample::{ArrayOptions, SampleError};
use texunit_unit::{Extent, Resource};

/// Makes an array, whose texels are zeros (cuArray3DCreate, cuMipmappedArrayCreate). Sizes are in
/// texels, also for block-compressed formats. The depth of a multi-sample array is that of the
/// array without samples.
///
/// numMipmapLevels: 0 for an array without mip levels, else from 1 on. numSamples: 0 or 1 for an
/// array without samples, else 2, 4, 8 or 16.
///
/// # Safety
/// Pointers are null or as their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_array_create(
    array: *mut texunit_array,
    desc: *const texunit_array_desc,
    num_mipmap_levels: u32,
    num_samples: u32,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let (array, desc) = unsafe { (Out::new("array", array)?, read("desc", desc)?) };
        array.set(keep(Arc::new(made(&shape(&desc, num_mipmap_levels, num_samples)?)?))?);
        Ok(())
    })
}

/// Makes an array from a file: DDS and KTX 2.0 with all their contents, NPY as
/// docs/python-conventions.md says, PNG, JPEG and EXR. srgb, if it is not null, is set to 1 if the
/// file's colours are sRGB, else to 0.
///
/// # Safety
/// Pointers are null or as their types say; the path ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_array_open(
    array: *mut texunit_array,
    file: *const c_char,
    srgb: *mut u32,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let (array, file) = unsafe { (Out::new("array", array)?, path("file", file)?) };
        let (resource, is_srgb) = texunit_sample::read(&file, &ArrayOptions::default())?;
        array.set(keep(Arc::new(resource))?);
        // SAFETY: guaranteed by the caller.
        unsafe { set(srgb, is_srgb.into()) };
        Ok(())
    })
}

/// Destroys an array handle; null is allowed. The texels exist as long as a texture, surface or
/// other array refers to them.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_array_destroy(array: texunit_array) -> texunit_status {
    guard(|| forget::<Resource, _>(array))
}

/// The parameters that an array was created with (cuArray3DGetDescriptor): descriptor, mip levels
/// (0 for none) and samples (1 for none). Null outputs are skipped.
///
/// # Safety
/// Pointers are null or as their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_array_describe(
    array: texunit_array,
    desc: *mut texunit_array_desc,
    num_mipmap_levels: *mut u32,
    num_samples: *mut u32,
) -> texunit_status {
    guard(|| {
        let resource: Arc<Resource> = find(array)?;
        let (own, levels, samples) = described(&resource);
        // SAFETY: guaranteed by the caller.
        unsafe {
            set(desc, own);
            set(num_mipmap_levels, levels);
            set(num_samples, samples);
        }
        Ok(())
    })
}

/// One mip level as an array handle of its own, which shares the memory (cuMipmappedArrayGetLevel).
///
/// # Safety
/// Pointers are null or as their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_array_level(
    level_array: *mut texunit_array,
    array: texunit_array,
    level: u32,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let to = unsafe { Out::new("levelArray", level_array)? };
        let resource: Arc<Resource> = find(array)?;
        to.set(keep(Arc::new(resource.single_level(level)?))?);
        Ok(())
    })
}

/// Size in bytes of a level, or of TEXUNIT_ALL_LEVELS, packed without gaps.
///
/// # Safety
/// Pointers are null or as their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_array_size(
    array: texunit_array,
    level: u32,
    size: *mut usize,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let to = unsafe { Out::new("size", size)? };
        to.set(part(array, level)?.size_in_bytes() as usize);
        Ok(())
    })
}

/// Writes all texels of a level, or of TEXUNIT_ALL_LEVELS one level after another. The order within
/// a level is layer by layer (cubes face by face), sample by sample, slice by slice, row by row.
/// Block-compressed formats have rows of blocks.
///
/// rowPitch: distance in bytes from one row to the next; 0: rows have no gaps. slicePitch: distance
/// in bytes from one slice, sample, face or layer to the next; 0: they have no gaps. With
/// TEXUNIT_ALL_LEVELS both are 0. Without gaps, size is that of texunit_array_size.
///
/// # Safety
/// The pointer is null, or there are size bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_array_write(
    array: texunit_array,
    level: u32,
    texels: *const c_void,
    size: usize,
    row_pitch: usize,
    slice_pitch: usize,
) -> texunit_status {
    guard(|| {
        let part = part(array, level)?;
        let rows = rows(&part, level, size, [row_pitch, slice_pitch])?;
        // SAFETY: guaranteed by the caller.
        let texels = unsafe { bytes("texels", texels, size)? };
        for (to, from) in part.rows().zip(rows) {
            // All rows of a resource lie in its memory, and arrays are always writable.
            part.block()
                .write(to.start, &texels[from])
                .map_err(|e| Failure::value(e.to_string()))?;
        }
        Ok(())
    })
}

/// Reads the texels of a level, or of TEXUNIT_ALL_LEVELS, into memory with the layout of
/// texunit_array_write. Gaps between rows are not written.
///
/// # Safety
/// The pointer is null, or there is room for size bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_array_read(
    array: texunit_array,
    level: u32,
    texels: *mut c_void,
    size: usize,
    row_pitch: usize,
    slice_pitch: usize,
) -> texunit_status {
    guard(|| {
        let part = part(array, level)?;
        let own = crate::caller::texels(&part);
        apart(("texels", &range(texels, size)), ("the texels of the array", &own))?;
        let rows = rows(&part, level, size, [row_pitch, slice_pitch])?;
        // SAFETY: guaranteed by the caller.
        let texels = unsafe { bytes_mut("texels", texels, size)? };
        for (from, to) in part.rows().zip(rows) {
            part.block()
                .read(from.start, &mut texels[to])
                .map_err(|e| Failure::value(e.to_string()))?;
        }
        Ok(())
    })
}

/// Generates all mip levels but the first: a texel is the mean of the 2, 4 or 8 texels below it,
/// rounded to nearest (for integers, halves up); at an odd size the last row or column is left out.
/// The array must have plain channels.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_array_generate_mipmaps(array: texunit_array) -> texunit_status {
    guard(|| {
        let resource: Arc<Resource> = find(array)?;
        let format = resource.format();
        let channel = format.plain_channel().ok_or_else(|| {
            Failure::value(format!("mip levels are made of plain channels, not of {format}"))
        })?;
        let levels = resource.levels().len() as u32;
        let room = || SampleError::Room(resource.size_in_bytes());
        let base = resource.single_level(0)?.try_to_packed().ok_or_else(room)?;
        let all = mipmaps::chain(&base, format, channel, resource.extent().axes(), levels);
        resource.fill_packed(&all.ok_or_else(room)?)?;
        Ok(())
    })
}

/// One level of an array, or all levels.
fn part(array: texunit_array, level: u32) -> Result<Arc<Resource>, Failure> {
    let resource: Arc<Resource> = find(array)?;
    if level == TEXUNIT_ALL_LEVELS {
        return Ok(resource);
    }
    let levels = resource.levels().len();
    if level as usize >= levels {
        return Err(Failure::value(format!("level {level}: the array has {levels}, from 0 on")));
    }
    Ok(Arc::new(resource.single_level(level)?))
}

/// The offset of each row in the caller's memory, in the order of the resource's rows; an error if
/// the rows do not fit exactly.
fn rows(
    part: &Resource,
    level: u32,
    size: usize,
    [row_pitch, slice_pitch]: [usize; 2],
) -> Result<impl Iterator<Item = Range<usize>> + '_, Failure> {
    let packed = part.size_in_bytes();
    let is_packed = (row_pitch, slice_pitch) == (0, 0);
    if level == TEXUNIT_ALL_LEVELS && !is_packed {
        return Err(Failure::value("rowPitch and slicePitch are of one level"));
    }
    if is_packed && size as u64 != packed {
        let text = format!("texels: size is {size}, but the texels have {}", Count(packed, "byte"));
        return Err(Failure::new(TEXUNIT_ERROR_SIZE, text));
    }
    let Extent { height, depth, .. } = part.extent();
    let row = part.row_bytes(0);
    let rows = u64::from(height.div_ceil(part.format().block_extent()));
    let shape = part.shape();
    let slices = u64::from(depth) * u64::from(shape.planes()) * u64::from(shape.samples);
    let row_pitch = if row_pitch == 0 { row } else { row_pitch as u64 };
    let slice = u128::from(row_pitch) * u128::from(rows - 1) + u128::from(row);
    let next = u128::from(row_pitch) * u128::from(rows);
    let slice_pitch = if slice_pitch == 0 { next } else { slice_pitch as u128 };
    let needed = slice_pitch * u128::from(slices - 1) + slice;
    if !is_packed {
        if row_pitch < row || slices > 1 && slice_pitch < slice {
            return Err(Failure::value(format!(
                "rowPitch {row_pitch}, slicePitch {slice_pitch}: a row has {}, a slice {slice}",
                Count(row, "byte")
            )));
        }
        if needed > size as u128 {
            let text =
                format!("texels: size is {size}, but with these pitches {needed} are needed");
            return Err(Failure::new(TEXUNIT_ERROR_SIZE, text));
        }
    }
    let mut packed_at = 0;
    // A lazy iterator, since there may be as many rows as bytes.
    Ok(part.rows().enumerate().map(move |(n, row)| {
        let length = (row.end - row.start) as usize;
        let start = if is_packed {
            packed_at
        } else {
            // Cannot exceed `size`, since the last row does not.
            let (slice, row) = (n as u128 / u128::from(rows), n as u128 % u128::from(rows));
            (slice * slice_pitch + row * u128::from(row_pitch)) as usize
        };
        packed_at += length;
        start..start + length
    }))
}
