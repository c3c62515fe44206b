//! The command line of `texunit explain`.

use crate::args::{integer, real};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;
use texunit_explain::operand::{self, Written};
use texunit_sample::file::FileOptions;
use texunit_spec::problem::instead;
use texunit_spec::{SamplerSpec, formats, per_axis};
use texunit_texel::Format;
use texunit_unit::{AddressMode, CompareFunction, Filter, Geometry, ReadMode, Sampler};

/// Arguments of `texunit explain`.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).args(["case", "tex"])))]
pub struct ExplainArgs {
    /// A case of a case file, by its number from 1 or its name; without `#N` its cases are listed.
    #[arg(value_name = "CASE.toml#N")]
    pub case: Option<String>,
    /// Which fetch or access of the case, from 0.
    #[arg(long, value_name = "I", requires = "case", allow_negative_numbers = true,
          value_parser = integer::<usize>("the number of a fetch", 0..=usize::MAX))]
    pub fetch: Option<usize>,
    /// The texels: a picture (.png, .jpg, .exr), an array (.npy), a texture (.dds, .ktx2), or any
    /// other file as raw bytes.
    #[arg(long, value_name = "FILE", requires = "op")]
    pub tex: Option<PathBuf>,
    /// Output format; default: by the ending of --out (.svg, .json), else text.
    #[arg(long, value_enum)]
    pub format: Option<ExplainFormat>,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The access.
    #[command(flatten)]
    pub access: AccessArgs,
    /// The texture or surface.
    #[command(flatten)]
    pub texture: TextureArgs,
    /// The sampler.
    #[command(flatten)]
    pub sampler: SamplerArgs,
}

impl ExplainArgs {
    /// An option that was given and has no meaning for surface accesses.
    #[rustfmt::skip]
    pub(super) fn fetch_only(&self) -> Option<&'static str> {
        let Self { access, texture, sampler, .. } = self;
        let options = [
            ("--lod",          access.lod.is_some()),
            ("--grad",         access.grad.is_some()),
            ("--offset",       access.offset.is_some()),
            ("--compare",      access.compare.is_some()),
            ("--read",         texture.read.is_some()),
            ("--unnormalized", texture.unnormalized),
            ("--filter",       sampler.filter.is_some()),
            ("--mip-filter",   sampler.mip_filter.is_some()),
            ("--address",      sampler.address.is_some()),
            ("--border",       sampler.border.is_some()),
            ("--min-level",    sampler.min_level.is_some()),
            ("--max-level",    sampler.max_level.is_some()),
            ("--bias",         sampler.bias.is_some()),
            ("--anisotropy",   sampler.anisotropy.is_some()),
            ("--srgb",         sampler.srgb),
            ("--seamless",     sampler.seamless),
            ("--compare-func", sampler.compare_func.is_some()),
        ];
        options.into_iter().find(|option| option.1).map(|option| option.0)
    }
}

/// Formats of explanations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    /// Lines of text.
    Text,
    /// One JSON object.
    Json,
    /// A picture.
    Svg,
}

/// Instruction and operands. Numbers may be bits: `bits:3f800000`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Instruction")]
pub struct AccessArgs {
    /// The instruction, such as tex.level.2d.v4.f32.f32, tld4.r.2d.v4.f32.f32 or
    /// suld.b.2d.b32.trap.
    #[arg(long, value_name = "OP", requires = "tex", requires = "at")]
    pub op: Option<String>,
    /// Coordinates in the order of the instruction: sample number and array index first.
    #[arg(long, value_name = "X,Y", requires = "tex", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Level of tex.level.
    #[arg(long, value_name = "L", requires = "tex", allow_hyphen_values = true)]
    pub lod: Option<String>,
    /// Gradients of tex.grad: the change of the coordinates to the next pixel along x and along y.
    #[arg(long, num_args = 2, value_names = ["DPDX", "DPDY"], requires = "tex",
          allow_hyphen_values = true)]
    pub grad: Option<Vec<String>>,
    /// Offset operand, one number per axis.
    #[arg(long, value_name = "I,J", requires = "tex", allow_hyphen_values = true)]
    pub offset: Option<String>,
    /// Compare operand: the reference value of a depth compare.
    #[arg(long, value_name = "REF", requires = "tex", allow_hyphen_values = true)]
    pub compare: Option<String>,
    /// Elements that a surface store or reduction has in its registers.
    #[arg(long, value_name = "V,W", requires = "tex", allow_hyphen_values = true)]
    pub value: Option<String>,
}

