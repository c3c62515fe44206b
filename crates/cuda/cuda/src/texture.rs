//! Texture and surface objects, created from the driver API's descriptors.
//!
//! Handles are those of the device, which kernels read: indices in its descriptor tables. Objects
//! of two devices may have the same handle, so that keys of the registries here include the device.

mod source;

use crate::context::{Context, current};
use crate::prelude::*;
use crate::state::Gpu;

pub(crate) use source::{ALIGN, Source};
use source::{array_of, check_reached, source};
use texunit_device::{
    AddressMode, Error, Filter, ReadMode, Sampler, SurfaceObject, TextureDescriptor, TextureObject,
};
use texunit_unit::CreateError;

/// The object behind a `CUtexObject` handle: a texture.
#[derive(Debug)]
pub(crate) struct Texture {
    pub(crate) context: Handle<Context>,
    /// Resource descriptor passed at creation.
    pub(crate) resource: CUDA_RESOURCE_DESC,
    /// Texture descriptor passed at creation.
    pub(crate) texture: CUDA_TEXTURE_DESC,
    /// Resource view descriptor passed at creation.
    pub(crate) view: Option<CUDA_RESOURCE_VIEW_DESC>,
    _object: TextureObject,
}

object!(Texture, "a texture object", INVALID_VALUE);

/// The object behind a `CUsurfObject` handle: a surface.
#[derive(Debug)]
pub(crate) struct Surface {
    pub(crate) context: Handle<Context>,
    /// Resource descriptor passed at creation.
    pub(crate) resource: CUDA_RESOURCE_DESC,
    _object: SurfaceObject,
}

object!(Surface, "a surface object", INVALID_VALUE);

/// Position of the device number in a key: handles use bits 0 to 31 and 61 to 63.
const DEVICE_SHIFT: u32 = 40;

/// Registry key for a device and a handle.
fn key<T>(gpu: &Gpu, handle: u64) -> Handle<T> {
    // Invalid bits of a handle would otherwise select another device.
    let known = handle & !(u64::from(u32::MAX) | 7 << 61) == 0;
    let number = handle | (gpu.ordinal as u64) << DEVICE_SHIFT;
    if known { Handle::of(number as usize) } else { Handle::NULL }
}

/// The address mode of a number in the API.
pub(crate) fn address_mode(number: u32) -> Answer<AddressMode> {
    Ok(match number {
        CU_TR_ADDRESS_MODE_WRAP => AddressMode::Wrap,
        CU_TR_ADDRESS_MODE_CLAMP => AddressMode::Clamp,
        CU_TR_ADDRESS_MODE_MIRROR => AddressMode::Mirror,
        CU_TR_ADDRESS_MODE_BORDER => AddressMode::Border,
        _ => bail!(
            "addressMode {number} is not a CUaddress_mode: 0 (wrap), 1 (clamp), 2 (mirror), 3 (border)"
        ),
    })
}

/// The filter mode of a number in the API.
pub(crate) fn filter(number: u32) -> Answer<Filter> {
    Ok(match number {
        CU_TR_FILTER_MODE_POINT => Filter::Point,
        CU_TR_FILTER_MODE_LINEAR => Filter::Linear,
        _ => bail!("filterMode {number} is not a CUfilter_mode: 0 (point), 1 (linear)"),
    })
}

/// All texture flags. 4 and 8 have no name and no effect (as on an NVIDIA H200, docs/cuda-api.md).
pub(crate) const FLAGS: u32 = 4
    | 8
    | CU_TRSF_READ_AS_INTEGER
    | CU_TRSF_NORMALIZED_COORDINATES
    | CU_TRSF_SRGB
    | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
    | CU_TRSF_SEAMLESS_CUBEMAP;

