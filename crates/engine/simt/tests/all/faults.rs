//! Tests of every kind of fault and its location.

use crate::common::{Arg, How, kernel, kernel_with, load_text, run_fault};
use texunit_simt::{Described, FaultKind, SpaceKind};

fn how(x: u32) -> How {
    How { block: [x, 1, 1], ..How::default() }
}

#[test]
fn global_out_of_bounds_names_the_allocation_and_the_thread() {
    let text = kernel("", "st.global.u32 [%my], 1;\n ret;");
    let loaded = load_text(&text);
    let (address, block) = loaded.buffer(70);
    let number = block.number();
    let how = How { block: [8, 4, 1], grid: [2, 2, 1], ..How::default() };
    loaded.run("k", how, &[Arg::U64(address)]).unwrap();
    let how = How { block: [32, 2, 2], grid: [3, 1, 1], ..how };
    let fault = loaded.run("k", how, &[Arg::U64(address)]).unwrap_err();
    // In CTA 2 the threads with x = 6 are the first at or beyond word 70.
    assert_eq!((fault.cta, fault.thread, fault.kernel.as_str()), ([2, 0, 0], [6, 0, 0], "k"));
    assert_eq!(loaded.line(&fault), "st.global.u32 [%my], 1;");
    let wanted = FaultKind::OutOfBounds {
        access: "store",
        space: SpaceKind::Global,
        address: address + 280,
        size: 4,
        nearest: Described {
            text: format!(
                "`buffer` (280 bytes at {address:#x}, allocation {number}), which ends just before this address"
            ),
            allocation: Some(number),
        },
        unnoticed: true,
    };
    assert_eq!(fault.kind, wanted);
}

#[test]
fn null_and_generic() {
    let (fault, line) = run_fault(
        &kernel(".reg .u32 %v;", "mov.u64 %my, 0;\n ld.u32 %v, [%my];\n ret;"),
        how(32),
        1,
    );
    assert_eq!(line, "ld.u32 %v, [%my];");
    let FaultKind::OutOfBounds { access: "load", space, address: 0, size: 4, .. } = fault.kind
    else {
        panic!("{fault:?}")
    };
    assert_eq!(space, SpaceKind::Global);
}

#[test]
fn misaligned_accesses() {
    for (inst, size, access) in [
        ("ld.global.u32 %v, [%out+2];", 4, "load"),
        ("st.global.v2.u32 [%out+4], {%v, %v};", 8, "store"),
        ("atom.global.add.u32 %v, [%out+1], 1;", 4, "atomic"),
        ("ld.global.v4.u32 {%v, %v, %v, %v}, [%out+8];", 16, "load"),
    ] {
        let (fault, line) =
            run_fault(&kernel(".reg .u32 %v;", &format!("{inst}\n ret;")), how(2), 8);
        assert_eq!(line, inst);
        let FaultKind::Misaligned {
            access: a,
            size: s,
            space: SpaceKind::Global,
            resource: Some(resource),
            ..
        } = &fault.kind
        else {
            panic!("{fault:?}")
        };
        assert_eq!((*a, *s), (access, size), "{inst}");
        assert!(resource.starts_with("`buffer` (32 bytes at 0x7"), "{resource}");
    }
}

