//! Creates texture and surface objects on the GPU, with the texture and sampler state of textures
//! of crate `unit`.

use crate::driver::GpuError;
use crate::ffi::call;
use crate::mirror::{CardResource, Storage, flags, not_expressible, of_array};
use texunit_cuda_abi::*;
use texunit_unit::{AddressMode, Filter, ReadMode, Sampler, Texture};

/// A texture or surface object on the GPU.
#[derive(Debug)]
pub struct CardObject<'a> {
    resource: &'a CardResource,
    handle: u64,
    is_texture: bool,
}

impl<'a> CardObject<'a> {
    /// A texture object of a resource with the state of `texture`.
    ///
    /// # Errors
    /// CUDA cannot express the state, or the driver refuses it.
    pub fn texture(
        resource: &'a CardResource,
        texture: &Texture,
        sampler: &Sampler,
    ) -> Result<Self, GpuError> {
        let (of, descriptor) = (resource.descriptor()?, texture_descriptor(texture, sampler)?);
        // On the GPU a view of one level is an array of one level, whose coordinates differ
        // (docs/numerics.md 1.11).
        if texture.resource.levels().len() == 1
            && texture.resource.array_levels() > 1
            && descriptor.flags & CU_TRSF_NORMALIZED_COORDINATES == 0
        {
            return Err(not_expressible("a view of one level is an array of its own on the card"));
        }
        let (mut handle, of, state) = (0, &raw const of, &raw const descriptor);
        // SAFETY: the descriptors are initialised and have the layout of `cuda.h`; the view
        // descriptor is null.
        unsafe {
            call!(resource.gpu, cuTexObjectCreate(&raw mut handle, of, state, std::ptr::null()))
        }?;
        Ok(Self { resource, handle, is_texture: true })
    }

    /// A surface object of the base level of a resource that was made for
    /// [`Uses::surface`](crate::Uses::surface).
    ///
    /// # Errors
    /// CUDA cannot express the state, or the driver refuses it.
    pub fn surface(resource: &'a CardResource) -> Result<Self, GpuError> {
        let descriptor = match resource.storage {
            Storage::Array(array) => of_array(array),
            Storage::Mipmapped(whole) => of_array(resource.level(whole, 0)?),
            Storage::Memory(_) => {
                return Err(not_expressible("CUDA makes surfaces of arrays only"));
            }
        };
        let mut handle = 0;
        // SAFETY: the descriptor is initialised and has the layout of `cuda.h`.
        unsafe { call!(resource.gpu, cuSurfObjectCreate(&raw mut handle, &raw const descriptor)) }?;
        Ok(Self { resource, handle, is_texture: false })
    }

    /// The object's handle, which kernels get as an argument.
    pub fn handle(&self) -> u64 {
        self.handle
    }
}

impl Drop for CardObject<'_> {
    fn drop(&mut self) {
        let api = self.resource.gpu.api();
        // SAFETY: made by `texture` or `surface`, destroyed once.
        unsafe {
            match self.is_texture {
                true => (api.cuTexObjectDestroy)(self.handle),
                false => (api.cuSurfObjectDestroy)(self.handle),
            }
        };
    }
}

fn texture_descriptor(texture: &Texture, sampler: &Sampler) -> Result<CUDA_TEXTURE_DESC, GpuError> {
    let mode = |mode| match mode {
        AddressMode::Wrap => Ok(0),
        AddressMode::Clamp => Ok(1),
        AddressMode::Mirror => Ok(2),
        AddressMode::Border => Ok(3),
        AddressMode::ClampOgl => Err(not_expressible("CUDA has no clamp_ogl")),
    };
    if sampler.compare.is_some() {
        return Err(not_expressible("CUDA textures have no compare function"));
    }
    let [x, y, z] = sampler.address_mode;
    let flags = flags(&[
        (texture.read_mode == ReadMode::Element, CU_TRSF_READ_AS_INTEGER),
        (
            texture.normalized_coords && !sampler.force_unnormalized_coords,
            CU_TRSF_NORMALIZED_COORDINATES,
        ),
        (sampler.srgb, CU_TRSF_SRGB),
        (sampler.seamless_cube, CU_TRSF_SEAMLESS_CUBEMAP),
    ]);
    let filter = |filter| u32::from(filter == Filter::Linear);
    // Levels beyond this range do not exist, and the descriptor's fields do not accept infinity.
    let level = |level: f32| level.clamp(-1000.0, 1000.0);
    Ok(CUDA_TEXTURE_DESC {
        address_mode: [mode(x)?, mode(y)?, mode(z)?],
        filter_mode: filter(sampler.filter),
        flags,
        max_anisotropy: sampler.max_anisotropy,
        mipmap_filter_mode: filter(sampler.mip_filter),
        mipmap_level_bias: sampler.level_bias,
        min_mipmap_level_clamp: level(sampler.min_level_clamp),
        max_mipmap_level_clamp: level(sampler.max_level_clamp),
        border_color: sampler.border.map(f32::from_bits),
        reserved: [0; 12],
    })
}
