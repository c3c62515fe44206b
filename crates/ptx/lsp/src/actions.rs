//! Conversion of diagnostics and their corrections to LSP types.

use super::document::{Converter, Encoding, Text};
use lsp_types::{
    CodeAction, CodeActionKind, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    DocumentChanges, Location, NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier,
    Range, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use serde_json::json;
use std::collections::HashMap;
use texunit_forms::Count;
use texunit_syntax::{Diagnostic, Edit, Label, Severity, Span, fix};

/// Maximum number of diagnostics that are published per document.
pub(crate) const MAX: usize = 2000;

/// The code action kind that applies all corrections.
pub(crate) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.texunit");

/// A document as the client knows it.
pub(crate) struct Target<'a> {
    /// URI of the document.
    pub(crate) uri: &'a Uri,
    /// The client's version number of the document.
    pub(crate) version: i32,
    /// The text of the document.
    pub(crate) text: &'a Text,
    /// The unit of a position's column.
    pub(crate) encoding: Encoding,
    /// Whether the client supports versioned edits.
    pub(crate) versioned_edits: bool,
}

/// Converts the diagnostics of a document. Only the first [`MAX`] are published.
pub(crate) fn diagnostics(list: &[Diagnostic], target: &Target<'_>) -> Vec<lsp_types::Diagnostic> {
    let converter = target.text.converter(target.encoding);
    list.iter().take(MAX).map(|d| diagnostic(d, &converter, target)).collect()
}

fn diagnostic(
    d: &Diagnostic,
    converter: &Converter<'_>,
    target: &Target<'_>,
) -> lsp_types::Diagnostic {
    let related = |label: &Label| DiagnosticRelatedInformation {
        location: Location { uri: target.uri.clone(), range: converter.range(label.span) },
        message: if label.text.is_empty() { "here".into() } else { label.text.clone() },
    };
    let related: Vec<_> = d.secondary.iter().map(related).collect();
    let mut message = d.message.clone();
    if !d.primary.text.is_empty() {
        message += &format!(" ({})", d.primary.text);
    }
    if let Some(help) = &d.help {
        message += &format!("\nhelp: {help}");
    }
    lsp_types::Diagnostic {
        range: converter.range(d.primary.span),
        severity: Some(match d.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(d.code.into())),
        code_description: None,
        source: Some("texunit".into()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: UNNECESSARY.contains(&d.code).then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: Some(
            json!({ "version": target.version, "help": d.help, "fix": edits(&d.fix, converter) }),
        ),
    }
}

/// Codes of warnings about removable PTX code, which editors show faded.
const UNNECESSARY: &[&str] = &["W0103", "W0204", "W0208", "W0209"];

fn edits(fix: &[Edit], converter: &Converter<'_>) -> Vec<TextEdit> {
    let edit = |e: &Edit| TextEdit { range: converter.range(e.span), new_text: e.text.clone() };
    fix.iter().map(edit).collect()
}

/// The code actions that apply corrections of diagnostics in a range.
pub(crate) fn actions(
    list: &[Diagnostic],
    target: &Target<'_>,
    range: Range,
    only: Option<&[CodeActionKind]>,
) -> Vec<CodeAction> {
    let from = target.text.offset(range.start, target.encoding) as u32;
    let to = target.text.offset(range.end, target.encoding) as u32;
    let wanted = |kind: &CodeActionKind| {
        only.is_none_or(|only| only.iter().any(|o| covers(o.as_str(), kind.as_str())))
    };
    let converter = target.text.converter(target.encoding);
    let mut found = Vec::new();
    if wanted(&CodeActionKind::QUICKFIX) {
        let here = list.iter().filter(|d| {
            !d.fix.is_empty() && d.primary.span.start <= to && from <= d.primary.span.end
        });
        for d in here.take(MAX) {
            found.push(CodeAction {
                title: title(&d.fix, target.text),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic(d, &converter, target)]),
                edit: Some(workspace_edit(edits(&d.fix, &converter), target)),
                is_preferred: Some(true),
                ..CodeAction::default()
            });
        }
    }
    let all = fix::edits(&fix::choose(target.text.as_str(), list));
    if wanted(&FIX_ALL) && !all.is_empty() && (only.is_some() || found.len() > 1) {
        found.push(CodeAction {
            title: "Make every certain correction".into(),
            kind: Some(FIX_ALL),
            edit: Some(workspace_edit(edits(&all, &converter), target)),
            ..CodeAction::default()
        });
    }
    found
}

/// Whether the code action kind `asked` includes `kind`: `source` includes `source.fixAll`.
fn covers(asked: &str, kind: &str) -> bool {
    kind.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        || asked.is_empty()
}

/// The title of a correction's code action.
fn title(fix: &[Edit], text: &Text) -> String {
    let [edit] = fix else { return format!("Correct it in {}", Count(fix.len(), "place")) };
    let old = shown(text.as_str().get(edit.span.range()).unwrap_or(""));
    let new = shown(&edit.text);
    match (edit.span == Span::new(0, 0) || old.is_empty(), new.is_empty()) {
        (true, _) => format!("Insert `{new}`"),
        (false, true) => format!("Remove `{old}`"),
        (false, false) => format!("Replace `{old}` with `{new}`"),
    }
}

fn shown(text: &str) -> String {
    let text = text.trim().replace(char::is_control, " ");
    let cut: String = text.chars().take(40).collect();
    if cut.len() < text.len() { cut + "..." } else { cut }
}

/// A workspace edit of one document.
pub(crate) fn workspace_edit(edits: Vec<TextEdit>, target: &Target<'_>) -> WorkspaceEdit {
    if !target.versioned_edits {
        return WorkspaceEdit {
            // `Uri` may be a key: its interior mutability does not affect its hash.
            changes: Some(HashMap::from([(target.uri.clone(), edits)])),
            ..WorkspaceEdit::default()
        };
    }
    let text_document = OptionalVersionedTextDocumentIdentifier {
        uri: target.uri.clone(),
        version: Some(target.version),
    };
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(vec![TextDocumentEdit {
            text_document,
            edits: edits.into_iter().map(OneOf::Left).collect(),
        }])),
        ..WorkspaceEdit::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        let text = Text::new("tex .u32".into());
        let of =
            |a, b, new: &str| title(&[Edit { span: Span::new(a, b), text: new.into() }], &text);
        let found = [of(0, 3, "tld4"), of(0, 3, ""), of(3, 3, ";")];
        assert_eq!(found, ["Replace `tex` with `tld4`", "Remove `tex`", "Insert `;`"]);
    }

    #[test]
    fn unnecessary_code() {
        let titles = ["field is ignored", "unreachable", "never read", "never used"];
        for (code, title) in UNNECESSARY.iter().zip(titles) {
            let found = texunit_check::find_code(code).map(|c| c.title);
            assert!(found.is_some_and(|t| t.contains(title)), "{code}: {found:?}");
        }
    }

    #[test]
    fn kinds() {
        assert!(covers("", "quickfix") && covers("source", "source.fixAll.texunit"));
        assert!(covers("source.fixAll", "source.fixAll.texunit") && covers("quickfix", "quickfix"));
        assert!(!covers("source.fix", "source.fixAll.texunit") && !covers("refactor", "quickfix"));
    }
}
