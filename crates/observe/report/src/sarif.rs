//! SARIF 2.1.0: one document for all files, written while results are found.
//!
//! Columns count UTF-16 code units, which is SARIF's default and what viewers agree on; exact bytes
//! are in `byteOffset` and `byteLength`. Rules, files and the outcome follow the results because
//! they are known only then; members of JSON objects have no order.

use crate::place::{Frame, leading, shown_file};
use crate::{Located, Rule, Settings, in_json};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::PathBuf;
use texunit_syntax::utf16::Utf16;
use texunit_syntax::{Diagnostic, Edit, SourceFile, Span};

/// The beginning of a SARIF document, up to the list of results.
const HEAD: &str = "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\
    \"version\":\"2.1.0\",\"runs\":[{\"columnKind\":\"utf16CodeUnits\",\"results\":[";

/// The state of a document that is being written.
#[derive(Debug, Default)]
pub(crate) struct Sarif {
    begun: bool,
    results: usize,
    rules: Vec<&'static str>,
    index: HashMap<&'static str, usize>,
    files: Vec<String>,
    unreadable: usize,
    /// The path of the next file, if it differs from the file's name in messages.
    pub(crate) path: Option<PathBuf>,
}

impl Sarif {
    fn next_uri(&mut self, name: &str) -> String {
        self.path.take().map_or_else(|| uri(name), uri)
    }

    pub(crate) fn file<'d>(
        &mut self,
        out: &mut impl Write,
        located: Located<'_>,
        diagnostics: impl Iterator<Item = &'d Diagnostic>,
    ) -> io::Result<()> {
        let source = located.text;
        let uri = self.next_uri(source.name());
        let file = File { units: Utf16::new(source.text()), source, located, uri: &uri };
        for diagnostic in diagnostics {
            let rule = self.rule(diagnostic.code);
            self.result(out, &file.result(diagnostic, rule))?;
        }
        self.files.push(uri);
        Ok(())
    }

    pub(crate) fn unreadable(
        &mut self,
        out: &mut impl Write,
        name: &str,
        why: &Diagnostic,
    ) -> io::Result<()> {
        let uri = self.next_uri(name);
        let location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri } } });
        let result = result(why, self.rule(why.code), &location);
        self.unreadable += 1;
        self.files.push(uri);
        self.result(out, &result)
    }

    /// Writes the document after the results.
    pub(crate) fn finish(
        mut self,
        out: &mut impl Write,
        settings: &Settings<'_>,
    ) -> io::Result<()> {
        self.begin(out)?;
        let rules: Vec<Value> = self.rules.iter().map(|code| rule(code, settings)).collect();
        let driver = json!({
            "name": "texunit",
            "semanticVersion": settings.version,
            "informationUri": settings.home,
            "rules": rules,
        });
        let file = |uri| json!({ "location": { "uri": uri }, "roles": ["analysisTarget"] });
        let files: Vec<Value> = self.files.iter().map(file).collect();
        let invocation = json!({ "executionSuccessful": self.unreadable == 0 });
        let rest = json!({
            "tool": { "driver": driver }, "artifacts": files, "invocations": [invocation],
        });
        // The opening brace is left out, because it was written at the beginning.
        writeln!(out, "\n],{}]}}", &in_json(&rest.to_string())[1..])
    }

    fn begin(&mut self, out: &mut impl Write) -> io::Result<()> {
        let head = if std::mem::replace(&mut self.begun, true) { "" } else { HEAD };
        out.write_all(head.as_bytes())
    }

    fn result(&mut self, out: &mut impl Write, result: &Value) -> io::Result<()> {
        self.begin(out)?;
        let comma = if self.results > 0 { "," } else { "" };
        self.results += 1;
        write!(out, "{comma}\n{}", in_json(&result.to_string()))
    }

    /// The index of a code's rule; rules are numbered in the order of their first use.
    fn rule(&mut self, code: &'static str) -> usize {
        *self.index.entry(code).or_insert_with(|| {
            self.rules.push(code);
            self.rules.len() - 1
        })
    }
}

fn rule(code: &str, settings: &Settings<'_>) -> Value {
    let level = if code.starts_with('W') { "warning" } else { "error" };
    let mut rule = json!({ "id": code, "defaultConfiguration": { "level": level } });
    if let Some(Rule { title, text, markdown }) = (settings.rule)(code) {
        rule["shortDescription"] = json!({ "text": title });
        rule["fullDescription"] = json!({ "text": text });
        rule["help"] = json!({ "text": text, "markdown": markdown });
    }
    rule
}

fn result(diagnostic: &Diagnostic, rule: usize, location: &Value) -> Value {
    let text = match &diagnostic.help {
        Some(help) => format!("{}\nhelp: {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    json!({
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": diagnostic.severity.name(),
        "message": { "text": text },
        "locations": [location],
    })
}

/// The file whose results are being written.
struct File<'s> {
    located: Located<'s>,
    source: &'s SourceFile,
    units: Utf16<'s>,
    uri: &'s str,
}

