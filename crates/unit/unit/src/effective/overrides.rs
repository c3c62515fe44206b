//! Explains in words which texture and sampler state the hardware ignores or changes.

use super::{
    Coords, asks_for_normalized, compatible_geometry, effective_sampler, mip_levels_normalize,
};
use crate::request::{FetchForm, FetchKind, Geometry, Lod};
use crate::resource::Layout;
use crate::sampler::{AddressMode, Filter, Sampler, Texture};

/// A setting that takes effect otherwise than requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The number of the rule of docs/numerics.md that says so, or of its section: `1.8` or `5`.
    pub rule: &'static str,
    /// The actual effect, in one line.
    pub text: String,
}

/// The settings of a texture and a sampler that the hardware changes for an instruction of this
/// form. If [`resolve`](super::resolve) refuses the fetch, the settings that the hardware would
/// change.
pub fn overrides(texture: &Texture, sampler: &Sampler, form: FetchForm) -> Vec<Override> {
    let acts = effective_sampler(texture, sampler, form);
    let (resource, geometry) = (&texture.resource, form.geometry);
    let (own, kind) = (resource.geometry(), resource.kind());
    let is_integer = acts.coords == Coords::Integer;
    let is_mipmapped = resource.is_mipmapped();
    let is_gather = matches!(form.kind, FetchKind::Gather(_));
    let normalizes = mip_levels_normalize(resource);
    let is_changed = !asks_for_normalized(texture, sampler);
    let mut all = Vec::new();
    // Each setting with its rule, whether it is changed, and the effect.
    let mut add = |rule, is: bool, text: &dyn Fn() -> String| {
        all.extend(is.then(|| Override { rule, text: text() }));
    };
    add("1.13", geometry != own && compatible_geometry(form, resource), &|| match (
        geometry.is_array(),
        own.is_array(),
    ) {
        (true, false) => format!("the {kind} is one layer, which every array index reads"),
        (false, true) => format!("of the {kind} the first layer is read"),
        _ if geometry == Geometry::D1 => format!("of the {kind} the first row is read"),
        _ => format!("the {kind} has one row"),
    });
    add("1.9", is_integer && resource.layout() != Layout::Linear, &|| {
        let linear = sampler.filter == Filter::Linear;
        let filter = if linear { "the linear filter, " } else { "" };
        format!(
            "integer coordinates name a texel: {filter}normalized coordinates, address modes and \
             border colour have no effect; outside, every component is 0"
        )
    });
    add("1.11", !is_integer && normalizes && is_changed, &|| {
        "a mipmapped texture takes normalized coordinates, though unnormalized ones are asked for"
            .to_owned()
    });
    add("1.11", resource.layer_stride.is_some(), &|| {
        "layers after the first are other texels: a texture of one level of a layered mipmapped \
         array looks for them right behind the level"
            .to_owned()
    });
    add("7.5", geometry.is_cube() && !normalizes && is_changed, &|| {
        "face coordinates are normalized, though unnormalized ones are asked for".to_owned()
    });
    let (rule, why) = match () {
        () if geometry.is_cube() => ("7.6", "seamless footprints stay on the cube"),
        () if normalizes => ("1.11", "unnormalized coordinates are asked for"),
        () => ("1.8", "coordinates are unnormalized"),
    };
    for axis in 0..geometry.axes() {
        let asked = sampler.address_mode[axis];
        let acts = acts.address_mode.map_or(asked, |modes| modes[axis]);
        add(rule, acts != asked, &|| {
            let (name, [asked, acts]) =
                (["x", "y", "z"][axis], [asked, acts].map(AddressMode::name));
            format!("address mode of {name}: {asked} acts as {acts}, because {why}")
        });
    }
    add("7.7", acts.seamless_cube, &|| {
        "seamless: footprints reach into the neighbouring faces, address modes have no effect"
            .to_owned()
    });
    add("7.7", !acts.seamless_cube && sampler.seamless_cube && geometry.is_cube(), &|| {
        "seamless filtering has no effect: the filter is point".to_owned()
    });
    add("8.6", is_gather && is_mipmapped, &|| {
        "a gather reads level 0 of a mipmapped texture".to_owned()
    });
    let blends = sampler.mip_filter == Filter::Linear && acts.mip_filter.is_none();
    add(if is_integer { "1.9" } else { "3.7" }, blends, &|| {
        match is_integer {
            true => "with integer coordinates levels are not blended",
            false => "the mip filter has no effect: the texture has no mip levels",
        }
        .to_owned()
    });
    let (min, max) = (sampler.min_level_clamp, sampler.max_level_clamp);
    add("3.7", !is_mipmapped && min > 0.0, &|| {
        "level clamps have no effect: the texture has no mip levels".to_owned()
    });
    add("3.3", is_mipmapped && min > max && !is_gather, &|| {
        format!("level clamps {min} and {max} are in the wrong order: {min} wins")
    });
    let unbiased = match form.kind {
        _ if !is_mipmapped => Some(("3.7", "the texture has no mip levels")),
        _ if is_integer => Some(("3.2", "an integer level is the level itself")),
        FetchKind::Sample(Lod::Level | Lod::Gradient) => None,
        FetchKind::Sample(Lod::Implicit | Lod::Base) => {
            Some(("3.1", "the instruction names no level"))
        }
        FetchKind::Gather(_) => Some(("8.6", "a gather reads level 0")),
    };
    if let Some((rule, why)) = unbiased {
        let text = || format!("the level bias has no effect: {why}");
        add(rule, sampler.level_bias != 0.0, &text);
    }
    let (asked, most) = (sampler.max_anisotropy, acts.max_anisotropy);
    let rule = if form.kind == FetchKind::Sample(Lod::Gradient) { "4.12" } else { "3.6" };
    add(rule, asked > 1 && asked != most, &|| {
        let why = match form.kind {
            _ if most > 1 => return format!("max_anisotropy {asked} acts as {most}"),
            _ if is_integer => "coordinates are integers",
            FetchKind::Sample(Lod::Level) => "the texture has no mip levels",
            FetchKind::Sample(Lod::Gradient) => "only footprints of two axes are anisotropic",
            _ => "the instruction has neither level nor gradients",
        };
        format!("max_anisotropy {asked} has no effect: {why}")
    });
    add("5", sampler.srgb && !acts.srgb, &|| {
        "the sRGB flag has no effect: it acts on 8-bit unorm texels read as normalized floats"
            .to_owned()
    });
    let compares = sampler.compare.is_some();
    add("9.1", form.compare && compares && acts.compare.is_none(), &|| {
        "the compare has no effect: it acts on depth formats and on one channel of f32 or of 16 \
         bits"
            .to_owned()
    });
    add("9.1", form.compare && !compares, &|| {
        "the compare operand has no effect: the sampler has no compare function".to_owned()
    });
    add("9.2", !form.compare && compares, &|| {
        "the compare function has no effect: the instruction has no compare operand".to_owned()
    });
    all
}
