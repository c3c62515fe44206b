//! Texture and surface objects: what descriptors mean.
//!
//! Their handles are those of the device, which kernels read: numbers of slots in its descriptor
//! tables. Objects of two devices can have the same number, so that the registries here count the
//! device too.

use crate::args::Answer;
use crate::array::{ArrayObject, MipmapObject};
use crate::context::{Context, current};
use crate::error::refusal;
use crate::format::{format, view_format};
use crate::handle::{Handle, Object, object};
use crate::state::Gpu;
use std::sync::Arc;
use texunit_cuda_abi::{
    CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
    CU_RESOURCE_TYPE_PITCH2D, CU_TR_ADDRESS_MODE_BORDER, CU_TR_ADDRESS_MODE_CLAMP,
    CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_LINEAR,
    CU_TR_FILTER_MODE_POINT, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION,
    CU_TRSF_NORMALIZED_COORDINATES, CU_TRSF_READ_AS_INTEGER, CU_TRSF_SEAMLESS_CUBEMAP,
    CU_TRSF_SRGB, CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_SURFACE_LDST,
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUresult, Refusal,
};
use texunit_device::{
    AddressMode, Array, Channel, Device, Error, Filter, Format, Linear, MipmappedArray, ReadMode,
    Sampler, SurfaceObject, TextureDescriptor, TextureObject, TextureResource, View,
};
use texunit_unit::CreateError;

/// A `CUtexObject`.
#[derive(Debug)]
pub(crate) struct Texture {
    /// Its context.
    pub(crate) context: Handle<Context>,
    /// What it was made with.
    pub(crate) resource: CUDA_RESOURCE_DESC,
    /// Likewise.
    pub(crate) texture: CUDA_TEXTURE_DESC,
    /// Likewise, if there was one.
    pub(crate) view: Option<CUDA_RESOURCE_VIEW_DESC>,
    _object: TextureObject,
}

object!(Texture, "a texture object", INVALID_VALUE);

/// A `CUsurfObject`.
#[derive(Debug)]
pub(crate) struct Surface {
    /// Its context.
    pub(crate) context: Handle<Context>,
    /// What it was made with.
    pub(crate) resource: CUDA_RESOURCE_DESC,
    _object: SurfaceObject,
}

object!(Surface, "a surface object", INVALID_VALUE);

/// Where the number of the device begins in a key: handles use bits 0 to 31 and 61 to 63.
const DEVICE_SHIFT: u32 = 40;

/// What the registries call the object of a device with this handle.
fn key<T>(gpu: &Gpu, handle: u64) -> Handle<T> {
    // Bits that no handle has would otherwise name a device.
    let known = handle & !(u64::from(u32::MAX) | 7 << 61) == 0;
    let number = handle | (gpu.ordinal as u64) << DEVICE_SHIFT;
    if known { Handle::of(number as usize) } else { Handle::NULL }
}

/// What a texture reads.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// An array.
    Array(Array),
    /// An array with mip levels.
    Mipmapped(MipmappedArray),
    /// Linear memory, and its number of elements.
    Linear(Linear, Format, u32),
    /// Pitched memory: width and height in elements, bytes from a row to the next.
    Pitched(Linear, Format, [u32; 2], u64),
}

