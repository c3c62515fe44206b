//! The parser of the text form of warp code.

mod items;

use crate::code::{Atomic, Code, CompareTo, Func, Inst, Op, Slot, Word};
use crate::flow::each_part_mut;
use crate::lower::{KEYS, Pools};
use items::Items;
use std::collections::HashMap;
use texunit_alu::{ResultKind, Row};
use texunit_syntax::{SourceFile, Span};

/// Limit of the number of registers of a kind and of the number of a fetch, so that no text needs
/// much memory.
const MOST: u32 = 1 << 20;

/// A line without comment, by its kind.
enum Line<'t> {
    Empty,
    /// The head of a function: its kind, name and properties.
    Head(bool, &'t str, &'t str),
    Label(&'t str),
    Inst(&'t str),
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Self {
        let line = line.split("//").next().unwrap_or_default().trim();
        let head = line.split_once(' ').and_then(|(word, rest)| {
            let is_entry = ["function", "kernel"].iter().position(|of| *of == word)?;
            let (name, rest) = rest.split_once(": ")?;
            Some(Self::Head(is_entry == 1, name, rest))
        });
        match (head, line.strip_suffix(':')) {
            (Some(head), _) => head,
            (None, Some(label)) => Self::Label(label),
            _ if line.is_empty() || line.starts_with(';') => Self::Empty,
            _ => Self::Inst(line),
        }
    }
}

/// Parses functions as [`super::print`] prints them. Empty lines and lines that begin with `;` are
/// skipped. The result has the text as its source.
///
/// # Errors
/// The first line that is not valid.
pub(crate) fn parse(text: &str) -> Result<(Code, SourceFile), String> {
    let (mut functions, mut labels, mut at) = (HashMap::new(), Vec::new(), 0);
    for line in text.lines().map(Line::of) {
        match line {
            Line::Head(_, name, _) => {
                functions.insert(name, labels.len() as u32);
                labels.push(HashMap::new());
            }
            Line::Label(name) => {
                if let Some(labels) = labels.last_mut() {
                    labels.insert(name, at);
                }
            }
            Line::Inst(_) => at += 1,
            Line::Empty => {}
        }
    }
    let source = SourceFile::new("input.kir", text);
    let mut parser = Parser {
        source: &source,
        functions,
        labels,
        code: Code::default(),
        pools: Pools::default(),
    };
    let (mut start, mut span) = (0, Span::new(0, 0));
    for (number, whole) in text.split_inclusive('\n').enumerate() {
        let line = whole.trim_end();
        if let Some((before, ptx)) = line.split_once("//") {
            let skipped = before.len() + 2 + (ptx.len() - ptx.trim_start().len());
            span = Span::new(start + skipped.min(line.len()), start + line.len());
        }
        start += whole.len();
        let read = match Line::of(line) {
            Line::Head(is_entry, name, rest) => {
                span = Span::new(0, 0);
                parser.head(is_entry, name, rest)
            }
            Line::Inst(text) => parser.inst(text, span),
            Line::Label(_) | Line::Empty => Ok(()),
        };
        read.map_err(|message| format!("line {}: {message}", number + 1))?;
    }
    parser.end()?;
    let Parser { mut code, pools, .. } = parser;
    (code.constants, code.patches) = pools.finish();
    code.complete();
    Ok((code, source))
}

struct Parser<'t> {
    source: &'t SourceFile,
    /// The number of each function, by its name.
    functions: HashMap<&'t str, u32>,
    /// The instruction of each label of each function.
    labels: Vec<HashMap<&'t str, u32>>,
    code: Code,
    pools: Pools,
}

impl<'t> Parser<'t> {
    fn head(&mut self, is_entry: bool, name: &str, rest: &str) -> Result<(), String> {
        self.end()?;
        let entry = self.code.insts.len() as u32;
        let mut func =
            Func { name: name.to_owned(), is_entry, entry, has_body: true, ..Func::default() };
        for item in rest.split(", ") {
            let wrong = || format!("`{item}` is not a property of a function");
            let (word, value) = item.split_once(' ').ok_or_else(wrong)?;
            let number = || u32::parse(value).filter(|&n| n <= MOST).ok_or_else(wrong);
            let sizes = || Word::parse(value).ok_or_else(wrong);
            match (word, value) {
                ("n", _) => func.narrow = number()?,
                ("w", _) => func.wide = number()?,
                ("p", _) => func.predicates = number()?,
                ("frame", _) => {
                    let bytes = value.strip_suffix(" B").and_then(u32::parse);
                    func.frame = bytes.ok_or_else(wrong)?;
                }
                ("align", _) => func.frame_align = number()?,
                ("clears", "registers") => func.cleared = true,
                ("clears", "predicates") => func.clears_predicates = true,
                ("results", _) => func.shape.0 = sizes()?,
                ("parameters", _) => func.shape.1 = sizes()?,
                _ => return Err(wrong()),
            }
        }
        self.code.funcs.push(func);
        Ok(())
    }

