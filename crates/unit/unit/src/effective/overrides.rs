//! Explains in words which texture and sampler state the hardware ignores or changes.

use super::{
    Coords, EffectiveSampler, asks_for_normalized, compatible_geometry, effective_sampler,
    mip_levels_normalize,
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
    let effective = effective_sampler(texture, sampler, form);
    let state = State { texture, sampler, form, effective };
    let mut all = Vec::new();
    let mut add = |rule, text: Option<String>| {
        if let Some(text) = text {
            all.push(Override { rule, text });
        }
    };
    add("1.13", state.geometry());
    add("1.9", state.integer());
    add("1.11", state.mipmapped_coordinates());
    add("1.11", state.layer_stride());
    add("7.5", state.cube_coordinates());
    for axis in 0..form.geometry.axes() {
        let (rule, text) = state.address(axis);
        add(rule, text);
    }
    add("7.7", state.seamless());
    add("8.6", state.gather());
    add(if state.is_integer() { "1.9" } else { "3.7" }, state.mip_filter());
    add(if state.is_mipmapped() { "3.3" } else { "3.7" }, state.level_clamps());
    let (rule, text) = state.bias();
    add(rule, text);
    let gradient = form.kind == FetchKind::Sample(Lod::Gradient);
    add(if gradient { "4.12" } else { "3.6" }, state.anisotropy());
    add("5", state.srgb());
    add(if form.compare { "9.1" } else { "9.2" }, state.compare());
    all
}

struct State<'a> {
    texture: &'a Texture,
    sampler: &'a Sampler,
    form: FetchForm,
    effective: EffectiveSampler,
}

