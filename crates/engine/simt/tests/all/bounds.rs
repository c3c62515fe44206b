//! Tests of accesses slightly past the end of an object: faults with exact bounds, whose help
//! mentions that a GPU would not detect them, and counted but permitted with hardware bounds.

use crate::common::{Arg, How, kernel, kernel_with, load_text, words};
use texunit_simt::{Bounds, Fault, FaultKind, LaunchStats, SpaceKind};

/// Granularity of allocations on a GPU, in words.
const ROUNDED: usize = 128;

fn how(threads: u32, bounds: Bounds) -> How {
    How { block: [threads, 1, 1], bounds, ..How::default() }
}

/// Runs a kernel with a buffer of the given number of words, and returns its contents.
fn run(text: &str, how: How, size: usize) -> Result<(LaunchStats, Vec<u32>), Box<Fault>> {
    let loaded = load_text(text);
    let (address, block) = loaded.buffer(size);
    loaded.run("k", how, &[Arg::U64(address)]).map(|stats| (stats, words(&block)))
}

/// Whether a GPU would not detect the access; it must be out of bounds.
fn unnoticed(fault: &Fault) -> bool {
    match fault.kind {
        FaultKind::OutOfBounds { unnoticed, .. } => unnoticed,
        _ => panic!("{fault:?}"),
    }
}

/// Each kernel accesses word `%t` in a different way. 70 words are 280 bytes, which a GPU rounds up
/// to 512.
#[test]
fn global_memory_ends_at_a_multiple_of_512_bytes() {
    for (body, words_each) in [
        ("ld.global.u32 %v, [%my];", 1),
        ("ld.u32 %v, [%my];", 1),
        ("ld.volatile.global.u32 %v, [%my];", 1),
        ("st.global.u32 [%my], %t;", 1),
        ("st.u32 [%my], %t;", 1),
        ("red.global.add.u32 [%my], 1;", 1),
        ("atom.add.u32 %v, [%my], 1;", 1),
        ("st.global.u8 [%my], %t;", 1),
        ("mad.wide.u32 %my, %t, 12, %my; st.global.v4.u32 [%my], {%t, %t, %t, %t};", 4),
        ("mad.wide.u32 %my, %t, 12, %my; ld.v4.u32 {%v, %v, %v, %v}, [%my];", 4),
    ] {
        let text = kernel(".reg .u32 %v;", &format!("{body}\n ret;"));
        let last = ROUNDED as u32 / words_each;
        // Accesses up to the last allocated byte, and one thread beyond.
        let (stats, _) = run(&text, how(last, Bounds::Hardware), 70).unwrap();
        // Each element of a vector is counted.
        assert_eq!(stats.past_end, ROUNDED as u64 - 70, "{body}");
        let fault = run(&text, how(last + 1, Bounds::Hardware), 70).unwrap_err();
        assert!(!unnoticed(&fault) && fault.thread == [last, 0, 0], "{body}: {fault:?}");
        // With exact bounds the first access is a fault, which mentions that a GPU would not detect
        // it.
        let first = 70_u32.div_ceil(words_each) - u32::from(words_each == 4);
        let fault = run(&text, how(last + 1, Bounds::Exact), 70).unwrap_err();
        assert!(unnoticed(&fault) && fault.thread == [first, 0, 0], "{body}: {fault:?}");
        // Accesses within the bounds are not counted.
        assert_eq!(run(&text, how(70 / words_each, Bounds::Hardware), 70).unwrap().0.past_end, 0);
    }
}

#[test]
fn a_whole_allocation_has_nothing_behind_it() {
    let text = kernel("", "st.global.u32 [%my], 1;\n ret;");
    for bounds in [Bounds::Exact, Bounds::Hardware] {
        assert!(!unnoticed(&run(&text, how(129, bounds), 128).unwrap_err()));
        assert_eq!(run(&text, how(128, bounds), 128).unwrap().0.past_end, 0);
    }
}

#[test]
fn what_lies_behind_the_end_is_memory() {
    // The threads past the end write, and after a barrier the others read the written values.
    let text = kernel(
        ".reg .u32 %v, %o; .reg .u64 %a; .reg .pred %p;",
        "setp.ge.u32 %p, %t, 16; @%p st.global.u32 [%my], %t; bar.sync 0;
         add.u32 %o, %t, 16; mad.wide.u32 %a, %o, 4, %out;
         @!%p ld.global.u32 %v, [%a]; @!%p st.global.u32 [%my], %v; ret;",
    );
    let (stats, found) = run(&text, how(32, Bounds::Hardware), 16).unwrap();
    assert_eq!(found, (16..32).collect::<Vec<u32>>());
    assert_eq!(stats.past_end, 32);
}

