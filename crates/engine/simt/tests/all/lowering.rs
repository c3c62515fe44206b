//! Tests that kernels are lowered on demand, together with their possible callees, and cached.

use crate::common::{Arg, HEADER, How, Loaded, load_text, words};
use std::sync::Barrier;
use texunit_simt::observe::Listing;
use texunit_simt::{FaultKind, Watch};

/// Kernel `k<n>` stores `n` and the result of a function shared by all kernels, `10 * n`.
fn many(kernels: usize) -> String {
    let mut text = format!(
        "{HEADER}
        .func (.param .b32 r) tenfold(.param .b32 a) {{
            .reg .b32 %a;
            ld.param.b32 %a, [a];
            mul.lo.u32 %a, %a, 10;
            st.param.b32 [r], %a;
            ret;
        }}\n"
    );
    for n in 0..kernels {
        text += &format!(
            ".visible .entry k{n}(.param .u64 out) {{
                .reg .b64 %o; .reg .b32 %r<3>;
                .param .b32 given; .param .b32 got;
                .shared .b32 own{n}[{}];
                ld.param.u64 %o, [out];
                mov.u32 %r0, {n};
                st.param.b32 [given], %r0;
                call (got), tenfold, (given);
                ld.param.b32 %r1, [got];
                st.shared.b32 [own{n}+{}], %r1;
                ld.shared.b32 %r2, [own{n}+{}];
                st.global.u32 [%o], %r0;
                st.global.u32 [%o+4], %r2;
                ret;
            }}\n",
            n + 1,
            4 * n,
            4 * n
        );
    }
    text
}

fn results(loaded: &Loaded, kernel: usize) -> Vec<u32> {
    let (address, block) = loaded.buffer(2);
    let how = How { block: [1, 1, 1], ..How::default() };
    loaded.run(&format!("k{kernel}"), how, &[Arg::U64(address)]).unwrap();
    words(&block)
}

#[test]
fn kernels_are_lowered_when_they_are_needed() {
    let loaded = load_text(&many(20));
    let program = &loaded.program;
    let ids: Vec<_> = program.kernels().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), 20);
    // Queries of declarations do not lower code.
    assert_eq!(program.kernel_params(ids[3])[0].name, "out");
    assert_eq!((program.param_size(ids[3]), program.lowered()), (8, 0));
    assert_eq!((program.static_shared(ids[3]), program.lowered()), (16, 1));
    assert!(program.resources(ids[3]).known_stack);
    assert!(program.unsupported(ids[3]).is_empty());
    assert_eq!((results(&loaded, 3), program.lowered()), (vec![3, 30], 1));
    assert_eq!((results(&loaded, 7), program.lowered()), (vec![7, 70], 2));
    assert_eq!((results(&loaded, 7), program.lowered()), (vec![7, 70], 2));
    // Observers of launches see the kernel and its callees only.
    let watch = Loaded { watch: Some(Watch::new([0; 3])), ..load_text(&many(20)) };
    assert_eq!((results(&watch, 9), watch.program.lowered()), (vec![9, 90], 1));
}

/// A listing of the whole program has all functions, and later launches of kernels work as before.
#[test]
fn a_listing_has_all_functions() {
    let loaded = load_text(&many(5));
    assert_eq!(results(&loaded, 1), [1, 10]);
    let listing = Listing::of(&loaded.program, Default::default());
    let functions = ["tenfold", "k0", "k1", "k2", "k3", "k4"];
    assert!(functions.iter().all(|name| !listing.operations(name).is_empty()));
    assert_eq!(loaded.program.lowered(), 1);
    let observed = Loaded { watch: Some(Watch::new([0; 3])), ..loaded };
    for kernel in 0..5 {
        assert_eq!(results(&observed, kernel), [kernel as u32, 10 * kernel as u32]);
    }
}

#[test]
fn threads_may_want_a_kernel_at_once() {
    for _ in 0..20 {
        let loaded = load_text(&many(4));
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (loaded, start) = (&loaded, &start);
                scope.spawn(move || {
                    start.wait();
                    for kernel in [thread % 2, thread % 4, 3] {
                        assert_eq!(results(loaded, kernel), [kernel as u32, 10 * kernel as u32]);
                    }
                });
            }
        });
        assert_eq!(loaded.program.lowered(), 4);
    }
}

/// `store` stores the address of `far` in memory, `call` calls the stored address. The address of
/// `near` is taken in an initialiser only, that of `nowhere` not at all.
const POINTERS: &str = include_str!("../ptx/function_pointers.ptx");

#[test]
fn pointers_to_functions_come_from_anywhere() {
    let loaded = load_text(&format!("{HEADER}{POINTERS}"));
    let (address, block) = loaded.buffer(1);
    let how = How { block: [1, 1, 1], ..How::default() };
    let call = |which, more| {
        loaded.run("call", how, &[Arg::U64(address), Arg::U32(which), Arg::U64(more)])
    };
    call(0, 0).unwrap();
    assert_eq!(words(&block), [42]);
    loaded.run("store", how, &[]).unwrap();
    call(1, 0).unwrap();
    assert_eq!(words(&block), [41]);
    // From `far` on, function addresses are 16 bytes apart.
    let fault = call(1, 32).unwrap_err();
    let FaultKind::BadOperand(why) = &fault.kind else { panic!("{fault:?}") };
    assert!(why.ends_with("the module never takes the address of `nowhere`"), "{why}");
}
