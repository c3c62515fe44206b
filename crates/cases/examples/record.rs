//! Writes random cases with the reference's answers, so that another program can check them:
//!
//! ```sh
//! cargo run -p texunit-cases --example record -- SEED COUNT > cases.toml
//! python3 tests/fetch/rules.py cases.toml
//! ```

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::sync::Arc;
use texunit_cases::{
    Access, Answer, Built, Case, Expected, ExpectedValue, ResourceSpec, random_unit_case, to_toml,
};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<u64>().expect("SEED COUNT"));
    let (seed, count) = (numbers.next().expect("SEED"), numbers.next().expect("COUNT"));
    let cases: Vec<Case> = (0..count)
        .filter_map(|index| {
            let mut case = random_unit_case(seed, index);
            // Every case has a resource of its own.
            let own = |resource: &Arc<ResourceSpec>| {
                Arc::new(ResourceSpec { name: format!("r{index}"), ..(**resource).clone() })
            };
            match (case.build().unwrap(), &mut case.access) {
                (Built::Fetch(built), Access::Fetch(fetch)) => {
                    let value =
                        |a: &Answer| ExpectedValue { values: a.values, resident: Some(a.resident) };
                    let answers = built.reference().ok()?;
                    fetch.expected = Expected::Values(answers.iter().map(value).collect());
                    fetch.resource = own(&fetch.resource);
                }
                (Built::Surface(built), Access::Surface(surface)) => {
                    let run = built.run().ok()?;
                    for (access, answer) in surface.accesses.iter_mut().zip(run.answers) {
                        match answer {
                            Ok(loaded) if access.bytes.is_none() => access.bytes = Some(loaded),
                            Ok(_) => {}
                            Err(fault) => (access.bytes, access.fault) = (None, Some(fault)),
                        }
                    }
                    surface.after = Some(run.after);
                    surface.resource = own(&surface.resource);
                }
                _ => unreachable!("a case builds what it is"),
            }
            Some(case)
        })
        .collect();
    println!("{}", to_toml(&cases));
}