/// The device's texture descriptor without sampler state, from the flags:
/// `CUDA_ERROR_INVALID_VALUE` for unknown flags, and for flags that the source does not support.
pub(crate) fn descriptor(
    source: &Source,
    flags: u32,
    sampler: Sampler,
) -> Answer<TextureDescriptor> {
    let (srgb, seamless) = (flags & CU_TRSF_SRGB != 0, flags & CU_TRSF_SEAMLESS_CUBEMAP != 0);
    ensure!(
        flags & !FLAGS == 0,
        "flags {flags:#x} has bits that are not CU_TRSF flags: {:#x}",
        flags & !FLAGS
    );
    ensure!(
        !seamless || source.geometry().is_cube(),
        "CU_TRSF_SEAMLESS_CUBEMAP is set, and the resource is not a cubemap"
    );
    ensure!(
        !source.format().is_srgb_block() || srgb,
        "the array has the format {}, whose colours are sRGB, and CU_TRSF_SRGB is not set",
        source.format()
    );
    Ok(TextureDescriptor::default()
        .with_read_mode(ReadMode::of_driver(source.format(), flags & CU_TRSF_READ_AS_INTEGER != 0))
        .with_normalized_coords(flags & CU_TRSF_NORMALIZED_COORDINATES != 0)
        .with_sampler(sampler.with_srgb(srgb).with_seamless_cube(seamless))
        .with_as_driver(true))
}

/// The sampler state of a descriptor, except for its flags. Address modes of missing axes are
/// ignored.
fn sampler(texture: &CUDA_TEXTURE_DESC, axes: usize) -> Answer<Sampler> {
    let mut modes = [AddressMode::Clamp; 3];
    for (axis, (mode, &number)) in modes.iter_mut().zip(&texture.address_mode).enumerate() {
        match address_mode(number) {
            Ok(known) => *mode = known,
            Err(refused) if axis < axes => return Err(refused),
            Err(_) => {}
        }
    }
    Ok(Sampler::default()
        .with_filter(filter(texture.filter_mode)?)
        .with_mip_filter(filter(texture.mipmap_filter_mode)?)
        .with_address_modes(modes)
        .with_border_bits(texture.border_color.map(f32::to_bits))
        .with_min_level_clamp(texture.min_mipmap_level_clamp)
        .with_max_level_clamp(texture.max_mipmap_level_clamp)
        .with_level_bias(texture.mipmap_level_bias)
        .with_max_anisotropy(texture.max_anisotropy))
}

/// The refusal of a texture in terms of its descriptor.
pub(crate) fn texture_refusal(error: Error) -> Refusal {
    let reason = match &error {
        Error::Create(CreateError::Alignment { what: "pitch", value, align }) => format!(
            "pitchInBytes {value} is not a multiple of {align}, the texture pitch alignment \
             (CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT)"
        ),
        Error::Create(CreateError::Extent { what, value, max }) => {
            let name = if *what == "pitch" { "pitchInBytes" } else { what };
            format!(
                "{name} {value} is not from 1 to {max}, what such a texture can have on this device"
            )
        }
        Error::Create(CreateError::Memory { needed, available }) => {
            format!(
                "the texture takes {}, and there are {available} from devPtr on",
                Count(needed, "byte")
            )
        }
        other => return refusal(other.clone()),
    };
    crate::error::code(&error).because(reason)
}

/// Creates a texture object and returns its handle.
pub(crate) fn create(
    context: &Context,
    resource: &CUDA_RESOURCE_DESC,
    texture: &CUDA_TEXTURE_DESC,
    view: Option<CUDA_RESOURCE_VIEW_DESC>,
) -> Answer<u64> {
    let device = &context.gpu.device;
    let source = source(context, resource, view.as_ref())?;
    let sampler = sampler(texture, source.geometry().axes())?;
    let descriptor = descriptor(&source, texture.flags, sampler)?;
    let made = device.create_texture(&source.resource(), &descriptor);
    let object = made.map_err(texture_refusal)?;
    let handle = object.handle();
    let made = Texture {
        context: context.handle,
        resource: *resource,
        texture: *texture,
        view,
        _object: object,
    };
    register(context, handle, made)
}

