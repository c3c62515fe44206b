//! Converts descriptors to resources and samplers of the unit, by the rules of CUDA's driver.

use crate::caller::range;
use crate::constants::*;
use crate::desc::*;
use crate::formats::{format, numbers};
use crate::handle;
use crate::status::Failure;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use texunit_cuda_abi::format::VIEW_FORMATS;
use texunit_forms::Count;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ArrayShape, CompareFunction, Extent, Filter, Geometry, Resource, Sampler, View,
};

/// The shape of an array. 0 mip levels mean none, and so do 0 or 1 samples.
pub(crate) fn shape(
    desc: &texunit_array_desc,
    levels: u32,
    samples: u32,
) -> Result<ArrayShape, Failure> {
    const FLAGS: u32 = TEXUNIT_ARRAY3D_LAYERED
        | TEXUNIT_ARRAY3D_SURFACE_LDST
        | TEXUNIT_ARRAY3D_CUBEMAP
        | TEXUNIT_ARRAY3D_TEXTURE_GATHER
        | TEXUNIT_ARRAY3D_DEPTH_TEXTURE
        | TEXUNIT_ARRAY3D_COLOR_ATTACHMENT;
    if desc.flags & !FLAGS != 0 {
        let unknown = desc.flags & !FLAGS;
        return Err(Failure::value(format!("Flags has bits that say nothing: {unknown:#x}")));
    }
    let format = format(desc.format, desc.num_channels)?;
    let (geometry, layers) = geometry(desc, samples)?;
    let axis = |name: &str, size: usize| {
        u32::try_from(size)
            .map_err(|_| Failure::value(format!("{name} {size} is more than any array has")))
    };
    let extent = Extent {
        width: axis("Width", desc.width)?,
        height: axis("Height", desc.height)?.max(1),
        depth: if geometry == Geometry::D3 { axis("Depth", desc.depth)? } else { 1 },
    };
    Ok(ArrayShape {
        layers: axis("Depth", layers)?,
        levels: (levels > 0).then_some(levels),
        samples: samples.max(1),
        ..ArrayShape::new(format, geometry, extent)
    })
}

/// The geometry, from the sizes that are not 0 and the flags, and the number of layers or cubes.
fn geometry(desc: &texunit_array_desc, samples: u32) -> Result<(Geometry, usize), Failure> {
    let texunit_array_desc { width, height, depth, flags, .. } = *desc;
    let is_cube = flags & TEXUNIT_ARRAY3D_CUBEMAP != 0;
    let is_layered = flags & TEXUNIT_ARRAY3D_LAYERED != 0;
    let found = Geometry::of_array([width, height, depth], is_layered, is_cube);
    match (samples, found) {
        (0 | 1, found) => found.map_err(Failure::value),
        (_, Ok((Geometry::D2, _))) => Ok((Geometry::D2ms, 1)),
        (_, Ok((Geometry::A2d, layers))) => Ok((Geometry::A2dms, layers)),
        (_, Err(rule)) if width == 0 => Err(Failure::value(rule)),
        _ => Err(Failure::value(format!(
            "Width {width}, Height {height}, Depth {depth}: arrays with samples are 2D, or layers of 2D"
        ))),
    }
}

/// Descriptor, mip levels and samples of an array.
pub(crate) fn described(resource: &Resource) -> (texunit_array_desc, u32, u32) {
    let shape = resource.shape();
    let (geometry, extent) = (shape.geometry, shape.extent);
    let (format, num_channels) = numbers(shape.format);
    let layered = if geometry.is_array() { TEXUNIT_ARRAY3D_LAYERED } else { 0 };
    let cube = if geometry.is_cube() { TEXUNIT_ARRAY3D_CUBEMAP } else { 0 };
    let depth = match geometry {
        Geometry::D3 => extent.depth,
        _ if layered | cube != 0 => shape.planes(),
        _ => 0,
    };
    let desc = texunit_array_desc {
        width: extent.width as usize,
        height: if geometry.axes() == 1 { 0 } else { extent.height as usize },
        depth: depth as usize,
        format,
        num_channels,
        flags: layered | cube,
    };
    (desc, shape.levels.unwrap_or(0), shape.samples)
}