impl Source {
    /// For the device.
    pub(crate) fn resource(&self) -> TextureResource<'_> {
        match self {
            Self::Array(array) => TextureResource::Array(array),
            Self::Mipmapped(array) => TextureResource::Mipmapped(array),
            Self::Linear(memory, format, width) => {
                TextureResource::LinearAt { memory, format: *format, width: *width }
            }
            Self::Pitched(memory, format, [width, height], pitch) => TextureResource::PitchedAt {
                memory,
                format: *format,
                width: *width,
                height: *height,
                pitch: *pitch,
            },
        }
    }

    /// Format of its elements.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Array(array) => array.format(),
            Self::Mipmapped(array) => array.format(),
            Self::Linear(_, format, _) | Self::Pitched(_, format, ..) => *format,
        }
    }

    fn is_cube(&self) -> bool {
        match self {
            Self::Array(array) => array.geometry().is_cube(),
            Self::Mipmapped(array) => array.geometry().is_cube(),
            _ => false,
        }
    }

    /// Linear memory of so many bytes; what is less than an element at their end is left out.
    pub(crate) fn linear(
        device: &Device,
        address: u64,
        bytes: usize,
        format: Format,
    ) -> Answer<Self> {
        let width = bytes as u64 / u64::from(format.texel_size());
        let size = u64::from(format.texel_size());
        let width = u32::try_from(width).map_err(|_| {
            CUresult::INVALID_VALUE.because(format!(
                "sizeInBytes {bytes} is {width} elements of {size} bytes, more than any linear texture has"
            ))
        })?;
        if width == 0 {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "sizeInBytes {bytes} is less than one element, {size} bytes ({format})"
            )));
        }
        let memory = memory(device, address, u64::from(width) * size)?;
        Ok(Self::Linear(memory, format, width))
    }

    /// Pitched memory.
    pub(crate) fn pitched(
        device: &Device,
        address: u64,
        size: [usize; 2],
        pitch: usize,
        format: Format,
    ) -> Answer<Self> {
        let axis = |name: &str, n: usize| match u32::try_from(n) {
            Ok(n @ 1..) => Ok(n),
            _ => Err(CUresult::INVALID_VALUE.because(format!(
                "{name} {n} is not a size that a texture of pitched memory can have, 1 and more"
            ))),
        };
        let [width, height] = [axis("width", size[0])?, axis("height", size[1])?];
        let row = u64::from(width) * u64::from(format.texel_size());
        if (pitch as u64) < row {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "pitchInBytes {pitch} is less than a row, {width} elements of {} bytes",
                format.texel_size()
            )));
        }
        let before = (pitch as u64).checked_mul(u64::from(height - 1));
        let bytes = before.and_then(|before| before.checked_add(row)).ok_or_else(|| {
            CUresult::INVALID_VALUE.because(format!(
                "{height} rows of pitchInBytes {pitch} are more bytes than 64 bits count"
            ))
        })?;
        let memory = memory(device, address, bytes)?;
        Ok(Self::Pitched(memory, format, [width, height], pitch as u64))
    }
}

/// What the address of a texture of memory is a multiple of
/// (`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`).
pub(crate) const ALIGN: u64 = 512;

/// The bytes at an aligned address, all in one allocation.
fn memory(device: &Device, address: u64, len: u64) -> Answer<Linear> {
    if len == 0 {
        return Err(CUresult::INVALID_VALUE.because("the texture has no bytes of memory"));
    }
    if !address.is_multiple_of(ALIGN) {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "devPtr {address:#x} is not a multiple of {ALIGN}, the texture alignment (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)"
        )));
    }
    if address.checked_add(len).is_none() {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "{len} bytes from devPtr {address:#x} on pass the end of the addresses"
        )));
    }
    let linear = device.linear(address, len);
    crate::memory::tell_unmapped(device);
    linear.map_err(|error| {
        let place = || format!("{len} bytes from devPtr {address:#x} on");
        match &error {
            Error::Address(_) => crate::error::code(&error)
                .because(crate::memory::not_inside("devPtr", address, len)),
            _ => refusal(error).within(place, &[]),
        }
    })
}

