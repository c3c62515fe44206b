//! The PTX of random kernels: several fetches, each with its own form and guard.

use super::{ANSWERS, KEPT, OPERANDS};
use std::fmt::Write;
use texunit_testkit::Choices;
use texunit_unit::{CoordType, FetchForm, FetchKind, Geometry, Lod, ResultType};

/// The conditions under which threads execute a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// All threads execute it.
    None,
    /// Threads for which the instruction's predicate is true.
    Predicate,
    /// Threads that do not branch around it.
    Branch,
    /// Threads execute it in a loop, each as often as its own count says.
    Loop,
}

/// One fetch of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) form: FetchForm,
    pub(super) guard: Guard,
    /// Whether all threads read the first texture.
    pub(super) one_texture: bool,
}

impl Step {
    /// A random fetch that PTX supports.
    pub(super) fn drawn(choices: &mut Choices<'_>, geometry: Geometry) -> Option<Self> {
        use ResultType as R;
        let lods = [Lod::Level, Lod::Gradient, Lod::Implicit, Lod::Base, Lod::Level];
        let gather = choices.once_in(5);
        let kind = match gather {
            true => FetchKind::Gather(choices.below(4) as u8),
            false => FetchKind::Sample(choices.of(&lods)),
        };
        let coord = if choices.once_in(8) { CoordType::S32 } else { CoordType::F32 };
        let result = choices.of(&[R::F32, R::F32, R::F32, R::U32, R::S32, R::F16, R::F16x2]);
        let offset = choices.once_in(4);
        let form = FetchForm { kind, geometry, coord, result, offset, compare: false };
        let guard =
            choices.of(&[Guard::None, Guard::None, Guard::Predicate, Guard::Branch, Guard::Loop]);
        let one_texture = choices.once_in(2);
        form.why_impossible().is_none().then_some(Self { form, guard, one_texture })
    }
}

fn registers(prefix: &str, count: usize) -> String {
    let names: Vec<_> = (0..count).map(|n| format!("%{prefix}{n}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// A tuple of operands, whose length is a power of two as the assembler requires.
fn tuple(prefix: &str, count: usize) -> String {
    registers(prefix, count.next_power_of_two())
}

/// The kernel `fetch(handles, in, out)`.
pub(super) fn text(geometry: Geometry, steps: &[Step]) -> String {
    let mut text = format!(
        "\
.version 7.8
.target sm_61
.address_size 64
.visible .entry fetch(.param .u64 handles, .param .u64 in, .param .u64 out)
{{
    .reg .pred %go, %p;
    .reg .b16 %h<4>;
    .reg .b32 %c<4>, %e<4>, %x<4>, %y<4>, %r<5>, %i, %n, %t, %lod, %which, %times;
    .reg .b64 %handles, %texture, %in, %out;
    mov.u32 %i, %ctaid.x;
    mov.u32 %n, %ntid.x;
    mov.u32 %t, %tid.x;
    mad.lo.u32 %i, %i, %n, %t;
    ld.param.u64 %handles, [handles];
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mad.wide.u32 %in, %i, {}, %in;
    mad.wide.u32 %out, %i, {}, %out;
    mov.b32 %e3, 0;
    mov.b32 %x3, 0;
    mov.b32 %y3, 0;
",
        4 * OPERANDS * steps.len(),
        4 * ANSWERS * steps.len(),
    );
    let words = ["%c0", "%c1", "%c2", "%c3", "%e0", "%e1", "%e2", "%lod", "%x0", "%x1", "%x2"];
    let words = [&words[..], &["%y0", "%y1", "%y2", "%which", "%times"]].concat();
    for (number, step) in steps.iter().enumerate() {
        for (i, word) in words.iter().enumerate() {
            let at = 4 * (OPERANDS * number + i);
            let _ = writeln!(text, "    ld.global.b32 {word}, [%in+{at}];");
        }
        step_text(&mut text, geometry, number, step);
    }
    text + "    ret;\n}\n"
}

fn step_text(text: &mut String, geometry: Geometry, number: usize, step: &Step) {
    for i in 0..5 {
        let _ = writeln!(text, "    mov.b32 %r{i}, {KEPT};");
    }
    for i in 0..4 {
        let _ = writeln!(text, "    mov.b16 %h{i}, {KEPT};");
    }
    if step.one_texture {
        text.push_str("    ld.global.u64 %texture, [%handles];\n");
    } else {
        text.push_str("    mad.wide.u32 %texture, %which, 8, %handles;\n");
        text.push_str("    ld.global.u64 %texture, [%texture];\n");
    }
    let fetch = instruction(geometry, &step.form);
    // For threads that do not fetch, the predicate's old value is visible in this register.
    let resident = "selp.b32 %r4, 1, 0, %p;";
    let _ = match step.guard {
        Guard::None => writeln!(text, "    {fetch}\n    {resident}"),
        Guard::Predicate => {
            writeln!(text, "    setp.ne.u32 %go, %times, 0;\n    @%go {fetch}\n    @%go {resident}")
        }
        Guard::Branch => writeln!(
            text,
            "    setp.eq.u32 %go, %times, 0;\n    @%go bra OVER{number};\n    {fetch}\n    {resident}\nOVER{number}:"
        ),
        Guard::Loop => writeln!(
            text,
            "AGAIN{number}:\n    {fetch}\n    {resident}\n    sub.u32 %times, %times, 1;\n    \
             setp.ne.u32 %go, %times, 0;\n    @%go bra AGAIN{number};"
        ),
    };
    let of_halves = step.form.result == ResultType::F16;
    for i in 0..5 {
        if of_halves && i < 4 {
            let _ = writeln!(text, "    cvt.u32.u16 %r{i}, %h{i};");
        }
        let at = 4 * (ANSWERS * number + i);
        let _ = writeln!(text, "    st.global.b32 [%out+{at}], %r{i};");
    }
}

/// The instruction, such as
/// `tex.level.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}|%p, [%texture, {%c0, %c1}], %lod;`
fn instruction(geometry: Geometry, form: &FetchForm) -> String {
    let results = match form.result {
        ResultType::F16 => registers("h", 4),
        ResultType::F16x2 => registers("r", 2),
        _ => registers("r", 4),
    };
    let coords = tuple("c", geometry.coordinates());
    let mut text = format!("{form} {results}|%p, [%texture, {coords}]");
    match form.kind {
        FetchKind::Sample(Lod::Level) => text += ", %lod",
        FetchKind::Sample(Lod::Gradient) => {
            let count = geometry.gradients();
            let _ = write!(text, ", {}, {}", tuple("x", count), tuple("y", count));
        }
        _ => {}
    }
    if form.offset {
        let _ = write!(text, ", {}", tuple("e", geometry.axes()));
    }
    text + ";"
}
