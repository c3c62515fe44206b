//! Tests of each kind of event with small kernels.

use super::recorder::{Recorder, SpaceProfile};
use super::{of_first, record};
use crate::common::{Arg, HEADER, How, Loaded, kernel, load_text};
use crate::unit_common::{numbered, shape, texture};
use texunit_memory::Heap;
use texunit_simt::observe::{Events, Observer, Several};
use texunit_simt::{Tallies, Watch};
use texunit_unit::{Geometry, Sampler};

fn one() -> How {
    How { block: [1, 1, 1], ..How::default() }
}

/// The events of a kernel's only thread; addresses of its 64 output words are written from `out`
/// on.
fn told(declarations: &str, body: &str, wants: Events) -> Vec<String> {
    told_by(&kernel(declarations, body), one(), wants)
}

fn told_by(text: &str, how: How, wants: Events) -> Vec<String> {
    let loaded = load_text(text);
    let (out, _) = loaded.buffer(64);
    let seen = of_first(&record(&loaded, how, &[Arg::U64(out)], wants));
    let base = out & !0xffff;
    assert_eq!(base & 0xffff, 0);
    seen.into_iter().map(|s| name_addresses(&s, out)).collect()
}

/// Writes addresses of the buffer as `out+n`.
fn name_addresses(text: &str, out: u64) -> String {
    let mut text = text.to_owned();
    for n in 0..256 {
        text = text.replace(&format!("{:#x} ", out + n), &format!("out+{n} "));
    }
    text
}

#[test]
fn accesses() {
    let declarations = ".shared .align 16 .b8 s[64]; .local .align 8 .b8 l[16]; .reg .u32 %a<4>; .reg .u64 %p, %q; .reg .pred %no;";
    let told = told(
        declarations,
        "mov.u32 %a0, s; setp.eq.u32 %no, %a0, 99;
         st.shared.u16 [s+4], 7;
         st.volatile.shared.v2.u32 [s+8], {%t, %a0};
         @%no st.shared.u16 [s+4], 8;
         ld.acquire.gpu.global.v4.u32 {%a0, %a1, %a2, %a3}, [%out+16];
         st.local.u64 [l+8], %out;
         cvta.shared.u64 %p, 12; st.u8 [%p], 1;
         mov.u64 %q, l; cvta.local.u64 %q, %q; ld.u32 %a1, [%q+8];
         ld.global.u8 %a1, [%my+1];
         atom.global.add.u32 %a2, [%out+4], 5;
         red.release.cta.shared.max.u32 [s+4], 3;
         atom.shared.cas.b32 %a3, [s+8], 0, 9;
         ret;",
        Events::ACCESSES,
    );
    assert_eq!(
        told,
        [
            "st.shared.u16 [s+4], 7;: Store .shared 0x4 2x1 Weak None [Some(7)]",
            "st.volatile.shared.v2.u32 [s+8], {%t, %a0};: Store .shared 0x8 4x2 Volatile System [Some(0), Some(0)]",
            "ld.acquire.gpu.global.v4.u32 {%a0, %a1, %a2, %a3}, [%out+16];: Load .global out+16 8x2 Acquire Gpu []",
            "st.local.u64 [l+8], %out;: Store .local 0x8 8x1 Weak None [Some(OUT)]",
            "st.u8 [%p], 1;: Store .shared 0xc 1x1 Weak None [Some(1)]",
            "ld.u32 %a1, [%q+8];: Load .local 0x8 4x1 Weak None []",
            "ld.global.u8 %a1, [%my+1];: Load .global out+1 1x1 Weak None []",
            "atom.global.add.u32 %a2, [%out+4], 5;: Atomic(Add) .global out+4 4x1 Relaxed Gpu [Some(5)]",
            "red.release.cta.shared.max.u32 [s+4], 3;: Atomic(Max) .shared 0x4 4x1 Release Cta [Some(3)]",
            "atom.shared.cas.b32 %a3, [s+8], 0, 9;: Atomic(Cas) .shared 0x8 4x1 Relaxed Gpu [Some(0)]",
        ]
        .map(str::to_owned)
        .map(|text| text.replace("OUT", &told[3][told[3].len() - 14..told[3].len() - 2]))
    );
}

