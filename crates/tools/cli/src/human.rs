//! Prints the report of a launch as text: the kernel's output and a summary on standard output,
//! everything else on standard error.

use crate::color::{self, Stream};
use crate::launch_report::{Failure, Report};
use crate::{checks, out};
use texunit_device::{Fusion, GradientStats};
use texunit_forms::Count;
use texunit_job::InText;
use texunit_report::place::function_name;
use texunit_report::{Located, screen, visible};
use texunit_syntax::Diagnostic;

/// Maximum number of diagnostics shown.
const MAX_SHOWN: usize = 100;

/// Prints a report.
pub fn print(report: &Report, quiet: bool) -> std::io::Result<()> {
    let color = color::wanted(Stream::Stderr);
    let (out, err) = render(report, quiet, color);
    let printed = out::print_bytes(&out);
    // Errors are printed even if standard output is closed or full.
    out::stderr_text(&err, color)?;
    printed
}

/// Prints the page of an explained thread, and everything else on standard error.
pub fn print_page(report: &Report, quiet: bool) -> std::io::Result<()> {
    let color = color::wanted(Stream::Stderr);
    let (_, err) = render(report, quiet, color);
    let page = report.explained.as_ref();
    let page = page.map(|e| e.svg(report.kernel.as_deref(), report.located()));
    let printed = out::print(&page.unwrap_or_default());
    let printf = report.stats.as_ref().map_or(&[][..], |stats| &stats.printf[..]);
    out::stderr_text(&String::from_utf8_lossy(printf), false)?;
    out::stderr_text(&err, color)?;
    printed
}

/// The texts for standard output and standard error.
pub fn render(report: &Report, quiet: bool, color: bool) -> (Vec<u8>, String) {
    let mut printed = Vec::new();
    let mut err = String::new();
    let ptx = report.located();
    let job = report.job_source.as_ref().map(Located::from);
    let diagnostic = |d: &Diagnostic, source: Option<Located<'_>>| match source {
        Some(source) => texunit_report::human(source, std::slice::from_ref(d), color),
        None => format!("error[{}]: {}\n", d.code, visible(&d.message)),
    };
    if !quiet {
        for note in &report.job_notes {
            err += &diagnostic(&note.diagnostic(), job);
        }
        for warning in &report.ptx_warnings {
            err += &diagnostic(warning, ptx);
        }
        for warning in &report.warnings {
            err += &format!("warning: {warning}\n");
        }
    }
    for failure in report.failures.iter().take(MAX_SHOWN) {
        err += &match failure {
            Failure::Job(problem) => diagnostic(&problem.diagnostic(), job),
            Failure::Ptx(d) => diagnostic(d, ptx),
            Failure::File { message, help, .. } => {
                let help = help.as_ref().map_or_else(String::new, |h| format!("  = help: {h}\n"));
                format!("error: {}\n{help}", visible(message))
            }
        };
    }
    if report.failures.len() > MAX_SHOWN {
        let more = Count(report.failures.len() - MAX_SHOWN, "more mistake");
        err += &format!("error: {more} {} not shown\n", more.are());
    }
    if let (Some(fault), Some(source)) = (&report.fault, &report.ptx_source) {
        let sources = &*fault.sources;
        let diagnostic = texunit_report::fault_diagnostic(fault, texunit_report::Host::Job);
        err += &texunit_report::human((source, sources), &[diagnostic], color);
    }
    if let Some(log) = &report.log {
        err += &checks::text(log, report.located(), report.gen_suppressions, color);
        if !quiet || log.has_findings() {
            err += &checks::summary(log);
        }
    }
    if let Some(lines) = &report.effective {
        let text = crate::effective::text(lines, report.ptx_source.as_ref());
        printed.extend_from_slice(screen(&text, false).as_bytes());
    }
    if let Some(stats) = &report.stats {
        printed.extend_from_slice(&out::of_kernel(&stats.printf, out::is_terminal()));
        if let Some(explained) = &report.explained {
            printed.extend_from_slice(screen(&explained.text(report.located()), false).as_bytes());
        }
        if !quiet && report.ran() {
            if let Some(sets) = &report.sets {
                err += &format!(
                    "wrote {}: {} read, {} written, in {}\n",
                    sets.path.display(),
                    Count(sets.read, "byte"),
                    sets.written,
                    sets.bytes
                );
            }
            if let Some(path) = &report.explanation {
                err += &format!("wrote {}\n", path.display());
            }
            for written in &report.outputs {
                err += &format!("wrote {}\n", written.path.display());
            }
            printed.extend_from_slice(screen(&summary(report), false).as_bytes());
            let unknown = texunit_report::fidelity_sentence(report.instructions.iter());
            err += &unknown.map_or_else(String::new, |text| format!("note: {text}\n"));
        }
        if report.tells_interpreted {
            printed.extend_from_slice(screen(&crate::interpreted::text(report), false).as_bytes());
        }
    }
    (printed, err)
}

