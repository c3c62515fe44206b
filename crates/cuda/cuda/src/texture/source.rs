//! Resources of textures: arrays, views of arrays, and memory, from the driver API's descriptors.

use super::*;
use crate::array::{ArrayObject, MipmapObject};
use crate::format::{format_of, view_format};
use texunit_device::{
    Array, Device, Format, Geometry, Linear, MemoryTexels, TextureResource, View,
};

/// Resource of a texture.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// An array, with or without mip levels.
    Array(Array),
    /// Linear memory with format and number of elements.
    Linear(Linear, Format, u32),
    /// Pitched memory with format, width and height in elements, and row pitch in bytes.
    Pitched(Linear, Format, [u32; 2], u64),
}

impl Source {
    /// The resource as the device takes it.
    pub(crate) fn resource(&self) -> TextureResource<'_> {
        match self {
            Self::Array(array) => TextureResource::Array(array),
            Self::Linear(memory, format, width) => {
                MemoryTexels::line(memory, *format, *width).as_driver().into()
            }
            Self::Pitched(memory, format, size, pitch) => {
                MemoryTexels::rows(memory, *format, *size, *pitch).as_driver().into()
            }
        }
    }

    /// Format of the elements.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Array(array) => array.format(),
            Self::Linear(_, format, _) | Self::Pitched(_, format, ..) => *format,
        }
    }

    pub(super) fn geometry(&self) -> Geometry {
        match self {
            Self::Array(array) => array.geometry(),
            Self::Linear(..) => Geometry::D1,
            Self::Pitched(..) => Geometry::D2,
        }
    }

    /// An array, of which textures may read other layers (docs/numerics.md, rule 1.11 level array).
    pub(crate) fn array(array: Array) -> Self {
        if array.texels().has_other_layers() {
            say_once(
                "a texture is made of one level of a layered mipmapped array (cuMipmappedArrayGetLevel): of all layers but \
                 the first it reads other texels, as on an NVIDIA H200. A texture of the mipmapped array with a view of \
                 the level (CUDA_RESOURCE_VIEW_DESC), in normalized coordinates, reads the layers",
            );
        }
        Self::Array(array)
    }

    /// Linear memory of a size in bytes, rounded down to whole elements. It may be empty, and may
    /// extend beyond the allocation (as on an NVIDIA H200, docs/numerics.md 8.1).
    pub(crate) fn linear(
        devices: &[Device],
        address: u64,
        bytes: usize,
        format: Format,
    ) -> Answer<Self> {
        let size = u64::from(format.texel_size());
        let width = bytes as u64 / size;
        let width = u32::try_from(width).map_err(|_| {
            invalid!(
                "sizeInBytes {bytes} is {} of {}, more than any linear texture has",
                Count(width, "element"),
                Count(size, "byte")
            )
        })?;
        // The first byte identifies the allocation.
        let bytes = u64::from(width) * size;
        let memory = memory(devices, address, bytes.min(1))?;
        let left = memory.allocation().end - address;
        static SAID: Once = Once::new();
        if bytes > left {
            SAID.call_once(|| {
                say(format_args!(
                    "a texture of linear memory has {} from {address:#x} on, but the allocation ends after {left}: \
                     fetches past its end are 0 here, and whatever follows it on a GPU", Count(bytes, "byte")
                ));
            });
        }
        Ok(Self::Linear(memory, format, width))
    }

    /// Pitched memory.
    pub(crate) fn pitched(
        devices: &[Device],
        address: u64,
        size: [usize; 2],
        pitch: usize,
        format: Format,
    ) -> Answer<Self> {
        let axis = |name: &str, n: usize| {
            u32::try_from(n)
                .map_err(|_| invalid!("{name} {n} is more than any texture of pitched memory has"))
        };
        let [width, height] = [axis("width", size[0])?, axis("height", size[1])?];
        let row = u64::from(width) * u64::from(format.texel_size());
        let before = (pitch as u64).checked_mul(u64::from(height.saturating_sub(1)));
        let bytes = before.and_then(|before| before.checked_add(row)).ok_or_else(|| {
            invalid!(
                "{} of pitchInBytes {pitch} are more bytes than 64 bits count",
                Count(height, "row")
            )
        })?;
        let bytes = if width == 0 || height == 0 { 0 } else { bytes };
        let memory = memory(devices, address, bytes)?;
        Ok(Self::Pitched(memory, format, [width, height], pitch as u64))
    }
}

/// Alignment of a texture's memory (`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`).
pub(crate) const ALIGN: u64 = 512;

/// The bytes at an aligned address, which must be in one allocation of one of these devices; the
/// first device reads them.
fn memory(devices: &[Device], address: u64, len: u64) -> Answer<Linear> {
    ensure!(
        address.is_multiple_of(ALIGN),
        "devPtr {address:#x} is not a multiple of {ALIGN}, the texture alignment \
         (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)"
    );
    ensure!(
        address.checked_add(len).is_some(),
        "{} from devPtr {address:#x} on pass the end of the addresses",
        Count(len, "byte")
    );
    let mut found = None;
    for device in devices {
        let linear = device.linear(address, len);
        crate::memory::tell_unmapped(device);
        match linear {
            Ok(linear) => return Ok(linear),
            error => found = found.or(Some(error)),
        }
    }
    found.ok_or(CUresult::INVALID_DEVICE.because("the program has no device"))?.map_err(|error| {
        let place = || format!("{} from devPtr {address:#x} on", Count(len, "byte"));
        match &error {
            Error::Address(_) => crate::error::code(&error)
                .because(crate::memory::not_inside("devPtr", address, len)),
            _ => refusal(error).within(place, &[]),
        }
    })
}

