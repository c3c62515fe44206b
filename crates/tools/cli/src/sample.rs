//! `texunit sample`: fetches at all coordinates of an array, into an array.

mod operand;

use crate::args::{OutputFormat, integer};
use crate::effective;
use crate::explain::Failure;
use crate::explain::args::{SamplerArgs, TextureArgs};
use clap::Args;
use operand::Operands;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use texunit_files::{CommandFiles, FileError, Kind};
use texunit_forms::Count;
use texunit_sample::{Call, Texture};
use texunit_unit::{FetchForm, Geometry};

/// Arguments of `texunit sample`.
#[derive(Clone, Debug, Args)]
pub struct SampleArgs {
    /// The texels: a picture (.png, .jpg, .exr), an array (.npy), a texture (.dds, .ktx2), or any
    /// other file as raw bytes.
    #[arg(long, value_name = "FILE")]
    pub tex: PathBuf,
    /// The coordinates: an array (.npy) with x, y, z in the last axis; floats, or with --fetch
    /// integers.
    #[arg(long, value_name = "FILE.npy")]
    pub at: PathBuf,
    /// The file of results (.npy).
    #[arg(long, short, value_name = "FILE.npy")]
    pub out: PathBuf,
    /// Report on standard output.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
    /// What is fetched.
    #[command(flatten)]
    pub fetch: FetchArgs,
    /// The texture.
    #[command(flatten)]
    pub texture: TextureArgs,
    /// The sampler.
    #[command(flatten)]
    pub sampler: SamplerArgs,
}

/// What is fetched. Operands are numbers, or arrays (.npy) that broadcast with the coordinates.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Fetch")]
pub struct FetchArgs {
    /// Levels.
    #[arg(long, value_name = "L|FILE", allow_hyphen_values = true)]
    pub lod: Option<String>,
    /// Gradients: the change of the coordinates to the next pixel along x and along y.
    #[arg(long, num_args = 2, value_names = ["DPDX", "DPDY"], allow_hyphen_values = true)]
    pub grad: Option<Vec<String>>,
    /// Layers, or cubes of a cube array.
    #[arg(long, value_name = "N|FILE", allow_hyphen_values = true)]
    pub layer: Option<String>,
    /// Samples of a multi-sample texture.
    #[arg(long, value_name = "N|FILE", allow_hyphen_values = true)]
    pub sample: Option<String>,
    /// Offsets in texels, one number per axis.
    #[arg(long, value_name = "I,J|FILE", allow_hyphen_values = true)]
    pub offset: Option<String>,
    /// Reference values of a depth compare.
    #[arg(long, value_name = "REF|FILE", allow_hyphen_values = true)]
    pub compare: Option<String>,
    /// Gather a component of four texels (tld4).
    #[arg(long, value_name = "COMPONENT", value_parser = ["r", "g", "b", "a"], conflicts_with = "fetch")]
    pub gather: Option<String>,
    /// Coordinates are integers that name texels.
    #[arg(long)]
    pub fetch: bool,
    /// Results are float16.
    #[arg(long)]
    pub half: bool,
    /// Refuse float64 coordinates that are not exact in float32.
    #[arg(long)]
    pub strict: bool,
    /// Host threads; 0 is one per CPU.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
          value_parser = integer::<usize>("host threads", 0..=1024))]
    pub threads: usize,
}

/// The summary.
#[derive(Debug)]
pub struct Report {
    form: FetchForm,
    texture: Texture,
    fetches: usize,
    shape: Vec<usize>,
    dtype: &'static str,
    out: PathBuf,
    time: Duration,
}

/// Fetches and writes the results.
pub fn run(args: &SampleArgs) -> Result<Report, Failure> {
    if Kind::of(&args.out) != Kind::Npy {
        let out = args.out.display();
        return Err(Failure::usage(format!(
            "--out: `{out}` does not end in .npy, which is what is written"
        )));
    }
    let given = Operands::read(args)?;
    spare_inputs(args, &given)?;
    let texture = made(args)?;
    let call = texture.call(given.request(args)?).map_err(operand::trouble)?;
    let mut bytes = zeros(call.byte_size())?;
    let start = Instant::now();
    call.run(&mut bytes, args.fetch.threads).map_err(operand::trouble)?;
    let time = start.elapsed();
    write(&args.out, &call, bytes)?;
    let (form, fetches, dtype) = (call.form(), call.fetches(), call.dtype().name());
    let shape = call.shape().to_vec();
    Ok(Report { form, texture, fetches, shape, dtype, out: args.out.clone(), time })
}

/// Allocates memory for the results; an error if it is exhausted.
fn zeros(size: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| {
        Failure::input(format!("cannot allocate {} for the results", Count(size, "byte")))
    })?;
    bytes.resize(size, 0);
    Ok(bytes)
}

/// The texture, by the options and rules of `texunit explain`.
fn made(args: &SampleArgs) -> Result<Texture, Failure> {
    let mut sampler = args.sampler.sampler().map_err(Failure::usage)?;
    // One-dimensional arrays are treated as by the Python package.
    let is_row = || texunit_sample::file::axes(&args.tex) == Some(1);
    let usual = || if is_row() { Geometry::D1 } else { Geometry::D2 };
    let geometry = args.texture.geometry.unwrap_or_else(usual);
    let options = args.texture.options();
    let header = texunit_sample::file::texture(&options, &args.tex, geometry, None, &mut sampler)?;
    Ok(Texture::of_header(Arc::new(header), sampler))
}

/// Rejects a result file that is also an input.
fn spare_inputs(args: &SampleArgs, given: &Operands) -> Result<(), Failure> {
    let mut places = CommandFiles::default();
    let inputs = [args.tex.as_path(), &args.at].into_iter().chain(given.files());
    inputs.for_each(|path| places.reads("is read", path));
    places.writes("--out", &args.out);
    places.check().map_err(Failure::usage)
}

fn write(path: &Path, call: &Call<'_>, bytes: Vec<u8>) -> Result<(), Failure> {
    let shape: Vec<u64> = call.shape().iter().map(|&n| n as u64).collect();
    texunit_files::encode_array(call.dtype(), &shape, &bytes)
        .map_err(|e| FileError::new(path, e))
        .and_then(|file| texunit_files::write_atomically(path, &file))
        .map_err(|e| Failure::input(format!("cannot write {e}")))
}

impl Report {
    fn shape_text(&self) -> String {
        let axes: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        format!("({}{})", axes.join(", "), if axes.len() == 1 { "," } else { "" })
    }

    /// The summary for people.
    pub fn text(&self) -> String {
        let effective = self.texture.effective(self.form);
        let mut text = format!(
            "{}: {} of {}, {} of {}\n",
            self.out.display(),
            self.shape_text(),
            self.dtype,
            self.form,
            self.texture.resource().describe()
        );
        for change in &effective.overrides {
            let _ = writeln!(text, "  [{}] {}", change.rule, change.text);
        }
        text
    }

    /// The summary as one JSON object.
    pub fn json(&self) -> Value {
        let effective = self.texture.effective(self.form);
        json!({
            "out": self.out.display().to_string(),
            "shape": self.shape,
            "dtype": self.dtype,
            "fetches": self.fetches,
            "seconds": self.time.as_secs_f64(),
            "instruction": self.form.to_string(),
            "texture": self.texture.resource().describe(),
            "sampler": effective::state(self.form, &effective.sampler),
            "overrides": effective::overrides(&effective.overrides),
        })
    }
}