/// Lanes of a generic access that point into several state spaces, and parameters.
#[test]
fn spaces_of_generic_accesses() {
    let text = kernel(
        ".shared .align 16 .b8 s[128]; .reg .u64 %p, %q; .reg .pred %odd; .reg .u32 %a;",
        "and.b32 %a, %t, 1; setp.eq.u32 %odd, %a, 1;
         mov.u64 %q, s; cvta.shared.u64 %q, %q; mul.wide.u32 %p, %t, 4; add.u64 %q, %q, %p;
         selp.u64 %p, %q, %my, %odd;
         st.u32 [%p], %t;
         ret;",
    );
    let loaded = load_text(&text);
    let (out, _) = loaded.buffer(64);
    let how = How { block: [32, 1, 1], ..How::default() };
    let all = Events::ACCESSES | Events::PARAMETERS;
    let seen = record(&loaded, how, &[Arg::U64(out)], all);
    let of = |what: &str| seen.iter().filter(|s| s.what.contains(what)).count();
    assert_eq!([of("Store .shared"), of("Store .global"), of("Load .param")], [16, 16, 32]);
    assert_eq!(seen.len(), 64);
    for s in seen.iter().filter(|s| s.what.contains("Store")) {
        let (space, base) = if s.thread % 2 == 1 { (".shared", 0) } else { (".global", out) };
        let at = base + u64::from(s.thread) * 4;
        assert_eq!(s.what, format!("Store {space} {at:#x} 4x1 Weak None [Some({:x})]", s.thread));
    }
    assert_eq!(record(&loaded, how, &[Arg::U64(out)], Events::ACCESSES).len(), 32);
    assert_eq!(record(&loaded, how, &[Arg::U64(out)], Events::PARAMETERS).len(), 32);
    assert_eq!(record(&loaded, how, &[Arg::U64(out)], Events::NONE), []);
}

#[test]
fn loads_of_constants() {
    let text = kernel(
        ".reg .u64 %c; .reg .u32 %a; .reg .pred %odd;",
        "ld.const.u32 %a, [words + 4]; mov.u64 %c, words; cvta.const.u64 %c, %c; and.b32 %a, %t, 1;
         setp.eq.u32 %odd, %a, 1; selp.u64 %c, %c, %my, %odd; ld.u32 %a, [%c]; ret;",
    );
    let text = text.replacen(".visible", ".const .align 4 .u32 words[2] = {5, 6};\n.visible", 1);
    let loaded = load_text(&text);
    let (out, _) = loaded.buffer(64);
    let how = || How { block: [32, 1, 1], ..How::default() };
    let count = |wants| record(&loaded, how(), &[Arg::U64(out)], wants).len();
    assert_eq!([count(Events::ACCESSES), count(Events::CONSTANTS)], [16, 48]);
}

#[test]
fn copies_and_matrices() {
    let body = "mov.u32 %a, s; mad.lo.u32 %a, %t, 16, %a; and.b32 %v, %t, 1; setp.eq.u32 %q, %v, 1;
         cp.async.cg.shared.global [%a], [%out], 16, 8;
         cp.async.ca.shared.global [%a], [%out], 4, %q;
         cp.async.commit_group;
         cp.async.wait_group 1;
         cp.async.wait_all;
         ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v}, [%a];
         ret;";
    let text = kernel(".shared .align 16 .b8 s[512]; .reg .u32 %a, %v; .reg .pred %q;", body);
    let loaded = load_text(&text);
    let (out, _) = loaded.buffer(64);
    let wants = Events::ACCESSES | Events::SYNCHRONIZATION;
    let seen = record(&loaded, How::default(), &[Arg::U64(out)], wants);
    let first: Vec<String> = of_first(&seen).iter().map(|s| name_addresses(s, out)).collect();
    let matrix = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v}, [%a];";
    assert_eq!(
        first,
        [
            "cp.async.cg.shared.global [%a], [%out], 16, 8;: CopyFrom .global out+0 8x1 Weak None []",
            "cp.async.cg.shared.global [%a], [%out], 16, 8;: CopyTo .shared 0x0 16x1 Weak None []",
            "cp.async.ca.shared.global [%a], [%out], 4, %q;: CopyFrom .global out+0 4x1 Weak None []",
            "cp.async.ca.shared.global [%a], [%out], 4, %q;: CopyTo .shared 0x0 4x1 Weak None []",
            "cp.async.commit_group;: CommitsCopies",
            "cp.async.wait_group 1;: WaitsForCopies { but: Some(1) }",
            "cp.async.wait_all;: WaitsForCopies { but: None }",
            &format!("{matrix}: Joins {{ members: 4294967295 }}"),
            &format!("{matrix}: MatrixLoad .shared 0x0 16x1 Weak None []"),
            &format!("{matrix}: Joined"),
        ]
    );
    let of = |what: &str| seen.iter().filter(|s| s.what.contains(what)).count();
    // Odd lanes ignore the source of the second copy; a matrix has eight rows.
    assert_eq!([of("CopyFrom"), of("CopyTo"), of("MatrixLoad")], [48, 64, 8]);
}

