//! Decides whether a fetch has a defined result, and says why if it has none.

use super::{EffectiveSampler, effective_sampler, reads_normalized, seen};
use crate::request::{FetchForm, PlanError};
use crate::sampler::{Sampler, Texture, check_pair};
use texunit_texel::{Reading, readings};

/// Checks that a fetch of this form has a defined result, and returns its effective state.
/// [`FetchPlan::new`](crate::FetchPlan::new) calls this.
pub fn resolve(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
) -> Result<EffectiveSampler, PlanError> {
    seen(form, texture)?;
    // Instructions that PTX does not have are refused here for callers other than the PTX front
    // end, which has refused them already.
    if let Some(reason) = form.why_impossible() {
        return Err(PlanError::Undefined(format!("{form}: {reason}")));
    }
    check_pair(texture, sampler).map_err(|reason| PlanError::Undefined(reason.to_string()))?;
    Ok(effective_sampler(texture, sampler, form))
}

/// How a texture converts each channel, with or without sRGB decoding.
pub(crate) fn texture_readings(texture: &Texture, srgb: bool) -> Result<[Reading; 4], PlanError> {
    let format = texture.resource.format();
    let mut readings = readings(format, reads_normalized(texture), srgb).ok_or_else(|| {
        let mode = if reads_normalized(texture) { "normalized floats" } else { "elements" };
        PlanError::Undefined(format!("{format} cannot be read as {mode}"))
    })?;
    // Rule 8.5 of docs/numerics.md: a view of integer words as blocks without alpha reads alpha 0.
    if texture.resource.is_view_of_words() && readings[3] == Reading::One {
        readings[3] = Reading::Missing;
    }
    Ok(readings)
}