/// The source that a resource descriptor and a view describe.
pub(super) fn source(
    context: &Context,
    descriptor: &CUDA_RESOURCE_DESC,
    view: Option<&CUDA_RESOURCE_VIEW_DESC>,
) -> Answer<Source> {
    let CUDA_RESOURCE_DESC { res_type, what, size, height, pitch_in_bytes, .. } = *descriptor;
    let memory_format =
        || format_of(["format", "numChannels"], descriptor.format, descriptor.num_channels);
    ensure!(
        descriptor.flags == 0,
        "flags {:#x} of the resource descriptor is not 0",
        descriptor.flags
    );
    // Views apply to arrays only and are ignored for other resources (as on an NVIDIA H200,
    // docs/numerics.md 8.1).
    match res_type {
        CU_RESOURCE_TYPE_ARRAY => {
            let object = array_of(what)?;
            check_reached(context, object.array.device())?;
            let Some(view) = view else { return Ok(Source::array(object.array.clone())) };
            let view = view_of(view, &object.descriptor, object.array.format(), None)?;
            Ok(Source::array(object.array.view(&view).map_err(refusal)?))
        }
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
            let object = Handle::<MipmapObject>::of(what as usize).get();
            let object = object.map_err(|refusal| refusal.named("hMipmappedArray"))?;
            let array = &object.array;
            check_reached(context, array.device())?;
            let Some(view) = view else { return Ok(Source::Array(array.clone().into())) };
            let view = view_of(view, &object.descriptor, array.format(), Some(array.levels()))?;
            Ok(Source::Array(array.view(&view).map_err(refusal)?.into()))
        }
        CU_RESOURCE_TYPE_LINEAR => Source::linear(&reached(context), what, size, memory_format()?),
        CU_RESOURCE_TYPE_PITCH2D => Source::pitched(
            &reached(context),
            what,
            [size, height],
            pitch_in_bytes,
            memory_format()?,
        ),
        _ => Err(invalid!(
            "resType {res_type} is not a CUresourcetype: 0 (array), 1 (mipmapped array), 2 (linear), 3 (pitch2D)"
        )),
    }
}

/// The device of a context, and the devices whose memory it can access.
fn reached(context: &Context) -> Vec<Device> {
    std::iter::once(context.gpu.device.clone()).chain(context.peer_devices()).collect()
}

/// `CUDA_ERROR_INVALID_CONTEXT` for an array of a device that the context cannot access.
pub(super) fn check_reached(context: &Context, device: &Device) -> Answer {
    if reached(context).iter().any(|other| other.is(device)) {
        return Ok(());
    }
    Err(CUresult::INVALID_CONTEXT.because(
        "the array is one of another device, to which the current context has no access (cuCtxEnablePeerAccess)",
    ))
}

/// The array in a descriptor.
pub(super) fn array_of(what: u64) -> Answer<Arc<ArrayObject>> {
    Handle::<ArrayObject>::of(what as usize).get().map_err(|refusal| refusal.named("hArray"))
}

/// The device's view. Its extent is that of the array; for block-compressed formats, whose elements
/// are 4 x 4 texels, four times its width and height.
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
    let (first, last) = (view.first_mipmap_level, view.last_mipmap_level);
    // A level one past the last is accepted and means the last.
    let last = levels.map_or(last, |count| if last == count { count - 1 } else { last });
    let levels_of = first..last.saturating_add(1);
    let layered = array.flags & CUDA_ARRAY3D_LAYERED != 0;
    let mut planes = view.first_layer..view.last_layer.saturating_add(1);
    ensure!(!own.is_block(), "the array has the block-compressed format {own}, which has no views");
    if !fits {
        let [width, height, depth] = size;
        bail!(
            "the view is {} x {} x {}, but must be {width} x {height} x {depth}: the size of the array{}",
            view.width,
            view.height,
            view.depth,
            if times == 4 { ", times 4 for a block-compressed format" } else { "" }
        );
    }
    let count = levels.unwrap_or(1);
    ensure!(
        levels_of.end <= count && !levels_of.is_empty(),
        "firstMipmapLevel {first} to lastMipmapLevel {last} are not levels of an array with {count}"
    );
    let count = if layered { array.depth } else { 1 };
    if planes.is_empty() || planes.end as usize > count {
        let (first, last) = (view.first_layer, view.last_layer);
        bail!("firstLayer {first} to lastLayer {last} are not layers of an array with {count}");
    }
    if array.flags & CUDA_ARRAY3D_CUBEMAP != 0 {
        // For layered cubes, the range is extended to whole cubes.
        planes = planes.start / 6 * 6..planes.end.next_multiple_of(6);
    }
    Ok(View {
        format: Some(format),
        geometry: None,
        levels: levels.map(|_| levels_of),
        planes: layered.then_some(planes),
    })
}