/// Fragment loads are ordinary loads of each lane, after a point where the lanes reconverge.
#[test]
fn fragments() {
    let load = "wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%v, %w}, [s], 32;";
    let body = format!(
        "{load} mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {{%v, %w}}, {{%v}}, {{%w}}, {{%v, %w}}; ret;"
    );
    let loaded = load_text(&kernel(".shared .align 16 .b8 s[512]; .reg .b32 %v, %w;", &body));
    let (out, _) = loaded.buffer(64);
    let wants = Events::ACCESSES | Events::SYNCHRONIZATION;
    let seen = record(&loaded, How::default(), &[Arg::U64(out)], wants);
    let of = |what: &str| seen.iter().filter(|s| s.what.contains(what)).count();
    assert_eq!([of("Load .shared"), of("Joins"), of("Joined")], [64, 64, 64]);
    // Lane 5: row 1, and row 9, which lies 8 * 32 bytes further on; the second word.
    let fifth: Vec<&str> = seen.iter().filter(|s| s.thread == 5).map(|s| &*s.what).collect();
    assert!(fifth.contains(&"Load .shared 0x24 4x1 Weak None []"), "{fifth:?}");
    assert!(fifth.contains(&"Load .shared 0x124 4x1 Weak None []"), "{fifth:?}");
}

#[test]
fn results() {
    let told = told(
        ".reg .u32 %a<4>; .shared .align 4 .b8 s[8];",
        "st.global.u32 [%out], 5; ld.global.v2.u32 {%a0, _}, [%out];
         ld.global.s8 %a1, [%out]; st.shared.u32 [s], 3;
         atom.shared.exch.b32 %a2, [s], 8; red.shared.add.u32 [s], 1; ld.shared.u32 %a3, [s]; ret;",
        Events::RESULTS,
    );
    assert_eq!(
        told,
        [
            "ld.global.v2.u32 {%a0, _}, [%out];: brings [Some(5), None]",
            "ld.global.s8 %a1, [%out];: brings [Some(5)]",
            "atom.shared.exch.b32 %a2, [s], 8;: brings [Some(3)]",
            "red.shared.add.u32 [s], 1;: brings [None]",
            "ld.shared.u32 %a3, [s];: brings [Some(9)]",
        ]
    );
}

/// Lanes that arrive at barriers separately.
#[test]
fn barriers_and_warps() {
    let text = kernel(
        ".reg .pred %odd, %p; .reg .u32 %a, %b;",
        "and.b32 %a, %t, 1; setp.eq.u32 %odd, %a, 1;
         @%odd bra L;
         bar.warp.sync -1;
         bra M;
L:       bar.warp.sync 0xffffffff;
M:       shfl.sync.idx.b32 %b, %a, 0, 31, -1;
         vote.ballot.sync.b32 %b, %odd, -1;
         bar.sync 1, 64;
         barrier.red.popc.u32 %b, 0, %odd;
         bar.arrive 2, 128;
         membar.gl; fence.sc.sys; fence.acq_rel.cta;
         ret;",
    );
    let loaded = load_text(&text);
    let (out, _) = loaded.buffer(64);
    let how = How { block: [64, 1, 1], ..How::default() };
    let seen = record(&loaded, how, &[Arg::U64(out)], Events::SYNCHRONIZATION);
    assert_eq!(
        of_first(&seen),
        [
            "bar.warp.sync -1;: Joins { members: 4294967295 }",
            // Reported where the last lanes arrived.
            "bar.warp.sync 0xffffffff;: Joined",
            "shfl.sync.idx.b32 %b, %a, 0, 31, -1;: Joins { members: 4294967295 }",
            "shfl.sync.idx.b32 %b, %a, 0, 31, -1;: Joined",
            "vote.ballot.sync.b32 %b, %odd, -1;: Joins { members: 4294967295 }",
            "vote.ballot.sync.b32 %b, %odd, -1;: Joined",
            "bar.sync 1, 64;: Arrives { barrier: 1, threads: Some(64), waits: true, released_early: false }",
            "bar.sync 1, 64;: Passes { barrier: 1 }",
            "barrier.red.popc.u32 %b, 0, %odd;: Arrives { barrier: 0, threads: None, waits: true, released_early: false }",
            "barrier.red.popc.u32 %b, 0, %odd;: Passes { barrier: 0 }",
            "bar.arrive 2, 128;: Arrives { barrier: 2, threads: Some(128), waits: false, released_early: false }",
            "membar.gl;: Fence(Order { semantics: SequentiallyConsistent, scope: Gpu })",
            "fence.sc.sys;: Fence(Order { semantics: SequentiallyConsistent, scope: System })",
            "fence.acq_rel.cta;: Fence(Order { semantics: AcquireRelease, scope: Cta })",
        ]
    );
    // All arrivals at the barrier are reported before the first pass.
    let positions = |what: &str| {
        let of = |(i, s): (usize, &SpaceProfile)| s.what.contains(what).then_some(i);
        seen.iter().enumerate().filter_map(of).collect::<Vec<_>>()
    };
    let (arrive, pass) = (positions("Arrives { barrier: 1"), positions("Passes { barrier: 1"));
    assert_eq!([arrive.len(), pass.len()], [64, 64]);
    assert!(arrive.last() < pass.first());
}

