//! The debugger's view of a module: source positions, functions by the names that users give,
//! frames.

mod places;

use crate::dwarf::{Info, Kind, Scope};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use texunit_report::place::{function_name, line_of_file};
use texunit_simt::Sources;
use texunit_simt::debug::{Dominance, FrameAt, Machine};
use texunit_syntax::SourceFile;

/// A line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    /// The file name as the compiler wrote it; the PTX's own name for a PTX line.
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
}

/// `dbg.cu:40`, without folders.
impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", base_name(&self.file), self.line)
    }
}

/// A frame: a call of a PTX function, or an inlined call in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Number of the PTX function's frame in its warp.
    pub(crate) id: u32,
    /// Name of the PTX function.
    pub(crate) function: String,
    /// Offset of the instruction in the PTX.
    pub(crate) at: u32,
    /// Name of the function in the source.
    pub(crate) name: String,
    pub(crate) place: Line,
    /// Number of inlined frames between this frame and the instruction.
    inside: usize,
    /// Number of frames that called this frame, including inlined calls.
    pub(crate) depth: u32,
}

/// An instruction with its source position.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) at: u32,
    pub(crate) place: Line,
    /// The column of the instruction in the source; 0 in the function's prologue.
    pub(crate) column: u32,
    /// Number of inlined calls around the instruction.
    pub(crate) inlined: u32,
    /// Whether a new source position begins with the instruction.
    pub(crate) begins: bool,
    /// The PTX function that contains the instruction.
    pub(crate) function: Arc<str>,
}

/// A module as seen from one of its kernels: it has the instructions that the kernel can reach.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) text: SourceFile,
    pub(crate) sources: Arc<Sources>,
    pub(crate) info: Arc<Info>,
    pub(crate) instructions: Vec<Instruction>,
    by_place: HashMap<u32, usize>,
    /// Whether the module has source lines.
    pub(crate) has_lines: bool,
    /// Source lines with code in any kernel of the module, and lines of inlined calls.
    lines: OnceLock<Vec<Line>>,
    calls: OnceLock<Vec<(Line, u32)>>,
    dominance: Dominance,
}

impl Module {
    /// The module of a machine.
    pub(crate) fn of(machine: &Machine<'_>, info: Arc<Info>) -> Self {
        let program = machine.program();
        let mut module = Self {
            text: program.source().clone(),
            sources: Arc::clone(program.sources()),
            info,
            instructions: Vec::new(),
            by_place: HashMap::new(),
            has_lines: program.sources().files().next().is_some(),
            lines: OnceLock::new(),
            calls: OnceLock::new(),
            dominance: machine.dominance(),
        };
        let mut files: HashMap<String, Arc<str>> = HashMap::new();
        let mut shared = |text: &str| match files.get(text) {
            Some(known) => Arc::clone(known),
            None => {
                let made: Arc<str> = text.into();
                files.insert(text.to_owned(), Arc::clone(&made));
                made
            }
        };
        let mut places = machine.places();
        places.sort_unstable();
        let mut before = None;
        for at in places {
            let frames = module.sources.frames_at(at);
            let function = shared(module.sources.function_at(at).unwrap_or(""));
            let known = frames.iter().find(|frame| frame.line > 0);
            let (file, line, column) = match known {
                Some(frame) => (frame.file.unwrap_or(""), frame.line, frame.column),
                None => {
                    let place = module.text.location(at);
                    (module.text.name(), place.line, place.column)
                }
            };
            // An instruction without a line belongs to the line of the previous one.
            let goes_on = module.has_lines && known.is_none();
            let last = module.instructions.last().cloned();
            if let Some(last) = last.filter(|last| goes_on && last.function == function) {
                module.by_place.insert(at, module.instructions.len());
                module.instructions.push(Instruction { at, begins: false, ..last });
                continue;
            }
            let scopes = module.info.scopes_at(at);
            let copies = scopes.iter().filter(|scope| scope.kind == Kind::Inlined).count();
            // `nvcc -G` describes inlined calls only by scopes.
            let inlined = frames.len().saturating_sub(1).max(copies) as u32;
            let id =
                (module.sources.id_at(at), Arc::clone(&function), known.is_none().then_some(line));
            let begins = before.as_ref() != Some(&id);
            before = Some(id);
            module.by_place.insert(at, module.instructions.len());
            let place = Line { file: shared(file), line };
            module.instructions.push(Instruction { at, place, column, inlined, begins, function });
        }
        module
    }

    pub(crate) fn instruction(&self, at: u32) -> Option<&Instruction> {
        self.instructions.get(*self.by_place.get(&at)?)
    }

    /// The instruction that follows an instruction in the PTX text.
    pub(crate) fn behind(&self, at: u32) -> Option<&Instruction> {
        self.instructions.get(*self.by_place.get(&at)? + 1)
    }

