//! Tests of barriers in CTAs whose warps run in several batches: all arrive together, some arrive
//! alone, or some have exited.

use crate::common::{Arg, How, kernel, load_text, words};
use texunit_simt::JitMode;

const ROUNDS: u32 = 6;
/// Stands for no warp or no round.
const NONE: u32 = 99;

/// A CTA with a number of threads and special cases.
struct Case {
    threads: u32,
    /// The range of warps that exit before this round.
    exits: (u32, u32, u32),
    /// The warp whose lanes diverge before each barrier.
    parts: u32,
    /// The warp that arrives at another instruction for the same barrier.
    elsewhere: u32,
    /// The warp that has the barrier number in a register.
    in_register: u32,
}

const PLAIN: Case =
    Case { threads: 0, exits: (NONE, NONE, NONE), parts: NONE, elsewhere: NONE, in_register: NONE };

#[rustfmt::skip]
const CASES: [Case; 16] = [
    Case { threads: 33, ..PLAIN },
    Case { threads: 256, ..PLAIN },
    Case { threads: 257, ..PLAIN },
    Case { threads: 288, ..PLAIN },
    Case { threads: 500, ..PLAIN },
    Case { threads: 1024, ..PLAIN },
    Case { threads: 1024, parts: 9, ..PLAIN },
    Case { threads: 544, elsewhere: 3, ..PLAIN },
    Case { threads: 544, elsewhere: 16, parts: 16, ..PLAIN },
    Case { threads: 512, in_register: 12, ..PLAIN },
    // All warps of a batch except one, one batch, all batches except one, all warps except one, and
    // the last warp.
    Case { threads: 512, exits: (8, 14, 2), ..PLAIN },
    Case { threads: 512, exits: (0, 7, 2), ..PLAIN },
    Case { threads: 1024, exits: (0, 23, 3), ..PLAIN },
    Case { threads: 1024, exits: (1, 31, 1), ..PLAIN },
    Case { threads: 288, exits: (8, 8, 0), ..PLAIN },
    Case { threads: 576, exits: (3, 5, 4), parts: 7, elsewhere: 17, in_register: 1 },
];

impl Case {
    fn text(&self) -> String {
        let Self { threads, exits: (first, last, round), parts, elsewhere, in_register } = self;
        kernel(
            ".shared .align 4 .b8 s[4096]; .reg .pred %p, %q; .reg .u32 %a, %b, %v, %u, %r, %w, %id;",
            &format!(
                "mul.lo.u32 %v, %t, 0x9e3779b1;
                 shr.u32 %w, %t, 5;
                 mov.u32 %r, 0;
                 mov.u32 %id, 1;
                 mov.u32 %a, s;
                 mad.lo.u32 %a, %t, 4, %a;
LOOP:            setp.eq.u32 %q, %r, {round};
                 setp.ge.and.u32 %p, %w, {first}, %q;
                 setp.le.and.u32 %p, %w, {last}, %p;
                 @%p bra END;
                 st.shared.u32 [%a], %v;
                 setp.eq.u32 %p, %w, {parts};
                 and.b32 %u, %t, 1;
                 setp.eq.and.u32 %p, %u, 1, %p;
                 @!%p bra MEET;
                 xor.b32 %v, %v, 0x55;
MEET:            setp.eq.u32 %p, %w, {elsewhere};
                 @%p bra OTHER;
                 bar.sync 0;
                 bra BEHIND;
OTHER:           add.u32 %v, %v, 1;
                 bar.sync 0;
BEHIND:          mad.lo.u32 %u, %r, 37, %t;
                 add.u32 %u, %u, 33;
                 rem.u32 %u, %u, {threads};
                 mov.u32 %b, s;
                 mad.lo.u32 %b, %u, 4, %b;
                 ld.shared.u32 %u, [%b];
                 mad.lo.u32 %v, %v, 3, %u;
                 setp.eq.u32 %p, %w, {in_register};
                 @%p bra REGISTER;
                 bar.sync 1;
                 bra NEXT;
REGISTER:        bar.sync %id;
NEXT:            add.u32 %r, %r, 1;
                 setp.lt.u32 %p, %r, {ROUNDS};
                 @%p bra LOOP;
END:             st.global.u32 [%my], %v;
                 ret;"
            ),
        )
    }

    /// The expected output of the threads.
    fn expected(&self) -> Vec<u32> {
        let mut values: Vec<u32> = (0..self.threads).map(|t| t.wrapping_mul(0x9e37_79b1)).collect();
        let mut shared = vec![0; self.threads as usize];
        let (first, last, gone_at) = self.exits;
        for round in 0..ROUNDS {
            let is_there = |t: u32| round < gone_at || !(first..=last).contains(&(t / 32));
            for t in (0..self.threads).filter(|&t| is_there(t)) {
                let value = &mut values[t as usize];
                shared[t as usize] = *value;
                *value ^= if t / 32 == self.parts && t % 2 == 1 { 0x55 } else { 0 };
                *value = value.wrapping_add(u32::from(t / 32 == self.elsewhere));
            }
            for t in (0..self.threads).filter(|&t| is_there(t)) {
                let other = shared[((round * 37 + t + 33) % self.threads) as usize];
                values[t as usize] = values[t as usize].wrapping_mul(3).wrapping_add(other);
            }
        }
        values
    }
}

#[test]
fn ctas_of_any_number_of_warps() {
    for case in &CASES {
        let loaded = load_text(&case.text());
        let run = |jit| {
            let (address, block) = loaded.buffer(case.threads as usize);
            let how = How { block: [case.threads, 1, 1], jit: Some(jit), ..How::default() };
            let stats = loaded.run("k", how, &[Arg::U64(address)]).unwrap();
            (words(&block), stats.warp_instructions, stats.thread_instructions)
        };
        let interpreted = run(JitMode::Off);
        assert_eq!(interpreted.0, case.expected(), "{} threads", case.threads);
        assert_eq!(run(JitMode::Always), interpreted, "{} threads, compiled", case.threads);
    }
}

#[test]
fn a_barrier_without_the_warps_of_another_group_is_a_deadlock() {
    // Warp 9 waits at another barrier; 16 warps wait in two groups.
    let text = kernel(
        ".reg .pred %p; .reg .u32 %w;",
        "shr.u32 %w, %t, 5;
         bar.sync 0;
         setp.eq.u32 %p, %w, 9;
         @%p bra OTHER;
         bar.sync 0;
         ret;
OTHER:   bar.sync 1;
         ret;",
    );
    for jit in [JitMode::Off, JitMode::Always] {
        let how = How { block: [512, 1, 1], jit: Some(jit), ..How::default() };
        let (fault, _) = crate::common::run_fault(&text, how, 512);
        let said = format!("{:?}", fault.kind);
        assert!(said.contains("for barrier 0 (480 of 512 threads have arrived)"), "{said}");
        assert!(said.contains("for barrier 1 (32 of 512 threads have arrived)"), "{said}");
    }
}

#[test]
fn the_limit_of_steps_ends_a_loop_of_barriers() {
    let text = kernel("", "LOOP: bar.sync 0; bra LOOP; ret;");
    for threads in [256, 288, 1024] {
        let how = How { block: [threads, 1, 1], max_steps: 5000, ..How::default() };
        let (fault, _) = crate::common::run_fault(&text, how, 1024);
        let is_limit = matches!(fault.kind, texunit_simt::FaultKind::StepLimit { limit: 5000 });
        assert!(is_limit, "{fault:?}");
    }
}