/// The resource of a texture or surface.
///
/// # Safety
/// Linear and pitched memory stays valid until the resource is dropped.
pub(crate) unsafe fn resource(
    desc: &texunit_resource_desc,
    view: Option<texunit_view_desc>,
) -> Result<Arc<Resource>, Failure> {
    if desc.flags != 0 {
        return Err(Failure::value("flags of the resource descriptor has to be 0"));
    }
    match (desc.res_type, view) {
        (TEXUNIT_RESOURCE_TYPE_ARRAY | TEXUNIT_RESOURCE_TYPE_MIPMAPPED_ARRAY, view) => {
            // SAFETY: both union members are a handle, for which all bits are valid.
            let array = unsafe { desc.res.array.h_array };
            let array: Arc<Resource> = handle::find(array)?;
            let Some(view) = view else { return Ok(array) };
            Ok(Arc::new(array.view(&seen(&view, &array)?)?))
        }
        (_, Some(_)) => Err(Failure::value("only arrays have views")),
        (TEXUNIT_RESOURCE_TYPE_LINEAR, None) => {
            // SAFETY: all bits are valid numbers.
            let linear = unsafe { desc.res.linear };
            let format = format(linear.format, linear.num_channels)?;
            let width = linear.size_in_bytes / format.texel_size() as usize;
            let width = u32::try_from(width).ok().filter(|&n| n > 0).ok_or_else(|| {
                Failure::value(format!("sizeInBytes {}: from one texel on", linear.size_in_bytes))
            })?;
            let size = width as usize * format.texel_size() as usize;
            // SAFETY: guaranteed by this function's caller.
            let block = Arc::new(unsafe { foreign(linear.dev_ptr, size)? });
            let address = block.host_address();
            Ok(Arc::new(Resource::linear(format, width, block, 0, address, "linear")?))
        }
        (TEXUNIT_RESOURCE_TYPE_PITCH2D, None) => {
            // SAFETY: all bits are valid numbers.
            let pitched = unsafe { desc.res.pitch2D };
            // SAFETY: guaranteed by this function's caller.
            unsafe { of_rows(&pitched) }
        }
        (other, None) => Err(Failure::value(format!(
            "resType {other} is not 0 (array), 1 (mipmapped array), 2 (linear) or 3 (pitch2D)"
        ))),
    }
}

/// The resource on pitched memory.
///
/// # Safety
/// As for [`resource`].
unsafe fn of_rows(pitched: &texunit_resource_pitch2d) -> Result<Arc<Resource>, Failure> {
    let format = format(pitched.format, pitched.num_channels)?;
    let axis = |name: &str, n: usize| match u32::try_from(n) {
        Ok(n @ 1..) => Ok(n),
        _ => Err(Failure::value(format!("{name} {n} is not a size that pitched memory has"))),
    };
    let (width, height) = (axis("width", pitched.width)?, axis("height", pitched.height)?);
    let row = u64::from(width) * u64::from(format.texel_size());
    let pitch = pitched.pitch_in_bytes as u64;
    let before = pitch.checked_mul(u64::from(height - 1));
    let size = before.and_then(|n| n.checked_add(row)).and_then(|n| usize::try_from(n).ok());
    let size = size.ok_or_else(|| Failure::value("pitchInBytes: more than any memory has"))?;
    // SAFETY: guaranteed by this function's caller.
    let block = Arc::new(unsafe { foreign(pitched.dev_ptr, size)? });
    let address = block.host_address();
    let made =
        Resource::pitched(format, width, height, pitch, block, 0, address, "pitched memory")?;
    Ok(Arc::new(made))
}

/// Memory of the caller as a block.
///
/// # Safety
/// It is valid until the block is dropped, and writable if it is written.
unsafe fn foreign(pointer: *mut c_void, size: usize) -> Result<Block, Failure> {
    let start = NonNull::new(pointer.cast::<u8>());
    let start = start.ok_or_else(|| Failure::new(TEXUNIT_ERROR_NULL_POINTER, "devPtr is null"))?;
    let all = range(pointer, size);
    if size > isize::MAX as usize || all.end - all.start != size {
        return Err(Failure::value(format!(
            "{} are more than any memory has",
            Count(size, "byte")
        )));
    }
    // SAFETY: the caller guarantees `size` bytes from `start` on. The block makes no references to
    // them; `caller::texels` excludes overlap with other writes.
    Ok(unsafe { Block::foreign(start, size, true, "memory of the program") })
}

