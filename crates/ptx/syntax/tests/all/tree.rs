//! What the tree looks like: the value and the place of everything.

use texunit_syntax::ast::*;
use texunit_syntax::{MAX_ERRORS, SourceFile, Span, parse};

const HEAD: &str = ".version 8.8\n.target sm_75, texmode_independent\n.address_size 64\n";

/// Parses without a complaint and shows the module to `look`.
fn module(text: &str, look: impl FnOnce(&SourceFile, &Module<'_>)) {
    let source = SourceFile::new("test.ptx", format!("{HEAD}{text}"));
    let parsed = parse(&source);
    assert_eq!(parsed.diagnostics, [], "{text}");
    look(&source, &parsed.module);
}

/// The statements of a kernel.
fn body(text: &str, look: impl FnOnce(&SourceFile, &[Statement<'_>])) {
    module(&format!(".entry k() {{\n{text}\n}}"), |source, module| {
        let Item::Function(function) = &module.items[3] else { panic!("no function") };
        look(source, &function.body.as_ref().unwrap().statements);
    });
}

fn instruction(text: &str, look: impl FnOnce(&SourceFile, &Instruction<'_>)) {
    body(text, |source, statements| {
        let [Statement::Instruction(instruction)] = statements else { panic!("{statements:?}") };
        look(source, instruction);
    });
}

/// The constant operand of `mov.b64 %r, ...;`.
fn constant(text: &str, look: impl FnOnce(&Expr)) {
    instruction(&format!("mov.b64 %r, {text};"), |_, instruction| {
        let OperandKind::Constant(value) = &instruction.operands[1].kind else {
            panic!("{text}: {:?}", instruction.operands[1])
        };
        look(value);
    });
}

/// An expression with all its parentheses.
fn shape(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Integer { value, unsigned } => {
            format!("{value}{}", if *unsigned { "U" } else { "" })
        }
        ExprKind::F32(bits) => format!("f{bits:08x}"),
        ExprKind::F64(bits) => format!("d{bits:016x}"),
        ExprKind::WarpSize => "WARP_SZ".into(),
        ExprKind::Unary(op, operand) => format!("({op:?} {})", shape(operand)),
        ExprKind::Cast(true, operand) => format!("(u64 {})", shape(operand)),
        ExprKind::Cast(false, operand) => format!("(s64 {})", shape(operand)),
        ExprKind::Binary(op, left, right) => format!("({op:?} {} {})", shape(left), shape(right)),
        ExprKind::Conditional(a, b, c) => format!("(if {} {} {})", shape(a), shape(b), shape(c)),
    }
}

#[test]
fn numbers_have_their_values() {
    #[rustfmt::skip]
    let cases = [
        ("0", "0"), ("12", "12"), ("12U", "12U"), ("0x1F", "31"), ("0X1fU", "31U"), ("017", "15"), ("00", "0"),
        ("017U", "15U"), ("0b101", "5"), ("0B101U", "5U"), ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9223372036854775808U"), ("0xffffffffffffffff", "18446744073709551615U"),
        ("01777777777777777777777", "18446744073709551615U"),
        ("0f3f800000", "f3f800000"), ("0FFF800000", "fff800000"), ("0f7FC00001", "f7fc00001"),
        ("0d3ff0000000000000", "d3ff0000000000000"), ("0DFFF8000000000001", "dfff8000000000001"),
        ("1.5", "d3ff8000000000000"), (".5", "d3fe0000000000000"), ("1.", "d3ff0000000000000"),
        ("1e3", "d408f400000000000"), ("1.E+3", "d408f400000000000"), ("5.e-1", "d3fe0000000000000"),
        ("0.1", "d3fb999999999999a"), ("00.5", "d3fe0000000000000"), ("2.2250738585072014e-308", "d0010000000000000"),
        ("0e-400", "d0000000000000000"), ("1.7976931348623157e308", "d7fefffffffffffff"),
        ("WARP_SZ", "WARP_SZ"),
    ];
    for (text, expected) in cases {
        constant(text, |value| assert_eq!(shape(value), expected, "{text}"));
    }
}

#[test]
fn operators_bind_as_in_c() {
    #[rustfmt::skip]
    let cases = [
        ("1 + 2 * 3", "(Add 1 (Mul 2 3))"),
        ("(1 + 2) * 3", "(Mul (Add 1 2) 3)"),
        ("1 - 2 - 3", "(Sub (Sub 1 2) 3)"),
        ("8 / 4 % 3", "(Rem (Div 8 4) 3)"),
        ("1 << 2 + 3", "(Shl 1 (Add 2 3))"),
        ("1 < 2 == 3 >= 4", "(Eq (Lt 1 2) (Ge 3 4))"),
        ("1 & 2 ^ 3 | 4", "(Or (Xor (And 1 2) 3) 4)"),
        ("1 | 2 ^ 3 & 4", "(Or 1 (Xor 2 (And 3 4)))"),
        ("1 && 2 || 3 && 4", "(LogicalOr (LogicalAnd 1 2) (LogicalAnd 3 4))"),
        ("1 != 2 & 3", "(And (Ne 1 2) 3)"),
        ("1 ? 2 : 3 ? 4 : 5", "(if 1 2 (if 3 4 5))"),
        ("1 ? 2 ? 3 : 4 : 5", "(if 1 (if 2 3 4) 5)"),
        ("- -1", "(Minus (Minus 1))"),
        ("-1 + ~2 * !3", "(Add (Minus 1) (Mul (BitNot 2) (Not 3)))"),
        ("+1 > -2 >> 1", "(Gt (Plus 1) (Shr (Minus 2) 1))"),
        ("(.u64) 1 + 2", "(Add (u64 1) 2)"),
        ("(.s64) -(.u64) 1", "(s64 (Minus (u64 1)))"),
        ("WARP_SZ*2 <= 64", "(Le (Mul WARP_SZ 2) 64)"),
        ("1.0 + .5", "(Add d3ff0000000000000 d3fe0000000000000)"),
        ("7 % 4", "(Rem 7 4)"),
    ];
    for (text, expected) in cases {
        constant(text, |value| {
            assert_eq!(shape(value), expected, "{text}");
            // As printed, with the parentheses that are needed and no others.
            let printed = value.to_string();
            constant(&printed, |again| assert_eq!(shape(again), expected, "{printed}"));
            assert_eq!(printed.matches('(').count(), text.matches('(').count(), "{printed}");
        });
    }
}

#[test]
fn operands_in_all_forms() {
    fn shown(operand: &Operand<'_>) -> String {
        let list = |list: &[Operand<'_>]| list.iter().map(shown).collect::<Vec<_>>().join(" ");
        match &operand.kind {
            OperandKind::Name { name, component: None } => name.text.into(),
            OperandKind::Name { name, component: Some(c) } => format!("{}@{}", name.text, c.text),
            OperandKind::Constant(value) => format!("#{}", shape(value)),
            OperandKind::Offset(name, offset) => format!("<{} {}>", name.text, shape(offset)),
            OperandKind::Index(name, subscript) => match &**subscript {
                Subscript::Constant(index) => format!("<{}[{}]>", name.text, shape(index)),
                Subscript::Register(register, offset) => {
                    let offset = offset.as_ref().map_or("".into(), |o| format!(" {}", shape(o)));
                    format!("<{}[{}{offset}]>", name.text, register.text)
                }
            },
            OperandKind::Not(name) => format!("not {}", name.text),
            OperandKind::Negated(name) => format!("neg {}", name.text),
            OperandKind::Discard => "_".into(),
            OperandKind::Vector(elements) => format!("vec({})", list(elements)),
            OperandKind::Pair(a, b) => format!("pair({} {})", shown(a), shown(b)),
            OperandKind::Address(Address { base, offset: None }) => format!("at({})", shown(base)),
            OperandKind::Address(Address { base, offset: Some(offset) }) => {
                format!("at({} {})", shown(base), shape(offset))
            }
            OperandKind::Bracket(operands) => format!("brackets({})", list(operands)),
            OperandKind::List(operands) => format!("list({})", list(operands)),
        }
    }
    #[rustfmt::skip]
    let cases = [
        ("mov.u32 %r1, %tid.x;", "%r1, %tid@x"),
        ("mov.u32 %r1, %tid .x;", "%r1, %tid@x"),
        ("mov.u64 %rd1, a+4*2;", "%rd1, <a (Mul 4 2)>"),
        ("mov.u64 %rd1, a+-4;", "%rd1, <a (Minus 4)>"),
        ("mov.u64 %rd1, a[1+1];", "%rd1, <a[(Add 1 1)]>"),
        ("mov.u64 %rd1, a [ %r1 ];", "%rd1, <a[%r1]>"),
        ("ld.u64 %rd1, a[%r1+-1];", "%rd1, <a[%r1 (Minus 1)]>"),
        ("st.u64 a[%r1+1+2], %rd1;", "<a[%r1 (Add 1 2)]>, %rd1"),
        ("ld.u64 %rd1, a[WARP_SZ];", "%rd1, <a[WARP_SZ]>"),
        ("setp.lt.and.u32 %p1|%p2, %r1, -1, !%p3;", "pair(%p1 %p2), %r1, #(Minus 1), not %p3"),
        ("setp.lt.u32 %p1|_, %r1, 1|2;", "pair(%p1 _), %r1, #(Or 1 2)"),
        ("setp.lt.u32 _|%p1, %r1, !0;", "pair(_ %p1), %r1, #(Not 0)"),
        ("atom.global.add.u32 _, [%rd1], 1;", "_, at(%rd1), #1"),
        ("vmad.s32.s32.s32 %r1, %r2.h0, -%r3.b1, -%r4;", "%r1, %r2@h0, neg %r3.b1, neg %r4"),
        ("ld.global.v2.u32 {%r1, _}, [%rd1+-4];", "vec(%r1 _), at(%rd1 (Minus 4))"),
        ("ld.local.u32 %r1, [64+4];", "%r1, at(#(Add 64 4))"),
        ("ld.local.u32 %r1, [-4];", "%r1, at(#(Minus 4))"),
        ("mov.b64 %rd1, {%v.x, 1+2};", "%rd1, vec(%v@x #(Add 1 2))"),
        ("tex.2d.v4.f32.f32 %v|p, [t, s, {%f1, -1.0}], {1, 2};", "pair(%v p), brackets(t s vec(%f1 #(Minus d3ff0000000000000))), vec(#1 #2)"),
        ("tex.1d.v4.f32.f32 {a,b,c,d}, [t, %f1];", "vec(a b c d), brackets(t %f1)"),
        ("txq.width.b32 %r1, [t];", "%r1, at(t)"),
        ("call f;", "f"),
        ("call f, ();", "f, list()"),
        ("call (), f, (%r1, 2);", "list(), f, list(%r1 #2)"),
        ("call (r), %fp, (a, 1.5), proto;", "list(r), %fp, list(a #d3ff8000000000000), proto"),
        ("call %fp, targets;", "%fp, targets"),
        ("ret;", ""),
    ];
    for (text, expected) in cases {
        instruction(text, |_, instruction| {
            let operands: Vec<String> = instruction.operands.iter().map(shown).collect();
            assert_eq!(operands.join(", "), expected, "{text}");
        });
    }
}

#[test]
fn instructions_have_their_parts_and_places() {
    let text = "@!%p1 ld .global.L1::evict_last/* here */.L2::128B\n.v4 .f32 {%f1, %f2, %f3, %f4}, [%rd1+16];";
    instruction(text, |source, instruction| {
        let guard = instruction.guard.unwrap();
        assert!(guard.negated);
        assert_eq!(guard.register.text, "%p1");
        assert_eq!(source.snippet(guard.span), "@!%p1");
        assert_eq!(instruction.opcode.text, "ld");
        let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
        assert_eq!(modifiers, ["global", "L1::evict_last", "L2::128B", "v4", "f32"]);
        for modifier in &instruction.modifiers {
            assert_eq!(source.snippet(modifier.span), modifier.text);
        }
        assert_eq!(source.snippet(instruction.span), text);
        assert_eq!(source.snippet(instruction.operands[0].span), "{%f1, %f2, %f3, %f4}");
        assert_eq!(source.snippet(instruction.operands[1].span), "[%rd1+16]");
        let place = source.location(instruction.span.start);
        assert_eq!((place.line, place.column), (5, 1));
    });
}

#[test]
fn header_directives() {
    module("", |source, module| {
        let [Item::Version(version), Item::Target(target), Item::AddressSize(size)] =
            module.items.as_slice()
        else {
            panic!("{module:?}")
        };
        assert_eq!((version.major, version.minor), (8, 8));
        assert_eq!(source.snippet(version.span), ".version 8.8");
        let options: Vec<&str> = target.options.iter().map(|o| o.text).collect();
        assert_eq!(options, ["sm_75", "texmode_independent"]);
        assert_eq!(size.bits, 64);
    });
}

#[test]
fn variables_have_their_words() {
    let text = ".visible .global .attribute(.managed, .unified(1, 2)) .align 16 .v4 .f32 a[3][2], b<4>, c[] = {1};";
    module(text, |source, module| {
        let variables: Vec<&Variable<'_>> = module.items[3..]
            .iter()
            .map(|item| match item {
                Item::Variable(variable) => variable,
                other => panic!("{other:?}"),
            })
            .collect();
        let [a, b, c] = variables.as_slice() else { panic!("{variables:?}") };
        for variable in [a, b, c] {
            assert_eq!(variable.linkage.unwrap().0, Linkage::Visible);
            assert_eq!(variable.space, Space::Global);
            assert_eq!(variable.align.unwrap().0, 16);
            assert_eq!((variable.vector, variable.ty.text), (4, "f32"));
            let attributes: Vec<&str> = variable.attributes.iter().map(|a| a.text).collect();
            assert_eq!(attributes, ["managed", "unified(1, 2)"]);
        }
        assert_eq!((a.name.text, b.name.text, c.name.text), ("a", "b", "c"));
        let lengths: Vec<String> = a.dimensions.iter().flatten().map(shape).collect();
        assert_eq!(lengths, ["3", "2"]);
        assert_eq!(source.snippet(a.span), &text[..text.find(", b<").unwrap()]);
        assert_eq!(b.count.unwrap().0, 4);
        assert!(matches!(&c.initializer, Some(Initializer::List(list, _)) if list.len() == 1));
        assert_eq!(c.dimensions, [None]);
    });
}

#[test]
fn initial_values() {
    let text = ".global .u64 a[6] = {x, x+4, generic(x)+8, 0xff(x+4), {1.5, -2}, {}};
        .global .texref t = {addr_mode_0 = clamp_ogl, width = 4*4};
        .global .samplerref s = {};";
    module(text, |_, module| {
        let value = |index: usize| match &module.items[index] {
            Item::Variable(variable) => variable.initializer.as_ref().unwrap(),
            other => panic!("{other:?}"),
        };
        fn shown(initializer: &Initializer<'_>) -> String {
            match initializer {
                Initializer::Value(InitialValue { whole: WholeValue::Number(n), .. }) => shape(n),
                Initializer::Value(address) => address.to_string(),
                Initializer::List(list, _) => {
                    format!("{{{}}}", list.iter().map(shown).collect::<Vec<_>>().join(" "))
                }
                Initializer::Fields(fields, _) => fields
                    .iter()
                    .map(|(name, value)| match value {
                        FieldValue::Word(word) => format!("{}: {};", name.text, word.text),
                        FieldValue::Number(n) => format!("{}: {};", name.text, shape(n)),
                    })
                    .collect(),
            }
        }
        let expected = "{x x+4 generic(x)+8 0xff(x+4) {d3ff8000000000000 (Minus 2)} {}}";
        assert_eq!(shown(value(3)), expected);
        assert_eq!(shown(value(4)), "addr_mode_0: clamp_ogl;width: (Mul 4 4);");
        assert!(matches!(value(5), Initializer::Fields(fields, _) if fields.is_empty()));
    });
}

#[test]
fn functions_have_their_parts() {
    let text = ".weak .entry k(.param .u64 .ptr .global .align 8 p, .param .align 4 .b8 s[12], .param .u64 .ptr .texref t, .param .u32 _)
.maxntid 8, 8 .minnctapersm 2 .pragma \"a\", \"b\";
{ ret; }
.func (.reg .b32 r) f (.reg .b32 a);
.extern .func g .noreturn;
.alias h, f;";
    module(text, |source, module| {
        let [Item::Function(k), Item::Function(f), Item::Function(g), Item::Alias(alias)] =
            &module.items[3..]
        else {
            panic!("{module:?}")
        };
        assert!(k.is_entry && k.body.is_some() && k.linkage.unwrap().0 == Linkage::Weak);
        let ptr = k.params[0].ptr.unwrap();
        assert_eq!((ptr.space, ptr.align, ptr.opaque), (Some(Space::Global), Some(8), None));
        assert_eq!(k.params[1].align.unwrap().0, 4);
        assert_eq!(k.params[2].ptr.unwrap().opaque, Some(OpaqueType::Texref));
        assert_eq!(k.params[3].name.text, "");
        let directives: Vec<(&str, &[u64], &[&str])> = k
            .directives
            .iter()
            .map(|d| (d.name.text, d.values.as_slice(), d.strings.as_slice()))
            .collect();
        let expected: [(&str, &[u64], &[&str]); 3] =
            [("maxntid", &[8, 8], &[]), ("minnctapersm", &[2], &[]), ("pragma", &[], &["a", "b"])];
        assert_eq!(directives, expected);
        assert!(source.snippet(k.span).starts_with(".weak .entry k("));
        assert!(source.snippet(k.span).ends_with("\"b\";"));
        assert_eq!(source.snippet(k.body.as_ref().unwrap().span), "{ ret; }");
        assert!(!f.is_entry && f.body.is_none());
        assert_eq!((f.returns[0].space, f.returns[0].name.text), (Space::Reg, "r"));
        assert_eq!((g.name.text, g.directives[0].name.text), ("g", "noreturn"));
        assert_eq!((alias.alias.text, alias.aliasee.text), ("h", "f"));
    });
}

#[test]
fn statements_of_a_body() {
    let text = "L1: L2: .reg .u32 a, b<2>;
{ .loc 1 2 3, function_name f+4, inlined_at 1 2 3
ret; }
.pragma \"nounroll\";
P: .callprototype (.param .b32 _) _ (.param .b32 x) .noreturn;
T: .calltargets f, g;
B: .branchtargets L<2>, end;
end:";
    body(text, |_, statements| {
        let kinds: Vec<String> = statements
            .iter()
            .map(|statement| match statement {
                Statement::Label(name) => format!("{}:", name.text),
                Statement::Instruction(i) => i.opcode.text.into(),
                Statement::Variable(v) => format!("var {}", v.name.text),
                Statement::Block(block) => format!("block {}", block.statements.len()),
                Statement::BranchTargets(t) => format!("{} {:?}", t.label.text, t.targets[0].1),
                Statement::CallTargets(t) => format!("{} {}", t.label.text, t.targets.len()),
                Statement::CallPrototype(p) => format!(
                    "{} {}{}{}",
                    p.label.text,
                    p.returns.len(),
                    p.params[0].name.text,
                    !p.directives.is_empty()
                ),
                Statement::Directive(d) => format!(".{} {}", d.name.text, d.text),
            })
            .collect();
        #[rustfmt::skip]
        let expected = [
            "L1:", "L2:", "var a", "var b", "block 2", ".pragma \"nounroll\"", "P 1xtrue", "T 2", "B Some(2)", "end:",
        ];
        assert_eq!(kinds, expected);
        let Statement::Block(block) = &statements[4] else { unreachable!() };
        let Statement::Directive(loc) = &block.statements[0] else { panic!("{block:?}") };
        assert_eq!(loc.text, "1 2 3, function_name f+4, inlined_at 1 2 3");
        let place = FilePlace { file: 1, line: 2, column: 3 };
        let said = Loc { place, function: Some(("f", 4)), inlined_at: Some(place) };
        assert_eq!(loc.content, Content::Loc(said));
    });
}

#[test]
fn files_places_and_strings() {
    let text = r#"
.file 2 "a b.cu", 1, 2
.entry k() {
    .loc 0x10 /* , */ 4294967295 18446744073709551615, inlined_at 1 2 3 , // 4
        function_name $s, inlined_at 017 0 1
}
.section .debug_str {
a: .b8 104, -1, 0   // b:
b: $c: .b16 258
.b32 a+4
.b32 0xfffffffff
.b64 0x0102030405060708
d:
}
.section .debug_info { a: .b8 1 }
"#;
    let source = SourceFile::new("test.ptx", format!("{HEAD}{text}"));
    let items = parse(&source).module.items;
    let contents: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            Item::Directive(d) => Some(d.content.clone()),
            _ => None,
        })
        .collect();
    let bytes = vec![104, 255, 0, 2, 1, 0, 0, 0, 0, 255, 255, 255, 255, 8, 7, 6, 5, 4, 3, 2, 1];
    let [Content::File(2, "a b.cu"), Content::Section(strings), Content::Section(info)] =
        &contents[..]
    else {
        panic!("{contents:?}")
    };
    let labels = |s: &Section<'_>| {
        s.labels.iter().map(|(l, at)| (l.text.to_owned(), *at)).collect::<Vec<_>>()
    };
    let places = |found: Option<Span>| found.map(|span| &source.text()[span.range()]);
    assert_eq!(strings.bytes, bytes);
    assert_eq!(
        labels(strings),
        [("a", 0), ("b", 3), ("$c", 3), ("d", 21)].map(|(l, at)| (l.to_owned(), at))
    );
    assert_eq!(
        [strings.offset, strings.difference, strings.negative].map(places),
        [Some("a"), None, Some("-")]
    );
    assert_eq!((info.bytes.len(), labels(info)), (0, vec![("a".to_owned(), 0)]));
    let body = items.iter().find_map(|item| match item {
        Item::Function(k) => k.body.as_ref(),
        _ => None,
    });
    let Statement::Directive(d) = &body.unwrap().statements[0] else { panic!("{body:?}") };
    let max = u32::MAX;
    let place = FilePlace { file: 16, line: max, column: max };
    let call = FilePlace { file: 15, line: 0, column: 1 };
    let loc = Loc { place, function: Some(("$s", 0)), inlined_at: Some(call) };
    assert_eq!(d.content, Content::Loc(loc));
}

/// A section that is wrong does not lose what follows, and says nothing.
#[test]
fn strings_with_mistakes() {
    let text = ".section .debug_str { a: .b8 1, 300, 2 }\n.file 1 \"x\"";
    let source = SourceFile::new("test.ptx", format!("{HEAD}{text}"));
    let parsed = parse(&source);
    assert_eq!(parsed.diagnostics.len(), 1);
    let Some(Item::Directive(last)) = parsed.module.items.last() else { panic!("no directive") };
    assert_eq!(last.content, Content::File(1, "x"));
}

#[test]
fn what_is_right_survives_what_is_wrong() {
    let text = ".global .u32 a;
.gloabl .u32 b;
.entry k(.param .u64 p) {
    ld.param.u64 %rd1, [p];
    mov.u32 %r1 1;
    mov.u32 %r2, 2
    ret;
}
.entry broken(.param p) { mov.u32 %r1, 1; }
.global .u32 c;";
    let source = SourceFile::new("test.ptx", format!("{HEAD}{text}"));
    let parsed = parse(&source);
    let codes: Vec<&str> = parsed.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E0030", "E0021", "E0020", "E0033"]);
    let names: Vec<&str> = parsed.module.items[3..]
        .iter()
        .map(|item| match item {
            Item::Variable(variable) => variable.name.text,
            Item::Function(function) => function.name.text,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["a", "k", "broken", "c"]);
    let Item::Function(k) = &parsed.module.items[4] else { panic!("no kernel") };
    assert_eq!(k.body.as_ref().unwrap().statements.len(), 3);
    let lost: Vec<&str> = parsed.lost.iter().map(|&span| source.snippet(span)).collect();
    assert_eq!(lost, [".gloabl .u32 b;\n", "mov.u32 %r1 1;\n    ", ".entry broken(.param p) "]);
}

#[test]
fn errors_are_limited() {
    let many = "mov.u32 %r1 1;\n".repeat(MAX_ERRORS + 50);
    let source = SourceFile::new("test.ptx", format!("{HEAD}.entry k() {{\n{many}}}"));
    let diagnostics = parse(&source).diagnostics;
    assert_eq!(diagnostics.len(), MAX_ERRORS + 1);
    assert!(diagnostics[..MAX_ERRORS].iter().all(|d| d.code == "E0021"));
    let last = &diagnostics[MAX_ERRORS];
    assert_eq!((last.code, source.location(last.primary.span.start).line), ("E0061", 205));
    assert!(last.message.contains("more than 200 errors"));
}

#[test]
fn messages_stay_short() {
    let long = "1".repeat(100_000);
    for text in [
        format!("mov.u64 %r1, {long};"),
        format!("mov.u64 %r1, 0x{long}g;"),
        format!("mov.u64 %r1, a{long}-1;"),
        format!("a{long} = 1;"),
        format!(".a{long} b;"),
        format!("mov.u64 {{a{long}"),
        format!(".pragma a{long};"),
    ] {
        let source = SourceFile::new("test.ptx", format!("{HEAD}.entry k() {{\n{text}\n}}"));
        let diagnostics = parse(&source).diagnostics;
        assert!(!diagnostics.is_empty());
        for diagnostic in diagnostics {
            let help = diagnostic.help.unwrap();
            assert!(diagnostic.message.len() < 500, "{}", diagnostic.message);
            assert!(help.len() < 500 && diagnostic.primary.text.len() < 500, "{help}");
        }
    }
}

#[test]
fn files_that_are_no_ptx() {
    let cases: [(&[u8], &str, &str); 18] = [
        (b"", "E0004", "empty"),
        (b" \n\t\0\x1a", "E0004", "empty"),
        (b"\x7fELF\x02\x01\x01\0", "E0001", "ELF"),
        (b"\x50\xed\x55\xba\x01\0\x10\0", "E0001", "fatbin"),
        (b"BC\xc0\xde5\x14", "E0001", "bitcode"),
        (b"\x1f\x8b\x08\0", "E0001", "gzip"),
        (b"PK\x03\x04\x14", "E0001", "zip"),
        (b"\xff\xfe.\0v\0e\0", "E0001", "UTF-16"),
        (b".version 8.8\n.target sm_75\n\0\x01\x02 more", "E0001", "NUL"),
        (b"#include <stdio.h>\n", "E0003", "C or C++"),
        (b"/* c */\nint main(void)\n{\n  int x = 1;\n  return x;\n}\n", "E0003", "C or C++"),
        (b"float4 x;\nusing namespace std;\n", "E0003", "C or C++"),
        (b"template <typename T>\n__device__ T f(T a) { return a; }\n", "E0003", "C or C++"),
        (b"struct A { int x; };\nint f(int a) { return a; }\n", "E0003", "C or C++"),
        (b"\n__global__ void k(float *a) {\n  if (a) a[0] = 1;\n}\n", "E0003", "CUDA C++"),
        (b"extern \"C\" __global__ void k() {}\n", "E0003", "C++"),
        (b"target triple = \"nvptx64\"\n", "E0003", "LLVM IR"),
        (b"\tcode for sm_75\n", "E0003", "machine code"),
    ];
    for (bytes, code, words) in cases {
        let source = SourceFile::from_bytes("test", bytes);
        let diagnostics = parse(&source).diagnostics;
        let [diagnostic] = diagnostics.as_slice() else { panic!("{bytes:?}: {diagnostics:?}") };
        assert_eq!(diagnostic.code, code, "{bytes:?}");
        assert!(diagnostic.message.contains(words), "{}", diagnostic.message);
    }
    // nvrtc's text ends with a NUL, editors of old with Ctrl-Z.
    for end in ["\0", "\n\0\0", "\u{1a}", "\r\n\u{1a}"] {
        let source = SourceFile::new("test", format!(".version 8.8\r\n.target sm_75{end}"));
        assert_eq!(parse(&source).diagnostics, []);
    }
}

#[test]
fn printing_is_canonical() {
    let text =
        ".visible  .func  ( .reg .b32 r )f( .param.b32 a , .param .u64 .ptr.global.align 4 b )
{ L : @! p  mov .b64  r,{ a , 0x10U } ; { } .reg .v2 .f32 v , w < 3 > ; }
.global .align 8 .u64 t [ 2 ] [] = { generic ( x ) + 4 , 0xff ( x ) } ;";
    let text = text.replace("[ 2 ] []", "[ 2 ]");
    module(&text, |_, module| {
        let expected = format!(
            "{HEAD}
.visible .func (.reg .b32 r) f(.param .b32 a, .param .u64 .ptr .global .align 4 b)
{{
L:
\t@!p mov.b64 r, {{a, 16U}};
\t{{
\t}}
\t.reg .v2 .f32 v;
\t.reg .v2 .f32 w<3>;
}}
.global .align 8 .u64 t[2] = {{generic(x)+4, 0xff(x)}};
"
        );
        assert_eq!(module.to_string(), expected);
    });
}