#[test]
fn mbarriers() {
    let told = told(
        ".shared .align 8 .b64 bar; .reg .u64 %s; .reg .pred %q;",
        "mbarrier.init.shared.b64 [bar], 1;
         mbarrier.arrive.release.cta.shared::cta.b64 %s, [bar];
         mbarrier.test_wait.shared.b64 %q, [bar], %s;
         mbarrier.inval.shared.b64 [bar];
         ret;",
        Events::SYNCHRONIZATION,
    );
    assert_eq!(told[0], "mbarrier.init.shared.b64 [bar], 1;: Init { v1: false } Weak 0x0 0x1 0x0");
    let arrive = "Arrive { drops: false, expects: false, completes: true } Release 0x0 0x1";
    assert!(told[1].contains(arrive), "{}", told[1]);
    assert!(told[2].ends_with(" 0x1") && told[2].contains("Test { parity: false }"), "{}", told[2]);
    assert!(told[3].contains("Inval"));
    assert_eq!(told.len(), 4);
}

#[test]
fn branches_and_calls() {
    let text = format!(
        "{HEADER}.func (.reg .u32 %r) twice(.reg .u32 %a) {{ add.u32 %r, %a, %a; ret; }}
.visible .entry k(.param .u64 out) {{
.reg .u32 %t, %x; .reg .pred %p;
mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 8;
@%p bra A;
call (%x), twice, (%t);
A: and.b32 %x, %t, 1;
targets: .branchtargets B, C;
brx.idx %x, targets;
B: exit;
C: ret;
}}"
    );
    let loaded = load_text(&text);
    let how = How { block: [32, 1, 1], ..How::default() };
    let seen = record(&loaded, how, &[Arg::U64(0)], Events::BRANCHES | Events::CALLS);
    let of = |thread: u32| {
        let own = seen.iter().filter(|s| s.thread == thread);
        own.map(|s| format!("{}: {}", s.line, s.what)).collect::<Vec<_>>()
    };
    let jump = "@%p bra A;: to and.b32 %x, %t, 1;";
    assert_eq!(of(0), [jump, "brx.idx %x, targets;: to exit;", "exit;: exits"]);
    assert_eq!(of(1), [jump, "brx.idx %x, targets;: to ret;", "ret;: exits"]);
    assert_eq!(
        of(31),
        [
            "@%p bra A;: past",
            "call (%x), twice, (%t);: Enters { function: \"twice\" }",
            "ret;: back to call (%x), twice, (%t);",
            "brx.idx %x, targets;: to ret;",
            "ret;: exits",
        ]
    );
}