/// Converts a view descriptor to a view of an array.
fn seen(view: &texunit_view_desc, array: &Resource) -> Result<View, Failure> {
    if view.reserved != [0; 16] {
        return Err(Failure::value("reserved of the view has to be 0"));
    }
    let format = match view.format {
        0 => None,
        number => {
            let name = VIEW_FORMATS.get(number as usize - 1);
            let format = name.and_then(|name| Format::from_name(name));
            Some(format.ok_or_else(|| {
                Failure::value(format!(
                    "format {number:#x} is not a CUresourceViewFormat of a view"
                ))
            })?)
        }
    };
    let is_widened = format.is_some_and(|f| f.is_block()) && !array.format().is_block();
    let times = if is_widened { 4 } else { 1 };
    let (desc, ..) = described(array);
    let has = [desc.width.saturating_mul(times), desc.height.saturating_mul(times), desc.depth];
    for (name, given, own) in [
        ("width", view.width, has[0]),
        ("height", view.height, has[1]),
        ("depth", view.depth, has[2]),
    ] {
        if given != 0 && given != own {
            return Err(Failure::value(format!(
                "{name} of the view is {given}, but must be {own}"
            )));
        }
    }
    let levels = view.first_mipmap_level..view.last_mipmap_level.saturating_add(1);
    let planes = view.first_layer..view.last_layer.saturating_add(1);
    let has_planes = array.geometry().is_array() || array.geometry().is_cube();
    if !has_planes && (view.first_layer, view.last_layer) != (0, 0) {
        return Err(Failure::value("the array of the view has no layers"));
    }
    Ok(View {
        format,
        geometry: None,
        levels: array.is_mipmapped().then_some(levels),
        // All faces of one cube: as in CUDA, views of cubemaps have no layers.
        planes: (has_planes && (array.geometry().is_array() || planes != (0..1))).then_some(planes),
    })
}

/// The sampling state of a texture or sampler.
pub(crate) fn sampler(desc: &texunit_texture_desc) -> Result<Sampler, Failure> {
    const FLAGS: u32 = TEXUNIT_TRSF_READ_AS_INTEGER
        | TEXUNIT_TRSF_NORMALIZED_COORDINATES
        | TEXUNIT_TRSF_SRGB
        | TEXUNIT_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
        | TEXUNIT_TRSF_SEAMLESS_CUBEMAP
        | TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES;
    let unknown = desc.flags & !FLAGS;
    if unknown != 0 {
        return Err(Failure::value(format!("flags has bits that say nothing: {unknown:#x}")));
    }
    if desc.reserved != [0; 11] {
        return Err(Failure::value("reserved of the texture descriptor has to be 0"));
    }
    let [x, y, z] = desc.address_mode;
    let has = |flag: u32| desc.flags & flag != 0;
    Ok(Sampler::default()
        .with_filter(filter("filterMode", desc.filter_mode)?)
        .with_mip_filter(filter("mipmapFilterMode", desc.mipmap_filter_mode)?)
        .with_address_modes([address_mode(x)?, address_mode(y)?, address_mode(z)?])
        .with_border_bits(desc.border_color.map(f32::to_bits))
        .with_min_level_clamp(level(desc.min_mipmap_level_clamp))
        .with_max_level_clamp(level(desc.max_mipmap_level_clamp))
        .with_level_bias(level(desc.mipmap_level_bias))
        .with_max_anisotropy(desc.max_anisotropy)
        .with_force_unnormalized_coords(has(TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES))
        .with_srgb(has(TEXUNIT_TRSF_SRGB))
        .with_seamless_cube(has(TEXUNIT_TRSF_SEAMLESS_CUBEMAP))
        .with_compare(compare(desc.compare_function)?))
}

/// A level, with NaN replaced by 0 (docs/numerics.md 3.2).
fn level(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value }
}

