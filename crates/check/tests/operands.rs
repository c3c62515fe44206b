//! The order and form of checked operands, which the executor relies on.

#![allow(clippy::unwrap_used)]

use texunit_check::check;
use texunit_check::ir::{Base, Function, Instruction, Module, Operand};
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
    let texts: Vec<String> =
        instruction.operands.iter().map(|o| text(o, kernel, &module)).collect();
    texts.join(" ")
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
        Operand::Param(id) => format!("param:{}", kernel.params[id.0 as usize].name),
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
        "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, %f5];" => "{%f1,%f2,%f3,%f4} _ <t> _ {%f5}";
        "tex.2d.v4.f32.s32 %v, [kt, {%r1, 2}];" => "{%v,%v.y,%v.z,%v.w} _ <param:kt> _ {%r1,0x2}";
        "tex.level.2d.v4.f32.f32 {%f1,_,_,_}|%p1, [%rd1, {%f5, 0.5}], 1.0, {1, -1}, %f7;"
            => "{%f1,_,_,_} %p1 <%rd1> _ {%f5,0x3f000000} 0x3f800000 {0x1,0xffffffff} %f7";
        "tex.grad.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5}], {%f6}, {%f7};"
            => "{%f1,%f2,%f3,%f4} _ <t> _ {%f5} {%f6} {%f7}";
        "tld4.g.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5, %f6}];"
            => "{%f1,%f2,%f3,%f4} _ <t> _ {%f5,%f6}";
        "txq.level.width.b32 %r1, [t], 2;" => "%r1 <t> 0x2";
        "istypep.texref %p1, %rd1;" => "%p1 %rd1";
    surfaces:
        "suld.b.2d.b32.trap %r1, [s, {%r2, %r3}];" => "{%r1} <s> {%r2,%r3}";
        "suld.b.1d.v2.b32.zero {%r1,%r4}, [%rd1, {%r2}];" => "{%r1,%r4} <%rd1> {%r2}";
        "sust.p.2d.v4.b32.clamp [s, {%r2, %r3}], {%r1,%r4,%r5,1};" => "<s> {%r2,%r3} {%r1,%r4,%r5,0x1}";
        "sured.b.add.2d.u32.trap [s, {%r2, %r3}], %r1;" => "<s> {%r2,%r3} {%r1}";
        "suq.width.b32 %r1, [s];" => "%r1 <s>";
}
