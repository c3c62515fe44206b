//! Tests of the warps of a CTA that wait for each other at fetches: results, counters and faults
//! are those of each warp running alone.

use crate::common::{Arg, HEADER, How, Loaded, load_text, words};
use crate::unit_common::{numbered, shape, texture};
use texunit_simt::{Fault, FaultKind, LaunchStats};
use texunit_unit::{Geometry, Sampler};

/// Number of threads of a CTA: four full warps, and one of 13 threads.
const THREADS: u32 = 4 * 32 + 13;
const ROUNDS: u32 = 6;

/// Each thread sums fetches from a texture in the iterations of a loop. `%i` is its number, `%h`
/// the handle.
fn kernel(handle: &str, between: &str) -> String {
    format!(
        "{HEADER}
.visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 first)
{{
.reg .u64 %out, %a, %b, %h, %at; .reg .u32 %t, %i, %w, %x, %y, %n, %first, %at0; .reg .f32 %f<5>, %sum;
.reg .pred %p, %odd;
ld.param.u64 %out, [out]; ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u32 %first, [first];
mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x;
mad.lo.u32 %i, %n, 32, %t; add.u32 %i, %i, %first;
shr.u32 %w, %i, 5; and.b32 %x, %w, 1; setp.eq.u32 %odd, %x, 1;
{handle}
mov.u32 %n, 0; mov.f32 %sum, 0.0;
LOOP:
add.u32 %x, %i, %n; and.b32 %x, %x, 7; shr.u32 %y, %i, 3; add.u32 %y, %y, %n; and.b32 %y, %y, 7;
tex.2d.v4.f32.s32 {{%f1, %f2, _, %f4}}, [%h, {{%x, %y}}];
add.f32 %sum, %sum, %f1; add.f32 %sum, %sum, %f2; fma.rn.f32 %sum, %f4, 1024.0, %sum;
{between}
add.u32 %n, %n, 1; setp.lt.u32 %p, %n, {ROUNDS}; @%p bra LOOP;
mad.wide.u32 %at, %i, 4, %out;
st.global.f32 [%at], %sum;
ret;
}}"
    )
}

/// The handle of a thread: equal for all, by warp, by thread, or different in each iteration.
const HANDLES: [(&str, &str); 4] = [
    ("mov.u64 %h, %a;", ""),
    ("selp.u64 %h, %b, %a, %odd;", ""),
    ("and.b32 %x, %i, 1; setp.eq.u32 %odd, %x, 1; selp.u64 %h, %b, %a, %odd;", ""),
    (
        "mov.u64 %h, %a;",
        "xor.b32 %x, %w, %n; and.b32 %x, %x, 1; setp.eq.u32 %odd, %x, 1; selp.u64 %h, %b, %a, %odd;",
    ),
];

/// Code between two fetches.
const BETWEEN: [&str; 5] = [
    "",
    "bar.sync 0;",
    "and.b32 %x, %i, 3; setp.eq.u32 %p, %x, 1; @%p bra SKIP; add.f32 %sum, %sum, 1.0;\nSKIP:",
    // Warps take different paths, reconverge, and leave the loop at different times.
    "and.b32 %x, %w, 3; setp.eq.u32 %p, %x, 1; @%p bra ODD; add.f32 %sum, %sum, 1.0; bra.uni MET;
     ODD: fma.rn.f32 %sum, %sum, 0.5, 3.0; bra.uni MET;\nMET:",
    "mad.lo.u32 %at0, %i, 4, 0; cvt.u64.u32 %at, %at0; add.u64 %at, %at, %out;
     st.global.f32 [%at], %sum; ld.global.f32 %f3, [%at]; fma.rn.f32 %sum, %f3, 0.5, %sum;",
];

struct Ran {
    sums: Vec<u32>,
    stats: LaunchStats,
}

fn run(loaded: &mut Loaded, handles: [u64; 2], how: How, first: u32) -> Result<Ran, Box<Fault>> {
    let (out, block) = loaded.buffer(THREADS as usize);
    let [a, b] = handles.map(Arg::U64);
    let stats = loaded.run("k", how, &[Arg::U64(out), a, b, Arg::U32(first)])?;
    Ok(Ran { sums: words(&block), stats })
}