#[test]
fn shared_local_and_parameters() {
    let text = kernel(
        ".shared .align 4 .b8 a[16]; .shared .align 4 .b8 b[8]; .reg .u32 %v;",
        "st.shared.u32 [a], 1;
         ld.shared.u32 %v, [b+8];
         ret;",
    );
    let (fault, line) = run_fault(&text, how(1), 1);
    assert_eq!(line, "ld.shared.u32 %v, [b+8];");
    let FaultKind::OutOfBounds { space: SpaceKind::Shared, address: 24, nearest, .. } = fault.kind
    else {
        panic!("{fault:?}")
    };
    assert!(nearest.contains("b` (8 bytes at 0x10), which ends just before"), "{nearest}");

    let text = kernel(
        ".local .align 8 .b8 stack[32]; .reg .u64 %a; .reg .u32 %v;",
        "mov.u64 %a, stack;
         mul.wide.u32 %my, %t, 8;
         add.u64 %a, %a, %my;
         st.local.u64 [%a], %my;
         ret;",
    );
    let (fault, _) = run_fault(&text, how(9), 1);
    assert_eq!(fault.thread, [4, 0, 0]);
    let FaultKind::OutOfBounds { space: SpaceKind::Local, address: 32, nearest, .. } = fault.kind
    else {
        panic!("{fault:?}")
    };
    assert!(nearest.contains("stack` (32 bytes"), "{nearest}");

    let text = kernel(".reg .u32 %v;", "ld.param.u32 %v, [out+8];\n ret;");
    let loaded = load_text(&text);
    let fault = loaded.run("k", how(1), &[Arg::U64(0)]).unwrap_err();
    assert!(
        matches!(fault.kind, FaultKind::OutOfBounds { space: SpaceKind::Param, .. }),
        "{fault:?}"
    );
}

#[test]
fn constants_cannot_be_written() {
    let text = kernel_with(
        ".const .u32 c = 4;",
        ".reg .u64 %a;",
        "mov.u64 %a, c;
         cvta.const.u64 %a, %a;
         st.u32 [%a], 1;
         ret;",
    );
    let (fault, line) = run_fault(&text, how(1), 1);
    assert_eq!(line, "st.u32 [%a], 1;");
    assert!(matches!(fault.kind, FaultKind::ReadOnly { space: SpaceKind::Const, .. }));
}

const DEEP: &str = include_str!("../ptx/faults_deep.ptx");

fn deep(depth: u32) -> String {
    kernel_with(
        DEEP,
        ".reg .u32 %v;",
        &format!(
            "{{ .param .u32 x; .param .u32 y;
             st.param.u32 [x], {depth};
             call (y), deep, (x); }}
             ret;"
        ),
    )
}

#[test]
fn stack_overflow_and_the_chain_of_calls() {
    let (fault, line) = run_fault(&deep(1_000_000), how(64), 1);
    assert_eq!(fault.kind, FaultKind::StackOverflow { limit: 16 * 1024 });
    assert_eq!(line, "call (y), deep, (x);");
    assert!(fault.calls.len() > 50 && fault.calls.iter().any(|c| c.0.ends_with("more calls")));

    // A card passes results and parameters in registers, so that a call needs 80 bytes.
    for depth in [2, 180] {
        let (fault, line) = run_fault(&deep(depth), how(64), 1);
        assert_eq!((fault.kind, line.as_str()), (FaultKind::Trap { message: None }, "@%p trap;"));
        assert!(depth != 2 || fault.calls.len() == 3);
    }
}

#[test]
fn calls_of_what_is_no_function() {
    let text = kernel(
        ".reg .u64 %f; .reg .u32 %v;",
        "mov.u64 %f, 12345;
         P: .callprototype _ ();
         call %f, P;
         ret;",
    );
    let (fault, line) = run_fault(&text, how(1), 1);
    assert_eq!(line, "call %f, P;");
    assert!(
        matches!(fault.kind, FaultKind::BadOperand(ref m) if m.contains("0x3039 is not the address"))
    );
    let text = kernel_with(
        DEEP,
        ".reg .u64 %f; .reg .u32 %v;",
        "mov.u64 %f, deep;
         P: .callprototype _ ();
         call %f, P;
         ret;",
    );
    let (fault, _) = run_fault(&text, how(1), 1);
    assert!(matches!(fault.kind, FaultKind::BadOperand(ref m) if m.contains("prototype")));
}

#[test]
fn indexed_branch_past_its_targets() {
    let text = kernel(
        ".reg .u32 %m;",
        "T: .branchtargets A, B;
         brx.idx %t, T;
A:       ret;
B:       ret;",
    );
    let (fault, line) = run_fault(&text, how(3), 1);
    assert_eq!((fault.thread, line.as_str()), ([2, 0, 0], "brx.idx %t, T;"));
    assert!(matches!(fault.kind, FaultKind::BadOperand(ref m) if m.contains("index 2")));
}

