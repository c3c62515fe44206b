//! The index of a module's names: declarations in nested scopes, built from the syntax tree.
//!
//! The index is built in linear time, even for texts with errors, where only declarations in broken
//! statements are missing. Uses of names are not stored; [`Index::occurrences`] scans the text of a
//! scope for them. Visibility follows the checker: registers and variables are visible from their
//! declaration on, labels and names of module scope everywhere.

use lsp_types::{CompletionItemKind, SymbolKind};
use std::collections::HashMap;
use texunit_isa::Opcode;
use texunit_syntax::ast::{
    self, Block, Function, Ident, Initializer, Item, OperandKind, Statement, Variable,
};
use texunit_syntax::scan::{Scan, TokenKind};
use texunit_syntax::{SourceFile, Span, numbered};

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclKind {
    /// A register, declared with `.reg`.
    Register,
    /// A variable in memory, such as one declared with `.global`.
    Variable,
    /// A texture, sampler or surface reference: `.texref`, `.samplerref`, `.surfref`.
    Reference,
    /// A parameter or result of a function.
    Parameter,
    /// A label `name:`.
    Label,
    /// A kernel, declared with `.entry`.
    Kernel,
    /// A device function, declared with `.func`.
    Function,
    /// A second name of a function, declared with `.alias`.
    Alias,
    /// The label of a `.branchtargets`, `.calltargets` or `.callprototype` directive.
    Targets,
}

impl DeclKind {
    /// The kind as a word for messages, as LSP kind in the outline, and as LSP kind of completions.
    pub(crate) fn shown(self) -> (&'static str, SymbolKind, CompletionItemKind) {
        use {CompletionItemKind as Item, SymbolKind as Symbol};
        match self {
            Self::Register => ("Register", Symbol::VARIABLE, Item::VARIABLE),
            Self::Variable => ("Variable", Symbol::VARIABLE, Item::VARIABLE),
            Self::Reference => ("Reference", Symbol::OBJECT, Item::VALUE),
            Self::Parameter => ("Parameter", Symbol::PROPERTY, Item::VARIABLE),
            Self::Label => ("Label", Symbol::KEY, Item::REFERENCE),
            Self::Kernel => ("Kernel", Symbol::FUNCTION, Item::FUNCTION),
            Self::Function => ("Function", Symbol::FUNCTION, Item::FUNCTION),
            Self::Alias => ("Alias", Symbol::FUNCTION, Item::FUNCTION),
            Self::Targets => ("Targets of indirect jumps or calls", Symbol::KEY, Item::REFERENCE),
        }
    }
}

/// A declaration of a name, or of a numbered group of registers such as `%r<10>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decl {
    pub(crate) kind: DeclKind,
    /// Range of the declared name.
    pub(crate) name: Span,
    /// Range of the declaration; for a function, of its header.
    pub(crate) span: Span,
    /// Range of the declaration including a function's body.
    pub(crate) extent: Span,
    /// Index of the scope that contains the declaration.
    pub(crate) scope: u32,
    /// The number of registers, if the declaration is a numbered group such as `%r<10>`.
    pub(crate) count: Option<u64>,
    /// Whether the declaration is a definition, as opposed to a prototype.
    pub(crate) is_definition: bool,
    /// Whether the declaration is of predicate registers.
    pub(crate) is_predicate: bool,
    /// Line number of the name, from 1.
    pub(crate) line: u32,
}

impl Decl {
    fn new(kind: DeclKind, name: Span, span: Span, scope: u32) -> Self {
        Self {
            kind,
            name,
            span,
            extent: span,
            scope,
            count: None,
            is_definition: true,
            is_predicate: false,
            line: 0,
        }
    }
}

/// A scope: a pair of braces, a function with its header, or the module.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Range of the scope in the text.
    pub(crate) span: Span,
    parent: Option<u32>,
    /// Declarations of names other than numbered groups (`%r<10>`), by name.
    pub(crate) names: HashMap<Box<str>, Vec<u32>>,
    /// Declarations of numbered groups such as `%r<10>`, by prefix `%r`.
    pub(crate) ranges: HashMap<Box<str>, Vec<u32>>,
}

/// Maximum number of declarations with the same name that are examined; real programs have fewer.
const MAX_SAME: usize = 64;

