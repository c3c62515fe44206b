//! Reads the input of a reduction, and chooses the path of its result.

use super::args::ReduceArgs;
use crate::color::{self, Stream};
use crate::failure::Stopped;
use std::path::{Path, PathBuf};
use texunit_files::CommandFiles;
use texunit_job::load::{read_job, read_ptx};
use texunit_reduce::{Case, read_job_table};
use texunit_syntax::SourceFile;

/// The marker in the first line of a result.
pub(super) const MARK: &str = " reduced by texunit ";

pub(super) struct Input {
    /// The text, for messages.
    pub(super) source: SourceFile,
    pub(super) case: Case,
    /// The PTX file of a job.
    ptx: Option<PathBuf>,
}

impl Input {
    pub(super) fn read(args: &ReduceArgs) -> Result<Self, Stopped> {
        if args.input.extension().is_some_and(|e| e == "toml") {
            job(&args.input)
        } else {
            ptx(&args.input)
        }
    }

    /// The folder or file for the result.
    pub(super) fn out(&self, args: &ReduceArgs) -> Result<PathBuf, Stopped> {
        let is_job = self.case.job.is_some();
        let out: PathBuf = args.out.clone().unwrap_or_else(|| default_out(&args.input, is_job));
        let target = if is_job { out.join("job.toml") } else { out.clone() };
        let mut places = CommandFiles::default();
        places.reads("is reduced", &args.input);
        let read = self.ptx.iter().chain(self.case.read.iter());
        read.for_each(|path| places.reads("the job reads", path));
        let written: Vec<PathBuf> = match is_job {
            true => self.case.result_files().map(|name| out.join(name)).collect(),
            false => vec![out.clone()],
        };
        written.iter().for_each(|path| places.writes("--out", path));
        places.check().map_err(Stopped::Usage)?;
        let wrong = match is_job {
            true if out.exists() && !out.is_dir() => "a job goes to a folder, and this is a file",
            false if out.is_dir() => "PTX goes to a file, and this is a folder",
            _ => "",
        };
        if !wrong.is_empty() {
            return Err(Stopped::Usage(format!("--out {}: {wrong}", out.display())));
        }
        if let Some(other) = written.iter().find(|path| path.exists())
            && head(&target).is_none()
        {
            let (out, other) = (out.display(), other.display());
            return Err(Stopped::Usage(format!(
                "--out {out}: `{other}` is there, and not a result of `texunit reduce`; name another place"
            )));
        }
        Ok(out)
    }
}

/// The default path of the result: derived from the input's name, or from its folder's name for
/// recordings (`job.toml`). An existing result of another input is not overwritten.
fn default_out(input: &Path, is_job: bool) -> PathBuf {
    let folder = || Some(std::path::absolute(input).ok()?.parent()?.file_name()?.to_owned());
    let is_recording = input.file_name().is_some_and(|name| name == "job.toml");
    let stem = if is_recording { folder() } else { None };
    let stem = stem.or(input.file_stem().map(Into::into)).unwrap_or_default();
    let stem = stem.display();
    let place = |n: u64| {
        let number = if n > 1 { format!("-{n}") } else { String::new() };
        let name = match is_job {
            true => format!("{stem}-reduced{number}"),
            false => format!("{stem}.reduced{number}.ptx"),
        };
        PathBuf::from(name)
    };
    let of = format!(" {}:", input.display());
    let is_others = |place: &PathBuf| {
        let target = if is_job { place.join("job.toml") } else { place.clone() };
        head(&target).is_some_and(|line| !line.contains(&of))
    };
    (1..=u64::MAX).map(place).find(|place| !is_others(place)).unwrap_or_default()
}

/// The first line of an existing result, which names its input.
fn head(path: &Path) -> Option<String> {
    let bytes = texunit_files::read_bytes(path).ok()?;
    let first = bytes.split(|&byte| byte == b'\n').next()?;
    let first = String::from_utf8_lossy(first).into_owned();
    (first.starts_with(['#', '/']) && first.contains(MARK)).then_some(first)
}

fn ptx(path: &Path) -> Result<Input, Stopped> {
    let bytes =
        texunit_files::read_bytes(path).map_err(|e| Stopped::failed(&e.to_string(), None))?;
    let name = path.display();
    if let Some(kind) = texunit_syntax::foreign::binary_file(&bytes) {
        let message = format!("`{name}`: expected PTX or a job file, found {}", kind.what);
        return Err(Stopped::failed(&message, Some(kind.help)));
    }
    let Ok(text) = String::from_utf8(bytes) else {
        let message = format!("`{name}`: expected PTX or a job file, but it is not UTF-8");
        return Err(Stopped::failed(&message, None));
    };
    if text.len() > SourceFile::MAX_LEN {
        return Err(Stopped::failed(&format!("`{name}`: too long"), None));
    }
    let source = SourceFile::new(name.to_string(), text);
    Ok(Input { case: Case::of_ptx(source.text()), source, ptx: None })
}

fn job(path: &Path) -> Result<Input, Stopped> {
    let file = read_job(path).map_err(|e| Stopped::failed(&e.message, e.help))?;
    let (Some(job), true) = (&file.job, file.problems.is_empty()) else {
        return Err(Stopped::problems(&file.source, &file.problems));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let (name, ptx) = read_ptx(job, folder).map_err(|p| Stopped::problems(&file.source, &[p]))?;
    // The job was parsed before, so that this cannot fail.
    let case = Case::of_job(read_job_table(file.source.text()).unwrap_or_default(), &ptx, folder);
    let case = case.map_err(|message| Stopped::failed(&message, None))?;
    Ok(Input { source: file.source, case, ptx: Some(name.into()) })
}

impl Stopped {
    /// A failure with a message.
    pub(super) fn failed(message: &str, help: Option<&str>) -> Self {
        let help = help.map_or_else(String::new, |help| format!("  = help: {help}\n"));
        Self::Failed(format!("error: {}\n{help}", texunit_report::visible(message)))
    }

    /// A failure with the problems of a job.
    pub(super) fn problems(source: &SourceFile, problems: &[texunit_job::Problem]) -> Self {
        let color = color::wanted(Stream::Stderr);
        let list: Vec<_> = problems.iter().map(texunit_job::InText::diagnostic).collect();
        Self::Failed(texunit_report::human(source, &list, color))
    }
}
