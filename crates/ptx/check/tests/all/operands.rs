//! The order and form of checked operands, which the executor relies on.

use texunit_check::check;
use texunit_check::ir::{Base, Function, Instruction, Lod, Module, Operand, Operands};
use texunit_isa::{Coordinates, Element};
use texunit_syntax::{SourceFile, parse};

const HEADER: &str = ".version 8.8\n.target sm_90\n.address_size 64\n
.global .texref t;
.global .surfref s;
.global .u32 g[8];
.func (.param .u32 r) f(.param .u32 a) { ret; }
";

const REGISTERS: &str = "
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .u32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<4>;
    .reg .v4 .f32 %v; .local .u32 l; .param .u32 x;
";

fn module(body: &str) -> Module {
    let text = format!(
        "{HEADER}.entry k(.param .u64 kp, .param .texref kt) {{ {REGISTERS} {body} end: }}"
    );
    let source = SourceFile::new("text", text);
    let parsed = parse(&source);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let checked = check(&source, &parsed.module);
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    checked.module
}

/// The operands of one instruction, in a short notation.
fn operands(body: &str) -> String {
    let module = module(body);
    let kernel = module.functions.iter().find(|f| f.is_entry).unwrap();
    let instruction: &Instruction = &kernel.body.as_ref().unwrap()[0];
    let text = |o: &Operand| text(o, kernel, &module);
    match &instruction.operands {
        Operands::Listed(list) => list.iter().map(text).collect::<Vec<_>>().join(" "),
        named => named_operands(named, &text),
    }
}

/// Operands that have names, those that there are.
fn named_operands(operands: &Operands, text: &dyn Fn(&Operand) -> String) -> String {
    let mut parts = Vec::new();
    let mut part = |name: &str, list: &[Operand]| {
        if !list.is_empty() {
            parts.push(format!("{name} {}", list.iter().map(text).collect::<Vec<_>>().join(",")));
        }
    };
    let coordinates = |coords: &Coordinates<Option<Operand>>,
                       part: &mut dyn FnMut(&str, &[Operand])| {
        let elements = [Element::Layer, Element::Sample, Element::X, Element::Y, Element::Z];
        for element in elements {
            part(element.name(), coords.get(element).as_slice());
        }
    };
    match operands {
        Operands::Listed(list) => part("list", list),
        Operands::Fetch(fetch) => {
            part("d", &fetch.destination);
            part("p", fetch.resident.as_slice());
            part("texture", std::slice::from_ref(&fetch.texture));
            part("sampler", fetch.sampler.as_slice());
            coordinates(&fetch.coords, &mut part);
            match &fetch.lod {
                Lod::Implicit => {}
                Lod::Base => part("base", &[Operand::Discard]),
                Lod::Level(level) => part("level", std::slice::from_ref(level)),
                Lod::Gradient { dx, dy } => {
                    part("dx", dx);
                    part("dy", dy);
                }
            }
            part("offset", fetch.offset.as_deref().unwrap_or_default());
            part("compare", fetch.compare.as_slice());
            part("padding", &fetch.padding);
        }
        Operands::Surface(access) => {
            part("d", &access.destination);
            part("surface", std::slice::from_ref(&access.surface));
            coordinates(&access.coords, &mut part);
            part("source", &access.source);
            part("padding", &access.padding);
        }
        Operands::Query(query) => {
            part("d", std::slice::from_ref(&query.destination));
            part("of", std::slice::from_ref(&query.handle));
            part("level", query.level.as_slice());
        }
    }
    parts.join(" ")
}

fn text(operand: &Operand, kernel: &Function, module: &Module) -> String {
    let list = |items: &[Operand]| {
        items.iter().map(|o| text(o, kernel, module)).collect::<Vec<_>>().join(",")
    };
    let base = |base: &Base| match base {
        Base::Reg(id) => kernel.regs[id.0 as usize].name.clone(),
        Base::Variable(id) => module.variables[id.0 as usize].name.clone(),
        Base::Param(id) => format!("param:{}", kernel.params[id.0 as usize].name),
        Base::Return(_) => "return".into(),
        Base::Frame(id) => format!("frame:{}", kernel.frame[id.0 as usize].name),
        Base::Absolute => "absolute".into(),
    };
    match operand {
        Operand::Reg(id) => kernel.regs[id.0 as usize].name.clone(),
        Operand::NotReg(id) => format!("!{}", kernel.regs[id.0 as usize].name),
        Operand::Imm(bits) => format!("{bits:#x}"),
        Operand::Special(reg, n) => format!("%{reg}.{n}"),
        Operand::EnvReg(n) => format!("%envreg{n}"),
        Operand::ZeroCounter => "zero".into(),
        Operand::AddressOf(b, n) => format!("&{}+{n}", base(b)),
        Operand::Function(id) => module.functions[id.0 as usize].name.clone(),
        Operand::Label(id) => kernel.labels[id.0 as usize].0.clone(),
        Operand::Targets(ids) => ids
            .iter()
            .map(|id| kernel.labels[id.0 as usize].0.clone())
            .collect::<Vec<_>>()
            .join("/"),
        Operand::Vector(items) => format!("{{{}}}", list(items)),
        Operand::Discard => "_".into(),
        Operand::Address(b, n) => format!("[{}+{n}]", base(b)),
        Operand::Element(e) => {
            let index = text(&e.index, kernel, module);
            format!("[{}+({index}+{})*{}]", base(&e.base), e.offset, e.size)
        }
        Operand::Handle(b) => format!("<{}>", base(b)),
        Operand::Args(items) => format!("({})", list(items)),
        Operand::FrameVar(id) => format!("frame:{}", kernel.frame[id.0 as usize].name),
        Operand::Prototype(p) => format!("{:?}->{:?}", p.params, p.returns),
    }
}

