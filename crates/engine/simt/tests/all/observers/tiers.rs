//! Tests that the events of lanes are equal in the interpreter and in compiled code, for single
//! warps and batches.
//!
//! The mode is decided once for a process, so this test runs itself again with `TEXUNIT_JIT`.

use super::record;
use super::recorder::SpaceProfile;
use crate::common::{Arg, HEADER, How, Loaded, load_text};
use crate::unit_common::{numbered, shape, texture};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use texunit_simt::observe::Events;
use texunit_testkit::{TempDir, skipped};
use texunit_unit::{Geometry, Sampler, SimdLevel, simd_level};

/// Four whole warps and a partial one.
const THREADS: u32 = 4 * 32 + 9;
const OUT: &str = "TEXUNIT_TEST_OBSERVED";

/// The kernel of each thread by its number `%i` in the launch; `body` may use the declared
/// registers.
fn kernel(body: &str) -> String {
    format!(
        "{HEADER}.func (.reg .u32 %r) odd(.reg .u32 %a) {{ and.b32 %r, %a, 1; ret; }}
.visible .entry k(.param .u64 out, .param .u64 h, .param .u32 first)
{{
.reg .u64 %out, %my, %h; .reg .u32 %i, %first, %n, %x, %y, %z; .reg .f32 %f<5>, %sum; .reg .pred %p, %q;
.shared .align 4 .b8 s[1024];
ld.param.u64 %out, [out]; ld.param.u64 %h, [h]; ld.param.u32 %first, [first];
mov.u32 %i, %tid.x; add.u32 %i, %i, %first;
mad.wide.u32 %my, %i, 4, %out; mov.f32 %sum, 0f00000000; mov.u32 %n, 0;
{body}
st.global.f32 [%my], %sum;
ret;
}}"
    )
}

/// A loop around the body, with enough iterations for compilation to pay.
fn looped(body: &str) -> String {
    kernel(&format!(
        "LOOP: {body}
         add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 16; @%p bra LOOP;"
    ))
}

/// Kernels whose events do not depend on other warps.
fn kernels() -> Vec<(&'static str, String)> {
    let arithmetic = "cvt.rn.f32.u32 %f1, %i; fma.rn.f32 %sum, %f1, 0f3F000000, %sum; mul.f32 %f2, %sum, %f1; add.f32 %sum, %sum, %f2;";
    let fetch = "add.u32 %x, %i, %n; and.b32 %x, %x, 7; and.b32 %y, %n, 7;
         tex.2d.v4.f32.s32 {%f1, %f2, _, _}, [%h, {%x, %y}]; add.f32 %sum, %sum, %f1;";
    vec![
        ("arithmetic", looped(arithmetic)),
        (
            "memory",
            looped(
                "st.global.f32 [%my], %sum; ld.global.u32 %x, [%my]; fence.acq_rel.gpu; cvt.rn.f32.u32 %f1, %x; add.f32 %sum, %sum, %f1;",
            ),
        ),
        (
            "guards",
            looped(
                "and.b32 %x, %i, 3; setp.eq.u32 %q, %x, 1; @%q add.f32 %sum, %sum, 0f3F800000; @!%q st.global.f32 [%my], %sum; mul.f32 %sum, %sum, 0f3F000000;",
            ),
        ),
        (
            "branches",
            looped(&format!(
                "add.u32 %x, %i, %n; and.b32 %x, %x, 5; setp.eq.u32 %q, %x, 1; @%q bra ODD; {arithmetic} bra.uni MEET; ODD: st.global.f32 [%my], %sum; MET: sub.f32 %sum, %sum, 0f3F800000; MEET: "
            )),
        ),
        ("calls", looped("call (%x), odd, (%i); cvt.rn.f32.u32 %f1, %x; add.f32 %sum, %sum, %f1;")),
        ("fetches", looped(fetch)),
        ("fetches with arithmetic", looped(&format!("{fetch} {arithmetic}"))),
        (
            "lanes",
            looped(
                "shfl.sync.bfly.b32 %x, %i, 1, 31, -1; vote.sync.any.pred %q, %p, -1; add.u32 %i, %i, 0; bar.warp.sync -1;",
            ),
        ),
        (
            "leaving",
            kernel(
                "and.b32 %x, %i, 3; setp.eq.u32 %q, %x, 3; @%q exit; ld.global.f32 %sum, [%my];",
            ),
        ),
    ]
}

