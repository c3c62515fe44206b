//! Reads lines `["12.9", "sm_75", "text of a module"]` and answers each with `ok` or the first error.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, Write};

use texunit_check::{Options, Verdicts, check_source};
use texunit_syntax::SourceFile;

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let row: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let verdicts = match row[0].as_str() {
            Some(tool) => Verdicts::Ptxas(Some(tool.parse().unwrap())),
            None => Verdicts::Texunit,
        };
        let arch = row[1].as_str().map(|a| a.parse().unwrap());
        let options = Options { verdicts, arch, ..Options::default() };
        let source = SourceFile::new("row", row[2].as_str().unwrap());
        let found = check_source(&source, &options);
        let errors: Vec<String> = found
            .iter()
            .filter(|d| d.is_error())
            .map(|d| {
                let at = source.location(d.primary.span.start);
                format!("L{} {} {}", at.line, d.code, d.message)
            })
            .collect();
        let text = if errors.is_empty() { "ok".to_owned() } else { errors.join(" | ") };
        writeln!(out, "{}", text.replace('\n', " ")).unwrap();
    }
}