impl AccessArgs {
    /// The operands as text.
    pub(super) fn written(&self) -> Written<'_> {
        Written {
            at: self.at.as_deref().unwrap_or_default(),
            lod: self.lod.as_deref(),
            grad: match self.grad.as_deref() {
                Some([x, y]) => Some([x.as_str(), y.as_str()]),
                _ => None,
            },
            offset: self.offset.as_deref(),
            compare: self.compare.as_deref(),
            value: self.value.as_deref(),
        }
    }
}

/// Texture or surface. What the file says itself is left out.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Texture")]
pub struct TextureArgs {
    /// Texel format, such as u8x4, f32 or bc7. Pictures have u8x4, OpenEXR f32x4; .npy, .dds and
    /// .ktx2 files specify it.
    #[arg(long, value_name = "FORMAT", requires = "tex", value_parser = format)]
    pub texel_format: Option<Format>,
    /// Geometry, such as 2d or acube; default: that of the instruction.
    #[arg(long, value_name = "GEOM", requires = "tex", value_parser = geometry)]
    pub geometry: Option<Geometry>,
    /// Texels of one layer or face of level 0; a raw file needs it.
    #[arg(long, value_name = "W,H", requires = "tex", value_delimiter = ',', allow_negative_numbers = true,
          value_parser = integer::<u32>("texels along an axis", 1..=u32::MAX))]
    pub size: Option<Vec<u32>>,
    /// Layers, or cubes; default: as many as the file holds.
    #[arg(long, value_name = "N", requires = "tex", allow_negative_numbers = true,
          value_parser = integer::<u32>("layers", 1..=u32::MAX))]
    pub layers: Option<u32>,
    /// Samples of a multi-sample texture.
    #[arg(long, value_name = "N", requires = "tex", allow_negative_numbers = true,
          value_parser = integer::<u32>("samples", 1..=u32::MAX))]
    pub samples: Option<u32>,
    /// Mip levels that the file contains one after the other, or that --mipmaps makes.
    #[arg(long, value_name = "N", requires = "tex", allow_negative_numbers = true,
          value_parser = integer::<u32>("mip levels", 1..=u32::MAX))]
    pub levels: Option<u32>,
    /// Make mip levels with a box filter.
    #[arg(long, requires = "tex")]
    pub mipmaps: bool,
    /// How texels are read; default: integers as normalized floats if the filter is linear, and for
    /// `explain` if the instruction returns floats; else as elements.
    #[arg(long, value_name = "MODE", requires = "tex", value_parser = word(ReadMode::NAMES))]
    pub read: Option<ReadMode>,
    /// Coordinates run from 0 to the size, not from 0 to 1.
    #[arg(long, requires = "tex")]
    pub unnormalized: bool,
}

impl TextureArgs {
    /// The options that describe a file.
    pub(crate) fn options(&self) -> FileOptions {
        FileOptions::default()
            .with_texel_format(self.texel_format)
            .with_geometry(self.geometry)
            .with_size(self.size.clone())
            .with_layers(self.layers)
            .with_samples(self.samples)
            .with_levels(self.levels)
            .with_mipmaps(self.mipmaps)
            .with_read(self.read)
            .with_unnormalized(self.unnormalized)
    }
}