/// Kernels that use whole CTAs.
fn of_ctas() -> Vec<(&'static str, String)> {
    let all = kernels();
    let shared = "shl.b32 %x, %i, 2; mov.u32 %y, s; add.u32 %y, %y, %x; st.volatile.shared.u32 [%y], %n; bar.sync 0;
         xor.b32 %x, %x, 4; mov.u32 %y, s; add.u32 %y, %y, %x; ld.shared.u32 %z, [%y]; bar.sync 0; cvt.rn.f32.u32 %f1, %z; add.f32 %sum, %sum, %f1;";
    let atomics =
        "mov.u32 %y, s; red.shared.add.u32 [%y], 1; atom.global.add.u32 %x, [%out+1020], 0;";
    // Loads at one base register, with operations between them that prevent grouping: a guard, a
    // store, another register, another address.
    let loads = "shl.b32 %x, %i, 2; and.b32 %x, %x, 124; mov.u32 %y, s; add.u32 %y, %y, %x;
         ld.shared.u32 %z, [%y]; ld.shared.f32 %f1, [%y+128]; ld.shared.v2.f32 {%f2, %f3}, [s+8]; ld.shared.u16 %z, [%y+4];
         setp.eq.u32 %q, %x, 8; @%q ld.shared.u32 %z, [%y+8]; ld.shared.u32 %z, [%y+12];
         st.shared.u32 [%y+256], %n; ld.shared.u32 %z, [%y+16]; ld.shared.u32 %z, [%y+20];
         ld.global.u32 %z, [%my]; ld.shared.v2.f32 {%f2, %f3}, [s+16]; ld.shared.u32 %z, [%y+24];
         ld.shared.u32 %y, [%y+28]; mov.u32 %y, s; ld.shared.u32 %z, [%y+32]; ld.shared.u32 %z, [%y+36]; add.f32 %sum, %sum, %f1;";
    let apart = format!(
        "and.b32 %z, %i, 3; setp.eq.u32 %q, %z, 1; @%q bra SKIP; {loads} SKIP: add.f32 %sum, %sum, 0f3F800000;"
    );
    let more = [
        ("loads", looped(loads)),
        ("loads of some lanes", looped(&apart)),
        ("barriers", looped(shared)),
        ("atomics", looped(atomics)),
        (
            "generic",
            looped(
                "mov.u32 %x, s; cvta.shared.u64 %h, 64; and.b32 %x, %i, 1; setp.eq.u32 %q, %x, 1; selp.u64 %h, %h, %my, %q; ld.u32 %x, [%h];",
            ),
        ),
    ];
    all.into_iter().chain(more).collect()
}

/// A loaded kernel with a texture, and its arguments.
fn load(text: &str) -> (Loaded, u64, u64) {
    let mut loaded = load_text(text);
    let handle =
        texture(&mut loaded, numbered(&shape(Geometry::D2, "f32"), "t"), Sampler::default());
    let (out, _) = loaded.buffer(THREADS as usize + 256);
    (loaded, out, handle)
}

/// Sets of events: many; with results, which would prevent yield points at fetches; accesses alone,
/// which compiled code reports within regions; and accesses with uses of uninitialised data, at
/// which it leaves the groups of loads that are reported together.
fn wanted() -> [Events; 4] {
    let much = Events::ACCESSES
        | Events::RESULTS
        | Events::PARAMETERS
        | Events::SYNCHRONIZATION
        | Events::BRANCHES
        | Events::BLOCKS
        | Events::CALLS
        | Events::FETCHES;
    let undefined = Events::ACCESSES | Events::DEFINED;
    [much, much | Events::ANSWERS | Events::OPERATIONS, Events::ACCESSES, undefined]
}

