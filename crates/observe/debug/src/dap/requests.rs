//! Requests of an editor while a launch is stopped.

use super::config::{argument, condition, parsed};
use crate::focus::{coordinates, shown};
use crate::module::base_name;
use crate::session::breaks::BreakpointKind;
use crate::session::editor::{Node, Onward};
use crate::session::run::{Reason, Run};
use crate::session::{Live, Thread};
use crate::terminal;
use crate::value::print::Format;
use dap::requests::{
    DataBreakpointInfoArguments, EvaluateArguments, SetDataBreakpointsArguments,
    SetExpressionArguments, StackTraceArguments,
};
use dap::types::{DataBreakpointAccessType as Access, EvaluateArgumentsContext};
use serde_json::{Value as Json, json};

/// The index of a thread, frame or node; their numbers in the protocol begin with 1.
fn index(id: Option<i64>) -> Option<u32> {
    u32::try_from(id?.checked_sub(1)?).ok()
}

impl Live<'_, '_> {
    pub(super) fn answer(&mut self, command: &str, arguments: &Json) -> Result<Json, String> {
        if let Some(numbers) = self.session.settings.configure(command, arguments) {
            let numbers = numbers?;
            self.resolve();
            let all: Vec<Json> = numbers.iter().map(|n| self.breakpoint(*n)).collect();
            return Ok(json!({ "breakpoints": all }));
        }
        match command {
            "threads" => Ok(self.threads()),
            "stackTrace" => self.stack(arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.opened(parsed(arguments)?),
            "setVariable" => self.set_variable(parsed(arguments)?),
            "setExpression" => {
                let wanted: SetExpressionArguments = parsed(arguments)?;
                self.at_frame(wanted.frame_id);
                self.assigned(&wanted.expression, &wanted.value)
            }
            "evaluate" => self.evaluates(parsed(arguments)?),
            "dataBreakpointInfo" => self.data_info(parsed(arguments)?),
            "setDataBreakpoints" => self.set_data(parsed(arguments)?),
            "exceptionInfo" => {
                let (id, text) = self.session.dap.fault.clone().unwrap_or_default();
                Ok(json!({ "exceptionId": id, "description": text, "breakMode": "always" }))
            }
            "disassemble" => self.disassembled(&parsed(arguments)?),
            "readMemory" => self.memory(&parsed(arguments)?),
            "source" => Ok(json!({ "content": self.module.text.text(), "mimeType": "text/x-ptx" })),
            "completions" => self.completions(arguments),
            "texunit/fetch" => self.fetch_picture(),
            "continue" => {
                self.pending = Some(Onward::Forth(Run::Continue));
                Ok(json!({ "allThreadsContinued": true }))
            }
            "next" | "stepIn" | "stepOut" | "stepBack" => {
                self.at_thread(argument(arguments, "threadId")?);
                let granularity: Option<String> = argument(arguments, "granularity")?;
                let by_instruction = granularity.is_some_and(|g| g == "instruction");
                self.pending = Some(match (command, by_instruction) {
                    ("next", true) => Onward::Forth(Run::NextInstruction),
                    ("next", false) => Onward::Forth(Run::Next),
                    ("stepIn", true) => Onward::Forth(Run::StepInstruction),
                    ("stepIn", false) => Onward::Forth(Run::Step),
                    ("stepOut", _) => Onward::Forth(Run::Finish),
                    (_, true) => Onward::Back(Run::StepInstruction),
                    _ => Onward::Back(Run::Next),
                });
                Ok(json!({}))
            }
            "reverseContinue" => {
                self.pending = Some(Onward::Back(Run::Continue));
                Ok(json!({ "allThreadsContinued": true }))
            }
            "pause" => Ok(json!({})),
            "terminate" | "disconnect" => {
                let kills = argument(arguments, "terminateDebuggee")?.unwrap_or(true);
                self.session.is_killed = command == "terminate" || kills;
                self.session.is_detached = true;
                self.is_over = true;
                Ok(json!({}))
            }
            _ => Err(format!("`{command}` is not supported.")),
        }
    }

    /// Continues the launch after the response.
    pub(super) fn goes_on(&mut self, onward: Onward) {
        self.session.dap.forget();
        let reason = match onward {
            Onward::Forth(run) if self.frames.is_empty() && run != Run::Continue => return,
            Onward::Forth(Run::Finish) if self.frames.len() == 1 => self.forward(&Run::Continue),
            Onward::Forth(run) => self.forward(&run),
            Onward::Back(back) => match self.backward(&back) {
                Ok(reason) => reason,
                Err(error) => {
                    self.say(&format!("{error}\n"));
                    Reason::Moved
                }
            },
        };
        self.stop(reason);
    }

    /// The protocol's description of a breakpoint.
    pub(super) fn breakpoint(&self, number: u32) -> Json {
        let Some(breakpoint) = self.session.settings.breakpoint(number) else {
            return json!({ "id": number, "verified": false });
        };
        let verified = !breakpoint.at.is_empty() || breakpoint.watched.is_some();
        let mut reply = json!({ "id": number, "verified": verified });
        match &breakpoint.place {
            Some((file, line)) => {
                reply["line"] = json!(line);
                reply["source"] = self.source_of(file);
            }
            None if !verified => reply["message"] = json!("this module has no such place"),
            None => {}
        }
        reply
    }

    pub(super) fn source_of(&self, file: &str) -> Json {
        let is_there = std::path::Path::new(file).is_file();
        let of_ptx = file == self.module.text.name();
        match (is_there, of_ptx) {
            (true, _) => {
                json!({ "name": base_name(file), "path": std::path::absolute(file).unwrap_or_else(|_| file.into()) })
            }
            // Source text that the editor has to request from the adapter.
            (false, true) => {
                json!({ "name": base_name(file), "sourceReference": 1, "origin": "PTX" })
            }
            (false, false) => json!({ "name": base_name(file), "path": file }),
        }
    }

    /// The warps of the selected CTA, as threads of the protocol.
    fn threads(&self) -> Json {
        let (cta, ..) = self.thread;
        let block = shown(coordinates(cta, self.machine.config().grid));
        let mut all = Vec::new();
        for warp in 0..self.machine.warps() {
            let live = self.machine.live(cta, warp);
            if live == 0 {
                continue;
            }
            let standing = self.standing_text(warp);
            let mut texts = standing.iter().map(|(lanes, text)| (lanes.count_ones(), text));
            let (active, place) = texts.next().map_or((0, String::new()), |(n, t)| (n, t.clone()));
            let rest: Vec<String> = texts.map(|(n, text)| format!("{n} at {text}")).collect();
            let mut name = format!("block {block} warp {warp}: active {active}");
            name += &format!(" of {}, at {place}", live.count_ones());
            if !rest.is_empty() {
                name += &format!("; rest: {}", rest.join(", "));
            }
            all.push(json!({ "id": warp + 1, "name": name }));
        }
        if all.is_empty() {
            all.push(json!({ "id": 1, "name": "kernel" }));
        }
        json!({ "threads": all })
    }

    /// Selects a warp: the lane that is selected already if it belongs to the warp, otherwise its
    /// first active lane.
    pub(super) fn at_thread(&mut self, id: Option<i64>) {
        if let Some(thread) = index(id).and_then(|warp| self.thread_in(warp))
            && thread != self.thread
        {
            self.focus(thread);
        }
    }

    fn thread_in(&self, warp: u32) -> Option<Thread> {
        let (cta, own, _) = self.thread;
        if warp == own {
            return Some(self.thread);
        }
        let standing = self.machine.lane_positions(cta, warp);
        Some((cta, warp, standing.first()?.lanes.trailing_zeros().min(31)))
    }

    fn stack(&mut self, arguments: &Json) -> Result<Json, String> {
        let wanted: StackTraceArguments = parsed(arguments)?;
        let warp = u32::try_from(wanted.thread_id - 1).unwrap_or(0);
        let thread = self.thread_in(warp).unwrap_or((self.thread.0, warp, 0));
        let frames = self.module.frames(self.machine, thread);
        let total = frames.len();
        let from = usize::try_from(wanted.start_frame.unwrap_or(0)).unwrap_or(0);
        let count = usize::try_from(wanted.levels.unwrap_or(0)).unwrap_or(0);
        let count = if count == 0 { total } else { count };
        let mut all = Vec::new();
        for (index, frame) in frames.iter().enumerate().skip(from).take(count) {
            self.session.dap.frames.push((thread, index));
            let id = self.session.dap.frames.len();
            all.push(json!({
                "id": id,
                "name": frame.name,
                "source": self.source_of(&frame.place.file),
                "line": frame.place.line,
                "column": 1,
                "instructionPointerReference": format!("0x{:x}", frame.at),
            }));
        }
        Ok(json!({ "stackFrames": all, "totalFrames": total }))
    }

    /// Selects a frame that was sent to the editor.
    pub(super) fn at_frame(&mut self, id: Option<i64>) {
        let frames = &self.session.dap.frames;
        if let Some(&(thread, frame)) = index(id).and_then(|i| frames.get(i as usize)) {
            self.look(thread, frame);
        }
    }

    pub(super) fn look(&mut self, thread: Thread, frame: usize) {
        if self.thread != thread {
            self.focus(thread);
        }
        self.selected = frame.min(self.frames.len().saturating_sub(1));
    }

    fn scopes(&mut self, arguments: &Json) -> Result<Json, String> {
        self.at_frame(argument(arguments, "frameId")?);
        let (thread, frame) = (self.thread, self.selected);
        let mut all = Vec::new();
        let mut scope = |live: &mut Self, name: &str, hint: Option<&str>, node: Node| {
            let reference = live.session.dap.node(node);
            let mut reply =
                json!({ "name": name, "variablesReference": reference, "expensive": false });
            if let Some(hint) = hint {
                reply["presentationHint"] = json!(hint);
            }
            all.push(reply);
        };
        scope(self, "Locals", Some("locals"), Node::Locals(thread, frame));
        scope(self, "Arguments", Some("arguments"), Node::Arguments(thread, frame));
        if !self.module.info.globals.is_empty() {
            scope(self, "Globals", None, Node::Globals(thread, frame));
        }
        if self.is_at_fetch() {
            scope(self, "Fetch", None, Node::Fetch(thread));
        }
        scope(self, "Launch", None, Node::Launch(thread));
        if !self.machine.config().descriptors.textures.is_empty()
            || !self.machine.config().descriptors.surfaces.is_empty()
        {
            scope(self, "Textures", None, Node::Textures);
        }
        scope(self, "PTX registers", Some("registers"), Node::Registers(thread, frame));
        Ok(json!({ "scopes": all }))
    }

    fn evaluates(&mut self, wanted: EvaluateArguments) -> Result<Json, String> {
        self.at_frame(wanted.frame_id);
        let is_repl = matches!(wanted.context, Some(EvaluateArgumentsContext::Repl));
        let text = wanted.expression.trim().to_owned();
        if is_repl && self.session.settings.reads_commands.is_some() {
            return Ok(self.terminal(&text));
        }
        if is_repl
            && let Err(error) = self.parsed(&text).and_then(|_| self.evaluate(&text).map(|_| ()))
        {
            let (word, ..) = terminal::split(&text);
            if terminal::command_of(word).is_err() {
                return Err(error);
            }
            return Ok(self.terminal(&text));
        }
        let value = self.evaluate(&text)?;
        let shown = self.text_of(&value, Format::Natural, true);
        let ty = self.types.get(value.ty).name.clone();
        let node = Node::Value(self.thread, self.selected, Box::new(value), text);
        let reference = self.reference(node);
        Ok(json!({ "result": shown, "type": ty, "variablesReference": reference }))
    }

    /// Executes a terminal command from the editor's debug console.
    fn terminal(&mut self, line: &str) -> Json {
        let before = (self.thread, self.machine.position());
        self.session.dap.captured = Some(String::new());
        self.command(line);
        let text = self.session.dap.captured.take().unwrap_or_default();
        if before != (self.thread, self.machine.position()) && !self.is_over {
            self.session.dap.forget();
            self.tell_stop(&Reason::Moved);
        }
        json!({ "result": text.trim_end(), "variablesReference": 0 })
    }

    fn data_info(&mut self, wanted: DataBreakpointInfoArguments) -> Result<Json, String> {
        let expr = match wanted.variables_reference {
            Some(reference) if reference > 0 => self.child_expression(reference, &wanted.name)?,
            _ => {
                self.at_frame(wanted.frame_id);
                wanted.name.clone()
            }
        };
        match self.watched_of(&expr) {
            Ok(_) => Ok(json!({
                "dataId": expr,
                "description": expr,
                "accessTypes": ["read", "write", "readWrite"],
                "canPersist": false,
            })),
            Err(error) => Ok(json!({ "dataId": null, "description": error })),
        }
    }

    fn set_data(&mut self, wanted: SetDataBreakpointsArguments) -> Result<Json, String> {
        self.session.settings.breakpoints.retain(|b| b.group != "data");
        let mut all = Vec::new();
        for wanted in wanted.breakpoints {
            let (reads, writes) = match wanted.access_type {
                Some(Access::Read) => (true, false),
                Some(Access::ReadWrite) => (true, true),
                _ => (false, true),
            };
            let watched = self.watched_of(&wanted.data_id);
            let breakpoint =
                self.session.settings.add(BreakpointKind::Watch { reads, writes }, &wanted.data_id);
            breakpoint.group = "data".to_owned();
            breakpoint.condition = condition(wanted.condition);
            breakpoint.watched = watched.ok().map(|(watched, _)| watched);
            let number = breakpoint.number;
            all.push(self.breakpoint(number));
        }
        Ok(json!({ "breakpoints": all }))
    }

    fn completions(&self, arguments: &Json) -> Result<Json, String> {
        let text: String = argument(arguments, "text")?.unwrap_or_default();
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '%');
        let from = text.rfind(is_end).map_or(0, |at| at + 1);
        let word = &text[from..];
        let mut names: Vec<String> =
            [true, false].iter().flat_map(|p| self.variables(*p)).map(|v| v.name).collect();
        names.extend(self.module.info.globals.iter().map(|v| v.name.clone()));
        names.extend(["threadIdx", "blockIdx", "blockDim", "gridDim"].map(str::to_owned));
        names.retain(|name| name.starts_with(word) && !word.is_empty());
        names.truncate(100);
        let target = |name| json!({ "label": name, "start": from, "length": word.len() });
        Ok(json!({ "targets": names.iter().map(target).collect::<Vec<_>>() }))
    }
}
