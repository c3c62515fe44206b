//! Creating and destroying textures and samplers.

use crate::caller::{Out, read, read_optional};
use crate::constants::*;
use crate::desc::{texunit_resource_desc, texunit_texture_desc, texunit_view_desc};
use crate::handle::{find, forget, keep, texunit_sampler, texunit_texture};
use crate::resource::{resource, sampler};
use crate::status::{Failure, guard, texunit_status};
use std::sync::Arc;
use texunit_sample::Texture;
use texunit_unit::{ReadMode, Sampler, Texture as Header};

/// Makes a texture (cuTexObjectCreate) on an array, or on linear or pitched memory of the program.
/// The view may be null. Descriptors that CUDA rejects are rejected with the same error. The
/// descriptors are copied.
///
/// # Safety
/// Pointers are null or as their types say. Linear and pitched memory stays valid until the
/// texture, and every texture that was made from it by texunit_texture_with_sampler, is destroyed
/// and no call uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_texture_create(
    texture: *mut texunit_texture,
    res_desc: *const texunit_resource_desc,
    tex_desc: *const texunit_texture_desc,
    view_desc: *const texunit_view_desc,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let (texture, of, desc, view) = unsafe {
            (
                Out::new("texture", texture)?,
                read("resDesc", res_desc)?,
                read("texDesc", tex_desc)?,
                read_optional(view_desc),
            )
        };
        if desc.flags & TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES != 0 {
            let text = "TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES is a flag of samplers";
            return Err(Failure::value(text));
        }
        let sampler = sampler(&desc)?;
        // SAFETY: guaranteed by the caller.
        let resource = unsafe { resource(&of, view)? };
        let as_integer = desc.flags & TEXUNIT_TRSF_READ_AS_INTEGER != 0;
        let read_mode = ReadMode::of_driver(resource.format(), as_integer);
        let normalized = desc.flags & TEXUNIT_TRSF_NORMALIZED_COORDINATES != 0;
        let header = Header::new(resource, read_mode, normalized, &sampler)?;
        texture.set(keep(Arc::new(Texture::of_header(Arc::new(header), sampler)))?);
        Ok(())
    })
}

/// Destroys a texture handle; null is allowed. Calls of other threads that use it complete.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_texture_destroy(texture: texunit_texture) -> texunit_status {
    guard(|| forget::<Texture, _>(texture))
}

/// Makes a sampler: a sampling state without a texture. Of the flags, TEXUNIT_TRSF_SRGB,
/// TEXUNIT_TRSF_SEAMLESS_CUBEMAP and TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES belong to the
/// sampler, and the others to the texture.
///
/// # Safety
/// Pointers are null or as their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_sampler_create(
    sampler: *mut texunit_sampler,
    desc: *const texunit_texture_desc,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let (to, desc) = unsafe { (Out::new("sampler", sampler)?, read("desc", desc)?) };
        let of_textures = TEXUNIT_TRSF_READ_AS_INTEGER | TEXUNIT_TRSF_NORMALIZED_COORDINATES;
        if desc.flags & of_textures != 0 {
            let text =
                "TEXUNIT_TRSF_READ_AS_INTEGER and _NORMALIZED_COORDINATES are flags of textures";
            return Err(Failure::value(text));
        }
        to.set(keep(Arc::new(self::sampler(&desc)?))?);
        Ok(())
    })
}

/// Destroys a sampler handle; null is allowed. Textures that were made with it are not affected.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_sampler_destroy(sampler: texunit_sampler) -> texunit_status {
    guard(|| forget::<Sampler, _>(sampler))
}

/// Makes another texture on the texels of a texture, with a sampler instead of its own state.
///
/// # Safety
/// Pointers are null or as their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_texture_with_sampler(
    new_texture: *mut texunit_texture,
    texture: texunit_texture,
    sampler: texunit_sampler,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let to = unsafe { Out::new("newTexture", new_texture)? };
        let (texture, sampler): (Arc<Texture>, Arc<Sampler>) = (find(texture)?, find(sampler)?);
        let Header { resource, read_mode, normalized_coords } = &**texture.header();
        let header = Header::new(Arc::clone(resource), *read_mode, *normalized_coords, &sampler)?;
        to.set(keep(Arc::new(Texture::of_header(Arc::new(header), *sampler)))?);
        Ok(())
    })
}
