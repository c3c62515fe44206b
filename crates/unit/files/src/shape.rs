//! Containers of textures: the shape that the header of a file gives, checked before its texels are
//! read, and the texel formats of Direct3D (DDS) and Vulkan (KTX).

use crate::container::{Container, level_extent};
use crate::error::Problem;
use crate::io::damaged;
use crate::{Kind, MAX_BYTES};
use ddsfile::DxgiFormat as Dx;
use ktx2::Format as Vk;
use texunit_forms::Count;
use texunit_texel::Format;

/// Texel format, whether the file declares sRGB, the DXGI format, and the Vulkan format. (sRGB
/// block formats are separate formats.)
#[rustfmt::skip]
pub(crate) const FORMATS: &[(&str, bool, Dx, Vk)] = &[
    ("unorm8",     false, Dx::R8_UNorm,              Vk::R8_UNORM),
    ("unorm8x2",   false, Dx::R8G8_UNorm,            Vk::R8G8_UNORM),
    ("unorm8x4",   false, Dx::R8G8B8A8_UNorm,        Vk::R8G8B8A8_UNORM),
    ("unorm8x4",   true,  Dx::R8G8B8A8_UNorm_sRGB,   Vk::R8G8B8A8_SRGB),
    ("snorm8",     false, Dx::R8_SNorm,              Vk::R8_SNORM),
    ("snorm8x2",   false, Dx::R8G8_SNorm,            Vk::R8G8_SNORM),
    ("snorm8x4",   false, Dx::R8G8B8A8_SNorm,        Vk::R8G8B8A8_SNORM),
    ("unorm16",    false, Dx::R16_UNorm,             Vk::R16_UNORM),
    ("unorm16x2",  false, Dx::R16G16_UNorm,          Vk::R16G16_UNORM),
    ("unorm16x4",  false, Dx::R16G16B16A16_UNorm,    Vk::R16G16B16A16_UNORM),
    ("snorm16",    false, Dx::R16_SNorm,             Vk::R16_SNORM),
    ("snorm16x2",  false, Dx::R16G16_SNorm,          Vk::R16G16_SNORM),
    ("snorm16x4",  false, Dx::R16G16B16A16_SNorm,    Vk::R16G16B16A16_SNORM),
    ("u8",         false, Dx::R8_UInt,               Vk::R8_UINT),
    ("u8x2",       false, Dx::R8G8_UInt,             Vk::R8G8_UINT),
    ("u8x4",       false, Dx::R8G8B8A8_UInt,         Vk::R8G8B8A8_UINT),
    ("s8",         false, Dx::R8_SInt,               Vk::R8_SINT),
    ("s8x2",       false, Dx::R8G8_SInt,             Vk::R8G8_SINT),
    ("s8x4",       false, Dx::R8G8B8A8_SInt,         Vk::R8G8B8A8_SINT),
    ("u16",        false, Dx::R16_UInt,              Vk::R16_UINT),
    ("u16x2",      false, Dx::R16G16_UInt,           Vk::R16G16_UINT),
    ("u16x4",      false, Dx::R16G16B16A16_UInt,     Vk::R16G16B16A16_UINT),
    ("s16",        false, Dx::R16_SInt,              Vk::R16_SINT),
    ("s16x2",      false, Dx::R16G16_SInt,           Vk::R16G16_SINT),
    ("s16x4",      false, Dx::R16G16B16A16_SInt,     Vk::R16G16B16A16_SINT),
    ("u32",        false, Dx::R32_UInt,              Vk::R32_UINT),
    ("u32x2",      false, Dx::R32G32_UInt,           Vk::R32G32_UINT),
    ("u32x4",      false, Dx::R32G32B32A32_UInt,     Vk::R32G32B32A32_UINT),
    ("s32",        false, Dx::R32_SInt,              Vk::R32_SINT),
    ("s32x2",      false, Dx::R32G32_SInt,           Vk::R32G32_SINT),
    ("s32x4",      false, Dx::R32G32B32A32_SInt,     Vk::R32G32B32A32_SINT),
    ("f16",        false, Dx::R16_Float,             Vk::R16_SFLOAT),
    ("f16x2",      false, Dx::R16G16_Float,          Vk::R16G16_SFLOAT),
    ("f16x4",      false, Dx::R16G16B16A16_Float,    Vk::R16G16B16A16_SFLOAT),
    ("f32",        false, Dx::R32_Float,             Vk::R32_SFLOAT),
    ("f32x2",      false, Dx::R32G32_Float,          Vk::R32G32_SFLOAT),
    ("f32x4",      false, Dx::R32G32B32A32_Float,    Vk::R32G32B32A32_SFLOAT),
    ("rgb10a2",    false, Dx::R10G10B10A2_UNorm,     Vk::A2B10G10R10_UNORM_PACK32),
    ("depth16",    false, Dx::D16_UNorm,             Vk::D16_UNORM),
    ("depth24",    false, Dx::R24_UNorm_X8_Typeless, Vk::X8_D24_UNORM_PACK32),
    ("depth32f",   false, Dx::D32_Float,             Vk::D32_SFLOAT),
    ("bc1",        false, Dx::BC1_UNorm,             Vk::BC1_RGBA_UNORM_BLOCK),
    ("bc1_srgb",   false, Dx::BC1_UNorm_sRGB,        Vk::BC1_RGBA_SRGB_BLOCK),
    ("bc2",        false, Dx::BC2_UNorm,             Vk::BC2_UNORM_BLOCK),
    ("bc2_srgb",   false, Dx::BC2_UNorm_sRGB,        Vk::BC2_SRGB_BLOCK),
    ("bc3",        false, Dx::BC3_UNorm,             Vk::BC3_UNORM_BLOCK),
    ("bc3_srgb",   false, Dx::BC3_UNorm_sRGB,        Vk::BC3_SRGB_BLOCK),
    ("bc4",        false, Dx::BC4_UNorm,             Vk::BC4_UNORM_BLOCK),
    ("bc4_snorm",  false, Dx::BC4_SNorm,             Vk::BC4_SNORM_BLOCK),
    ("bc5",        false, Dx::BC5_UNorm,             Vk::BC5_UNORM_BLOCK),
    ("bc5_snorm",  false, Dx::BC5_SNorm,             Vk::BC5_SNORM_BLOCK),
    ("bc6h",       false, Dx::BC6H_UF16,             Vk::BC6H_UFLOAT_BLOCK),
    ("bc6h_snorm", false, Dx::BC6H_SF16,             Vk::BC6H_SFLOAT_BLOCK),
    ("bc7",        false, Dx::BC7_UNorm,             Vk::BC7_UNORM_BLOCK),
    ("bc7_srgb",   false, Dx::BC7_UNorm_sRGB,        Vk::BC7_SRGB_BLOCK),
];

