//! Attributes, and the state that acts.

use crate::caller::{Out, read_optional};
use crate::desc::TEXUNIT_COMPARE_NONE;
use crate::fetch::{request, texunit_fetch_desc};
use crate::handle::{SurfaceObject, find, texunit_surface, texunit_texture};
use crate::resource::ADDRESS_MODES;
use crate::status::{Failure, guard, texunit_status};
use std::sync::Arc;
use texunit_sample::Texture;
use texunit_unit::{AddressMode, Attribute, Coords, FetchForm, QueryPlan, QueryRequest, Surface};

/// Width in texels (txq, suq).
pub const TEXUNIT_QUERY_WIDTH: u32 = 0;
/// Height; 0 if there is none.
pub const TEXUNIT_QUERY_HEIGHT: u32 = 1;
/// Depth; 0 if there is none.
pub const TEXUNIT_QUERY_DEPTH: u32 = 2;
/// Type of the channels, by OpenCL's numbers.
pub const TEXUNIT_QUERY_CHANNEL_DATA_TYPE: u32 = 3;
/// Order of the channels, by OpenCL's numbers.
pub const TEXUNIT_QUERY_CHANNEL_ORDER: u32 = 4;
/// Whether coordinates are normalized.
pub const TEXUNIT_QUERY_NORMALIZED_COORDS: u32 = 5;
/// Layers; 0 of what is not layered.
pub const TEXUNIT_QUERY_ARRAY_SIZE: u32 = 6;
/// Mip levels; 0 of what has none.
pub const TEXUNIT_QUERY_NUM_MIPMAP_LEVELS: u32 = 7;
/// Samples; 0 of what has none.
pub const TEXUNIT_QUERY_NUM_SAMPLES: u32 = 8;
/// Of samplers: whether coordinates are in texels whatever the texture says.
pub const TEXUNIT_QUERY_FORCE_UNNORMALIZED_COORDS: u32 = 9;
/// Of samplers: filter, by PTX's numbers (0 point, 1 linear).
pub const TEXUNIT_QUERY_FILTER_MODE: u32 = 10;
/// Of samplers: address mode of x, by PTX's numbers (0 wrap, 1 mirror, 2 clamp_ogl, 3 clamp, 4 border).
pub const TEXUNIT_QUERY_ADDR_MODE_0: u32 = 11;
/// Address mode of y.
pub const TEXUNIT_QUERY_ADDR_MODE_1: u32 = 12;
/// Address mode of z.
pub const TEXUNIT_QUERY_ADDR_MODE_2: u32 = 13;
/// 0 of arrays, 1 of linear and pitched memory.
pub const TEXUNIT_QUERY_MEMORY_LAYOUT: u32 = 14;

/// Coordinates name texels.
pub const TEXUNIT_COORDINATES_INTEGER: u32 = 0;
/// Coordinates are in texels.
pub const TEXUNIT_COORDINATES_UNNORMALIZED: u32 = 1;
/// Coordinates run from 0 to 1.
pub const TEXUNIT_COORDINATES_NORMALIZED: u32 = 2;
/// There is none: of the mip filter of what has no levels, of address modes of integer coordinates.
pub const TEXUNIT_NONE: u32 = 0xffff_ffff;

/// State that acts, which is not always what was asked for.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct texunit_effective_state {
    /// TEXUNIT_COORDINATES_*.
    pub coordinates: u32,
    /// TEXUNIT_TR_ADDRESS_MODE_* of x, y, z, or TEXUNIT_NONE.
    pub address_mode: [u32; 3],
    /// TEXUNIT_TR_FILTER_MODE_*.
    pub filter_mode: u32,
    /// TEXUNIT_TR_FILTER_MODE_* between levels, or TEXUNIT_NONE.
    pub mipmap_filter_mode: u32,
    /// Smallest level.
    pub min_mipmap_level: f32,
    /// Largest level.
    pub max_mipmap_level: f32,
    /// Most taps of an anisotropic filter; 1: none.
    pub max_anisotropy: u32,
    /// Whether colours are decoded from sRGB.
    pub srgb: u32,
    /// Whether filters read across the edges of cube faces.
    pub seamless_cubemap: u32,
    /// TEXUNIT_COMPARE_*.
    pub compare_function: u32,
    /// How many things were asked for and do not act as asked; texunit_explain_state says which, and why.
    pub num_overrides: u32,
    /// Whether such a fetch has a defined answer; if not, texunit_explain_state says why.
    pub is_defined: u32,
}

