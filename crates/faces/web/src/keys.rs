//! Parses the keys of a link into an access, a sampler and a texture description.
//!
//! Keys are the options of `texunit explain`, with the same values and messages (docs/explain.md);
//! `tex` names a built-in texture, or is [`OWN`]. A key that does not apply to the access is
//! ignored, so that the form keeps its values when the instruction changes.

use crate::refusal::Refusal;
use std::collections::BTreeMap;
use std::str::FromStr;
use texunit_explain::operand::{self, Written};
use texunit_sample::file::FileOptions;
use texunit_spec::problem::instead;
use texunit_spec::{SamplerSpec, formats, per_axis};
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, CompareFunction, FetchForm, FetchKind, Filter, Geometry, Lod, ReadMode, Sampler,
    SurfaceForm,
};

/// The value of the key `tex` that stands for the user's file.
pub const OWN: &str = "own";

/// The keys of a link with their values. Empty values count as missing.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize,
)]
#[serde(transparent)]
pub struct Keys(pub BTreeMap<String, String>);

/// An instruction of the texture or surface unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A fetch: `tex` or `tld4`.
    Fetch(FetchForm),
    /// A surface access: `suld`, `sust` or `sured`.
    Surface(SurfaceForm),
}

impl Form {
    /// The geometry that the instruction's modifier names.
    pub fn geometry(self) -> Geometry {
        match self {
            Self::Fetch(form) => form.geometry,
            Self::Surface(form) => form.geometry,
        }
    }
}

impl Keys {
    /// The value of a key; `None` if it is missing or empty.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// Whether a key without further values, such as `mipmaps`, is set and is not `no`.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value != "no")
    }

    /// The instruction, from the key `op` and the keys of operands that are present.
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
        // The key of an operand that the instruction does not allow is ignored.
        if form.why_impossible().is_some() {
            form.offset &= FetchForm { compare: false, ..form }.why_impossible().is_none();
            form.compare &= FetchForm { offset: false, ..form }.why_impossible().is_none();
        }
        match form.why_impossible() {
            Some(reason) => Err(Refusal::of("op", format!("{form}: {reason}"))),
            None => Ok(Form::Fetch(form)),
        }
    }

    /// The operands as text. Missing operands have the defaults centre, level 0, and gradients 0.
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

    /// The options of `texunit explain` that describe the texture.
    pub fn options(&self) -> Result<FileOptions, Refusal> {
        Ok(FileOptions::default()
            .with_texel_format(self.get("texel-format").map(format).transpose()?)
            .with_geometry(self.get("geometry").map(geometry).transpose()?)
            .with_size(self.get("size").map(size).transpose()?)
            .with_layers(self.count("layers")?)
            .with_samples(self.count("samples")?)
            .with_levels(self.count("levels")?)
            .with_mipmaps(self.flag("mipmaps"))
            .with_read(self.word("read", ReadMode::NAMES)?)
            .with_unnormalized(self.flag("unnormalized")))
    }

    /// The sampler that the keys describe.
    pub fn sampler(&self) -> Result<Sampler, Refusal> {
        let modes = |text: &str| {
            let mode = |text: &str| word("address", text.trim(), AddressMode::NAMES);
            let modes: Vec<_> = text.split(',').map(mode).collect::<Result<_, _>>()?;
            let wrong = format!("expected 1 to 3 modes, found {}", modes.len());
            per_axis(&modes).ok_or_else(|| Refusal::of("address", wrong))
        };
        let address_mode = self.get("address").map(modes).transpose()?;
        let color = |text| operand::color(text).map_err(|e| Refusal::of("border", e));
        let border = self.get("border").map(color).transpose()?;
        let float = |key: &'static str| {
            let read = |text| operand::floats(text, 1).map_err(|e| Refusal::of(key, e));
            Ok(self.get(key).map(read).transpose()?.map(|found| f32::from_bits(found[0])))
        };
        let spec = SamplerSpec {
            filter: self.word("filter", Filter::NAMES)?,
            mip_filter: self.word("mip-filter", Filter::NAMES)?,
            address_mode,
            border,
            min_level_clamp: float("min-level")?,
            max_level_clamp: float("max-level")?,
            level_bias: float("bias")?,
            max_anisotropy: self.number("anisotropy")?,
            srgb: Some(self.flag("srgb")),
            seamless_cube: Some(self.flag("seamless")),
            compare: Some(self.word("compare-func", CompareFunction::NAMES)?),
            force_unnormalized_coords: None,
        };
        Ok(spec.build())
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

    /// The value of a key that is a positive number.
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
    let unknown = || match formats::meant(text) {
        Some(meant) => format!("unknown format `{text}`: did you mean `{meant}`?"),
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
    let wrong = || {
        let rule = "expected up to three numbers, each at least 1";
        Refusal::of("size", format!("{rule}, found `{text}`"))
    };
    let axes: Result<Vec<u32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    axes.ok().filter(|axes| axes.len() <= 3 && !axes.contains(&0)).ok_or_else(wrong)
}

fn unknown(text: &str, names: &[&str]) -> String {
    format!("`{text}`: {}", instead(text, names))
}
