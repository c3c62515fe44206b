//! Hover texts: instructions and modifiers from the instruction table, names from declarations.

use super::cursor::CursorContext;
use super::doc;
use super::index::{DeclKind, Index};
use super::instruction::{Instruction, Matching, matching, needs};
use lsp_types::{Documentation, MarkupContent, MarkupKind};
use texunit_isa::describe::operands;
use texunit_isa::{Form, Opcode, ScalarType, slots};
use texunit_syntax::Span;
use texunit_syntax::scan::{Token, TokenKind};

/// A hover text in paragraphs, which can be rendered with or without Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Code(String),
    Text(String),
}

impl Page {
    fn code(mut self, text: impl Into<String>) -> Self {
        self.0.push(Part::Code(text.into()));
        self
    }

    fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Part::Text(text.into()));
        self
    }

    /// The hover text as an LSP type.
    pub(crate) fn render(&self, markdown: bool) -> MarkupContent {
        let parts = self.0.iter().map(|part| match part {
            Part::Code(text) if markdown => format!("```ptx\n{text}\n```"),
            Part::Code(text) => text.clone(),
            Part::Text(text) if markdown => text.clone(),
            Part::Text(text) => text.replace('`', ""),
        });
        let kind = if markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
        MarkupContent { kind, value: parts.collect::<Vec<_>>().join("\n\n") }
    }

    /// The text as documentation of a completion.
    pub(crate) fn documentation(&self, markdown: bool) -> Documentation {
        Documentation::MarkupContent(self.render(markdown))
    }
}

/// The hover text for the word at an offset.
pub(crate) fn hover(text: &str, index: &Index, offset: usize) -> Option<(Span, Page)> {
    let place = CursorContext::find(text, index.function_before(offset), offset);
    let word = place.word.filter(|_| !place.in_comment)?;
    let token = place.statement[word];
    let page = match Instruction::read(text, &place) {
        Some(i) if i.at == word => opcode(i.opcode?, &i.words(text)),
        Some(i) if i.modifier(word).is_some() => modifier(&i, i.modifier(word)?, text)?,
        _ => other(text, index, &token)?,
    };
    Some((token.span, page))
}

fn other(text: &str, index: &Index, token: &Token) -> Option<Page> {
    let word = token.text(text);
    match token.kind {
        TokenKind::Ident => name(text, index, token.span),
        TokenKind::Number => number(word),
        TokenKind::Word => {
            let ty = || ScalarType::from_name(word).map(doc::ty);
            let meaning = doc::directive(word).map(str::to_owned).or_else(ty)?;
            Some(Page::default().code(format!(".{word}")).text(meaning))
        }
        _ => None,
    }
}

/// Maximum number of instruction forms that a hover text shows.
const MAX_FORMS: usize = 6;

/// A hover text about an opcode with modifiers.
pub(crate) fn opcode(opcode: Opcode, words: &[&str]) -> Page {
    let Matching { forms, details } = matching(opcode, words);
    let mut page = Page::default();
    for form in forms.iter().take(MAX_FORMS) {
        page = page.code(format!("{} {};", form.syntax(), operands(form, true)));
        page = page.text(about(form));
    }
    if forms.len() > MAX_FORMS {
        page = page.text(format!("... and {} other forms", forms.len() - MAX_FORMS));
    }
    details.into_iter().fold(page, Page::text)
}

/// The summary of an instruction form, such as `Texture fetch. PTX ISA 9.7.10.3, needs ...`.
fn about(form: &Form) -> String {
    let row = &form.row;
    let needs = needs(row.version, row.target);
    format!("{}. PTX ISA {}, needs {needs}", capital(row.doc.trim_end_matches('.')), row.section)
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

fn modifier(instruction: &Instruction, index: usize, text: &str) -> Option<Page> {
    let opcode = instruction.opcode?;
    let words = instruction.words(text);
    let word = words[index];
    let matching = matching(opcode, &words);
    let filled = |form: &&'static Form| Some(&form.slots[slots(form, &words)?[index]]);
    let all = || matching.forms.iter().flat_map(|f| &f.slots).find(|s| s.words.contains(&word));
    let slot = matching.forms.iter().find_map(filled).or_else(all)?;
    let mut page = Page::default().code(format!(".{word}"));
    if let Some(meaning) = doc::word(slot.class, word) {
        page = page.text(capital(&meaning));
    }
    if slot.words.len() > 1 {
        let all: Vec<String> = slot.words.iter().map(|w| format!("`.{w}`")).collect();
        page = page.text(format!("One of {}", all.join(" ")));
    }
    let form = matching.forms.first()?;
    Some(page.code(form.syntax()).text(about(form)))
}

/// Maximum length of a declaration that is shown, in bytes.
const MAX_BYTES: usize = 2000;

/// A hover text about the name at a range of the document.
pub(crate) fn name(text: &str, index: &Index, span: Span) -> Option<Page> {
    let word = &text[span.range()];
    if index.is_word(span.start) {
        return None;
    }
    let Some(symbol) = index.resolve(word, span.start as usize) else {
        let (ty, meaning) = doc::special(word)?;
        let text = format!("Special register: {meaning}");
        return Some(Page::default().code(format!("{ty} {word}")).text(text));
    };
    Some(declaration(text, index, symbol.decl))
}

/// The hover text about a declaration.
pub(crate) fn declaration(text: &str, index: &Index, decl: u32) -> Page {
    let decl = &index.decls[decl as usize];
    let source = shortened(text.get(decl.span.range()).unwrap_or(""));
    let several = decl.kind == DeclKind::Register && decl.count.is_some();
    let what = if several { "Registers" } else { decl.kind.shown().0 };
    Page::default().code(source).text(format!("{what}, line {}", decl.line))
}

fn shortened(text: &str) -> String {
    if text.len() <= MAX_BYTES {
        return text.to_string();
    }
    format!("{} ...", &text[..text.floor_char_boundary(MAX_BYTES)])
}

/// A hover text with the value of a floating-point constant that is written as bits (`0f3F800000`).
fn number(word: &str) -> Option<Page> {
    let bits =
        |digits: &str, len| u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == len);
    let value = match word.get(..2)? {
        "0f" | "0F" => format!("{:?}", f32::from_bits(bits(&word[2..], 8)? as u32)),
        "0d" | "0D" => format!("{:?}", f64::from_bits(bits(&word[2..], 16)?)),
        _ => return None,
    };
    Some(Page::default().code(word).text(value))
}