impl State<'_> {
    fn is_integer(&self) -> bool {
        self.effective.coords == Coords::Integer
    }

    fn is_mipmapped(&self) -> bool {
        self.texture.resource.is_mipmapped()
    }

    fn is_gather(&self) -> bool {
        matches!(self.form.kind, FetchKind::Gather(_))
    }

    fn geometry(&self) -> Option<String> {
        let (wanted, resource) = (self.form.geometry, &self.texture.resource);
        let own = resource.geometry();
        let other = wanted != own && compatible_geometry(self.form, resource);
        let kind = resource.kind();
        other.then(|| match (wanted.is_array(), own.is_array()) {
            (true, false) => format!("the {kind} is one layer, which every array index reads"),
            (false, true) => format!("of the {kind} the first layer is read"),
            _ if wanted == Geometry::D1 => format!("of the {kind} the first row is read"),
            _ => format!("the {kind} has one row"),
        })
    }

    fn integer(&self) -> Option<String> {
        let linear = self.sampler.filter == Filter::Linear;
        (self.is_integer() && self.texture.resource.layout() != Layout::Linear).then(|| {
            let filter = if linear { "the linear filter, " } else { "" };
            format!(
                "integer coordinates name a texel: {filter}normalized coordinates, address modes \
                 and border colour have no effect; outside, every component is 0"
            )
        })
    }

    fn mipmapped_coordinates(&self) -> Option<String> {
        let changed = !self.is_integer()
            && mip_levels_normalize(&self.texture.resource)
            && !asks_for_normalized(self.texture, self.sampler);
        changed.then(|| {
            "a mipmapped texture takes normalized coordinates, though unnormalized ones are asked \
             for"
            .to_owned()
        })
    }

    fn layer_stride(&self) -> Option<String> {
        self.texture.resource.layer_stride.as_ref().map(|_| {
            "layers after the first are other texels: a texture of one level of a layered \
             mipmapped array looks for them right behind the level"
                .to_owned()
        })
    }

    fn cube_coordinates(&self) -> Option<String> {
        let changed = self.form.geometry.is_cube()
            && !mip_levels_normalize(&self.texture.resource)
            && !asks_for_normalized(self.texture, self.sampler);
        changed.then(|| {
            "face coordinates are normalized, though unnormalized ones are asked for".to_owned()
        })
    }

    fn address(&self, axis: usize) -> (&'static str, Option<String>) {
        let asked = self.sampler.address_mode[axis];
        let Some(acts) = self.effective.address_mode.map(|mode| mode[axis]) else {
            return ("1.9", None);
        };
        if acts == asked {
            return ("1.8", None);
        }
        let name = ["x", "y", "z"][axis];
        let [asked, acts] = [asked, acts].map(AddressMode::name);
        let (rule, why) = if self.form.geometry.is_cube() {
            ("7.6", "seamless footprints stay on the cube")
        } else if mip_levels_normalize(&self.texture.resource) {
            ("1.11", "unnormalized coordinates are asked for")
        } else {
            ("1.8", "coordinates are unnormalized")
        };
        (rule, Some(format!("address mode of {name}: {asked} acts as {acts}, because {why}")))
    }

    fn seamless(&self) -> Option<String> {
        if self.effective.seamless_cube {
            return Some(
                "seamless: footprints reach into the neighbouring faces, address modes have no \
                 effect"
                    .to_owned(),
            );
        }
        if !self.sampler.seamless_cube || !self.form.geometry.is_cube() {
            return None;
        }
        Some("seamless filtering has no effect: the filter is point".to_owned())
    }

    fn gather(&self) -> Option<String> {
        (self.is_gather() && self.is_mipmapped())
            .then(|| "a gather reads level 0 of a mipmapped texture".to_owned())
    }

    fn mip_filter(&self) -> Option<String> {
        let asked = self.sampler.mip_filter == Filter::Linear;
        match self.effective.mip_filter {
            None if asked && self.is_integer() => {
                Some("with integer coordinates levels are not blended".to_owned())
            }
            None if asked => {
                Some("the mip filter has no effect: the texture has no mip levels".to_owned())
            }
            _ => None,
        }
    }

    fn level_clamps(&self) -> Option<String> {
        let (min, max) = (self.sampler.min_level_clamp, self.sampler.max_level_clamp);
        if !self.is_mipmapped() {
            let asked = min > 0.0;
            return asked
                .then(|| "level clamps have no effect: the texture has no mip levels".to_owned());
        }
        (min > max && !self.is_gather())
            .then(|| format!("level clamps {min} and {max} are in the wrong order: {min} wins"))
    }

    fn bias(&self) -> (&'static str, Option<String>) {
        let (rule, why) = match self.form.kind {
            _ if self.sampler.level_bias == 0.0 => return ("3.2", None),
            _ if !self.is_mipmapped() => ("3.7", "the texture has no mip levels"),
            _ if self.is_integer() => ("3.2", "an integer level is the level itself"),
            FetchKind::Sample(Lod::Level | Lod::Gradient) => return ("3.2", None),
            FetchKind::Sample(Lod::Implicit | Lod::Base) => {
                ("3.1", "the instruction names no level")
            }
            FetchKind::Gather(_) => ("8.6", "a gather reads level 0"),
        };
        (rule, Some(format!("the level bias has no effect: {why}")))
    }

    fn anisotropy(&self) -> Option<String> {
        let (asked, acts) = (self.sampler.max_anisotropy, self.effective.max_anisotropy);
        if asked <= 1 || asked == acts {
            return None;
        }
        if acts > 1 {
            return Some(format!("max_anisotropy {asked} acts as {acts}"));
        }
        let why = match self.form.kind {
            _ if self.is_integer() => "coordinates are integers",
            FetchKind::Sample(Lod::Level) => "the texture has no mip levels",
            FetchKind::Sample(Lod::Gradient) => "only footprints of two axes are anisotropic",
            _ => "the instruction has neither level nor gradients",
        };
        Some(format!("max_anisotropy {asked} has no effect: {why}"))
    }

    fn srgb(&self) -> Option<String> {
        (self.sampler.srgb && !self.effective.srgb).then(|| {
            "the sRGB flag has no effect: it acts on 8-bit unorm texels read as normalized floats"
                .to_owned()
        })
    }

    fn compare(&self) -> Option<String> {
        match (self.form.compare, self.sampler.compare) {
            (true, Some(_)) if self.effective.compare.is_none() => Some(
                "the compare has no effect: it acts on depth formats and on one channel of f32 or \
                 of 16 bits"
                    .to_owned(),
            ),
            (true, None) => Some(
                "the compare operand has no effect: the sampler has no compare function".to_owned(),
            ),
            (false, Some(_)) => Some(
                "the compare function has no effect: the instruction has no compare operand"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}
