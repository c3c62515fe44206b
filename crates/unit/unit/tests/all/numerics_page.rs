//! RULES.md names functions and case files, and the code cites rules of docs/numerics.md. This test
//! checks that all of them exist.

use flate2::read::GzDecoder;
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use texunit_testkit::pages::{anchors, without_anchors};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// All text of the `.rs` files below a folder.
fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|e| e == "rs") {
            text.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}

/// The rows of a table of a page, without the table's head.
fn rows<'p>(page: &'p str, head: &str) -> Vec<Vec<&'p str>> {
    let (_, table) = page.split_once(&format!("\n{head}\n")).unwrap();
    let lines = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    lines.map(|l| l.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The paths that a cell of a table names, with `a::{b, c}` split into two.
fn paths(cell: &str) -> Vec<String> {
    let mut all = Vec::new();
    for path in cell.split('`').skip(1).step_by(2) {
        match path.strip_suffix('}').and_then(|path| path.split_once('{')) {
            Some((module, names)) => {
                all.extend(names.split(", ").map(|name| format!("{module}{name}")));
            }
            None => all.push(path.to_owned()),
        }
    }
    all
}

/// Whether code defines an item of this name.
fn defines(code: &str, name: &str) -> bool {
    ["fn ", "struct ", "enum ", "trait ", "static ", "const "].iter().any(|kind| {
        code.match_indices(&format!("{kind}{name}")).any(|(at, found)| {
            !code[at + found.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })
}

/// Whether a path exists: it may be a module of crate `unit`, names in such a module, or names in
/// crate `texel`.
fn exists(path: &str) -> bool {
    let parts: Vec<&str> = path.split("::").collect();
    let folder = root().join("crates/unit");
    if let ["texel", names @ ..] = &parts[..] {
        let mut code = String::new();
        sources(&folder.join("texel/src"), &mut code);
        return names.iter().all(|name| defines(&code, name));
    }
    let module = |parts: &[&str]| {
        let path = folder.join("unit/src").join(parts.join("/"));
        let files = [path.with_extension("rs"), path.join("mod.rs")];
        files.iter().find_map(|file| std::fs::read_to_string(file).ok())
    };
    let longest =
        (1..=parts.len()).rev().find_map(|count| Some((module(&parts[..count])?, &parts[count..])));
    longest.is_some_and(|(code, names)| names.iter().all(|name| defines(&code, name)))
}

/// The text of the file with these cases, unpacked.
fn cases(name: &str) -> Option<String> {
    let file = |kind: &str| std::fs::read(root().join(format!("tests/fetch/{name}{kind}"))).ok();
    if let Some(plain) = file(".toml") {
        return String::from_utf8(plain).ok();
    }
    let packed = file(".toml.gz").or_else(|| file(".json.gz"))?;
    let mut text = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut text).ok()?;
    Some(text)
}

#[test]
fn named_functions_and_case_files_exist() {
    let page = std::fs::read_to_string(root().join("crates/unit/unit/RULES.md")).unwrap();
    let (places, open) = (
        rows(&page, "| rule | reference | planned | cases |"),
        rows(&page, "| rule | what texunit does | where |"),
    );
    assert!(places.len() > 60 && open.len() > 20, "the tables were not found whole");
    let mut unknown = Vec::new();
    for row in &places {
        let &[_, reference, planned, files] = &row[..] else { panic!("{row:?}") };
        unknown.extend([reference, planned].into_iter().flat_map(paths).filter(|p| !exists(p)));
        for file in files.split(',').filter_map(|c| c.split_whitespace().next()) {
            assert!(cases(file).is_some(), "{file} is not a file of cases");
        }
    }
    for row in &open {
        let &[_, _, place] = &row[..] else { panic!("{row:?}") };
        // Rules that other crates implement are checked there.
        let other = ["alu::", "simt::", "sfu::", "tensor::", "device"];
        let ours = |path: &String| !other.iter().any(|start| path.starts_with(start));
        unknown.extend(paths(place).into_iter().filter(ours).filter(|path| !exists(path)));
    }
    assert!(unknown.is_empty(), "there is no {unknown:#?}");
}

/// The numbers of the page's rules and sections, which are in the first cells of its tables and in
/// its headings.
fn numbers(page: &str) -> HashSet<&str> {
    page.lines()
        .filter_map(|line| ["| ", "## ", "### "].iter().find_map(|start| line.strip_prefix(start)))
        .filter_map(|line| line.split_whitespace().next())
        .map(|word| word.trim_end_matches('.'))
        .collect()
}

/// The anchor that a line of the page should have: `rule-1.8` for rule 1.8, `rule-1.11-one-level`
/// for "1.11 one level", and for a heading its number alone.
fn anchor_of(line: &str) -> Option<String> {
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if let Some(heading) = line.strip_prefix("### ").or_else(|| line.strip_prefix("## ")) {
        let word = heading.split(' ').next()?.trim_end_matches('.');
        return number(word).then(|| format!("rule-{word}"));
    }
    let (cell, _) = line.strip_prefix("| ")?.split_once(" | ")?;
    let is_rule = number(cell) && cell.split(' ').next()?.contains('.');
    is_rule.then(|| format!("rule-{}", cell.to_lowercase().replace(' ', "-")))
}

#[test]
fn every_rule_has_its_anchor() {
    let page = std::fs::read_to_string(root().join("docs/numerics.md")).unwrap();
    let (rules, _) = page.split_once("\n## Open rules\n").unwrap();
    let plain = without_anchors(rules);
    let expected: Vec<String> = plain.lines().filter_map(anchor_of).collect();
    assert!(expected.len() > 100, "{expected:?}");
    assert_eq!(anchors(&page), expected);
}

/// The numbers that code cites after one of several words: `rule 4.2`, `Rules 3.1 to 3.3`,
/// `numerics.md, 13.2`.
fn cited(code: &str) -> HashSet<&str> {
    let end =
        |rest: &str| rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let citations = [
        " rule ",
        "(rule ",
        "[rule ",
        "Rule ",
        " rules ",
        "Rules ",
        " rule: \"",
        "step(\"",
        "add(\"",
        "numerics.md ",
        "numerics.md, ",
        "numerics.md) ",
        "numerics.md#rule-",
        "numerics.md, section ",
        "numerics.md, rule ",
    ];
    citations
        .iter()
        .flat_map(|before| code.match_indices(before).map(|(at, word)| &code[at + word.len()..]))
        .map(|rest| rest[..end(rest)].trim_end_matches('.'))
        .filter(|number| !number.is_empty())
        .collect()
}

/// The text of all Markdown pages of the repository, and of the explanations that tests keep.
fn pages(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !path.is_symlink() && !name.starts_with('.') && name != "target" {
            pages(&path, text);
        } else if path.extension().is_some_and(|e| e == "md") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn rules_that_code_and_pages_cite_exist() {
    let page = std::fs::read_to_string(root().join("docs/numerics.md")).unwrap();
    let page = without_anchors(&page);
    let known = numbers(&page);
    let mut text = String::new();
    let folders =
        |path: PathBuf| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    for source in folders(root().join("crates")).flat_map(folders).map(|it| it.join("src")) {
        if source.is_dir() {
            sources(&source, &mut text);
        }
    }
    pages(&root(), &mut text);
    let cited = cited(&text);
    assert!(cited.len() > 60, "{cited:?}");
    let mut unknown: Vec<_> = cited.difference(&known).collect();
    unknown.sort();
    assert!(unknown.is_empty(), "not on the page: {unknown:?}");
}

/// The names that code imports from the reference. For a module, these are the names that it uses
/// of the module. Types are left out.
fn taken_from_reference(code: &str) -> HashSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_type = |name: &str| {
        name.len() > 1 && name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
    };
    let mut taken = HashSet::new();
    // Imports of the module have no indentation; those of its tests have.
    for line in code.lines().filter_map(|line| line.strip_prefix("use crate::reference::")) {
        let names: Vec<&str> =
            line.split(|c| !is_part(c)).filter(|name| !name.is_empty()).collect();
        // `level::{self, Levels}` and `{gather, result}` import modules; `cube::{seamless}` imports
        // a name of one.
        let whole = line.contains("self") || line.starts_with('{');
        for name in names.iter().skip(usize::from(!whole)).filter(|name| !is_type(name)) {
            taken.insert((*name).to_owned());
        }
        if !whole {
            continue;
        }
        for module in names {
            if !taken.remove(module) || module == "self" {
                continue;
            }
            for (at, found) in code.match_indices(&format!("{module}::")) {
                let rest = &code[at + found.len()..];
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                let inside = code[..at].ends_with(|c| is_part(c) || c == ':');
                if !inside && end > 0 && !is_type(&rest[..end]) {
                    taken.insert(format!("{module}::{}", &rest[..end]));
                }
            }
        }
    }
    taken
}

#[test]
fn what_plan_and_reference_share_is_listed_with_its_cases() {
    let page = std::fs::read_to_string(root().join("tests/fetch/README.md")).unwrap();
    let (_, table) = page.split_once("\n| shared | rules | held by |\n").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let mut folders = vec![root().join("crates/unit/unit/src/warp")];
    let mut taken = HashSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_test = path.file_stem().is_some_and(|name| name == "tests");
            if path.is_dir() && !is_test {
                folders.push(path);
            } else if path.is_file() && !is_test {
                taken.extend(taken_from_reference(&std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert!(taken.contains("level::sharpening") && taken.contains("seamless"), "{taken:?}");
    let mut unlisted: Vec<_> =
        taken.iter().filter(|name| !table.contains(&format!("`{name}`"))).collect();
    unlisted.sort();
    assert!(unlisted.is_empty(), "shared, and not in tests/fetch/README.md: {unlisted:?}");
    let mut named = 0;
    for row in table.lines().skip(1) {
        let held = row.trim_matches('|').split('|').nth(2).unwrap();
        for part in held
            .split(';')
            .map(str::trim)
            .filter(|part| *part != "every file" && !part.starts_with("other"))
        {
            let file = part.split_whitespace().next().unwrap();
            let text = cases(file).unwrap_or_else(|| panic!("{file} is not a file of cases"));
            for name in part.split('`').skip(1).step_by(2) {
                assert!(text.contains(&format!("\nname = \"{name}")), "{file} has no case {name}");
                named += 1;
            }
        }
    }
    assert!(named > 15, "{named}");
}
