//! Breakpoints, watchpoints and catchpoints.

use super::{Live, Thread, is_of};
use crate::dwarf::TypeId;
use crate::value::Place;
use serde::{Deserialize, Serialize};
use texunit_checks::{Finding, Log};
use texunit_simt::debug::StopPoint;
use texunit_unit::lanes;

/// The heading of `info breakpoints`.
pub(crate) const HEADER: &str = "Num     Type           Disp Enb Address            What\n";

/// The group of breakpoints at findings; an editor's breakpoints have groups that are replaced as a
/// whole.
const FINDINGS: &str = "finding";

/// What a breakpoint stops at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum BreakpointKind {
    /// The execution of a code location.
    #[default]
    Place,
    /// A read or write of a value, which a watchpoint catches.
    Watch { reads: bool, writes: bool },
    /// An event: the end of the launch, a fault, a NaN, a divergence.
    Catch(String),
    /// The location of a check's finding, with its message.
    Finding(String),
}

impl BreakpointKind {
    /// Whether the breakpoint is at a code location.
    pub(crate) fn is_place(&self) -> bool {
        matches!(self, Self::Place | Self::Finding(_))
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Breakpoint {
    pub(crate) number: u32,
    pub(crate) what: BreakpointKind,
    /// The location or expression as entered.
    pub(crate) text: String,
    pub(crate) condition: Option<String>,
    pub(crate) is_temporary: bool,
    pub(crate) is_enabled: bool,
    /// Number of hits to ignore.
    pub(crate) ignore: u64,
    pub(crate) hits: u64,
    /// A log message, which is written instead of stopping.
    pub(crate) log: Option<String>,
    /// The group that an editor replaces as a whole, for an editor's breakpoint.
    pub(crate) group: String,
    /// Commands to execute at a stop.
    pub(crate) commands: Vec<String>,
    /// Offsets of the breakpoint's instructions in this launch's PTX.
    #[serde(skip)]
    pub(crate) at: Vec<u32>,
    /// File and line of the breakpoint's first instruction.
    #[serde(skip)]
    pub(crate) place: Option<(String, u32)>,
    #[serde(skip)]
    pub(crate) watched: Option<Watched>,
}

/// The value that a watchpoint watches in this launch.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    pub(crate) thread: Thread,
    pub(crate) place: Place,
    pub(crate) ty: TypeId,
    pub(crate) old: Vec<u8>,
    /// Depth of the frame that the value belongs to; `None` if it does not depend on a frame.
    pub(crate) depth: Option<u32>,
}

impl Breakpoint {
    pub(crate) fn new(number: u32, what: BreakpointKind, text: &str) -> Self {
        Self { number, what, text: text.to_owned(), is_enabled: true, ..Self::default() }
    }

    /// The row of `info breakpoints`.
    pub(crate) fn row(&self, address: &str, what: &str) -> String {
        let disp = if self.is_temporary { "del" } else { "keep" };
        let enabled = if self.is_enabled { 'y' } else { 'n' };
        let (number, kind) = (self.number, self.kind());
        format!("{number:<7} {kind:<14} {disp:<4} {enabled}   {address:<18} {what}\n")
    }

    /// The kind, as `info breakpoints` shows it.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.what {
            BreakpointKind::Place => "breakpoint",
            BreakpointKind::Watch { reads: false, .. } => "hw watchpoint",
            BreakpointKind::Watch { writes: false, .. } => "read watchpoint",
            BreakpointKind::Watch { .. } => "acc watchpoint",
            BreakpointKind::Catch(_) => "catchpoint",
            BreakpointKind::Finding(_) => "finding",
        }
    }
}

/// Splits location and condition: `file.cu:12 if i == 70`, `kernel if ...`, `if ...`
pub(crate) fn split_condition(text: &str) -> (&str, Option<String>) {
    let text = text.trim();
    let is_if = |word: &str| word.starts_with("if ") || word.starts_with("if(");
    let at = match is_if(text) {
        true => Some(0),
        false => text.find(" if ").or_else(|| text.find(" if(")).map(|at| at + 1),
    };
    match at {
        Some(at) => (text[..at].trim(), Some(text[at + 2..].trim().to_owned())),
        None => (text, None),
    }
}

