//! The terminal's output at a stop.

use crate::dwarf::{Shape, TypeId};
use crate::focus::{coordinates, shown};
use crate::module::{Frame, base_name};
use crate::session::breaks::BreakpointKind;
use crate::session::run::Reason;
use crate::session::{Live, Thread};
use crate::value::print::{Format, inner, shown as printed};
use crate::value::{Value, small_float};
use std::fmt::Write;
use std::sync::Arc;
use texunit_simt::FaultKind;

impl Live<'_, '_> {
    /// Reports why and where the launch stopped, and shows displays.
    pub(crate) fn arrive(&mut self, reason: Reason) {
        if self.session.settings.is_dap() {
            return self.tell_stop(&reason);
        }
        if let Some(note) = self.history.note.take() {
            self.say(&format!("[{note}]\n"));
        }
        let mut text = String::new();
        let (mut with_frame, mut commands) = (true, Vec::new());
        match &reason {
            Reason::Begin | Reason::Moved | Reason::Finish => {}
            Reason::Breakpoint(numbers) => {
                let number = numbers.first().copied().unwrap_or(0);
                let found = self.session.settings.breakpoint(number);
                commands = found.map_or_else(Vec::new, |b| b.commands.clone());
                text = match found.map(|b| &b.what) {
                    Some(BreakpointKind::Finding(what)) => format!("\nFinding {number}, {what}\n"),
                    Some(_) => format!("\nBreakpoint {number}, "),
                    None => format!("\nTemporary breakpoint {number}, "),
                };
            }
            Reason::Watch(number, old, new) => {
                let found = self.session.settings.breakpoint(*number);
                let watched =
                    found.and_then(|b| Some((b.text.clone(), b.kind(), b.watched.as_ref()?.ty)));
                if let Some((expr, kind, ty)) = watched {
                    let (old, new) = (self.bytes_text(ty, old), self.bytes_text(ty, new));
                    let name = match kind {
                        "hw watchpoint" => "Hardware watchpoint",
                        "read watchpoint" => "Hardware read watchpoint",
                        _ => "Hardware access (read/write) watchpoint",
                    };
                    let values = match old == new {
                        true => format!("Value = {new}"),
                        false => format!("Old value = {old}\nNew value = {new}"),
                    };
                    text = format!("\n{name} {number}: {expr}\n\n{values}\n");
                }
            }
            Reason::WatchScope(number) => {
                text = format!(
                    "\nWatchpoint {number} deleted because the program has left the block in\nwhich its expression is valid.\n"
                );
            }
            Reason::Catch(number, what) => {
                text = format!("\nCatchpoint {number} ({what})\n");
                with_frame = false;
            }
            Reason::Step => with_frame = self.frame_key() != self.told_frame,
            Reason::ThreadEnd => {
                text = "[The thread has ended; another one is looked at.]\n".to_owned();
            }
            Reason::NoHistory => text = "\nNo more reverse-execution history.\n".to_owned(),
            Reason::Fault(fault) => {
                let (signal, kind) = (signal(&fault.kind), &fault.kind);
                text = format!("\nThread received signal {signal}.\n{kind}\n");
            }
            Reason::Interrupted => {
                text = "\nThread received signal SIGINT, Interrupt.\n".to_owned();
            }
            Reason::Ended => return,
        }
        let is_silent = commands.first().is_some_and(|command| command == "silent");
        // Remaining commands of an earlier stop are discarded.
        self.queued = commands.into_iter().skip(usize::from(is_silent)).collect();
        if is_silent {
            return;
        }
        let focus = self.switched();
        self.say(&focus);
        self.say(&text);
        if self.frames.is_empty() {
            return;
        }
        self.told_frame = self.frame_key();
        let place = self.place_text(with_frame);
        self.say(&place);
        self.show_displays();
    }

    /// Function and depth of the frame; the frame is shown again if they change.
    fn frame_key(&self) -> Option<(String, u32, Thread)> {
        let frame = self.frames.first()?;
        Some((frame.name.clone(), frame.depth, self.thread))
    }

    /// The line about the selected thread, if it has changed since the last stop.
    fn switched(&mut self) -> String {
        if self.told_focus == Some(self.thread) || self.frames.is_empty() {
            return String::new();
        }
        self.told_focus = Some(self.thread);
        format!("[Switching focus to {}]\n", self.focus_text())
    }

    /// The line about the selected thread: `CUDA kernel 0, grid 1, block (0,0,0), thread (1,0,0),
    /// device 0, sm 0, warp 0, lane 1`
    pub(super) fn focus_text(&self) -> String {
        let config = self.machine.config();
        let (cta, warp, lane) = self.thread;
        let block = shown(coordinates(cta, config.grid));
        let thread = shown(coordinates((warp * 32 + lane).into(), config.block));
        let kernel = self.launch;
        format!(
            "CUDA kernel {kernel}, grid {}, block {block}, thread {thread}, device 0, sm 0, warp {warp}, lane {lane}",
            kernel + 1
        )
    }

