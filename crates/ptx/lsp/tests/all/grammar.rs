//! The TextMate grammar of `editors/vscode` is the one that the words of PTX give: `UPDATE=1`
//! writes it again. How it colours PTX is tested there, by the engine that VS Code has.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use texunit_lsp::words;

/// Opcodes after which another instruction follows than the next one.
const CONTROL: &[&str] = &["bra", "brx", "brkpt", "call", "exit", "ret", "trap"];
/// Directives that say where something is, or who sees it.
const STORAGE: &[&str] = &[
    "reg", "const", "global", "local", "shared", "param", "tex", "visible", "extern", "weak",
    "common",
];
/// Directives that end with their line.
const LINES: &[&str] = &["version", "target", "address_size", "loc", "file"];

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../editors/vscode/syntaxes/ptx.tmLanguage.json")
}

fn any(words: &[&str]) -> String {
    let words = words.iter().map(|word| word.replace('.', "\\."));
    words.collect::<Vec<_>>().join("|")
}

fn named(name: &str, pattern: impl Into<String>) -> Value {
    json!({ "name": format!("{name}.ptx"), "match": pattern.into() })
}

fn includes(names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| json!({ "include": format!("#{name}") })).collect()
}

/// Behind a word: nothing that it would go on with.
const END: &str = "(?![\\w$])";

fn comments() -> Value {
    json!({ "patterns": [
        named("comment.line.double-slash", "//.*$"),
        json!({ "name": "comment.block.ptx", "begin": "/\\*", "end": "\\*/" }),
    ] })
}

fn strings() -> Value {
    json!({
        "name": "string.quoted.double.ptx", "begin": "\"", "end": "\"|$",
        "patterns": [named("constant.character.escape", "\\\\.")],
    })
}

fn numbers() -> Value {
    json!({ "patterns": [
        named("constant.numeric.float.bits", format!("\\b0[fF][0-9a-fA-F]{{8}}{END}")),
        named("constant.numeric.float.bits", format!("\\b0[dD][0-9a-fA-F]{{16}}{END}")),
        named("constant.numeric.hex", format!("\\b0[xX][0-9a-fA-F]+U?{END}")),
        named("constant.numeric.binary", format!("\\b0[bB][01]+U?{END}")),
        named("constant.numeric.float",
            format!("(?<![\\w$.])[0-9]+(?:\\.[0-9]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+){END}")),
        named("constant.numeric.octal", format!("(?<![\\w$.])0[0-7]+U?{END}")),
        named("constant.numeric.decimal", format!("(?<![\\w$.])[0-9]+U?{END}")),
    ] })
}

/// `%tid.x`, `%envreg3`, `%r<10>`, `%p`
fn registers() -> Value {
    let numbered = |name: &str| match name.split_once('<') {
        Some((before, rest)) => format!("{before}[0-9]+{}", rest.split_once('>').unwrap().1),
        None => name.to_owned(),
    };
    let special: Vec<String> = words::special_registers().into_iter().map(numbered).collect();
    let special: Vec<&str> = special.iter().map(String::as_str).collect();
    json!({ "patterns": [
        named("variable.language.special-register", format!("%(?:{})(?:\\.[xyzw])?{END}", any(&special))),
        named("variable.other.register", "%[\\w$]+"),
    ] })
}

/// A dot and a word, by what the word is; words that no table has are modifiers too.
fn dotted() -> Value {
    let directives = words::directives();
    let directives: Vec<&str> =
        directives.into_iter().filter(|word| !STORAGE.contains(word)).collect();
    json!({ "patterns": [
        named("storage.type", format!("\\.(?:{}){END}", any(&words::types()))),
        named("storage.modifier", format!("\\.(?:{}){END}(?!::)", any(STORAGE))),
        named("keyword.other.directive", format!("\\.(?:{}){END}", any(&directives))),
        named("entity.other.attribute-name", "\\.[A-Za-z_][\\w$]*(?:::[\\w$]+)*"),
    ] })
}

fn modifiers() -> Value {
    json!({ "patterns": [
        named("storage.type", format!("\\.(?:{}){END}", any(&words::types()))),
        named("keyword.other.modifier", format!("\\.(?:{}){END}(?!::)", any(&words::modifiers()))),
        named("entity.other.attribute-name", "\\.[A-Za-z_0-9][\\w$]*(?:::[\\w$]+)*"),
    ] })
}

/// From an opcode to its semicolon. An instruction that is being written ends where the next one
/// begins.
fn instruction() -> Value {
    let control = CONTROL.to_vec();
    let mut others = words::opcodes();
    others.retain(|opcode| !control.contains(opcode));
    let (control, others) = (any(&control), any(&others));
    json!({
        "name": "meta.instruction.ptx",
        "begin": format!("(?<![\\w$%.])(?:({control})|({others})){END}(?!\\s*:(?!:))"),
        "beginCaptures": {
            "1": { "name": "keyword.control.ptx" },
            "2": { "name": "support.function.opcode.ptx" },
        },
        "end": format!("(;)|(?=^\\s*(?:[@}}]|(?:{control}|{others})(?=[\\s.;])))"),
        "endCaptures": { "1": { "name": "punctuation.terminator.statement.ptx" } },
        "patterns": includes(&["comments", "strings", "numbers", "registers", "elements", "modifiers", "operands"]),
    })
}