/// Creates a surface object and returns its handle. The array need not have
/// `CUDA_ARRAY3D_SURFACE_LDST`, contrary to the manual: a driver was seen to accept others in every
/// format that is not block-compressed. That it accepts levels of mipmapped arrays, too, is
/// inferred (docs/cuda-api.md, "What a driver returns").
pub(crate) fn create_surface(context: &Context, resource: &CUDA_RESOURCE_DESC) -> Answer<u64> {
    ensure!(
        resource.res_type == CU_RESOURCE_TYPE_ARRAY,
        "resType {} is not CU_RESOURCE_TYPE_ARRAY (0): surfaces are made of arrays",
        resource.res_type
    );
    ensure!(resource.flags == 0, "flags {:#x} of the resource descriptor is not 0", resource.flags);
    let array = array_of(resource.what)?;
    check_reached(context, array.array.device())?;
    let object = context.gpu.device.create_surface(&array.array).map_err(refusal)?;
    let handle = object.handle();
    let made = Surface { context: context.handle, resource: *resource, _object: object };
    register(context, handle, made)
}

/// Registers an object under its device handle.
fn register<T: Object>(context: &Context, handle: u64, object: T) -> Answer<u64> {
    let object = Arc::new(object);
    let key = key(&context.gpu, handle);
    crate::check_log::created(key.number());
    T::registry().insert_as(key, Arc::clone(&object));
    // The object is identified by its address, as the handle may have been reused meanwhile.
    context.check_not_ended(|| {
        drop(T::registry().remove_all(|other| std::ptr::eq(other, &*object)))
    })?;
    Ok(handle)
}

/// The object of a device handle, in the current context.
fn object<T: Object>(
    context: &Context,
    handle: u64,
    name: &str,
    of: impl Fn(&T) -> Handle<Context>,
) -> Answer<Arc<T>> {
    let refused = |wrong: &str| T::INVALID.because(format!("{name} {handle:#x} {wrong}"));
    match T::registry().find(key::<T>(&context.gpu, handle)) {
        Some(found) if of(&found) == context.handle => Ok(found),
        Some(_) => Err(refused("is of another context than the one that is current")),
        None => Err(refused(T::WRONG)),
    }
}

/// The texture object of a handle, in the current context.
pub(crate) fn find(context: &Context, handle: u64) -> Answer<Arc<Texture>> {
    object(context, handle, "texObject", |texture: &Texture| texture.context)
}

/// The surface object of a handle, in the current context.
pub(crate) fn find_surface(context: &Context, handle: u64) -> Answer<Arc<Surface>> {
    object(context, handle, "surfObject", |surface: &Surface| surface.context)
}

/// Destroys a texture object; its resource is released with the last reference. Destroying it twice
/// is no error (as on an NVIDIA H200, docs/cuda-api.md).
pub(crate) fn destroy(handle: u64) -> Answer {
    let context = current()?;
    let key = key::<Texture>(&context.gpu, handle);
    // The handle has the bit that only texture handles have, and an index.
    let may_have_been = handle >> 61 == 1 && !key.is_null();
    if !may_have_been || Texture::registry().find(key).is_some() {
        find(&context, handle)?;
    }
    // The result of `take` is ignored, because another thread may have destroyed the object in the
    // meantime.
    drop(key.take());
    Ok(())
}

/// Destroys a surface object.
pub(crate) fn destroy_surface(handle: u64) -> Answer {
    let context = current()?;
    find_surface(&context, handle)?;
    key::<Surface>(&context.gpu, handle).take().map(|_| ())
}

/// Destroys the texture and surface objects of a context.
pub(crate) fn release_context(context: &Context) {
    Texture::registry().remove_all(|texture| texture.context == context.handle);
    Surface::registry().remove_all(|surface| surface.context == context.handle);
}