/// Address modes by CUDA's values, which differ from PTX's.
pub(crate) const ADDRESS_MODES: [(u32, AddressMode); 5] = [
    (TEXUNIT_TR_ADDRESS_MODE_WRAP, AddressMode::Wrap),
    (TEXUNIT_TR_ADDRESS_MODE_CLAMP, AddressMode::Clamp),
    (TEXUNIT_TR_ADDRESS_MODE_MIRROR, AddressMode::Mirror),
    (TEXUNIT_TR_ADDRESS_MODE_BORDER, AddressMode::Border),
    (TEXUNIT_TR_ADDRESS_MODE_CLAMP_OGL, AddressMode::ClampOgl),
];

fn address_mode(number: u32) -> Result<AddressMode, Failure> {
    let row = ADDRESS_MODES.iter().find(|row| row.0 == number);
    row.map(|row| row.1).ok_or_else(|| {
        Failure::value(format!(
            "addressMode {number} is not 0 (wrap), 1 (clamp), 2 (mirror), 3 (border) or 4 (clamp_ogl)"
        ))
    })
}

fn filter(name: &str, number: u32) -> Result<Filter, Failure> {
    match number {
        TEXUNIT_TR_FILTER_MODE_POINT => Ok(Filter::Point),
        TEXUNIT_TR_FILTER_MODE_LINEAR => Ok(Filter::Linear),
        _ => Err(Failure::value(format!("{name} {number} is not 0 (point) or 1 (linear)"))),
    }
}

fn compare(number: u32) -> Result<Option<CompareFunction>, Failure> {
    match (number as usize).checked_sub(1) {
        None => Ok(None),
        Some(n) => CompareFunction::NAMES.get(n).map(|row| Some(row.1)).ok_or_else(|| {
            Failure::value(format!("compareFunction {number} is not a TEXUNIT_COMPARE number"))
        }),
    }
}

/// Allocates an array, filled with zeros.
pub(crate) fn made(shape: &ArrayShape) -> Result<Resource, Failure> {
    let size = shape.size()?;
    let block = usize::try_from(size).ok().and_then(|size| Block::new(size, "array"));
    let none = || {
        let text = format!("{} of memory cannot be had", Count(size, "byte"));
        Failure::new(TEXUNIT_ERROR_OUT_OF_MEMORY, text)
    };
    Ok(Resource::array(shape, Arc::new(block.ok_or_else(none)?), "array")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn structures_have_cudas_layout() {
        use std::mem::{offset_of, size_of};
        use texunit_cuda_abi as cuda;
        assert_eq!(size_of::<texunit_array_desc>(), size_of::<cuda::CUDA_ARRAY3D_DESCRIPTOR>());
        assert_eq!(size_of::<texunit_texture_desc>(), size_of::<cuda::CUDA_TEXTURE_DESC>());
        assert_eq!(size_of::<texunit_view_desc>(), size_of::<cuda::CUDA_RESOURCE_VIEW_DESC>());
        assert_eq!(size_of::<texunit_resource_desc>(), size_of::<cuda::CUDA_RESOURCE_DESC>());
        macro_rules! same {
            ($ours:ty, $theirs:ty: $($field:ident)*) => {
                $(assert_eq!(offset_of!($ours, $field), offset_of!($theirs, $field));)*
            };
        }
        same!(texunit_array_desc, cuda::CUDA_ARRAY3D_DESCRIPTOR:
            width height depth format num_channels flags);
        same!(texunit_texture_desc, cuda::CUDA_TEXTURE_DESC: address_mode filter_mode flags
            max_anisotropy mipmap_filter_mode mipmap_level_bias min_mipmap_level_clamp
            max_mipmap_level_clamp border_color);
        same!(texunit_view_desc, cuda::CUDA_RESOURCE_VIEW_DESC: format width height depth
            first_mipmap_level last_mipmap_level first_layer last_layer);
        same!(texunit_resource_desc, cuda::CUDA_RESOURCE_DESC: res_type flags);
        let res = offset_of!(texunit_resource_desc, res);
        type Rows = texunit_resource_pitch2d;
        type Theirs = cuda::CUDA_RESOURCE_DESC;
        assert_eq!(res, offset_of!(Theirs, what));
        assert_eq!(res + offset_of!(Rows, format), offset_of!(Theirs, format));
        assert_eq!(res + offset_of!(Rows, width), offset_of!(Theirs, size));
        assert_eq!(res + offset_of!(Rows, pitch_in_bytes), offset_of!(Theirs, pitch_in_bytes));
    }
}