    /// The PTX instruction on one line.
    pub(crate) fn ptx(&self, at: u32) -> String {
        let rest = &self.text.text()[(at as usize).min(self.text.text().len())..];
        let end = rest.find(';').map_or(rest.len().min(200), |end| end + 1);
        rest[..end].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The PTX line of an instruction.
    pub(crate) fn ptx_line(&self, at: u32) -> u32 {
        self.text.location(at).line
    }

    /// The text of a line; `None` if the file does not exist.
    pub(crate) fn line(&self, place: &Line, folders: &[String]) -> Option<String> {
        if *place.file == *self.text.name() {
            return (place.line as usize <= self.text.text().lines().count())
                .then(|| self.text.line(place.line).to_owned());
        }
        if let Some(handed) = self.sources.handed(&place.file) {
            return handed.text.lines().nth(place.line.checked_sub(1)? as usize).map(str::to_owned);
        }
        let name = base_name(&place.file);
        let under = |folder: &str| {
            let whole = format!("{folder}/{}", place.file.trim_start_matches('/'));
            line_of_file(&whole, place.line)
                .or_else(|| line_of_file(&format!("{folder}/{name}"), place.line))
        };
        // The file is searched as with gdb's `$cdir:$cwd`.
        line_of_file(&place.file, place.line)
            .or_else(|| folders.iter().find_map(|folder| under(folder)))
            .or_else(|| under("."))
    }

    /// The source functions around an instruction, innermost first, each with its name and current
    /// line.
    fn logical(&self, at: u32) -> Vec<(String, Option<Line>)> {
        let frames = self.sources.frames_at(at);
        let scopes = self.info.scopes_at(at);
        let named: Vec<&&Scope> = scopes.iter().filter(|s| s.kind != Kind::Block).collect();
        let line = |frame: &texunit_simt::Frame<'_>| {
            let place = Line { file: frame.file.unwrap_or("").into(), line: frame.line };
            Some(place).filter(|place| place.line > 0)
        };
        if named.len() >= frames.len().max(1) {
            // If the DWARF scopes describe at least as many inlined calls as the line table, the
            // names of the scopes are used.
            let mut all = Vec::new();
            let mut inner = frames.iter().find(|f| f.line > 0).and_then(&line);
            for (i, scope) in named.iter().enumerate().rev() {
                all.push((scope.name.clone(), inner));
                let outer = frames.get(named.len() - i).and_then(&line);
                inner = outer.or_else(|| {
                    let (file, line) = scope.called?;
                    let file = self.sources.files().find(|(n, _)| *n == file)?.1.into();
                    Some(Line { file, line })
                });
            }
            return all;
        }
        let own = self.sources.function_at(at).unwrap_or("");
        let count = frames.len();
        let frames = frames.iter().enumerate().map(|(i, frame)| {
            let symbol = if i + 1 == count { Some(own) } else { frame.function.as_deref() };
            (self.name_of(symbol.unwrap_or("")), line(frame))
        });
        let all: Vec<_> = frames.collect();
        if all.is_empty() { vec![(self.name_of(own), None)] } else { all }
    }

    /// The frames of a thread, innermost first.
    pub(crate) fn frames(&self, machine: &Machine<'_>, thread: (u64, u32, u32)) -> Vec<Frame> {
        let mut all = Vec::new();
        for FrameAt { id, function, at, .. } in machine.frames(thread) {
            for (inside, (name, line)) in self.logical(at).into_iter().enumerate() {
                let place = line.unwrap_or_else(|| match self.instruction(at) {
                    Some(instruction) => instruction.place.clone(),
                    None => Line { file: self.text.name().into(), line: self.ptx_line(at) },
                });
                let function = function.clone();
                all.push(Frame { id, function, at, name, place, inside, depth: 0 });
            }
        }
        let count = all.len() as u32;
        for (depth, frame) in (0..count).rev().zip(&mut all) {
            frame.depth = depth;
        }
        all
    }

    /// The visible scopes of a frame, from the function inwards.
    pub(crate) fn scopes(&self, frame: &Frame) -> Vec<&Scope> {
        let all = self.info.scopes_at(frame.at);
        let begins: Vec<usize> =
            all.iter().enumerate().filter(|(_, s)| s.kind != Kind::Block).map(|(i, _)| i).collect();
        let Some(own) = begins.len().checked_sub(frame.inside + 1) else { return Vec::new() };
        let end = begins.get(own + 1).copied().unwrap_or(all.len());
        all[begins[own]..end].to_vec()
    }

    /// The source name of a PTX function, without parameters.
    pub(crate) fn name_of(&self, function: &str) -> String {
        let scope = self.info.functions.iter().find(|f| f.linkage == function);
        scope.map_or_else(|| short(&function_name(function)), |scope| scope.name.clone())
    }

    /// The source line of an instruction as text; empty if it is unknown.
    pub(crate) fn place_of(&self, at: u32) -> String {
        self.instruction(at).map_or_else(String::new, |i| i.place.to_string())
    }

    /// Whether a file name given by the user refers to this file.
    fn is_file(file: &str, called: &str) -> bool {
        file == called || file.strip_suffix(called).is_some_and(|folder| folder.ends_with('/'))
    }

    fn is_called(&self, function: &str, name: &str) -> bool {
        let scope =
            self.info.functions.iter().find(|f| f.linkage == function || f.name == function);
        scope.is_some_and(|scope| matches(&scope.name, &scope.linkage, name))
            || matches(&short(&function_name(function)), function, name)
            || function_name(function) == name
    }
}

/// Whether a function name given by the user refers to this function.
fn matches(own: &str, linkage: &str, name: &str) -> bool {
    let without = |text: &str| text.split('<').next().unwrap_or(text).to_owned();
    let last = own.rsplit("::").next().unwrap_or(own);
    !name.is_empty()
        && (own == name
            || linkage == name
            || last == name
            || without(own) == name
            || without(last) == name)
}

/// A name without parameters.
pub(crate) fn short(name: &str) -> String {
    let mut depth = 0;
    for (at, c) in name.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 && at > 0 && !name[at..].starts_with("(anonymous") => {
                return name[..at].trim_end().to_owned();
            }
            _ => {}
        }
    }
    name.to_owned()
}

/// A file name without folders.
pub(crate) fn base_name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}
