//! Checks that the modules of a crate have no cyclic imports, so that they can be read in the order
//! of their dependencies.
//!
//! An import is a path that begins with `crate::` or `super::`, in a `use` or elsewhere. Imports of
//! `mod.rs` from its own submodules, and imports of tests, do not count.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The imports of each module, as paths from the crate root.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The paths in code that begin with `crate` or `super`, with groups expanded: `crate::{b, c::d}`
/// gives `crate::b` and `crate::c::d`. Test modules are skipped.
fn paths(code: TokenStream, found: &mut Vec<Vec<String>>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let mut rest = &tokens[..];
    while let Some((token, after)) = rest.split_first() {
        let is_path = matches!(token, TokenTree::Ident(word) if word == "crate" || word == "super")
            && behind_colons(after).is_some();
        match token {
            _ if is_path => rest = path(rest, &[], found),
            TokenTree::Group(group) => {
                paths(group.stream(), found);
                rest = after;
            }
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                rest = test_module(after).unwrap_or(after);
            }
            _ => rest = after,
        }
    }
}

/// The tokens behind `::`.
fn behind_colons(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    match tokens {
        [TokenTree::Punct(a), TokenTree::Punct(b), rest @ ..] => {
            (a.as_char() == ':' && b.as_char() == ':').then_some(rest)
        }
        _ => None,
    }
}

/// Reads a path with its groups; returns the tokens behind it.
fn path<'t>(
    mut tokens: &'t [TokenTree],
    before: &[String],
    found: &mut Vec<Vec<String>>,
) -> &'t [TokenTree] {
    let mut path = before.to_vec();
    loop {
        match tokens {
            [TokenTree::Ident(word), rest @ ..] => {
                path.push(word.to_string());
                tokens = rest;
            }
            [TokenTree::Group(group), rest @ ..] if group.delimiter() == Delimiter::Brace => {
                let members: Vec<TokenTree> = group.stream().into_iter().collect();
                let comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
                for member in members.split(comma).filter(|member| !member.is_empty()) {
                    self::path(member, &path, found);
                }
                return rest;
            }
            _ => break,
        }
        match behind_colons(tokens) {
            Some(rest) => tokens = rest,
            None => break,
        }
    }
    found.push(path);
    tokens
}

/// The tokens behind a test module, of which the tokens behind the first `#` are given.
fn test_module(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    let (attribute, mut rest) = tokens.split_first()?;
    if attribute.to_string().replace(' ', "") != "[cfg(test)]" {
        return None;
    }
    while let [TokenTree::Punct(_), TokenTree::Group(_), more @ ..] = rest {
        rest = more;
    }
    match rest {
        [TokenTree::Ident(word), TokenTree::Ident(_), TokenTree::Group(_), rest @ ..] => {
            (word == "mod").then_some(rest)
        }
        _ => None,
    }
}

/// The modules of a crate, each with its imports.
fn imports(source: &Path) -> Imports {
    let mut modules = BTreeMap::new();
    read(source, &[], &mut modules);
    let mut imports = Imports::new();
    for (module, found) in &modules {
        let own: Vec<&str> = module.split("::").filter(|word| !word.is_empty()).collect();
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
            let target = beginnings.find(|name| modules.contains_key(name)).unwrap_or_default();
            if target != *module {
                of.insert(target);
            }
        }
    }
    imports
}

/// Reads the paths in all files below a folder, by module path.
fn read(folder: &Path, path: &[String], modules: &mut BTreeMap<String, Vec<Vec<String>>>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let file = entry.path();
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if name == "tests" || name.ends_with("_tests") {
            continue;
        }
        let mut own = path.to_vec();
        if file.is_dir() {
            own.push(name);
            read(&file, &own, modules);
        } else if file.extension().is_some_and(|e| e == "rs") {
            if !["mod", "lib", "main"].contains(&name.as_str()) {
                own.push(name);
            }
            let code = std::fs::read_to_string(&file).expect("UTF-8").parse().expect("Rust");
            paths(code, modules.entry(own.join("::")).or_default());
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
    let root = crate::workspace().join("crates");
    let list = |folder: &Path| std::fs::read_dir(folder).expect("a folder of crates").flatten();
    let crates = list(&root).flat_map(|group| list(&group.path()).map(|krate| krate.path()));
    let mut held = 0;
    for krate in crates.filter(|krate| krate.join("src").is_dir()) {
        let name = krate.strip_prefix(&root).expect("below the root").to_string_lossy();
        let imports = imports(&krate.join("src"));
        let between_modules = circles(imports.clone());
        let between_folders = circles(folders(&imports));
        held += usize::from(imports.len() > 5);
        assert!(between_modules.is_empty(), "{name}: circles of modules {between_modules:#?}");
        assert!(between_folders.is_empty(), "{name}: circles of folders {between_folders:#?}");
    }
    assert!(held > 30, "{held} crates were read");
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
    let mut found = Vec::new();
    paths(text.parse().expect("Rust"), &mut found);
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    let expected = [
        "crate::a::B",
        "crate::a::c::D",
        "crate::e",
        "super::super::up::h",
        "crate::i",
        "crate::last",
    ];
    assert_eq!(found, expected);
}