    /// Checks the end of the last function.
    fn end(&self) -> Result<(), String> {
        let Some(func) = self.code.funcs.last() else { return Ok(()) };
        match self.code.insts.get(func.entry as usize..).and_then(<[_]>::last) {
            Some(Inst { op: Op::Exit | Op::Return, guard: Slot::TRUE, .. }) => Ok(()),
            _ => Err(format!("function `{}` does not end with `exit` or `return`", func.name)),
        }
    }

    fn inst(&mut self, text: &'t str, span: Span) -> Result<(), String> {
        let text = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let (text, count) = text.strip_prefix('\'').map_or((text, 1), |text| (text, 0));
        let (text, guard) = match text.trim().strip_prefix('@') {
            Some(text) => text.split_once(' ').map(|(guard, text)| (text, guard)),
            None => Some((text.trim(), "true")),
        }
        .ok_or("an instruction without an operation")?;
        let (mnemonic, items) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let (to, from) = items.split_once("<-").unwrap_or((items, ""));
        let (fields, from): (Vec<_>, Vec<_>) = split(from).partition(|item| item.contains('='));
        let (mut op, words) = operation(mnemonic)?;
        let mut items = Items {
            parser: self,
            span,
            words: words.split('.').filter(|word| !word.is_empty()).collect(),
            to: split(to).collect(),
            from: from.into(),
            fields,
            error: None,
        };
        let guard = items.of_slot(guard);
        each_part_mut(&mut op, &mut items);
        if let Some(error) = items.end() {
            return Err(error);
        }
        match &mut op {
            Op::Fetch(fetch) => {
                fetch.span = span;
                let needed = fetch.parts.iter().zip(0..).filter(|(part, _)| !part.is_none());
                fetch.components = needed.map(|(_, component)| 1 << component).sum();
                fetch.find_block();
            }
            Op::Atomic(of) => {
                let (at, d) = (of.access.at, std::mem::take(&mut of.access.parts));
                of.access = Atomic::new(at, of.op, of.ty, d).access;
            }
            _ => {}
        }
        self.code.insts.push(Inst { op, guard, count, span });
        Ok(())
    }
}

/// The operation with this mnemonic, without operands, and the modifiers that follow its name.
fn operation(mnemonic: &str) -> Result<(Op, &str), String> {
    let unknown = || format!("`{mnemonic}` is not an operation");
    let row = |text: &str| {
        let helpers = KEYS.iter().find(|row| row.text() == text);
        helpers.or_else(|| Row::from_text(text))
    };
    let compares =
        |row: &&Row| matches!(row.shape().result, ResultKind::Predicate | ResultKind::Predicates);
    if let Some(row) = row(mnemonic).filter(|row| !compares(row)) {
        return Ok((Op::Compute { row, d: Slot::NONE, s: [Slot::NONE; 4] }, ""));
    }
    if let Some((text, combine)) = mnemonic.rsplit_once('.')
        && let Some(row) = row(text).filter(compares)
    {
        let (a, b, to) = (Slot::NONE, Slot::NONE, CompareTo::only(Slot::NONE));
        let op = match row.shape().result {
            ResultKind::Predicates => Op::ComparePair { row, a, b, to },
            _ => Op::Compare { row, a, b, to },
        };
        return Ok((op, combine));
    }
    let (name, words) = mnemonic.split_once('.').unwrap_or((mnemonic, ""));
    Ok((super::blank(name).ok_or_else(unknown)?, words))
}

/// The items of a list, which commas separate; a list in brackets is one item.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let items = text.split(move |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth == 0
    });
    items.map(str::trim).filter(|item| !item.is_empty())
}
