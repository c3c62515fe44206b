//! Queries of attributes, and of the sampling state that takes effect.

use crate::caller::{Out, read_optional};
use crate::constants::*;
use crate::fetch::{request, texunit_fetch_desc};
use crate::handle::{SurfaceObject, find, texunit_surface, texunit_texture};
use crate::resource::ADDRESS_MODES;
use crate::status::{Failure, guard, texunit_status};
use std::sync::Arc;
use texunit_sample::Texture;
use texunit_unit::{AddressMode, Attribute, Coords, FetchForm, QueryPlan, QueryRequest, Surface};

/// The sampling state that takes effect, which can differ from the requested state.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct texunit_effective_state {
    /// TEXUNIT_COORDINATES_*.
    pub coordinates: u32,
    /// TEXUNIT_TR_ADDRESS_MODE_* for x, y, z, or TEXUNIT_NONE.
    pub address_mode: [u32; 3],
    /// TEXUNIT_TR_FILTER_MODE_*.
    pub filter_mode: u32,
    /// TEXUNIT_TR_FILTER_MODE_* between levels, or TEXUNIT_NONE.
    pub mipmap_filter_mode: u32,
    /// Minimum level.
    pub min_mipmap_level: f32,
    /// Maximum level.
    pub max_mipmap_level: f32,
    /// Maximum anisotropy; 1 for none.
    pub max_anisotropy: u32,
    /// Whether colours are decoded from sRGB.
    pub srgb: u32,
    /// Whether filters read across the edges of cube faces.
    pub seamless_cubemap: u32,
    /// TEXUNIT_COMPARE_*.
    pub compare_function: u32,
    /// Number of requested settings that do not take effect; texunit_explain_state describes each.
    pub num_overrides: u32,
    /// Whether a fetch has a defined result; if not, texunit_explain_state says why.
    pub is_defined: u32,
}

/// An attribute of a texture (txq), TEXUNIT_QUERY_*. level selects the level for sizes, and is 0
/// for other attributes; a missing level has size 0.
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
        // SAFETY: guaranteed by the caller.
        let to = unsafe { Out::new("value", value)? };
        let texture: Arc<Texture> = find(texture)?;
        let attribute = self::attribute(attribute)?;
        to.set(answer(&QueryPlan::texture(attribute, texture.header(), texture.sampler()), level));
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
        // SAFETY: guaranteed by the caller.
        let to = unsafe { Out::new("value", value)? };
        let surface: Arc<SurfaceObject> = find(surface)?;
        let header = Surface { resource: Arc::clone(surface.resource()) };
        to.set(answer(&QueryPlan::surface(self::attribute(attribute)?, &header), 0));
        Ok(())
    })
}

fn attribute(number: u32) -> Result<Attribute, Failure> {
    let wrong = || Failure::value(format!("attribute {number} is not a TEXUNIT_QUERY number"));
    Attribute::ALL.get(number as usize).copied().ok_or_else(wrong)
}

fn answer(plan: &QueryPlan, level: u32) -> u32 {
    let (levels, mut values) = ([level; 32], [0; 32]);
    plan.answer(&QueryRequest { active: 1, level: Some(&levels) }, &mut values);
    values[0]
}

/// The sampling state that takes effect for a texture and an instruction. operation is a
/// TEXUNIT_OPERATION_*; desc, which may be null, only determines which operands are present. The
/// state is also returned for a fetch without a defined result.
///
/// # Safety
/// Pointers are null or as their types say; operands as for texunit_sample.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_texture_effective(
    texture: texunit_texture,
    operation: u32,
    desc: *const texunit_fetch_desc,
    state: *mut texunit_effective_state,
) -> texunit_status {
    guard(|| {
        // SAFETY: guaranteed by the caller.
        let to = unsafe { Out::new("state", state)? };
        let texture: Arc<Texture> = find(texture)?;
        // SAFETY: guaranteed by the caller.
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
            compare_function: state.compare.map_or(0, |f| f as u32 + 1),
            num_overrides: effective.overrides.len() as u32,
            is_defined: effective.refused.is_none().into(),
        });
        Ok(())
    })
}

/// The instruction that a batch of fetches executes. Without a descriptor, the instruction with
/// coordinates only.
///
/// # Safety
/// As for [`texunit_texture_effective`].
pub(crate) unsafe fn form(
    texture: &Texture,
    operation: u32,
    desc: *const texunit_fetch_desc,
) -> Result<FetchForm, Failure> {
    // SAFETY: guaranteed by the caller.
    let mut desc = match unsafe { read_optional(desc) } {
        Some(desc) => desc,
        None => {
            let mut plain = texunit_fetch_desc::default();
            plain.coords[0].data = (&raw const PLACE).cast();
            plain
        }
    };
    // Only the presence of operands matters; none is read.
    desc.count = 0;
    // SAFETY: the operands have no elements.
    Ok(texture.form(&unsafe { request(operation, &desc)? })?)
}

/// A valid address for operands that are present.
static PLACE: u32 = 0;
