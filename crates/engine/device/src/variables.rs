//! References of a module to textures, samplers and surfaces, requested places of variables, and
//! the static initialisers of `.texref`, `.samplerref` and `.surfref` variables (docs/numerics.md
//! 12). They set sampler state; a resource that is bound later has its own size and format.

use crate::handles::{OpaqueKind, Slots};
use crate::texture::TextureDescriptor;
use std::collections::HashMap;
use texunit_unit::{AddressMode, Attribute, Filter, QueryPlan, QueryRequest};

/// A module-scope `.texref`, `.samplerref` or `.surfref`, and the state that its initialiser gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpaqueVariable {
    /// The variable's name.
    pub name: String,
    /// The kind of reference.
    pub kind: OpaqueKind,
    /// The state of the static initialiser; omitted fields have PTX's defaults.
    pub initial: TextureDescriptor,
    /// Whether something is bound to the reference (a `.samplerref` always has its initial state).
    pub bound: bool,
    /// The slots in the descriptor tables of headers and samplers.
    pub(crate) slots: Slots,
    /// The initialiser's fields as written, to be compared with a bound resource.
    pub(crate) fields: Vec<(String, i64)>,
}

impl OpaqueVariable {
    /// The handle that is the variable's value.
    pub fn handle(&self) -> u64 {
        self.kind.handle(self.slots)
    }
}

/// Requested addresses and handles of a module's variables, by name. Variables without an entry get
/// free ones.
#[derive(Clone, Debug, Default)]
pub struct VariableAddresses {
    /// Addresses of `.global` and `.const` variables.
    pub memory: HashMap<String, u64>,
    /// Handles of `.texref`, `.samplerref` and `.surfref` variables.
    pub handles: HashMap<String, u64>,
}

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
