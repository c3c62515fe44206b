//! Compares shfl, vote, match, redux and activemask with models written from the ISA text.

use crate::common::{Arg, How, kernel, load_text, run_words, words};

/// The model of `shfl` (PTX ISA): value and predicate of a lane, where each lane has the value
/// `lane * 10`.
fn shfl(mode: &str, lane: i32, b: i32, c: i32) -> (i32, bool) {
    let bval = b & 0x1f;
    let (cval, segmask) = (c & 0x1f, c >> 8 & 0x1f);
    let max_lane = (lane & segmask) | (cval & !segmask);
    let min_lane = lane & segmask;
    let (j, p) = match mode {
        "up" => (lane - bval, lane - bval >= max_lane),
        "down" => (lane + bval, lane + bval <= max_lane),
        "bfly" => (lane ^ bval, (lane ^ bval) <= max_lane),
        _ => {
            let j = min_lane | (bval & !segmask);
            (j, j <= max_lane)
        }
    };
    (if p { j } else { lane } * 10, p)
}

/// Lanes that are delayed by many instructions, atomics or yields reconverge with the others after
/// a branch, so that instructions without `.sync` see them (docs/numerics.md 13.11).
#[test]
fn late_lanes_are_there() {
    let loops = [
        ("add.u32 %k, %k, 1;", 100_000),
        ("atom.global.add.u32 %x, [%out+128], 1; add.u32 %k, %k, 1;", 3000),
        ("nanosleep.u32 1; add.u32 %k, %k, 1;", 60),
        (
            "U: ld.global.u32 %x, [%out+128]; add.u32 %y, %x, 1; atom.global.cas.b32 %z, [%out+128], %x, %y;
             setp.ne.u32 %q, %z, %x; @%q bra U; add.u32 %k, %k, 1;",
            200,
        ),
    ];
    for (body, turns) in loops {
        let text = kernel(
            ".reg .pred %p, %q; .reg .u32 %k, %x, %y, %z, %r, %v;",
            &format!(
                "mov.u32 %k, 0;
                 W: add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 3000; @%p bra W;
                 mov.u32 %k, 0; setp.ge.u32 %p, %t, 16; @%p bra J;
                 L: {body} setp.lt.u32 %q, %k, {turns}; @%q bra L;
                 J: add.u32 %v, %t, 100; shfl.bfly.b32 %r, %v, 16, 31;
                 activemask.b32 %x; setp.ne.u32 %p, %x, 0xffffffff; @%p mov.u32 %r, 1;
                 st.global.u32 [%my], %r; ret;"
            ),
        )
        .replace(".target sm_80", ".target sm_70")
        .replace(".version 8.0", ".version 6.3");
        let got = run_words(&text, How::default(), 33);
        for lane in 0..32 {
            assert_eq!(got[lane as usize], 100 + (lane ^ 16), "{body}: lane {lane}");
        }
    }
}

#[test]
fn shuffles_in_all_modes_and_segments() {
    for mode in ["up", "down", "bfly", "idx"] {
        for sync in [false, true] {
            let (dot, members) = if sync { (".sync", ", 0xffffffff") } else { ("", "") };
            // CUDA's encodings for widths 32, 16, 8 and 2, and odd clamps.
            for width in [32, 16, 8, 2] {
                for odd in [0, 5] {
                    let clamp = if mode == "up" { odd } else { 0x1f - odd };
                    let c = (32 - width) << 8 | clamp;
                    let text = kernel(
                        ".reg .pred %p; .reg .u32 %v, %b, %r;",
                        &format!(
                            "mul.lo.u32 %v, %t, 10;
                             mad.lo.u32 %b, %t, 7, 3;
                             shfl{dot}.{mode}.b32 %r|%p, %v, %b, {c}{members};
                             @!%p add.u32 %r, %r, 100000;
                             st.global.u32 [%my], %r;
                             ret;"
                        ),
                    )
                    .replace(".target sm_80", if sync { ".target sm_80" } else { ".target sm_60" })
                    .replace(".version 8.0", if sync { ".version 8.0" } else { ".version 6.0" });
                    let got = run_words(&text, How::default(), 32);
                    for lane in 0..32 {
                        let (v, p) = shfl(mode, lane, lane * 7 + 3, c);
                        let wanted = v + if p { 0 } else { 100_000 };
                        assert_eq!(got[lane as usize] as i32, wanted, "{mode} {lane} c {c:#x}");
                    }
                }
            }
        }
    }
}