#[test]
fn as_each_alone() {
    for (handle, change) in HANDLES {
        for between in BETWEEN {
            let mut loaded = load_text(&kernel(handle, &format!("{change}\n{between}")));
            let shape = shape(Geometry::D2, "f32");
            let mut flipped = shape;
            flipped.extent.height = 4;
            let a = texture(&mut loaded, numbered(&shape, "a"), Sampler::default());
            let b = texture(&mut loaded, numbered(&flipped, "b"), Sampler::default());
            let how = |threads| How { block: [threads, 1, 1], ..How::default() };
            let together = run(&mut loaded, [a, b], how(THREADS), 0).unwrap();
            let mut alone = Vec::new();
            let mut counts = [0; 3];
            for first in (0..THREADS).step_by(32) {
                let threads = (THREADS - first).min(32);
                let ran = run(&mut loaded, [a, b], how(threads), first).unwrap();
                let own = first as usize..(first + threads) as usize;
                alone.extend_from_slice(&ran.sums[own]);
                let LaunchStats { warp_instructions, thread_instructions, fetches, .. } = ran.stats;
                for (sum, n) in
                    counts.iter_mut().zip([warp_instructions, thread_instructions, fetches])
                {
                    *sum += n;
                }
            }
            assert!(alone.iter().any(|&sum| sum != alone[0]));
            assert_eq!(together.sums, alone, "{handle} {change} {between}");
            let LaunchStats { warp_instructions, thread_instructions, fetches, .. } =
                together.stats;
            let seen = [warp_instructions, thread_instructions, fetches];
            assert_eq!(seen, counts, "{handle} {change} {between}");
            assert_eq!(fetches, u64::from(THREADS * ROUNDS));
            // Repeats the test with compiled code.
            for _ in 0..20 {
                let again = run(&mut loaded, [a, b], how(THREADS), 0).unwrap();
                assert_eq!(again.sums, alone, "{handle} {change} {between}");
                assert_eq!(again.stats, together.stats, "{handle} {change} {between}");
            }
        }
    }
}

/// A fault of a warp that has run ahead is reported in its turn, not earlier.
#[test]
fn faults_keep_their_order() {
    // Odd warps have an invalid handle in their last iteration.
    let change = "setp.eq.and.u32 %p, %n, 4, %odd; @%p mov.u64 %h, 99;";
    let mut loaded = load_text(&kernel("mov.u64 %h, %a;", change));
    let a = texture(&mut loaded, numbered(&shape(Geometry::D2, "f32"), "a"), Sampler::default());
    let how = How { block: [THREADS, 1, 1], ..How::default() };
    let Err(fault) = run(&mut loaded, [a, a], how, 0) else { panic!("a handle of nothing") };
    assert_eq!(fault.thread, [32, 0, 0], "the first thread of warp 1");
    assert!(loaded.line(&fault).starts_with("tex.2d"), "{}", loaded.line(&fault));
}

/// The step limit applies to each warp separately.
#[test]
fn step_limits_are_exact() {
    let mut loaded = load_text(&kernel("mov.u64 %h, %a;", ""));
    let a = texture(&mut loaded, numbered(&shape(Geometry::D2, "f32"), "a"), Sampler::default());
    let how = |threads, max_steps| How { block: [threads, 1, 1], max_steps, ..How::default() };
    let alone = run(&mut loaded, [a, a], how(32, 1 << 20), 0).unwrap();
    let steps = alone.stats.warp_instructions;
    assert!(run(&mut loaded, [a, a], how(64, steps), 0).is_ok());
    let limit = steps / 2;
    let Err(fault) = run(&mut loaded, [a, a], how(64, limit), 0) else { panic!("too many") };
    assert_eq!(fault.kind, FaultKind::StepLimit { limit });
    // Turns end many times before the limit is reached.
    let text = kernel("mov.u64 %h, %a;", "AGAIN: bra.uni AGAIN;");
    let mut loaded = load_text(&text);
    let a = texture(&mut loaded, numbered(&shape(Geometry::D2, "f32"), "a"), Sampler::default());
    let Err(fault) = run(&mut loaded, [a, a], how(64, 100_000), 0) else { panic!("an end") };
    assert_eq!(fault.kind, FaultKind::StepLimit { limit: 100_000 });
    // A cancelled launch ends early, too.
    let how = How { cancelled: true, ..how(64, u64::MAX) };
    let Err(fault) = run(&mut loaded, [a, a], how, 0) else { panic!("an end") };
    assert_eq!(fault.kind, FaultKind::Cancelled);
}