/// What a descriptor describes.
fn source(
    device: &Device,
    descriptor: &CUDA_RESOURCE_DESC,
    view: Option<&CUDA_RESOURCE_VIEW_DESC>,
) -> Answer<Source> {
    let CUDA_RESOURCE_DESC { res_type, what, size, height, pitch_in_bytes, .. } = *descriptor;
    let memory_format = || format(descriptor.format, descriptor.num_channels);
    if descriptor.flags != 0 {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "flags {:#x} of the resource descriptor is not 0",
            descriptor.flags
        )));
    }
    match (res_type, view) {
        (CU_RESOURCE_TYPE_ARRAY, _) => {
            let object = array_of(what)?;
            let Some(view) = view else { return Ok(Source::Array(object.array.clone())) };
            let view = view_of(view, &object.descriptor, object.array.format(), None)?;
            Ok(Source::Array(object.array.view(&view).map_err(refusal)?))
        }
        (CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, _) => {
            let object = Handle::<MipmapObject>::of(what as usize).get();
            let object = object.map_err(|refusal| refusal.named("hMipmappedArray"))?;
            let array = &object.array;
            let Some(view) = view else { return Ok(Source::Mipmapped(array.clone())) };
            let levels = Some(array.levels());
            let view = view_of(view, &object.descriptor, array.format(), levels)?;
            Ok(Source::Mipmapped(array.view(&view).map_err(refusal)?))
        }
        (_, Some(_)) => Err(CUresult::INVALID_VALUE.because(format!(
            "pResViewDesc is given, but resType {res_type} is not an array (CU_RESOURCE_TYPE_ARRAY, \
             CU_RESOURCE_TYPE_MIPMAPPED_ARRAY): only arrays have views"
        ))),
        (CU_RESOURCE_TYPE_LINEAR, None) => Source::linear(device, what, size, memory_format()?),
        (CU_RESOURCE_TYPE_PITCH2D, None) => {
            Source::pitched(device, what, [size, height], pitch_in_bytes, memory_format()?)
        }
        _ => Err(CUresult::INVALID_VALUE.because(format!(
            "resType {res_type} is not a CUresourcetype: 0 (array), 1 (mipmapped array), 2 (linear), 3 (pitch2D)"
        ))),
    }
}

/// The array of a descriptor.
fn array_of(what: u64) -> Answer<Arc<ArrayObject>> {
    Handle::<ArrayObject>::of(what as usize).get().map_err(|refusal| refusal.named("hArray"))
}

/// A view as the device has them. Its size is that of the array; block-compressed formats, in which
/// an element is 4 x 4 texels, have four times its width and height.
fn view_of(
    view: &CUDA_RESOURCE_VIEW_DESC,
    array: &CUDA_ARRAY3D_DESCRIPTOR,
    own: Format,
    levels: Option<u32>,
) -> Answer<View> {
    let format = view_format(view.format)?;
    let times = if format.is_block() { 4 } else { 1 };
    let size = [array.width.saturating_mul(times), array.height.saturating_mul(times), array.depth];
    let fits = [view.width, view.height, view.depth] == size && !own.is_block();
    let levels_of = view.first_mipmap_level..view.last_mipmap_level.saturating_add(1);
    let planes = view.first_layer..view.last_layer.saturating_add(1);
    let layered = array.flags & CUDA_ARRAY3D_LAYERED != 0;
    let refused = |reason: String| Err(CUresult::INVALID_VALUE.because(reason));
    if own.is_block() {
        return refused(format!(
            "the array has the block-compressed format {own}, which has no views"
        ));
    }
    if !fits {
        let [width, height, depth] = size;
        return refused(format!(
            "the view is {} x {} x {}, but must be {width} x {height} x {depth}: the size of the array{}",
            view.width,
            view.height,
            view.depth,
            if times == 4 { ", times 4 for a block-compressed format" } else { "" }
        ));
    }
    let (first, last, count) =
        (view.first_mipmap_level, view.last_mipmap_level, levels.unwrap_or(1));
    if levels_of.end > count || levels_of.is_empty() {
        return refused(format!(
            "firstMipmapLevel {first} to lastMipmapLevel {last} are not levels of an array with {count}"
        ));
    }
    let count = if layered { array.depth } else { 1 };
    if planes.is_empty() || planes.end as usize > count {
        let (first, last) = (view.first_layer, view.last_layer);
        return refused(format!(
            "firstLayer {first} to lastLayer {last} are not layers of an array with {count}"
        ));
    }
    Ok(View {
        format: Some(format),
        geometry: None,
        levels: levels.map(|_| levels_of),
        planes: layered.then_some(planes),
    })
}

