//! The `launch` request of an editor, and the command that it runs.

use super::super::{kernel, words};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use texunit_debug::remote::VARIABLE;
use texunit_debug::{Editor, Settings};

/// The launch settings of an editor.
#[derive(Default)]
pub(super) struct LaunchSettings {
    pub(super) target: Vec<String>,
    pub(super) folder: Option<PathBuf>,
    pub(super) environment: Vec<(String, String)>,
    pub(super) settings: Settings,
    schedule: Option<u64>,
    check: Option<String>,
    device: Option<String>,
    out: Option<String>,
    pub(super) process: u64,
}

/// Parses the arguments of `launch`.
pub(super) fn wanted(arguments: &Value) -> Result<LaunchSettings, String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let program = text("program")
        .or_else(|| text("job"))
        .ok_or("`launch` needs `program`: a CUDA program, or a job (.toml).")?;
    let mut target = vec![program];
    for argument in arguments.get("args").and_then(Value::as_array).into_iter().flatten() {
        target.push(argument.as_str().map_or_else(|| argument.to_string(), str::to_owned));
    }
    let editor = Editor {
        stops_at_entry: arguments.get("stopOnEntry").and_then(Value::as_bool).unwrap_or(false),
        ..Editor::default()
    };
    let mut settings = Settings::of_editor(editor);
    settings.kernel = text("kernel").map(|name| kernel(&name)).transpose()?;
    if let Some(memory) = arguments.get("checkpointMemory") {
        let given = memory.as_u64().or_else(|| crate::args::byte_size(memory.as_str()?).ok());
        settings.checkpoint_memory =
            given.ok_or("`checkpointMemory` is a number of bytes, or a text such as \"512M\".")?;
    }
    let environment = arguments.get("env").and_then(Value::as_object).into_iter().flatten();
    let environment =
        environment.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    Ok(LaunchSettings {
        target,
        folder: text("cwd").map(PathBuf::from),
        environment: environment.collect(),
        settings,
        schedule: arguments.get("schedule").and_then(Value::as_u64),
        check: text("check"),
        device: text("device"),
        out: text("out"),
        process: arguments.get("process").and_then(Value::as_u64).unwrap_or(1),
    })
}

/// The command to run.
pub(super) fn command(wanted: &LaunchSettings, socket: &Path) -> Result<Command, String> {
    let options = [("--check", &wanted.check), ("--device", &wanted.device)];
    let options = words(wanted.schedule, options);
    let program = &wanted.target[0];
    if Path::new(program).extension().is_some_and(|end| end == "toml") {
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
