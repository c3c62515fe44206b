//! Tests kernels that launch kernels: results, printed text, statistics, faults with the launching
//! kernels, limits.
#![allow(clippy::unwrap_used, missing_docs)]

use texunit_device::{
    Arg, Device, Fault, FaultKind, LaunchError, LaunchOptions, LaunchStats, Module,
};

const HEAD: &str = "
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],
    .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);
.extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDevice(.param .b64 f, .param .b64 p, .param .align 4 .b8 g[12],
    .param .align 4 .b8 b[12], .param .b32 s, .param .b64 t);
.extern .func (.param .b32 r) cudaDeviceSynchronize();
.extern .func (.param .b32 r) cudaGetLastError();
.extern .func (.param .b32 r) cudaMemcpyAsync(.param .b64 d, .param .b64 s, .param .b64 n, .param .b32 k, .param .b64 t);
.extern .func (.param .b64 r) cudaGetErrorName(.param .b32 e);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {37, 115, 10, 0};
";

/// PTX that launches kernel `child(u64 value)` with a one-dimensional grid and block; the error
/// code is in %r1.
fn launch(child: &str, (grid, block): (u32, u32), value: &str, stream: u64) -> String {
    format!(
        "{{
        .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r; .param .b32 e;
        .reg .b64 %l<3>; .reg .pred %np;
        mov.u64 %l0, {child}; st.param.b64 [f], %l0;
        st.param.b32 [g], {grid}; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
        st.param.b32 [b], {block}; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
        st.param.b32 [s], 0;
        call.uni (r), cudaGetParameterBufferV2, (f, g, b, s);
        ld.param.b64 %l1, [r];
        setp.eq.s64 %np, %l1, 0;
        @%np bra FAILED;
        st.u64 [%l1], {value};
        st.param.b64 [f], %l1; mov.u64 %l2, {stream}; st.param.b64 [r], %l2;
        call.uni (e), cudaLaunchDeviceV2, (f, r);
        ld.param.b32 %r1, [e];
        bra END;
        FAILED: call.uni (e), cudaGetLastError, ();
        ld.param.b32 %r1, [e];
        END:
        }}"
    )
}

const REGISTERS: &str = ".reg .b64 %p, %q; .reg .b32 %r<8>;";

fn entry(name: &str, body: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 p)\n{{\n{REGISTERS}\nld.param.u64 %p, [p];\n{body}\nret;\n}}\n"
    )
}

/// A kernel that adds 1 to each element.
fn bump() -> String {
    entry(
        "bump",
        "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
         mul.wide.u32 %q, %r2, 4; add.u64 %p, %p, %q; ld.global.u32 %r3, [%p]; add.u32 %r3, %r3, 1; st.global.u32 [%p], %r3;",
    )
}

fn run(text: &str, words: &[u32]) -> (Result<LaunchStats, Box<Fault>>, Vec<u32>) {
    let device = Device::default();
    let module = Module::load(&device, "t.ptx", &format!("{HEAD}{text}"));
    let module = module.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
    let memory = device.alloc(4 * words.len() as u64, "words").unwrap();
    memory.write_from(0, words).unwrap();
    let options = LaunchOptions::default();
    let result = module.kernel("k").unwrap().launch(&options, &[Arg::Buffer(&memory)]);
    let result = result.map_err(|error| match error {
        LaunchError::Fault(fault) => fault,
        other => panic!("{other:?}"),
    });
    (result, memory.read_as())
}

#[test]
fn children_run_and_are_counted() {
    let text = bump() + &entry("k", &launch("bump", (2, 4), "%p", 0).repeat(3));
    let (stats, words) = run(&text, &[10; 9]);
    assert_eq!(words, [13, 13, 13, 13, 13, 13, 13, 13, 10]);
    let (alone, _) = run(&(bump() + &entry("k", "")), &[0; 9]);
    let more = stats.unwrap().thread_instructions - alone.unwrap().thread_instructions;
    assert!(more > 3 * 8 * 10, "{more}");
}

#[test]
fn the_first_interface_and_a_wait() {
    let wait = "{ .param .b32 e; call.uni (e), cudaDeviceSynchronize, (); ld.param.b32 %r1, [e]; }
        ld.global.u32 %r5, [%p]; st.global.u32 [%p+4], %r5; st.global.u32 [%p+8], %r1;";
    let first = "{
        .param .b64 f; .param .b64 n; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 t;
        .param .b64 r; .param .b32 e; .reg .b64 %l<4>;
        mov.u64 %l0, 8; st.param.b64 [f], %l0; st.param.b64 [n], %l0;
        call.uni (r), cudaGetParameterBuffer, (f, n);
        ld.param.b64 %l1, [r]; st.u64 [%l1], %p;
        mov.u64 %l2, bump; st.param.b64 [f], %l2; st.param.b64 [n], %l1;
        st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
        st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
        st.param.b32 [s], 0; mov.u64 %l3, 0; st.param.b64 [t], %l3;
        call.uni (e), __cudaCDP2LaunchDevice, (f, n, g, b, s, t);
        ld.param.b32 %r1, [e]; st.global.u32 [%p+12], %r1;
        }";
    let (stats, words) =
        run(&(bump() + &entry("k", &format!("{first}{wait}{first}"))), &[1, 0, 9, 9]);
    stats.unwrap();
    assert_eq!(words, [3, 2, 0, 0]);
}

