//! Copies of `unit`'s resources on the GPU, created and filled through the driver API.

use crate::driver::{Buffer, Gpu, GpuError};
use crate::ffi::{Handle, call};
use texunit_cuda_abi::format::FORMATS;
use texunit_cuda_abi::*;
use texunit_texel::Format;
use texunit_unit::resource::PITCH_ALIGN;
use texunit_unit::{ArrayShape, Extent, Geometry, Layout, Resource, TexelIndex};

fn cuda_format(format: Format) -> Result<(u32, u32), GpuError> {
    let name = format.to_string();
    match FORMATS.iter().find(|row| row.0 == name) {
        Some(&(_, cuda, channels)) => Ok((cuda, channels)),
        None => Err(not_expressible(format_args!("the driver has no arrays of {format}"))),
    }
}

/// Memory behind a resource.
#[derive(Debug)]
pub(crate) enum Storage {
    Array(Handle),
    Mipmapped(Handle),
    Memory(Buffer),
}

/// A resource on the GPU with the texels of a resource of `unit`.
#[derive(Debug)]
pub struct CardResource {
    pub(crate) gpu: Gpu,
    pub(crate) storage: Storage,
    shape: ArrayShape,
    layout: Layout,
    row_pitch: u64,
}

/// The instructions that will use a resource; some need a flag when it is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// `tld4` instructions.
    pub gather: bool,
    /// `suld`, `sust` and `sured` instructions.
    pub surface: bool,
}

impl CardResource {
    /// Creates the resource on the GPU and copies its texels there.
    ///
    /// # Errors
    /// The GPU is out of memory, or CUDA cannot express the resource.
    pub fn new(gpu: &Gpu, resource: &Resource, uses: Uses) -> Result<Self, GpuError> {
        let shape = *resource.shape();
        if shape.geometry.is_multisample() {
            return Err(not_expressible("the driver makes no multi-sample arrays"));
        }
        if resource.residency().is_some() {
            return Err(not_expressible("sparse arrays are not made on the card"));
        }
        // Rule 1.11 level array: an array of one level would have other layers.
        if !resource.is_regular() {
            return Err(not_expressible("levels of layered arrays are not made on the card"));
        }
        let (gpu, layout, row_pitch) = (gpu.clone(), resource.layout(), row_pitch(resource));
        if layout != Layout::Array {
            let mut bytes = Vec::new();
            for row in resource.to_packed().chunks(resource.row_bytes(0) as usize) {
                bytes.extend_from_slice(row);
                bytes.resize(bytes.len().next_multiple_of(row_pitch as usize), 0);
            }
            let storage = Storage::Memory(gpu.buffer(&bytes)?);
            return Ok(Self { gpu, storage, shape, layout, row_pitch });
        }
        let storage = create(&gpu, &shape, uses)?;
        let made = Self { gpu, storage, shape, layout, row_pitch };
        made.copy(&mut resource.to_packed(), true)?;
        Ok(made)
    }

    /// Reads all texels, in the order of [`Resource::to_packed`], without the padding between the
    /// rows of pitched memory.
    ///
    /// # Errors
    /// The driver's error, or the fault of an earlier kernel.
    pub fn read(&self) -> Result<Vec<u8>, GpuError> {
        if let Storage::Memory(buffer) = &self.storage {
            let all = buffer.read()?;
            let row =
                u64::from(self.shape.extent.width) * u64::from(self.shape.format.texel_size());
            let rows = all.chunks(self.row_pitch as usize);
            return Ok(rows.flat_map(|r| r.iter().take(row as usize)).copied().collect());
        }
        let mut bytes = vec![0; self.shape.packed_size().map_err(not_expressible)? as usize];
        self.copy(&mut bytes, false)?;
        Ok(bytes)
    }

    /// Copies the texels of all levels between packed memory and the arrays.
    fn copy(&self, bytes: &mut [u8], to_card: bool) -> Result<(), GpuError> {
        let mut rest = bytes;
        for level in 0..self.shape.level_count() {
            let array = match self.storage {
                Storage::Array(array) => array,
                Storage::Mipmapped(whole) => self.level(whole, level)?,
                Storage::Memory(_) => return Ok(()),
            };
            let Extent { width, height, depth } = self.shape.level_extent(level);
            let block = self.shape.format.block_extent();
            let pitch = width.div_ceil(block) as usize * self.shape.format.texel_size() as usize;
            let height = height.div_ceil(block) as usize;
            let depth = depth.max(self.shape.planes()) as usize;
            let (packed, after) = rest.split_at_mut(pitch * height * depth);
            let memory = CopySide3D {
                memory_type: CU_MEMORYTYPE_HOST,
                host: packed.as_mut_ptr().expose_provenance() as u64,
                pitch,
                height,
                ..CopySide3D::default()
            };
            let card =
                CopySide3D { memory_type: CU_MEMORYTYPE_ARRAY, array, ..CopySide3D::default() };
            let (src, dst) = if to_card { (memory, card) } else { (card, memory) };
            let copy = CUDA_MEMCPY3D { src, dst, width_in_bytes: pitch, height, depth };
            // SAFETY: the memory has the level's bytes, and the array is a level of that size.
            unsafe { call!(self.gpu, cuMemcpy3D_v2(&raw const copy)) }?;
            rest = after;
        }
        Ok(())
    }

