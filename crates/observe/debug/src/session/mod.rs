//! A session: the user's breakpoints, displays and value history over all launches, and the launch
//! that is stopped.

pub(crate) mod back;
pub(crate) mod breaks;
pub(crate) mod catch;
pub(crate) mod console;
pub(crate) mod editor;
pub(crate) mod run;
pub(crate) mod watch;
pub(crate) mod written;

use crate::dwarf::{Info, Types};
use crate::expr::changes;
use crate::expr::parse::{Expr, parse};
use crate::expr::scene::Scene;
use crate::history::History;
use crate::module::{Frame, Module, short};
use crate::value::Value;
use breaks::{Breakpoint, BreakpointKind};
use console::{Console, Request};
use editor::{Editor, EditorState, Onward};
use run::Run;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use texunit_checks::Log;
use texunit_forms::Count;
use texunit_report::place::function_name;
use texunit_simt::debug::{Machine, Position, StopPoint};

/// A thread: CTA, warp, lane.
pub(crate) type Thread = (u64, u32, u32);

/// Whether a thread is among the lanes of a stop.
fn is_of(stop_point: StopPoint, (cta, warp, lane): Thread) -> bool {
    (stop_point.cta, stop_point.warp) == (cta, warp) && stop_point.lanes >> lane & 1 == 1
}

/// The state of a session that outlives a launch, and is sent to the process of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Settings {
    pub(crate) breakpoints: Vec<Breakpoint>,
    pub(crate) next_breakpoint: u32,
    pub(crate) displays: Vec<Display>,
    /// Debugs only launches of this kernel, and only the launch with this number (from 1) if given.
    pub kernel: Option<(String, Option<u64>)>,
    /// Whether the launch that `kernel` selects has taken place.
    pub is_met: bool,
    /// Maximum memory for the checkpoints of a launch.
    pub checkpoint_memory: u64,
    /// Folders that are searched for source files.
    pub(crate) folders: Vec<String>,
    /// The settings of an editor, if the user is one.
    pub(crate) editor: Option<Editor>,
    /// The breakpoint whose commands are being entered.
    pub(crate) reads_commands: Option<u32>,
    /// Whether launches stop before their first instruction until the command `run`.
    pub waits_for_run: bool,
}

impl Settings {
    /// The settings at the beginning of a session.
    pub fn new() -> Self {
        Self { checkpoint_memory: 1 << 30, next_breakpoint: 1, ..Self::default() }
    }

    /// Says that the kernel that is to be debugged was not launched.
    pub fn missed(&self) -> Option<String> {
        let (name, number) = self.kernel.as_ref().filter(|_| !self.is_met)?;
        Some(match number {
            None => format!("[No kernel `{name}` was launched.]\n"),
            Some(number) => {
                format!("[Kernel `{name}` was not launched {}.]\n", Count(*number, "time"))
            }
        })
    }
}

/// An expression that is shown at every stop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Display {
    pub(crate) number: u32,
    pub(crate) text: String,
    pub(crate) format: String,
}

/// A debugging session, which lasts for all launches of a program.
#[derive(Default)]
pub(crate) struct Session {
    pub(crate) settings: Settings,
    pub(crate) printed: Vec<Value>,
    pub(crate) variables: HashMap<String, Value>,
    modules: HashMap<(String, usize), KnownModule>,
    launches: u64,
    by_kernel: HashMap<String, u64>,
    /// Whether the user has detached.
    pub(crate) is_detached: bool,
    /// Whether the program is to be killed.
    pub(crate) is_killed: bool,
    /// The state of the editor's adapter.
    pub(crate) dap: EditorState,
}

/// A module of an earlier launch, whose types the value history refers to.
struct KnownModule {
    text: String,
    info: Arc<Info>,
    types: Types,
    kernels: HashMap<String, Arc<Module>>,
}

impl KnownModule {
    fn of(text: &str) -> Self {
        let mut info = Info::of(text);
        let types = std::mem::take(&mut info.types);
        Self { text: text.to_owned(), info: Arc::new(info), types, kernels: HashMap::new() }
    }
}

