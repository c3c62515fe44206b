//! `mutants PART...`: measures how many mistakes the tests detect. A mutant is the program with one
//! small mistake; if all tests pass, they have missed it.
//!
//! cargo-mutants lists the possible mutants; those that are tried are drawn with a seed, which
//! selects the same mutants until the code changes ([`list`]). Each is built in a copy of the tree
//! and judged by the tests of its crate that take less than a minute, the fastest first
//! ([`judge`]). Verdicts are stored, so an interrupted run can continue ([`verdicts`]).
//! docs/mutants.md lists reasons for undetected mutants ([`table`]).

mod judge;
mod list;
mod parts;
mod table;
mod tree;
mod verdicts;

use crate::files::{self, at};
use crate::{exit_code, workspace};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use judge::Judge;
use list::Mutant;
use parts::{PARTS, Part};
use table::Table;
use verdicts::{Verdict, Verdicts};

/// The arguments of `mutants`.
#[derive(Debug, clap::Args)]
pub(crate) struct Request {
    /// Parts of the code; without one, all
    #[arg(value_name = "PART", value_parser = PossibleValuesParser::new(PARTS.iter().map(|p| p.name)))]
    parts: Vec<String>,
    /// Number of mutants of each part, those that do not compile not counted
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: usize,
    /// Seed of the draw
    #[arg(long, value_name = "N", default_value_t = 20)]
    seed: u64,
    /// Judge the first N of the draw again, and record nothing
    #[arg(long, value_name = "N", conflicts_with = "count")]
    again: Option<usize>,
    /// Judge all mutants again whose names contain this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Only print the draw
    #[arg(long)]
    list: bool,
}

impl Request {
    fn count(&self) -> usize {
        self.again.unwrap_or(self.count)
    }

    fn parts(&self) -> impl Iterator<Item = &'static Part> {
        let wanted =
            |part: &&Part| self.parts.is_empty() || self.parts.iter().any(|name| name == part.name);
        PARTS.iter().filter(wanted)
    }
}

/// Judges the mutants of all requested parts. Exit code: 0 if every undetected mutant has a reason,
/// 1 if not.
pub(crate) fn run(request: &Request) -> ExitCode {
    exit_code(run_all(request))
}

fn run_all(request: &Request) -> Result<bool, String> {
    let place = Place::new()?;
    let table = Table::read(&workspace())?;
    let mut good = true;
    for part in request.parts() {
        let mut mutants = list::of(part, &place)?;
        let all = mutants.len();
        list::shuffle(&mut mutants, request.seed);
        println!("== {}: {all} mutants, seed {}", part.name, request.seed);
        if let Some(text) = &request.only {
            mutants.retain(|mutant| mutant.name.contains(text));
        }
        if request.list {
            for mutant in mutants.iter().take(request.count()) {
                println!("{}:{} {}", mutant.file, mutant.span.start.line, mutant.name);
            }
            continue;
        }
        good &= part_is_good(request, part, &mutants, &table, &place)?;
    }
    Ok(good)
}

/// Judges the mutants of a part in the given order; returns whether each undetected one has a
/// reason in docs/mutants.md.
fn part_is_good(
    request: &Request,
    part: &'static Part,
    mutants: &[Mutant],
    table: &Table,
    place: &Place,
) -> Result<bool, String> {
    let fresh = request.again.is_some() || request.only.is_some();
    let mut found = if fresh { Verdicts::default() } else { Verdicts::read(&place.noted(part))? };
    let mut judge = Judge::new(part, place);
    let (mut judged, mut reasons, mut alone) = (0, 0, Vec::new());
    for mutant in mutants {
        if judged == request.count() {
            break;
        }
        let reason = table.reason(part.name, mutant);
        let verdict = match found.of(mutant) {
            // A mutant that survived earlier is judged again, because a new test may detect it.
            Some(Verdict::Survived) if reason.is_none() => judge.verdict(mutant)?,
            Some(known) => known.clone(),
            None => judge.verdict(mutant)?,
        };
        if found.note(mutant, &verdict) && !fresh {
            found.write(&place.noted(part))?;
        }
        judged += usize::from(verdict != Verdict::Unviable);
        if verdict == Verdict::Survived {
            match reason {
                Some(_) => reasons += 1,
                None => alone.push(mutant),
            }
        }
    }
    println!(
        "== {}: {judged} judged, {} caught; of those that live {reasons} have a reason, {} none",
        part.name,
        judged - reasons - alone.len(),
        alone.len()
    );
    for mutant in &alone {
        println!("{}:{} {}\n{}", mutant.file, mutant.span.start.line, mutant.name, mutant.diff);
    }
    Ok(alone.is_empty())
}

/// The folder with the copy of the tree, its builds and the verdicts. The folder is locked for this
/// process while this value exists.
struct Place {
    folder: PathBuf,
    _lock: std::fs::File,
}

impl Place {
    /// Locks the folder, and copies the current tree into it.
    fn new() -> Result<Self, String> {
        let folder = crate::libs::target(&workspace()).join("mutants");
        files::folder(&folder)?;
        let lock = at(&folder, std::fs::File::create(folder.join("lock")))?;
        at(&folder, lock.lock())?;
        let place = Self { folder, _lock: lock };
        tree::copy(&workspace(), &place.tree())?;
        Ok(place)
    }

    fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    fn builds(&self) -> PathBuf {
        self.folder.join("build")
    }

    fn tools(&self) -> PathBuf {
        self.folder.join("tools")
    }

    /// The path of the file that stores the verdicts on a part.
    fn noted(&self, part: &Part) -> PathBuf {
        self.folder.join(format!("{}.txt", part.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &str) -> Option<Request> {
        match crate::parsed(&format!("mutants {words}")).ok()? {
            crate::Task::Mutants(request) => Some(request),
            _ => None,
        }
    }

    #[test]
    fn arguments_select_mutants() {
        let read = request("texel check --again 10 --seed 7").expect("right arguments");
        let names: Vec<_> = read.parts().map(|part| part.name).collect();
        assert_eq!((names.as_slice(), read.count(), read.seed), (&["texel", "check"][..], 10, 7));
        assert!(read.again.is_some() && read.only.is_none());
        assert_eq!(request("").expect("no arguments").parts().count(), PARTS.len());
        for words in ["all", "--again", "nobody", "texel --count", "texel --seed x"] {
            assert!(request(words).is_none(), "{words}");
        }
    }
}
