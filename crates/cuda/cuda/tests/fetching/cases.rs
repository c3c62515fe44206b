//! Arrays, sampler states and coordinates of the tests that compare fetches, as types of the API
//! and of the device crate.

use super::copy;
use crate::common::Ptr;
use texunit_cuda_abi::*;
use texunit_device::{
    AddressMode, Array, ArrayDescriptor, Extent, Filter, Format, Geometry, Sampler,
};
use texunit_testkit::Random;

pub(crate) const READ_AS_INTEGER: u32 = CU_TRSF_READ_AS_INTEGER;
pub(crate) const NORMALIZED_COORDINATES: u32 = CU_TRSF_NORMALIZED_COORDINATES;

/// An array of each geometry: the driver's descriptor, and the device's shape.
pub(crate) fn shape(
    geometry: Geometry,
    format: (u32, u32, Format),
) -> (CUDA_ARRAY3D_DESCRIPTOR, ArrayDescriptor) {
    let (width, height, depth, layers, flags) = match geometry {
        Geometry::D1 => (24, 0, 0, 1, 0),
        Geometry::D2 => (12, 20, 0, 1, 0),
        Geometry::D3 => (12, 8, 4, 1, 0),
        Geometry::A1d => (24, 0, 3, 3, CUDA_ARRAY3D_LAYERED),
        Geometry::A2d => (12, 8, 3, 3, CUDA_ARRAY3D_LAYERED),
        Geometry::Cube => (8, 8, 6, 1, CUDA_ARRAY3D_CUBEMAP),
        _ => (8, 8, 12, 2, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED),
    };
    let (number, num_channels, format) = format;
    let given =
        CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format: number, num_channels, flags };
    let solid = geometry == Geometry::D3;
    let extent = Extent {
        width: width as u32,
        height: (height as u32).max(1),
        depth: if solid { depth as u32 } else { 1 },
    };
    let ours = ArrayDescriptor::new(format, geometry, extent, "array").with_layers(layers);
    (given, ours)
}

/// Descriptor of a two-dimensional array without flags.
pub(crate) fn plain(
    width: usize,
    height: usize,
    format: u32,
    num_channels: u32,
) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR { width, height, format, num_channels, ..Default::default() }
}

/// Coordinates in and around an array: `scale` texels, or normalized coordinates around 0 to 1; the
/// last is a layer or level.
pub(crate) fn coordinates(random: &mut Random, normalized: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..super::THREADS {
        let mut one = || random.below(4096) as f32 / 4096.0;
        let scale = if normalized { 1.5 } else { 30.0 };
        let offset = if normalized { -0.25 } else { -3.0 };
        let [x, y, z] = [one(), one(), one()].map(|x| x * scale + offset);
        let w = (one() * 3.0 * 256.0).floor() / 256.0;
        out.extend([x, y, z, w].iter().flat_map(|x| x.to_le_bytes()));
    }
    out
}

/// Random sampler state as types of both.
pub(crate) fn state(random: &mut Random, linear: bool, flags: u32) -> (CUDA_TEXTURE_DESC, Sampler) {
    const MODES: [AddressMode; 4] =
        [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
    let modes = [random.below(4), random.below(4), random.below(4)].map(|n| n as u32);
    let border_color = [0.25, 0.5, -0.75, 1.0];
    let (mip_linear, bias) = (linear && random.below(2) == 1, random.below(256) as f32 / 256.0);
    let given = CUDA_TEXTURE_DESC {
        address_mode: modes,
        filter_mode: linear.into(),
        flags,
        max_anisotropy: 1,
        mipmap_filter_mode: mip_linear.into(),
        mipmap_level_bias: bias,
        min_mipmap_level_clamp: 0.25,
        max_mipmap_level_clamp: 2.5,
        border_color,
        reserved: [0; 12],
    };
    let filter = |linear| if linear { Filter::Linear } else { Filter::Point };
    let ours = Sampler::default()
        .with_filter(filter(linear))
        .with_mip_filter(filter(mip_linear))
        .with_address_modes(modes.map(|n| MODES[n as usize]))
        .with_border_bits(border_color.map(f32::to_bits))
        .with_level_bias(bias)
        .with_min_level_clamp(0.25)
        .with_max_level_clamp(2.5)
        .with_max_anisotropy(1)
        .with_srgb(flags & CU_TRSF_SRGB != 0)
        .with_seamless_cube(flags & CU_TRSF_SEAMLESS_CUBEMAP != 0);
    (given, ours)
}

/// Fills both arrays with the same bytes.
pub(crate) fn fill(given: Ptr, ours: &Array, random: &mut Random) {
    let mut bytes = random.bytes(ours.size() as usize);
    ours.write(&bytes).unwrap();
    copy(given, bytes.as_mut_ptr(), true, ours.copy_extent());
}