/// A stopped launch in a session.
pub(crate) struct Live<'s, 'm> {
    pub(crate) session: &'s mut Session,
    pub(crate) machine: &'s mut Machine<'m>,
    pub(crate) console: &'s mut dyn Console,
    pub(crate) module: Arc<Module>,
    pub(crate) types: Types,
    pub(crate) history: History,
    pub(crate) thread: Thread,
    pub(crate) frames: Vec<Frame>,
    pub(crate) selected: usize,
    /// Number of the launch in the process, from 0.
    pub(crate) launch: u64,
    /// File, first and last line that the command `list` has shown last.
    pub(crate) listed: Option<(Arc<str>, u32, u32)>,
    /// The last command, which an empty line repeats.
    pub(crate) last: String,
    /// The address at which `x` continues.
    pub(crate) examined: Option<(u64, String)>,
    pub(crate) is_over: bool,
    /// The thread that the last stop has shown.
    pub(crate) told_focus: Option<Thread>,
    pub(crate) told_frame: Option<(String, u32, Thread)>,
    /// The breakpoint that was hit last.
    pub(crate) last_hit: Option<u32>,
    /// Whether the launch had ended before it was continued.
    pub(crate) was_over: bool,
    /// Whether the fault was reported.
    pub(crate) faulted: bool,
    /// Whether `run` stops at the first instruction.
    pub(crate) begins_stopped: bool,
    /// Remaining commands of the breakpoint that was hit last.
    pub(crate) queued: VecDeque<String>,
    /// How an editor wants to continue.
    pub(crate) pending: Option<Onward>,
    /// The instruction that may produce a NaN.
    pub(crate) begun: Option<catch::PendingInstruction>,
    /// Number of CTAs to execute with stops before trying full speed again, and the number that was
    /// chosen last.
    pub(crate) slow: u64,
    pub(crate) patience: u64,
}

impl Session {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Counts a launch of a kernel; returns whether to debug it, and whether to stop at its
    /// beginning.
    pub(crate) fn counts(&mut self, kernel: &str) -> (bool, bool) {
        let count = self.by_kernel.entry(kernel.to_owned()).or_insert(0);
        *count += 1;
        self.launches += 1;
        if self.is_detached {
            return (false, false);
        }
        let Some((name, number)) = &self.settings.kernel else {
            let editor = self.settings.editor.as_mut();
            let at_entry = editor.is_some_and(|editor| std::mem::take(&mut editor.stops_at_entry));
            return (true, at_entry);
        };
        let symbol = function_name(kernel);
        let is_it = [kernel, &symbol, &*short(&symbol)].contains(&&**name);
        let is_chosen = is_it && number.is_none_or(|n| n == *count);
        self.settings.is_met |= is_chosen;
        (is_chosen, is_chosen)
    }

    /// Debugs a launch that has not executed its first instruction.
    pub(crate) fn debugs(
        &mut self,
        machine: &mut Machine<'_>,
        console: &mut dyn Console,
        stops_first: bool,
        findings: Option<&Log>,
    ) {
        let source = machine.program().source();
        let (key, text) = ((source.name().to_owned(), source.text().len()), source.text());
        let known = self.modules.remove(&key).filter(|known| known.text == text);
        let mut known = known.unwrap_or_else(|| {
            self.printed.clear();
            self.variables.clear();
            KnownModule::of(text)
        });
        let module = known.kernels.entry(machine.kernel().to_owned()).or_insert_with(|| {
            // A module has only the lines and functions that its kernel can call.
            Arc::new(Module::of(machine, Arc::clone(&known.info)))
        });
        let (module, types) = (Arc::clone(module), std::mem::take(&mut known.types));
        let history = History::new(machine, self.settings.checkpoint_memory);
        let launch = self.launches - 1;
        let mut live = Live {
            session: self,
            machine,
            console,
            module,
            types,
            history,
            thread: (0, 0, 0),
            frames: Vec::new(),
            selected: 0,
            launch,
            listed: None,
            last: String::new(),
            examined: None,
            is_over: false,
            told_focus: None,
            told_frame: None,
            last_hit: None,
            was_over: false,
            faulted: false,
            begins_stopped: false,
            queued: VecDeque::new(),
            pending: None,
            begun: None,
            slow: 0,
            patience: 0,
        };
        while let Some(request) = live.console.waiting() {
            if let Request::Dap(message) = request {
                live.dap(&message);
            }
        }
        if let Some(log) = findings {
            live.rehearse(log);
        }
        live.resolve();
        if live.session.settings.is_dap() {
            live.tell_breakpoints();
        }
        live.serve(stops_first);
        let all = &mut live.session.settings.breakpoints;
        all.retain(|b| !matches!(b.what, BreakpointKind::Finding(_)));
        known.types = std::mem::take(&mut live.types);
        if self.is_killed {
            machine.kill();
        }
        self.modules.insert(key, known);
        console.keeps(&self.settings);
    }
}

