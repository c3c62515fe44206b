//! Fetches that have no defined answer, and why.

use super::{EffectiveSampler, effective_sampler, reads_normalized};
use crate::request::{CoordType, FetchForm, FetchKind, Geometry, Lod, PlanError, ResultType};
use crate::resource::Layout;
use crate::sampler::{Filter, Sampler, Texture, check_pair};
use texunit_texel::{Reading, readings};

/// Checks that a fetch of this form has a defined answer, and tells how it is made. The executor
/// calls this by way of [`FetchPlan::new`](crate::FetchPlan::new).
pub fn resolve(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
) -> Result<EffectiveSampler, PlanError> {
    let resource = &*texture.resource;
    if form.geometry != resource.geometry() {
        return Err(PlanError::Geometry {
            instruction: form.geometry.name(),
            resource: resource.sentence("texture"),
        });
    }
    if let Some(reason) = no_such_instruction(form) {
        return Err(PlanError::Undefined(reason));
    }
    if resource.layout() == Layout::Linear && form.coord == CoordType::F32 {
        return Err(PlanError::Undefined(format!(
            "{}: linear memory is fetched with integer coordinates (.s32), not with .f32",
            resource.sentence("texture")
        )));
    }
    check_pair(texture, sampler).map_err(|reason| PlanError::Undefined(reason.to_string()))?;
    let refused = |reason: &str| {
        Err(PlanError::Undefined(format!("{}: {reason}", resource.sentence("texture"))))
    };
    if matches!(form.kind, FetchKind::Gather(_))
        && let Err(reason) = resource.limits().check_gather(resource)
    {
        return refused(&format!("tld4 cannot read it: {reason}"));
    }
    let effective = effective_sampler(texture, sampler, form);
    match integers(form, texture, &effective)? {
        Some(reason) => refused(reason),
        None => Ok(effective),
    }
}

/// How a texture reads its channels, with or without decoding sRGB.
pub(crate) fn texture_readings(texture: &Texture, srgb: bool) -> Result<[Reading; 4], PlanError> {
    let format = texture.resource.format();
    readings(format, reads_normalized(texture), srgb).ok_or_else(|| {
        let mode = if reads_normalized(texture) { "normalized floats" } else { "elements" };
        PlanError::Undefined(format!("{format} cannot be read as {mode}"))
    })
}

/// Forms that the PTX ISA does not have. Whoever reads PTX has refused them already.
fn no_such_instruction(form: FetchForm) -> Option<String> {
    let FetchForm { kind, geometry, coord, offset, compare, .. } = form;
    let name = geometry.name();
    let gather = matches!(kind, FetchKind::Gather(_));
    let reason = match geometry {
        _ if matches!(kind, FetchKind::Gather(4..)) => "tld4 gathers one of four components",
        _ if gather && coord == CoordType::S32 => "tld4 takes .f32 coordinates, not .s32",
        _ if kind == FetchKind::Sample(Lod::Gradient) && coord == CoordType::S32 => {
            "tex.grad takes .f32 coordinates, not .s32"
        }
        Geometry::Cube | Geometry::Acube if coord == CoordType::S32 => {
            return Some(format!("{name} fetches take .f32 coordinates, not .s32"));
        }
        Geometry::Cube | Geometry::Acube if offset => {
            return Some(format!("{name} fetches have no offset operand"));
        }
        Geometry::D2ms | Geometry::A2dms if coord == CoordType::F32 => {
            return Some(format!("{name} fetches take .s32 coordinates, not .f32"));
        }
        Geometry::D3 | Geometry::D2ms | Geometry::A2dms if compare => {
            return Some(format!("{name} fetches have no depth compare operand"));
        }
        Geometry::D1 | Geometry::A1d | Geometry::D3 | Geometry::D2ms | Geometry::A2dms
            if gather =>
        {
            return Some(format!("tld4 has no {name} geometry"));
        }
        _ => return None,
    };
    Some(reason.to_owned())
}

/// Integers have no filtered form (8.1, open: the driver creates such textures), so that levels of
/// them are not blended, and are no halves.
fn integers(
    form: FetchForm,
    texture: &Texture,
    effective: &EffectiveSampler,
) -> Result<Option<&'static str>, PlanError> {
    if texture_readings(texture, effective.srgb)?[0].can_filter() {
        return Ok(None);
    }
    let blends = effective.mip_filter == Some(Filter::Linear)
        && match form.kind {
            FetchKind::Sample(Lod::Implicit | Lod::Base) => effective.level_clamp[0] % 256 != 0,
            FetchKind::Sample(Lod::Level | Lod::Gradient) => true,
            FetchKind::Gather(_) => false,
        };
    Ok(if blends {
        Some("integers read as elements have no linear mip filter; use point")
    } else if matches!(form.result, ResultType::F16 | ResultType::F16x2) {
        Some("integers read as elements are fetched as .u32, .s32 or .f32, not as .f16")
    } else {
        None
    })
}
