//! The parser of the text form of warp code.

use crate::code::{
    AT_RETURN, Code, CompareTo, Func, Inst, NONE, Op, Passed, Slot, Value, Word, words as words_of,
};
use crate::flow::{PartsMut, each_part_mut};
use crate::lower::{Pools, helper_rows, product_of};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use texunit_alu::{self as alu, Alu, Approximate, ResultKind, Row};
use texunit_check::ir::VarId;
use texunit_flow::Access;
use texunit_isa::{Modifiers, Opcode, read_modifiers};
use texunit_syntax::{SourceFile, Span};
use texunit_tensor::Operation;

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
///
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
        if let Op::Fetch(fetch) = &mut op {
            fetch.span = span;
            let needed = fetch.parts.iter().zip(0..).filter(|(part, _)| !part.is_none());
            fetch.components = needed.map(|(_, component)| 1 << component).sum();
            fetch.find_block();
        }
        self.code.insts.push(Inst { op, guard, count, span });
        Ok(())
    }
}

/// The operation with this mnemonic, without operands, and the modifiers that follow its name.
fn operation(mnemonic: &str) -> Result<(Op, &str), String> {
    let unknown = || format!("`{mnemonic}` is not an operation");
    let row = |text: &str| {
        let helpers = helper_rows().iter().find(|row| row.text() == text);
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

/// The items of an instruction that have not been parsed yet.
struct Items<'p, 't> {
    parser: &'p mut Parser<'t>,
    span: Span,
    words: VecDeque<&'t str>,
    to: VecDeque<&'t str>,
    from: VecDeque<&'t str>,
    fields: Vec<&'t str>,
    /// The first error.
    error: Option<String>,
}

impl<'t> Items<'_, 't> {
    /// The first error, or that an item is left.
    fn end(self) -> Option<String> {
        let mut left =
            self.words.iter().chain(&self.to).chain(&self.from).chain(&self.fields).copied();
        self.error.or_else(|| left.next().map(|item| format!("`{item}` is not expected")))
    }

    fn next(&mut self, access: Access) -> Option<&'t str> {
        if access == Access::Def { self.to.pop_front() } else { self.from.pop_front() }
    }

    /// The value, or an error that names the item.
    fn good<T>(&mut self, item: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.error.get_or_insert_with(|| format!("`{item}` is not valid here"));
        }
        value
    }

    fn of_slot(&mut self, item: &str) -> Slot {
        let slot = self.slot_of(item);
        self.good(item, slot).unwrap_or(Slot::NONE)
    }

    fn slot_of(&mut self, item: &str) -> Option<Slot> {
        let Func { narrow, wide, predicates, .. } = *self.parser.code.funcs.last()?;
        let index = |digits: &str, most: u32| digits.parse().ok().filter(|&index| index < most);
        let (digits, is_wide) = match item.strip_suffix('L') {
            Some(digits) => (digits, true),
            None => (item, false),
        };
        Some(match (item, item.split_at_checked(1)?) {
            ("_", _) => Slot::NONE,
            ("true", _) => Slot::TRUE,
            ("false", _) => Slot::FALSE,
            (_, ("n", number)) => Slot::narrow(index(number, narrow)?),
            (_, ("w", number)) => Slot::wide(index(number, wide)?),
            (_, ("p", number)) => Slot::predicate(index(number, predicates)?),
            (_, ("!", number)) => {
                Slot::predicate(index(number.strip_prefix('p')?, predicates)?).negated()
            }
            _ => match digits.strip_prefix("shared") {
                Some(place) => {
                    let (variable, addend) = place.split_once('+')?;
                    let variable = VarId(u32::parse(variable)?);
                    self.parser.pools.shared(variable, u64::parse(addend)?, is_wide)
                }
                None if is_wide => self.parser.pools.wide(u64::parse(digits)?),
                None => self.parser.pools.narrow(u32::parse(digits)?),
            },
        })
    }

    fn of_value(&mut self, item: &str) -> Value {
        match item.strip_prefix("frame ") {
            Some(at) => {
                let at = u32::parse(at);
                Value::Frame(self.good(item, at).unwrap_or_default())
            }
            None => Value::Register(self.of_slot(item)),
        }
    }

    /// The elements of a list: of one without brackets, or in brackets.
    fn list_of<T>(&mut self, access: Access, parse: fn(&mut Self, &str) -> T) -> Vec<T> {
        let item = self.next(access).unwrap_or("[]");
        let inner = item.strip_prefix('[').and_then(|item| item.strip_suffix(']'));
        split(inner.unwrap_or(item)).map(|item| parse(self, item)).collect()
    }

    fn place(&mut self, item: &str) -> u32 {
        let labels = self.parser.code.funcs.len().checked_sub(1);
        let at = match item {
            "nowhere" => Some(NONE),
            "return" => Some(AT_RETURN),
            _ => labels.and_then(|of| self.parser.labels.get(of)?.get(item).copied()),
        };
        self.good(item, at).unwrap_or(NONE)
    }

    fn passed_of(&mut self, item: &str) -> Passed {
        let (item, shadow) = item.split_once(" shadow ").unwrap_or((item, "_"));
        let (value, place) = item.split_once(" at ").unwrap_or((item, ""));
        let place = place.split_once('+').and_then(|(a, b)| Some((u32::parse(a)?, u32::parse(b)?)));
        let (offset, size) = self.good(item, place).unwrap_or_default();
        Passed { value: self.of_value(value), offset, size, shadow: self.of_slot(shadow) }
    }

    /// The value of a field; `None` if the instruction does not have the field.
    fn field_of(&mut self, name: &str) -> Option<&'t str> {
        let value = |item: &str| item.strip_prefix(name)?.strip_prefix('=').map(str::len);
        let (at, len) =
            self.fields.iter().enumerate().find_map(|(at, item)| Some((at, value(item)?)))?;
        let item = self.fields.remove(at);
        Some(&item[item.len() - len..])
    }

    /// Opcode and modifiers of the PTX that the instruction was lowered from.
    fn instruction(&self) -> Option<(Opcode, Modifiers)> {
        let words: Vec<&str> = words_of(self.parser.source, self.span).collect();
        let (opcode, words) = words.split_first()?;
        let opcode = Opcode::from_name(opcode)?;
        Some((opcode, read_modifiers(opcode, words).ok()?.0))
    }
}

