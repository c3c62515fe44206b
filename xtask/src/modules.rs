//! Checks that the modules of a crate have no cyclic imports, so that they can be read in the order
//! of their dependencies.
//!
//! An import is a path that begins with `crate::` or `super::`, in a `use` or elsewhere. Imports of
//! `mod.rs` from its own submodules, and imports of tests, do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Crates below `crates/` without import cycles between modules. The flag says whether folders have
/// no cycles either. In simt, the module `observe` is an exception: it defines the observer
/// interface that all others import, and also inserts marks into code, for which it imports them.
const HELD: [(&str, bool); 8] = [
    ("engine/alu", true),
    ("engine/simt", false),
    ("ptx/check", true),
    ("ptx/flow", true),
    ("ptx/isa", true),
    ("ptx/syntax", true),
    ("ptx/lsp", true),
    ("unit/unit", true),
];

/// The imports of each module, as paths from the crate root.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The text of a module without comments, strings and test modules.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let len = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment(rest),
            '"' => string(rest),
            'r' if !code.ends_with(is_word) && raw(rest).is_some() => raw(rest).unwrap_or(1),
            // A quote begins a character literal, unless it begins a lifetime.
            '\'' if rest[1..].starts_with('\\') => {
                rest[3..].find('\'').map_or(rest.len(), |n| n + 4)
            }
            '\'' if rest.chars().nth(2) == Some('\'') => {
                rest.char_indices().nth(3).map_or(rest.len(), |(n, _)| n)
            }
            _ => {
                code.push(next);
                rest = &rest[next.len_utf8()..];
                continue;
            }
        };
        code.push(' ');
        rest = &rest[len..];
    }
    without_tests(&code)
}

/// Length of a block comment, which may be nested.
fn comment(text: &str) -> usize {
    let mut depth = 0;
    for (at, _) in text.char_indices() {
        if text[at..].starts_with("/*") {
            depth += 1;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            if depth == 0 {
                return at + 2;
            }
        }
    }
    text.len()
}

/// Length of a string literal with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of a raw string literal, `r"..."` or `r#"..."#`.
fn raw(text: &str) -> Option<usize> {
    let marks = text[1..].bytes().take_while(|b| *b == b'#').count();
    let body = text[1 + marks..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(marks));
    Some(body.find(&end).map_or(text.len(), |n| 2 + marks + n + end.len()))
}

fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut parts = code.split("#[cfg(test)]");
    kept += parts.next().unwrap_or_default();
    for part in parts {
        let mut item = part.trim_start();
        while item.starts_with("#[") {
            item = item.split_once("]\n").map_or("", |(_, rest)| rest.trim_start());
        }
        let module = item
            .strip_prefix("mod ")
            .filter(|module| module.trim_start_matches(is_word).trim_start().starts_with('{'));
        let Some(module) = module else {
            kept += part;
            continue;
        };
        let mut depth = 0;
        let end = module.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            *c == '}' && depth == 0
        });
        kept += end.map_or("", |(at, _)| &module[at + 1..]);
    }
    kept
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Parses the paths at the beginning of a text, with groups expanded: `a::{b, c::d}` gives `a::b`
/// and `a::c::d`.
fn paths<'t>(mut text: &'t str, before: &[&'t str], found: &mut Vec<Vec<String>>) -> &'t str {
    let mut path = before.to_vec();
    loop {
        text = text.trim_start();
        if let Some(mut group) = text.strip_prefix('{') {
            loop {
                group = group.trim_start();
                match group.strip_prefix('}') {
                    Some(rest) => return rest,
                    None if group.is_empty() => return group,
                    None => {}
                }
                let rest = paths(group, &path, found);
                // The rest of a path in the group is skipped: a new name after `as`, or a part that
                // a macro inserts.
                let end = rest.find([',', '}']).unwrap_or(rest.len());
                group = rest[end..].strip_prefix(',').unwrap_or(&rest[end..]);
            }
        }
        let len = text.find(|c| !is_word(c)).unwrap_or(text.len());
        path.push(&text[..len]);
        text = &text[len..];
        match text.strip_prefix("::") {
            Some(rest) => text = rest,
            None => break,
        }
    }
    found.push(path.iter().map(|word| (*word).to_owned()).collect());
    text
}

/// The modules of a crate, each with its imports.
fn imports(source: &Path) -> Imports {
    let mut texts = BTreeMap::new();
    read(source, &[], &mut texts);
    let known: BTreeSet<String> = texts.keys().cloned().collect();
    let mut imports = Imports::new();
    for (module, text) in &texts {
        let own: Vec<&str> = module.split("::").filter(|word| !word.is_empty()).collect();
        let mut found = Vec::new();
        for start in ["crate", "super"] {
            for (at, _) in text.match_indices(start) {
                let inside = text[..at].ends_with(is_word) || text[..at].ends_with("::");
                if !inside && text[at + start.len()..].starts_with("::") {
                    paths(&text[at..], &[], &mut found);
                }
            }
        }
        let of = imports.entry(module.clone()).or_default();
        for path in found {
            let ups = path.iter().take_while(|word| *word == "super").count();
            let mut full: Vec<&str> = match ups {
                0 => Vec::new(),
                _ => own[..own.len().saturating_sub(ups)].to_vec(),
            };
            full.extend(path.iter().skip(ups.max(1)).map(String::as_str));
            // An import refers to the longest prefix of its path that is a module.
            let mut beginnings = (0..=full.len()).rev().map(|n| full[..n].join("::"));
            let target = beginnings.find(|name| known.contains(name)).unwrap_or_default();
            if target != *module {
                of.insert(target);
            }
        }
    }
    imports
}

/// Reads all files below a folder, by module path.
fn read(folder: &Path, path: &[String], texts: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let file = entry.path();
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if name == "tests" || name.ends_with("_tests") {
            continue;
        }
        let mut own = path.to_vec();
        if file.is_dir() {
            own.push(name);
            read(&file, &own, texts);
        } else if file.extension().is_some_and(|e| e == "rs") {
            if !["mod", "lib", "main"].contains(&name.as_str()) {
                own.push(name);
            }
            texts.insert(own.join("::"), code(&std::fs::read_to_string(&file).expect("UTF-8")));
        }
    }
}