/// An attribute of a texture (txq), TEXUNIT_QUERY_*. Sizes are those of a level, which is 0 of other attributes; a level that
/// there is not has size 0.
///
/// # Safety
/// Pointers are null or as their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_texture_query(
    texture: texunit_texture,
    attribute: u32,
    level: u32,
    value: *mut u32,
) -> texunit_status {
    guard(|| {
        // SAFETY: as the caller promises.
        let to = unsafe { Out::new("value", value)? };
        let texture: Arc<Texture> = find(texture)?;
        let attribute = self::attribute(attribute)?;
        let plan = QueryPlan::texture(attribute, texture.header(), texture.sampler());
        to.set(answer(&plan, level));
        Ok(())
    })
}

/// An attribute of a surface (suq), TEXUNIT_QUERY_*.
///
/// # Safety
/// Pointers are null or as their types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_surface_query(
    surface: texunit_surface,
    attribute: u32,
    value: *mut u32,
) -> texunit_status {
    guard(|| {
        // SAFETY: as the caller promises.
        let to = unsafe { Out::new("value", value)? };
        let surface: Arc<SurfaceObject> = find(surface)?;
        let header = Surface { resource: Arc::clone(surface.resource()) };
        to.set(answer(&QueryPlan::surface(self::attribute(attribute)?, &header), 0));
        Ok(())
    })
}

fn attribute(number: u32) -> Result<Attribute, Failure> {
    Attribute::ALL
        .get(number as usize)
        .copied()
        .ok_or_else(|| Failure::value(format!("attribute {number} is not a TEXUNIT_QUERY number")))
}

fn answer(plan: &QueryPlan, level: u32) -> u32 {
    let (levels, mut values) = ([level; 32], [0; 32]);
    plan.answer(&QueryRequest { active: 1, level: Some(&levels) }, &mut values);
    values[0]
}

/// What the hardware makes of a texture's state, for the instruction that these fetches are: operation is a
/// TEXUNIT_OPERATION_*; of desc, which may be null, only counts which operands are there. A fetch that has no defined answer
/// has a state all the same.
///
/// # Safety
/// Pointers are null or as their types say; operands as of texunit_sample.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_texture_effective(
    texture: texunit_texture,
    operation: u32,
    desc: *const texunit_fetch_desc,
    state: *mut texunit_effective_state,
) -> texunit_status {
    guard(|| {
        // SAFETY: as the caller promises.
        let to = unsafe { Out::new("state", state)? };
        let texture: Arc<Texture> = find(texture)?;
        // SAFETY: as the caller promises.
        let form = unsafe { form(&texture, operation, desc)? };
        let effective = texture.effective(form);
        let state = &effective.sampler;
        let mode = |mode: AddressMode| {
            ADDRESS_MODES.iter().find(|row| row.1 == mode).map_or(TEXUNIT_NONE, |row| row.0)
        };
        to.set(texunit_effective_state {
            coordinates: match state.coords {
                Coords::Integer => TEXUNIT_COORDINATES_INTEGER,
                Coords::Unnormalized => TEXUNIT_COORDINATES_UNNORMALIZED,
                Coords::Normalized => TEXUNIT_COORDINATES_NORMALIZED,
            },
            address_mode: state.address_mode.map_or([TEXUNIT_NONE; 3], |modes| modes.map(mode)),
            filter_mode: state.filter as u32,
            mipmap_filter_mode: state.mip_filter.map_or(TEXUNIT_NONE, |filter| filter as u32),
            min_mipmap_level: state.level_clamp[0] as f32 / 256.0,
            max_mipmap_level: state.level_clamp[1] as f32 / 256.0,
            max_anisotropy: state.max_anisotropy,
            srgb: state.srgb.into(),
            seamless_cubemap: state.seamless_cube.into(),
            compare_function: state.compare.map_or(TEXUNIT_COMPARE_NONE, |f| f as u32 + 1),
            num_overrides: effective.overrides.len() as u32,
            is_defined: effective.refused.is_none().into(),
        });
        Ok(())
    })
}

/// The instruction of these fetches. Without a descriptor, that of plain coordinates.
///
/// # Safety
/// As of [`texunit_texture_effective`].
pub(crate) unsafe fn form(
    texture: &Texture,
    operation: u32,
    desc: *const texunit_fetch_desc,
) -> Result<FetchForm, Failure> {
    // SAFETY: as the caller promises.
    let mut desc = match unsafe { read_optional(desc) } {
        Some(desc) => desc,
        None => {
            let mut plain = texunit_fetch_desc::NONE;
            plain.coords[0].data = (&raw const PLACE).cast();
            plain
        }
    };
    // Which operands there are says the instruction; none is read.
    desc.count = 0;
    // SAFETY: operands of no elements.
    Ok(texture.form(&unsafe { request(operation, &desc)? })?)
}

/// What an operand that is there points at.
static PLACE: u32 = 0;