impl PartsMut for Items<'_, '_> {
    fn slot(&mut self, access: Access, slot: &mut Slot) {
        *slot = self.next(access).map_or(Slot::NONE, |item| self.of_slot(item));
    }

    fn list(&mut self, access: Access, slots: &mut Vec<Slot>) {
        *slots = self.list_of(access, Self::of_slot);
    }

    fn value(&mut self, access: Access, value: &mut Value) {
        *value = self.next(access).map_or(Value::default(), |item| self.of_value(item));
    }

    fn values(&mut self, access: Access, values: &mut Vec<Value>) {
        *values = self.list_of(access, Self::of_value);
    }

    fn result(&mut self, value: &mut Option<Value>) {
        *value = self.to.pop_front().map(|item| self.of_value(item));
    }

    fn passed(&mut self, access: Access, all: &mut Vec<Passed>) {
        *all = self.list_of(access, Self::passed_of);
    }

    fn address(&mut self, base: &mut Slot, offset: &mut u64) {
        let item = self.from.pop_front().unwrap_or("nothing");
        let inner = item.strip_prefix('[').and_then(|item| item.strip_suffix(']'));
        let inner = self.good(item, inner).unwrap_or("_");
        let (first, number) = match (inner.split_once(" + "), inner.split_once(" - ")) {
            (Some((base, number)), _) => (base, u64::parse(number)),
            (None, Some((base, number))) => (base, u64::parse(number).map(u64::wrapping_neg)),
            (None, None) => match u64::parse(inner) {
                Some(number) => ("_", Some(number)),
                None => (inner, Some(0)),
            },
        };
        (*base, *offset) = (self.of_slot(first), self.good(item, number).unwrap_or(0));
    }

    fn word<T: Word>(&mut self, word: &mut T) {
        let text = self.words.pop_front().unwrap_or_default();
        if let Some(value) = self.good(text, T::parse(text)) {
            *word = value;
        }
    }

    fn flag(&mut self, name: &'static str, is: &mut bool) {
        *is = self.words.pop_front_if(|word| *word == name).is_some();
    }

    fn some<T>(&mut self, name: &'static str, value: &mut Option<T>, blank: impl FnOnce() -> T) {
        let mut is = false;
        self.flag(name, &mut is);
        *value = is.then(blank);
    }

    fn field<T: Word + PartialEq>(&mut self, name: &'static str, value: &mut T, default: T) {
        *value = match self.field_of(name) {
            Some(text) => self.good(text, T::parse(text)).unwrap_or(default),
            None => default,
        };
    }

    fn target(&mut self, target: &mut u32) {
        let item = self.to.pop_front().unwrap_or("nothing");
        *target = self.place(item);
    }

    fn targets(&mut self, targets: &mut Box<[u32]>) {
        *targets = self.list_of(Access::Def, Self::place).into();
    }

    fn meets(&mut self, at: &mut u32) {
        let item = self.to.pop_front_if(|item| item.starts_with("meets "));
        *at = item.map_or(NONE, |item| self.place(&item[6..]));
    }

    fn function(&mut self, number: &mut u32) {
        let name = self.field_of("function").unwrap_or("nothing");
        *number = self.parser.functions.get(name).copied().unwrap_or(NONE);
    }

    /// The mnemonic is the row's.
    fn row(&mut self, _: &mut &'static Row) {}

    fn alu(&mut self, function: &mut Alu) {
        let kind = self.words.pop_front().unwrap_or_default();
        let found = self.instruction().and_then(|(opcode, mods)| match kind {
            "Carry" => Some(alu::find(opcode, &mods, 3, Approximate::Card)?.function()),
            _ => alu::with_data(opcode, &mods),
        });
        let is_same = |of: &Alu| format!("{of:?}").split('(').next() == Some(kind);
        if let Some(found) = self.good(kind, found.filter(is_same)) {
            *function = found;
        }
    }

    fn operation(&mut self, operation: &mut Arc<Operation>) {
        let mut selector = 0;
        self.field("selector", &mut selector, 0);
        let found = self.instruction();
        let found = found.and_then(|(opcode, mods)| product_of(opcode, &mods, selector));
        if let Some(found) = self.good("mma", found) {
            *operation = found;
        }
    }
}