/// The symbol that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// Index of the symbol's declaration; of its definition, if there are several declarations.
    pub(crate) decl: u32,
    /// The number of the register, if a group such as `%r<10>` contains it: 3 for `%r3`.
    pub(crate) member: Option<u64>,
}

/// The names of a module.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Scopes ordered by their starts in the text; the first is the module.
    pub(crate) scopes: Vec<Scope>,
    /// Declarations in text order.
    pub(crate) decls: Vec<Decl>,
    /// Whether the parser found syntax errors.
    pub(crate) has_errors: bool,
    /// Offset of each declared name, with the index of its declaration; sorted.
    places: Vec<(u32, u32)>,
    /// Offsets of functions, sorted.
    functions: Vec<u32>,
    /// Offsets of words that are not names: opcodes, and fields of initialisers.
    words: Vec<u32>,
}

impl Index {
    /// Parses a text and indexes its declarations.
    pub(crate) fn new(source: &SourceFile) -> Self {
        let parsed = texunit_syntax::parse(source);
        let mut index =
            Self { has_errors: parsed.diagnostics.iter().any(|d| d.is_error()), ..Self::default() };
        index.open(Span::new(0, source.text().len()), None);
        for item in &parsed.module.items {
            match item {
                Item::Variable(v) => index.variable(v, 0, DeclKind::Variable),
                Item::Function(f) => index.function(f),
                Item::Alias(a) => index.declare(&a.alias, DeclKind::Alias, a.span, 0),
                _ => {}
            }
        }
        for decl in &mut index.decls {
            decl.line = source.location(decl.name.start).line;
        }
        index.places = index.decls.iter().zip(0..).map(|(d, id)| (d.name.start, id)).collect();
        index.places.sort_unstable();
        index.words.sort_unstable();
        index.functions.sort_unstable();
        index
    }

    fn open(&mut self, span: Span, parent: Option<u32>) -> u32 {
        self.scopes.push(Scope { span, parent, names: HashMap::new(), ranges: HashMap::new() });
        self.scopes.len() as u32 - 1
    }

    fn declare(&mut self, name: &Ident<'_>, kind: DeclKind, span: Span, scope: u32) {
        self.add(name.text, Decl::new(kind, name.span, span, scope));
    }

    fn add(&mut self, name: &str, decl: Decl) {
        if name.is_empty() {
            return;
        }
        let id = self.decls.len() as u32;
        let scope = &mut self.scopes[decl.scope as usize];
        let table = if decl.count.is_some() { &mut scope.ranges } else { &mut scope.names };
        match table.get_mut(name) {
            Some(list) => list.push(id),
            None => drop(table.insert(name.into(), vec![id])),
        }
        self.decls.push(decl);
    }

    fn variable(&mut self, v: &Variable<'_>, scope: u32, kind: DeclKind) {
        let kind = match v.ty.text {
            "texref" | "samplerref" | "surfref" if kind == DeclKind::Variable => {
                DeclKind::Reference
            }
            _ if v.space == ast::Space::Reg && kind == DeclKind::Variable => DeclKind::Register,
            _ => kind,
        };
        let decl = Decl {
            count: v.count.map(|(n, _)| n),
            is_definition: v.linkage.is_none_or(|(l, _)| l != ast::Linkage::Extern),
            is_predicate: v.ty.text == "pred",
            ..Decl::new(kind, v.name.span, v.span, scope)
        };
        self.add(v.name.text, decl);
        if let Some(Initializer::Fields(fields, _)) = &v.initializer {
            for (field, value) in fields {
                self.words.push(field.span.start);
                if let ast::FieldValue::Word(word) = value {
                    self.words.push(word.span.start);
                }
            }
        }
    }

    fn function(&mut self, f: &Function<'_>) {
        let kind = if f.is_entry { DeclKind::Kernel } else { DeclKind::Function };
        let extent = f.body.as_ref().map_or(f.span, |b| f.span.to(b.span));
        self.functions.push(extent.start);
        let scope = self.open(extent, Some(0));
        f.returns.iter().for_each(|v| self.variable(v, scope, DeclKind::Parameter));
        let is_definition = f.body.is_some();
        let decl = Decl { extent, is_definition, ..Decl::new(kind, f.name.span, f.span, 0) };
        self.add(f.name.text, decl);
        f.params.iter().for_each(|v| self.variable(v, scope, DeclKind::Parameter));
        if let Some(body) = &f.body {
            self.statements(body, scope);
        }
    }

