//! Fetches: sampling, reading and gathering texels at many points per call.

use crate::caller::{apart, bytes, bytes_mut, range, read, set, texels};
use crate::constants::*;
use crate::handle::{find, texunit_texture};
use crate::status::{Failure, guard, texunit_status};
use std::ffi::c_void;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_sample::{Action, Dtype, Input, Points, Request, Texture};

/// An operand of many fetches: elements of 4 bytes. Null data: the fetches do not have this
/// operand.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_operand {
    /// The element of the first fetch.
    pub data: *const c_void,
    /// Distance in bytes from one element to the next: 4 in an array of numbers, 8 in an array of
    /// pairs; 0: all fetches use the first element.
    pub stride: usize,
}

/// A batch of fetches. Operands that are all zeros are absent: count and coords are always set,
/// others as the texture or the fetch requires.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct texunit_fetch_desc {
    /// Number of fetches.
    pub count: usize,
    /// Coordinates x, y, z: float, or int32_t for texunit_fetch. As many as the texture has axes;
    /// for cubes, a direction of three.
    pub coords: [texunit_operand; 3],
    /// Layer, or cube: uint32_t. Required for layered textures.
    pub layer: texunit_operand,
    /// Sample: uint32_t. Required for multi-sample textures.
    pub sample: texunit_operand,
    /// Level (tex.level): float, or int32_t for texunit_fetch.
    pub level: texunit_operand,
    /// Derivatives of the coordinates along the x axis of the screen (tex.grad): float, as many as
    /// coords.
    pub dPdx: [texunit_operand; 3],
    /// Derivatives along the y axis of the screen.
    pub dPdy: [texunit_operand; 3],
    /// Offset in texels along each axis: int32_t.
    pub offset: [texunit_operand; 3],
    /// Reference value of a depth comparison: float.
    pub compare: texunit_operand,
    /// TEXUNIT_FETCH_*.
    pub flags: u32,
    /// Number of threads: 0 and 1 use only the calling thread, TEXUNIT_ALL_CPUS one thread for each
    /// CPU. Results do not depend on it.
    pub threads: u32,
    /// Must be zeros.
    pub reserved: [u32; 6],
}

impl Default for texunit_operand {
    /// An absent operand.
    fn default() -> Self {
        Self { data: std::ptr::null(), stride: 0 }
    }
}

/// Maximum number of threads of a call.
const MAX_THREADS: u32 = 1024;

/// Samples a texture at many points: PTX's tex with float coordinates. size is the size of results:
/// 16 bytes for each fetch, or what texunit_result_size returns. results must not overlap any
/// operand or texel.
///
/// # Safety
/// Pointers are null or as their types say: each operand has count elements (one, if its stride is
/// 0), and results has room for size bytes. None of them is written concurrently.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_sample(
    texture: texunit_texture,
    desc: *const texunit_fetch_desc,
    results: *mut c_void,
    size: usize,
) -> texunit_status {
    // SAFETY: guaranteed by the caller.
    guard(|| unsafe { run(texture, TEXUNIT_OPERATION_SAMPLE, desc, results, size) })
}

/// Reads texels at integer coordinates: PTX's tex with integer coordinates. Outside is 0.
///
/// # Safety
/// As for texunit_sample.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_fetch(
    texture: texunit_texture,
    desc: *const texunit_fetch_desc,
    results: *mut c_void,
    size: usize,
) -> texunit_status {
    // SAFETY: guaranteed by the caller.
    guard(|| unsafe { run(texture, TEXUNIT_OPERATION_FETCH, desc, results, size) })
}

/// Gathers the four texels around each point, of one component (0 for r to 3 for a): PTX's tld4.
///
/// # Safety
/// As for texunit_sample.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_gather(
    texture: texunit_texture,
    component: u32,
    desc: *const texunit_fetch_desc,
    results: *mut c_void,
    size: usize,
) -> texunit_status {
    guard(|| {
        if component > 3 {
            return Err(Failure::value(format!("component {component}: 0 to 3")));
        }
        // SAFETY: guaranteed by the caller.
        unsafe { run(texture, TEXUNIT_OPERATION_GATHER_R + component, desc, results, size) }
    })
}

