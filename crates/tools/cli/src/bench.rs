//! `texunit bench`: measures the speed of fetches. Cases, textures and interfaces come from the
//! crate `texunit-workloads`, which the workspace's benchmarks share.

use crate::args::{OutputFormat, integer};
use clap::Args;
use std::time::Duration;
use texunit_forms::Count;
use texunit_workloads::cases;
use texunit_workloads::measure::{Via, json, measure};
use texunit_workloads::workload::{Effort, Failure, Workload};

crate::args::choices! {
    /// The interface of fetches.
    ViaArg for Via {
        /// The Rust API: coordinates in arrays, results to arrays.
        Api,
        /// A kernel that computes its coordinates, fetches and stores.
        Ptx,
    }
}

/// Arguments of `texunit bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// Cases, or the beginnings of their names: `a-wrap-coh`, `e-grad`, `a,b,c`. Default: all.
    #[arg(long = "case", value_name = "NAME,...", value_delimiter = ',')]
    pub cases: Vec<String>,
    /// Host threads; 0 means one per core.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
          value_parser = integer::<u16>("host threads", 0..=1024))]
    pub threads: u16,
    /// How fetches are made.
    #[arg(long, value_enum, default_value_t = ViaArg::Api)]
    pub via: ViaArg,
    /// With `--via api`: fetches whose results are in arrays at the same time. Arrays for all
    /// fetches of a run (4194304) are larger than the caches.
    #[arg(long, value_name = "N", default_value_t = cases::BATCH, allow_negative_numbers = true,
          value_parser = integer::<u32>("fetches", 32..=cases::FETCHES))]
    pub batch: u32,
    /// Output format: a table, or one line of JSON per case.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
    /// Fetches of a run: for tests of this command.
    #[arg(long, value_name = "N", default_value_t = cases::FETCHES, hide = true,
          allow_negative_numbers = true,
          value_parser = integer::<u32>("fetches", 1024..=cases::FETCHES))]
    pub fetches: u32,
}

/// Time for the runs of a case: all cases take less than a minute.
const TIME_OF_A_CASE: Duration = Duration::from_millis(1500);

/// Runs the command; returns the exit code.
pub fn run(args: &BenchArgs) -> u8 {
    let chosen = match cases::select(&args.cases) {
        Ok(chosen) => chosen,
        Err(word) => {
            let names = cases::names();
            let near = texunit_job::problem::nearest(&word, &names)
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let message = format!("unknown case `{word}`{near}\ncases: {}", names.join(", "));
            return crate::usage_error("bench", &message);
        }
    };
    let threads = match args.threads {
        0 => texunit_threads::cores(),
        threads => threads.into(),
    };
    // Rounded down to whole CTAs.
    let fetches = args.fetches / 1024 * 1024;
    let time = TIME_OF_A_CASE * fetches / cases::FETCHES;
    match print_all(args, &chosen, Effort { threads, fetches, batch: args.batch, time }) {
        Ok(printed) => crate::exit(printed, true),
        Err(trouble) => crate::out::error(trouble, crate::FAILED),
    }
}

/// Measures and prints one case after another: the outer error is of measuring, the inner one of
/// printing.
fn print_all(
    args: &BenchArgs,
    chosen: &[Workload],
    effort: Effort,
) -> Result<std::io::Result<()>, Failure> {
    let via = args.via.into();
    let is_table = args.format == OutputFormat::Human;
    if is_table && let Err(error) = print(&head(via, &effort)) {
        return Ok(Err(error));
    }
    for case in chosen {
        let rate = measure(case, via, effort)?;
        let text = match args.format {
            OutputFormat::Human => {
                format!("{:<14}{:>9.1}{:>9.1}", case.name, rate.best, rate.median)
            }
            OutputFormat::Json => json(&case.name, via, &effort, rate),
        };
        if let Err(error) = print(&text) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

fn head(via: Via, effort: &Effort) -> String {
    let way = match via {
        Via::Api => "coordinates in arrays, results to arrays",
        Via::Ptx => "PTX kernels that compute their coordinates",
    };
    let threads = Count(effort.threads, "thread");
    let simd = texunit_unit::fetch_simd_level();
    format!(
        "million fetches per second, {simd}, {threads}, {way}\n{:<14}{:>9}{:>9}",
        "case", "best", "median"
    )
}

/// Prints a line and flushes it, so that the reader of a pipe sees it at once.
fn print(line: &str) -> std::io::Result<()> {
    crate::out::print(&format!("{line}\n"))
}
