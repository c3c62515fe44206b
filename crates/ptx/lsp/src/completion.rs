//! Completion at a cursor: modifiers with which a form in the instruction table still matches,
//! opcodes, visible names, directives and types.

mod words;

use self::words::{directives, fields, opcodes, specials, targets, word_item};
use super::cursor::CursorContext;
use super::doc;
use super::hover::{self, Page};
use super::index::{Decl, DeclKind, Index};
use super::instruction::{Candidate, Instruction, candidates};
use lsp_types::CompletionItemKind as ItemKind;
use std::collections::HashSet;
use texunit_isa::{Class, Opcode};
use texunit_syntax::Span;
use texunit_syntax::scan::{Token, TokenKind};

/// A word that completion offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The offered word, which is inserted.
    pub(crate) label: String,
    /// The kind of the item, which determines the icon that an editor shows before the label.
    pub(crate) kind: ItemKind,
    /// A short description of the word.
    pub(crate) detail: String,
    /// Documentation of the inserted word.
    pub(crate) page: Option<Page>,
    /// Sort key: the smallest is shown first.
    pub(crate) rank: usize,
}

/// The completions at a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Completion {
    /// The items in display order.
    pub(crate) items: Vec<Item>,
    /// Range of the word at the cursor, which a chosen item replaces.
    pub(crate) span: Span,
    /// Whether items were left out.
    pub(crate) is_incomplete: bool,
}

/// Maximum number of items in a completion.
const MAX: usize = 500;

pub(crate) fn complete(text: &str, index: &Index, offset: usize) -> Completion {
    let place = CursorContext::find(text, index.function_before(offset), offset);
    if place.in_comment {
        return Completion::default();
    }
    let cursor = Cursor::new(text, index, offset, &place);
    let mut items = cursor.items();
    items.retain(|i| starts_with(&i.label, cursor.typed));
    items.sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
    let is_incomplete = items.len() > MAX;
    items.truncate(MAX);
    Completion { items, span: cursor.span, is_incomplete }
}

fn starts_with(label: &str, typed: &str) -> bool {
    label.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed))
}

