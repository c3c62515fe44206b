//! Tests of global accesses whose lanes are contiguous, and of those that nearly are.

use crate::common::{Arg, HEADER, How, load_text, words};
use texunit_simt::FaultKind;

/// Elements of an access: type, registers.
const KINDS: [(&str, u32, u32); 7] = [
    ("b32", 1, 4),
    ("v2.b32", 2, 4),
    ("v4.b32", 4, 4),
    ("b64", 1, 8),
    ("v2.b64", 2, 8),
    ("b16", 1, 2),
    ("v4.b16", 4, 2),
];

/// Element of `from` that a thread copies to its own element of `to`: in PTX, where `%i` is the
/// thread's number, and in Rust.
type Place = (&'static str, fn(u32) -> u32);
const PLACES: [Place; 5] = [
    ("mov.u32 %j, %i;", |i| i),
    ("add.u32 %j, %i, 1;", |i| i + 1),
    ("xor.b32 %j, %i, 31;", |i| i ^ 31),
    ("mov.u32 %j, 3;", |_| 3),
    ("and.b32 %j, %i, 1; add.u32 %j, %j, %i;", |i| i + (i & 1)),
];

const LANES: u32 = 32 + 9;

/// A kernel that loads with index `place` and stores in order, or vice versa.
fn text(kind: &str, count: u32, bytes: u32, place: &str, guard: &str, stores: bool) -> String {
    let size = count * bytes;
    let registers: Vec<String> = (0..count).map(|k| format!("%v{k}")).collect();
    let list =
        if count == 1 { registers[0].clone() } else { format!("{{{}}}", registers.join(", ")) };
    let (from, to) = if stores { ("%i", "%j") } else { ("%j", "%i") };
    format!(
        "{HEADER}
.visible .entry k(.param .u64 to, .param .u64 from)
{{
.reg .u64 %to, %from; .reg .u32 %i, %j, %x; .reg .b{width} %v<4>; .reg .pred %p;
ld.param.u64 %to, [to]; ld.param.u64 %from, [from];
mov.u32 %i, %tid.x;
{place}
and.b32 %x, %i, 3; setp.ne.u32 %p, %x, 2;
mad.wide.u32 %from, {from}, {size}, %from; mad.wide.u32 %to, {to}, {size}, %to;
{guard} ld.global.{kind} {list}, [%from+{size}];
{guard} st.global.{kind} [%to+{size}], {list};
ret;
}}",
        width = 8 * bytes,
    )
}

#[test]
fn every_kind_of_row() {
    for (kind, count, bytes) in KINDS {
        let size = (count * bytes) as usize;
        for (place, of) in PLACES {
            for guard in ["", "@%p"] {
                for stores in [false, true] {
                    // It is unspecified which of several threads stores last to an element.
                    if stores && (of(0) == of(1) || of(1) == of(2)) {
                        continue;
                    }
                    let loaded = load_text(&text(kind, count, bytes, place, guard, stores));
                    let data: Vec<u32> =
                        (1..600).map(|i: u32| i.wrapping_mul(0x9e37_79b9)).collect();
                    let (from, source) = loaded.filled(&data);
                    let (to, target) = loaded.buffer(data.len());
                    let how = How { block: [LANES, 1, 1], ..How::default() };
                    loaded.run("k", how, &[Arg::U64(to), Arg::U64(from)]).unwrap();
                    let mut wanted = vec![0; target.size()];
                    let source = source.to_vec();
                    for i in (0..LANES).filter(|i| guard.is_empty() || i & 3 != 2) {
                        let (a, b) = if stores { (i, of(i)) } else { (of(i), i) };
                        let at = |i: u32| (i as usize + 1) * size;
                        wanted[at(b)..at(b) + size].copy_from_slice(&source[at(a)..at(a) + size]);
                    }
                    assert!(target.to_vec() == wanted, "{kind} {place} {guard} {stores}");
                }
            }
        }
    }
}

/// The fault names the first thread that is out of bounds, and later threads have stored nothing.
#[test]
fn rows_that_end_too_early() {
    let loaded = load_text(&text("v4.b32", 4, 4, "mov.u32 %j, %i;", "", true));
    let (from, _) = loaded.filled(&[7; 4 * 40]);
    // There is room for 20 threads after the first element.
    let (to, target) = loaded.buffer(4 * 21);
    let args = [Arg::U64(to), Arg::U64(from)];
    let fault = loaded.run("k", How::default(), &args).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }), "{:?}", fault.kind);
    assert_eq!(fault.thread, [20, 0, 0]);
    assert!(words(&target)[4..].iter().all(|&w| w == 7), "those before it have stored");
    let fault = loaded.run("k", How::default(), &[Arg::U64(from), Arg::U64(from + 4)]).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Misaligned { .. }), "{:?}", fault.kind);
}
