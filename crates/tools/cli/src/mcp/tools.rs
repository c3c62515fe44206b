//! The tools: their arguments, and the texunit command of each.

use super::answers::Answer;
use super::capabilities;
use super::process::{self, ProcessResult, Scope};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::LazyLock;
use texunit_files::PrivateFolder;
use texunit_forms::Count;
use texunit_profile::Profile;

/// Maximum number of lines of a kernel's profile.
const LINES: usize = 40;

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Text,
    Texts,
    Whole,
    Wholes,
}

/// An argument of a tool.
#[derive(Debug, Deserialize)]
struct Argument {
    name: String,
    kind: Kind,
    #[serde(default)]
    is_needed: bool,
    meaning: String,
}

/// A tool.
#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) description: String,
    /// Whether it changes no files.
    #[serde(default)]
    pub(super) only_reads: bool,
    arguments: Vec<Argument>,
}

/// The file of the tools.
#[derive(Deserialize)]
struct Table {
    tool: Vec<Entry>,
}

#[allow(clippy::expect_used)] // a part of the program
pub(super) static TOOLS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    toml::from_str::<Table>(include_str!("tools.toml")).expect("a table of tools").tool
});

/// Calls a tool whose arguments have been checked.
pub(super) fn call(scope: &Scope, name: &str, arguments: &Value) -> Result<Answer, String> {
    match name {
        "check" => check(scope, arguments),
        "run" => run(scope, arguments),
        "launch" => launch(scope, arguments),
        "explain" => explain(scope, arguments),
        "debug" => debug(scope, arguments),
        "profile" => profile(scope, arguments),
        "explain_code" => explain_code(scope, arguments),
        "capabilities" => capabilities::call(scope, arguments),
        _ => Err(format!("there is no tool `{name}`")),
    }
}

/// The JSON schema of a tool's arguments.
pub(super) fn schema(tool: &Entry) -> Value {
    let kind = |kind: Kind| match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Whole => json!({ "type": "integer", "minimum": 0 }),
        Kind::Wholes => json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } }),
    };
    let mut properties = Map::new();
    for argument in &tool.arguments {
        let mut property = kind(argument.kind);
        property["description"] = json!(argument.meaning);
        properties.insert(argument.name.clone(), property);
    }
    let required: Vec<&str> =
        tool.arguments.iter().filter(|a| a.is_needed).map(|a| a.name.as_str()).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Checks the arguments of a tool; returns the error.
pub(super) fn misused(tool: &Entry, arguments: &Value) -> Result<(), String> {
    let members = arguments.as_object().cloned().unwrap_or_default();
    for argument in tool.arguments.iter().filter(|argument| argument.is_needed) {
        if !members.contains_key(&argument.name) {
            return Err(format!("`{}` needs `{}`: {}", tool.name, argument.name, argument.meaning));
        }
    }
    for (name, value) in &members {
        let argument =
            tool.arguments.iter().find(|argument| argument.name == *name).ok_or_else(|| {
                let names: Vec<&str> =
                    tool.arguments.iter().map(|argument| &*argument.name).collect();
                format!("`{}` has no `{name}`; available: {}", tool.name, names.join(", "))
            })?;
        let all =
            |is: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(is));
        let (fits, what) = match argument.kind {
            Kind::Text => (value.is_string(), "a string"),
            Kind::Texts => (all(Value::is_string), "an array of strings"),
            Kind::Whole => (value.is_u64(), "a whole number"),
            Kind::Wholes => (all(Value::is_u64), "an array of whole numbers"),
        };
        if !fits {
            return Err(format!("`{name}` is {what}: {}", argument.meaning));
        }
    }
    Ok(())
}

fn text<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments[name].as_str()
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

/// An existing file, as a command argument.
fn file(scope: &Scope, arguments: &Value, name: &str) -> Result<String, String> {
    let path = scope.allowed.existing(text(arguments, name).unwrap_or_default())?;
    Ok(path.to_string_lossy().into_owned())
}