#[test]
fn constant_memory_and_addresses_before_are_faults() {
    let text = kernel_with(
        ".const .u32 c[3];",
        ".reg .u32 %v; .reg .u64 %c;",
        "mov.u64 %c, c; ld.const.u32 %v, [%c+12]; ret;",
    );
    assert!(!unnoticed(&run(&text, how(1, Bounds::Hardware), 1).unwrap_err()));
    let text = kernel(".reg .u32 %v;", "ld.global.u32 %v, [%out+-4]; ret;");
    assert!(!unnoticed(&run(&text, how(1, Bounds::Hardware), 1).unwrap_err()));
}

/// Dynamic shared memory of 40 bytes after a variable of 20 bytes; a GPU rounds 40 up to 1 KiB.
#[test]
fn dynamic_shared_memory_is_a_multiple_of_1_kib() {
    let shared = |body: &str| {
        kernel_with(
            ".extern .shared .align 4 .b8 dynamic[];",
            ".reg .u32 %v, %s, %d; .shared .align 4 .b8 fixed[20];",
            &format!(
                "mov.u32 %s, fixed; st.shared.u32 [%s], 7; mov.u32 %d, dynamic;
                 mad.lo.u32 %s, %t, 4, %d;\n {body}\n st.global.u32 [%my], %v; ret;"
            ),
        )
    };
    let with = |threads, bounds| How { dynamic_shared: 40, ..how(threads, bounds) };
    for body in [
        "st.shared.u32 [%s], %t; ld.shared.u32 %v, [%s];",
        "st.shared.u8 [%s], %t; ld.shared.u8 %v, [%s];",
        "atom.shared.exch.b32 %v, [%s], %t; atom.shared.add.u32 %v, [%s], 0;",
    ] {
        let text = shared(body);
        let (stats, found) = run(&text, with(256, Bounds::Hardware), 256).unwrap();
        let wanted = |t: u32| if body.contains("u8") { t & 0xff } else { t };
        assert_eq!(found, (0..256).map(wanted).collect::<Vec<u32>>(), "{body}");
        assert_eq!(stats.past_end, 2 * (256 - 10), "{body}");
        let fault = run(&text, with(257, Bounds::Hardware), 257).unwrap_err();
        let FaultKind::OutOfBounds { space: SpaceKind::Shared, unnoticed, .. } = fault.kind else {
            panic!("{fault:?}")
        };
        assert!(!unnoticed && fault.thread == [256, 0, 0]);
        assert!(run(&text, with(10, Bounds::Exact), 10).is_ok(), "{body}");
        let fault = run(&text, with(11, Bounds::Exact), 11).unwrap_err();
        let FaultKind::OutOfBounds { unnoticed, .. } = fault.kind else { panic!("{fault:?}") };
        assert!(unnoticed && fault.thread == [10, 0, 0], "{body}");
    }
    // An element that begins within the bounds, and one that is completely past the end.
    let text = kernel_with(
        ".extern .shared .align 8 .b8 dynamic[];",
        ".reg .u32 %v, %d; .reg .u64 %w;",
        "mov.u32 %d, dynamic; st.shared.u64 [%d+8], -2; ld.shared.u64 %w, [%d+8];
         shr.u64 %w, %w, 32; cvt.u32.u64 %v, %w; st.global.u32 [%out], %v; ret;",
    );
    let half = How { dynamic_shared: 12, ..how(1, Bounds::Hardware) };
    let (stats, found) = run(&text, half, 1).unwrap();
    assert_eq!((stats.past_end, found[0]), (2, u32::MAX));
    // Without dynamic memory there is nothing to round up.
    let text = kernel(
        ".reg .u32 %v; .shared .align 4 .b8 fixed[20];",
        "mov.u32 %v, fixed; st.shared.u32 [%v+32], 1; ret;",
    );
    for bounds in [Bounds::Exact, Bounds::Hardware] {
        assert!(!unnoticed(&run(&text, how(1, bounds), 1).unwrap_err()));
    }
}
