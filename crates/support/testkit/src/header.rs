//! Compares structure sizes and offsets with C headers that are not available on every machine.
//! Their values are recorded in a file of the repository, with which every machine compares; where
//! the header is available, the file itself is compared with the header.

use crate::skipped;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the environment variable with which [`Header::compare`] writes records again from the
/// headers.
pub const RECORD: &str = "TEXUNIT_RECORD";

/// A C expression, such as `sizeof(struct s)`, and its value in this implementation.
pub type Fact = (String, i128);

/// A C header, and the record file with the values of expressions that it defines.
pub struct Header<'a> {
    /// The folder that contains the header; `None` if the header is not available on this machine.
    pub include: Option<PathBuf>,
    /// Further folders that the header includes files from.
    pub more: Vec<PathBuf>,
    /// The header's file name: `cuda.h`.
    pub name: &'a str,
    /// The C compiler and its options: `cc`.
    pub compiler: &'a [&'a str],
    /// The file extension of programs for the compiler: `c`.
    pub ending: &'a str,
    /// The folder in which programs are compiled.
    pub work: &'a Path,
    /// The path of the record file.
    pub record: PathBuf,
    /// The first lines of the record file, which say where the header comes from and how to write
    /// the record file again.
    pub origin: &'a str,
}

impl Header<'_> {
    /// Compares this implementation's values with the record file, and the record file with the
    /// header.
    ///
    /// # Panics
    /// If a value differs.
    pub fn compare(&self, facts: &[Fact]) {
        if !self.is_compared_whole(facts) {
            skipped(&format!(
                "compared with {}, but not that with {}, which is not here",
                self.record.file_name().unwrap_or_default().display(),
                self.name
            ));
        }
    }

    /// Compares with the record file and the header; returns false if the header is not available,
    /// so that only the record file was compared.
    fn is_compared_whole(&self, facts: &[Fact]) -> bool {
        let said = self.include.as_ref().map(|include| self.ask(include, facts));
        if let Some(said) = &said
            && std::env::var_os(RECORD).is_some()
        {
            self.write(said);
        }
        let text = std::fs::read_to_string(&self.record)
            .unwrap_or_else(|e| panic!("{}: {e}", self.record.display()));
        let record = parse(&text).unwrap_or_else(|line| panic!("a line of the record: {line}"));
        for (expression, ours) in facts {
            assert_eq!(Some(ours), record.get(&**expression), "{expression}, by the record");
        }
        let own: BTreeMap<&str, i128> = facts.iter().map(|(e, ours)| (&**e, *ours)).collect();
        let others: Vec<_> = record.keys().filter(|e| !own.contains_key(*e)).collect();
        assert!(others.is_empty(), "the record has more than there is: {others:?}");
        let Some(said) = said else { return false };
        let said: BTreeMap<&str, i128> = said.iter().map(|(e, n)| (&**e, *n)).collect();
        assert_eq!(said, record, "{}: {} says otherwise", self.record.display(), self.name);
        true
    }

    /// Compiles and runs a C program that includes the header, and returns its values of the
    /// expressions.
    fn ask(&self, include: &Path, facts: &[Fact]) -> Vec<Fact> {
        let mut program =
            format!("#include <{}>\n#include <stddef.h>\n#include <stdio.h>\n", self.name);
        program += "int main(void) {\n";
        for (expression, _) in facts {
            let _ = writeln!(program, "  printf(\"%lld\\n\", (long long)({expression}));");
        }
        program += "  return 0;\n}\n";
        let binary = self.work.join(self.record.file_stem().unwrap_or_default());
        let source = binary.with_extension(self.ending);
        std::fs::write(&source, program).unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        let [compiler, options @ ..] = self.compiler else { panic!("no compiler is named") };
        let mut command = Command::new(compiler);
        command.args(options).arg("-I").arg(include);
        for folder in &self.more {
            command.arg("-I").arg(folder);
        }
        let output = command.arg(&source).arg("-o").arg(&binary).output();
        let output = output.unwrap_or_else(|e| panic!("{compiler}: {e}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let output = Command::new(&binary).output();
        let output = output.unwrap_or_else(|e| panic!("{}: {e}", binary.display()));
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<i128> = text.lines().filter_map(|line| line.parse().ok()).collect();
        assert_eq!(numbers.len(), facts.len(), "numbers are missing: {text}");
        facts.iter().map(|(expression, _)| expression.clone()).zip(numbers).collect()
    }

    /// Writes the record file in the order of the facts, without duplicates.
    fn write(&self, said: &[Fact]) {
        let mut text: String = self.origin.lines().map(|line| format!("# {line}\n")).collect();
        let mut seen = std::collections::BTreeSet::new();
        for (expression, number) in said.iter().filter(|(e, _)| seen.insert(e.clone())) {
            let _ = writeln!(text, "{number} {expression}");
        }
        std::fs::write(&self.record, text).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Parses a record file, each line of which has a number and an expression. The error is a
/// malformed line.
fn parse(text: &str) -> Result<BTreeMap<&str, i128>, &str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let fact = |line| -> Option<(&str, i128)> {
        let (number, expression) = str::split_once(line, ' ')?;
        Some((expression, number.parse().ok()?))
    };
    lines.map(|line| fact(line).ok_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TempDir;

    /// A folder with a header that has a structure, and with its record file.
    struct Setting(TempDir);

    impl Setting {
        fn compare(&self, with_header: bool, facts: &[(&str, i128)]) -> Result<(), String> {
            let header = Header {
                include: with_header.then(|| self.0.path().to_owned()),
                more: Vec::new(),
                name: "some.h",
                compiler: &["cc"],
                ending: "c",
                work: &self.0,
                record: self.0.join("record.txt"),
                origin: "From a test.",
            };
            let facts: Vec<Fact> = facts.iter().map(|(e, n)| ((*e).to_owned(), *n)).collect();
            let run = || assert_eq!(header.is_compared_whole(&facts), with_header);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
                panic.downcast_ref::<String>().map_or_else(String::new, Clone::clone)
            })
        }
    }

    #[test]
    fn what_differs_is_found_with_the_header_and_without() {
        let setting = Setting(TempDir::new("header"));
        setting.0.file("some.h", "struct s { char a; int b; };\n#define LESS (-1)\n");
        let fine = [("sizeof(struct s)", 8), ("offsetof(struct s, b)", 4), ("LESS", -1)];
        let record = "# From a test.\n8 sizeof(struct s)\n4 offsetof(struct s, b)\n-1 LESS\n";
        setting.0.file("record.txt", record);
        assert_eq!(setting.compare(false, &fine), Ok(()));
        assert_eq!(setting.compare(true, &fine), Ok(()));
        // A fact must not have a wrong value, be missing from the record file, or be only in the
        // record file.
        for wrong in [
            &[fine[0], ("offsetof(struct s, b)", 1), fine[2]][..],
            &[fine[0], fine[1], fine[2], ("offsetof(struct s, a)", 0)],
            &fine[..2],
        ] {
            assert!(setting.compare(false, wrong).is_err(), "{wrong:?}");
        }
        // A wrong value that this implementation and the record file share is found only by the
        // comparison with the header.
        setting.0.file("record.txt", record.replace("4 off", "2 off"));
        let wrong = [fine[0], ("offsetof(struct s, b)", 2), fine[2]];
        assert_eq!(setting.compare(false, &wrong), Ok(()));
        assert!(setting.compare(true, &wrong).is_err_and(|said| said.contains("says otherwise")));
        assert_eq!(parse("1 a\nb"), Err("b"));
    }
}
