//! Reduces a failing launch, or a PTX file, to a small one that fails in the same way.
//!
//! [`reduce`] is the algorithm. It makes a [`Case`] smaller step by step, and asks a [`Judge`] for
//! each attempt whether it still fails; it knows the structure of PTX and of jobs, and nothing
//! about failures. The judges in [`oracle`] know those: error codes of `texunit check`, faults and
//! outputs of a launch, differences between two configurations, and the exit code of any program.
//!
//! The search is hierarchical delta debugging. It removes bodies of functions, statements from the
//! outer blocks to the inner ones, items of the module, then parts of instructions (predicates,
//! operands, modifiers, forwarded values), unused names, and numbers; in a job the grid, keys, and
//! contents of objects. It repeats these passes until a round changes nothing. The same case and
//! judge give the same result, unless a time limit ends the search.
//!
//! Limits: a function is inlined only if it is called once, and control flow is removed but not
//! restructured.

mod case;
mod job;
pub mod oracle;
mod ptx;
mod search;
mod text;

pub use case::{Case, read_job_table, statements};
pub use search::{End, Limits, Progress};

use search::Search;
use texunit_job::Content;

/// Decides whether a case still fails in the same way.
pub trait Judge {
    /// Whether the case fails. The answer must be deterministic.
    fn fails(&mut self, case: &Case) -> bool;
}

/// The smallest case that [`reduce`] has found, and why the search ended.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest failing case that was found.
    pub case: Case,
    /// Number of attempts that were judged.
    pub tries: u64,
    /// Why the search ended.
    pub end: End,
}

/// Maximum number of rounds; a round without changes ends the search earlier.
const MAX_ROUNDS: usize = 50;

/// Reduces a failing case. `contents` has the contents of its job's objects; `tell` is called
/// before every attempt.
pub fn reduce(
    case: Case,
    contents: &[Content],
    judge: &mut dyn Judge,
    limits: &Limits<'_>,
    tell: &mut dyn FnMut(&Progress<'_>),
) -> Reduced {
    let mut search = Search::new(case, judge, limits, tell);
    // The launch is reduced first, because a smaller one makes all later attempts faster.
    job::shape(&mut search);
    job::contents::replace(&mut search, contents);
    ptx::without_debug(&mut search);
    for round in 0..MAX_ROUNDS {
        let mut changed = ptx::round(&mut search, round == 0);
        changed |= job::round(&mut search);
        if !changed || search.is_over() {
            break;
        }
    }
    ptx::tidy(&mut search);
    search.finish()
}
