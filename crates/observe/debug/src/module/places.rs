//! Resolves breakpoint locations to instructions: source lines, PTX lines, functions.

use super::{Instruction, Line, Module, matches};
use crate::dwarf::{Kind, Scope};
use std::collections::HashSet;
use std::sync::Arc;

impl Module {
    /// The instructions for a breakpoint on a source line, and the actual line. These are the
    /// line's first instruction in each function and in each inlined copy, and the first
    /// instruction of every other range of the line's instructions that can be reached without
    /// executing that one. If the line's only code is an inlined call, the copy's first instruction
    /// is used; if the line has no code, the next line that has some.
    pub(crate) fn at_line(&self, file: &str, line: u32) -> Option<(u32, Vec<u32>)> {
        if Self::is_file(self.text.name(), file) {
            return self.at_ptx_line(line);
        }
        // Lines of all kernels are considered, so that a breakpoint in another kernel is not moved
        // into this one.
        let lines = self.lines.get_or_init(|| self.all_lines());
        let calls = self.calls.get_or_init(|| self.all_calls());
        // An editor uses full paths, which may differ from those at compile time; then only the
        // file name is compared.
        let is_known = lines.iter().any(|l| Self::is_file(&l.file, file));
        let file = if is_known { file } else { super::base_name(file) };
        let all = lines.iter().chain(calls.iter().map(|(line, _)| line));
        let here = all.filter(|l| l.line >= line && Self::is_file(&l.file, file));
        let found = here.map(|l| l.line).min()?;
        let here = |i: &&Instruction| i.place.line == found && Self::is_file(&i.place.file, file);
        if !self.instructions.iter().any(|i| here(&i)) {
            let is_it = |l: &Line| l.line == found && Self::is_file(&l.file, file);
            let there: Vec<u32> = calls.iter().filter(|(l, _)| is_it(l)).map(|c| c.1).collect();
            return (!there.is_empty()).then_some((found, there));
        }
        let mut seen: Vec<(_, u32)> = Vec::new();
        for (index, i) in self.instructions.iter().enumerate().filter(|(_, i)| here(i)) {
            if !i.begins {
                continue;
            }
            // Most further ranges of the line's instructions in the same copy, as of a loop's head,
            // are reached through the first range; the ranges of the remainder of an unrolled loop
            // are not.
            let copy = (Arc::clone(&i.function), i.inlined, self.copy_of(index));
            let is_met =
                |(other, at): &(_, u32)| *other == copy && self.dominance.dominates(*at, i.at);
            if !seen.iter().any(is_met) {
                seen.push((copy, i.at));
            }
        }
        (!seen.is_empty()).then(|| (found, seen.into_iter().map(|(_, at)| at).collect()))
    }

    fn all_lines(&self) -> Vec<Line> {
        let starts: Vec<u32> = self.sources.stretches().collect();
        let ends = starts.iter().skip(1).copied().chain([self.text.text().len() as u32]);
        let has_code = |&(from, to): &(u32, u32)| {
            let text = self.text.text().get(from as usize..to as usize).unwrap_or("");
            text.lines().any(|line| line.split("//").next().is_some_and(|code| code.contains(';')))
        };
        let stretches = starts.iter().copied().zip(ends).filter(has_code);
        let lines = stretches.filter_map(|(from, _)| {
            let frames = self.sources.frames_at(from);
            let frame = frames.iter().find(|frame| frame.line > 0)?;
            Some(Line { file: frame.file?.into(), line: frame.line })
        });
        let all: HashSet<Line> = lines.collect();
        all.into_iter().collect()
    }

    fn all_calls(&self) -> Vec<(Line, u32)> {
        let mut all = Vec::new();
        let mut before: Vec<(Line, u32)> = Vec::new();
        for instruction in &self.instructions {
            let frames = self.sources.frames_at(instruction.at);
            let outer = frames.iter().skip(1).filter(|frame| frame.line > 0);
            let now: Vec<(Line, u32)> = outer
                .filter_map(|f| Some((Line { file: f.file?.into(), line: f.line }, f.column)))
                .collect();
            let new = now.iter().filter(|call| !before.contains(call));
            all.extend(new.map(|(line, _)| (line.clone(), instruction.at)));
            before = now;
        }
        all
    }

    /// Distinguishes inlined copies of a function by the positions of the surrounding calls and the
    /// beginnings of the copies. Compilers may record only one of them.
    fn copy_of(&self, index: usize) -> (Vec<(String, u32, u32)>, Vec<u32>) {
        let at = self.instructions[index].at;
        let frames = self.sources.frames_at(at);
        let calls = frames.iter().skip(1);
        let calls = calls.map(|c| (c.file.unwrap_or("").to_owned(), c.line, c.column)).collect();
        let scopes = self.info.scopes_at(at);
        let copies = scopes.iter().filter(|scope| scope.kind == Kind::Inlined);
        (calls, copies.map(|scope| scope.begin()).collect())
    }

    /// The instructions for a breakpoint on a PTX line.
    pub(crate) fn at_ptx_line(&self, line: u32) -> Option<(u32, Vec<u32>)> {
        let of = |i: &Instruction| self.ptx_line(i.at);
        let found = self.instructions.iter().map(of).filter(|&l| l >= line).min()?;
        let first = self.instructions.iter().find(|i| of(i) == found)?;
        Some((found, vec![first.at]))
    }

    /// The instructions for a breakpoint on a function, after its prologue.
    pub(crate) fn at_function(&self, name: &str) -> Vec<u32> {
        let mut all = Vec::new();
        let mut functions: Vec<&Arc<str>> = Vec::new();
        for instruction in &self.instructions {
            if functions.last() != Some(&&instruction.function) {
                functions.push(&instruction.function);
            }
        }
        for function in functions.into_iter().filter(|f| self.is_called(f, name)) {
            let own: Vec<&Instruction> =
                self.instructions.iter().filter(|i| i.function == *function).collect();
            let Some(first) = own.first() else { continue };
            let prepares = first.column == 0 && first.begins && self.has_lines;
            let behind = own.iter().find(|i| i.begins && i.column != 0);
            let place = behind.filter(|_| prepares).unwrap_or(first);
            all.push(place.at);
        }
        // Inlined copies of the function.
        let mut before = None;
        for instruction in &self.instructions {
            let inside = self.info.scopes_at(instruction.at);
            let is_copy =
                |s: &&&Scope| s.kind == Kind::Inlined && matches(&s.name, &s.linkage, name);
            let copy = inside.iter().rev().find(is_copy);
            let copy = copy.map(|scope| std::ptr::from_ref::<Scope>(scope));
            if copy.is_some() && copy != before {
                all.push(instruction.at);
            }
            before = copy;
        }
        all
    }
}
