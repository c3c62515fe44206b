//! The command `info`.

use super::Done;
use crate::dwarf::Variable;
use crate::focus::{coordinates, shown};
use crate::module::{Line, base_name};
use crate::session::Live;
use crate::session::breaks::HEADER;
use crate::value::print::Format;
use std::fmt::Write;
use texunit_forms::Count;
use texunit_simt::debug::Waits;
use texunit_unit::lanes;

impl Live<'_, '_> {
    pub(super) fn info(&mut self, rest: &str) -> Done {
        let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let word = if word == "cuda" { rest.trim() } else { word };
        let is = |name: &str, least: usize| name.starts_with(word) && word.len() >= least;
        if word.is_empty() {
            return Err("\"info\" must be followed by the name of an info command.".to_owned());
        }
        if is("breakpoints", 1) || is("watchpoints", 2) {
            return self.info_breakpoints();
        }
        if is("display", 1) {
            return self.info_displays();
        }
        if self.frames.is_empty() && !is("kernels", 1) && !is("step", 3) {
            return Err("No frame selected.".to_owned());
        }
        match () {
            () if is("locals", 2) => self.info_variables(false),
            () if is("args", 2) => self.info_variables(true),
            () if is("registers", 1) || is("all-registers", 3) => self.info_registers(rest),
            () if is("kernels", 1) => self.info_kernels(),
            () if is("blocks", 2) => self.info_blocks(),
            () if is("warps", 2) || is("barriers", 3) => self.info_warps(),
            () if is("lanes", 2) => self.info_lanes(),
            () if is("threads", 1) => self.info_threads(),
            () if is("textures", 3) => self.info_textures(),
            () if is("line", 3) => self.info_line(rest),
            () if is("source", 2) => self.info_source(),
            () if is("frame", 1) || is("stack", 2) => self.info_frame(),
            () if is("step", 3) => {
                let step = self.step_number(self.machine.position());
                self.done_with(&format!("Step {step} of the launch.\n"))
            }
            () => Err(format!("Undefined info command: \"{word}\".  Try \"help info\".")),
        }
    }

    fn info_breakpoints(&mut self) -> Done {
        if self.session.settings.breakpoints.is_empty() {
            return self.done_with("No breakpoints or watchpoints.\n");
        }
        let mut out = HEADER.to_owned();
        for b in &self.session.settings.breakpoints {
            let (address, what) = match (&b.place, b.at.first()) {
                (Some((file, line)), Some(at)) => {
                    let instruction = self.module.instruction(*at);
                    let name = instruction.map(|i| self.module.name_of(&i.function));
                    let name = name.unwrap_or_default();
                    (format!("0x{at:016x}"), format!("in {name} at {}:{line}", base_name(file)))
                }
                _ if b.kind() == "breakpoint" => ("<PENDING>".to_owned(), b.text.clone()),
                _ => (String::new(), b.text.clone()),
            };
            out += &b.row(&address, &what);
            if let Some(condition) = &b.condition {
                let _ = writeln!(out, "\tstop only if {condition}");
            }
            if b.hits > 0 {
                let _ = writeln!(out, "\tbreakpoint already hit {}", Count(b.hits, "time"));
            }
            for command in &b.commands {
                let _ = writeln!(out, "        {command}");
            }
        }
        self.done_with(&out)
    }

    fn info_displays(&mut self) -> Done {
        let mut out = String::new();
        for display in &self.session.settings.displays {
            let _ = writeln!(out, "{}:   y  {}", display.number, display.text);
        }
        let none = "There are no auto-display expressions now.\n";
        self.done_with(if out.is_empty() { none } else { &out })
    }

    /// The visible variables of the selected frame: its parameters, or all its other variables.
    pub(crate) fn variables(&self, parameters: bool) -> Vec<Variable> {
        let Some(frame) = self.frame() else { return Vec::new() };
        let scopes = self.module.scopes(frame);
        // As in gdb, variables of the innermost block are shown first.
        let all = scopes.iter().rev().flat_map(|scope| &scope.variables);
        all.filter(|v| v.is_parameter == parameters).cloned().collect()
    }

