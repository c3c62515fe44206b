//! Static initialisers of `.texref`, `.samplerref` and `.surfref` (docs/numerics.md 12): they set
//! sampler state; of what is bound later, the resource's own size and format win.

use crate::texture::TextureDescriptor;
use texunit_unit::{AddressMode, Attribute, Filter, QueryPlan, QueryRequest, Surface, Texture};

/// The state that a static initialiser gives: PTX's defaults where it is silent.
pub(crate) fn initial_state(fields: &[(String, i64)]) -> TextureDescriptor {
    let mut state = TextureDescriptor::default();
    for (name, value) in fields {
        match name.as_str() {
            "normalized_coords" => state.normalized_coords = *value != 0,
            "force_unnormalized_coords" => state.sampler.force_unnormalized_coords = *value != 0,
            "filter_mode" if *value == 1 => state.sampler.filter = Filter::Linear,
            "addr_mode_0" => state.sampler.address_mode[0] = address_mode(*value),
            "addr_mode_1" => state.sampler.address_mode[1] = address_mode(*value),
            "addr_mode_2" => state.sampler.address_mode[2] = address_mode(*value),
            _ => {}
        }
    }
    state
}

/// The address mode of a PTX number; what has no name is `clamp_to_edge`.
fn address_mode(value: i64) -> AddressMode {
    let mut modes = AddressMode::NAMES.iter().map(|row| row.1);
    modes.find(|&mode| mode as i64 == value).unwrap_or_default()
}

/// Fields that a resource has a value of its own for.
#[rustfmt::skip]
const OF_RESOURCE: [(&str, Attribute); 9] = [
    ("width",             Attribute::Width),
    ("height",            Attribute::Height),
    ("depth",             Attribute::Depth),
    ("channel_data_type", Attribute::ChannelDataType),
    ("channel_order",     Attribute::ChannelOrder),
    ("array_size",        Attribute::ArraySize),
    ("num_mipmap_levels", Attribute::NumMipmapLevels),
    ("num_samples",       Attribute::NumSamples),
    ("memory_layout",     Attribute::MemoryLayout),
];

/// A warning for each field of an initialiser that the texture bound contradicts.
pub(crate) fn texture_warnings(
    name: &str,
    fields: &[(String, i64)],
    texture: &Texture,
    descriptor: &TextureDescriptor,
) -> Vec<String> {
    warnings(name, fields, |a| QueryPlan::texture(a, texture, &descriptor.sampler))
}

/// A warning for each field of an initialiser that the surface bound contradicts.
pub(crate) fn surface_warnings(
    name: &str,
    fields: &[(String, i64)],
    surface: &Surface,
) -> Vec<String> {
    warnings(name, fields, |a| QueryPlan::surface(a, surface))
}

fn warnings(
    name: &str,
    fields: &[(String, i64)],
    plan: impl Fn(Attribute) -> QueryPlan,
) -> Vec<String> {
    let differs = |(field, value): &(String, i64)| {
        let (_, attribute) = OF_RESOURCE.iter().find(|(known, _)| known == field)?;
        let mut answer = [0; 32];
        plan(*attribute).answer(&QueryRequest { active: 1, level: None }, &mut answer);
        let real = i64::from(answer[0]);
        // An axis, layers and so on that a resource lacks are written 0 or 1.
        let same = real == *value || (real <= 1 && (0..=1).contains(value) && is_count(*attribute));
        let text = |v: i64| match attribute {
            Attribute::ChannelDataType | Attribute::ChannelOrder => format!("{v:#x}"),
            _ => v.to_string(),
        };
        (!same).then(|| {
            format!(
                "the initialiser of `{name}` says {field} = {}, but the resource bound has {}; \
                 the resource wins",
                text(*value),
                text(real)
            )
        })
    };
    fields.iter().filter_map(differs).collect()
}

fn is_count(attribute: Attribute) -> bool {
    use Attribute as A;
    !matches!(attribute, A::ChannelDataType | A::ChannelOrder | A::MemoryLayout)
}
