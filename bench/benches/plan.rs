//! Benchmark of building fetch plans, for each case of `texunit bench`.
//!
//! Prints a table with the best of many runs; time never makes it fail. docs/performance.md has
//! measured numbers, with the machine.
#![allow(clippy::print_stdout, missing_docs)]

use std::hint::black_box;
use texunit_bench::best;
use texunit_unit::FetchPlan;
use texunit_workloads::cases;
use texunit_workloads::workload::Failure;

/// Number of plans built in one measurement, which is few enough to take less than a time slice of
/// the scheduler.
const AT_ONCE: u32 = 200;
const ROUNDS: usize = 50;

fn main() -> Result<(), Failure> {
    println!("| plan | ns |");
    println!("|---|---|");
    for case in cases::all().iter().filter(|case| case.name.ends_with("-coh")) {
        let texture = case.texture()?;
        let plan = |_| {
            let plan = FetchPlan::new(black_box(case.form), &texture, &case.sampler);
            black_box(plan).map(drop)
        };
        let (best, built) = best(ROUNDS, || (0..AT_ONCE).try_for_each(plan));
        built.map_err(|e| e.to_string())?;
        println!("| {} | {:.0} |", case.name, best / f64::from(AT_ONCE) * 1e9);
    }
    Ok(())
}