/// The shape in a file's header, before it is validated.
pub(crate) struct Shape {
    pub(crate) dims: u8,
    pub(crate) extent: [u32; 3],
    pub(crate) layers: Option<u32>,
    pub(crate) is_cube: bool,
    pub(crate) levels: u32,
}

impl Shape {
    /// Number of layers times faces.
    pub(crate) fn images(&self) -> u64 {
        u64::from(self.layers.unwrap_or(1)) * if self.is_cube { 6 } else { 1 }
    }

    /// Size of a level in bytes, with all layers and faces.
    pub(crate) fn level_size(&self, format: Format, level: u32) -> u128 {
        // At most 2^100 bytes per image and 2^35 images; `check` has bounded the product.
        format.byte_size(level_extent(self.extent, level)).saturating_mul(u128::from(self.images()))
    }

    /// Checks that the shape is valid and has at most [`MAX_BYTES`].
    pub(crate) fn check(&self, kind: Kind, format: Format) -> Result<(), Problem> {
        let [width, height, depth] = self.extent;
        if self.extent.contains(&0) {
            return Err(damaged(kind, format!("it is {width} x {height} x {depth} texels")));
        }
        if self.is_cube && (self.dims != 2 || width != height) {
            return Err(damaged(kind, "a face of a cube map is a square"));
        }
        if self.dims == 3 && self.layers.is_some() {
            let message = "no CUDA array has layers of three dimensions";
            return Err(Problem::Unsupported(message.into()));
        }
        let largest = width.max(height).max(depth);
        if self.levels > largest.ilog2() + 1 {
            let (levels, texels) = (Count(self.levels, "level"), Count(largest, "texel"));
            return Err(damaged(kind, format!("{levels} are more than {texels} have")));
        }
        let sizes = (0..self.levels).map(|level| self.level_size(format, level));
        let bytes = sizes.fold(0_u128, u128::saturating_add);
        if bytes > u128::from(MAX_BYTES) {
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            return Err(Problem::TooLarge { what: "the texture", bytes });
        }
        Ok(())
    }

    pub(crate) fn container(self, format: Format, srgb: bool, levels: Vec<Vec<u8>>) -> Container {
        let Self { dims, extent, layers, is_cube, .. } = self;
        Container { format, srgb, dims, extent, layers, is_cube, levels }
    }
}