/// The address mode of a number.
pub(crate) fn address_mode(number: u32) -> Answer<AddressMode> {
    Ok(match number {
        CU_TR_ADDRESS_MODE_WRAP => AddressMode::Wrap,
        CU_TR_ADDRESS_MODE_CLAMP => AddressMode::Clamp,
        CU_TR_ADDRESS_MODE_MIRROR => AddressMode::Mirror,
        CU_TR_ADDRESS_MODE_BORDER => AddressMode::Border,
        _ => {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "addressMode {number} is not a CUaddress_mode: 0 (wrap), 1 (clamp), 2 (mirror), 3 (border)"
            )));
        }
    })
}

/// The filter of a number.
pub(crate) fn filter(number: u32) -> Answer<Filter> {
    Ok(match number {
        CU_TR_FILTER_MODE_POINT => Filter::Point,
        CU_TR_FILTER_MODE_LINEAR => Filter::Linear,
        _ => {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "filterMode {number} is not a CUfilter_mode: 0 (point), 1 (linear)"
            )));
        }
    })
}

/// All flags of textures.
pub(crate) const FLAGS: u32 = CU_TRSF_READ_AS_INTEGER
    | CU_TRSF_NORMALIZED_COORDINATES
    | CU_TRSF_SRGB
    | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
    | CU_TRSF_SEAMLESS_CUBEMAP;

/// How the texels of a format are read: only 8 and 16-bit integers can be read in two ways, of
/// which the flag chooses one.
fn read_mode(format: Format, flags: u32) -> ReadMode {
    use Channel as C;
    let small = matches!(format.plain_channel(), Some(C::U8 | C::S8 | C::U16 | C::S16));
    let as_integer = flags & CU_TRSF_READ_AS_INTEGER != 0;
    if format.is_normalized_kind() || small && !as_integer {
        ReadMode::NormalizedFloat
    } else {
        ReadMode::Element
    }
}

/// A level, of which a NaN is 0 (docs/numerics.md 3.2).
pub(crate) fn level(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value }
}

/// Flags of a texture beside its sampler state: `CUDA_ERROR_INVALID_VALUE` for flags that there are
/// not, and for those that the source does not go with.
pub(crate) fn descriptor(
    source: &Source,
    flags: u32,
    sampler: Sampler,
) -> Answer<TextureDescriptor> {
    let (srgb, seamless) = (flags & CU_TRSF_SRGB != 0, flags & CU_TRSF_SEAMLESS_CUBEMAP != 0);
    let refused = |reason: String| Err(CUresult::INVALID_VALUE.because(reason));
    if flags & !FLAGS != 0 {
        return refused(format!(
            "flags {flags:#x} has bits that are no CU_TRSF flags: {:#x}",
            flags & !FLAGS
        ));
    }
    if seamless && !source.is_cube() {
        return refused(
            "CU_TRSF_SEAMLESS_CUBEMAP is set, and the resource is not a cubemap".to_owned(),
        );
    }
    if source.format().is_srgb_block() && !srgb {
        return refused(format!(
            "the array has the format {}, whose colours are sRGB, and CU_TRSF_SRGB is not set",
            source.format()
        ));
    }
    Ok(TextureDescriptor {
        read_mode: read_mode(source.format(), flags),
        normalized_coords: flags & CU_TRSF_NORMALIZED_COORDINATES != 0,
        sampler: Sampler { srgb, seamless_cube: seamless, ..sampler },
    })
}

/// The sampler state of a descriptor, but for its flags.
fn sampler(texture: &CUDA_TEXTURE_DESC) -> Answer<Sampler> {
    let [x, y, z] = texture.address_mode;
    Ok(Sampler {
        filter: filter(texture.filter_mode)?,
        mip_filter: filter(texture.mipmap_filter_mode)?,
        address_mode: [address_mode(x)?, address_mode(y)?, address_mode(z)?],
        border: texture.border_color.map(f32::to_bits),
        min_level_clamp: level(texture.min_mipmap_level_clamp),
        max_level_clamp: level(texture.max_mipmap_level_clamp),
        level_bias: level(texture.mipmap_level_bias),
        max_anisotropy: texture.max_anisotropy,
        ..Sampler::default()
    })
}

