//! Fetches of many points.

use crate::caller::{apart, bytes, bytes_mut, range, read, set, texels};
use crate::handle::{find, texunit_texture};
use crate::status::{Failure, TEXUNIT_ERROR_SIZE, guard, texunit_status};
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_sample::{Action, Dtype, Input, Points, Request, Texture};

/// An operand of many fetches: elements of 4 bytes. Null: there is none.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_operand {
    /// The element of the first fetch.
    pub data: *const c_void,
    /// Bytes from an element to the next: 4 in an array of numbers, 8 in one of pairs; 0: all fetches have the first one.
    pub stride: usize,
}

/// Many fetches. What is all zeros is left out: set count and coords, and what the texture or the fetch has beside.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_fetch_desc {
    /// How many.
    pub count: usize,
    /// x, y, z: float; int32_t of texunit_fetch. As many as the texture has axes; of cubes, a direction of three.
    pub coords: [texunit_operand; 3],
    /// Layer, or cube: uint32_t. Layered textures need it.
    pub layer: texunit_operand,
    /// Sample: uint32_t. Textures with samples need it.
    pub sample: texunit_operand,
    /// Level (tex.level): float; int32_t of texunit_fetch.
    pub level: texunit_operand,
    /// Derivatives of the coordinates along x of the picture (tex.grad): float, as many as coords.
    pub dPdx: [texunit_operand; 3],
    /// Along y.
    pub dPdy: [texunit_operand; 3],
    /// Texels to go along each axis: int32_t.
    pub offset: [texunit_operand; 3],
    /// Reference value of a depth compare: float.
    pub compare: texunit_operand,
    /// TEXUNIT_FETCH_*.
    pub flags: u32,
    /// Threads that work: 0 and 1 the calling one alone, TEXUNIT_ALL_CPUS one for each CPU. Results are the same.
    pub threads: u32,
    /// Zeros.
    pub reserved: [u32; 6],
}

impl texunit_operand {
    /// None.
    pub(crate) const NONE: Self = Self { data: std::ptr::null(), stride: 0 };
}

impl texunit_fetch_desc {
    /// No fetches, of no operands: all zeros.
    pub(crate) const NONE: Self = {
        let none = texunit_operand::NONE;
        Self {
            count: 0,
            coords: [none; 3],
            layer: none,
            sample: none,
            level: none,
            dPdx: [none; 3],
            dPdy: [none; 3],
            offset: [none; 3],
            compare: none,
            flags: 0,
            threads: 0,
            reserved: [0; 6],
        }
    };
}

/// Level 0 is read, whatever the sampler says (tex.base).
pub const TEXUNIT_FETCH_BASE: u32 = 0x1;
/// Results are packed: the channels that the texture has, 1, 2 or 4 elements of the type of the texels (normalized ones are
/// float), without gaps. Without the flag, results are four registers of 32 bits for each fetch, as PTX's .v4.
pub const TEXUNIT_FETCH_PACKED: u32 = 0x2;
/// Results are of half precision (.f16): 2 bytes if they are packed, else the low 2 bytes of each register.
pub const TEXUNIT_FETCH_HALF: u32 = 0x4;

/// A thread for each CPU.
pub const TEXUNIT_ALL_CPUS: u32 = 0xffff_ffff;

/// tex with floats.
pub const TEXUNIT_OPERATION_SAMPLE: u32 = 0;
/// tex with integers.
pub const TEXUNIT_OPERATION_FETCH: u32 = 1;
/// tld4 of r.
pub const TEXUNIT_OPERATION_GATHER_R: u32 = 2;
/// tld4 of g.
pub const TEXUNIT_OPERATION_GATHER_G: u32 = 3;
/// tld4 of b.
pub const TEXUNIT_OPERATION_GATHER_B: u32 = 4;
/// tld4 of a.
pub const TEXUNIT_OPERATION_GATHER_A: u32 = 5;

/// Most threads of a call.
const MAX_THREADS: u32 = 1024;

/// Samples a texture at many points: PTX's tex with floats. results has size bytes: 16 for each fetch, or what
/// texunit_result_size says. It overlaps nothing that is read.
///
/// # Safety
/// Pointers are null or as their types say: each operand has count elements (one, if its stride is 0), results room for size
/// bytes. Nobody writes to them meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_sample(
    texture: texunit_texture,
    desc: *const texunit_fetch_desc,
    results: *mut c_void,
    size: usize,
) -> texunit_status {
    // SAFETY: as the caller promises.
    guard(|| unsafe { run(texture, TEXUNIT_OPERATION_SAMPLE, desc, results, size) })
}

/// Reads texels by integer coordinates: PTX's tex with integers. Outside is 0.
///
/// # Safety
/// As of texunit_sample.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_fetch(
    texture: texunit_texture,
    desc: *const texunit_fetch_desc,
    results: *mut c_void,
    size: usize,
) -> texunit_status {
    // SAFETY: as the caller promises.
    guard(|| unsafe { run(texture, TEXUNIT_OPERATION_FETCH, desc, results, size) })
}

/// The four texels around each point, of one component (0 for r to 3 for a): PTX's tld4.
///
/// # Safety
/// As of texunit_sample.
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
        // SAFETY: as the caller promises.
        unsafe { run(texture, TEXUNIT_OPERATION_GATHER_R + component, desc, results, size) }
    })
}

