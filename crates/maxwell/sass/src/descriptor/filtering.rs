//! Converts sampler headers to samplers of the texture unit and back, and combines the settings of
//! texture and sampler headers.

use super::error::{DescriptorError, Result};
use super::sampler::*;
use super::texture::TextureHeader;
use super::{Bits, Descriptor};
use texunit_texel::{Reading, border_codes};
use texunit_unit::{AddressMode, CompareFunction, Filter, Sampler};

/// Address modes, indexed by the value of an `address_*` field. Modes from 5 on mirror once, which
/// the texture unit does not support.
const MODES: [AddressMode; 5] = [
    AddressMode::Wrap,
    AddressMode::Mirror,
    AddressMode::Clamp,
    AddressMode::Border,
    AddressMode::ClampOgl,
];

/// Maximum anisotropy ratios, indexed by the value of the sampler header's field for them.
const ANISOTROPIES: [u32; 8] = [1, 2, 4, 6, 8, 10, 12, 16];

const ADDRESS: [&Bits; 3] = [&ADDRESS_U, &ADDRESS_V, &ADDRESS_P];
const BORDER: [&Bits; 4] = [&BORDER_R, &BORDER_G, &BORDER_B, &BORDER_A];
const SRGB_BORDER: [&Bits; 3] = [&SRGB_BORDER_R, &SRGB_BORDER_G, &SRGB_BORDER_B];

/// Values of the sampler header's mipmap filter field.
const MIP_NONE: u32 = 1;
const MIP_POINT: u32 = 2;
const MIP_LINEAR: u32 = 3;
/// The value 1.0 of an anisotropy slope field, in the format e2m3.
const SLOPE_ONE: u32 = 0b01_000;
/// Values of the sampler header's field for filtering across cube edges.
const USE_WRAP: u32 = 0;
const SPAN_SEAM: u32 = 2;

/// A decoded sampler header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerHeader {
    /// The texture unit's sampler with the header's settings.
    pub sampler: Sampler,
    /// Whether fetches read only level 0, whatever the level of detail.
    pub base_level_only: bool,
    /// Border colour (red, green, blue) for textures with sRGB colours.
    pub srgb_border: [u32; 3],
}

impl SamplerHeader {
    /// Decodes a sampler header.
    pub fn decode(words: &Descriptor) -> Result<Self> {
        let undefined = |bits: &Bits| DescriptorError::undefined(bits, words);
        let unsupported = |bits: &Bits, why| DescriptorError::unsupported(bits, words, why);
        let mut address_mode = [AddressMode::Clamp; 3];
        for (mode, bits) in address_mode.iter_mut().zip(ADDRESS) {
            let row = MODES.get(bits.get(words) as usize);
            *mode = *row.ok_or_else(|| unsupported(bits, "the unit does not mirror once"))?;
        }
        let mag = filter(&MAG_FILTER, words)?;
        if filter(&MIN_FILTER, words)? != mag {
            let reason = "the unit has one filter for magnified and minified textures";
            return Err(unsupported(&MIN_FILTER, reason));
        }
        let (mip_filter, base_level_only) = match MIP_FILTER.get(words) {
            MIP_NONE => (Filter::Point, true),
            MIP_POINT => (Filter::Point, false),
            MIP_LINEAR => (Filter::Linear, false),
            _ => return Err(undefined(&MIP_FILTER)),
        };
        let seamless_cube = match CUBE_INTERFACE.get(words) {
            USE_WRAP => false,
            SPAN_SEAM => true,
            _ => return Err(unsupported(&CUBE_INTERFACE, "the unit wraps, or spans the seam")),
        };
        if REDUCTION.get(words) != 0 {
            return Err(unsupported(&REDUCTION, "the unit's filters average"));
        }
        if !matches!(TRILINEAR_SLOPE.get(words), 0 | SLOPE_ONE) {
            return Err(unsupported(&TRILINEAR_SLOPE, "the unit's slope is that of 0 and 1"));
        }
        let compare = CompareFunction::ALL[COMPARE.get(words) as usize];
        let sampler = Sampler::default()
            .with_filter(mag)
            .with_mip_filter(mip_filter)
            .with_address_modes(address_mode)
            .with_border_bits(BORDER.map(|bits| bits.get(words)))
            .with_min_level_clamp(MIN_LOD.number(words) as f32)
            .with_max_level_clamp(MAX_LOD.number(words) as f32)
            .with_level_bias(LOD_BIAS.number(words) as f32)
            .with_max_anisotropy(ANISOTROPIES[MAX_ANISOTROPY.get(words) as usize])
            .with_force_unnormalized_coords(FORCE_UNNORMALIZED.get(words) != 0)
            .with_srgb(SRGB.get(words) != 0)
            .with_seamless_cube(seamless_cube)
            .with_compare((DEPTH_COMPARE.get(words) != 0).then_some(compare));
        Ok(Self { sampler, base_level_only, srgb_border: SRGB_BORDER.map(|bits| bits.get(words)) })
    }