    /// The value of a variable as text, or the reason why no value is available, with the registers
    /// that the source line reads.
    pub(crate) fn variable_text(&mut self, variable: &Variable) -> String {
        let value = self.with_scene(|scene| scene.read_variable(variable));
        match value {
            Ok(value) => self.text_of(&value, Format::Natural, true),
            Err(error) if error.contains("optimized out") => match self.line_registers() {
                names if names.is_empty() => "<optimized out>".to_owned(),
                names => format!("<optimized out> (the line reads {})", names.join(", ")),
            },
            Err(error) => format!("<error: {error}>"),
        }
    }

    /// The registers that the instructions of the frame's source line read.
    fn line_registers(&self) -> Vec<String> {
        let Some(frame) = self.frame() else { return Vec::new() };
        let own = self.module.instructions.iter();
        let own = own.filter(|i| i.place == frame.place && *i.function == *frame.function);
        let mut names: Vec<String> = Vec::new();
        for instruction in own {
            let text = self.module.ptx(instruction.at);
            // The first operand is the destination.
            let reads = text.split_once(',').map_or("", |(_, reads)| reads);
            for word in reads.split(|c: char| !(c.is_ascii_alphanumeric() || "%_$".contains(c))) {
                let is_register =
                    word.starts_with('%') && word.ends_with(|c: char| c.is_ascii_digit());
                if is_register && !names.iter().any(|n| n == word) {
                    names.push(word.to_owned());
                }
            }
        }
        names.truncate(8);
        names
    }

    fn info_variables(&mut self, parameters: bool) -> Done {
        let all = self.variables(parameters);
        if all.is_empty() {
            let none = if parameters { "No arguments." } else { "No locals." };
            let why = match self.module.info.has_variables() {
                true => "",
                false => " The PTX has no debug information about variables (nvcc -G, clang -g).",
            };
            return self.done_with(&format!("{none}{why}\n"));
        }
        let mut out = String::new();
        for variable in all {
            let text = self.variable_text(&variable);
            let _ = writeln!(out, "{} = {text}", variable.name);
        }
        self.done_with(&out)
    }

    fn info_registers(&mut self, rest: &str) -> Done {
        let Some(frame) = self.frame().cloned() else {
            return Err("No frame selected.".to_owned());
        };
        let wanted: Vec<&str> = rest.split_whitespace().collect();
        let mut out = String::new();
        for register in self.machine.registers(&frame.function) {
            let plain = register.name.trim_start_matches('%');
            let is_wanted = wanted.iter().any(|w| w.trim_start_matches(['%', '$']) == plain);
            if !wanted.is_empty() && !is_wanted {
                continue;
            }
            let name = register.name.clone();
            let value = self.with_scene(|scene| scene.register(&name))?;
            let hex = self.text_of(&value, Format::Hex, false);
            let natural = self.text_of(&value, Format::Natural, false);
            let _ = writeln!(out, "{name:<14} {hex:<18} {natural}");
        }
        if out.is_empty() {
            return Err(format!("Invalid register `{}'", rest.trim()));
        }
        self.done_with(&out)
    }

    fn info_kernels(&mut self) -> Done {
        let config = self.machine.config();
        let name = self.module.name_of(self.machine.kernel());
        let text = format!(
            "  Kernel Parent Dev Grid Status   SMs Mask GridDim  BlockDim Invocation\n*      {}      -   0    {} Active 0x00000001 {} {} {name}()\n",
            self.launch,
            self.launch + 1,
            shown(config.grid),
            shown(config.block)
        );
        self.done_with(&text)
    }

    fn info_blocks(&mut self) -> Done {
        let grid = self.machine.config().grid;
        let mut out = "  BlockIdx     State\n".to_owned();
        for cta in self.machine.ctas() {
            let mark = if cta == self.thread.0 { '*' } else { ' ' };
            let _ = writeln!(out, "{mark} {:<12} running", shown(coordinates(cta, grid)));
        }
        self.done_with(&out)
    }

    /// The groups of a warp's lanes, each with its position and what it waits for.
    pub(crate) fn standing_text(&self, warp: u32) -> Vec<(u32, String)> {
        let cta = self.thread.0;
        let all = self.machine.lane_positions(cta, warp).into_iter();
        all.map(|standing| {
            let place = self.module.place_of(standing.at);
            let waits = match standing.waits {
                Waits::Turn => String::new(),
                Waits::Lanes => " waits for other lanes".to_owned(),
                Waits::Barrier(id) => format!(" waits at barrier {id}"),
                Waits::Cluster => " waits for the other CTAs of the cluster".to_owned(),
                Waits::Reconvergence => " waits for lanes that took the other way".to_owned(),
            };
            (standing.lanes, format!("{place}{waits}"))
        })
        .collect()
    }