/// All events of lanes, sorted.
fn told(loaded: &Loaded, how: How, args: &[Arg], wants: Events) -> Vec<SpaceProfile> {
    let mut seen = record(loaded, how, args, wants);
    seen.sort();
    seen
}

#[test]
fn together_as_each_alone() {
    for (name, text) in kernels() {
        for wants in wanted() {
            let (loaded, out, handle) = load(&text);
            let args = |first| [Arg::U64(out), Arg::U64(handle), Arg::U32(first)];
            let how = |threads| How { block: [threads, 1, 1], ..How::default() };
            let together = told(&loaded, how(THREADS), &args(0), wants);
            let mut alone = Vec::new();
            for first in (0..THREADS).step_by(32) {
                let own = told(&loaded, how((THREADS - first).min(32)), &args(first), wants);
                // `first` is the part that differs, by the path to each thread.
                alone.extend(
                    own.into_iter().map(|s| SpaceProfile { thread: s.thread + first, ..s }),
                );
            }
            alone.sort();
            let without = |seen: Vec<SpaceProfile>| -> Vec<SpaceProfile> {
                seen.into_iter().filter(|s| !s.what.starts_with("operation")).collect()
            };
            assert_eq!(together.len(), alone.len(), "{name}");
            assert!(together.len() >= THREADS as usize / 2);
            assert!(without(together) == without(alone), "{name}");
        }
    }
}

/// For each kernel a line with the number of events and a digest of them.
fn digests() -> String {
    let mut lines = String::new();
    for (name, text) in of_ctas() {
        for (kind, wants) in wanted().into_iter().enumerate() {
            let (loaded, out, handle) = load(&text);
            let how = How { block: [THREADS, 1, 1], ..How::default() };
            let args = [Arg::U64(out), Arg::U64(handle), Arg::U32(0)];
            let mut first: Option<Vec<SpaceProfile>> = None;
            // After four launches a loop has begun 320 times, so it is compiled where that is
            // enabled.
            for round in 0..6 {
                let mut seen = record(&loaded, how, &args, wants);
                // Results of atomics and loads may differ from launch to launch.
                seen.retain(|event| !event.what.starts_with("brings"));
                for event in seen.iter_mut().filter(|event| event.what.starts_with("operation")) {
                    event.what.truncate("operation".len());
                }
                seen.sort();
                assert!(
                    *first.get_or_insert_with(|| seen.clone()) == seen,
                    "{name}, launch {round}"
                );
            }
            let (seen, mut hasher) = (first.unwrap(), DefaultHasher::new());
            seen.hash(&mut hasher);
            writeln!(lines, "{name} {kind}: {} {:016x}", seen.len(), hasher.finish()).unwrap();
        }
    }
    lines
}

#[test]
fn in_every_tier_the_same() {
    if let Some(path) = std::env::var_os(OUT) {
        std::fs::write(path, digests()).unwrap();
        return;
    }
    let folder = TempDir::new("observed");
    let run = |mode: &str| {
        let path: PathBuf = folder.path().join(mode);
        let ran = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "observers::tiers::in_every_tier_the_same"])
            .env(OUT, &path)
            .env("TEXUNIT_JIT", mode)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
        std::fs::read_to_string(path).unwrap()
    };
    // Portable builds have no machine code, so that the interpreter would be compared with itself.
    let has_code = simd_level() > SimdLevel::Portable;
    if !has_code {
        skipped("no AVX2: no machine code was compared");
    }
    let modes: &[_] = if has_code { &["off", "always"] } else { &[] };
    std::thread::scope(|scope| {
        let run = &run;
        let others: Vec<_> = modes.iter().map(|mode| scope.spawn(move || run(mode))).collect();
        let here = digests();
        assert_eq!(here.lines().count(), 56);
        for (mode, there) in modes.iter().zip(others) {
            let there = there.join().unwrap();
            for (here, there) in here.lines().zip(there.lines()) {
                assert_eq!(here, there, "{mode}");
            }
            assert_eq!(here.lines().count(), there.lines().count());
        }
    });
}
