//! The outline of a document: its functions, labels and variables.

use super::document::{Encoding, Text};
use super::index::{Decl, DeclKind, Index};
use lsp_types::{
    DocumentSymbol, DocumentSymbolResponse, Location, SymbolInformation, SymbolKind, Uri,
};
use texunit_syntax::Span;

/// Maximum number of symbols that are listed.
const MAX: usize = 50_000;

fn kind(decl: &Decl) -> SymbolKind {
    match decl.kind {
        DeclKind::Kernel | DeclKind::Function | DeclKind::Alias => SymbolKind::FUNCTION,
        DeclKind::Label | DeclKind::Targets => SymbolKind::KEY,
        DeclKind::Reference => SymbolKind::OBJECT,
        DeclKind::Parameter => SymbolKind::PROPERTY,
        DeclKind::Register | DeclKind::Variable => SymbolKind::VARIABLE,
    }
}

/// The first line of a declaration, without its body.
fn detail(text: &str, span: Span) -> String {
    let all = text.get(span.range()).unwrap_or("");
    let line: String = all.lines().next().unwrap_or("").chars().take(120).collect();
    line.trim().trim_end_matches(['{', ';']).trim_end().to_string()
}

/// The outline: functions with their labels, parameters, registers and variables, and variables of
/// the module.
pub(crate) fn symbols(
    text: &Text,
    index: &Index,
    encoding: Encoding,
    uri: Option<&Uri>,
) -> DocumentSymbolResponse {
    if let Some(uri) = uri {
        return flat(text, index, encoding, uri);
    }
    let converter = text.converter(encoding);
    let mut list: Vec<DocumentSymbol> = Vec::new();
    // The current function: its index in the list, and its end.
    let mut function: Option<(usize, u32)> = None;
    let mut decls: Vec<&Decl> = index.decls.iter().take(MAX).collect();
    decls.sort_by_key(|d| (d.extent.start, d.scope));
    for decl in decls {
        let whole = decl.extent;
        #[allow(deprecated)]
        let symbol = DocumentSymbol {
            name: text.as_str()[decl.name.range()].to_string(),
            detail: Some(detail(text.as_str(), decl.span)),
            kind: kind(decl),
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
    DocumentSymbolResponse::Nested(list)
}

/// A flat outline, for clients without tree support.
fn flat(text: &Text, index: &Index, encoding: Encoding, uri: &Uri) -> DocumentSymbolResponse {
    let converter = text.converter(encoding);
    let mut function: Option<&Decl> = None;
    let mut list = Vec::new();
    for decl in index.decls.iter().take(MAX) {
        if matches!(decl.kind, DeclKind::Kernel | DeclKind::Function) {
            function = Some(decl);
        }
        let container = function.filter(|f| decl.scope != 0 && decl.name.start < f.extent.end);
        #[allow(deprecated)]
        list.push(SymbolInformation {
            name: text.as_str()[decl.name.range()].to_string(),
            kind: kind(decl),
            tags: None,
            deprecated: None,
            location: Location { uri: uri.clone(), range: converter.range(decl.extent) },
            container_name: container.map(|f| text.as_str()[f.name.range()].to_string()),
        });
    }
    DocumentSymbolResponse::Flat(list)
}
