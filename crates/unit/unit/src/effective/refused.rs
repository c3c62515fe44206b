//! Fetches that have no defined answer, and why.

use super::{EffectiveSampler, effective_sampler, reads_normalized, seen};
use crate::request::{FetchForm, PlanError};
use crate::sampler::{Sampler, Texture, check_pair};
use texunit_texel::{Reading, readings};

/// Checks that a fetch of this form has a defined answer, and tells how it is made. The executor
/// calls this by way of [`FetchPlan::new`](crate::FetchPlan::new).
pub fn resolve(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
) -> Result<EffectiveSampler, PlanError> {
    seen(form, texture)?;
    // Whoever reads PTX has refused these already.
    if let Some(reason) = form.why_impossible() {
        return Err(PlanError::Undefined(format!("{form}: {reason}")));
    }
    check_pair(texture, sampler).map_err(|reason| PlanError::Undefined(reason.to_string()))?;
    Ok(effective_sampler(texture, sampler, form))
}

/// How a texture reads its channels, with or without decoding sRGB.
pub(crate) fn texture_readings(texture: &Texture, srgb: bool) -> Result<[Reading; 4], PlanError> {
    let format = texture.resource.format();
    let mut readings = readings(format, reads_normalized(texture), srgb).ok_or_else(|| {
        let mode = if reads_normalized(texture) { "normalized floats" } else { "elements" };
        PlanError::Undefined(format!("{format} cannot be read as {mode}"))
    })?;
    // Rule 8.5: the alpha that blocks lack is 0 in a view of words as blocks.
    if texture.resource.is_view_of_words() && readings[3] == Reading::One {
        readings[3] = Reading::Missing;
    }
    Ok(readings)
}
