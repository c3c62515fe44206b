//! Writes random cases with the reference's results, so that another program can check them:
//!
//! ```sh
//! cargo run -p texunit-cases --example record -- SEED COUNT > cases.toml
//! python3 tests/fetch/rules.py cases.toml
//! ```

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::sync::Arc;
use texunit_cases::{Access, Case, random_unit_case, to_toml};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<u64>().expect("SEED COUNT"));
    let (seed, count) = (numbers.next().expect("SEED"), numbers.next().expect("COUNT"));
    let cases: Vec<Case> = (0..count)
        .filter_map(|index| {
            let mut case = random_unit_case(seed, index).answered().unwrap()?;
            // Each case gets a resource of its own name, because random cases do not share
            // resources.
            let resource = match &mut case.access {
                Access::Fetch(fetch) => &mut fetch.resource,
                Access::Surface(surface) => &mut surface.resource,
            };
            Arc::make_mut(resource).name = format!("r{index}");
            Some(case)
        })
        .collect();
    println!("{}", to_toml(&cases));
}