    /// Formats a value; `whole` includes the type of a pointer.
    pub(crate) fn text_of(&mut self, value: &Value, format: Format, whole: bool) -> String {
        self.with_scene(|scene| {
            let behind = match scene.types.shape(value.ty) {
                Shape::Pointer { is_reference: true, .. } if format == Format::Natural => {
                    scene.pointed(value).ok()
                }
                _ => None,
            };
            let text = |address: u64| scene.text(address);
            if let Some(behind) = behind {
                let reference = printed(scene.types, value, format, &text);
                return format!("{reference}: {}", inner(scene.types, &behind, format, &text));
            }
            match whole {
                true => printed(scene.types, value, format, &text),
                false => inner(scene.types, value, format, &text),
            }
        })
    }

    pub(crate) fn bytes_text(&mut self, ty: TypeId, bytes: &[u8]) -> String {
        self.text_of(&Value::new(ty, bytes.to_vec()), Format::Natural, true)
    }

    /// A function call in a backtrace as text: `work (out=0x7000000000, n=100)`.
    pub(crate) fn call_text(&mut self, index: usize) -> String {
        let Some(frame) = self.frames.get(index).cloned() else { return String::new() };
        let arguments = self.arguments(&frame);
        format!("{} ({arguments})", frame.name)
    }

    fn arguments(&mut self, frame: &Frame) -> String {
        let module = Arc::clone(&self.module);
        let scopes = module.scopes(frame);
        let Some(function) = scopes.first() else { return String::new() };
        let parameters = function.variables.iter().filter(|v| v.is_parameter);
        let shown: Vec<String> = parameters
            .map(|parameter| {
                let text = self.with_scene_of(self.thread, Some(frame), |scene| {
                    let value = scene.read_variable(parameter)?;
                    let shape = scene.types.shape(value.ty);
                    let is_whole = matches!(shape, Shape::Struct { .. } | Shape::Array { .. });
                    if is_whole && small_float(scene.types, value.ty).is_none() {
                        return Ok("...".to_owned());
                    }
                    let text = |address: u64| scene.text(address);
                    Ok(inner(scene.types, &value, Format::Natural, &text))
                });
                let text =
                    text.unwrap_or_else(|error: String| match error.contains("optimized out") {
                        true => "<optimized out>".to_owned(),
                        false => format!("<error: {error}>"),
                    });
                format!("{}={text}", parameter.name)
            })
            .collect();
        shown.join(", ")
    }

    /// The selected frame as text, if `with_frame`, and its source line.
    pub(super) fn place_text(&mut self, with_frame: bool) -> String {
        let Some(frame) = self.frames.get(self.selected).cloned() else { return String::new() };
        let mut out = String::new();
        if with_frame {
            let call = self.call_text(self.selected);
            let middle = self.is_in_the_middle(&frame);
            let _ = writeln!(out, "{middle}{call} at {}", frame.place);
        }
        out + &self.line_text(&frame)
    }

    /// The address of a frame's instruction, if it is in the middle of a source line; else an empty
    /// text.
    pub(super) fn is_in_the_middle(&self, frame: &Frame) -> String {
        let begins = self.module.instruction(frame.at).is_none_or(|i| i.begins);
        match begins && frame.depth + 1 == self.frames.len() as u32 {
            true => String::new(),
            false => format!("0x{:x} in ", frame.at),
        }
    }

    /// The frame's source line, such as `40\tfloat x = 1;`, and the instruction if the frame is in
    /// the middle of the line.
    pub(super) fn line_text(&self, frame: &Frame) -> String {
        let line = self.module.line(&frame.place, &self.session.settings.folders);
        let number = frame.place.line;
        let mut out = match line {
            Some(text) => format!("{number}\t{text}\n"),
            None => format!("{number}\tin {}\n", base_name(&frame.place.file)),
        };
        if self.module.instruction(frame.at).is_some_and(|i| !i.begins) && self.selected == 0 {
            let _ = writeln!(out, "=> 0x{:x}:\t{}", frame.at, self.module.ptx(frame.at));
        }
        out
    }
}

/// The name of a fault in NVIDIA's debugger.
fn signal(kind: &FaultKind) -> String {
    use FaultKind as K;
    let (number, name) = match kind {
        K::Trap { .. } => (7, "Device Illegal Instruction"),
        K::Deadlock { .. } => return "CUDA_EXCEPTION, Deadlock".to_owned(),
        K::StepLimit { .. } => return "CUDA_EXCEPTION, Step Limit".to_owned(),
        K::StackOverflow { .. } => (2, "Lane User Stack Overflow"),
        kind if kind.to_string().contains("align") => (6, "Warp Misaligned Address"),
        kind if kind.to_string().contains("assert") => (12, "Warp Assert"),
        _ => (14, "Warp Illegal Address"),
    };
    format!("CUDA_EXCEPTION_{number}, {name}")
}