/// `rotate: 16 x 16 CTAs of 16 x 16 threads in 12.3 ms, 65536 fetches (5.33 M/s)`
fn summary(report: &Report) -> String {
    let Some(stats) = &report.stats else { return String::new() };
    let seconds = report.times.launch.as_secs_f64();
    let grid = shape(report.grid.unwrap_or([1; 3]));
    let ctas = match (report.ctas, report.merged) {
        (Some(ctas), _) => format!("CTAs {ctas} of {grid}"),
        (_, Some(merged)) => format!("{} of {}", Count(merged.files, "range"), Count(grid, "CTA")),
        _ => Count(grid, "CTA").to_string(),
    };
    let done = if report.merged.is_some() { "merged in" } else { "in" };
    let mut text = format!(
        "{}: {ctas} of {} {done} {}",
        function_name(report.kernel.as_deref().unwrap_or_default()),
        Count(shape(report.block.unwrap_or([1; 3])), "thread"),
        time(seconds)
    );
    if stats.fetches > 0 {
        text +=
            &format!(", {} ({}/s)", Count(stats.fetches, "fetch"), rate(stats.fetches, seconds));
    }
    if stats.surface_accesses > 0 {
        text += &format!(", {}", Count(stats.surface_accesses, "surface access"));
    }
    if stats.fetches == 0 && stats.surface_accesses == 0 {
        text += ", no fetches";
    }
    if stats.divisions_by_zero > 0 {
        text += &format!(", {} by zero", Count(stats.divisions_by_zero, "integer division"));
    }
    if stats.past_end > 0 {
        text += &format!(", {} past the end of an object", Count(stats.past_end, "access"));
    }
    let Fusion { fused, undecided } = stats.fusion;
    if fused > 0 || undecided > 0 {
        text += &format!(", {} fused", Count(fused, "sum"));
    }
    if undecided > 0 {
        text += &format!(" and {undecided} left apart that an assembler may fuse");
    }
    if let Some(checked) = report.checked {
        let objects = Count(checked, "object");
        text += &format!(", {objects} {} as expected", objects.are());
    }
    text + "\n" + &stats.gradients.as_ref().map_or_else(String::new, gradients)
}

/// `gradients: 64 by TXD, 32 by the unit: TXD has no 3d coordinates (32)`
fn gradients(GradientStats { engine, unit }: &GradientStats) -> String {
    let total: u64 = unit.values().sum();
    let reasons: Vec<String> = unit.iter().map(|(why, n)| format!("{why} ({n})")).collect();
    let reasons = match reasons.join("; ") {
        none if none.is_empty() => none,
        some => format!(": {some}"),
    };
    format!("gradients: {engine} by TXD, {total} by the unit{reasons}\n")
}

fn shape([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x} x {y}"),
        _ => format!("{x} x {y} x {z}"),
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.3} ms", s * 1e3),
        s => format!("{s:.3} s"),
    }
}

/// A number with an SI prefix: `5.33 M`.
fn rate(count: u64, seconds: f64) -> String {
    let rate = count as f64 / seconds.max(1e-9);
    let (value, prefix) = match rate {
        r if r >= 1e9 => (r / 1e9, " G"),
        r if r >= 1e6 => (r / 1e6, " M"),
        r if r >= 1e3 => (r / 1e3, " k"),
        r => (r, ""),
    };
    format!("{value:.2}{prefix}")
}