    /// The effective sampler for a texture. Its minimum level of detail is the maximum of the
    /// sampler's, the texture header's and the instruction's (in 1/256); colours are decoded from
    /// sRGB if both headers say so.
    pub fn for_texture(&self, texture: &TextureHeader, lod_clamp: u32) -> Result<Sampler> {
        let mut sampler = self.sampler;
        if self.base_level_only {
            (sampler.min_level_clamp, sampler.max_level_clamp) = (0.0, 0.0);
        } else {
            let least = lod_clamp.max(texture.min_lod) as f32 / 256.0;
            sampler.min_level_clamp = sampler.min_level_clamp.max(least);
        }
        sampler.srgb &= texture.srgb;
        sampler.seamless_cube &= texture.kind.geometry().is_cube();
        let border = [AddressMode::Border, AddressMode::ClampOgl];
        let reads_srgb = texunit_texel::readings(
            texture.format(sampler.srgb),
            texture.texels.read_mode == texunit_unit::ReadMode::NormalizedFloat,
            sampler.srgb,
        );
        if let Some(readings) = reads_srgb
            && sampler.address_mode.iter().any(|mode| border.contains(mode))
        {
            let formula = srgb_border(sampler.border);
            for (c, bits) in SRGB_BORDER.into_iter().enumerate() {
                if readings[c] == Reading::Srgb && self.srgb_border[c] != formula[c] {
                    return Err(DescriptorError::Unsupported {
                        field: bits.name,
                        value: format!("{:#x}", self.srgb_border[c]),
                        reason: "the unit makes the sRGB border colour from the other one",
                    });
                }
            }
        }
        Ok(sampler)
    }
}

fn filter(bits: &Bits, words: &Descriptor) -> Result<Filter> {
    match bits.get(words) {
        1 => Ok(Filter::Point),
        2 => Ok(Filter::Linear),
        // The value 3 is anisotropic filtering, whose ratio another field limits.
        3 if *bits == MIN_FILTER => Ok(Filter::Linear),
        _ => Err(DescriptorError::undefined(bits, words)),
    }
}

fn srgb_border(border: [u32; 4]) -> [u32; 3] {
    let [r, g, b, _] = border_codes([Reading::Srgb; 4], border);
    [r, g, b]
}

/// A level of detail in 1/256, truncated, and saturated to the maximum of a level clamp, which is
/// above every level.
fn level(x: f32) -> u32 {
    (f64::from(x) * 256.0).clamp(0.0, f64::from(MAX_LOD.max())) as u32
}

/// Encodes a sampler as a sampler header.
pub fn encode_sampler(sampler: &Sampler) -> Result<Descriptor> {
    let mut words = Descriptor::default();
    let mut put = |bits: Bits, value: u32| bits.set(&mut words, value);
    for (bits, mode) in ADDRESS.into_iter().zip(sampler.address_mode) {
        let number = MODES.iter().position(|m| *m == mode).expect("all modes have a number");
        put(*bits, number as u32);
    }
    if let Some(function) = sampler.compare {
        put(DEPTH_COMPARE, 1);
        put(COMPARE, function as u32);
    }
    put(SRGB, sampler.srgb.into());
    let linear = sampler.filter == Filter::Linear;
    let number = anisotropy(sampler)?;
    put(MAX_ANISOTROPY, number);
    put(MAG_FILTER, if linear { 2 } else { 1 });
    put(MIN_FILTER, if linear && number > 0 { 3 } else { 1 + u32::from(linear) });
    put(MIP_FILTER, if sampler.mip_filter == Filter::Linear { MIP_LINEAR } else { MIP_POINT });
    put(CUBE_INTERFACE, if sampler.seamless_cube { SPAN_SEAM } else { USE_WRAP });
    put(LOD_BIAS, bias(sampler)?);
    put(FORCE_UNNORMALIZED, sampler.force_unnormalized_coords.into());
    put(MIN_LOD, level(sampler.min_level_clamp));
    put(MAX_LOD, level(sampler.max_level_clamp));
    let srgb = SRGB_BORDER.into_iter().zip(srgb_border(sampler.border));
    srgb.chain(BORDER.into_iter().zip(sampler.border)).for_each(|(bits, value)| put(*bits, value));
    Ok(words)
}

/// Encodes the maximum anisotropy. Ratios 0 and 1 are isotropic, and ratios above 16 are encoded as
/// 16.
fn anisotropy(sampler: &Sampler) -> Result<u32> {
    let ratio = sampler.max_anisotropy.clamp(1, 16);
    let number = ANISOTROPIES.iter().position(|r| *r == ratio);
    number.map(|number| number as u32).ok_or_else(|| {
        let reason = format!("{ratio} is not one of 1, 2, 4, 6, 8, 10, 12, 16");
        DescriptorError::inexpressible(&MAX_ANISOTROPY, reason)
    })
}

/// Encodes the level bias. It must be a multiple of 1/256, since the texture unit truncates a bias
/// to 1/256 only after it has adjusted anisotropic levels.
fn bias(sampler: &Sampler) -> Result<u32> {
    let steps = f64::from(sampler.level_bias) * 256.0;
    let cut = steps.trunc();
    let exact = cut == steps || sampler.max_anisotropy < 2;
    if (-4096.0..4096.0).contains(&cut) && exact {
        return Ok(cut as i32 as u32);
    }
    let bias = sampler.level_bias;
    let reason = format!("{bias} is not a multiple of 1/256 from -16 to below 16");
    Err(DescriptorError::inexpressible(&LOD_BIAS, reason))
}
