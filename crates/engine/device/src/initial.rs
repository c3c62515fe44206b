//! Static initialisers of `.texref`, `.samplerref` and `.surfref` variables (docs/numerics.md 12).
//! They set sampler state; a resource that is bound later has its own size and format.

use crate::texture::TextureDescriptor;
use texunit_unit::{AddressMode, Attribute, Filter, QueryPlan, QueryRequest};

/// The state of a static initialiser; fields that it omits have PTX's defaults.
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

/// The address mode with a PTX number; unknown numbers mean `clamp_to_edge`.
fn address_mode(value: i64) -> AddressMode {
    let mut modes = AddressMode::NAMES.iter().map(|row| row.1);
    modes.find(|&mode| mode as i64 == value).unwrap_or_default()
}

/// Fields of an initialiser that a bound resource overrides.
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

/// Warnings for fields of an initialiser that the bound texture or surface contradicts. `plan`
/// gives the query of an attribute of it.
pub(crate) fn warnings(
    name: &str,
    fields: &[(String, i64)],
    plan: impl Fn(Attribute) -> QueryPlan,
) -> Vec<String> {
    let differs = |(field, value): &(String, i64)| {
        let (_, attribute) = OF_RESOURCE.iter().find(|(known, _)| known == field)?;
        let mut answer = [0; 32];
        plan(*attribute).answer(&QueryRequest { active: 1, level: None }, &mut answer);
        let real = i64::from(answer[0]);
        // 0 and 1 both mean that a resource lacks an axis, layers and so on.
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
