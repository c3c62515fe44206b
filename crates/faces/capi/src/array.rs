//! Arrays: making, filling, reading.

use crate::caller::{Out, apart, bytes, bytes_mut, path, range, read, set};
use crate::desc::{TEXUNIT_ALL_LEVELS, texunit_array_desc};
use crate::handle::{find, forget, keep, texunit_array};
use crate::resource::{described, made, shape};
use crate::status::{Failure, TEXUNIT_ERROR_SIZE, guard, texunit_status};
use std::ffi::{c_char, c_void};
use std::ops::Range;
use std::sync::Arc;
use texunit_files::mipmaps;
use texunit_forms::Count;
use texunit_sample::{ArrayOptions, SampleError};
use texunit_unit::{Extent, Resource};

/// Makes an array, whose texels are zeros (cuArray3DCreate, cuMipmappedArrayCreate). Sizes are in texels, of block-compressed
/// formats too. Of arrays with samples the depth is as of those without.
///
/// numMipmapLevels: 0 for an array without mip levels, else from 1 on. numSamples: 0 or 1 for an array without samples, else
/// 2, 4, 8 or 16.
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
        // SAFETY: as the caller promises.
        let (array, desc) = unsafe { (Out::new("array", array)?, read("desc", desc)?) };
        let shape = shape(&desc, num_mipmap_levels, num_samples)?;
        array.set(keep(Arc::new(made(&shape)?))?);
        Ok(())
    })
}

/// Makes an array of a file: DDS and KTX 2.0 with all that they hold, NPY as docs/python-conventions.md says, PNG, JPEG and
/// EXR. Whether the file says that its colours are sRGB goes to srgb as 0 or 1, if that is not null.
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
        // SAFETY: as the caller promises.
        let (array, file) = unsafe { (Out::new("array", array)?, path("file", file)?) };
        let (resource, is_srgb) = texunit_sample::read(&file, &ArrayOptions::default())?;
        array.set(keep(Arc::new(resource))?);
        // SAFETY: as the caller promises.
        unsafe { set(srgb, is_srgb.into()) };
        Ok(())
    })
}

/// Forgets an array; null is none. The texels are there as long as a texture, surface or other array of them is.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_array_destroy(array: texunit_array) -> texunit_status {
    guard(|| forget::<Resource, _>(array))
}

/// What an array was made with (cuArray3DGetDescriptor): a descriptor, mip levels (0: none) and samples (1: none). What is
/// null is not asked for.
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
        // SAFETY: as the caller promises.
        unsafe {
            set(desc, own);
            set(num_mipmap_levels, levels);
            set(num_samples, samples);
        }
        Ok(())
    })
}

/// One mip level as an array of its own, in the same memory (cuMipmappedArrayGetLevel).
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
        // SAFETY: as the caller promises.
        let to = unsafe { Out::new("levelArray", level_array)? };
        let resource: Arc<Resource> = find(array)?;
        to.set(keep(Arc::new(resource.single_level(level)?))?);
        Ok(())
    })
}

/// Bytes of a level, or of TEXUNIT_ALL_LEVELS, without gaps.
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
        // SAFETY: as the caller promises.
        let to = unsafe { Out::new("size", size)? };
        let part = part(array, level)?;
        to.set(part.size_in_bytes() as usize);
        Ok(())
    })
}

/// Writes the texels of a level, or of TEXUNIT_ALL_LEVELS one level after the other: layer by layer (cubes face by face),
/// sample by sample, slice by slice, row by row, all of them. Block-compressed formats have rows of blocks.
///
/// rowPitch: bytes from a row to the next; 0: rows have no gaps. slicePitch: bytes from a slice, sample, face or layer to the
/// next; 0: they have no gaps. With TEXUNIT_ALL_LEVELS both are 0. Without gaps, size is that of texunit_array_size.
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
        // SAFETY: as the caller promises.
        let texels = unsafe { bytes("texels", texels, size)? };
        for (to, from) in part.rows().zip(rows) {
            // All rows of a resource lie in its memory, and arrays are never read-only.
            part.block()
                .write(to.start, &texels[from])
                .map_err(|e| Failure::value(e.to_string()))?;
        }
        Ok(())
    })
}

/// Reads the texels of a level, or of TEXUNIT_ALL_LEVELS, into memory that is laid out as texunit_array_write says. Gaps
/// between rows are left as they are.
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
        // SAFETY: as the caller promises.
        let texels = unsafe { bytes_mut("texels", texels, size)? };
        for (from, to) in part.rows().zip(rows) {
            part.block()
                .read(from.start, &mut texels[to])
                .map_err(|e| Failure::value(e.to_string()))?;
        }
        Ok(())
    })
}

/// Makes all mip levels but the first: a texel is the mean of the 2, 4 or 8 below it, rounded to nearest (of integers halves
/// go up); of an odd size the last row or column is left out. The array has plain channels.
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

/// A level of an array, or all of it.
fn part(array: texunit_array, level: u32) -> Result<Arc<Resource>, Failure> {
    let resource: Arc<Resource> = find(array)?;
    if level == TEXUNIT_ALL_LEVELS {
        return Ok(resource);
    }
    let levels = resource.levels().len();
    if level as usize >= levels {
        let text = format!("level {level}: the array has {levels}, from 0 on");
        return Err(Failure::value(text));
    }
    Ok(Arc::new(resource.single_level(level)?))
}

/// Where each row lies in the caller's memory, in the order of the resource's rows; an error if that is not all inside, or
/// is not all of it.
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
            let text = format!(
                "rowPitch {row_pitch}, slicePitch {slice_pitch}: a row has {}, a slice {slice}",
                Count(row, "byte")
            );
            return Err(Failure::value(text));
        }
        if needed > size as u128 {
            let text =
                format!("texels: size is {size}, but with these pitches {needed} are needed");
            return Err(Failure::new(TEXUNIT_ERROR_SIZE, text));
        }
    }
    let mut packed_at = 0;
    // One by one: there may be as many rows as bytes.
    Ok(part.rows().enumerate().map(move |(n, row)| {
        let length = (row.end - row.start) as usize;
        let start = if is_packed {
            packed_at
        } else {
            // Inside of `size`, as the last row is.
            let (slice, row) = (n as u128 / u128::from(rows), n as u128 % u128::from(rows));
            (slice * slice_pitch + row * u128::from(row_pitch)) as usize
        };
        packed_at += length;
        start..start + length
    }))
}