/// The requested checks, as command arguments.
fn checks(arguments: &Value) -> Result<Vec<String>, String> {
    let Some(list) = text(arguments, "checks") else { return Ok(Vec::new()) };
    if !list.chars().all(|c| c.is_ascii_lowercase() || c == ',') {
        return Err(format!("`checks` is a list such as `race,init`: {list}"));
    }
    Ok(words(&["--check", list]))
}

fn texunit(scope: &Scope, words: &[String]) -> Result<ProcessResult, String> {
    let ended = process::texunit(words, scope);
    let ended = ended.map_err(|error| format!("texunit cannot be started: {error}"))?;
    if ended.timed_out {
        return Err(format!(
            "ended after {} (--timeout): the kernel may be in an infinite loop",
            Count(scope.time.as_secs(), "second")
        ));
    }
    Ok(ended)
}

/// The JSON that a command has printed, or its error output.
fn json_of(ended: &ProcessResult) -> Result<Value, String> {
    serde_json::from_str(&ended.stdout).map_err(|_| {
        let said = if ended.stderr.trim().is_empty() { &ended.stdout } else { &ended.stderr };
        let code = ended.code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
        format!("{code}: {}", said.trim())
    })
}

fn check(scope: &Scope, arguments: &Value) -> Result<Answer, String> {
    let mut all = words(&["check", "--format", "json"]);
    if let Some(target) = text(arguments, "target") {
        all.extend(words(&["--target", target]));
    }
    all.push(file(scope, arguments, "path")?);
    let ended = texunit(scope, &all)?;
    if ended.code == Some(2) {
        return Err(ended.stderr.trim().to_owned());
    }
    let mut lines: Vec<Value> =
        ended.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let totals = lines.pop().unwrap_or(Value::Null);
    let head = json!({ "ok": ended.code == Some(0), "errors": totals["errors"], "warnings": totals["warnings"] });
    Ok(Answer::new(head).with("diagnostics", lines))
}

/// A shortened fault or finding.
fn finding(value: &Value) -> Value {
    let place = match value["place"]["frames"].as_array().and_then(|frames| frames.first()) {
        Some(frame) => {
            json!({ "file": frame["file"], "line": frame["line"], "text": frame["text"] })
        }
        None => json!({ "file": value["file"], "line": value["line"], "text": value["text"] }),
    };
    let thread = &value["thread"];
    let cta = if value["cta"].is_null() { &value["block"] } else { &value["cta"] };
    json!({
        "kind": value["kind"], "severity": value["severity"], "message": value["message"], "help": value["help"],
        "notes": value["notes"], "times": value["count"], "kernel": value["function"], "cta": cta, "thread": thread,
        "at": place, "related": value["related"],
    })
}

fn array<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

fn run(scope: &Scope, arguments: &Value) -> Result<Answer, String> {
    let report = Scratch::new("report.json")?;
    let seconds = scope.time.as_secs().to_string();
    let mut all = words(&["run", "--report", &report.path(), "--timeout", &seconds]);
    all.extend(checks(arguments)?);
    all.extend(program(scope, arguments)?);
    let ended = texunit(scope, &all)?;
    let run = report.json();
    let faults = array(&run, "faults").map(finding);
    let findings: Vec<Value> = faults.chain(array(&run, "findings").map(finding)).collect();
    let kernels = array(&run, "kernels").map(|kernel| {
        json!({ "kernel": kernel["function"], "launches": kernel["launches"], "thread_instructions": kernel["thread_instructions"] })
    });
    let refused = array(&run, "api_errors")
        .map(|call| json!({ "function": call["function"], "code": call["code"], "reason": call["reason"] }));
    let head = json!({
        "ok": ended.code == Some(0) && findings.is_empty(),
        "exit_code": ended.code,
        "timed_out_after_seconds": run["run"]["timed_out_after_seconds"],
        "not_executed": run["run"]["not_executed"],
        "stdout": ended.stdout, "stderr": ended.stderr,
        "kernels": kernels.take(20).collect::<Vec<_>>(),
        "refused_calls": refused.take(20).collect::<Vec<_>>(),
    });
    Ok(Answer::new(head).with("findings", findings))
}

/// A program with its arguments.
fn program(scope: &Scope, arguments: &Value) -> Result<Vec<String>, String> {
    let mut all = words(&["--"]);
    all.push(file(scope, arguments, "program")?);
    all.extend(array(arguments, "arguments").filter_map(Value::as_str).map(str::to_owned));
    Ok(all)
}