struct Cursor<'a> {
    text: &'a str,
    index: &'a Index,
    offset: usize,
    place: &'a CursorContext,
    /// The word at the cursor.
    word: Option<Token>,
    /// The part of the word before the cursor.
    typed: &'a str,
    /// Range of the whole word, without its dot.
    span: Span,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str, index: &'a Index, offset: usize, place: &'a CursorContext) -> Self {
        let word = place.word.map(|i| place.statement[i]);
        let span = match word {
            Some(t) if t.kind == TokenKind::Word => {
                Span { start: t.span.start + 1, end: t.span.end }
            }
            Some(t) => t.span,
            None => Span::new(offset, offset),
        };
        // With the cursor before a word's dot, no part of the word has been typed.
        let word = word.filter(|_| span.start as usize <= offset);
        let span = if word.is_none() { Span::new(offset, offset) } else { span };
        Self { text, index, offset, place, word, typed: &text[span.start as usize..offset], span }
    }

    fn token(&self, at: usize) -> Option<&'a Token> {
        self.place.statement.get(at)
    }

    fn first(&self) -> Option<&'a str> {
        self.token(0).filter(|t| t.kind == TokenKind::Word).map(|t| t.text(self.text))
    }

    fn items(&self) -> Vec<Item> {
        let instruction = Instruction::read(self.text, self.place);
        let at = self.place.before;
        match (self.word.map(|w| w.kind), &instruction) {
            (Some(TokenKind::Number), _) => Vec::new(),
            (Some(TokenKind::Word), Some(i)) if i.modifier(at).is_some() => self.modifiers(i, at),
            (Some(TokenKind::Word), Some(_)) => self.components(at),
            (Some(TokenKind::Word), None) => directives(self.place, self.text),
            (_, Some(i)) if at > i.at => self.operands(i),
            (_, Some(i)) if at == i.at => opcodes(),
            (_, _) if self.place.in_body => self.at_statement(),
            (_, _) => self.at_module(),
        }
    }

    fn modifiers(&self, instruction: &Instruction, at: usize) -> Vec<Item> {
        let (Some(opcode), Some(nth)) = (instruction.opcode, instruction.modifier(at)) else {
            return Vec::new();
        };
        let words = instruction.words(self.text);
        let found = candidates(opcode, &words[..nth], &words[nth + 1..]);
        let item = |(rank, Candidate { word, class, .. }): (usize, Candidate)| {
            let detail = doc::word(class, word).unwrap_or_else(|| class_name(class).into());
            let page = Some(hover::opcode(opcode, &[&words[..nth], &[word]].concat()));
            Item { page, ..word_item(word, ItemKind::ENUM_MEMBER, detail, rank) }
        };
        found.into_iter().enumerate().map(item).collect()
    }

    /// Completions after a register: components such as `.x`.
    fn components(&self, at: usize) -> Vec<Item> {
        let of_name = at.checked_sub(1).and_then(|i| self.token(i)).is_some_and(|t| {
            t.kind == TokenKind::Ident && t.span.end == self.place.statement[at].span.start
        });
        if !of_name {
            return Vec::new();
        }
        let item = |(rank, label)| word_item(label, ItemKind::FIELD, "component".into(), rank);
        ["x", "y", "z", "w"].into_iter().enumerate().map(item).collect()
    }

    /// Completions at the beginning of a statement, behind at most a guard and a part of a word.
    fn at_statement(&self) -> Vec<Item> {
        let is = |at: usize, b: u8| self.token(at).is_some_and(|t| t.kind == TokenKind::Other(b));
        let name = usize::from(is(1, b'!')) + 1;
        match self.place.before {
            0 if !is(0, b'@') => opcodes(),
            before if is(0, b'@') && before > name => opcodes(),
            _ if is(0, b'@') => {
                self.names(|d| d.kind == DeclKind::Register && d.is_predicate, |_| 0)
            }
            _ => self.names(|d| d.kind != DeclKind::Label, |_| 0),
        }
    }

    /// Completions at module scope: names in initial values, and options of `.target`.
    fn at_module(&self) -> Vec<Item> {
        let after_equal = self.place.statement[..self.place.before]
            .iter()
            .any(|t| t.kind == TokenKind::Other(b'='));
        match self.first() {
            Some("target") => targets(),
            Some("alias") => self.names(|d| d.kind == DeclKind::Function, |_| 0),
            Some(_) if after_equal => {
                let mut items = self.names(|_| true, |_| 0);
                items.extend(fields());
                items
            }
            _ => Vec::new(),
        }
    }

    fn operands(&self, instruction: &Instruction) -> Vec<Item> {
        use DeclKind::*;
        let before = &self.place.statement[..self.place.before];
        let brackets = before.iter().filter(|t| t.kind == TokenKind::Other(b'[')).count();
        if self.in_subscript(before) {
            return self.names(|d| d.kind == Register && !d.is_predicate, |_| 0);
        }
        match instruction.opcode {
            Some(Opcode::Bra) => self.names(|d| d.kind == Label, |_| 0),
            Some(Opcode::Brx) => self.names(
                |d| matches!(d.kind, Register | Targets),
                |d| usize::from(d.kind == Register),
            ),
            Some(Opcode::Call) => {
                self.names(|d| d.kind != Label, |d| usize::from(d.kind != Function))
            }
            Some(Opcode::Mov) => self.names(|_| true, |d| usize::from(d.kind != Register)),
            Some(op) if is_texture(op) && brackets > 0 => self
                .names(|d| !matches!(d.kind, Label | Kernel), |d| usize::from(d.kind != Reference)),
            _ if brackets > 0 => {
                self.names(|d| !matches!(d.kind, Label | Kernel | Function), |_| 0)
            }
            _ => self.names(
                |d| !matches!(d.kind, Label | Kernel | Function | Reference),
                |d| usize::from(d.kind != Register),
            ),
        }
    }

    /// Whether the cursor is in a subscript such as `name[%r1]`.
    fn in_subscript(&self, before: &[Token]) -> bool {
        let is = |t: &Token, b: u8| t.kind == TokenKind::Other(b);
        let Some(last) = before.iter().rposition(|t| is(t, b'[') || is(t, b']')) else {
            return false;
        };
        let name = last.checked_sub(1).and_then(|i| before.get(i));
        is(&before[last], b'[') && name.is_some_and(|t| t.kind == TokenKind::Ident)
    }

    /// Visible names that begin as typed (inner scopes hide outer scopes), and special registers.
    fn names(&self, wanted: impl Fn(&Decl) -> bool, rank: impl Fn(&Decl) -> usize) -> Vec<Item> {
        let mut items = Vec::new();
        let mut seen = HashSet::new();
        let mut add = |label: String, id: u32| {
            let decl = &self.index.decls[id as usize];
            if seen.insert(label.clone()) && wanted(decl) {
                let page = hover::declaration(self.text, self.index, id);
                let detail = detail(self.text, decl);
                let kind = decl.kind.shown().2;
                items.push(Item { label, kind, detail, page: Some(page), rank: rank(decl) });
            }
            items.len() <= MAX
        };
        'scopes: for (_, scope) in self.index.scopes_at(self.offset) {
            for (name, ids) in &scope.names {
                // The word at the cursor may itself be a declared name, which is not offered.
                let here = |id: &u32| self.index.decls[*id as usize].name != self.span;
                let id = ids.iter().copied().find(here);
                let Some(id) = id.filter(|_| starts_with(name, self.typed)) else { continue };
                if !add(name.to_string(), id) {
                    break 'scopes;
                }
            }
            for (prefix, ids) in &scope.ranges {
                let Some(&id) = ids.first() else { continue };
                let count = self.index.decls[id as usize].count.unwrap_or(0);
                for name in members(prefix, count, self.typed) {
                    if !add(name, id) {
                        break 'scopes;
                    }
                }
            }
        }
        if self.typed.starts_with('%') {
            items.extend(specials());
        }
        items
    }
}