impl File<'_> {
    fn result(&self, diagnostic: &Diagnostic, rule: usize) -> Value {
        let mut result = result(diagnostic, rule, &self.location(diagnostic.primary.span));
        if !diagnostic.primary.text.is_empty() {
            result["locations"][0]["message"] = json!({ "text": diagnostic.primary.text });
        }
        let mut related = self.lead_with_source(diagnostic, &mut result["locations"][0]);
        related.extend(diagnostic.secondary.iter().map(|label| match &*label.text {
            "" => self.location(label.span),
            text => with_message(self.location(label.span), text),
        }));
        relate(&mut result, related);
        // Replacements apply to the bytes of the file, not to a text that was decoded with losses.
        if !diagnostic.fix.is_empty() && !self.source.is_lossy() {
            let replacements: Vec<Value> =
                diagnostic.fix.iter().map(|edit| self.replacement(edit)).collect();
            let mut fix = json!({ "artifactChanges": [{
                "artifactLocation": { "uri": self.uri }, "replacements": replacements,
            }] });
            if let Some(help) = &diagnostic.help {
                fix["description"] = json!({ "text": help });
            }
            result["fixes"] = json!([fix]);
        }
        result
    }

    /// Makes the source position the result's location, if known. The other source positions and
    /// the instruction become related locations.
    fn lead_with_source(&self, diagnostic: &Diagnostic, place: &mut Value) -> Vec<Value> {
        let mut frames = self.located.frames(diagnostic.primary.span);
        if frames.is_empty() {
            return Vec::new();
        }
        let first = frame_location(&frames.remove(leading(&frames)));
        let mut instruction = std::mem::replace(place, first);
        if let Some(message) = instruction.get_mut("message").map(Value::take) {
            place["message"] = message;
        }
        let instruction = with_message(instruction, "the instruction in PTX");
        let around = frames.iter().map(|frame| {
            let text = match &frame.function {
                Some(function) => format!("inlined, in {function}"),
                None => "inlined".to_owned(),
            };
            with_message(frame_location(frame), &text)
        });
        std::iter::once(instruction).chain(around).collect()
    }

    fn replacement(&self, edit: &Edit) -> Value {
        let mut change = json!({ "deletedRegion": self.region(edit.span) });
        if !edit.text.is_empty() {
            change["insertedContent"] = json!({ "text": edit.text });
        }
        change
    }

    fn location(&self, span: Span) -> Value {
        location(self.uri, &self.region(span), None)
    }

    fn region(&self, span: Span) -> Value {
        let length = self.source.text().len() as u32;
        let (start, end) =
            (span.start.min(length), span.end.min(length).max(span.start.min(length)));
        let (first, last) = (self.source.location(start).line, self.source.location(end).line);
        let column = |line: u32, offset: u32| {
            let begin = self.source.line_span(line).start;
            self.units.before(offset as usize) - self.units.before(begin as usize) + 1
        };
        let byte = self.source.byte_offset(start);
        json!({
            "startLine": first,
            "startColumn": column(first, start),
            "endLine": last,
            "endColumn": column(last, end),
            "byteOffset": byte,
            "byteLength": self.source.byte_offset(end) - byte,
        })
    }
}

/// A source position. Its column counts UTF-16 code units if the line can be read, and is left out
/// otherwise.
fn frame_location(frame: &Frame) -> Value {
    let mut region = json!({ "startLine": frame.line });
    if let (Some(column), Some(text)) = (frame.column, &frame.text) {
        let before = text.get(..column as usize - 1);
        region["startColumn"] = json!(before.map_or(1, |text| text.encode_utf16().count() + 1));
    }
    location(&uri(shown_file(&frame.file)), &region, frame.function.as_deref())
}

/// A location: a region of a file, and the function that it is in.
pub fn location(uri: &str, region: &Value, function: Option<&str>) -> Value {
    let mut location = json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri }, "region": region,
    } });
    if let Some(function) = function {
        location["logicalLocations"] =
            json!([{ "fullyQualifiedName": function, "kind": "function" }]);
    }
    location
}

/// A SARIF location with a message that says what is at the location.
pub fn with_message(mut location: Value, text: &str) -> Value {
    location["message"] = json!({ "text": text });
    location
}

/// Adds further locations to a result, numbered from 0.
pub fn relate(result: &mut Value, mut others: Vec<Value>) {
    for (id, location) in others.iter_mut().enumerate() {
        location["id"] = json!(id);
    }
    if !others.is_empty() {
        result["relatedLocations"] = Value::Array(others);
    }
}

/// A path as a URI reference (RFC 3986); relative paths stay relative.
pub fn uri(path: impl AsRef<OsStr>) -> String {
    let path = path.as_ref().as_encoded_bytes();
    let mut uri = String::from(if path.starts_with(b"/") { "file://" } else { "" });
    for &byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let uris = ["a/b-1.ptx", "/tmp/a b.ptx", "<stdin>", "c:\u{e4}%#?"].map(uri);
        let expected = ["a/b-1.ptx", "file:///tmp/a%20b.ptx", "%3Cstdin%3E", "c%3A%C3%A4%25%23%3F"];
        assert_eq!(uris, expected);
    }
}
