//! Writes random cases with the reference's answers, so that another program can check them:
//!
//! ```sh
//! cargo run -p texunit-cases --example record -- SEED COUNT > cases.toml
//! python3 tests/fetch/rules.py cases.toml
//! ```

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use texunit_cases::{Access, Built, Expected, ExpectedValue, random_unit_case, to_toml};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<u64>().expect("SEED COUNT"));
    let (seed, count) = (numbers.next().expect("SEED"), numbers.next().expect("COUNT"));
    let mut cases = Vec::new();
    for index in 0..count {
        let mut case = random_unit_case(seed, index);
        let (Built::Fetch(built), Access::Fetch(fetch)) = (case.build().unwrap(), &mut case.access)
        else {
            continue;
        };
        if let Ok(answers) = built.reference() {
            let value = |a: &texunit_cases::Answer| ExpectedValue {
                values: a.values,
                resident: Some(a.resident),
            };
            fetch.expected = Expected::Values(answers.iter().map(value).collect());
            // Every case has a resource of its own.
            let name = format!("r{index}");
            fetch.resource = std::sync::Arc::new(texunit_cases::ResourceSpec {
                name,
                ..(*fetch.resource).clone()
            });
            cases.push(case);
        }
    }
    println!("{}", to_toml(&cases));
}