/// Maximum number of registers that are offered from a numbered group such as `%r<1000>`.
const MAX_MEMBERS: usize = 100;

/// The registers of a group `%r<1000>` whose names begin as typed, smallest numbers first.
fn members(prefix: &str, count: u64, typed: &str) -> Vec<String> {
    if !starts_with(prefix, typed) && !starts_with(typed, prefix) {
        return Vec::new();
    }
    let digits = typed.get(prefix.len()..).unwrap_or("");
    let canonical = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    let numbers: Vec<u64> = match digits.parse::<u64>() {
        _ if digits.is_empty() => (0..count).take(MAX_MEMBERS).collect(),
        _ if digits == "0" => (0..count.min(1)).collect(),
        // If the digit `1` has been typed: 1, then 10 to 19, then 100 to 199.
        Ok(first) if canonical => {
            let decades = (0..20).map_while(|zeros| {
                let size = 10_u64.checked_pow(zeros)?;
                let from = first.checked_mul(size).filter(|&from| from < count)?;
                Some(from..from.saturating_add(size).min(count))
            });
            decades.flatten().take(MAX_MEMBERS).collect()
        }
        _ => Vec::new(),
    };
    numbers.into_iter().map(|n| format!("{prefix}{n}")).collect()
}

fn detail(text: &str, decl: &Decl) -> String {
    let source = text.get(decl.span.range()).unwrap_or("");
    let line: String = source.lines().next().unwrap_or("").chars().take(80).collect();
    match decl.kind {
        DeclKind::Label => "label".into(),
        _ => line.trim().to_string(),
    }
}

fn is_texture(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Tex | Tld4 | Txq | Suld | Sust | Sured | Suq)
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Type => "type",
        Class::Vector => "vector",
        Class::Rounding => "rounding",
        Class::Compare => "comparison",
        Class::Space => "state space",
        Class::Geometry => "geometry",
        Class::Hint => "hint",
        _ => "modifier",
    }
}

#[cfg(test)]
mod tests;
