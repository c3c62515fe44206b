//! Joins a new report to an existing file, for test runners that start one run per test.

use super::{Format, junit};
use serde_json::Value;
use texunit_report::in_json;

impl Format {
    /// Appends a report to an earlier one of the same format.
    ///
    /// # Errors The reports cannot be joined. The error completes a sentence after "because".
    pub fn joined(self, earlier: &str, new: &str) -> Result<String, &'static str> {
        match self {
            Self::Github => Ok(format!("{earlier}{new}")),
            Self::Junit => junit::joined(earlier, new).ok_or("it is not a JUnit report of texunit"),
            Self::Sarif => sarif(earlier, new).ok_or("it is not a SARIF report"),
            Self::Json => {
                let command = |text: &str| {
                    let report: Value = serde_json::from_str(text).ok()?;
                    Some(report.pointer("/run/command")?.clone())
                };
                // The new report of a repeated test replaces the test's earlier report.
                let is_same = command(earlier).is_some_and(|old| Some(old) == command(new));
                let other = "it is that of another test, and a JSON report is of one run";
                is_same.then(|| new.to_owned()).ok_or(other)
            }
        }
    }
}

/// Joins two SARIF files to one file with the runs of both.
fn sarif(earlier: &str, new: &str) -> Option<String> {
    let [mut all, mut new]: [Value; 2] =
        [serde_json::from_str(earlier).ok()?, serde_json::from_str(new).ok()?];
    let more = new.get_mut("runs")?.as_array_mut()?;
    all.get_mut("runs")?.as_array_mut()?.append(more);
    Some(in_json(&format!("{all:#}\n")).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finding, Kernel, Record, Run};

    fn run(name: &str, faults: u64) -> Run {
        let mut record = Record::default();
        let kernel = Kernel { name: name.to_owned(), ..Kernel::default() };
        record.kernels.insert(name.to_owned(), kernel);
        for number in 0..faults {
            let kernel = name.to_owned();
            record.findings.insert(number, Finding { number, kernel, ..Finding::default() });
        }
        Run { command: vec![name.to_owned()], records: vec![record], ..Run::default() }
    }

    #[test]
    fn nothing_of_either_is_lost() {
        let [a, b] = [run("a", 0), run("b", 2)];
        let joined = |format: Format| format.joined(&format.render(&a), &format.render(&b));
        let junit = joined(Format::Junit).unwrap();
        let head = "<testsuites name=\"texunit\" tests=\"2\" failures=\"1\" errors=\"0\">";
        assert!(junit.contains(head), "{junit}");
        assert_eq!(junit.matches("<testsuite ").count(), 2);
        assert_eq!(junit.matches("</testsuites>").count(), 1);
        let again = Format::Junit.joined(&junit, &Format::Junit.render(&b)).unwrap();
        assert!(again.contains(" tests=\"3\" failures=\"2\" "), "{again}");
        let sarif: Value = serde_json::from_str(&joined(Format::Sarif).unwrap()).unwrap();
        assert_eq!(sarif["runs"].as_array().unwrap().len(), 2);
        assert_eq!(joined(Format::Github).unwrap().lines().count(), 2);
        assert!(joined(Format::Json).unwrap_err().contains("another test"));
        let text = Format::Json.render(&b);
        assert_eq!(Format::Json.joined(&text, &text).as_deref(), Ok(&*text));
        for format in [Format::Junit, Format::Sarif, Format::Json] {
            assert!(format.joined("something else", &format.render(&a)).is_err(), "{format:?}");
        }
    }
}