    /// Indexes the statements of a block; the parser limits the nesting, and so the recursion.
    fn statements(&mut self, block: &Block<'_>, scope: u32) {
        for statement in &block.statements {
            match statement {
                Statement::Label(name) => self.declare(name, DeclKind::Label, name.span, scope),
                Statement::Instruction(i) => {
                    self.words.push(i.opcode.span.start);
                    for operand in &i.operands {
                        if let OperandKind::Name { component: Some(c), .. } = &operand.kind {
                            self.words.push(c.span.start);
                        }
                    }
                }
                Statement::Variable(v) => self.variable(v, scope, DeclKind::Variable),
                Statement::Block(b) => {
                    let inner = self.open(b.span, Some(scope));
                    self.statements(b, inner);
                }
                Statement::BranchTargets(t) | Statement::CallTargets(t) => {
                    self.declare(&t.label, DeclKind::Targets, t.span, scope);
                }
                Statement::CallPrototype(p) => {
                    self.declare(&p.label, DeclKind::Targets, p.span, scope);
                    let inner = self.open(p.span, Some(scope));
                    let all = p.returns.iter().chain(&p.params);
                    all.for_each(|v| self.variable(v, inner, DeclKind::Parameter));
                }
                Statement::Directive(_) => {}
            }
        }
    }

    /// The offset from which to scan for words: of the last function that begins at or before
    /// `offset`.
    pub(crate) fn function_before(&self, offset: usize) -> usize {
        let next = self.functions.partition_point(|&s| s as usize <= offset);
        next.checked_sub(1).map_or(0, |i| self.functions[i] as usize)
    }

    /// The scopes that contain an offset, innermost first.
    pub(crate) fn scopes_at(&self, offset: usize) -> impl Iterator<Item = (u32, &Scope)> {
        let last = self.scopes.partition_point(|s| s.span.start as usize <= offset);
        let mut next = last.checked_sub(1).map(|i| i as u32);
        let mut chain = std::iter::from_fn(move || {
            let id = next?;
            next = self.scopes[id as usize].parent;
            Some((id, &self.scopes[id as usize]))
        });
        // The last scope that begins before the offset may end before it, too; then the offset is
        // in an enclosing scope.
        let inside = move |s: &Scope| offset <= s.span.end as usize;
        let first = chain.by_ref().find(|(_, s)| inside(s));
        first.into_iter().chain(chain)
    }

    /// The symbol to which the name at an offset refers; the offset may be that of a declaration.
    pub(crate) fn resolve(&self, name: &str, offset: usize) -> Option<Symbol> {
        if let Ok(i) = self.places.binary_search_by_key(&(offset as u32), |p| p.0) {
            let decl = self.places[i].1;
            return Some(Symbol { decl: self.best_of_same(decl, name), member: None });
        }
        self.look_up(name, offset)
    }

    /// The symbol to which a name would refer if it were used at an offset.
    pub(crate) fn look_up(&self, name: &str, offset: usize) -> Option<Symbol> {
        let mut hidden = None;
        for (id, scope) in self.scopes_at(offset) {
            for (list, member) in candidates(scope, name) {
                let known = if id == 0 { list.len() } else { self.known(list, offset) };
                let found = match (id, member) {
                    (0, None) => Some(self.best(list)),
                    _ => self.last_with(&list[..known], member),
                };
                if let Some(decl) = found {
                    return Some(Symbol { decl, member });
                }
                let later = list.iter().take(MAX_SAME).find(|d| self.fits(**d, member));
                hidden = hidden.or(later.map(|&decl| Symbol { decl, member }));
            }
        }
        hidden
    }

    /// Number of declarations in `list` that are visible at an offset: declarations before the
    /// offset, and all labels.
    fn known(&self, list: &[u32], offset: usize) -> usize {
        let label =
            |d: &u32| matches!(self.decls[*d as usize].kind, DeclKind::Label | DeclKind::Targets);
        if list.first().is_some_and(label) {
            return list.len();
        }
        list.partition_point(|&d| self.decls[d as usize].name.start as usize <= offset)
    }

    fn fits(&self, decl: u32, member: Option<u64>) -> bool {
        let count = self.decls[decl as usize].count;
        member.is_none_or(|m| count.is_some_and(|n| m < n))
    }

