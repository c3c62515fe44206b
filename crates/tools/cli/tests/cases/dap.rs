//! Sessions of `texunit dap`: `tests/debug/*.dap` contain requests (`-> next {"threadId":1}`), each
//! followed by the messages up to its response, and, if the launch continues, up to the next stop
//! or the end. `TEXUNIT_BLESS=1` writes the messages.
#![cfg(target_os = "linux")]

use crate::{Trials, golden};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) fn add(trials: &mut Trials) {
    golden::of_files(trials, ("debug", "dap"), 10, run);
}

/// A client.
struct Editor {
    adapter: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    seq: i64,
}

/// Requests after which a launch continues.
const ONWARD: [&str; 7] =
    ["configurationDone", "continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue"];

impl Editor {
    fn start(folder: &Path) -> Result<Self, Failed> {
        let mut adapter = Command::new(env!("CARGO_BIN_EXE_texunit"));
        adapter.arg("dap").current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut adapter = adapter.spawn()?;
        let to = adapter.stdin.take().ok_or("no input")?;
        let from = BufReader::new(adapter.stdout.take().ok_or("no output")?);
        Ok(Self { adapter, to, from, seq: 0 })
    }

    fn message(&mut self) -> Result<Value, Failed> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line)? == 0 {
                return Err("the adapter has ended".into());
            }
            match line.trim_end().split_once(": ") {
                Some((_, value)) => length = value.parse()?,
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes)?)
    }

    /// Sends a request. Returns the messages that follow it.
    fn ask(&mut self, command: &str, arguments: &Value) -> Result<Vec<Value>, Failed> {
        self.seq += 1;
        let request = json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        let text = request.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.to.flush()?;
        let (mut all, mut answered, mut stands) = (Vec::new(), false, !ONWARD.contains(&command));
        while !answered || !stands {
            let message = self.message()?;
            answered |= message["request_seq"] == json!(self.seq);
            let failed =
                message["request_seq"] == json!(self.seq) && message["success"] == json!(false);
            stands |= failed || message["event"] == "stopped" || message["event"] == "terminated";
            all.push(message);
        }
        // A client waits for this event before it continues.
        let accepted = all.iter().any(|m| m["success"] == json!(true));
        if command == "launch" && accepted && all.iter().all(|m| m["event"] != "initialized") {
            all.push(self.message()?);
        }
        Ok(all)
    }
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let folder = path.parent().ok_or("no folder")?.canonicalize()?;
    let out = texunit_testkit::TempDir::new("dap");
    let mut editor = Editor::start(&folder)?;
    let mut printed = String::new();
    for line in text.lines().filter(|line| line.starts_with("-> ")) {
        let (command, arguments) = line[3..].split_once(' ').unwrap_or((&line[3..], "{}"));
        let written = arguments.replace("OUT", &out.path().display().to_string());
        let arguments: Value = serde_json::from_str(&written)?;
        printed += &format!("{line}\n");
        for mut message in editor.ask(command, &arguments)? {
            for field in ["seq", "request_seq", "type"] {
                message.as_object_mut().ok_or("no object")?.remove(field);
            }
            let shown = message.to_string().replace(&folder.display().to_string(), "HERE");
            printed += &format!("<- {}\n", shown.replace(&out.path().display().to_string(), "OUT"));
        }
    }
    editor.adapter.kill()?;
    editor.adapter.wait()?;
    golden::compare(path, &printed)
}