impl Live<'_, '_> {
    /// Runs the launch once with checks at full speed, restores memory, and sets a breakpoint at
    /// the instruction and thread of each finding, until the launch ends.
    pub(super) fn rehearse(&mut self, log: &Log) {
        if !self.history.is_on() {
            return self.say("[Findings are not looked for: --checkpoint-memory is too small for this launch.]\n");
        }
        let known = log.all().len();
        if !self.machine.rehearse() {
            return self.say("[Findings are not looked for: the kernel may launch others.]\n");
        }
        self.history.restore(self.machine, 0);
        for finding in log.all().iter().skip(known) {
            self.breaks_at(finding);
        }
    }

    fn breaks_at(&mut self, finding: &Finding) {
        let Some(at) = &finding.at else { return };
        let severity = finding.severity.name();
        let text = format!("{severity}[{}]: {}", finding.code(), finding.message);
        let is = |name: &str, [x, y, z]: [u32; 3]| {
            format!("{name}.x == {x} && {name}.y == {y} && {name}.z == {z}")
        };
        let condition = format!("{} && {}", is("blockIdx", at.cta), is("threadIdx", at.thread));
        let place = format!("*0x{:x}", at.span.start);
        let breakpoint = self.session.settings.add(BreakpointKind::Finding(text), &place);
        breakpoint.condition = Some(condition);
        breakpoint.group = FINDINGS.to_owned();
    }

    /// Resolves the locations of all breakpoints.
    pub(crate) fn resolve(&mut self) {
        let all = std::mem::take(&mut self.session.settings.breakpoints);
        let resolved = all.into_iter().map(|mut breakpoint| {
            if breakpoint.what.is_place() {
                let found = self.locate(&breakpoint.text).ok();
                (breakpoint.at, breakpoint.place) =
                    found.map_or((Vec::new(), None), |(at, place)| (at, Some(place)));
            }
            breakpoint
        });
        self.session.settings.breakpoints = resolved.collect();
    }

    /// Resolves a location: `file.cu:12`, `12`, `+2`, `function`, `file.cu:function`, `*OFFSET`,
    /// `ptx:73`; the selected frame's position if it is empty.
    pub(crate) fn locate(&self, text: &str) -> Result<(Vec<u32>, (String, u32)), String> {
        let text = text.trim();
        let module = &self.module;
        let here = |at: Vec<u32>| {
            let first = at.first().and_then(|&at| module.instruction(at));
            let place =
                first.map_or_else(Default::default, |i| (i.place.file.to_string(), i.place.line));
            (at, place)
        };
        let current = || {
            let first = module.instructions.first().map(|i| &i.place);
            Some(self.frame().map(|frame| &frame.place).or(first)?.file.to_string())
        };
        if text.is_empty() {
            let frame = self.frame().ok_or("No default breakpoint location.")?;
            return Ok(here(vec![frame.at]));
        }
        if let Some(offset) = text.strip_prefix('*') {
            let at = number(offset.trim()).ok_or_else(|| format!("Invalid address `{offset}'."))?;
            let at = at as u32;
            return match module.instruction(at) {
                Some(_) => Ok(here(vec![at])),
                None => Err(format!("No instruction begins at 0x{at:x}.")),
            };
        }
        let relative = |sign: char| text.strip_prefix(sign).and_then(|n| n.parse::<u32>().ok());
        let frame_line = self.frame().map_or(0, |frame| frame.place.line);
        let line = text.parse::<u32>().ok().or_else(|| relative('+').map(|n| frame_line + n));
        let line = line.or_else(|| relative('-').map(|n| frame_line.saturating_sub(n)));
        if let Some(line) = line {
            let file = current().ok_or("No symbol table is loaded.  Use the \"file\" command.")?;
            let found = module.at_line(&file, line);
            let (line, at) = found.ok_or_else(|| format!("No line {line} in the current file."))?;
            return Ok((at, (file, line)));
        }
        if let Some((file, line)) = text.rsplit_once(':').filter(|(file, _)| !file.ends_with(':')) {
            if let Ok(wanted) = line.trim().parse::<u32>() {
                if file == "ptx" {
                    let none = || format!("No line {wanted} in the PTX.");
                    let (line, at) = module.at_ptx_line(wanted).ok_or_else(none)?;
                    return Ok((at, (module.text.name().to_owned(), line)));
                }
                let none = || format!("No line {wanted} in file \"{file}\".");
                return Ok(here(module.at_line(file, wanted).ok_or_else(none)?.1));
            }
            let at = module.at_function(line);
            if !at.is_empty() {
                return Ok(here(at));
            }
        }
        match module.at_function(text) {
            at if at.is_empty() => Err(format!("Function \"{text}\" not defined.")),
            at => Ok(here(at)),
        }
    }