/// The modules that remain after repeatedly removing modules without imports. These are the members
/// of cycles, and modules between cycles.
fn circles(mut imports: Imports) -> Imports {
    loop {
        let leaves: Vec<String> =
            imports.iter().filter(|(_, of)| of.is_empty()).map(|(m, _)| m.clone()).collect();
        let wanted: BTreeSet<String> = imports.values().flatten().cloned().collect();
        let tops: Vec<String> = imports.keys().filter(|m| !wanted.contains(*m)).cloned().collect();
        if leaves.is_empty() && tops.is_empty() {
            return imports;
        }
        for gone in leaves.iter().chain(&tops) {
            imports.remove(gone);
            imports.values_mut().for_each(|of| _ = of.remove(gone));
        }
    }
}

/// The imports between the folders and files that are directly below the crate's root.
fn folders(imports: &Imports) -> Imports {
    let first = |module: &str| module.split("::").next().unwrap_or_default().to_owned();
    let mut folders = Imports::new();
    for (module, of) in imports {
        let own = first(module);
        let of = of.iter().map(|m| first(m)).filter(|m| *m != own);
        folders.entry(own.clone()).or_default().extend(of);
    }
    folders
}

#[test]
fn modules_import_in_one_direction() {
    for (name, has_folders) in HELD {
        let imports = imports(&crate::workspace().join("crates").join(name).join("src"));
        assert!(imports.len() > 5 && imports.values().any(|of| of.len() > 1), "{name}: not read");
        let names = |circle: Imports| format!("{circle:#?}");
        let found = circles(imports.clone());
        assert!(found.is_empty(), "circles between modules of {name}: {}", names(found));
        let found = if has_folders { circles(folders(&imports)) } else { Imports::new() };
        assert!(found.is_empty(), "circles between folders of {name}: {}", names(found));
    }
}

#[test]
fn a_circle_is_found() {
    let of = |list: &[(&str, &[&str])]| -> Imports {
        let set = |of: &&[&str]| of.iter().map(|m| (*m).to_owned()).collect();
        list.iter().map(|(module, of)| ((*module).to_owned(), set(of))).collect()
    };
    let chain = of(&[("", &["a"]), ("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]);
    assert_eq!(circles(chain), Imports::new());
    let circle = of(&[("", &["a"]), ("a", &["b"]), ("b", &["c"]), ("c", &["a", "d"]), ("d", &[])]);
    let found: Vec<String> = circles(circle).into_keys().collect();
    assert_eq!(found, ["a", "b", "c"]);
    let folder = of(&[("a::x", &["b"]), ("a::y", &[]), ("b", &["a::y"])]);
    assert_eq!(circles(folder.clone()), Imports::new());
    assert_eq!(circles(folders(&folder)).len(), 2);
}

#[test]
fn imports_are_read_from_code_alone() {
    let text = "use crate::{a::{B, c::D}, e as f};\n// use crate::no;\n/* crate::no /* */ crate::no */\n\
                let x = \"crate::no\"; let q = '\"'; fn g<'a>() { super::super::up::h(); $crate::i!() }\n\
                let r = r#\"\"crate::no\"#;\n#[cfg(test)]\nmod tests { use crate::no; fn t() { {} } }\nuse crate::last;";
    let code = code(text);
    let mut found = Vec::new();
    for start in ["crate", "super::super"] {
        for (at, _) in code.match_indices(&format!("{start}::")) {
            paths(&code[at..], &[], &mut found);
        }
    }
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    let expected = [
        "crate::a::B",
        "crate::a::c::D",
        "crate::e",
        "crate::i",
        "crate::last",
        "super::super::up::h",
    ];
    assert_eq!(found, expected);
}
