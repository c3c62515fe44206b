//! Mistakes that the parser finds first in a text, made in trees by hand, and limits.

use texunit_check::{Checked, check};
use texunit_syntax::ast::{
    AddressSize, BinaryOp, Expr, ExprKind, Function, Ident, Item, Module, Space, Target, Variable,
    Version,
};
use texunit_syntax::{SourceFile, Span, parse};

fn ident(text: &str) -> Ident<'_> {
    Ident { text, span: Span::default() }
}

fn header<'a>() -> Vec<Item<'a>> {
    let span = Span::default();
    vec![
        Item::Version(Version { major: 8, minor: 0, span }),
        Item::Target(Target { options: vec![ident("sm_75")], span }),
    ]
}

fn codes(items: Vec<Item>) -> Vec<&'static str> {
    let source = SourceFile::new("tree", "");
    let checked = check(&source, &Module { items });
    checked.diagnostics.iter().map(|d| d.code).collect()
}

fn variable<'a>(ty: &'a str, name: &'a str) -> Variable<'a> {
    Variable {
        linkage: None,
        space: Space::Param,
        align: None,
        vector: 1,
        ty: ident(ty),
        ptr: None,
        attributes: Vec::new(),
        name: ident(name),
        count: None,
        dimensions: Vec::new(),
        initializer: None,
        span: Span::default(),
    }
}

#[test]
fn header_directives_are_needed() {
    assert_eq!(codes(Vec::new()), ["E0100", "E0101"]);
    assert_eq!(codes(header()), [] as [&str; 0]);
    let span = Span::default();
    let mut items = header();
    items.push(Item::AddressSize(AddressSize { bits: 48, span }));
    assert_eq!(codes(items), ["E0104"]);
    let mut items = header();
    items.push(Item::AddressSize(AddressSize { bits: 64, span }));
    items.push(Item::AddressSize(AddressSize { bits: 64, span }));
    assert_eq!(codes(items), ["E0106"]);
}

#[test]
fn kernels_return_nothing() {
    let mut items = header();
    items.push(Item::Function(Function {
        linkage: None,
        is_entry: true,
        attributes: Vec::new(),
        returns: vec![variable("u32", "r")],
        name: ident("k"),
        params: Vec::new(),
        directives: Vec::new(),
        body: None,
        span: Span::default(),
    }));
    assert_eq!(codes(items), ["E0150"]);
}

fn sized(kind: ExprKind) -> Vec<&'static str> {
    let mut array = variable("u32", "a");
    array.space = Space::Global;
    array.dimensions = vec![Some(Expr { kind, span: Span::default() })];
    let mut items = header();
    items.push(Item::Variable(array));
    codes(items)
}

#[test]
fn sizes_are_constant() {
    assert_eq!(sized(ExprKind::Name(ident("n"))), ["E0120"]);
    assert_eq!(sized(ExprKind::Integer { value: 3, unsigned: false }), [] as [&str; 0]);
    let one =
        || Expr { kind: ExprKind::Integer { value: 1, unsigned: false }, span: Span::default() };
    let mut deep = one();
    for _ in 0..2000 {
        let kind = ExprKind::Binary(BinaryOp::Add, Box::new(deep), Box::new(one()));
        deep = Expr { kind, span: Span::default() };
    }
    assert_eq!(sized(deep.kind), ["E0122"]);
}

fn check_text(text: &str) -> Checked {
    let source = SourceFile::new("text", text);
    let parsed = parse(&source);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    check(&source, &parsed.module)
}

const HEADER: &str = texunit_testkit::ptx::SM_75;

/// Registers exist once they are named, large variables take no memory.
#[test]
fn declarations_cost_nothing() {
    let checked = check_text(&format!(
        "{HEADER}.global .b8 huge[99999999999];
        .global .u64 table[1000000000] = {{1, huge, huge+8}};
        .entry k() {{ .reg .b32 %r<4000000000>; mov.b32 %r3999999999, %r0; ret; }}"
    ));
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let module = checked.module;
    assert_eq!(module.variables[0].size, 99_999_999_999);
    assert_eq!(module.variables[1].init.len(), 24);
    assert_eq!(module.variables[1].relocations.len(), 2);
    assert_eq!(module.variables[1].relocations[1].addend, 8);
    assert_eq!(module.functions[0].regs.len(), 2);
}

#[test]
fn parameters_are_laid_out_by_alignment() {
    let checked = check_text(&format!(
        "{HEADER}.entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d) {{ ret; }}"
    ));
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let kernel = &checked.module.functions[0];
    let offsets: Vec<_> = kernel.params.iter().map(|p| (p.offset, p.size, p.align)).collect();
    assert_eq!(offsets, [(0, 1, 1), (8, 8, 8), (16, 20, 16), (36, 2, 2)]);
    assert_eq!(kernel.param_size, 38);
}

#[test]
fn labels_point_at_instructions() {
    let checked =
        check_text(&format!("{HEADER}.entry k() {{ a: trap; {{ b: bra a; }} c: ret; d: }}"));
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let labels: Vec<_> =
        checked.module.functions[0].labels.iter().map(|(n, i)| (n.as_str(), *i)).collect();
    assert_eq!(labels, [("a", 0), ("c", 2), ("d", 3), ("b", 1)]);
}

/// Instructions of other chapters are kept, so that only launches that reach them fail.
#[test]
fn foreign_instructions_are_kept() {
    let checked = check_text(
        ".version 8.8\n.target sm_80\n.entry k() { .reg .b64 %rd<2>; mbarrier.init.shared.b64 [%rd1], 1; ret; }",
    );
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let body = checked.module.functions[0].body.as_ref().unwrap();
    assert_eq!(body[0].opcode.name(), "mbarrier");
}