    fn info_warps(&mut self) -> Done {
        let (cta, own, _) = self.thread;
        let mut out = "  Wp Active Lanes Mask Divergent Mask Where\n".to_owned();
        for warp in 0..self.machine.warps() {
            let live = self.machine.live(cta, warp);
            let all = self.standing_text(warp);
            let first = all.first().map_or(0, |(lanes, _)| *lanes);
            let mark = if warp == own { '*' } else { ' ' };
            let texts = all.iter().map(|(lanes, text)| {
                format!("{} of {} at {text}", lanes.count_ones(), live.count_ones())
            });
            let text = texts.collect::<Vec<_>>().join("; ");
            let (text, rest) = (if live == 0 { "ended" } else { &text }, live & !first);
            let _ = writeln!(out, "{mark} {warp:>2} 0x{first:08x}        0x{rest:08x}     {text}");
        }
        self.done_with(&out)
    }

    fn info_lanes(&mut self) -> Done {
        let (cta, warp, own) = self.thread;
        let block = self.machine.config().block;
        let standing = self.machine.lane_positions(cta, warp);
        let live = self.machine.live(cta, warp);
        let mut out = "  Ln  State    ThreadIdx    Where\n".to_owned();
        for lane in 0..self.machine.threads().saturating_sub(32 * warp).min(32) {
            let found = standing.iter().find(|s| s.lanes >> lane & 1 == 1);
            let mark = if lane == own { '*' } else { ' ' };
            let (state, place) = match found {
                _ if live >> lane & 1 == 0 => ("exited", String::new()),
                Some(s) => {
                    let is_first = standing.first().is_some_and(|f| f.lanes == s.lanes);
                    let state = if is_first { "active" } else { "divergent" };
                    (state, self.module.place_of(s.at))
                }
                None => ("inactive", String::new()),
            };
            let thread = shown(coordinates((warp * 32 + lane).into(), block));
            let _ = writeln!(out, "{mark} {lane:>2}  {state:<9}{thread:<12} {place}");
        }
        self.done_with(&out)
    }

    fn info_threads(&mut self) -> Done {
        let (cta, own, _) = self.thread;
        let (grid, block) = (self.machine.config().grid, self.machine.config().block);
        let mut out = "  BlockIdx ThreadIdx To BlockIdx To ThreadIdx Count Where\n".to_owned();
        for warp in 0..self.machine.warps() {
            for (mask, text) in self.standing_text(warp) {
                let all: Vec<usize> = lanes(mask).collect();
                let (Some(&first), Some(&last)) = (all.first(), all.last()) else { continue };
                let mark = if warp == own { '*' } else { ' ' };
                let name =
                    |lane: usize| shown(coordinates((warp * 32 + lane as u32).into(), block));
                let block = shown(coordinates(cta, grid));
                let (first, last, count) = (name(first), name(last), all.len());
                let _ = writeln!(out, "{mark} {block} {first} {block} {last} {count} {text}");
            }
        }
        self.done_with(&out)
    }

    fn info_line(&mut self, rest: &str) -> Done {
        let (at, (file, line)) = self.locate(rest)?;
        let at = at.first().copied().unwrap_or(0);
        let (name, ptx) = (base_name(&file), self.module.ptx_line(at));
        self.done_with(&format!("Line {line} of \"{name}\" starts at PTX line {ptx} (0x{at:x}).\n"))
    }

    fn info_source(&mut self) -> Done {
        let file = self.frame().map_or_else(String::new, |f| f.place.file.to_string());
        let unit = |(name, folder): &_| format!("Compilation unit {name}, in {folder}\n");
        let compiled: String = self.module.info.files.iter().map(unit).collect();
        self.done_with(&format!("Current source file is {file}\n{compiled}"))
    }

    fn info_frame(&mut self) -> Done {
        let Some(frame) = self.frame().cloned() else { return Err("No stack.".to_owned()) };
        let Line { file, line } = &frame.place;
        let head =
            format!("Stack level {}, frame of PTX function {}", self.selected, frame.function);
        let ptx = self.module.ptx_line(frame.at);
        self.done_with(&format!("{head}:\n at {file}:{line}, PTX line {ptx}\n"))
    }
}
