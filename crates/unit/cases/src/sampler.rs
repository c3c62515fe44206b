//! Sampler state in case files.

use crate::error::{CaseError, Within};
use crate::raw::RawSampler;
use crate::resource::unknown;
use crate::text::{self, Float};
use texunit_unit::{AddressMode, CompareFunction, Filter, Sampler};

fn value_of<T: Copy>(what: &str, table: &[(&str, T)], name: &str) -> Result<T, CaseError> {
    table.iter().find(|row| row.0 == name).map(|row| row.1).ok_or_else(|| {
        let names: Vec<_> = table.iter().map(|row| row.0).collect();
        unknown(what, name, &names.join(", "))
    })
}

/// The sampler of a case; what is left out is as in [`Sampler::default`]. The last address mode
/// holds for the axes after it too, the row of a 1D texture included.
pub(crate) fn from_raw(
    raw: &RawSampler,
    lookup: &dyn Fn(&str) -> Result<String, CaseError>,
) -> Result<Sampler, CaseError> {
    let default = Sampler::default();
    let filter = |name: &Option<String>| {
        name.as_ref().map_or(Ok(Filter::Point), |name| value_of("filter", &Filter::NAMES, name))
    };
    let mut address_mode = default.address_mode;
    if let Some(names) = &raw.address {
        if names.is_empty() || names.len() > 3 {
            return Err(CaseError::new("`address` has 1 to 3 modes"));
        }
        for (axis, mode) in address_mode.iter_mut().enumerate() {
            let name = &names[axis.min(names.len() - 1)];
            *mode = value_of("address mode", &AddressMode::NAMES, name)?;
        }
    }
    let border = match &raw.border {
        None => default.border,
        Some(border) => text::words(&lookup(border)?)
            .within("border")?
            .try_into()
            .map_err(|_| CaseError::new("`border` has four words of 8 digits"))?,
    };
    let float = |f: Option<Float>, default: f32| f.map_or(default, |f| f.0);
    Ok(Sampler::default()
        .with_filter(filter(&raw.filter)?)
        .with_mip_filter(filter(&raw.mip_filter)?)
        .with_address_modes(address_mode)
        .with_border_bits(border)
        .with_min_level_clamp(float(raw.min_level_clamp, default.min_level_clamp))
        .with_max_level_clamp(float(raw.max_level_clamp, default.max_level_clamp))
        .with_level_bias(float(raw.level_bias, default.level_bias))
        .with_max_anisotropy(raw.max_anisotropy)
        .with_force_unnormalized_coords(raw.force_unnormalized)
        .with_srgb(raw.srgb)
        .with_seamless_cube(raw.seamless_cube)
        .with_compare(
            raw.compare
                .as_ref()
                .map(|name| value_of("compare function", &CompareFunction::NAMES, name))
                .transpose()?,
        ))
}

pub(crate) fn to_raw(sampler: &Sampler) -> RawSampler {
    let default = Sampler::default();
    let filter = |f: Filter| (f != Filter::Point).then(|| f.name().to_owned());
    let float = |f: f32, default: f32| (f.to_bits() != default.to_bits()).then_some(Float(f));
    let mut address: Vec<_> =
        sampler.address_mode.iter().map(|mode| mode.name().to_owned()).collect();
    while address.len() > 1 && address[address.len() - 1] == address[address.len() - 2] {
        address.pop();
    }
    RawSampler {
        filter: filter(sampler.filter),
        mip_filter: filter(sampler.mip_filter),
        address: (sampler.address_mode != default.address_mode).then_some(address),
        border: (sampler.border != default.border).then(|| text::from_words(sampler.border)),
        min_level_clamp: float(sampler.min_level_clamp, default.min_level_clamp),
        max_level_clamp: float(sampler.max_level_clamp, default.max_level_clamp),
        level_bias: float(sampler.level_bias, default.level_bias),
        max_anisotropy: sampler.max_anisotropy,
        force_unnormalized: sampler.force_unnormalized_coords,
        srgb: sampler.srgb,
        seamless_cube: sampler.seamless_cube,
        compare: sampler.compare.map(|f| f.name().to_owned()),
    }
}
