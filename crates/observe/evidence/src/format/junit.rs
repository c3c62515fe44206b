//! JUnit XML according to `schemas/junit-10.xsd`: a test suite for each process, with a test case
//! for each kernel (its faults are failures) and one for each finding.

use super::{outcome, paragraph, was_running};
use crate::event::{Finding, Interpreted, Kernel};
use crate::reader::Record;
use crate::run::Run;
use std::fmt::Write;
use texunit_report::place::{function_name, shown_file};
use texunit_report::{Severity, fidelity_sentence, in_xml};

pub(super) fn document(run: &Run) -> String {
    // Processes without launches, such as shells and test runners, have no suite.
    let suites =
        run.records.iter().map(|record| suite(run, record)).filter(|suite| !suite.cases.is_empty());
    let mut suites: Vec<Suite> = suites.collect();
    let errors: Vec<_> = outcome(run).into_iter().map(|outcome| ("run", outcome)).collect();
    if !errors.is_empty() {
        let case = Case { errors, ..Case::new("run", &run.command, run.milliseconds) };
        suites.push(Suite { name: name(&run.command), cases: vec![case] });
    }
    let mut text = DECLARATION.to_owned();
    let counts: Vec<_> = suites.iter().map(Suite::counts).collect();
    text += &head([0, 1, 2].map(|i| counts.iter().map(|of_suite| of_suite[i]).sum()));
    suites.iter().for_each(|suite| suite.write(&mut text));
    text + END
}

/// The first and last line of a JUnit document.
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const END: &str = "</testsuites>\n";

fn head([tests, failures, errors]: [usize; 3]) -> String {
    format!(
        "<testsuites name=\"texunit\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n"
    )
}

/// Joins the suites of two JUnit documents; `None` if one of them was not written by this module.
pub(super) fn joined(earlier: &str, new: &str) -> Option<String> {
    let [(first, suites), (second, more)] = [parts(earlier)?, parts(new)?];
    let sum = [0, 1, 2].map(|i| first[i].saturating_add(second[i]));
    Some(format!("{DECLARATION}{}{suites}{more}{END}", head(sum)))
}

/// The totals in the head of a JUnit document, and the text of its suites.
fn parts(document: &str) -> Option<([usize; 3], &str)> {
    let (line, rest) = document.strip_prefix(DECLARATION)?.split_once('\n')?;
    let words: Vec<&str> = line.split('"').collect();
    let number = |i: usize| words.get(i)?.parse().ok();
    let numbers = [number(3)?, number(5)?, number(7)?];
    (format!("{line}\n") == head(numbers)).then_some(())?;
    Some((numbers, rest.strip_suffix(END)?))
}

struct Suite {
    name: String,
    cases: Vec<Case>,
}

