//! The keys of a link, and what they say of an access, a sampler and a texture.
//!
//! They are the options of `texunit explain`, with the same values and the same messages (docs/explain.md); `tex` names a
//! built-in texture, or is [`OWN`]. A key that the access has no use for is passed over, so that changing the instruction
//! keeps what the form has.

use crate::session::Refusal;
use std::collections::BTreeMap;
use std::str::FromStr;
use texunit_explain::operand::{self, Written};
use texunit_job::problem::{listed, nearest};
use texunit_sample::file::FileOptions;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, CompareFunction, FetchForm, FetchKind, Filter, Geometry, Lod, ReadMode, Sampler,
    SurfaceForm,
};

/// The value of `tex` that stands for a file of one's own.
pub const OWN: &str = "own";

/// Keys with their values, as a link has them. Empty values count as left out.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize,
)]
#[serde(transparent)]
pub struct Keys(pub BTreeMap<String, String>);

/// An instruction of the texture or surface unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `tex`, `tld4`
    Fetch(FetchForm),
    /// `suld`, `sust`, `sured`
    Surface(SurfaceForm),
}

impl Form {
    /// `.geom`
    pub fn geometry(self) -> Geometry {
        match self {
            Self::Fetch(form) => form.geometry,
            Self::Surface(form) => form.geometry,
        }
    }
}

/// Names of read modes.
pub(crate) const READ_MODES: [(&str, ReadMode); 2] =
    [("element", ReadMode::Element), ("normalized", ReadMode::NormalizedFloat)];

