//! Finds the releases of ptxas, in a folder that the user names or among the kits ([`cuda_tools`]),
//! and runs one on a module, with a time limit, and several at the same time. They serve only to
//! check texunit's verdicts.

use crate::cuda_tools;
use crate::files::at;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use texunit_check::Ptxas;

/// Time limit of ptxas for one module.
const LIMIT: Duration = Duration::from_secs(20);

/// An installed release of ptxas, with its path.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) release: Ptxas,
    pub(crate) path: PathBuf,
}

/// The verdict of ptxas on a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// Whether the exit code is 0. A crash or timeout counts as a rejection.
    pub(crate) accepted: bool,
    /// Whether ptxas has ended by itself, and not by a crash or at the time limit.
    pub(crate) finished: bool,
    /// Line numbers of errors, and their messages.
    pub(crate) errors: Vec<(usize, String)>,
    /// The beginning of the message of a rejection.
    pub(crate) first: String,
}

impl Tool {
    /// Asks ptxas about a module, for a target such as `compute_75` (front end only) or `sm_75`.
    /// `slot` is the worker's number, which makes its file names in `folder` unique.
    pub(crate) fn ask(
        &self,
        arch: &str,
        module: &str,
        folder: &Path,
        slot: usize,
    ) -> io::Result<Answer> {
        let file = folder.join(format!("ask-{slot}.ptx"));
        let said = folder.join(format!("ask-{slot}.txt"));
        std::fs::write(&file, module)?;
        let mut child = Command::new(&self.path)
            .arg(format!("-arch={arch}"))
            .arg(&file)
            .args(["-o", "/dev/null"])
            .stdin(Stdio::null())
            .stdout(File::create(folder.join(format!("out-{slot}.txt")))?)
            .stderr(File::create(&said)?)
            .spawn()?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if start.elapsed() > LIMIT {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let text = String::from_utf8_lossy(&std::fs::read(&said)?).into_owned();
        let Some(status) = status else {
            let first = format!("no answer in {} s", LIMIT.as_secs());
            return Ok(Answer { first, ..Answer::default() });
        };
        let errors: Vec<_> = text.lines().filter_map(error_line).collect();
        let mut first = match (errors.first(), status.code()) {
            (Some((_, words)), _) => words.clone(),
            (None, Some(code)) => {
                let fatal = text.lines().find(|l| l.contains("fatal") || l.contains("error"));
                fatal.map_or(format!("exit code {code}"), |l| words_of(l).to_owned())
            }
            (None, None) => "it crashed".to_owned(),
        };
        if status.success() {
            first.clear();
        }
        Ok(Answer { accepted: status.success(), finished: status.code().is_some(), errors, first })
    }
}

/// Parses an error line of ptxas, `ptxas FILE, line 6; error   : words`, into line number and
/// message.
fn error_line(line: &str) -> Option<(usize, String)> {
    let (before, words) = line.split_once(": ")?;
    let (place, kind) = before.rsplit_once(';')?;
    if !matches!(kind.trim(), "error" | "fatal") {
        return None;
    }
    let (_, number) = place.rsplit_once(", line ")?;
    Some((number.trim().parse().ok()?, words.trim().to_owned()))
}

fn words_of(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(_, words)| words.trim())
}

/// The selection of tools.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Choice {
    /// Folder with the tools; without it they are installed with pip into target/nvidia
    #[arg(long = "tools", value_name = "DIR", env = "TEXUNIT_NVIDIA")]
    pub(crate) folder: Option<PathBuf>,
    /// Only this release of ptxas
    #[arg(long = "ptxas", value_name = "X.Y")]
    pub(crate) release: Option<Ptxas>,
}

impl Choice {
    /// The selected releases of ptxas; missing ones are named in warnings.
    pub(crate) fn found(&self) -> Vec<Tool> {
        let selected = |release: &Ptxas| self.release.is_none_or(|only| only == *release);
        let tool = |release: Ptxas| match self.ptxas(release) {
            Ok(path) => Some(Tool { release, path }),
            Err(why) => {
                eprintln!("WARNING: ptxas {release} is not here: {why}");
                None
            }
        };
        Ptxas::ALL.iter().copied().filter(selected).filter_map(tool).collect()
    }

    /// The path of ptxas, which must be that release.
    fn ptxas(&self, release: Ptxas) -> Result<PathBuf, String> {
        let path = cuda_tools::file(self.folder.as_deref(), &format!("ptxas-{release}"), "ptxas")?;
        let output = at(&path, Command::new(&path).arg("--version").output())?;
        match String::from_utf8_lossy(&output.stdout).contains(&format!("release {release},")) {
            true => Ok(path),
            false => Err(format!("{} is not release {release}", path.display())),
        }
    }

    pub(crate) fn nvdisasm(&self) -> Result<PathBuf, String> {
        cuda_tools::file(self.folder.as_deref(), "ptxas-12.4", "nvdisasm")
    }
}

/// Number of threads, and so of processes of NVIDIA's tools that run at the same time.
const WORKERS: usize = 2;

/// Calls `work` for items 0 to `count` in several threads, and returns the results in the order of
/// the items. The second argument of `work` is the number of the thread.
pub(crate) fn each<T: Send>(
    count: usize,
    work: impl Fn(usize, usize) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    let part = &|slot: usize| -> io::Result<Vec<T>> {
        (slot..count).step_by(WORKERS).map(|item| work(item, slot)).collect()
    };
    let parts = std::thread::scope(|scope| {
        let workers: [_; WORKERS] = std::array::from_fn(|slot| scope.spawn(move || part(slot)));
        let ended = workers.into_iter().map(|worker| worker.join());
        let results = ended.map(|it| it.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        results.collect::<io::Result<Vec<_>>>()
    })?;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    Ok((0..count).filter_map(|item| parts[item % WORKERS].next()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_ptxas() {
        let line = "ptxas a: b.ptx, line 6; error   : Arguments mismatch for instruction 'add'";
        assert_eq!(error_line(line), None, "a colon in a path is not read");
        let line = "ptxas a.ptx, line 6; error   : Arguments mismatch for instruction 'add'";
        assert_eq!(error_line(line), Some((6, "Arguments mismatch for instruction 'add'".into())));
        let line = "ptxas a.ptx, line 12; fatal   : Parsing error near ':': syntax error";
        assert_eq!(error_line(line), Some((12, "Parsing error near ':': syntax error".into())));
        assert_eq!(error_line("ptxas a.ptx, line 6; warning : Vector Type"), None);
        assert_eq!(error_line("ptxas fatal   : Ptx assembly aborted due to errors"), None);
    }

    #[test]
    fn a_folder_without_tools_is_said_to_be_so() {
        let nowhere = Choice { folder: Some("/nowhere".into()), release: None };
        assert!(nowhere.found().is_empty());
        let why = nowhere.ptxas(Ptxas::V11_8).unwrap_err();
        assert!(why.starts_with("there is no /nowhere/cu11/"), "{why}");
    }
}
