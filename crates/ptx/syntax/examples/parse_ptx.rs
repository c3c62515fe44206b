//! The syntax tree of a module with a mistake, and the mistake.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_syntax::ast::Item;
use texunit_syntax::{SourceFile, parse};

const TEXT: &str = "\
.version 8.0
.target sm_75
.address_size 64
.entry first() { ret; }
.entry second( { ret; }
.entry third() { ret; }
";

fn main() {
    let source = SourceFile::new("three.ptx", TEXT);
    let parsed = parse(&source);
    // The parser goes on after a mistake.
    let functions = parsed.module.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(function.name.text),
        _ => None,
    });
    let functions: Vec<_> = functions.collect();
    assert!(functions.contains(&"first") && functions.contains(&"third"), "{functions:?}");
    for mistake in &parsed.diagnostics {
        let place = source.location(mistake.primary.span.start);
        println!("three.ptx:{}:{}: {}", place.line, place.column, mistake.message);
    }
    assert_eq!(source.location(parsed.diagnostics[0].primary.span.start).line, 5);
    println!("{}", parsed.module);
}
