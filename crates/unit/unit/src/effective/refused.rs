//! Fetches that have no defined answer, and why.

use super::{EffectiveSampler, effective_sampler, reads_normalized, seen};
use crate::request::{CoordType, FetchForm, FetchKind, Lod, PlanError, ResultType};
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
    let seen = seen(form.geometry, texture)?;
    // Whoever reads PTX has refused these already.
    if let Some(reason) = form.why_impossible() {
        return Err(PlanError::Undefined(format!("{form}: {reason}")));
    }
    if resource.layout() == Layout::Linear && form.coord == CoordType::F32 {
        return Err(PlanError::Floats { resource: resource.sentence("texture") });
    }
    check_pair(texture, sampler).map_err(|reason| PlanError::Undefined(reason.to_string()))?;
    let refused = |reason: &str| {
        Err(PlanError::Undefined(format!("{}: {reason}", resource.sentence("texture"))))
    };
    if matches!(form.kind, FetchKind::Gather(_))
        && let Err(reason) = resource.limits().check_gather(&seen.resource)
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
