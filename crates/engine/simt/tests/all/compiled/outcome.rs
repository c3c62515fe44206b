//! Outcomes of launches, which are compared between the interpreter and compiled code.

use crate::common::{Arg, How, Loaded, words};
use texunit_memory::Block;
use texunit_simt::{Fault, JitMode, LaunchStats};

/// The outcome of a launch.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    /// The words of each block that the launch may change.
    pub(crate) memory: Vec<Vec<u32>>,
    pub(crate) stats: [u64; 6],
    pub(crate) fault: Option<String>,
}

/// A block, and its words before a launch by their indices.
pub(crate) type Filled<'a> = (&'a Block, fn(u32) -> u32);

pub(crate) fn counters(stats: &LaunchStats) -> [u64; 6] {
    let &LaunchStats {
        warp_instructions, thread_instructions, divisions_by_zero, past_end, ..
    } = stats;
    let (fetches, surface_accesses) = (stats.fetches, stats.surface_accesses);
    [warp_instructions, thread_instructions, divisions_by_zero, past_end, fetches, surface_accesses]
}

/// The fault without numbers of allocations, which another run has others of.
fn told(loaded: &Loaded, fault: &Fault) -> String {
    let text =
        format!("{:?} {:?} {:?} {}", fault.kind, fault.cta, fault.thread, loaded.line(fault));
    let mut parts = text.split("allocation");
    let first = parts.next().unwrap_or_default().to_owned();
    let is_number = |c: char| c.is_ascii_digit() || " :Some()".contains(c);
    parts.fold(first, |all, part| all + part.trim_start_matches(is_number))
}

pub(crate) fn fill(&(block, word): &Filled<'_>) {
    (0..block.size() as u32 / 4).for_each(|i| block.store_u32(4 * u64::from(i), word(i)).unwrap());
}

/// Several launches of a kernel, each with the same memory before it.
pub(crate) fn launches(
    loaded: &Loaded,
    how: How,
    args: &[Arg],
    memory: &[Filled<'_>],
    count: usize,
) -> Vec<Outcome> {
    let once = |_| {
        memory.iter().for_each(fill);
        let result = loaded.run("k", how, args);
        let (stats, fault) = match &result {
            Ok(stats) => (stats, None),
            Err(fault) => (&fault.stats, Some(told(loaded, fault))),
        };
        let memory = memory.iter().map(|(block, _)| words(block)).collect();
        Outcome { memory, stats: counters(stats), fault }
    };
    (0..count).map(once).collect()
}

/// Launches of which the later ones execute what is compiled meanwhile.
pub(crate) const COMPILED: &[(JitMode, usize)] = &[(JitMode::Always, 2)];
pub(crate) const ALL: &[(JitMode, usize)] = &[(JitMode::Always, 2), (JitMode::On, 4)];

/// Compares launches in these modes with one in the interpreter, whose outcome is returned.
pub(crate) fn compare(
    what: &str,
    modes: &[(JitMode, usize)],
    run: impl Fn(JitMode, usize) -> Vec<Outcome>,
) -> Outcome {
    let expected = run(JitMode::Off, 1).remove(0);
    for &(jit, count) in modes {
        for (launch, got) in run(jit, count).into_iter().enumerate() {
            let differs = |(a, b): (&Vec<u32>, _)| a.iter().zip(b).position(|(a, b)| a != b);
            let places: Vec<_> = got.memory.iter().zip(&expected.memory).map(differs).collect();
            assert!(
                got == expected,
                "launch {launch} with {jit:?} differs at words {places:?} of its memory: {:?} {:?}, \
                 interpreted {:?} {:?}\n{what}",
                got.stats,
                got.fault,
                expected.stats,
                expected.fault,
            );
        }
    }
    expected
}