impl Live<'_, '_> {
    /// Runs the launch, and executes commands at each stop.
    fn serve(&mut self, stops_first: bool) {
        self.console.watches(Some(self.machine.interrupt()));
        self.begins_stopped = stops_first;
        if !std::mem::take(&mut self.session.settings.waits_for_run) {
            let run = if stops_first { Run::Begin } else { Run::Continue };
            let reason = self.forward(&run);
            self.stop(reason);
        }
        while !self.is_over {
            if let Some(line) = self.queued.pop_front() {
                self.command(&line);
                continue;
            }
            match self.console.read(self.session.settings.prompt()) {
                Some(Request::Command(line)) => self.command(&line),
                Some(Request::Dap(message)) => self.dap(&message),
                None => {
                    self.session.is_killed = true;
                    break;
                }
            }
        }
        self.console.watches(None);
    }

    /// The selected frame.
    pub(crate) fn frame(&self) -> Option<&Frame> {
        self.frames.get(self.selected)
    }

    /// Selects a thread, whose frames and registers commands then show.
    pub(crate) fn focus(&mut self, thread: Thread) {
        self.thread = thread;
        self.frames = self.module.frames(self.machine, thread);
        self.selected = 0;
        self.listed = None;
    }

    /// The thread of the first lane that stopped.
    pub(crate) fn first_of(stop_point: StopPoint) -> Thread {
        (stop_point.cta, stop_point.warp, stop_point.lanes.trailing_zeros().min(31))
    }

    /// Evaluates expressions in the selected frame.
    pub(crate) fn with_scene<T>(&mut self, work: impl FnOnce(&mut Scene<'_, '_>) -> T) -> T {
        let frame = self.frames.get(self.selected).cloned();
        self.with_scene_of(self.thread, frame.as_ref(), work)
    }

    /// Evaluates expressions in a frame of another thread.
    pub(crate) fn with_scene_of<T>(
        &mut self,
        thread: Thread,
        frame: Option<&Frame>,
        work: impl FnOnce(&mut Scene<'_, '_>) -> T,
    ) -> T {
        let mut scene = Scene {
            machine: self.machine,
            module: &self.module,
            types: &mut self.types,
            thread,
            frame,
            printed: &self.session.printed,
            variables: &mut self.session.variables,
        };
        work(&mut scene)
    }

    /// The value of an expression in the selected frame.
    pub(crate) fn evaluate(&mut self, text: &str) -> Result<Value, String> {
        let texel = text.trim().strip_prefix("texel(").and_then(|rest| rest.strip_suffix(')'));
        if let Some(arguments) = texel {
            return self.texel(arguments);
        }
        let expr = self.parsed(text)?;
        let value = self.with_scene(|scene| scene.evaluate(&expr))?;
        if changes(&expr) {
            self.history.changed(self.machine);
        }
        Ok(value)
    }

    /// Parses an expression.
    pub(crate) fn parsed(&self, text: &str) -> Result<Expr, String> {
        let is_variable = |word: &str| {
            let scopes = self.frame().map_or_else(Vec::new, |frame| self.module.scopes(frame));
            scopes.iter().any(|scope| scope.variables.iter().any(|v| v.name == word))
        };
        parse(text, &|word| self.types.named(word).is_some() && !is_variable(word))
    }

    /// The step number that users see.
    pub(crate) fn step_number(&self, position: Position) -> u64 {
        self.machine.number(position)
    }

    /// Clears a pending interrupt.
    pub(crate) fn clear_interrupt(&mut self) {
        self.machine.interrupt().store(false, Relaxed);
    }
}
