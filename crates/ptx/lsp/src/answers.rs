//! Answers to requests about a document whose index is up to date.

use super::actions::{self, Target};
use super::completion::{self, Completion};
use super::index::Index;
use super::message::ErrorCode;
use super::{hover, names};
use lsp_types::{
    CodeActionParams, CompletionItem, CompletionList, CompletionTextEdit, DocumentHighlight,
    DocumentHighlightKind, Hover, HoverContents, Location, Position, PrepareRenameResponse, Range,
    ReferenceParams, RenameParams, TextDocumentPositionParams, TextEdit,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use texunit_syntax::{Diagnostic, Span};

/// The error with which a request is answered.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The LSP error code.
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// The JSON result of a request, or its error.
pub(crate) type Answer = Result<Value, Failure>;

/// The analysis results that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Only the index of names.
    Index,
    /// The index of names and the diagnostics.
    Diagnostics,
}

/// The analysis results that a request method needs, and its handler; `None` for unknown methods.
pub(crate) fn method(name: &str) -> Option<(Need, Handler)> {
    METHODS.iter().find(|row| row.0 == name).map(|row| (row.1, row.2))
}

/// A function that answers a request about a document, given the request's parameters.
pub(crate) type Handler = fn(&View<'_>, Value) -> Answer;

#[rustfmt::skip]
const METHODS: &[(&str, Need, Handler)] = &[
    ("textDocument/hover",             Need::Index,       hover_at),
    ("textDocument/definition",        Need::Index,       definition_at),
    ("textDocument/declaration",       Need::Index,       definition_at),
    ("textDocument/references",        Need::Index,       references),
    ("textDocument/documentHighlight", Need::Index,       highlights),
    ("textDocument/documentSymbol",    Need::Index,       outline),
    ("textDocument/completion",        Need::Index,       complete),
    ("textDocument/prepareRename",     Need::Index,       prepare_rename),
    ("textDocument/rename",            Need::Index,       rename),
    ("textDocument/codeAction",        Need::Diagnostics, code_actions),
];

/// Capabilities that the client declared in `initialize`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Client {
    /// Whether hover texts may be Markdown.
    pub(crate) markdown_hover: bool,
    /// Whether the documentation of completions may be Markdown.
    pub(crate) markdown_completion: bool,
    /// Whether the outline may be a tree.
    pub(crate) symbol_tree: bool,
    /// Whether versioned edits are supported.
    pub(crate) versioned_edits: bool,
}

/// A document with its analysis results.
pub(crate) struct View<'a> {
    /// The document's text, URI and version.
    pub(crate) target: Target<'a>,
    /// The document's index of names.
    pub(crate) index: &'a Index,
    /// The document's diagnostics, if they are needed.
    pub(crate) diagnostics: &'a [Diagnostic],
    /// The capabilities of the client that sent the request.
    pub(crate) client: Client,
}

/// Parses the parameters of a request.
pub(crate) fn read<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    serde_json::from_value(params)
        .map_err(|error| Failure::new(ErrorCode::InvalidParams, error.to_string()))
}

fn written(value: impl serde::Serialize) -> Answer {
    serde_json::to_value(value)
        .map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

impl View<'_> {
    fn text(&self) -> &str {
        self.target.text.as_str()
    }

    fn offset(&self, position: Position) -> usize {
        self.target.text.offset(position, self.target.encoding)
    }

    fn range(&self, span: Span) -> Range {
        self.target.text.range(span, self.target.encoding)
    }

    fn location(&self, range: Range) -> Location {
        Location { uri: self.target.uri.clone(), range }
    }
}

fn hover_at(view: &View<'_>, params: Value) -> Answer {
    let at: TextDocumentPositionParams = read(params)?;
    let found = hover::hover(view.text(), view.index, view.offset(at.position));
    written(found.map(|(span, page)| Hover {
        contents: HoverContents::Markup(page.render(view.client.markdown_hover)),
        range: Some(view.range(span)),
    }))
}

fn definition_at(view: &View<'_>, params: Value) -> Answer {
    let at: TextDocumentPositionParams = read(params)?;
    let found = names::definition(view.text(), view.index, view.offset(at.position));
    written(found.map(|span| view.location(view.range(span))))
}

fn references(view: &View<'_>, params: Value) -> Answer {
    let params: ReferenceParams = read(params)?;
    let at = view.offset(params.text_document_position.position);
    let found = names::references(view.text(), view.index, at);
    let converter = view.target.text.converter(view.target.encoding);
    let wanted = |u: &names::Occurrence| params.context.include_declaration || !u.is_declaration;
    let uses = found.into_iter().flatten().filter(wanted);
    let places: Vec<Location> = uses.map(|u| view.location(converter.range(u.span))).collect();
    written(places)
}

fn highlights(view: &View<'_>, params: Value) -> Answer {
    let at: TextDocumentPositionParams = read(params)?;
    let found = names::references(view.text(), view.index, view.offset(at.position));
    let converter = view.target.text.converter(view.target.encoding);
    let places = found.into_iter().flatten().map(|u| DocumentHighlight {
        range: converter.range(u.span),
        kind: Some(DocumentHighlightKind::TEXT),
    });
    written(places.collect::<Vec<_>>())
}

fn outline(view: &View<'_>, _params: Value) -> Answer {
    let flat = (!view.client.symbol_tree).then_some(view.target.uri);
    written(names::symbols(view.target.text, view.index, view.target.encoding, flat))
}

fn complete(view: &View<'_>, params: Value) -> Answer {
    let at: TextDocumentPositionParams = read(params)?;
    let Completion { items, span, is_incomplete } =
        completion::complete(view.text(), view.index, view.offset(at.position));
    let range = view.range(span);
    let item = |(order, item): (usize, completion::Item)| {
        let page = item.page.map(|p| p.documentation(view.client.markdown_completion));
        let edit = TextEdit { range, new_text: item.label.clone() };
        CompletionItem {
            kind: Some(item.kind),
            detail: (!item.detail.is_empty()).then_some(item.detail),
            documentation: page,
            sort_text: Some(format!("{order:04}")),
            filter_text: Some(item.label.clone()),
            text_edit: Some(CompletionTextEdit::Edit(edit)),
            label: item.label,
            ..CompletionItem::default()
        }
    };
    let items = items.into_iter().enumerate().map(item).collect();
    written(CompletionList { is_incomplete, items })
}

fn prepare_rename(view: &View<'_>, params: Value) -> Answer {
    let at: TextDocumentPositionParams = read(params)?;
    match names::renameable(view.text(), view.index, view.offset(at.position)) {
        Ok((span, _)) => written(PrepareRenameResponse::Range(view.range(span))),
        Err(why) => Err(Failure::new(ErrorCode::RequestFailed, why)),
    }
}

fn rename(view: &View<'_>, params: Value) -> Answer {
    let params: RenameParams = read(params)?;
    let at = view.offset(params.text_document_position.position);
    let places = names::rename(view.text(), view.index, at, &params.new_name)
        .map_err(|why| Failure::new(ErrorCode::RequestFailed, why))?;
    let converter = view.target.text.converter(view.target.encoding);
    let edit = |span| TextEdit { range: converter.range(span), new_text: params.new_name.clone() };
    written(actions::workspace_edit(places.into_iter().map(edit).collect(), &view.target))
}

fn code_actions(view: &View<'_>, params: Value) -> Answer {
    let params: CodeActionParams = read(params)?;
    let only = params.context.only.as_deref();
    written(actions::actions(view.diagnostics, &view.target, params.range, only))
}
