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
/// the module. It is a tree, or a list for a client without tree support, which needs the `uri`.
pub(crate) fn symbols(
    text: &Text,
    index: &Index,
    encoding: Encoding,
    uri: Option<&Uri>,
) -> DocumentSymbolResponse {
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
