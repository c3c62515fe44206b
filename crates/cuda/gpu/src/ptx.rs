//! Generates PTX kernels for one fetch or surface access per thread, with operands and results in
//! memory.

use std::fmt::Write;
use texunit_unit::{FetchForm, FetchKind, Lod, ResultType, SurfaceForm, SurfaceKind};

/// 32-bit words of a fetch's operands: coordinates 4, offsets 3, level, dPdx 3, dPdy 3, compare,
/// and one unused.
pub(crate) const OPERAND_WORDS: usize = 16;
/// 32-bit words of a fetch's result: registers 4, the predicate, and three unused.
pub(crate) const ANSWER_WORDS: usize = 8;

/// The lowest PTX version that has all forms of fetches and surface accesses; the predicate `p` of
/// a destination `d|p` needs 7.1.
const VERSION: &str = "7.1";
/// The PTX version of kernels with a 64-bit `sured`.
const VERSION_REDUCE_64: &str = "8.1";

fn header(version: &str) -> String {
    format!(".version {version}\n.target sm_60\n.address_size 64\n\n")
}

fn registers(names: &[String]) -> String {
    format!("{{{}}}", names.join(", "))
}

/// The registers `%prefix0`, `%prefix1` and so on.
fn numbered(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|i| format!("%{prefix}{i}")).collect()
}

/// The PTX text of a tuple of coordinate registers, padded to a length that ptxas accepts: 1, 2 or
/// 4.
fn tuple(prefix: &str, count: usize) -> String {
    registers(&numbered(prefix, count.next_power_of_two()))
}

/// PTX text that sets `%i` to the thread's index, and jumps to `DONE` if the index is not below the
/// parameter `count`. It uses the registers `%n`, `%t` and `%outside`.
pub(crate) const THREAD: &str = "\
    mov.u32 %i, %ctaid.x;
    mov.u32 %n, %ntid.x;
    mov.u32 %t, %tid.x;
    mad.lo.u32 %i, %i, %n, %t;
    ld.param.u32 %n, [count];
    setp.ge.u32 %outside, %i, %n;
    @%outside bra DONE;
";

/// PTX text of the kernel `fetch(texture, operands, answers, count)`: each thread executes one
/// fetch.
pub fn fetch_kernel(form: &FetchForm) -> String {
    let mut text = header(VERSION);
    text += "\
.visible .entry fetch(.param .u64 texture, .param .u64 operands, .param .u64 answers, .param .u32 count)
{
    .reg .pred %outside, %p;
    .reg .b16 %h<4>;
    .reg .b32 %c<4>, %e<4>, %x<4>, %y<4>, %r<4>, %i, %n, %t, %lod, %f;
    .reg .b64 %texture, %in, %out, %at;
";
    text += THREAD;
    text += "\
    ld.param.u64 %texture, [texture];
    ld.param.u64 %in, [operands];
    ld.param.u64 %out, [answers];
    mul.wide.u32 %at, %i, 64;
    add.u64 %in, %in, %at;
    mul.wide.u32 %at, %i, 32;
    add.u64 %out, %out, %at;
";
    let words = ["%c0", "%c1", "%c2", "%c3", "%e0", "%e1", "%e2", "%lod", "%x0", "%x1", "%x2"]
        .into_iter()
        .chain(["%y0", "%y1", "%y2", "%f"]);
    for (i, register) in words.enumerate() {
        let _ = writeln!(text, "    ld.global.b32 {register}, [%in+{}];", 4 * i);
    }
    text += "    mov.b32 %e3, 0;\n    mov.b32 %x3, 0;\n    mov.b32 %y3, 0;\n";
    let _ = writeln!(text, "    {}", fetch_instruction(form));
    let results: Vec<String> = match form.result {
        ResultType::F16 => {
            for i in 0..4 {
                let _ = writeln!(text, "    cvt.u32.u16 %r{i}, %h{i};");
            }
            numbered("r", 4)
        }
        ResultType::F16x2 => numbered("r", 2),
        _ => numbered("r", 4),
    };
    for (i, register) in results.iter().enumerate() {
        let _ = writeln!(text, "    st.global.b32 [%out+{}], {register};", 4 * i);
    }
    text += "    selp.b32 %r0, 1, 0, %p;\n    st.global.b32 [%out+16], %r0;\nDONE:\n    ret;\n}\n";
    text
}

/// The fetch instruction, such as `tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}|%p, [%texture, {%c0,
/// %c1}];`
fn fetch_instruction(form: &FetchForm) -> String {
    let results = match form.result {
        ResultType::F16 => registers(&numbered("h", 4)),
        ResultType::F16x2 => registers(&numbered("r", 2)),
        _ => registers(&numbered("r", 4)),
    };
    let coords = tuple("c", form.geometry.coordinates());
    let mut text = format!("{form} {results}|%p, [%texture, {coords}]");
    match form.kind {
        FetchKind::Sample(Lod::Level) => text += ", %lod",
        FetchKind::Sample(Lod::Gradient) => {
            let count = form.geometry.gradients();
            let _ = write!(text, ", {}, {}", tuple("x", count), tuple("y", count));
        }
        _ => {}
    }
    if form.offset {
        let _ = write!(text, ", {}", tuple("e", form.geometry.axes()));
    }
    if form.compare {
        text += ", %f";
    }
    text + ";"
}

/// 32-bit words of a surface access: coordinates 4, then up to 16 bytes of data.
pub(crate) const ACCESS_WORDS: usize = 8;

/// PTX text of the kernel `access(surface, data)`, launched for one warp. `data` has eight words
/// for each thread: four coordinates, then the stored or loaded elements, each with its own size in
/// bytes.
pub fn surface_kernel(form: &SurfaceForm) -> String {
    let ((size, count), loads) = (form.kind.elements(), form.kind.loads());
    // 8-bit elements are held in 16-bit registers.
    let register_bits = 8 * u32::from(size.max(2));
    let coords = tuple("c", form.geometry.coordinates());
    let data = registers(&numbered("d", count.into()));
    let late = size == 8 && matches!(form.kind, SurfaceKind::Reduce { .. });
    let mut text = header(if late { VERSION_REDUCE_64 } else { VERSION });
    let _ = write!(
        text,
        "\
.visible .entry access(.param .u64 surface, .param .u64 data)
{{
    .reg .b32 %c<4>, %t;
    .reg .b{register_bits} %d<4>;
    .reg .b64 %surface, %at, %own;
    ld.param.u64 %surface, [surface];
    ld.param.u64 %at, [data];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %own, %t, 32;
    add.u64 %at, %at, %own;
"
    );
    for i in 0..4 {
        let _ = writeln!(text, "    ld.global.b32 %c{i}, [%at+{}];", 4 * i);
    }
    let element = |i: u8| 16 + u32::from(i) * u32::from(size);
    let bits = 8 * u32::from(size);
    if loads {
        let _ = writeln!(text, "    {form} {data}, [%surface, {coords}];");
    }
    for i in 0..count {
        let at = element(i);
        let _ = if loads {
            writeln!(text, "    st.global.b{bits} [%at+{at}], %d{i};")
        } else {
            writeln!(text, "    ld.global.b{bits} %d{i}, [%at+{at}];")
        };
    }
    if !loads {
        let data = if matches!(form.kind, SurfaceKind::Reduce { .. }) { "%d0" } else { &data };
        let _ = writeln!(text, "    {form} [%surface, {coords}], {data};");
    }
    text += "    ret;\n}\n";
    text
}