/// Size in bytes of the results of these fetches, and their form: TEXUNIT_AD_FORMAT_* of the
/// elements, and the number of elements per fetch. operation is a TEXUNIT_OPERATION_*. Null outputs
/// are skipped.
///
/// # Safety
/// Pointers are null or as their types say; operands as for texunit_sample.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_result_size(
    texture: texunit_texture,
    operation: u32,
    desc: *const texunit_fetch_desc,
    size: *mut usize,
    format: *mut u32,
    num_channels: *mut u32,
) -> texunit_status {
    guard(|| {
        let texture: Arc<Texture> = find(texture)?;
        // SAFETY: guaranteed by the caller.
        let desc = unsafe { read("desc", desc)? };
        // SAFETY: guaranteed by the caller.
        let call = texture.call(unsafe { request(operation, &desc)? })?;
        let bytes = call.byte_size();
        let channels = (bytes / desc.count.max(1) / call.dtype().size()) as u32;
        // SAFETY: the caller guarantees the room for outputs that are not null.
        unsafe {
            set(size, bytes);
            set(format, format_of(call.dtype()));
            set(num_channels, channels);
        }
        Ok(())
    })
}

/// The TEXUNIT_AD_FORMAT_* of result elements.
fn format_of(dtype: Dtype) -> u32 {
    match dtype {
        Dtype::U8 => TEXUNIT_AD_FORMAT_UNSIGNED_INT8,
        Dtype::S8 => TEXUNIT_AD_FORMAT_SIGNED_INT8,
        Dtype::U16 => TEXUNIT_AD_FORMAT_UNSIGNED_INT16,
        Dtype::S16 => TEXUNIT_AD_FORMAT_SIGNED_INT16,
        Dtype::U32 => TEXUNIT_AD_FORMAT_UNSIGNED_INT32,
        Dtype::S32 => TEXUNIT_AD_FORMAT_SIGNED_INT32,
        Dtype::F16 => TEXUNIT_AD_FORMAT_HALF,
        _ => TEXUNIT_AD_FORMAT_FLOAT,
    }
}

/// Runs a batch of fetches.
///
/// # Safety
/// As for [`texunit_sample`].
unsafe fn run(
    texture: texunit_texture,
    operation: u32,
    desc: *const texunit_fetch_desc,
    results: *mut c_void,
    size: usize,
) -> Result<(), Failure> {
    let texture: Arc<Texture> = find(texture)?;
    // SAFETY: guaranteed by the caller.
    let desc = unsafe { read("desc", desc)? };
    let threads = match desc.threads {
        0 => 1,
        TEXUNIT_ALL_CPUS => 0,
        n @ 1..=MAX_THREADS => n as usize,
        n => return Err(Failure::value(format!("threads {n}: 0 to {MAX_THREADS}, or all CPUs"))),
    };
    // SAFETY: guaranteed by the caller.
    let call = texture.call(unsafe { request(operation, &desc)? })?;
    let needed = call.byte_size();
    if size != needed {
        let text = format!(
            "results: size is {size}, but {} give {}",
            Count(desc.count, "fetch"),
            Count(needed, "byte")
        );
        return Err(Failure::new(TEXUNIT_ERROR_SIZE, text));
    }
    // Overlap is checked before a reference to the results exists.
    let out = range(results, size);
    apart(("results", &out), ("the texels of the texture", &texels(texture.resource())))?;
    for operand in operands(&desc) {
        let operand = range(operand.data, length(operand, desc.count)?);
        apart(("results", &out), ("an operand", &operand))?;
    }
    // SAFETY: guaranteed by the caller, and overlap was excluded.
    let results = unsafe { bytes_mut("results", results, size)? };
    Ok(call.run(results, threads)?)
}

/// All operands of a batch of fetches, including absent operands.
fn operands(desc: &texunit_fetch_desc) -> impl Iterator<Item = texunit_operand> {
    let single = [desc.layer, desc.sample, desc.level, desc.compare];
    let vectors = [desc.coords, desc.dPdx, desc.dPdy, desc.offset];
    single.into_iter().chain(vectors.into_iter().flatten()).filter(|o| !o.data.is_null())
}

