//! Writes the result of a reduction, with comments about the failure, and the messages.

use super::args::ReduceArgs;
use super::first::{AnyJudge, First};
use super::input::{Input, MARK};
use crate::failure::Stopped;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use texunit_device::BadFetch;
use texunit_forms::Count;
use texunit_reduce::{Case, End, Reduced, statements};

/// The messages.
pub(super) struct Summary {
    input: String,
    out: PathBuf,
    /// The command that repeats the failure.
    repeat: String,
    kind: &'static str,
    what: String,
    /// How the result fails, in a sentence.
    message: Option<String>,
    before: Size,
    after: Size,
    tries: u64,
    seconds: f64,
    end: End,
}

/// The size of a case.
#[derive(Clone, Copy)]
struct Size {
    statements: usize,
    bytes: usize,
    /// Threads of a job's launch.
    threads: Option<u64>,
}

impl Size {
    fn of(case: &Case, statements: usize) -> Self {
        let files: usize = case.used_files().map(|(_, bytes)| bytes.len()).sum();
        let bytes = case.ptx.len() + case.job_text().len() + files;
        let product = |key: &str| match case.job.as_ref()?.get(key)? {
            toml::Value::Array(axes) => axes
                .iter()
                .map(|n| n.as_integer()?.try_into().ok())
                .try_fold(1_u64, |n, axis| Some(n.saturating_mul(axis?))),
            axis => axis.as_integer()?.try_into().ok(),
        };
        let threads = product("grid").zip(product("block")).map(|(g, b)| g.saturating_mul(b));
        Self { statements, bytes, threads }
    }

    fn json(&self) -> Value {
        json!({ "statements": self.statements, "bytes": self.bytes, "threads": self.threads })
    }
}

impl Summary {
    /// Writes the result.
    pub(super) fn write(
        args: &ReduceArgs,
        input: &Input,
        out: &Path,
        first: &mut First<'_>,
        before: usize,
        reduced: Reduced,
        seconds: f64,
    ) -> Result<Self, Stopped> {
        let Reduced { case, tries, end } = reduced;
        let (kind, what) = first.judge.keeps();
        let message = message(&mut first.judge, &case);
        let summary = Self {
            input: args.input.display().to_string(),
            out: out.to_owned(),
            repeat: repeat(args, out, &case, &first.judge),
            kind,
            what,
            message,
            before: Size::of(&input.case, before),
            after: Size::of(&case, statements(&case.ptx)),
            tries,
            seconds,
            end,
        };
        let cannot_write =
            |e: texunit_files::FileError| Stopped::failed(&format!("cannot write {e}"), None);
        match case.job {
            Some(_) => summary.write_job(out, &case).map_err(cannot_write)?,
            None => {
                let commented = format!("{}{}", summary.comment("//"), case.ptx);
                // The failure may depend on line numbers, so that the commented case is tested as
                // well.
                let text = if first.judge.as_judge().fails(&Case::of_ptx(&commented)) {
                    commented
                } else {
                    case.ptx.to_string()
                };
                texunit_files::write_atomically(out, text.as_bytes()).map_err(cannot_write)?;
            }
        }
        Ok(summary)
    }

    fn write_job(&self, out: &Path, case: &Case) -> Result<(), texunit_files::FileError> {
        std::fs::create_dir_all(out).map_err(|e| texunit_files::FileError::new(out, e))?;
        let write =
            |name: &str, bytes: &[u8]| texunit_files::write_atomically(&out.join(name), bytes);
        for (name, bytes) in case.used_files() {
            write(name, bytes)?;
        }
        write("kernel.ptx", case.ptx.as_bytes())?;
        write("job.toml", format!("{}\n{}", self.comment("#"), case.job_text()).as_bytes())
    }