    /// The breakpoints that are hit by lanes at an instruction, and the thread that meets the
    /// condition of the first one. `counts` increments the hit counts.
    pub(crate) fn hit(
        &mut self,
        stop_point: StopPoint,
        counts: bool,
    ) -> Option<(Vec<u32>, Thread)> {
        let all = self.session.settings.breakpoints.iter().enumerate();
        let there =
            all.filter(|(_, b)| b.is_enabled && b.what.is_place() && b.at.contains(&stop_point.at));
        let there: Vec<_> = there.map(|(i, b)| (i, b.condition.clone())).collect();
        let mut hit: Option<(Vec<u32>, Thread)> = None;
        for (index, condition) in there {
            let thread = self.meets(stop_point, condition.as_deref(), index);
            let Some(thread) = thread else { continue };
            let breakpoint = &mut self.session.settings.breakpoints[index];
            if counts {
                breakpoint.hits += 1;
                if breakpoint.ignore > 0 {
                    breakpoint.ignore -= 1;
                    continue;
                }
                if let Some(log) = breakpoint.log.clone() {
                    self.log(&log, thread);
                    continue;
                }
            }
            hit.get_or_insert((Vec::new(), thread)).0.push(breakpoint.number);
        }
        hit
    }

    /// The thread at an instruction that meets a condition, preferably the selected one.
    fn meets(
        &mut self,
        stop_point: StopPoint,
        condition: Option<&str>,
        index: usize,
    ) -> Option<Thread> {
        let is_own = is_of(stop_point, self.thread);
        let Some(condition) = condition else {
            return Some(if is_own { self.thread } else { Self::first_of(stop_point) });
        };
        let own = is_own.then_some(self.thread.2 as usize);
        let others = lanes(stop_point.lanes).filter(|&l| Some(l) != own);
        for lane in own.into_iter().chain(others) {
            let thread = (stop_point.cta, stop_point.warp, lane as u32);
            match self.is_true(condition, thread) {
                Ok(true) => return Some(thread),
                Ok(false) => {}
                Err(error) => {
                    let number = self.session.settings.breakpoints[index].number;
                    let error = format!("in testing condition for breakpoint {number}:\n{error}");
                    self.say(&format!("Error {error}\n"));
                    return Some(thread);
                }
            }
        }
        None
    }

    /// Whether a condition holds in a thread.
    pub(crate) fn is_true(&mut self, condition: &str, thread: Thread) -> Result<bool, String> {
        self.within(thread, |live| {
            let expr = live.parsed(condition)?;
            live.with_scene(|scene| {
                let value = scene.operand(&expr)?;
                let number = value.number(scene.types);
                Ok(number.ok_or("Value can't be converted to integer.")?.is_true())
            })
        })
    }

    /// Calls `work` with the innermost frame of a thread selected, then restores the selection.
    fn within<T>(&mut self, thread: Thread, work: impl FnOnce(&mut Self) -> T) -> T {
        let frames = self.module.frames(self.machine, thread);
        let frames = std::mem::replace(&mut self.frames, frames);
        let thread = std::mem::replace(&mut self.thread, thread);
        let selected = std::mem::take(&mut self.selected);
        let result = work(self);
        (self.frames, self.thread, self.selected) = (frames, thread, selected);
        result
    }

    /// Writes a log message, in which `{expression}` is replaced by its value.
    fn log(&mut self, text: &str, thread: Thread) {
        let mut out = String::new();
        let mut rest = text;
        while let Some((plain, behind)) = rest.split_once('{') {
            out.push_str(plain);
            let Some((expr, behind)) = behind.split_once('}') else {
                rest = behind;
                break;
            };
            let shown = self.within(thread, |live| live.shown(expr));
            out.push_str(&shown.unwrap_or_else(|error| format!("<{error}>")));
            rest = behind;
        }
        out.push_str(rest);
        self.say(&format!("{out}\n"));
    }

    /// Formats the value of an expression.
    pub(crate) fn shown(&mut self, text: &str) -> Result<String, String> {
        let value = self.evaluate(text)?;
        Ok(self.text_of(&value, crate::value::print::Format::Natural, true))
    }
}

/// Parses a C integer.
pub(crate) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