#[derive(Default)]
struct Case {
    name: String,
    class: String,
    seconds: f64,
    /// Failures: message, kind, details.
    failures: Vec<(String, String, String)>,
    /// Why the test did not complete.
    errors: Vec<(&'static str, String)>,
    /// The contents of the test case's `system-out`.
    output: String,
}

/// The suite's name: the program of the process.
fn name(command: &[String]) -> String {
    let program = command.first().map_or("program", String::as_str);
    program.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(program).to_owned()
}

fn suite(run: &Run, record: &Record) -> Suite {
    let command = &record.process.command;
    let mut cases: Vec<Case> = Vec::new();
    for kernel in record.kernels.values() {
        let mut output = interpreted(kernel);
        let forms = record.instructions.iter().filter(|row| row.kernel == kernel.name);
        if let Some(text) = fidelity_sentence(forms) {
            output += &(text + "\n");
        }
        cases.push(Case { output, ..Case::new(&kernel.name, command, Some(kernel.milliseconds)) });
    }
    let mut case = |kernel: &str, add: &mut dyn FnMut(&mut Case)| {
        // Findings without a kernel have a test case of their own.
        let kernel = if kernel.is_empty() { "host" } else { kernel };
        let shown = function_name(kernel);
        if let Some(found) = cases.iter_mut().find(|case| case.name == shown) {
            return add(found);
        }
        let mut new = Case::new(kernel, command, None);
        add(&mut new);
        cases.push(new);
    };
    for fault in record.findings.values().filter(|finding| finding.check.is_none()) {
        case(&fault.kernel, &mut |case| case.failures.push(failure(fault)));
    }
    for running in record.running.values() {
        case(&running.kernel, &mut |case| case.errors.push(("running", was_running(running))));
    }
    // A note is never a failure, whatever `--fail-on` says.
    let least = run.fail_on.max(Severity::Warning);
    for finding in record.findings.values().filter(|finding| finding.check.is_some()) {
        let mut new = Case { name: title(finding), ..Case::new("", command, None) };
        match finding.severity >= least {
            true => new.failures.push(failure(finding)),
            false => new.output = format!("{}: {}\n", finding.severity.name(), paragraph(finding)),
        }
        cases.push(new);
    }
    Suite { name: format!("{} ({})", name(command), record.process.pid), cases }
}

/// The name of a finding's test case: its kind and lines.
fn title(finding: &Finding) -> String {
    let related = finding.related.iter().map(|related| &related.place);
    let lines = finding.place.iter().chain(related);
    let mut lines: Vec<_> =
        lines.map(|place| format!("{}:{}", shown_file(place.file()), place.line())).collect();
    lines.dedup();
    match lines.is_empty() {
        true => format!("{}: {}", finding.kind, finding.message),
        false => format!("{} at {}", finding.kind, lines.join(" with ")),
    }
}

fn failure(finding: &Finding) -> (String, String, String) {
    let place = finding.place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
    (finding.kind.clone(), format!("{place}{}", finding.message), paragraph(finding))
}

/// The instructions that were interpreted in the middle of compiled code, as lines of text.
fn interpreted(kernel: &Kernel) -> String {
    let row = |row: &Interpreted| {
        format!("{:>12}  {}  {}\n", row.count, row.instruction, row.place.with_ptx())
    };
    let rows: String = kernel.interpreted.iter().map(row).collect();
    match rows.is_empty() {
        true => rows,
        false => format!("interpreted in the middle of machine code:\n{rows}"),
    }
}

impl Case {
    fn new(kernel: &str, command: &[String], milliseconds: Option<f64>) -> Self {
        Self {
            name: function_name(kernel),
            class: name(command),
            seconds: milliseconds.unwrap_or(0.0) / 1000.0,
            ..Self::default()
        }
    }

    fn write(&self, text: &mut String) {
        let [name, class] = [&self.name, &self.class].map(|text| escaped(text));
        let _ = write!(
            text,
            "    <testcase name=\"{name}\" classname=\"{class}\" time=\"{:.3}\"",
            self.seconds
        );
        if self.failures.is_empty() && self.errors.is_empty() && self.output.is_empty() {
            *text += "/>\n";
            return;
        }
        *text += ">\n";
        for (kind, what) in &self.errors {
            let _ = writeln!(text, "      <error message=\"{}\" type=\"{kind}\"/>", escaped(what));
        }
        for (kind, message, paragraph) in &self.failures {
            let [kind, message, paragraph] = [kind, message, paragraph].map(|text| escaped(text));
            let _ = writeln!(
                text,
                "      <failure message=\"{message}\" type=\"{kind}\">{paragraph}</failure>"
            );
        }
        if !self.output.is_empty() {
            let _ = writeln!(text, "      <system-out>{}</system-out>", escaped(&self.output));
        }
        *text += "    </testcase>\n";
    }
}

impl Suite {
    /// Number of test cases, of failed test cases, and of test cases with an error.
    fn counts(&self) -> [usize; 3] {
        let errors = self.cases.iter().filter(|case| !case.errors.is_empty()).count();
        let complete = self.cases.iter().filter(|case| case.errors.is_empty());
        let failures = complete.filter(|case| !case.failures.is_empty()).count();
        [self.cases.len(), failures, errors]
    }

    fn write(&self, text: &mut String) {
        let seconds = self.cases.iter().fold(0.0, |sum, case| sum + case.seconds);
        let ([tests, failures, errors], name) = (self.counts(), escaped(&self.name));
        let _ = writeln!(
            text,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"{seconds:.3}\">",
        );
        self.cases.iter().for_each(|case| case.write(text));
        *text += "  </testsuite>\n";
    }
}

/// Escapes text for XML; control characters, which XML does not allow, are replaced by visible
/// symbols.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out += "&#10;",
            '\t' => out.push(' '),
            '\0'..='\x1f' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    in_xml(&out).into_owned()
}
