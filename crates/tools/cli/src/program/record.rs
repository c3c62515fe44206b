//! `texunit run --record` and `--explain`: records launches of a program as jobs.
//!
//! The libraries write the jobs (crate `record`). To explain a thread, its launch is recorded into
//! a temporary folder, and repeated as by `texunit launch --explain` after the program has ended.

use super::say;
use crate::args::LaunchFormat;
use crate::explain::args::ExplainFormat;
use crate::launch_args::{LaunchArgs, thread};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use texunit_files::PrivateFolder;
use texunit_record::{Chosen, Limit};

/// Options of `texunit run` for launches that are repeated.
#[derive(Clone, Debug, Args)]
pub struct RecordArgs {
    /// Write every launch as a job into a folder of its own below this one, which is created: the
    /// PTX, everything on the device, and what the kernel has changed. `texunit launch
    /// DIR/job.toml` repeats it.
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Record only the N-th launch (without N, the first) of this kernel, into the folder itself;
    /// check only kernels of this name. The name is that in the PTX, or that in the source; with
    /// --check, `*` stands for any characters.
    #[arg(long, value_name = "NAME[:N]", value_parser = spelled::<Chosen>)]
    pub kernel: Option<String>,
    /// Maximum number of launches that a process records, and of bytes that they take; K, M and G
    /// stand for 2^10, 2^20 and 2^30.
    #[arg(long, value_name = "LAUNCHES[,BYTES]", default_value = "100,1G", requires = "record",
          value_parser = spelled::<Limit>)]
    pub record_limit: String,
    /// Explain the fetches and surface accesses of one thread in the first launch of a kernel, or
    /// in its N-th, when the program has ended; threads are counted over the whole grid.
    #[arg(long, value_name = "KERNEL[:N]:X,Y,Z", value_parser = explained, conflicts_with = "record")]
    pub explain: Option<Explained>,
    /// How the explanation is printed, on standard error, or written.
    #[arg(long, value_enum, requires = "explain")]
    pub format: Option<LaunchFormat>,
    /// Write the explanation to this file instead; without --format as the ending of its name says:
    /// a page of pictures (.svg), JSON (.json), or text.
    #[arg(long, value_name = "FILE", requires = "explain")]
    pub explain_out: Option<PathBuf>,
}

/// A thread of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// `NAME` or `NAME:N`.
    pub kernel: String,
    /// Number of the thread in the grid along x, y, z.
    pub thread: [u32; 3],
}

fn explained(text: &str) -> Result<Explained, String> {
    const WANTED: &str = "expected a kernel and the number of a thread, such as blur:3,5,0";
    let (kernel, numbers) = text.rsplit_once(':').ok_or(WANTED)?;
    kernel.parse::<Chosen>()?;
    Ok(Explained { kernel: kernel.to_owned(), thread: thread(numbers)? })
}

/// Checks a text that the libraries will parse again.
fn spelled<T: FromStr<Err = &'static str>>(text: &str) -> Result<String, &'static str> {
    text.parse::<T>().map(|_| text.to_owned())
}

/// The thread to explain after the program has ended.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    wanted: &'a Explained,
    format: Option<ExplainFormat>,
    /// The file for the explanation, if it is not printed.
    file: Option<PathBuf>,
    folder: PrivateFolder,
}

impl RecordArgs {
    /// The kernel name in `--kernel`, without a launch number.
    pub(super) fn kernel_name(&self) -> Option<&str> {
        let name = self.kernel.as_deref()?;
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        Some(name.rsplit_once(':').filter(|(_, n)| number(n)).map_or(name, |(name, _)| name))
    }