/// Bytes of the results of these fetches, and what they are: TEXUNIT_AD_FORMAT_* of the elements and their number for each
/// fetch. operation is a TEXUNIT_OPERATION_*. What is null is not asked for.
///
/// # Safety
/// Pointers are null or as their types say; operands as of texunit_sample.
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
        // SAFETY: as the caller promises.
        let desc = unsafe { read("desc", desc)? };
        // SAFETY: as the caller promises.
        let call = texture.call(unsafe { request(operation, &desc)? })?;
        let bytes = call.byte_size();
        let channels = (bytes / desc.count.max(1) / call.dtype().size()) as u32;
        // SAFETY: the caller promises the room of what is not null.
        unsafe {
            set(size, bytes);
            set(format, format_of(call.dtype()));
            set(num_channels, channels);
        }
        Ok(())
    })
}

/// The format of the elements of results.
fn format_of(dtype: Dtype) -> u32 {
    use crate::formats as d;
    match dtype {
        Dtype::U8 => d::TEXUNIT_AD_FORMAT_UNSIGNED_INT8,
        Dtype::S8 => d::TEXUNIT_AD_FORMAT_SIGNED_INT8,
        Dtype::U16 => d::TEXUNIT_AD_FORMAT_UNSIGNED_INT16,
        Dtype::S16 => d::TEXUNIT_AD_FORMAT_SIGNED_INT16,
        Dtype::U32 => d::TEXUNIT_AD_FORMAT_UNSIGNED_INT32,
        Dtype::S32 => d::TEXUNIT_AD_FORMAT_SIGNED_INT32,
        Dtype::F16 => d::TEXUNIT_AD_FORMAT_HALF,
        _ => d::TEXUNIT_AD_FORMAT_FLOAT,
    }
}

/// # Safety
/// As of [`texunit_sample`].
unsafe fn run(
    texture: texunit_texture,
    operation: u32,
    desc: *const texunit_fetch_desc,
    results: *mut c_void,
    size: usize,
) -> Result<(), Failure> {
    let texture: Arc<Texture> = find(texture)?;
    // SAFETY: as the caller promises.
    let desc = unsafe { read("desc", desc)? };
    let threads = match desc.threads {
        0 => 1,
        TEXUNIT_ALL_CPUS => 0,
        n @ 1..=MAX_THREADS => n as usize,
        n => return Err(Failure::value(format!("threads {n}: 0 to {MAX_THREADS}, or all CPUs"))),
    };
    // SAFETY: as the caller promises.
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
    // Before anything refers to what is written.
    let out = range(results, size);
    apart(("results", &out), ("the texels of the texture", &texels(texture.resource())))?;
    for operand in operands(&desc) {
        apart(("results", &out), ("an operand", &addresses(operand, desc.count)?))?;
    }
    // SAFETY: as the caller promises; it overlaps nothing that is read.
    let results = unsafe { bytes_mut("results", results, size)? };
    Ok(call.run(results, threads)?)
}

/// All operands, there or not.
fn operands(desc: &texunit_fetch_desc) -> impl Iterator<Item = texunit_operand> {
    let single = [desc.layer, desc.sample, desc.level, desc.compare];
    let vectors = [desc.coords, desc.dPdx, desc.dPdy, desc.offset];
    single.into_iter().chain(vectors.into_iter().flatten()).filter(|o| !o.data.is_null())
}

/// The addresses of an operand's bytes.
fn addresses(operand: texunit_operand, count: usize) -> Result<Range<usize>, Failure> {
    Ok(range(operand.data, length(operand, count)?))
}

/// Bytes from an operand's first element to the end of its last.
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

/// An operand as an array.
///
/// # Safety
/// It has its elements, which nobody writes while the result is used.
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
    // SAFETY: as the caller promises.
    let bytes = unsafe { bytes(what, operand.data, length)? };
    let stride = isize::try_from(operand.stride).map_err(|_| {
        Failure::new(TEXUNIT_ERROR_SIZE, format!("{what}: a stride that no memory has"))
    })?;
    Ok(Some(Input::new(&[count], &[stride], dtype, bytes, 0)?))
}

/// The elements of a vector operand; `None` if there are none.
///
/// # Safety
/// As of [`input`].
pub(crate) unsafe fn vector<'a>(
    what: &str,
    all: [texunit_operand; 3],
    count: usize,
    dtype: Dtype,
) -> Result<Option<Points<'a>>, Failure> {
    let used = all.iter().rposition(|operand| !operand.data.is_null()).map_or(0, |last| last + 1);
    let mut inputs = Vec::new();
    for operand in &all[..used] {
        // SAFETY: as the caller promises.
        let input = unsafe { input(what, *operand, count, dtype)? };
        inputs.push(input.ok_or_else(|| Failure::value(format!("{what}: an axis is left out")))?);
    }
    Ok((used > 0).then_some(Points::Separate(inputs)))
}

/// What a descriptor asks for.
///
/// # Safety
/// Operands have their elements, which nobody writes while the result is used.
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
    // SAFETY: as the caller promises.
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
