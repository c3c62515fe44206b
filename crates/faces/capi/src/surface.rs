//! Surfaces: reading and writing texels, and atomic reductions on them.

use crate::caller::{Out, apart, bytes, bytes_mut, range, read, texels};
use crate::constants::*;
use crate::desc::texunit_resource_desc;
use crate::fetch::{input, length, texunit_operand, vector};
use crate::handle::{SurfaceObject, find, forget, keep, texunit_surface};
use crate::resource::resource;
use crate::status::{Failure, guard, texunit_status};
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_sample::{Dtype, Input, SurfaceCoordinates};
use texunit_unit::{ClampMode, ReduceOp};

/// A batch of surface accesses.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_access_desc {
    /// Number of accesses.
    pub count: usize,
    /// Coordinates x (in texels), y, z: int32_t; as many as the surface has axes.
    pub coords: [texunit_operand; 3],
    /// Layer: uint32_t; for cubes 6 * cube + face. Required for layered surfaces and cubes.
    pub layer: texunit_operand,
    /// TEXUNIT_BOUNDARY_*: how accesses outside are handled.
    pub boundary: u32,
    /// Must be zeros.
    pub reserved: [u32; 7],
}

/// Makes a surface (cuSurfObjectCreate) on an array without mip levels, on one level
/// (texunit_array_level), or on memory. Its format must have plain channels.
///
/// # Safety
/// As for texunit_texture_create; memory stays valid until the surface is destroyed, and is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_surface_create(
    surface: *mut texunit_surface,
    res_desc: *const texunit_resource_desc,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let (to, desc) = unsafe { (Out::new("surface", surface)?, read("resDesc", res_desc)?) };
        // SAFETY: guaranteed by the caller.
        let resource = unsafe { resource(&desc, None)? };
        to.set(keep(Arc::new(SurfaceObject::of_resource(resource)?))?);
        Ok(())
    })
}

/// Destroys a surface handle; null is allowed. Calls of other threads that use it complete.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_surface_destroy(surface: texunit_surface) -> texunit_status {
    guard(|| forget::<SurfaceObject, _>(surface))
}

/// Reads texels as they are stored (suld.b), packed without gaps.
///
/// # Safety
/// Pointers are null or as their types say: each operand has count elements (one, if its stride is
/// 0), and values has room for size bytes. None of them is written concurrently.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_surface_read(
    surface: texunit_surface,
    desc: *const texunit_access_desc,
    values: *mut c_void,
    size: usize,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let (accesses, places) = unsafe { Accesses::checked(surface, desc, values, size)? };
        // SAFETY: guaranteed by the caller, and overlap was excluded.
        let values = unsafe { bytes_mut("values", values, size)? };
        Ok(accesses.surface.read(places, values)?)
    })
}

/// Writes texels as they are stored (sust.b), given in values without gaps. Of two writes to a
/// texel the later one takes effect. Under TEXUNIT_BOUNDARY_TRAP, accesses before the first one
/// outside are made.
///
/// # Safety
/// As for texunit_surface_read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_surface_write(
    surface: texunit_surface,
    desc: *const texunit_access_desc,
    values: *const c_void,
    size: usize,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let (accesses, places) = unsafe { Accesses::checked(surface, desc, values, size)? };
        // SAFETY: guaranteed by the caller; overlap with the surface was excluded.
        let values = unsafe { bytes("values", values, size)? };
        Ok(accesses.surface.write(places, &accesses.input(values)?)?)
    })
}

/// Combines values with texels atomically (sured.b), on surfaces with one channel of 32-bit
/// integers. op is a TEXUNIT_REDUCE_*.
///
/// # Safety
/// As for texunit_surface_read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_surface_reduce(
    surface: texunit_surface,
    op: u32,
    desc: *const texunit_access_desc,
    values: *const c_void,
    size: usize,
) -> texunit_status {
    guard(|| {
        let op = match op {
            TEXUNIT_REDUCE_ADD => ReduceOp::Add,
            TEXUNIT_REDUCE_MIN => ReduceOp::Min,
            TEXUNIT_REDUCE_MAX => ReduceOp::Max,
            TEXUNIT_REDUCE_AND => ReduceOp::And,
            TEXUNIT_REDUCE_OR => ReduceOp::Or,
            _ => return Err(Failure::value(format!("op {op} is not a TEXUNIT_REDUCE number"))),
        };
        // SAFETY: guaranteed by the caller.
        let (accesses, places) = unsafe { Accesses::checked(surface, desc, values, size)? };
        // SAFETY: guaranteed by the caller; overlap with the surface was excluded.
        let values = unsafe { bytes("values", values, size)? };
        Ok(accesses.surface.reduce(op, places, &accesses.input(values)?)?)
    })
}

