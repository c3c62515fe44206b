//! A judge for the exit code and output of any program that is run on the case.

use super::Workspace;
use super::workspace::{ProcessResult, patience, run};
use crate::Judge;
use crate::case::Case;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A judge that requires the exit code of the first run, and, if a text is given, that text in the
/// output.
#[derive(Debug)]
pub struct CommandJudge<'a> {
    /// Program and arguments. `{}` stands for the path of the case; without `{}`, the path is the
    /// last argument.
    command: Vec<OsString>,
    text: Option<String>,
    /// The file name that the case's module gets.
    name: String,
    code: i32,
    limit: Duration,
    workspace: Workspace,
    stop: &'a AtomicBool,
}

impl<'a> CommandJudge<'a> {
    /// Runs the program on a case, and makes a judge that requires its result; the error says why
    /// the result is not a failure.
    pub fn of(
        case: &Case,
        command: Vec<OsString>,
        text: Option<String>,
        name: String,
        workspace: Workspace,
        stop: &'a AtomicBool,
    ) -> Result<Self, String> {
        let limit = Duration::from_secs(24 * 60 * 60);
        let mut judge = Self { command, text, name, code: 0, limit, workspace, stop };
        let start = Instant::now();
        let program = judge.command.first().map_or_else(String::new, |p| p.display().to_string());
        let ProcessResult { code, output } =
            judge.run(case).map_err(|e| format!("cannot run `{program}`: {e}"))?;
        let code = code.ok_or_else(|| format!("`{program}` did not end"))?;
        match &judge.text {
            Some(text) if !contains(&output, text) => {
                return Err(format!("`{program}` does not write `{text}`"));
            }
            None if code == 0 => {
                return Err(format!(
                    "`{program}` succeeds (exit code 0): there is no failure to keep"
                ));
            }
            _ => {}
        }
        judge.code = code;
        judge.limit = patience(start.elapsed());
        Ok(judge)
    }

    /// Describes the required exit code and output.
    pub fn what(&self) -> String {
        let code = format!("exit code {}", self.code);
        self.text
            .as_ref()
            .map_or_else(|| code.clone(), |text| format!("{code} and the text `{text}`"))
    }

    fn run(&mut self, case: &Case) -> std::io::Result<ProcessResult> {
        let path = self.workspace.place(case, &self.name)?;
        let [program, arguments @ ..] = self.command.as_slice() else {
            return Err(std::io::ErrorKind::NotFound.into());
        };
        let mut command = Command::new(program);
        let arguments: Vec<OsString> = arguments.iter().map(|a| with_path(a, &path)).collect();
        let named = self.command[1..].iter().any(|a| a.to_str().is_some_and(|a| a.contains("{}")));
        command.args(&arguments);
        if !named {
            command.arg(&path);
        }
        run(command, self.workspace.folder(), self.limit, self.stop)
    }
}

fn with_path(argument: &OsStr, path: &Path) -> OsString {
    match argument.to_str().filter(|text| text.contains("{}")) {
        Some(text) => text.replace("{}", &path.display().to_string()).into(),
        None => argument.to_owned(),
    }
}

fn contains(output: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(output).contains(text)
}

impl Judge for CommandJudge<'_> {
    fn fails(&mut self, case: &Case) -> bool {
        let Ok(ran) = self.run(case) else { return false };
        let has_text = self.text.as_ref().is_none_or(|text| contains(&ran.output, text));
        ran.code == Some(self.code) && has_text
    }
}