/// `printf("%s\n", cudaGetErrorName(code))`
fn print(code: &str) -> String {
    format!(
        "{{ .param .b32 c; .param .b64 r; .param .b64 f; .param .b64 a; .param .b32 n; .reg .b64 %l<3>; .local .b64 list;
         st.param.b32 [c], {code}; call.uni (r), cudaGetErrorName, (c); ld.param.b64 %l0, [r];
         st.local.u64 [list], %l0; mov.u64 %l1, list; cvta.local.u64 %l1, %l1; st.param.b64 [a], %l1;
         mov.u64 %l2, text; cvta.global.u64 %l2, %l2; st.param.b64 [f], %l2; call.uni (n), vprintf, (f, a); }}"
    )
}

#[test]
fn text_of_a_parent_stands_before_that_of_its_children() {
    let child = entry("child", &print("0"));
    let text = child
        + &entry(
            "k",
            &(launch("child", (1, 1), "%p", 3) + &print("9") + &launch("child", (2, 1), "%p", 0)),
        );
    let (stats, _) = run(&text, &[0]);
    let printed = String::from_utf8(stats.unwrap().printf).unwrap();
    assert_eq!(printed, "cudaErrorInvalidConfiguration\ncudaSuccess\ncudaSuccess\ncudaSuccess\n");
}

#[test]
fn launches_that_are_not_possible_return_codes() {
    let store = "st.global.u32 [%p+";
    let cases: [(String, u32); 4] = [
        (launch("bump", (1, 2000), "%p", 0), 9),
        (launch("bump", (0, 1), "%p", 0), 9),
        (launch("bump", (1, 1), "%p", 0x77), 400),
        (launch("bump", (1, 1), "%p", 4), 0),
    ];
    let body = (0..)
        .zip(&cases)
        .map(|(i, (launch, _))| format!("{launch}\n{store}{}], %r1;\n", 4 + 4 * i));
    let text = bump() + &entry("k", &body.collect::<String>());
    let (stats, words) = run(&text, &[0, 99, 99, 99, 99]);
    stats.unwrap();
    assert_eq!(words, [1, 9, 9, 400, 0]);
}

#[test]
fn a_kernel_that_launches_itself_ends_at_the_deepest_nesting() {
    let again = "ld.global.u32 %r2, [%p]; add.u32 %r2, %r2, 1; st.global.u32 [%p], %r2;".to_owned();
    let text = entry("k", &(again + &launch("k", (1, 1), "%p", 0) + "st.global.u32 [%p+4], %r1;"));
    // The last kernel that runs is the most deeply nested.
    let (stats, words) = run(&text, &[0, 99]);
    stats.unwrap();
    assert_eq!(words, [25, 65]);
}

#[test]
fn a_fault_says_who_has_launched() {
    let bad = entry("bad", "mov.u64 %q, 16; st.global.u32 [%q], %r2;");
    let middle = entry("middle", &launch("bad", (1, 2), "%p", 0));
    let text = bad
        + &middle
        + &entry("k", &(launch("middle", (1, 1), "%p", 0) + &launch("k", (1, 1), "%p", 3)));
    let (result, _) = run(&text, &[0]);
    let fault = result.unwrap_err();
    assert_eq!((fault.kernel.as_str(), fault.thread), ("bad", [0; 3]));
    let by: Vec<&str> = fault.launched_by.iter().map(|caller| caller.kernel.as_str()).collect();
    assert_eq!(by, ["middle", "k"]);
    let at = fault.launched_by[0].span;
    assert!(format!("{HEAD}{text}")[at.start as usize..].contains("cudaLaunchDeviceV2"));
}

#[test]
fn local_memory_of_a_parent_and_copies_that_lead_nowhere() {
    let reads = entry("reads", "ld.u32 %r2, [%p];");
    let local = ".local .align 8 .b8 frame[64]; mov.u64 %q, frame; cvta.local.u64 %q, %q; add.u64 %q, %q, 32;";
    let (result, _) =
        run(&(reads + &entry("k", &(local.to_owned() + &launch("reads", (1, 1), "%q", 0)))), &[0]);
    let fault = result.unwrap_err();
    assert_eq!(fault.kernel, "reads");
    assert!(fault.kind.to_string().contains("local"), "{}", fault.kind);
    let copy = |to: &str, kind: u32| {
        format!(
            "{{ .param .b64 d; .param .b64 s; .param .b64 n; .param .b32 k; .param .b64 t; .param .b32 e; .reg .b64 %l<3>;
             st.param.b64 [d], {to}; st.param.b64 [s], %p; mov.u64 %l0, 4; st.param.b64 [n], %l0; st.param.b32 [k], {kind};
             mov.u64 %l1, 0; st.param.b64 [t], %l1; call.uni (e), cudaMemcpyAsync, (d, s, n, k, t); ld.param.b32 %r1, [e];
             st.global.u32 [%p+8], %r1; }}"
        )
    };
    let far = "add.u64 %q, %p, 4;";
    assert_eq!(run(&entry("k", &format!("{far}{}", copy("%q", 3))), &[7, 0, 9]).1, [7, 7, 0]);
    assert_eq!(run(&entry("k", &format!("{far}{}", copy("%q", 1))), &[7, 0, 9]).1, [7, 0, 21]);
    assert_eq!(run(&entry("k", &format!("{local}{}", copy("%q", 3))), &[7, 0, 9]).1, [7, 0, 1]);
    let (result, _) = run(&entry("k", &format!("mov.u64 %q, 64;{}", copy("%q", 3))), &[7, 0, 9]);
    let fault = result.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::OutOfBounds { access: "store", .. }), "{}", fault.kind);
}