/// Size in bytes from an operand's first element to the end of its last.
pub(crate) fn length(operand: texunit_operand, count: usize) -> Result<usize, Failure> {
    let Some(last) = count.checked_sub(1) else { return Ok(0) };
    let length = operand.stride.checked_mul(last).and_then(|n| n.checked_add(4));
    length.filter(|&n| n <= isize::MAX as usize).ok_or_else(|| {
        let text = format!(
            "{} {} apart: no memory has those",
            Count(count, "element"),
            Count(operand.stride, "byte")
        );
        Failure::new(TEXUNIT_ERROR_SIZE, text)
    })
}

/// An operand as an input array.
///
/// # Safety
/// Its elements are valid, and not written while the result is used.
pub(crate) unsafe fn input<'a>(
    what: &str,
    operand: texunit_operand,
    count: usize,
    dtype: Dtype,
) -> Result<Option<Input<'a>>, Failure> {
    if operand.data.is_null() {
        return Ok(None);
    }
    let length = length(operand, count)?;
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { bytes(what, operand.data, length)? };
    let stride = isize::try_from(operand.stride).map_err(|_| {
        Failure::new(TEXUNIT_ERROR_SIZE, format!("{what}: a stride that no memory has"))
    })?;
    Ok(Some(Input::new(&[count], &[stride], dtype, bytes, 0)?))
}

/// The elements of a vector operand; `None` if it is absent.
///
/// # Safety
/// As for [`input`].
pub(crate) unsafe fn vector<'a>(
    what: &str,
    all: [texunit_operand; 3],
    count: usize,
    dtype: Dtype,
) -> Result<Option<Points<'a>>, Failure> {
    let used = all.iter().rposition(|operand| !operand.data.is_null()).map_or(0, |last| last + 1);
    let mut inputs = Vec::new();
    for operand in &all[..used] {
        // SAFETY: guaranteed by the caller.
        let input = unsafe { input(what, *operand, count, dtype)? };
        inputs.push(input.ok_or_else(|| Failure::value(format!("{what}: an axis is left out")))?);
    }
    Ok((used > 0).then_some(Points::Separate(inputs)))
}

/// The request that a descriptor describes.
///
/// # Safety
/// The elements of operands are valid, and not written while the result is used.
pub(crate) unsafe fn request<'a>(
    operation: u32,
    desc: &texunit_fetch_desc,
) -> Result<Request<'a>, Failure> {
    let (action, number) = match operation {
        TEXUNIT_OPERATION_SAMPLE => (Action::Sample, Dtype::F32),
        TEXUNIT_OPERATION_FETCH => (Action::Fetch, Dtype::S32),
        TEXUNIT_OPERATION_GATHER_R..=TEXUNIT_OPERATION_GATHER_A => {
            (Action::Gather((operation - TEXUNIT_OPERATION_GATHER_R) as u8), Dtype::F32)
        }
        _ => return Err(Failure::value(format!("operation {operation}: not one of those"))),
    };
    const FLAGS: u32 = TEXUNIT_FETCH_BASE | TEXUNIT_FETCH_PACKED | TEXUNIT_FETCH_HALF;
    if desc.flags & !FLAGS != 0 || desc.reserved != [0; 6] {
        return Err(Failure::value("flags that say nothing, or reserved that is not 0"));
    }
    let count = desc.count;
    // SAFETY: guaranteed by the caller.
    unsafe {
        let points = vector("coords", desc.coords, count, number)?;
        let points = points.ok_or_else(|| Failure::value("coords are needed, at least x"))?;
        let x = vector("dPdx", desc.dPdx, count, Dtype::F32)?;
        let grad = match (x, vector("dPdy", desc.dPdy, count, Dtype::F32)?) {
            (Some(x), Some(y)) => Some([x, y]),
            (None, None) => None,
            _ => return Err(Failure::value("dPdx and dPdy: one is given without the other")),
        };
        Ok(Request {
            lod: input("level", desc.level, count, number)?,
            grad,
            layer: input("layer", desc.layer, count, Dtype::U32)?,
            sample: input("sample", desc.sample, count, Dtype::U32)?,
            offset: vector("offset", desc.offset, count, Dtype::S32)?,
            compare: input("compare", desc.compare, count, Dtype::F32)?,
            half: desc.flags & TEXUNIT_FETCH_HALF != 0,
            base: desc.flags & TEXUNIT_FETCH_BASE != 0,
            registers: desc.flags & TEXUNIT_FETCH_PACKED == 0,
            ..Request::new(action, points)
        })
    }
}