    /// Removes incomplete recordings of processes that were killed.
    pub(super) fn clean(&self) {
        let Some(folder) = &self.record else { return };
        // A single launch is recorded in the folder itself; its job file is written last.
        let is_whole = self.kernel.is_none() || folder.join("job.toml").exists();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let name = name.to_string_lossy();
            if name.starts_with(".texunit-") && name.ends_with(".part") {
                let _ = std::fs::remove_dir_all(path);
            } else if !is_whole && (name == "kernel.ptx" || name.ends_with(".bin")) {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Passes options to the libraries; returns the work to do after the program has ended.
    pub(super) fn set(&self, command: &mut Command) -> Result<Option<Pending<'_>>, String> {
        // A run inside a recorded run is also recorded, unless its options say otherwise.
        if self.record.is_some() || self.explain.is_some() {
            for name in ["RECORD_KERNEL", "RECORD_LIMIT", "RECORD_QUIET"] {
                command.env_remove(format!("TEXUNIT_{name}"));
            }
        }
        if let Some(folder) = &self.record {
            command.env("TEXUNIT_RECORD", place(folder)?);
            command.env("TEXUNIT_RECORD_LIMIT", &self.record_limit);
            if let Some(kernel) = &self.kernel {
                command.env("TEXUNIT_RECORD_KERNEL", kernel);
            }
        }
        let Some(wanted) = &self.explain else { return Ok(None) };
        let folder = PrivateFolder::new(&std::env::temp_dir(), "texunit-explain-")
            .map_err(|e| e.to_string())?;
        command.env("TEXUNIT_RECORD", folder.path());
        command.env("TEXUNIT_RECORD_KERNEL", &wanted.kernel);
        command.env("TEXUNIT_RECORD_QUIET", "1");
        let format = self.format.map(|format| match format {
            LaunchFormat::Human => ExplainFormat::Text,
            LaunchFormat::Json => ExplainFormat::Json,
            LaunchFormat::Svg => ExplainFormat::Svg,
        });
        Ok(Some(Pending { wanted, format, file: self.explain_out.clone(), folder }))
    }
}

/// The folder of a recording, which must not contain other files.
fn place(folder: &Path) -> Result<PathBuf, String> {
    let name = folder.display();
    let failed = |e: std::io::Error| format!("--record: {name}: {e}");
    match std::fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => return Err(format!("--record: {name} is not empty; name a new folder")),
        Ok(false) => {}
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        Err(e) => return Err(failed(e)),
    }
    // The program may change its current folder.
    std::path::absolute(folder).map_err(failed)
}

impl Pending<'_> {
    /// Explains the thread, on standard error because standard output is the program's.
    pub(super) fn explain(&self) {
        let job = self.folder.path().join("job.toml");
        if !job.exists() {
            let why =
                std::fs::read_to_string(self.folder.path().join("why.txt")).unwrap_or_default();
            let why = why.lines().next().unwrap_or("no process of the program launched a kernel");
            say(format_args!("error: --explain: {why}"));
            return;
        }
        let [x, y, z] = self.wanted.thread;
        let options = ["--quiet", "--explain", &format!("{x},{y},{z}")];
        // A recording has no outputs, so that nothing is written to this folder.
        let args = match LaunchArgs::parse(&job, &self.folder.path().join("out"), &options) {
            Ok(args) => args,
            Err(error) => return say(format_args!("error: --explain: {error}")),
        };
        let report = crate::run::launch(&args);
        let Some(explained) = &report.explained else {
            let (_, errors) = crate::human::render(&report, true, false);
            return say(format_args!("{}", errors.trim_end()));
        };
        let (kernel, source) = (report.kernel.as_deref(), report.located());
        let Some(file) = &self.file else {
            let text = explained.render(self.format.unwrap_or(ExplainFormat::Text), kernel, source);
            return say(format_args!("{}", text.trim_end()));
        };
        match explained.write(file, self.format, kernel, source) {
            Ok(()) => say(format_args!("texunit: wrote {}", file.display())),
            Err(error) => say(format_args!("error: --explain-out: cannot write {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_kernels() {
        let of = |kernel: &str, thread| Ok(Explained { kernel: kernel.to_owned(), thread });
        assert_eq!(explained("blur:3,5,0"), of("blur", [3, 5, 0]));
        assert_eq!(explained("image::blur:2:7"), of("image::blur:2", [7, 0, 0]));
    }

    #[test]
    fn a_record_has_a_folder_of_its_own() {
        let temp = texunit_testkit::TempDir::new("run-record");
        let new = temp.path().join("a/b");
        assert_eq!(place(&new), Ok(new.clone()));
        assert_eq!(place(&new), Ok(new));
        assert!(place(temp.path()).unwrap_err().ends_with("is not empty; name a new folder"));
    }
}
