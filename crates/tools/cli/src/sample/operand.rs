//! Operands of `texunit sample`: numbers, or arrays in files.

use super::SampleArgs;
use crate::explain::Failure;
use std::path::{Path, PathBuf};
use texunit_explain::operand as explained;
use texunit_sample::{Action, Dtype, ErrorKind, Input, Points, Request, SampleError};

/// Converts an error about an array or number.
pub(super) fn trouble(error: SampleError) -> Failure {
    match error.kind() {
        ErrorKind::Type => Failure::usage(error.to_string()),
        ErrorKind::Value | ErrorKind::Memory => Failure::input(error.to_string()),
    }
}

/// An operand with its data.
#[derive(Clone, Debug)]
struct Owned {
    file: Option<PathBuf>,
    shape: Vec<usize>,
    dtype: Dtype,
    bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(super) struct Operands {
    at: Owned,
    lod: Option<Owned>,
    grad: Option<[Owned; 2]>,
    layer: Option<Owned>,
    sample: Option<Owned>,
    offset: Option<Owned>,
    compare: Option<Owned>,
}

impl Operands {
    /// Reads the operands that the options name.
    pub(super) fn read(args: &SampleArgs) -> Result<Self, Failure> {
        let fetch = &args.fetch;
        let one = |option: &'static str, text: &Option<String>| {
            text.as_deref().map(|text| Owned::read(option, text)).transpose()
        };
        Ok(Self {
            at: Owned::file(&args.at)?,
            lod: one("--lod", &fetch.lod)?,
            grad: match fetch.grad.as_deref() {
                Some([x, y]) => Some([Owned::read("--grad", x)?, Owned::read("--grad", y)?]),
                _ => None,
            },
            layer: one("--layer", &fetch.layer)?,
            sample: one("--sample", &fetch.sample)?,
            offset: one("--offset", &fetch.offset)?,
            compare: one("--compare", &fetch.compare)?,
        })
    }

    /// The files of operands other than the coordinates.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let single = [&self.lod, &self.layer, &self.sample, &self.offset, &self.compare];
        let all = single.into_iter().flatten().chain(self.grad.iter().flatten());
        all.filter_map(|owned| owned.file.as_deref())
    }

    /// The request that the operands form.
    pub(super) fn request(&self, args: &SampleArgs) -> Result<Request<'_>, Failure> {
        let fetch = &args.fetch;
        let action = match &fetch.gather {
            Some(component) => Action::Gather(
                ["r", "g", "b", "a"].iter().position(|c| c == component).unwrap_or(0) as u8,
            ),
            None if fetch.fetch => Action::Fetch,
            None => Action::Sample,
        };
        Ok(Request {
            lod: self.lod.as_ref().map(Owned::input).transpose()?,
            grad: match &self.grad {
                Some([x, y]) => Some([x.points()?, y.points()?]),
                None => None,
            },
            layer: self.layer.as_ref().map(Owned::input).transpose()?,
            sample: self.sample.as_ref().map(Owned::input).transpose()?,
            offset: self.offset.as_ref().map(Owned::points).transpose()?,
            compare: self.compare.as_ref().map(Owned::input).transpose()?,
            half: fetch.half,
            strict: fetch.strict,
            ..Request::new(action, self.at.points()?)
        })
    }
}

impl Owned {
    /// Parses a number or numbers separated by commas (floats may be bits), or reads a file.
    fn read(option: &str, text: &str) -> Result<Self, Failure> {
        if text.to_ascii_lowercase().ends_with(".npy") {
            return Self::file(Path::new(text));
        }
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let shape = if parts.len() == 1 { vec![] } else { vec![parts.len()] };
        if parts.iter().any(|part| part.starts_with("bits:")) {
            let floats = explained::floats(text, parts.len());
            let floats = floats.map_err(|why| Failure::usage(format!("{option}: {why}")))?;
            let bytes = floats.into_iter().flat_map(u32::to_le_bytes).collect();
            return Ok(Self { file: None, shape, dtype: Dtype::F32, bytes });
        }
        let whole: Result<Vec<i64>, _> = parts.iter().map(|part| part.parse()).collect();
        let (dtype, bytes): (_, Vec<u8>) = match whole {
            Ok(numbers) => (Dtype::S64, numbers.into_iter().flat_map(i64::to_le_bytes).collect()),
            Err(_) => {
                let numbers: Result<Vec<f64>, _> = parts.iter().map(|part| part.parse()).collect();
                let numbers = numbers.map_err(|_| {
                    Failure::usage(format!(
                        "{option}: expected a number or a .npy file, found `{text}`"
                    ))
                })?;
                (Dtype::F64, numbers.into_iter().flat_map(f64::to_le_bytes).collect())
            }
        };
        Ok(Self { file: None, shape, dtype, bytes })
    }

    fn file(path: &Path) -> Result<Self, Failure> {
        let array = texunit_files::read_array(path).map_err(|e| Failure::input(e.to_string()))?;
        let name = path.display();
        let shape: Result<Vec<usize>, _> =
            array.shape.iter().map(|&n| usize::try_from(n)).collect();
        let shape = shape.map_err(|_| Failure::input(format!("`{name}` is larger than memory")))?;
        Ok(Self { file: Some(path.to_owned()), shape, dtype: array.dtype, bytes: array.bytes })
    }

    /// Numbers of the command line are converted to the required type.
    fn input(&self) -> Result<Input<'_>, Failure> {
        let input = Input::contiguous(&self.shape, self.dtype, &self.bytes).map_err(trouble)?;
        Ok(if self.file.is_none() { input.weak() } else { input })
    }

    fn points(&self) -> Result<Points<'_>, Failure> {
        Ok(Points::Array(self.input()?))
    }
}
