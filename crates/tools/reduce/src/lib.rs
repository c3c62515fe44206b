//! Shrinks a failing launch, or a PTX file, to a small one that fails in the same way.
//!
//! [`reduce`] is the algorithm: it makes a [`Case`] smaller step by step and asks a [`Judge`] of each
//! attempt whether it still fails; it knows the shape of PTX and of jobs, and nothing of failures. The
//! judges of [`oracle`] know those: codes of `texunit check`, faults and outputs of a launch, differences
//! between two ways to launch, the exit code of any program.
//!
//! The search is hierarchical delta debugging: bodies of functions, statements from the outer blocks to the
//! inner ones, items of the module, then single instructions (guards, operands, modifiers, values handed on),
//! names that nothing uses, numbers; in a job the grid, the keys and the contents of its objects. It goes round until a
//! round changes nothing. The same case and judge give the same result, unless time ends it.
//!
//! What it leaves out: a body takes the place of the only call of a function, but not of one among several; and
//! control flow is not made anew, only left out.

mod case;
mod job;
pub mod oracle;
mod ptx;
mod search;
mod text;

pub use case::{Case, Unread, read_job_table, statements};
pub use search::{End, Limits, Progress};

use search::Search;
use texunit_job::Content;

/// Says whether a case fails in the way that is kept.
pub trait Judge {
    /// Whether this one does. It must answer the same for the same case.
    fn fails(&mut self, case: &Case) -> bool;
}

/// What [`reduce`] has reached.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest case that fails.
    pub case: Case,
    /// Attempts that the judge was asked about.
    pub tries: u64,
    /// Why it went no further.
    pub end: End,
}

/// Most rounds; a round that changes nothing is the last one anyway.
const MAX_ROUNDS: usize = 50;

/// Makes a failing case smaller. `contents` are what the objects of its job hold; `tell` is called before
/// every attempt.
pub fn reduce(
    case: Case,
    contents: &[Content],
    judge: &mut dyn Judge,
    limits: &Limits<'_>,
    tell: &mut dyn FnMut(&Progress<'_>),
) -> Reduced {
    let mut search = Search::new(case, judge, limits, tell);
    // A small launch makes all that follows quick.
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