/// What is wrong with a texture, in the words of its descriptor.
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
            format!("the texture takes {needed} bytes, and there are {available} from devPtr on")
        }
        other => return refusal(other.clone()),
    };
    crate::error::code(&error).because(reason)
}

/// Makes a texture object; its handle.
pub(crate) fn create(
    context: &Context,
    resource: &CUDA_RESOURCE_DESC,
    texture: &CUDA_TEXTURE_DESC,
    view: Option<CUDA_RESOURCE_VIEW_DESC>,
) -> Answer<u64> {
    let device = &context.gpu.device;
    let source = source(device, resource, view.as_ref())?;
    let descriptor = descriptor(&source, texture.flags, sampler(texture)?)?;
    let made = device.create_texture_as_driver(&source.resource(), &descriptor);
    let object = made.map_err(texture_refusal)?;
    let handle = object.handle();
    let made = Texture {
        context: context.handle,
        resource: *resource,
        texture: *texture,
        view,
        _object: object,
    };
    keep(context, handle, made)
}

/// Makes a surface object; its handle. The array need not have been made with
/// `CUDA_ARRAY3D_SURFACE_LDST`, whatever the manual says: a driver was seen to accept others of every format
/// that is not block-compressed. That it accepts levels of mipmapped arrays likewise is inferred
/// (docs/cuda-api.md, "Answers of a driver").
pub(crate) fn create_surface(context: &Context, resource: &CUDA_RESOURCE_DESC) -> Answer<u64> {
    if resource.res_type != CU_RESOURCE_TYPE_ARRAY {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "resType {} is not CU_RESOURCE_TYPE_ARRAY (0): surfaces are made of arrays",
            resource.res_type
        )));
    }
    if resource.flags != 0 {
        return Err(CUresult::INVALID_VALUE
            .because(format!("flags {:#x} of the resource descriptor is not 0", resource.flags)));
    }
    let array = array_of(resource.what)?;
    let object = context.gpu.device.create_surface(&array.array).map_err(refusal)?;
    let handle = object.handle();
    let made = Surface { context: context.handle, resource: *resource, _object: object };
    keep(context, handle, made)
}

/// Keeps an object under its handle of the device.
fn keep<T: Object>(context: &Context, handle: u64, object: T) -> Answer<u64> {
    let object = Arc::new(object);
    T::registry().keep(key(&context.gpu, handle), Arc::clone(&object));
    // By then the handle may be that of another object.
    context.outlives(|| drop(T::registry().remove_all(|other| std::ptr::eq(other, &*object))))?;
    Ok(handle)
}

/// Whether an array was made for surfaces, as those of surface references are.
pub(crate) fn check_surface(array: &ArrayObject) -> Answer {
    if array.descriptor.flags & CUDA_ARRAY3D_SURFACE_LDST == 0 {
        return Err(CUresult::INVALID_VALUE.because(
            "hArray was made without CUDA_ARRAY3D_SURFACE_LDST, which surface references need",
        ));
    }
    Ok(())
}

/// The object of a handle that the device gives out, in the current context.
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

/// Ends a texture object. What it read is given back if nobody else holds it.
pub(crate) fn destroy(handle: u64) -> Answer {
    let context = current()?;
    find(&context, handle)?;
    key::<Texture>(&context.gpu, handle).take().map(|_| ())
}

/// Ends a surface object.
pub(crate) fn destroy_surface(handle: u64) -> Answer {
    let context = current()?;
    find_surface(&context, handle)?;
    key::<Surface>(&context.gpu, handle).take().map(|_| ())
}

/// Ends the texture and surface objects of a context.
pub(crate) fn release_context(context: &Context) {
    Texture::registry().remove_all(|texture| texture.context == context.handle);
    Surface::registry().remove_all(|surface| surface.context == context.handle);
}

#[cfg(test)]
mod tests;
