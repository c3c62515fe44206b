//! Reads a sampler from TOML, and shows that all mistakes in a text are reported at once.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use texunit_spec::{Context, Problem, SamplerSpec, Table};
use texunit_unit::{Filter, Sampler};
use toml::de::DeTable;

fn read(text: &str) -> Result<(Sampler, Vec<Problem>), Box<dyn Error>> {
    let context = Context::default();
    let document = DeTable::parse(text)?;
    let table = Table::root(document.get_ref(), &context);
    let sampler = SamplerSpec::read(&table).build();
    // Reports the keys that have not been read as unknown.
    table.finish();
    Ok((sampler, context.problems.take()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (sampler, problems) = read("filter_mode = \"linear\"\nmax_anisotropy = 4")?;
    assert_eq!((sampler.filter, problems.len()), (Filter::Linear, 0));

    let (_, problems) = read("filter_mode = \"cubic\"\nmax_anisotrpy = 4")?;
    problems.iter().for_each(|problem| println!("{}: {}", problem.code, problem.message));
    assert_eq!(problems.len(), 2);
    Ok(())
}