#[test]
fn the_heap() {
    let text = format!(
        "{HEADER}.extern .func (.param .b64 p) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out) {{
.reg .u64 %p; .param .b64 n; .param .b64 r;
st.param.b64 [n], 48;
call (r), malloc, (n);
ld.param.b64 %p, [r];
st.param.b64 [n], %p;
call free, (n);
ret;
}}"
    );
    let mut loaded = load_text(&text);
    loaded.heap = Some(Heap::new(&loaded.memory, 1 << 20).unwrap());
    let seen = of_first(&record(&loaded, one(), &[Arg::U64(0)], Events::CALLS));
    let [malloc, free, exit] = &seen[..] else { panic!("{seen:?}") };
    let at = malloc.strip_prefix("call (r), malloc, (n);: malloc 48 ").unwrap();
    assert_ne!(at, "0x0");
    assert_eq!(*free, format!("call free, (n);: free {at}"));
    assert_eq!(exit, "ret;: exits");
}

/// A kernel that fetches and its texture's handle.
fn fetching() -> (Loaded, [Arg; 2]) {
    let text = format!(
        "{HEADER}.visible .entry k(.param .u64 out, .param .u64 h) {{
.reg .u64 %h; .reg .u32 %t; .reg .f32 %f<4>;
ld.param.u64 %h, [h]; mov.u32 %t, %tid.x; and.b32 %t, %t, 7;
tex.2d.v4.f32.s32 {{%f0, _, _, _}}, [%h, {{%t, %t}}];
ret;
}}"
    );
    let mut loaded = load_text(&text);
    let resource = numbered(&shape(Geometry::D2, "f32"), "pixels");
    let handle = texture(&mut loaded, resource, Sampler::default());
    (loaded, [Arg::U64(0), Arg::U64(handle)])
}

#[test]
fn fetches_and_answers() {
    let (loaded, args) = fetching();
    let how = How { block: [70, 1, 1], ..How::default() };
    let seen = record(&loaded, how, &args, Events::FETCHES);
    assert_eq!(seen.len(), 70);
    assert!(seen.iter().all(|s| s.what.ends_with("pixels") && s.line.starts_with("tex.2d")));
    let seen = record(&loaded, how, &args, Events::ANSWERS);
    assert_eq!(seen.len(), 70);
    for s in &seen {
        let at = s.thread % 8 % 32;
        let value = ((at * 10 + at) as f32).to_bits();
        assert!(s.what.contains(&format!(" [{value:x}, 0, 0, 0]")), "{s:?}");
    }
    assert_eq!(record(&loaded, how, &args, Events::FETCHES | Events::ANSWERS).len(), 140);
    // Several observers at once, each with its own events.
    let (tallies, watch) = (Tallies::default(), Watch::new([69, 0, 0]));
    let recorder = Recorder::new(Events::CALLS);
    let all: [&dyn Observer; 3] = [&tallies, &watch, &recorder];
    loaded.run_observed("k", how, &args, Some(&Several(all.to_vec()))).unwrap();
    assert_eq!(tallies.take().0.into_values().collect::<Vec<_>>(), [70]);
    assert_eq!(watch.take().0.len(), 1);
    let exits = recorder.take().iter().filter(|s| s.what == "exits").count();
    assert_eq!(exits, 70);
    assert!(tallies.take().0.is_empty());
}

#[test]
fn begins_and_ends() {
    let recorder = Recorder::new(Events::NONE);
    let loaded = load_text(&kernel("", "ret;"));
    let how = How { grid: [2, 1, 1], block: [40, 1, 1], ..How::default() };
    let (out, _) = loaded.buffer(1);
    loaded.run_observed("k", how, &[Arg::U64(out)], Some(&recorder)).unwrap();
    let told: Vec<String> = recorder.take().into_iter().map(|s| s.what).collect();
    let cta = |i: u32| [format!("begins {i} 2 ff"), "ends None".to_owned()];
    let [first, second] = [cta(0), cta(1)];
    let (begin, end) = ("launch k begins".to_owned(), "launch k ends well".to_owned());
    assert_eq!(told, [vec![begin], first.to_vec(), second.to_vec(), vec![end]].concat());
    // Observers that selected accesses also receive the faulting one.
    let recorder = Recorder::new(Events::ACCESSES);
    let loaded = load_text(&kernel("", "st.global.u32 [%out+400], 1; ret;"));
    let (out, _) = loaded.buffer(1);
    let fault = loaded.run_observed("k", one(), &[Arg::U64(out)], Some(&recorder)).unwrap_err();
    let name = fault.kind.name();
    let told: Vec<String> = recorder.take().into_iter().map(|s| s.what).collect();
    assert!(told[2].starts_with("Store .global"), "{told:?}");
    assert_eq!(told[3..], [format!("ends Some({name:?})"), format!("launch k ends {name}")]);
}
