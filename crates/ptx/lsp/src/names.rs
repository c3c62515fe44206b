//! The names of a document: definitions, references, renaming, and the outline with functions,
//! labels and variables.

use super::document::{Encoding, Text};
use super::index::{Decl, DeclKind, Index, Symbol};
use lsp_types::{DocumentSymbol, DocumentSymbolResponse, Location, SymbolInformation, Uri};
use texunit_syntax::Span;
use texunit_syntax::scan::{Scan, Token, TokenKind};

/// The name at an offset, and the symbol that it refers to.
pub(crate) fn symbol_at(text: &str, index: &Index, offset: usize) -> Option<(Span, Symbol)> {
    let token = name_at(text, index, offset)?;
    Some((token.span, index.resolve(token.text(text), token.span.start as usize)?))
}

/// The name at an offset: a word that is not in a comment and not an opcode.
fn name_at(text: &str, index: &Index, offset: usize) -> Option<Token> {
    let from = index.function_before(offset);
    let mut tokens = Scan::new(text, from).take_while(|t| t.span.start as usize <= offset);
    let touches = |t: &Token| offset <= t.span.end as usize;
    let token = tokens.find(|t| t.kind == TokenKind::Ident && touches(t))?;
    (!index.is_word(token.span.start)).then_some(token)
}

/// The definition of the name at an offset, or else its declaration.
pub(crate) fn definition(text: &str, index: &Index, offset: usize) -> Option<Span> {
    let (_, symbol) = symbol_at(text, index, offset)?;
    Some(index.decls[symbol.decl as usize].name)
}

/// An occurrence of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// Range of the occurrence in the text.
    pub(crate) span: Span,
    /// Whether the occurrence is a declaration.
    pub(crate) is_declaration: bool,
}

/// All occurrences of the name at an offset, including its declarations.
pub(crate) fn references(text: &str, index: &Index, offset: usize) -> Option<Vec<Occurrence>> {
    let (_, symbol) = symbol_at(text, index, offset)?;
    let found = index.occurrences(text, symbol);
    let uses =
        found.into_iter().map(|span| Occurrence { span, is_declaration: index.declares(span) });
    Some(uses.collect())
}

/// The name at an offset, if it can be renamed; else the reason why not.
pub(crate) fn renameable(
    text: &str,
    index: &Index,
    offset: usize,
) -> Result<(Span, Symbol), String> {
    let (span, symbol) =
        symbol_at(text, index, offset).ok_or("the name here is not declared in this file")?;
    let decl = &index.decls[symbol.decl as usize];
    if index.has_errors {
        return Err("the file has syntax errors: correct them first, uses may be hidden".into());
    }
    if let Some(count) = decl.count {
        let name = &text[decl.name.range()];
        return Err(format!("`{name}<{count}>` declares many names at once"));
    }
    Ok((span, symbol))
}

/// The occurrences to change for a rename; else the reason why the rename is not possible.
pub(crate) fn rename(
    text: &str,
    index: &Index,
    offset: usize,
    new: &str,
) -> Result<Vec<Span>, String> {
    let (_, symbol) = renameable(text, index, offset)?;
    if !is_name(new) {
        return Err(format!("`{new}` is not a name"));
    }
    let decl: &Decl = &index.decls[symbol.decl as usize];
    if &text[decl.name.range()] == new {
        return Ok(Vec::new());
    }
    if super::doc::special(new).is_some() {
        return Err(format!("`{new}` is a special register"));
    }
    let places = index.occurrences(text, symbol);
    // The new name must not be visible at any occurrence, where one of the two symbols would hide
    // the other, and must not be declared in an inner scope.
    let taken = places.iter().find_map(|p| index.look_up(new, p.start as usize));
    let hidden = index.declared_inside(text, decl.scope, new);
    if let Some(other) = taken.map(|s| s.decl).or(hidden) {
        let line = index.decls[other as usize].line;
        return Err(format!("`{new}` is already declared in line {line}"));
    }
    Ok(places)
}

/// Whether a word is a valid PTX identifier.
fn is_name(word: &str) -> bool {
    let whole = |t: Token| t.kind == TokenKind::Ident && t.span.range() == (0..word.len());
    let is_one = Scan::new(word, 0).next().is_some_and(whole);
    is_one && word.len() <= 1024 && !matches!(word, "_" | "WARP_SZ")
}

/// Maximum number of symbols in the outline.
const MAX: usize = 50_000;

/// The first line of a declaration, without its body.
fn detail(text: &str, span: Span) -> String {
    let all = text.get(span.range()).unwrap_or("");
    let line: String = all.lines().next().unwrap_or("").chars().take(120).collect();
    line.trim().trim_end_matches(['{', ';']).trim_end().to_string()
}

/// The outline: functions with their labels, parameters, registers and variables, and variables at
/// module scope. The outline is a tree; for clients without tree support, a list with the `uri`.
pub(crate) fn symbols(
    text: &Text,
    index: &Index,
    encoding: Encoding,
    uri: Option<&Uri>,
) -> DocumentSymbolResponse {
    let converter = text.converter(encoding);
    let mut list: Vec<DocumentSymbol> = Vec::new();
    // The current function: its index in the outline, and the offset of its end.
    let mut function: Option<(usize, u32)> = None;
    let mut decls: Vec<&Decl> = index.decls.iter().take(MAX).collect();
    decls.sort_by_key(|d| (d.extent.start, d.scope));
    for decl in decls {
        let whole = decl.extent;
        #[allow(deprecated)]
        let symbol = DocumentSymbol {
            name: text.as_str()[decl.name.range()].to_string(),
            detail: Some(detail(text.as_str(), decl.span)),
            kind: decl.kind.shown().1,
            tags: None,
            deprecated: None,
            range: converter.range(whole.to(decl.name)),
            selection_range: converter.range(decl.name),
            children: None,
        };
        match function {
            Some((place, end)) if decl.scope != 0 && decl.name.start < end => {
                list[place].children.get_or_insert_default().push(symbol);
            }
            _ => {
                if matches!(decl.kind, DeclKind::Kernel | DeclKind::Function) {
                    function = Some((list.len(), whole.end));
                }
                list.push(symbol);
            }
        }
    }
    let Some(uri) = uri else { return DocumentSymbolResponse::Nested(list) };
    let mut flat = Vec::new();
    for mut symbol in list {
        let children = symbol.children.take().unwrap_or_default();
        let inner = children.into_iter().map(|child| information(child, Some(&symbol.name), uri));
        let inner: Vec<_> = inner.collect();
        flat.push(information(symbol, None, uri));
        flat.extend(inner);
    }
    DocumentSymbolResponse::Flat(flat)
}

fn information(of: DocumentSymbol, container: Option<&str>, uri: &Uri) -> SymbolInformation {
    #[allow(deprecated)]
    SymbolInformation {
        name: of.name,
        kind: of.kind,
        tags: None,
        deprecated: None,
        location: Location { uri: uri.clone(), range: of.range },
        container_name: container.map(str::to_owned),
    }
}