/// Sampler state.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sampler")]
pub struct SamplerArgs {
    /// Filter between the texels of a level; default: point.
    #[arg(long, requires = "tex", value_parser = word(Filter::NAMES))]
    pub filter: Option<Filter>,
    /// Filter between mip levels; default: point.
    #[arg(long, value_name = "FILTER", requires = "tex", value_parser = word(Filter::NAMES))]
    pub mip_filter: Option<Filter>,
    /// Address mode of x, y and z; the last one applies to the axes after it. Default: clamp.
    #[arg(long, value_name = "MODE,MODE", requires = "tex", value_delimiter = ',',
          value_parser = word(AddressMode::NAMES))]
    pub address: Option<Vec<AddressMode>>,
    /// Border colour; default: transparent black.
    #[arg(long, value_name = "R,G,B,A", requires = "tex", allow_hyphen_values = true)]
    pub border: Option<String>,
    /// Minimum level.
    #[arg(long, value_name = "L", requires = "tex", allow_hyphen_values = true,
          value_parser = real("a mip level"))]
    pub min_level: Option<f32>,
    /// Maximum level.
    #[arg(long, value_name = "L", requires = "tex", allow_hyphen_values = true,
          value_parser = real("a mip level"))]
    pub max_level: Option<f32>,
    /// Level bias.
    #[arg(long, value_name = "L", requires = "tex", allow_hyphen_values = true,
          value_parser = real("mip levels"))]
    pub bias: Option<f32>,
    /// Maximum anisotropy.
    #[arg(long, value_name = "N", requires = "tex", allow_negative_numbers = true,
          value_parser = integer::<u32>("anisotropy", 0..=u32::MAX))]
    pub anisotropy: Option<u32>,
    /// Colours are sRGB.
    #[arg(long, requires = "tex")]
    pub srgb: bool,
    /// Cube faces are filtered across their edges.
    #[arg(long, requires = "tex")]
    pub seamless: bool,
    /// Function of the depth compare: reference FUNC texel.
    #[arg(long, value_name = "FUNC", requires = "tex", value_parser = word(CompareFunction::NAMES))]
    pub compare_func: Option<CompareFunction>,
}

/// A parser for the names in a table.
fn word<T: Copy + Send + Sync>(
    names: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names.iter().map(|row| row.0)).map(move |name| {
        let row = names.iter().find(|row| row.0 == name);
        row.expect("clap accepts the names of the table only").1
    })
}

impl SamplerArgs {
    /// The sampler state; the error is a message.
    pub(crate) fn sampler(&self) -> Result<Sampler, String> {
        let modes = |words: &Vec<AddressMode>| {
            per_axis(words)
                .ok_or_else(|| format!("--address: expected 1 to 3 modes, found {}", words.len()))
        };
        let color = |text: &String| operand::color(text).map_err(|e| format!("--border: {e}"));
        let spec = SamplerSpec {
            filter: self.filter,
            mip_filter: self.mip_filter,
            address_mode: self.address.as_ref().map(modes).transpose()?,
            border: self.border.as_ref().map(color).transpose()?,
            min_level_clamp: self.min_level,
            max_level_clamp: self.max_level,
            level_bias: self.bias,
            max_anisotropy: self.anisotropy,
            srgb: Some(self.srgb),
            seamless_cube: Some(self.seamless),
            compare: Some(self.compare_func),
            force_unnormalized_coords: None,
        };
        Ok(spec.build())
    }
}

fn format(text: &str) -> Result<Format, String> {
    let padded =
        || Some(text.parse::<Format>().err()?.to_string()).filter(|_| text.ends_with("x3"));
    let unknown = || match (padded(), formats::meant(text)) {
        (Some(padded), _) => padded,
        (None, Some(meant)) => format!("did you mean `{meant}`?"),
        (None, None) => instead(text, &Format::names().collect::<Vec<_>>()),
    };
    Format::from_name(text).ok_or_else(unknown)
}

fn geometry(text: &str) -> Result<Geometry, String> {
    let names: Vec<&str> = Geometry::ALL.iter().map(|g| g.name()).collect();
    Geometry::from_name(text.strip_prefix('.').unwrap_or(text)).ok_or_else(|| instead(text, &names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_page_has_a_row_for_every_option() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/explain.md");
        let page = std::fs::read_to_string(path).unwrap();
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `--"));
        let documented: BTreeSet<String> =
            rows.map(|row| row.split([' ', '`']).next().unwrap().to_owned()).collect();
        let command = ExplainArgs::augment_args(clap::Command::new("explain"));
        let options: BTreeSet<String> =
            command.get_arguments().filter_map(|a| a.get_long()).map(str::to_owned).collect();
        assert_eq!(documented, options);
    }
}