/// The job of a launch, and its output folder.
fn job(scope: &Scope, arguments: &Value) -> Result<(String, String), String> {
    let job = file(scope, arguments, "job")?;
    let out = match text(arguments, "out") {
        Some(out) => scope.allowed.new_file(out)?,
        None => Path::new(&job).parent().unwrap_or(Path::new("/")).join("texunit-out"),
    };
    contained(scope, &job)?;
    let out = scope.allowed.new_file(&out.to_string_lossy())?;
    Ok((job, out.to_string_lossy().into_owned()))
}

/// Rejects a job that names files outside of the allowed folders.
fn contained(scope: &Scope, job: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(job).map_err(|error| format!("{job}: {error}"))?;
    let table: toml::Table = text.parse().map_err(|error| format!("{job}: {error}"))?;
    let folder = Path::new(job).parent().unwrap_or(Path::new("/"));
    let mut files = Vec::new();
    names(&toml::Value::Table(table), "", &mut files);
    for file in files {
        let path = folder.join(&file);
        if path.symlink_metadata().is_ok() {
            scope.allowed.existing(&path.to_string_lossy())?;
        } else if path.components().any(|part| part == std::path::Component::ParentDir)
            || Path::new(&file).is_absolute()
        {
            return Err(format!("the job names `{file}`, which does not exist"));
        }
    }
    Ok(())
}

/// Collects the files that a job names.
fn names(value: &toml::Value, key: &str, files: &mut Vec<String>) {
    match value {
        toml::Value::String(text) if matches!(key, "file" | "files" | "ptx") => {
            files.push(text.clone())
        }
        toml::Value::Array(items) => items.iter().for_each(|item| names(item, key, files)),
        toml::Value::Table(table) => table.iter().for_each(|(key, item)| names(item, key, files)),
        _ => {}
    }
}

fn launch(scope: &Scope, arguments: &Value) -> Result<Answer, String> {
    let (job, out) = job(scope, arguments)?;
    let mut all = words(&["launch", &job, "--format", "json", "--out", &out]);
    all.extend(checks(arguments)?);
    let report = json_of(&texunit(scope, &all)?)?;
    let fault = Some(&report["fault"]).filter(|fault| !fault.is_null()).map(finding);
    let errors = array(&report, "errors").cloned();
    let findings =
        fault.into_iter().chain(array(&report, "findings").map(finding)).chain(errors).collect();
    let head = json!({
        "ok": report["succeeded"], "kernel": report["kernel"], "grid": report["grid"], "block": report["block"],
        "printed": report["printf"], "warnings": report["warnings"], "expectations_checked": report["checked"],
        "thread_instructions": report["instructions"]["thread"], "fetches": report["fetches"],
        "outputs": report["outputs"], "out": out,
    });
    Ok(Answer::new(head).with("findings", findings))
}

fn explain(scope: &Scope, arguments: &Value) -> Result<Answer, String> {
    let numbers: Vec<String> = array(arguments, "thread").map(ToString::to_string).collect();
    if numbers.is_empty() || numbers.len() > 3 {
        return Err("`thread` is x, y and z: [3, 4, 0]".to_owned());
    }
    let thread =
        numbers.iter().map(String::as_str).chain(["0", "0"]).take(3).collect::<Vec<_>>().join(",");
    let (job, _) = job(scope, arguments)?;
    let scratch = Scratch::new("out")?;
    let out = scratch.path();
    let all = words(&["launch", &job, "--format", "json", "--out", &out, "--explain", &thread]);
    let report = json_of(&texunit(scope, &all)?)?;
    let accesses: Vec<Value> = array(&report["explained"], "accesses").cloned().collect();
    let fault = Some(&report["fault"]).filter(|fault| !fault.is_null()).map(finding);
    Ok(Answer::new(json!({ "thread": thread, "fault": fault, "errors": report["errors"] }))
        .with("accesses", accesses))
}