impl Keys {
    /// A value that is there.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// Whether a flag is set.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value != "no")
    }

    /// The instruction, with what its operands make of it.
    pub fn form(&self, texture: Geometry) -> Result<Form, Refusal> {
        let usual = || match texture.is_multisample() {
            true => format!("tex.{texture}.v4.f32.s32"),
            false => format!("tex.{texture}.v4.f32.f32"),
        };
        let op = self.get("op").map_or_else(usual, str::to_owned);
        if op.starts_with("su") {
            return Ok(Form::Surface(op.parse().map_err(|e| Refusal::of("op", e))?));
        }
        let mut form: FetchForm = op.parse().map_err(|e| Refusal::of("op", e))?;
        form.offset = self.get("offset").is_some();
        form.compare = self.get("compare").is_some();
        // What the instruction cannot have is left over from another one.
        if form.why_impossible().is_some() {
            form.offset &= FetchForm { compare: false, ..form }.why_impossible().is_none();
            form.compare &= FetchForm { offset: false, ..form }.why_impossible().is_none();
        }
        match form.why_impossible() {
            Some(reason) => Err(Refusal::of("op", format!("{form}: {reason}"))),
            None => Ok(Form::Fetch(form)),
        }
    }

    /// The operands as written, with defaults: the middle, level 0, gradients of 0.
    pub fn written<'a>(&'a self, form: Form, middle: &'a str, zeros: &'a str) -> Written<'a> {
        let at = self.get("at").unwrap_or(middle);
        match form {
            Form::Fetch(form) => {
                let is = |lod| form.kind == FetchKind::Sample(lod);
                let gradient =
                    || Some([self.get("dpdx").unwrap_or(zeros), self.get("dpdy").unwrap_or(zeros)]);
                Written {
                    at,
                    lod: is(Lod::Level).then(|| self.get("lod").unwrap_or("0")),
                    grad: if is(Lod::Gradient) { gradient() } else { None },
                    offset: self.get("offset").filter(|_| form.offset),
                    compare: self.get("compare").filter(|_| form.compare),
                    value: None,
                }
            }
            Form::Surface(_) => {
                Written { at, value: Some(self.get("value").unwrap_or("0")), ..Written::default() }
            }
        }
    }

    /// What the keys say of the texture.
    pub fn options(&self) -> Result<FileOptions, Refusal> {
        Ok(FileOptions::default()
            .with_texel_format(self.get("texel-format").map(format).transpose()?)
            .with_geometry(self.get("geometry").map(geometry).transpose()?)
            .with_size(self.get("size").map(size).transpose()?)
            .with_layers(self.count("layers")?)
            .with_samples(self.count("samples")?)
            .with_levels(self.count("levels")?)
            .with_mipmaps(self.flag("mipmaps"))
            .with_read(self.word("read", &READ_MODES)?)
            .with_unnormalized(self.flag("unnormalized")))
    }

    /// The sampler's state.
    pub fn sampler(&self) -> Result<Sampler, Refusal> {
        let default = Sampler::default();
        let mut address_mode = default.address_mode;
        if let Some(text) = self.get("address") {
            let words: Vec<&str> = text.split(',').map(str::trim).collect();
            if words.len() > address_mode.len() {
                return Err(Refusal::of(
                    "address",
                    format!("expected 1 to 3 modes, found {}", words.len()),
                ));
            }
            for (axis, mode) in address_mode.iter_mut().enumerate() {
                let text = words.get(axis).or(words.last()).copied().unwrap_or_default();
                *mode = word("address", text, &AddressMode::NAMES)?;
            }
        }
        let border = match self.get("border") {
            Some(text) => {
                let four = operand::floats(text, 4).map_err(|e| Refusal::of("border", e))?;
                four.try_into().map_err(|_| Refusal::of("border", "expected R,G,B,A"))?
            }
            None => default.border,
        };
        let float = |key: &'static str, usual: f32| match self.get(key) {
            Some(text) => operand::floats(text, 1)
                .map_err(|e| Refusal::of(key, e))
                .map(|found| f32::from_bits(found[0])),
            None => Ok(usual),
        };
        Ok(Sampler::default()
            .with_filter(self.word("filter", &Filter::NAMES)?.unwrap_or(default.filter))
            .with_mip_filter(self.word("mip-filter", &Filter::NAMES)?.unwrap_or(default.mip_filter))
            .with_address_modes(address_mode)
            .with_border_bits(border)
            .with_min_level_clamp(float("min-level", default.min_level_clamp)?)
            .with_max_level_clamp(float("max-level", default.max_level_clamp)?)
            .with_level_bias(float("bias", default.level_bias)?)
            .with_max_anisotropy(self.number("anisotropy")?.unwrap_or(default.max_anisotropy))
            .with_force_unnormalized_coords(false)
            .with_srgb(self.flag("srgb"))
            .with_seamless_cube(self.flag("seamless"))
            .with_compare(self.word("compare-func", &CompareFunction::NAMES)?))
    }

    fn word<T: Copy>(
        &self,
        key: &'static str,
        names: &[(&'static str, T)],
    ) -> Result<Option<T>, Refusal> {
        self.get(key).map(|text| word(key, text, names)).transpose()
    }

    fn number(&self, key: &'static str) -> Result<Option<u32>, Refusal> {
        let read = |text| u32::from_str(text).map_err(|_| expected_number(key, text));
        self.get(key).map(read).transpose()
    }

    /// A number from 1 on.
    fn count(&self, key: &'static str) -> Result<Option<u32>, Refusal> {
        match self.number(key)? {
            Some(0) => Err(expected_number(key, "0")),
            other => Ok(other),
        }
    }
}

fn expected_number(key: &'static str, text: &str) -> Refusal {
    Refusal::of(key, format!("expected a whole number, found `{text}`"))
}

fn word<T: Copy>(key: &'static str, text: &str, names: &[(&'static str, T)]) -> Result<T, Refusal> {
    names.iter().find(|row| row.0 == text).map(|row| row.1).ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|row| row.0).collect();
        Refusal::of(key, unknown(text, &names))
    })
}

fn format(text: &str) -> Result<Format, Refusal> {
    let unknown = || match texunit_job::formats::meant(text) {
        Some(meant) => format!("no format is called `{text}`: did you mean `{meant}`?"),
        None => unknown(text, &Format::names().collect::<Vec<_>>()),
    };
    Format::from_name(text).ok_or_else(|| Refusal::of("texel-format", unknown()))
}

fn geometry(text: &str) -> Result<Geometry, Refusal> {
    let names: Vec<&str> = Geometry::ALL.iter().map(|g| g.name()).collect();
    let found = Geometry::from_name(text.strip_prefix('.').unwrap_or(text));
    found.ok_or_else(|| Refusal::of("geometry", unknown(text, &names)))
}

fn size(text: &str) -> Result<Vec<u32>, Refusal> {
    let wrong =
        || Refusal::of("size", format!("expected up to three numbers from 1 on, found `{text}`"));
    let axes: Result<Vec<u32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    axes.ok().filter(|axes| axes.len() <= 3 && !axes.contains(&0)).ok_or_else(wrong)
}

fn unknown(text: &str, names: &[&str]) -> String {
    match nearest(text, names) {
        Some(near) => format!("`{text}`: did you mean `{near}`?"),
        None => format!("`{text}`: expected {}", listed(names)),
    }
}
