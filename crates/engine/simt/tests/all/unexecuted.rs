//! Checks that docs/unexecuted.md lists every form that is checked but not executed, with the
//! reason: the forms that lowering refuses in the modules of tests/check/oracle that ptxas and the
//! checker accept, and in the forms of the instruction table. `UPDATE=1 cargo test -p texunit-simt
//! --test all unexecuted` writes the page.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;
use texunit_check::ir::Instruction;
use texunit_check::{Checked, Options, check_with, examples};
use texunit_isa::{Class, Opcode, forms, forms_of};
use texunit_simt::{Symbols, lower};
use texunit_syntax::{Diagnostic, SourceFile, parse};

const HEAD: &str = "\
# What is checked but not executed

`texunit check` knows these instructions; a kernel that can reach one of them is refused before it runs,
with the code and the reason below. Everything else that the checker accepts is executed. This page is
generated from what the lowering reports for the modules in `tests/check/oracle` that ptxas and the checker
accept, for `tests/programs`, and for the examples in [diagnostics.md](diagnostics.md); run
`UPDATE=1 cargo test -p texunit-simt --test all unexecuted` after a change.

| Form | Code | Why, and what to do |
|---|---|---|
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn unpacked(name: &str) -> String {
    let file = std::fs::File::open(root().join("tests/check/oracle").join(name)).unwrap();
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

/// The modules that ptxas accepts, without duplicates.
fn accepted() -> BTreeSet<String> {
    let wrappers: HashMap<String, Value> =
        serde_json::from_str(&unpacked("wrappers.json.gz")).unwrap();
    let mut all = BTreeSet::new();
    for name in ["verdicts", "declarations", "doc-examples", "fresh"] {
        for line in unpacked(&format!("{name}.jsonl.gz")).lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            if !row["accepted"].as_bool().unwrap() {
                continue;
            }
            all.insert(match row["module"].as_str() {
                Some(module) => module.to_owned(),
                None => {
                    let wrapper = &wrappers[row["wrapper"].as_str().unwrap()];
                    let part = |name: &str| wrapper[name].as_str().unwrap();
                    let empty = row["family"] == "empty_module";
                    let instruction = if empty { "" } else { row["instr"].as_str().unwrap() };
                    [part("prefix"), instruction, part("suffix")].concat()
                }
            });
        }
    }
    all
}

/// PTX files below a folder.
fn programs(folder: &Path, all: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            programs(&path, all);
        } else if path.extension().is_some_and(|e| e == "ptx") {
            all.insert(std::fs::read_to_string(path).unwrap());
        }
    }
}

/// The name of an instruction on the page.
fn form(i: &Instruction, words: &[&str]) -> String {
    let name = i.opcode.name();
    if i.mods.unexecuted.is_some() {
        let slots = forms_of(i.opcode).iter().flat_map(|form| &form.slots);
        let marks = slots.filter(|s| s.class == Class::Unexecuted && !s.optional);
        let marks: BTreeSet<&str> = marks.flat_map(|s| s.words.iter().copied()).collect();
        let word = words.iter().find(|word| marks.contains(*word)).unwrap();
        // Of the proxy fences, only those of tensor maps.
        let kind = words.iter().find(|word| word.contains("::generic"));
        return format!("{name}.{word}{}", kind.map_or(String::new(), |kind| format!(".{kind}")));
    }
    match i.opcode {
        Opcode::Call => "call of a function without a body".to_owned(),
        Opcode::Mov => "mov of an element of an array of references".to_owned(),
        Opcode::Atom | Opcode::Red => format!("{name} of a variable in local memory"),
        _ => format!("{name}.{}", words.join(".")),
    }
}

/// Code and reason for each form.
type Page = BTreeMap<String, BTreeSet<(String, String)>>;

fn refused(text: &str, page: &mut Page) -> bool {
    let source = SourceFile::new("module.ptx", text);
    let parsed = parse(&source);
    let checked: Checked = check_with(&source, &parsed.module, Options::default());
    let errors = parsed.diagnostics.iter().chain(&checked.diagnostics);
    if errors.into_iter().any(Diagnostic::is_error) {
        return false;
    }
    let program = lower(checked.module.clone(), Symbols::default(), source.clone());
    let bodies = checked.module.functions.iter().filter_map(|f| f.body.as_ref()).flatten();
    let by_span: HashMap<_, _> = bodies.map(|i| (i.span, i)).collect();
    for (id, _) in program.kernels() {
        for told in program.unsupported(id) {
            let instruction = by_span[&told.primary.span];
            let snippet = source.snippet(told.primary.span);
            let mnemonic = snippet.split_whitespace().find(|w| !w.starts_with('@')).unwrap();
            let words: Vec<&str> = mnemonic.trim_end_matches(';').split('.').skip(1).collect();
            let why = (told.code.to_owned(), told.help.clone().unwrap_or_default());
            page.entry(form(instruction, &words)).or_default().insert(why);
        }
    }
    true
}

fn written(page: &Page) -> String {
    let mut text = HEAD.to_owned();
    for (form, reasons) in page {
        for (code, reason) in reasons {
            writeln!(text, "| `{form}` | {code} | {} |", reason.replace('|', "\\|")).unwrap();
        }
    }
    text
}

#[test]
fn the_page_lists_what_is_not_executed() {
    let mut modules = accepted();
    assert!(modules.len() > 20_000, "{} modules", modules.len());
    programs(&root().join("tests/programs"), &mut modules);
    programs(&root().join("examples"), &mut modules);
    for code in ["E0401", "E0403", "E0404", "E0405", "E0406"] {
        modules.insert(examples::example(code).unwrap().wrong_module());
    }
    let mut page = Page::new();
    let lowered = modules.iter().filter(|text| refused(text, &mut page)).count();
    assert!(lowered > 20_000, "{lowered} modules");
    let path = root().join("docs/unexecuted.md");
    let text = written(&page);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/unexecuted.md is out of date: run with UPDATE=1\n{text}");
    // The forms that the tables mark are found, and none is marked without effect.
    for form in forms() {
        for slot in form.slots.iter().filter(|s| s.class == Class::Unexecuted && !s.optional) {
            let name = |word: &&str| format!("{}.{word}", form.row.opcode);
            assert!(
                slot.words.iter().any(|w| page.keys().any(|form| form.starts_with(&name(w)))),
                "{:?}",
                form.row
            );
        }
    }
}