/// A surface and the descriptor of a batch of accesses to it.
struct Accesses {
    surface: Arc<SurfaceObject>,
    desc: texunit_access_desc,
}

impl Accesses {
    /// Looks up the surface, copies the descriptor, and checks the values; also returns the
    /// coordinates.
    ///
    /// # Safety
    /// The descriptor is null or valid, as for [`places`].
    unsafe fn checked<'a>(
        surface: texunit_surface,
        desc: *const texunit_access_desc,
        values: *const c_void,
        size: usize,
    ) -> Result<(Self, SurfaceCoordinates<'a>), Failure> {
        let surface = find(surface)?;
        // SAFETY: guaranteed by the caller.
        let all = Self { surface, desc: unsafe { read("desc", desc)? } };
        all.check(range(values, size), size)?;
        // SAFETY: guaranteed by the caller.
        let places = unsafe { places(&all.desc)? };
        Ok((all, places))
    }

    /// Checks the size of the values, and that they overlap neither texels nor operands.
    fn check(&self, values: Range<usize>, size: usize) -> Result<(), Failure> {
        let texel = self.surface.resource().format().texel_size() as usize;
        if self.desc.count.checked_mul(texel) != Some(size) {
            let text = format!(
                "values: size is {size}, but {} have {} each",
                Count(self.desc.count, "texel"),
                Count(texel, "byte")
            );
            return Err(Failure::new(TEXUNIT_ERROR_SIZE, text));
        }
        let own = texels(self.surface.resource());
        apart(("values", &values), ("the texels of the surface", &own))?;
        for operand in self.desc.coords.iter().chain([&self.desc.layer]) {
            if operand.data.is_null() {
                continue;
            }
            let operand = range(operand.data, length(*operand, self.desc.count)?);
            apart(("values", &values), ("an operand", &operand))?;
            apart(("the texels of the surface", &own), ("an operand", &operand))?;
        }
        Ok(())
    }

    /// The caller's values as an array of the surface's element type.
    fn input<'a>(&self, values: &'a [u8]) -> Result<Input<'a>, Failure> {
        let channels = usize::from(self.surface.resource().format().channels());
        let shape = [self.desc.count, channels];
        let axes = if channels == 1 { 1 } else { 2 };
        Ok(Input::contiguous(&shape[..axes], self.surface.dtype(), values)?)
    }
}

/// The coordinates of the accesses.
///
/// # Safety
/// The elements of operands are valid, and not written while the result is used.
pub(crate) unsafe fn places<'a>(
    desc: &texunit_access_desc,
) -> Result<SurfaceCoordinates<'a>, Failure> {
    let boundary = match desc.boundary {
        TEXUNIT_BOUNDARY_TRAP => ClampMode::Trap,
        TEXUNIT_BOUNDARY_CLAMP => ClampMode::Clamp,
        TEXUNIT_BOUNDARY_ZERO => ClampMode::Zero,
        other => {
            let text = format!("boundary {other} is not 0 (trap), 1 (clamp) or 2 (zero)");
            return Err(Failure::value(text));
        }
    };
    if desc.reserved != [0; 7] {
        return Err(Failure::value("reserved of the accesses has to be 0"));
    }
    // SAFETY: guaranteed by the caller.
    let (points, layer) = unsafe {
        (
            vector("coords", desc.coords, desc.count, Dtype::S32)?,
            input("layer", desc.layer, desc.count, Dtype::U32)?,
        )
    };
    let points = points.ok_or_else(|| Failure::value("coords are needed, at least x"))?;
    Ok(SurfaceCoordinates { points, layer, boundary })
}