fn profile(scope: &Scope, arguments: &Value) -> Result<Answer, String> {
    let scratch = Scratch::new("profile.json")?;
    let ended = match (text(arguments, "job"), text(arguments, "program")) {
        (Some(_), None) => {
            let (job, _) = job(scope, arguments)?;
            let out = Scratch::new("out")?;
            let (out, profile) = (out.path(), scratch.path());
            let all = words(&["launch", &job, "--quiet", "--out", &out, "--profile", &profile]);
            texunit(scope, &all)?
        }
        (None, Some(_)) => {
            let seconds = scope.time.as_secs().to_string();
            let mut all = words(&["run", "--timeout", &seconds, "--profile", &scratch.path()]);
            all.extend(program(scope, arguments)?);
            texunit(scope, &all)?
        }
        _ => return Err("`profile` needs either `job` or `program`".to_owned()),
    };
    let counted = Profile::read(Path::new(&scratch.path()));
    let profile = counted.map_err(|_| format!("nothing was counted: {}", ended.stderr.trim()))?;
    let mut items = Vec::new();
    for ((name, _), kernel) in &profile.kernels {
        items.push(json!({
            "kernel": texunit_report::place::function_name(name), "launches": kernel.launches, "totals": kernel.totals(),
        }));
        items.extend(kernel.all_lines().into_iter().take(LINES).map(|line| json!(line)));
    }
    Ok(Answer::new(json!({ "exit_code": ended.code })).with("counts", items))
}

/// Whether a debugger command (possibly abbreviated) reads files: `source`, `directory`.
fn reads_files(command: &str) -> bool {
    let word = command.split_whitespace().next().unwrap_or_default();
    let is = |name: &str, least: usize| word.len() >= least && name.starts_with(word);
    is("source", 2) || is("directory", 3)
}

fn debug(scope: &Scope, arguments: &Value) -> Result<Answer, String> {
    let mut all = words(&["debug", "--batch"]);
    if let Some(kernel) = text(arguments, "kernel") {
        all.extend(words(&["--kernel", kernel]));
    }
    for command in array(arguments, "commands").filter_map(Value::as_str) {
        if reads_files(command) || command.contains('\n') {
            return Err(format!("`{command}` is not allowed here: give commands one by one"));
        }
        all.extend(words(&["-ex", command]));
    }
    let scratch = Scratch::new("out")?;
    match (text(arguments, "job"), text(arguments, "program")) {
        (Some(_), None) => {
            let (job, _) = job(scope, arguments)?;
            all.extend(words(&["--out", &scratch.path(), &job]));
        }
        (None, Some(_)) => all.extend(program(scope, arguments)?.into_iter().skip(1)),
        _ => return Err("`debug` needs either `job` or `program`".to_owned()),
    }
    let ended = texunit(scope, &all)?;
    Ok(Answer::new(json!({ "exit_code": ended.code, "errors": ended.stderr }))
        .with("output", ended.stdout.lines().map(Value::from).collect()))
}

fn explain_code(scope: &Scope, arguments: &Value) -> Result<Answer, String> {
    let code = text(arguments, "code").unwrap_or_default();
    if code.is_empty() || code.starts_with('-') {
        return Err("`code` is a code such as E0110, out-of-bounds or 1.8".to_owned());
    }
    let ended = texunit(scope, &words(&["explain-code", "--format", "json", code]))?;
    let codes = ended.stdout.lines().filter_map(|line| serde_json::from_str(line).ok());
    let codes: Vec<Value> = codes.collect();
    match codes.first().and_then(|code| text(code, "error")) {
        Some(why) => Err(why.to_owned()),
        None => Ok(Answer::new(json!({})).with("codes", codes)),
    }
}

/// A file in a temporary folder, which is removed with the value.
struct Scratch {
    folder: PrivateFolder,
    name: &'static str,
}

impl Scratch {
    fn new(name: &'static str) -> Result<Self, String> {
        let folder = PrivateFolder::new(&std::env::temp_dir(), "texunit-mcp-")
            .map_err(|error| error.to_string())?;
        Ok(Self { folder, name })
    }

    fn path(&self) -> String {
        self.folder.path().join(self.name).to_string_lossy().into_owned()
    }

    fn json(&self) -> Value {
        let text = std::fs::read_to_string(self.path()).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }
}