#[test]
fn a_breakpoint_and_a_bad_membermask() {
    let (fault, _) = run_fault(&kernel("", "brkpt;\n ret;"), how(1), 1);
    assert!(matches!(fault.kind, FaultKind::Trap { message: Some(_) }));
    let text = kernel("", "bar.warp.sync 1;\n ret;");
    let (fault, _) = run_fault(&text, how(4), 1);
    assert!(
        matches!(fault.kind, FaultKind::BadOperand(ref m) if m.contains("lane 1")),
        "{fault:?}"
    );
}

#[test]
fn the_lowest_cta_is_reported() {
    let text = kernel(
        ".reg .pred %p;",
        "setp.gt.u32 %p, %cta, 2;
         @%p trap;
         ret;",
    );
    for threads in [1, 4] {
        let how = How { grid: [64, 1, 1], threads, ..how(64) };
        let (fault, _) = run_fault(&text, how, 1);
        assert!(fault.cta[0] > 2 && (threads > 1 || fault.cta == [3, 0, 0]), "{fault:?}");
    }
}

#[test]
fn what_is_not_executed_is_listed_for_what_a_kernel_reaches() {
    let text = format!(
        "{}
.extern .func (.param .b32 r) cudaGraphKernelNodeSetParam();
.func used() {{
    .reg .u64 %a; .reg .u32 %w;
    {{ .param .b32 y; call (y), cudaGraphKernelNodeSetParam, (); }}
    ret;
}}
.func unused() {{ .reg .b32 %w; wgmma.fence.sync.aligned; ret; }}
.visible .entry good() {{ ret; }}
.visible .entry bad() {{ .reg .b32 %w; call used; wgmma.fence.sync.aligned; ret; }}
",
        crate::common::HEADER.replace("sm_80", "sm_90a")
    );
    let loaded = load_text(&text);
    let of = |name: &str| loaded.program.unsupported(loaded.program.kernel(name).unwrap());
    assert_eq!(of("good"), []);
    let bad = of("bad");
    assert_eq!(bad.iter().map(|d| d.code).collect::<Vec<_>>(), ["E0404", "E0406"]);
    let words = "`cudaGraphKernelNodeSetParam` of the device runtime is not executed by texunit";
    assert_eq!(bad[0].message, words);
    assert!(bad[1].message.contains("`wgmma.fence.sync.aligned`"), "{}", bad[1].message);
}

#[test]
fn a_guarded_trap_names_the_lane_that_ran_it() {
    let text = kernel(
        ".reg .u32 %x; .reg .pred %q;",
        "mov.u32 %x, %tid.x;\n setp.eq.u32 %q, %x, 40;\n @%q trap;\n ret;",
    );
    let (fault, line) = run_fault(&text, how(64), 1);
    assert_eq!((line.as_str(), fault.thread), ("@%q trap;", [40, 0, 0]));
    assert_eq!(fault.kind, FaultKind::Trap { message: None });
}

#[test]
fn an_address_below_a_buffer_names_the_buffer() {
    let (fault, _) = run_fault(&kernel("", "st.global.u32 [%out+-4], 1;\n ret;"), how(1), 8);
    let FaultKind::OutOfBounds { space: SpaceKind::Global, nearest, .. } = fault.kind else {
        panic!("{fault:?}")
    };
    assert!(nearest.contains("which begins 4 bytes after this address"), "{nearest}");
    let far = "mov.u64 %my, 0xdeadbeefdeadbeef;\n st.global.u8 [%my], 1;\n ret;";
    let (fault, _) = run_fault(&kernel("", far), how(1), 8);
    assert_eq!(
        fault.kind.to_string(),
        "store of 1 byte at .global address 0xdeadbeefdeadbeef, out of bounds: nothing is near \
         this address"
    );
}