macro_rules! cases {
    ($($name:ident: $($body:literal => $operands:literal;)*)*) => {
        $(#[test] fn $name() { $(assert_eq!(operands($body), $operands, "{}", $body);)* })*
    };
}

cases! {
    optional_predicates_are_written_out:
        "setp.lt.u32 %p1, %r1, %r2;" => "%p1 _ %r1 %r2";
        "setp.lt.and.u32 %p1|%p2, %r1, -1, !%p3;" => "%p1 %p2 %r1 0xffffffff !%p3";
        "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;" => "%r1 _ %r2 0x0 0x1f 0xffffffff";
        "shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, -1;" => "%r1 %p1 %r2 %r3 0x1f 0xffffffff";
        "match.all.sync.b32 %r1, %r2, -1;" => "%r1 _ %r2 0xffffffff";
        "match.any.sync.b32 %r1, %r2, -1;" => "%r1 %r2 0xffffffff";
        "lop3.b32 %r1, %r1, %r2, %r3, 0x96;" => "%r1 %r1 %r2 %r3 0x96";
        "lop3.or.b32 %r1|%p1, %r1, %r2, %r3, 0x96, %p2;" => "%r1 %p1 %r1 %r2 %r3 0x96 %p2";
    constants_have_the_bits_of_their_operand:
        "mov.f32 %f1, 1.5;" => "%f1 0x3fc00000";
        "mov.f32 %f1, 0f40490fdb;" => "%f1 0x40490fdb";
        "mov.b64 %rd1, 1.5;" => "%rd1 0x3ff8000000000000";
        "mov.b16 %h1, -1;" => "%h1 0xffff";
        "add.u32 %r1, %r2, -2;" => "%r1 %r2 0xfffffffe";
        "mov.pred %p1, -1;" => "%p1 0x1";
        "shl.b64 %rd1, %rd2, 3;" => "%rd1 %rd2 0x3";
        "mad.wide.u32 %rd1, %r1, 8, -1;" => "%rd1 %r1 0x8 0xffffffffffffffff";
    moves:
        "mov.b64 %rd1, {%r1, 7};" => "%rd1 {%r1,0x7}";
        "mov.b64 {_, %r2}, %rd1;" => "{_,%r2} %rd1";
        "mov.u64 %rd1, g+4;" => "%rd1 &g+4";
        "mov.u64 %rd1, g[2];" => "%rd1 &g+8";
        "mov.u64 %rd1, g[-1];" => "%rd1 &g+-4";
        "mov.u64 %rd1, g[%r1];" => "%rd1 [g+(%r1+0)*4]";
        "cvta.global.u64 %rd1, g[%rd2+3];" => "%rd1 [g+(%rd2+3)*4]";
        "mov.u64 %rd1, g[%laneid];" => "%rd1 [g+(%laneid.0+0)*4]";
        "ld.global.u32 %r1, g[2];" => "%r1 [g+8]";
        "ld.global.v2.u32 {%r1, %r2}, g[%r3+-1];" => "{%r1,%r2} [g+(%r3+-1)*4]";
        "st.global.u32 g[%h1], %r2;" => "[g+(%h1+0)*4] %r2";
        "mov.u64 %rd1, l;" => "%rd1 &frame:l+0";
        "mov.u64 %rd1, kp;" => "%rd1 &param:kp+0";
        "mov.u64 %rd1, f;" => "%rd1 f";
        "mov.u64 %rd1, t;" => "%rd1 &t+0";
        "mov.u32 %r1, %ctaid.y;" => "%r1 %ctaid.1";
        "mov.u32 %r1, %envreg7;" => "%r1 %envreg7";
        "mov.f32 %f1, %v.z;" => "%f1 %v.z";
        "cvta.global.u64 %rd1, g;" => "%rd1 &g+0";
    memory_operands:
        "ld.global.u32 %r1, [%rd1+-8];" => "%r1 [%rd1+-8]";
        "ld.global.v4.f32 %v, [g];" => "{%v,%v.y,%v.z,%v.w} [g+0]";
        "ld.global.v2.f32 {%f1, _}, [g+8];" => "{%f1,_} [g+8]";
        "ld.param.u64 %rd1, [kp];" => "%rd1 [param:kp+0]";
        "st.param.b32 [x], %r1;" => "[frame:x+0] %r1";
        "st.global.v2.f32 [%rd1], {%f1, 2.0};" => "[%rd1+0] {%f1,0x40000000}";
        "atom.global.add.u32 _, [%rd1], 1;" => "_ [%rd1+0] 0x1";
        "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;" => "%r1 [%rd1+0] %r2 %r3";
        "red.global.add.u32 [%rd1], 1;" => "[%rd1+0] 0x1";
        "ld.local.u32 %r1, [16];" => "%r1 [absolute+16]";
    barriers:
        "bar.sync 0;" => "0x0";
        "bar.sync 1, 64;" => "0x1 0x40";
        "bar.red.popc.u32 %r1, 0, !%p1;" => "%r1 0x0 !%p1";
        "bar.red.and.pred %p1, 0, 64, %p2;" => "%p1 0x0 0x40 %p2";
    control:
        "bra end;" => "end";
        "call (x), f, (x);" => "(frame:x) f (frame:x)";
        "call (%r1), f, (3);" => "(%r1) f (0x3)";
        "P: .callprototype (.param .u32 _) _ (.param .b64 _); call (x), %rd1, (%rd2), P;"
            => "(frame:x) %rd1 (%rd2) [(B64, 8)]->[(U32, 4)]";
        "T: .branchtargets end, end; brx.idx %r1, T;" => "%r1 end/end";
    textures:
        "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, %f5];" => "d %f1,%f2,%f3,%f4 texture <t> x %f5";
        "tex.2d.v4.f32.s32 %v, [kt, {%r1, 2}];" => "d %v,%v.y,%v.z,%v.w texture <param:kt> x %r1 y 0x2";
        "tex.level.2d.v4.f32.f32 {%f1,_,_,_}|%p1, [%rd1, {%f5, 0.5}], 1.0, {1, -1}, %f7;"
            => "d %f1,_,_,_ p %p1 texture <%rd1> x %f5 y 0x3f000000 level 0x3f800000 offset 0x1,0xffffffff compare %f7";
        "tex.grad.1d.v4.f32.f32 %v|_, [t, {%f5}], {%f6}, {%f7};"
            => "d %v,%v.y,%v.z,%v.w texture <t> x %f5 dx %f6 dy %f7";
        "tex.base.3d.v4.f32.f32 %v, [t, {%f5,%f6,%f7,%f1}], {%r1,%r2,%r3,%r4};"
            => "d %v,%v.y,%v.z,%v.w texture <t> x %f5 y %f6 z %f7 base _ offset %r1,%r2,%r3 padding %f1,%r4";
        "tex.grad.acube.v4.f32.f32 %v, [t, {%r1,%f5,%f6,%f7}], {%f1,%f2,%f3,%f4}, {%f5,%f6,%f7,%f1};"
            => "d %v,%v.y,%v.z,%v.w texture <t> layer %r1 x %f5 y %f6 z %f7 dx %f1,%f2,%f3 dy %f5,%f6,%f7 padding %f4,%f1";
        "tex.2dms.v4.f32.s32 %v, [t, {%r1,%r2,%r3,0}];"
            => "d %v,%v.y,%v.z,%v.w texture <t> sample %r1 x %r2 y %r3 padding 0x0";
        "tex.a2dms.v4.f32.s32 %v, [t, {%r1,%r2,%r3,%r4}];"
            => "d %v,%v.y,%v.z,%v.w texture <t> layer %r2 sample %r1 x %r3 y %r4";
        "tld4.g.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5, %f6}];"
            => "d %f1,%f2,%f3,%f4 texture <t> x %f5 y %f6";
        "txq.level.width.b32 %r1, [t], 2;" => "d %r1 of <t> level 0x2";
        "istypep.texref %p1, %rd1;" => "%p1 %rd1";
    surfaces:
        "suld.b.2d.b32.trap %r1, [s, {%r2, %r3}];" => "d %r1 surface <s> x %r2 y %r3";
        "suld.b.1d.v2.b32.zero {%r1,%r4}, [%rd1, {%r2}];" => "d %r1,%r4 surface <%rd1> x %r2";
        "suld.b.a2d.b32.zero {%r1}, [%rd1, {%r2,%r3,%r4,%r5}];"
            => "d %r1 surface <%rd1> layer %r2 x %r3 y %r4 padding %r5";
        "sust.p.2d.v4.b32.clamp [s, {%r2, %r3}], {%r1,%r4,%r5,1};"
            => "surface <s> x %r2 y %r3 source %r1,%r4,%r5,0x1";
        "sured.b.add.2d.u32.trap [s, {%r2, %r3}], %r1;" => "surface <s> x %r2 y %r3 source %r1";
        "suq.width.b32 %r1, [s];" => "d %r1 of <s>";
}