#[test]
fn matches_and_reductions() {
    let text = kernel(
        ".reg .pred %p; .reg .u32 %m, %r; .reg .s32 %s; .reg .u64 %w;",
        "rem.u32 %m, %t, 5;
         cvt.u64.u32 %w, %m;
         match.any.sync.b32 %r, %m, 0xffffffff;
         st.global.u32 [%my], %r;
         match.all.sync.b64 %r|%p, %w, 0xffffffff;
         @%p trap;
         st.global.u32 [%my+128], %r;
         mov.u64 %w, 9;
         match.all.sync.b64 %r|%p, %w, 0xffffffff;
         @!%p trap;
         st.global.u32 [%my+256], %r;
         sub.s32 %s, %t, 20;
         redux.sync.min.s32 %s, %s, 0xffffffff;
         st.global.u32 [%my+384], %s;
         redux.sync.max.u32 %r, %t, 0xffffffff;
         st.global.u32 [%my+512], %r;
         redux.sync.xor.b32 %r, %t, 0xffffffff;
         st.global.u32 [%my+640], %r;
         ret;",
    );
    let loaded = load_text(&text);
    let (address, block) = loaded.buffer(192);
    loaded.run("k", How::default(), &[Arg::U64(address)]).unwrap();
    let got = words(&block);
    for t in 0..32 {
        let same = (0..32).filter(|l| l % 5 == t % 5).fold(0, |m, l| m | 1 << l);
        assert_eq!(got[t as usize], same);
    }
    assert_eq!(got[32..64], [0; 32]);
    assert_eq!(got[64..96], [u32::MAX; 32]);
    assert_eq!(got[96..128], [-20_i32 as u32; 32]);
    assert_eq!(got[128..160], [31; 32]);
    assert_eq!(got[160..192], [0; 32]);
}

/// A shuffle in every mode from lanes that do not execute it, with the ISA's formula for the source
/// lane, and 0 for undefined values (docs/numerics.md, 13.11).
fn from_absent(mode: &str, lane: i32, b: i32, c: i32, executing: u32) -> u32 {
    let (v, p) = shfl(mode, lane, b, c);
    let source = if p { v / 10 } else { lane };
    let value = if executing >> source & 1 == 1 { source as u32 * 10 + 7 } else { 0 };
    value + if p { 100_000 } else { 0 }
}

/// Runs `before`, which sets %go in the lanes that execute the shuffle, and returns each lane's
/// result.
fn shuffled(before: &str, mode: &str, sync: &str, b: i32, c: i32) -> Vec<u32> {
    let (dot, version) = if sync.is_empty() { ("", "6.0") } else { (".sync", "8.0") };
    let text = kernel(
        ".reg .pred %p, %go; .reg .u32 %v, %r, %m;",
        &format!(
            "mad.lo.u32 %v, %t, 10, 7;
             mov.u32 %r, 55;
             {before}
             @!%go bra DONE;
             shfl{dot}.{mode}.b32 %r|%p, %v, {b}, {c}{sync};
             @%p add.u32 %r, %r, 100000;
DONE:        st.global.u32 [%my], %r;
             ret;"
        ),
    )
    .replace(".version 8.0", &format!(".version {version}"))
    .replace(".target sm_80", if sync.is_empty() { ".target sm_60" } else { ".target sm_80" });
    run_words(&text, How::default(), 32)
}

#[test]
fn lanes_that_do_not_execute_a_shuffle_give_0() {
    let masks = [0x0000_ffff_u32, 0xaaaa_aaaa, 0x8000_0001, 0x0f0f_1234, 1, 0xffff_ffff];
    for mode in ["up", "down", "bfly", "idx"] {
        let c = if mode == "up" { 0 } else { 31 };
        for executing in masks {
            for b in [0, 1, 3, 16, 31] {
                let go = format!(
                    "mov.u32 %m, {executing};
                     shr.u32 %m, %m, %t;
                     and.b32 %m, %m, 1;
                     setp.ne.u32 %go, %m, 0;"
                );
                let there = |t: i32| executing >> t & 1 == 1;
                let wanted = |t: i32| match there(t) {
                    true => from_absent(mode, t, b, c, executing),
                    false => 55,
                };
                let wanted: Vec<u32> = (0..32).map(wanted).collect();
                // Lanes outside the mask take another path.
                let sync = format!(", {executing}");
                assert_eq!(shuffled(&go, mode, &sync, b, c), wanted, "{mode} {b} {executing:#x}");
                // Without `.sync`, lanes that are at other instructions do not take part.
                assert_eq!(shuffled(&go, mode, "", b, c), wanted, "{mode} {b} {executing:#x}");
                // Lanes that have exited although the mask contains them.
                let exits = format!("{go}\n@!%go st.global.u32 [%my], %r;\n@!%go exit;");
                assert_eq!(shuffled(&exits, mode, ", -1", b, c), wanted, "{mode} {executing:#x}");
                assert_eq!(shuffled(&exits, mode, "", b, c), wanted, "{mode} {executing:#x}");
            }
        }
    }
}
