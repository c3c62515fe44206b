//! Tests of `malloc` and `free` in device code, and of accesses to the heap.

use crate::common::{Arg, How, Loaded, kernel_with, load_text, words};
use texunit_memory::Heap;
use texunit_simt::FaultKind;

const EXTERN: &str = "
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.global .u64 kept;
";

/// Calls `malloc` for %n64 bytes into %p.
const MALLOC: &str = "{ .param .b64 n; .param .b64 r;
    st.param.b64 [n], %size; call.uni (r), malloc, (n); ld.param.b64 %p, [r]; }";
/// Frees %p.
const FREE: &str = "{ .param .b64 q; st.param.b64 [q], %p; call.uni free, (q); }";
const REGS: &str = ".reg .u64 %p, %size; .reg .u32 %v; .reg .pred %q;";

fn load(body: &str, heap: u64) -> Loaded {
    let body = body.replace("MALLOC;", MALLOC).replace("FREE;", FREE);
    let mut loaded = load_text(&kernel_with(EXTERN, REGS, &body));
    loaded.heap = Some(Heap::new(&loaded.memory, heap).unwrap());
    loaded
}

fn fault(body: &str) -> (FaultKind, String) {
    let loaded = load(body, 1 << 16);
    let (out, _) = loaded.buffer(64);
    let fault = loaded.run("k", How::default(), &[Arg::U64(out)]).unwrap_err();
    (fault.kind.clone(), fault.kind.to_string())
}

#[test]
fn every_thread_gets_memory_of_its_own() {
    let loaded = load(
        "mov.u64 %size, 40;
         MALLOC;
         st.u32 [%p], %t;
         st.u32 [%p+36], %t;
         bar.sync 0;
         ld.u32 %v, [%p+36];
         st.global.u32 [%my], %v;
         FREE;
         ret;",
        1 << 16,
    );
    let (out, block) = loaded.buffer(256);
    let how = How { grid: [4, 1, 1], block: [64, 1, 1], threads: 2, ..How::default() };
    loaded.run("k", how, &[Arg::U64(out)]).unwrap();
    assert_eq!(words(&block), (0..256).collect::<Vec<u32>>());
    // The heap is empty at the end, because all memory has been freed.
    let heap = loaded.heap.as_ref().unwrap();
    assert!(heap.allocate((1 << 16) - 64, 1).is_some());
}

#[test]
fn a_full_heap_and_a_missing_one_give_null() {
    let body = "mov.u64 %size, 3000;
         MALLOC;
         setp.ne.u64 %q, %p, 0;
         selp.u32 %v, 1, 0, %q;
         st.global.u32 [%my], %v;
         ret;";
    let mut loaded = load(body, 10_000);
    let (out, block) = loaded.buffer(32);
    loaded.run("k", How::default(), &[Arg::U64(out)]).unwrap();
    assert_eq!(words(&block), [[1_u32; 3].as_slice(), &[0; 29]].concat());
    loaded.heap = None;
    loaded.run("k", How::default(), &[Arg::U64(out)]).unwrap();
    assert_eq!(words(&block), [0; 32]);
}

#[test]
fn a_later_launch_sees_the_memory() {
    let loaded = load(
        "ld.global.u64 %p, [kept];
         setp.ne.u64 %q, %p, 0;
         @%q bra SECOND;
         mov.u64 %size, 4;
         MALLOC;
         st.u32 [%p], 77;
         st.global.u64 [kept], %p;
         ret;
SECOND:  ld.u32 %v, [%p];
         st.global.u32 [%my], %v;
         FREE;
         ret;",
        4096,
    );
    let (out, block) = loaded.buffer(1);
    let how = How { block: [1, 1, 1], ..How::default() };
    loaded.run("k", how, &[Arg::U64(out)]).unwrap();
    assert_eq!(words(&block), [0]);
    loaded.run("k", how, &[Arg::U64(out)]).unwrap();
    assert_eq!(words(&block), [77]);
    // The third thread frees and reads the second thread's already freed memory.
    let fault = loaded.run("k", how, &[Arg::U64(out)]).unwrap_err();
    let text = fault.kind.to_string();
    assert!(
        text.contains("heap allocation of 4 bytes at") && text.ends_with("was freed"),
        "{text}"
    );
}

#[test]
fn accesses_outside_of_live_allocations_are_found() {
    for access in ["ld.u32 %v, [%p+40];", "st.global.u32 [%p+38], %v;", "ld.global.u8 %v, [%p+40];"]
    {
        let (kind, text) = fault(&format!("mov.u64 %size, 40; MALLOC; {access} ret;"));
        assert!(
            matches!(kind, FaultKind::OutOfBounds { .. } | FaultKind::Misaligned { .. }),
            "{text}"
        );
    }
    let (_, text) = fault("mov.u64 %size, 40; MALLOC; st.u32 [%p+40], 1; ret;");
    assert!(text.contains("0 bytes past a heap allocation of 40 bytes"), "{text}");
    let (_, text) = fault("mov.u64 %size, 42; MALLOC; ld.u32 %v, [%p+40]; ret;");
    assert!(text.contains("its 4 bytes cross the end of a heap allocation of 42 bytes"), "{text}");
}

#[test]
fn wrong_frees_are_found() {
    let (kind, text) = fault("mov.u64 %size, 40; MALLOC; FREE; FREE; ret;");
    assert!(matches!(kind, FaultKind::Heap(_)), "{text}");
    assert!(text.ends_with("has been freed already"), "{text}");
    let (_, text) = fault("mov.u64 %size, 40; MALLOC; add.u64 %p, %p, 16; FREE; ret;");
    assert!(text.contains("is not the beginning of an allocation"), "{text}");
    let (kind, _) = fault("mov.u64 %p, %out; FREE; ret;");
    assert!(matches!(kind, FaultKind::Heap(_)));
    // Freeing a null pointer is allowed.
    let loaded = load("mov.u64 %p, 0; FREE; ret;", 4096);
    loaded.run("k", How::default(), &[Arg::U64(0)]).unwrap();
}