/// `.entry name (...)` and `.func (...) name (...)` up to the body.
fn function() -> Value {
    let inside = ["comments", "strings", "numbers", "registers", "dotted"];
    json!({
        "name": "meta.function.ptx",
        "begin": format!("\\.(?:entry|func){END}"),
        "beginCaptures": { "0": { "name": "keyword.other.directive.ptx" } },
        "end": "(?=[{;])",
        "patterns": [
            { "begin": "\\(", "end": "\\)", "patterns": includes(&[&inside[..], &["operands"]].concat()) },
            { "include": "#comments" },
            { "include": "#dotted" },
            { "include": "#numbers" },
            named("entity.name.function", "(?<![\\w$%.])[A-Za-z_$%][\\w$]*"),
        ],
    })
}

/// Variables and registers up to the semicolon; the body of a function does not count.
fn declaration() -> Value {
    let spaces: Vec<&str> = STORAGE
        .iter()
        .copied()
        .filter(|word| !["visible", "extern", "weak", "common"].contains(word))
        .collect();
    json!({
        "name": "meta.declaration.ptx",
        "begin": format!("\\.(?:{}){END}", any(&spaces)),
        "beginCaptures": { "0": { "name": "storage.modifier.ptx" } },
        "end": "(;)|(?=\\))",
        "endCaptures": { "1": { "name": "punctuation.terminator.statement.ptx" } },
        "patterns": includes(&["comments", "strings", "numbers", "registers", "dotted", "operands"]),
    })
}

fn grammar() -> Value {
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Made by crates/ptx/lsp/tests/all/grammar.rs from the instruction table: UPDATE=1 cargo test -p texunit-lsp --test all grammar",
        "name": "PTX",
        "scopeName": "source.ptx",
        "fileTypes": ["ptx"],
        "patterns": includes(&["comments", "strings", "lines", "labels", "guards", "function", "declaration",
            "instruction", "dotted", "numbers", "registers", "operands"]),
        "repository": {
            "comments": comments(),
            "strings": strings(),
            "numbers": numbers(),
            "registers": registers(),
            "dotted": dotted(),
            "modifiers": modifiers(),
            "instruction": instruction(),
            "function": function(),
            "declaration": declaration(),
            "lines": {
                "name": "meta.directive.ptx",
                "begin": format!("^\\s*(\\.(?:{})){END}", any(LINES)),
                "beginCaptures": { "1": { "name": "keyword.other.directive.ptx" } },
                "end": "$",
                "patterns": [
                    { "include": "#comments" },
                    { "include": "#strings" },
                    named("constant.other.target", format!("\\b(?:sm|compute)_[0-9]+[a-z]*{END}")),
                    named("constant.language.option", format!("\\b(?:texmode_unified|texmode_independent|debug|map_f64_to_f32){END}")),
                    named("keyword.other.directive", format!("\\b(?:inlined_at|function_name){END}")),
                    { "include": "#numbers" },
                    { "include": "#operands" },
                ],
            },
            "labels": {
                "match": "(?<![\\w$%.:])([A-Za-z][\\w$]*|[_$%][\\w$]+)\\s*(:)(?!:)",
                "captures": {
                    "1": { "name": "entity.name.label.ptx" },
                    "2": { "name": "punctuation.separator.label.ptx" },
                },
            },
            "guards": {
                "match": "(@!?)\\s*(%?[\\w$]+)",
                "captures": {
                    "1": { "name": "keyword.operator.guard.ptx" },
                    "2": { "name": "variable.other.register.ptx" },
                },
            },
            "elements": named("variable.other.member", "(?<=[\\w$\\]])\\.[xyzwrgba](?![\\w$.:])"),
            "operands": { "patterns": [
                named("variable.other.symbol", "[A-Za-z_$][\\w$]*"),
                named("keyword.operator", "<<|>>|&&|\\|\\||[=!<>]=|[-+*/%&|^~!=<>?]"),
                named("punctuation.separator", "[,;:]"),
                named("punctuation.section", "[\\[\\](){}]"),
            ] },
        },
    })
}

#[test]
fn the_grammar_has_the_words_of_the_tables() {
    let text = format!("{:#}\n", grammar());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(file().parent().unwrap()).unwrap();
        std::fs::write(file(), &text).unwrap();
    }
    let found = std::fs::read_to_string(file()).unwrap_or_default();
    assert!(
        found == text,
        "run `UPDATE=1 cargo test -p texunit-lsp --test all grammar`, and look at the difference"
    );
}

#[test]
fn every_word_is_in_a_table() {
    for (list, word) in [
        (words::opcodes(), "tex"),
        (words::opcodes(), "tcgen05"),
        (words::modifiers(), "shared::cta"),
        (words::modifiers(), "grad"),
        (words::types(), "bf16x2"),
        (words::types(), "texref"),
        (words::directives(), "maxntid"),
        (words::special_registers(), "envreg<32>"),
    ] {
        assert!(list.contains(&word), "{word}");
    }
    for word in STORAGE.iter().chain(LINES) {
        assert!(words::directives().contains(word), "{word}");
    }
    assert!(CONTROL.iter().all(|opcode| words::opcodes().contains(opcode)));
}
