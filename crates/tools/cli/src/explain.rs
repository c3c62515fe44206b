//! `texunit explain`: explains a fetch or a surface access.

pub mod args;
#[cfg(feature = "cases")]
mod case;
mod cuda;
pub mod launch;

use args::{ExplainArgs, ExplainFormat};
use std::path::Path;
use std::sync::Arc;
use texunit_explain::{Explanation, SurfaceExplanation, operand};
use texunit_files::CommandFiles;
use texunit_sample::{SampleError, file};
use texunit_unit::{FetchForm, Surface, SurfaceForm, SurfaceKind};

/// Why nothing was explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The message.
    pub message: String,
    /// Whether the command line itself is wrong, as opposed to the files it names.
    pub is_usage: bool,
}

impl Failure {
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_usage: false }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_usage: true }
    }
}

impl From<SampleError> for Failure {
    fn from(refused: SampleError) -> Self {
        Self { message: refused.to_string(), is_usage: matches!(refused, SampleError::Option(_)) }
    }
}

/// An explanation that can be formatted in several ways.
trait FormatExplanation {
    fn render(&self, format: ExplainFormat) -> String;
}

macro_rules! formats {
    ($($explanation:ty),*) => {$(
        impl FormatExplanation for $explanation {
            fn render(&self, format: ExplainFormat) -> String {
                match format {
                    ExplainFormat::Text => self.text(),
                    ExplainFormat::Json => format!("{:#}\n", self.json()),
                    ExplainFormat::Svg => self.svg(),
                }
            }
        }
    )*};
}
formats! { Explanation<'_>, SurfaceExplanation }

/// The output, and whether the result is as expected.
#[derive(Clone, Debug)]
pub struct Output {
    /// Text, JSON or SVG.
    pub text: String,
    /// Whether the results agree with a case's expectations.
    pub agrees: bool,
}

/// Explains the access that the arguments describe. With `--out` the explanation is written to that
/// file, and the returned text is empty.
pub fn run(args: &ExplainArgs) -> Result<Output, Failure> {
    if args.fetch.is_some() && args.case.is_none() {
        return Err(Failure::usage("--fetch selects a fetch of a case: CASE.toml#N --fetch I"));
    }
    let format = args.format.or_else(|| by_extension(args.out.as_deref()?));
    let format = format.unwrap_or(ExplainFormat::Text);
    if let Some(path) = &args.out {
        keep_apart(args, path)?;
    }
    let mut output = match (&args.case, &args.tex) {
        #[cfg(feature = "cases")]
        (Some(address), _) => case::run(address, args.fetch, format)?,
        #[cfg(not(feature = "cases"))]
        (Some(_), _) => return Err(Failure::usage(crate::missing::case_files())),
        (None, Some(file)) => from_file(args, file, format)?,
        (None, None) => return Err(Failure::usage("a case or --tex is needed")),
    };
    if let Some(path) = &args.out {
        texunit_files::write_atomically(path, output.text.as_bytes())
            .map_err(|e| Failure::input(format!("cannot write {e}")))?;
        output.text.clear();
    }
    Ok(output)
}

/// The format for a file extension.
fn by_extension(out: &Path) -> Option<ExplainFormat> {
    match out.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "svg" => Some(ExplainFormat::Svg),
        "json" => Some(ExplainFormat::Json),
        _ => None,
    }
}

/// Rejects an output file that is also an input.
fn keep_apart(args: &ExplainArgs, out: &Path) -> Result<(), Failure> {
    let case = args.case.as_deref().map(Path::new);
    // `FILE#N`, unless a file has this name.
    let without = args.case.as_deref().and_then(|address| address.rsplit_once('#'));
    let case = case.filter(|path| path.is_file()).or(without.map(|(file, _)| Path::new(file)));
    let mut places = CommandFiles::default();
    let inputs = [case, args.tex.as_deref()].into_iter().flatten();
    inputs.for_each(|path| places.reads("is explained", path));
    places.writes("--out", out);
    places.check().map_err(Failure::usage)
}

fn from_file(args: &ExplainArgs, file: &Path, format: ExplainFormat) -> Result<Output, Failure> {
    let op = args.access.op.as_deref().unwrap_or_default();
    let word = op.split('.').next().unwrap_or_default();
    if !["tex", "tld4", "suld", "sust", "sured"].contains(&word) {
        return Err(Failure::usage(match cuda::ptx_of(op) {
            Some(ptx) => format!("--op: `{op}` is CUDA C++; in PTX it is {ptx}"),
            None => format!(
                "--op: `{op}` is not a fetch or a surface access: expected tex, tld4, suld, sust or \
                 sured, with all its parts, for example tex.2d.v4.f32.f32"
            ),
        }));
    }
    if op.starts_with("su") {
        surface(args, file, op, format)
    } else {
        fetch(args, file, op, format)
    }
}

fn fetch(
    args: &ExplainArgs,
    file: &Path,
    op: &str,
    format: ExplainFormat,
) -> Result<Output, Failure> {
    let mut form: FetchForm = op.parse().map_err(|e| Failure::usage(format!("--op: {e}")))?;
    form.offset = args.access.offset.is_some();
    form.compare = args.access.compare.is_some();
    if let Some(reason) = form.why_impossible() {
        return Err(Failure::usage(format!("{form}: {reason}")));
    }
    let operands = operand::fetch(&args.access.written(), form).map_err(Failure::usage)?;
    let mut sampler = args.sampler.sampler().map_err(Failure::usage)?;
    let texture = file::texture(
        &args.texture.options(),
        file,
        form.geometry,
        Some(form.result),
        &mut sampler,
    )?;
    let explanation = Explanation::new(form, &texture, &sampler, &operands)
        .map_err(|e| Failure::input(e.to_string()))?;
    Ok(Output { text: explanation.render(format), agrees: true })
}

fn surface(
    args: &ExplainArgs,
    file: &Path,
    op: &str,
    format: ExplainFormat,
) -> Result<Output, Failure> {
    let form: SurfaceForm = op.parse().map_err(|e| Failure::usage(format!("--op: {e}")))?;
    let coords = operand::surface(&args.access.written(), form).map_err(Failure::usage)?;
    if let Some(option) = args.fetch_only() {
        return Err(Failure::usage(format!("{option} is for fetches, not for {form}")));
    }
    let elements = match (&args.access.value, matches!(form.kind, SurfaceKind::Load { .. })) {
        (Some(text), false) => operand::elements(text).map_err(Failure::usage)?,
        (None, false) => {
            return Err(Failure::usage(format!("{form} needs its elements: --value V,W")));
        }
        (Some(_), true) => return Err(Failure::usage(format!("{form} stores nothing"))),
        (None, true) => [0; 4],
    };
    let (mut resource, _) = file::resource(&args.texture.options(), file, form.geometry)?;
    let input = |e: String| Failure::input(e);
    if resource.levels().len() > 1 {
        resource = resource.single_level(0).map_err(|e| input(e.to_string()))?;
    }
    let surface = Surface::new(Arc::new(resource)).map_err(|e| input(e.to_string()))?;
    let explanation = SurfaceExplanation::new(form, &Arc::new(surface), coords, elements)
        .map_err(|e| input(e.to_string()))?;
    Ok(Output { text: explanation.render(format), agrees: true })
}