    /// Comments about the result's origin, its failure, and how to repeat it.
    fn comment(&self, mark: &str) -> String {
        let mut text = format!(
            "{mark} {}: {} statements{},{MARK}{} to {}{}.\n",
            self.input,
            self.before.statements,
            threads(self.before),
            env!("CARGO_PKG_VERSION"),
            self.after.statements,
            threads(self.after),
        );
        let _ =
            writeln!(text, "{mark} Fails with: {}", self.message.as_ref().unwrap_or(&self.what));
        let _ = writeln!(text, "{mark} Repeat: {}", self.repeat);
        // A fault's message may contain text of the program.
        text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
    }

    /// The summary for people.
    pub(super) fn text(&self) -> String {
        let end = match self.end {
            End::Smallest => "nothing more can be removed",
            End::Time => "stopped by --time",
            End::Tries => "stopped by --max-tries",
            End::Stopped => "interrupted",
        };
        format!(
            "kept: {}\n{} statements{} became {}{} in {} attempts and {:.1} s; {end}\nwrote {}\nrepeat: {}\n",
            self.what,
            self.before.statements,
            threads(self.before),
            self.after.statements,
            threads(self.after),
            self.tries,
            self.seconds,
            self.out.display(),
            self.repeat,
        )
    }

    /// The summary for programs.
    pub(super) fn json(&self) -> Value {
        json!({
            "succeeded": true,
            "input": self.input,
            "output": self.out.display().to_string(),
            "kept": { "kind": self.kind, "what": self.what },
            "message": self.message,
            "before": self.before.json(),
            "after": self.after.json(),
            "tries": self.tries,
            "seconds": self.seconds,
            "end": self.end.name(),
            "repeat": self.repeat,
        })
    }
}

fn threads(size: Size) -> String {
    size.threads.map_or_else(String::new, |n| format!(" and {}", Count(n, "thread")))
}

/// How the result fails.
fn message(judge: &mut AnyJudge<'_>, case: &Case) -> Option<String> {
    match judge {
        AnyJudge::Check(judge) => {
            let (_, error) = judge.first_error(&case.ptx)?;
            Some(format!("error[{}]: {}", error.code, error.message))
        }
        AnyJudge::Launch(judge) => judge.message(case),
        AnyJudge::Differ(_) | AnyJudge::Command(_) => None,
    }
}

/// Quotes an argument for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./{}:,+%@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The command that repeats the failure.
fn repeat(args: &ReduceArgs, out: &Path, case: &Case, judge: &AnyJudge<'_>) -> String {
    let path = if case.job.is_some() { out.join("job.toml") } else { out.to_owned() };
    let path = path.display().to_string();
    if !args.command.is_empty() {
        let mut words: Vec<_> = args.command.iter().map(|w| w.display().to_string()).collect();
        if !words.iter().any(|word| word.contains("{}")) {
            words.push("{}".to_owned());
        }
        let words = words.iter().map(|word| quoted(&word.replace("{}", &path)));
        return words.collect::<Vec<_>>().join(" ");
    }
    let path = quoted(&path);
    if matches!(judge, AnyJudge::Check(_)) && case.job.is_none() {
        return format!("texunit check {path}");
    }
    let mut words = args.how.words();
    if let AnyJudge::Launch(judge) = judge {
        let faults = args.how.bad_fetch.is_none() && judge.bad_fetch() == Some(BadFetch::Fault);
        words.extend(judge.needs_threads().then(|| "--threads=0".to_owned()));
        words.extend(faults.then(|| "--bad-fetch=fault".to_owned()));
    }
    let options = words.iter().map(|word| format!(" {word}")).collect::<String>();
    let launch = format!("texunit launch {path}{options}");
    match judge {
        AnyJudge::Differ(judge) => {
            let other = &judge.configurations()[1].0;
            let (variables, options): (Vec<_>, Vec<_>) =
                other.iter().partition(|word| !word.starts_with('-'));
            let before = variables.iter().map(|v| format!("{v} ")).collect::<String>();
            let behind = options.iter().map(|o| format!(" {o}")).collect::<String>();
            format!("{launch}; {before}texunit launch {path}{behind}")
        }
        _ => launch,
    }
}
