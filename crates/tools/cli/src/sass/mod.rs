//! `texunit sass`: Maxwell machine words of the texture unit.

mod args;
mod exec;
mod lower;

pub use args::{
    AsmArgs, DescriptorArgs, DisArgs, ExecArgs, LowerArgs, SassArgs, SassCommand, TextStyle,
};

use crate::args::OutputFormat;
use crate::color::{self, Stream};
use serde_json::{Map, Value, json};
use texunit_report::visible;
use texunit_sass::descriptor::{Bits, Descriptor, header, sampler};
use texunit_sass::listing::{self, Line};
use texunit_sass::parse::parse;
use texunit_sass::print::Style;
use texunit_sass::rules::check;
use texunit_sass::{Arch, Txd, Word};
use texunit_syntax::{Diagnostic, Severity, SourceFile};

/// The output of a command, and whether there were no errors.
struct Output {
    out: String,
    err: String,
    right: bool,
}

/// Runs the command; returns the exit code.
pub fn run(args: &SassArgs) -> u8 {
    let output = match &args.command {
        SassCommand::Dis(args) => disassemble(args),
        SassCommand::Asm(args) => assemble(args),
        SassCommand::Lower(args) => lower::lower(args),
        SassCommand::Exec(args) => exec::run(args),
        SassCommand::Header(args) => explain(args, |d| header::fields(d).collect()),
        SassCommand::Sampler(args) => explain(args, |_| sampler::FIELDS.iter().collect()),
    };
    let printed = crate::out::print(&output.out);
    // Standard error may be closed.
    let _ = crate::out::stderr_text(&output.err, color());
    crate::exit(printed, output.right)
}

fn wrong(message: &str) -> Output {
    Output { out: String::new(), err: format!("error: {message}\n"), right: false }
}

/// Whether standard error is coloured.
fn color() -> bool {
    color::wanted(Stream::Stderr)
}

fn disassemble(args: &DisArgs) -> Output {
    let lines: Vec<Line> = match &args.file {
        None => {
            args.words.iter().map(|&word| Line { offset: 0, word, control: args.control }).collect()
        }
        Some(path) => match texunit_files::read_bytes(path) {
            Err(error) => return wrong(&error.to_string()),
            Ok(code) => match listing::lines(&code) {
                Err(error) => return wrong(&format!("`{}`: {error}", path.display())),
                Ok(lines) => lines.collect(),
            },
        },
    };
    let in_file = args.file.is_some();
    let mut output = Output { out: String::new(), err: String::new(), right: true };
    for line in lines {
        let word = Word::decode(line.word, line.control, args.arch);
        // A code file also contains other instructions, which are not errors.
        output.right &= match word {
            Word::Txd(_) | Word::TextureWord(_) => true,
            Word::Refused { .. } => false,
            Word::Unknown => in_file,
        };
        output.out += &match args.format {
            OutputFormat::Json => json_line(&line, &word, args.style.into(), in_file),
            OutputFormat::Human => text_line(&line, &word, args, in_file),
        };
    }
    output
}

fn json_line(line: &Line, word: &Word, style: Style, in_file: bool) -> String {
    let mut object = json!({
        "word": format!("{:#018x}", line.word),
        "control": format!("{:#08x}", line.control.bits()),
        "text": word.text(style),
        "fields": word.fields().into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect::<Map<_, _>>(),
    });
    if in_file {
        object["offset"] = json!(line.offset);
    }
    format!("{object}\n")
}

fn text_line(line: &Line, word: &Word, args: &DisArgs, in_file: bool) -> String {
    let arch = args.arch;
    let text = word.text(args.style.into()).unwrap_or_else(|| match word {
        Word::Refused { name, reason: Some(reason) } => {
            format!("{:#018x} // not a valid {name}: {reason}", line.word)
        }
        Word::Refused { name, .. } => {
            format!("{:#018x} // not a valid {name} on {arch}", line.word)
        }
        _ if in_file => format!("{:#018x}", line.word),
        _ => format!("{:#018x} // not a texture or surface instruction", line.word),
    });
    if in_file { format!("/*{:04x}*/ {text}\n", line.offset) } else { text + "\n" }
}

fn assemble(args: &AsmArgs) -> Output {
    let color = color();
    let mut output = Output { out: String::new(), err: String::new(), right: true };
    for text in &args.texts {
        let (txd, diagnostics) = instruction(text, args.arch, args.force);
        output.right &= txd.is_some();
        let source = SourceFile::new("<text>", text.as_str());
        match args.format {
            OutputFormat::Json => {
                let found: Vec<Value> = diagnostics.iter().map(|d| finding(&source, d)).collect();
                let object = json!({
                    "text": text,
                    "word": txd.map(|t| format!("{:#018x}", t.word)),
                    "control": txd.map(|t| format!("{:#08x}", t.control.bits())),
                    "diagnostics": found,
                });
                output.out += &format!("{object}\n");
            }
            OutputFormat::Human => {
                output.err += &texunit_report::human(&source, &diagnostics, color);
                if let Some(txd) = txd {
                    output.out += &format!("{:#018x} {:#08x}\n", txd.word, txd.control.bits());
                }
            }
        }
    }
    output
}

fn finding(source: &SourceFile, diagnostic: &Diagnostic) -> Value {
    json!({
        "severity": if diagnostic.is_error() { "error" } else { "warning" },
        "code": diagnostic.code,
        "column": source.location(diagnostic.primary.span.start).column,
        "message": diagnostic.message,
        "help": diagnostic.help,
    })
}

/// The instruction in a text, unless it has errors, and its diagnostics.
fn instruction(text: &str, arch: Arch, force: bool) -> (Option<Txd>, Vec<Diagnostic>) {
    match parse(text) {
        Err(error) => (None, vec![*error]),
        Ok(parsed) => {
            let mut found = check(&parsed.txd, &parsed.places, arch);
            if force {
                found.iter_mut().for_each(|d| d.severity = Severity::Warning);
            }
            (found.iter().all(|d| !d.is_error()).then_some(parsed.txd), found)
        }
    }
}

fn explain(args: &DescriptorArgs, fields: impl Fn(&Descriptor) -> Vec<&'static Bits>) -> Output {
    let descriptor: Descriptor = match args.hex.join(" ").parse() {
        Ok(descriptor) => descriptor,
        Err(error) => return wrong(&visible(&error.to_string())),
    };
    let fields = fields(&descriptor);
    let out = match args.format {
        OutputFormat::Json => {
            let field = |bits: &&Bits| {
                json!({
                    "name": bits.name,
                    "low": bits.low,
                    "width": bits.width,
                    "bits": bits.get(&descriptor),
                    "value": bits.explain(&descriptor),
                    "meaning": bits.meaning,
                })
            };
            let fields: Vec<Value> = fields.iter().map(field).collect();
            format!("{}\n", json!({ "words": descriptor.0, "fields": fields }))
        }
        OutputFormat::Human => fields
            .iter()
            .map(|bits| {
                let high = bits.low + bits.width - 1;
                let (place, value) = (format!("{high}:{}", bits.low), bits.explain(&descriptor));
                format!("{place:>8}  {:26} {value:40} {}\n", bits.name, bits.meaning)
            })
            .collect(),
    };
    Output { out, err: String::new(), right: true }
}
