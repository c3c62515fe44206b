//! The `launch` request of an editor, and the command that it runs.

use super::super::{kernel, words};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use texunit_debug::remote::VARIABLE;
use texunit_debug::{Editor, Settings, argument};

/// The launch settings of an editor.
#[derive(Default)]
pub(super) struct LaunchSettings {
    pub(super) target: Vec<String>,
    pub(super) folder: Option<PathBuf>,
    /// Variables that are set, or removed if they have no value.
    pub(super) environment: BTreeMap<String, Option<String>>,
    pub(super) settings: Settings,
    schedule: Option<u64>,
    check: Option<String>,
    device: Option<String>,
    out: Option<String>,
    pub(super) process: u64,
}

/// Parses the arguments of `launch`.
pub(super) fn wanted(arguments: &Value) -> Result<LaunchSettings, String> {
    let text = |name: &str| argument::<String>(arguments, name);
    let program = match text("program")? {
        Some(program) => program,
        None => {
            text("job")?.ok_or("`launch` needs `program`: a CUDA program, or a job (.toml).")?
        }
    };
    let folder = argument::<PathBuf>(arguments, "cwd")?;
    let path = folder.clone().unwrap_or_default().join(&program);
    if is_job(&program) && !path.is_file() {
        return Err(format!("There is no job `{}`.", path.display()));
    }
    let mut target = vec![program];
    for word in argument::<Vec<Value>>(arguments, "args")?.into_iter().flatten() {
        target.push(word.as_str().map_or_else(|| word.to_string(), str::to_owned));
    }
    let stops_at_entry = argument(arguments, "stopOnEntry")?.unwrap_or(false);
    let mut settings = Settings::of_editor(Editor { stops_at_entry, ..Editor::default() });
    settings.kernel = text("kernel")?.map(|name| kernel(&name)).transpose()?;
    if let Some(memory) = arguments.get("checkpointMemory") {
        let given = memory.as_u64().or_else(|| crate::args::byte_size(memory.as_str()?).ok());
        settings.checkpoint_memory =
            given.ok_or("`checkpointMemory` is a number of bytes, or a text such as \"512M\".")?;
    }
    Ok(LaunchSettings {
        target,
        folder,
        environment: argument(arguments, "env")?.unwrap_or_default(),
        settings,
        schedule: argument(arguments, "schedule")?,
        check: text("check")?,
        device: text("device")?,
        out: text("out")?,
        process: argument(arguments, "process")?.unwrap_or(1),
    })
}

fn is_job(program: &str) -> bool {
    Path::new(program).extension().is_some_and(|end| end == "toml")
}

/// The command to run.
pub(super) fn command(wanted: &LaunchSettings, socket: &Path) -> Result<Command, String> {
    let options = [("--check", &wanted.check), ("--device", &wanted.device)];
    let options = words(wanted.schedule, options);
    let program = &wanted.target[0];
    if is_job(program) {
        let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
        command.arg("debug").args(options).arg("--connect").arg(socket);
        if let Some(out) = &wanted.out {
            command.args(["--out", out]);
        }
        command.arg(program);
        return Ok(command);
    }
    let words = options.into_iter().map(Into::into).chain(["--".into()]);
    let words = words.chain(wanted.target.iter().map(Into::into)).collect();
    let run = crate::program::RunArgs::parse(words).map_err(|error| error.to_string())?;
    let mut command = crate::program::command(&run)?;
    command.env(VARIABLE, socket);
    Ok(command)
}