    /// The array of a level of a mipmapped array.
    pub(crate) fn level(&self, whole: Handle, level: u32) -> Result<Handle, GpuError> {
        let mut array = 0;
        // SAFETY: the out-pointer is to a local variable, and the mipmapped array exists. The
        // handle of a level is not freed.
        unsafe { call!(self.gpu, cuMipmappedArrayGetLevel(&raw mut array, whole, level)) }?;
        Ok(array)
    }

    pub(crate) fn descriptor(&self) -> Result<CUDA_RESOURCE_DESC, GpuError> {
        let (format, num_channels) = cuda_format(self.shape.format)?;
        let Extent { width, height, .. } = self.shape.extent;
        let empty = CUDA_RESOURCE_DESC::default();
        Ok(match (&self.storage, self.layout) {
            (Storage::Array(array), _) => of_array(*array),
            (Storage::Mipmapped(array), _) => CUDA_RESOURCE_DESC {
                res_type: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                what: *array as u64,
                ..empty
            },
            (Storage::Memory(buffer), Layout::Pitched) => CUDA_RESOURCE_DESC {
                res_type: CU_RESOURCE_TYPE_PITCH2D,
                what: buffer.address(),
                format,
                num_channels,
                size: width as usize,
                height: height as usize,
                pitch_in_bytes: self.row_pitch as usize,
                ..empty
            },
            (Storage::Memory(buffer), _) => CUDA_RESOURCE_DESC {
                res_type: CU_RESOURCE_TYPE_LINEAR,
                what: buffer.address(),
                format,
                num_channels,
                size: width as usize * self.shape.format.texel_size() as usize,
                ..empty
            },
        })
    }
}

pub(crate) fn of_array(array: Handle) -> CUDA_RESOURCE_DESC {
    CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_ARRAY,
        what: array as u64,
        ..CUDA_RESOURCE_DESC::default()
    }
}

/// Row pitch of the base level in bytes.
fn row_pitch(resource: &Resource) -> u64 {
    let row = |y| resource.texel_offset(TexelIndex { at: [0, y, 0], ..TexelIndex::default() });
    match (row(0), row(1)) {
        (Some(first), Some(second)) => second - first,
        // The driver requires an aligned pitch for a single row, too.
        _ if resource.layout() == Layout::Pitched => {
            resource.row_bytes(0).next_multiple_of(PITCH_ALIGN)
        }
        _ => resource.row_bytes(0),
    }
}

pub(crate) fn not_expressible(reason: impl std::fmt::Display) -> GpuError {
    GpuError::NotExpressible(reason.to_string())
}

/// The flags that are wanted.
pub(crate) fn flags(all: &[(bool, u32)]) -> u32 {
    all.iter().filter(|(wanted, _)| *wanted).fold(0, |flags, (_, flag)| flags | flag)
}

fn create(gpu: &Gpu, shape: &ArrayShape, uses: Uses) -> Result<Storage, GpuError> {
    let (format, num_channels) = cuda_format(shape.format)?;
    let Extent { width, height, depth } = shape.extent;
    let has_planes = shape.geometry.is_array() || shape.geometry.is_cube();
    let planes = if has_planes { shape.planes() } else { 0 };
    let (height, depth) = match shape.geometry {
        Geometry::D1 | Geometry::A1d => (0, planes),
        Geometry::D3 => (height, depth),
        _ => (height, planes),
    };
    let [width, height, depth] = [width, height, depth].map(|n| n as usize);
    let flags = flags(&[
        (shape.geometry.is_array(), CUDA_ARRAY3D_LAYERED),
        (shape.geometry.is_cube(), CUDA_ARRAY3D_CUBEMAP),
        (uses.surface, CUDA_ARRAY3D_SURFACE_LDST),
        // The driver accepts the flag for plain 2D arrays only; other kinds support gathers without
        // it.
        (uses.gather && shape.geometry == Geometry::D2, CUDA_ARRAY3D_TEXTURE_GATHER),
    ]);
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format, num_channels, flags };
    let mut handle = 0;
    if let Some(levels) = shape.levels {
        // SAFETY: the out-pointer is to a local variable, and the descriptor is initialised.
        unsafe {
            call!(gpu, cuMipmappedArrayCreate(&raw mut handle, &raw const descriptor, levels))
        }?;
        return Ok(Storage::Mipmapped(handle));
    }
    // SAFETY: the out-pointer is to a local variable, and the descriptor is initialised.
    unsafe { call!(gpu, cuArray3DCreate_v2(&raw mut handle, &raw const descriptor)) }?;
    Ok(Storage::Array(handle))
}

impl Drop for CardResource {
    fn drop(&mut self) {
        // SAFETY: made by `create` and destroyed once; textures and surfaces borrow the resource.
        unsafe {
            match self.storage {
                Storage::Array(a) => (self.gpu.api().cuArrayDestroy)(a),
                Storage::Mipmapped(a) => (self.gpu.api().cuMipmappedArrayDestroy)(a),
                Storage::Memory(_) => CUresult::SUCCESS,
            }
        };
    }
}