    fn last_with(&self, list: &[u32], member: Option<u64>) -> Option<u32> {
        list.iter().rev().take(MAX_SAME).copied().find(|&d| self.fits(d, member))
    }

    /// The preferred declaration of the name that `decl` declares: its definition, if the name has
    /// several declarations at module scope.
    fn best_of_same(&self, decl: u32, name: &str) -> u32 {
        let d = &self.decls[decl as usize];
        // Only at module scope may a name have several declarations.
        match self.scopes[0].names.get(name) {
            Some(list) if d.scope == 0 && d.count.is_none() => self.best(list),
            _ => decl,
        }
    }

    /// The definition among the declarations of a name at module scope, else the first one.
    fn best(&self, list: &[u32]) -> u32 {
        let mut first = list.iter().take(MAX_SAME).copied();
        first.find(|&d| self.decls[d as usize].is_definition).unwrap_or(list[0])
    }

    /// Whether the word at `name` is the declared name of a declaration.
    pub(crate) fn declares(&self, name: Span) -> bool {
        self.places.binary_search_by_key(&name.start, |p| p.0).is_ok()
    }

    /// A declaration of a name in a scope or in a scope inside it.
    pub(crate) fn declared_inside(&self, text: &str, scope: u32, name: &str) -> Option<u32> {
        let span = self.scopes[scope as usize].span;
        let inside = |d: &Decl| span.start <= d.name.start && d.name.end <= span.end;
        let same = |d: &Decl| match d.count {
            None => &text[d.name.range()] == name,
            Some(count) => numbered(name)
                .is_some_and(|(prefix, n)| prefix == &text[d.name.range()] && n < count),
        };
        self.decls.iter().position(|d| inside(d) && same(d)).map(|i| i as u32)
    }

    /// Whether the word at an offset is an opcode or a field of an initialiser, not a name.
    pub(crate) fn is_word(&self, start: u32) -> bool {
        self.words.binary_search(&start).is_ok()
    }

    /// All occurrences of a symbol in text order. The declaration of a group `%r<10>` counts as an
    /// occurrence of each of its registers, and each use of a register as an occurrence of the
    /// group.
    pub(crate) fn occurrences(&self, text: &str, symbol: Symbol) -> Vec<Span> {
        let decl = &self.decls[symbol.decl as usize];
        let name = &text[decl.name.range()];
        let wanted = match symbol.member {
            Some(number) => format!("{name}{number}"),
            None => name.to_string(),
        };
        let all = decl.count.is_some() && symbol.member.is_none();
        let scope = self.scopes[decl.scope as usize].span;
        let mut found = Vec::new();
        for token in Scan::new(&text[..scope.end as usize], scope.start as usize) {
            let word = &text[token.span.range()];
            let named = word == wanted || all && word.starts_with(name);
            if token.kind != TokenKind::Ident || !named || self.is_word(token.span.start) {
                continue;
            }
            // Opcodes in statements with syntax errors are not in `words`.
            if self.has_errors && is_opcode_at(text, token.span) {
                continue;
            }
            let same = self.resolve(word, token.span.start as usize).is_some_and(|m| {
                let declared = self.decls[m.decl as usize].name == token.span;
                m.decl == symbol.decl
                    && (m.member == symbol.member || all || declared && m.member.is_none())
            });
            if same {
                found.push(token.span);
            }
        }
        let declared = decl.name;
        if symbol.member.is_some() && !found.contains(&declared) {
            found.push(declared);
            found.sort();
        }
        found
    }
}

/// The declarations in a scope to which a name may refer, with the number in the name if they
/// declare groups such as `%r<10>`.
fn candidates<'a>(
    scope: &'a Scope,
    name: &'a str,
) -> impl Iterator<Item = (&'a Vec<u32>, Option<u64>)> {
    let plain = scope.names.get(name).map(|list| (list, None));
    let range = numbered(name)
        .and_then(|(prefix, number)| scope.ranges.get(prefix).map(|list| (list, Some(number))));
    plain.into_iter().chain(range)
}

fn is_opcode_at(text: &str, span: Span) -> bool {
    Opcode::from_name(&text[span.range()]).is_some() && text[span.end as usize..].starts_with('.')
}

#[cfg(test)]
mod tests;
