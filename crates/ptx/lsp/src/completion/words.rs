//! Completions that do not depend on the module: opcodes, special registers, directives, types, and
//! fields of initialisers.

use super::super::cursor::CursorContext;
use super::super::doc;
use super::Item;
use lsp_types::CompletionItemKind as ItemKind;
use texunit_check::{Architecture, architectures};
use texunit_isa::describe::summary;
use texunit_isa::{Attribute, Class, Form, Opcode, forms_of};
use texunit_syntax::scan::TokenKind;

/// All opcodes; opcodes that texunit cannot execute come last.
pub(super) fn opcodes() -> Vec<Item> {
    let refused = |form: &Form| {
        form.slots.iter().any(|slot| slot.class == Class::Unexecuted && !slot.optional)
    };
    let item = |&opcode: &Opcode| {
        let rank = usize::from(forms_of(opcode).iter().all(refused));
        word_item(opcode.name(), ItemKind::KEYWORD, summary(opcode).to_owned(), rank)
    };
    Opcode::ALL.iter().map(item).collect()
}

pub(super) fn specials() -> impl Iterator<Item = Item> {
    doc::specials().flat_map(|(name, ty, meaning)| {
        let (before, rest) = name.split_once('<').unwrap_or((name, ""));
        let (count, after) = rest.split_once('>').unwrap_or(("", ""));
        let names: Vec<String> = match count.parse::<u32>() {
            Ok(count) => (0..count).map(|n| format!("%{before}{n}{after}")).collect(),
            Err(_) => vec![format!("%{name}")],
        };
        let detail = format!("{ty}: {meaning}");
        names.into_iter().map(move |name| word_item(&name, ItemKind::CONSTANT, detail.clone(), 2))
    })
}

pub(super) fn word_item(label: &str, kind: ItemKind, detail: String, rank: usize) -> Item {
    Item { label: label.into(), kind, detail, page: None, rank }
}

/// Directives and types that are valid after the beginning of a statement.
pub(super) fn directives(place: &CursorContext, text: &str) -> Vec<Item> {
    let before = &place.statement[..place.before];
    let first = before.first().map(|t| t.text(text));
    let function = before.iter().any(|t| matches!(t.text(text), "entry" | "func"));
    let depth = |b: u8| before.iter().filter(|t| t.kind == TokenKind::Other(b)).count();
    let in_list = depth(b'(') > depth(b')');
    let begins = matches!(before.last().map(|t| t.kind), Some(TokenKind::Other(b'(' | b',')));
    let words = match first {
        None if place.in_body => IN_BODY,
        None => AT_MODULE,
        Some(_) if function && in_list && begins => "param reg",
        Some(_) if function && in_list => IN_DECLARATION,
        Some(_) if function => BEHIND_HEADER,
        Some("visible" | "extern" | "weak" | "common") if before.len() == 1 => BEHIND_LINKAGE,
        Some("version" | "target" | "address_size" | "alias" | "pragma" | "file") => "",
        Some("loc" | "section") => "",
        Some("reg") => "v2 v4",
        Some(_) => IN_DECLARATION,
    };
    let directive = |(rank, word): (usize, &str)| {
        word_item(word, ItemKind::KEYWORD, doc::directive(word).unwrap_or_default().into(), rank)
    };
    let mut items: Vec<Item> = words.split_whitespace().enumerate().map(directive).collect();
    if first == Some("reg") || words == IN_DECLARATION {
        items.extend(types(first == Some("reg")));
    }
    items
}

const AT_MODULE: &str = "\
    version target address_size visible entry func global const shared extern weak common alias \
    file section pragma";
const IN_BODY: &str = "\
    reg shared local param global const pragma loc branchtargets calltargets callprototype";
const BEHIND_LINKAGE: &str = "entry func global const shared";
const IN_DECLARATION: &str = "align v2 v4 ptr attribute";
const BEHIND_HEADER: &str = "\
    maxntid reqntid minnctapersm maxnreg reqnctapercluster maxclusterrank explicitcluster \
    blocksareclusters noreturn pragma attribute";

/// Types of registers, or of variables.
pub(super) fn types(of_registers: bool) -> impl Iterator<Item = Item> {
    use texunit_isa::{ScalarType, TypeKind};
    let wanted = move |ty: &&ScalarType| match ty.kind() {
        TypeKind::Opaque => !of_registers,
        TypeKind::Predicate => of_registers,
        _ => {
            !matches!(ty.name(), "tf32" | "u16x2" | "s16x2" | "bf16" | "bf16x2")
                && !ty.name().starts_with('e')
        }
    };
    let item = |&ty| word_item(ScalarType::name(ty), ItemKind::TYPE_PARAMETER, doc::ty(ty), 10);
    ScalarType::ALL.iter().filter(wanted).map(item)
}

pub(super) fn targets() -> Vec<Item> {
    const OPTIONS: &[(&str, &str)] = &[
        ("texmode_independent", "textures and samplers are separate"),
        ("texmode_unified", "a texture holds its sampler"),
        ("debug", "with debugging data"),
        ("map_f64_to_f32", "doubles become floats, for sm_1x"),
    ];
    let option =
        |&(label, detail): &(&str, &str)| word_item(label, ItemKind::KEYWORD, detail.into(), 1);
    let architecture = |name: Architecture| {
        word_item(&name.to_string(), ItemKind::CONSTANT, "architecture".into(), 0)
    };
    architectures().map(architecture).chain(OPTIONS.iter().map(option)).collect()
}

/// Fields of texture and sampler reference initialisers, such as `addr_mode_0`, and their values.
pub(super) fn fields() -> impl Iterator<Item = Item> {
    const VALUES: &str = "nearest linear wrap mirror clamp_ogl clamp_to_edge clamp_to_border";
    let field = |name: &str| {
        word_item(name, ItemKind::FIELD, doc::word(Class::Query, name).unwrap_or_default(), 1)
    };
    let value = |name: &str| word_item(name, ItemKind::ENUM_MEMBER, "value of a field".into(), 2);
    let fields = Attribute::ALL.iter().map(move |attribute| field(attribute.name()));
    fields.chain(VALUES.split(' ').map(value))
}
