//! One word for one thing: the last table of CONTRIBUTING.md says which words to write and which
//! not, and none of the latter is in a page, a help text, a string literal, or a comment of [`COMMENTED`].
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use clap::CommandFactory;

/// Folders whose comments are looked at, too.
const COMMENTED: [&str; 7] = [
    "crates/faces/web",
    "crates/ptx/lsp",
    "crates/tools/cli",
    "crates/unit/explain",
    "editors/vscode",
    "web",
    "xtask",
];

/// A phrase that is not to be written, in lower case, and longer ones in which it is right.
struct Avoided {
    phrase: String,
    except: Vec<String>,
    instead: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn in_code(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn avoided() -> Vec<Avoided> {
    let page = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let table = page.split("| write | not | except in |\n|---|---|---|\n").nth(1).unwrap();
    let mut list = Vec::new();
    for row in table.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [instead, not, except] = cells[..] else { panic!("not a row of three cells: {row}") };
        assert!(!in_code(not).is_empty(), "nothing is avoided: {row}");
        list.extend(in_code(not).into_iter().map(|phrase| Avoided {
            phrase,
            except: in_code(except),
            instead: instead.to_owned(),
        }));
    }
    list
}

/// Where `text` has the avoided phrase as whole words, outside the phrases in which it is right.
fn occurrences(text: &str, avoided: &Avoided) -> Vec<usize> {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let right: Vec<_> = avoided
        .except
        .iter()
        .flat_map(|phrase| text.match_indices(phrase.as_str()))
        .map(|(at, phrase)| at..at + phrase.len())
        .collect();
    let found = text.match_indices(avoided.phrase.as_str()).filter(|(at, phrase)| {
        let end = at + phrase.len();
        !letter(text[..*at].chars().next_back())
            && !letter(text[end..].chars().next())
            && !right.iter().any(|range| range.start <= *at && end <= range.end)
    });
    found.map(|(at, _)| at).collect()
}

/// In lower case, with one space between words, so that phrases are found over line ends.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn look(name: &str, text: &str, list: &[Avoided], told: &mut Vec<String>) {
    let text = flat(text);
    for entry in list {
        for at in occurrences(&text, entry) {
            let around: String = text[at..].chars().take(60).collect();
            told.push(format!("{name}: `{around}`: write \"{}\"", entry.instead));
        }
    }
}

fn files(folder: &Path, extension: &str, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !path.is_symlink() {
            if !name.starts_with('.') && !["target", "tests", "node_modules"].contains(&name) {
                files(&path, extension, into);
            }
        } else if path.extension().is_some_and(|e| e == extension) && name != "tests.rs" {
            into.push(path);
        }
    }
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// The string literals of a source file, those of its unit tests left out.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let mut list = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let tail = &rest[at..];
        if tail.starts_with("//") {
            rest = tail.find('\n').map_or("", |end| &tail[end..]);
        } else if let Some(behind) = tail.strip_prefix("'\"'") {
            rest = behind;
        } else if tail.starts_with("'\\") {
            // A character such as '\'' or '\\'.
            rest = tail.get(3..).unwrap_or("");
        } else if let Some(body) = tail.strip_prefix('"') {
            let hashes = rest[..at].len() - rest[..at].trim_end_matches('#').len();
            let raw = rest[..at - hashes].ends_with('r');
            let end = if raw {
                body.find(&format!("\"{}", "#".repeat(hashes)))
            } else {
                let mut escaped = false;
                body.find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                })
            };
            let Some(end) = end else { break };
            list.push(body[..end].replace("\\\n", " ").replace("\\n", " "));
            rest = &body[end + 1..];
        } else {
            rest = &tail[1..];
        }
    }
    list
}

/// The comments of a source file that have lines of their own, one after the other; code in backquotes is left out.
fn comments(source: &str) -> String {
    let marks = ["///", "//!", "//", "/**", "*/", "* "];
    let lines = source.lines().map(str::trim_start).filter_map(|line| {
        let mark = marks.iter().find(|mark| line.starts_with(**mark))?;
        Some(line.trim_start_matches(mark).trim_end_matches("*/"))
    });
    lines.collect::<Vec<_>>().join("\n").split('`').step_by(2).collect::<Vec<_>>().join("`")
}

fn helps(command: &mut clap::Command, into: &mut Vec<(String, String)>) {
    into.push((format!("{} --help", command.get_name()), command.render_long_help().to_string()));
    for below in command.get_subcommands_mut() {
        helps(below, into);
    }
}

#[test]
fn one_word_for_one_thing() {
    let (list, mut told) = (avoided(), Vec::new());
    assert!(list.len() > 15, "{}", list.len());
    let root = root();
    let mut pages = Vec::new();
    files(&root, "md", &mut pages);
    assert!(pages.len() > 25, "{pages:?}");
    for path in pages {
        // The first has the list, the second is notes of those who work on it; it is there between two sessions only.
        if !path.ends_with("CONTRIBUTING.md") && !path.ends_with("progress.md") {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            look(&name, &prose(&std::fs::read_to_string(&path).unwrap()), &list, &mut told);
        }
    }
    let mut sources = Vec::new();
    files(&root.join("crates"), "rs", &mut sources);
    files(&root.join("xtask"), "rs", &mut sources);
    assert!(sources.len() > 400, "{}", sources.len());
    for path in sources {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let source = std::fs::read_to_string(&path).unwrap();
        literals(&source).iter().for_each(|text| look(&name, text, &list, &mut told));
    }
    let mut commented = Vec::new();
    for folder in COMMENTED {
        for extension in ["rs", "ts", "mjs", "cjs"] {
            files(&root.join(folder), extension, &mut commented);
            let tests = root.join(folder).join("tests");
            if tests.is_dir() {
                files(&tests, extension, &mut commented);
            }
        }
    }
    assert!(commented.len() > 200, "{}", commented.len());
    for path in commented {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        look(&name, &comments(&std::fs::read_to_string(&path).unwrap()), &list, &mut told);
    }
    let mut texts = Vec::new();
    helps(&mut texunit::args::Cli::command(), &mut texts);
    texts.iter().for_each(|(name, text)| look(name, text, &list, &mut told));
    assert!(told.is_empty(), "{} to mend:\n{}", told.len(), told.join("\n"));
}

#[test]
fn what_is_looked_for_is_found() {
    let entry = Avoided {
        phrase: "is no".into(),
        except: vec!["there is no".into(), "is no longer".into()],
        instead: "is not a".into(),
    };
    let found = |text: &str| occurrences(&flat(text), &entry).len();
    assert_eq!(found("a handle that is\n  no texture; there is no other"), 1);
    assert_eq!(found("There is no such word, it is not one, this nois no, it is no longer"), 0);
    let source =
        "let a = \"one \\\"two\\\"\"; // \"no\n b('\"', '\\'', r#\"a \"raw\" one\"#, \"last\")";
    assert_eq!(literals(source), ["one \\\"two\\\"", "a \"raw\" one", "last"]);
    let source = "/// One\n    // two `is no` three\nlet a = 1; // four\n/** five */\n * six\n";
    assert_eq!(flat(&comments(source)), "one two ` three five six");
    assert_eq!(prose("a\n```sh\nis no\n```\nb"), "a\n\nb");
}
