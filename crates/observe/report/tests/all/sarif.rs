//! Tests that SARIF documents have the standard's structure and contain the findings.

use serde_json::{Value, json};
use texunit_report::{Format, Rule, Run, Settings};
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// The members of SARIF 2.1.0 that texunit uses: object, member, whether it is required, and type.
/// `[x]` is a list of objects, `x` an object; other types are primitive.
fn members(object: &str) -> impl Iterator<Item = [&'static str; 3]> {
    let rows = include_str!("sarif.txt").lines();
    let rows = rows.map(|row| row.split(' ').collect::<Vec<_>>());
    rows.filter(move |row| row[0] == object).map(|row| [row[1], row[2], row[3]])
}

/// All violations of the structure in a value.
fn wrong(kind: &str, value: &Value, path: &str, list: &mut Vec<String>) {
    let text = value.as_str().unwrap_or_default();
    let fits = match kind {
        "text" => value.is_string() && !text.is_empty(),
        "uri" => value.is_string() && !text.is_empty() && !text.contains([' ', '<', '\\', '"']),
        "level" => ["error", "warning"].contains(&text),
        "index" => value.is_u64(),
        "number" => value.as_u64().is_some_and(|n| n >= 1),
        "bool" => value.is_boolean(),
        "texts" => value.as_array().is_some_and(|a| a.iter().all(Value::is_string)),
        _ => match kind.strip_prefix('[').and_then(|k| k.strip_suffix(']')) {
            Some(item) => match value.as_array() {
                Some(items) => {
                    for (i, value) in items.iter().enumerate() {
                        wrong(item, value, &format!("{path}[{i}]"), list);
                    }
                    true
                }
                None => false,
            },
            None => {
                let Some(object) = value.as_object() else { return list.push(path.to_owned()) };
                let members: Vec<_> = members(kind).collect();
                assert!(!members.is_empty(), "{kind}");
                for [name, needed, _] in &members {
                    if *needed == "required" && !object.contains_key(*name) {
                        list.push(format!("{path} has no {name}"));
                    }
                }
                for (name, value) in object {
                    match members.iter().find(|row| row[0] == name) {
                        Some(row) => wrong(row[2], value, &format!("{path}.{name}"), list),
                        None => list.push(format!("{path} has {name}")),
                    }
                }
                true
            }
        },
    };
    if !fits {
        list.push(format!("{path} is no {kind}: {value}"));
    }
}

fn rule(code: &str) -> Option<Rule> {
    (code != "W0999").then(|| Rule {
        title: format!("title of {code}"),
        text: format!("text of {code}."),
        markdown: format!("text of `{code}`."),
    })
}

fn document(work: impl FnOnce(&mut Run<'_, &mut Vec<u8>>)) -> Value {
    let settings = Settings {
        format: Format::Sarif,
        quiet: false,
        most_shown: 1,
        version: "1.2.3",
        home: "https://example.org/texunit",
        rule: &rule,
    };
    let mut out = Vec::new();
    let mut run = Run::new(&mut out, settings);
    work(&mut run);
    run.finish().unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    let mut list = Vec::new();
    wrong("document", &document, "", &mut list);
    assert!(list.is_empty(), "{list:#?}");
    assert_eq!(document["version"], "2.1.0");
    let run = &document["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    document
}

#[test]
fn nothing_to_say() {
    let document = document(|_| {});
    assert_eq!(document["runs"][0]["results"], json!([]));
    assert_eq!(document["runs"][0]["invocations"], json!([{ "executionSuccessful": true }]));
}

#[test]
fn results_rules_and_fixes() {
    let text = "\u{e4}\u{1f600} add\n\tret\n";
    let source = SourceFile::new("a b/k.ptx", text);
    let (add, ret) = (text.find("add").unwrap(), text.find("ret").unwrap());
    let list = [
        Diagnostic::error("E0020", Span::new(ret, ret + 3), "missing `;`")
            .label("here")
            .note(Span::new(add, add + 3), "there")
            .help("write it")
            .fix(Span::new(ret + 3, ret + 3), ";"),
        Diagnostic::warning("W0999", Span::new(add, ret + 3), "strange"),
    ];
    let missing = Diagnostic::error("E0000", Span::default(), "cannot read");
    let document = document(|run| {
        run.file(&source, &list);
        run.file(&SourceFile::new("/clean.ptx", ""), &[]);
        run.unreadable("no.ptx", &missing);
        run.file(&source, &list[1..]);
    });
    let run = &document["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    assert_eq!(
        results[0],
        json!({
            "ruleId": "E0020",
            "ruleIndex": 0,
            "level": "error",
            "message": { "text": "missing `;`\nhelp: write it" },
            "locations": [{
                "message": { "text": "here" },
                "physicalLocation": {
                    "artifactLocation": { "uri": "a%20b/k.ptx" },
                    "region": {
                        "startLine": 2, "startColumn": 2, "endLine": 2, "endColumn": 5,
                        "byteOffset": ret, "byteLength": 3,
                    },
                },
            }],
            "relatedLocations": [{
                "id": 0,
                "message": { "text": "there" },
                "physicalLocation": {
                    "artifactLocation": { "uri": "a%20b/k.ptx" },
                    // The mark follows characters of one and two code units, and a space.
                    "region": {
                        "startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 8,
                        "byteOffset": add, "byteLength": 3,
                    },
                },
            }],
            "fixes": [{
                "description": { "text": "write it" },
                "artifactChanges": [{
                    "artifactLocation": { "uri": "a%20b/k.ptx" },
                    "replacements": [{
                        "deletedRegion": {
                            "startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 5,
                            "byteOffset": ret + 3, "byteLength": 0,
                        },
                        "insertedContent": { "text": ";" },
                    }],
                }],
            }],
        })
    );
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<_> = rules.iter().map(|r| r["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["E0020", "W0999", "E0000"]);
    assert_eq!(rules[0]["shortDescription"]["text"], "title of E0020");
    assert_eq!(rules[1]["defaultConfiguration"]["level"], "warning");
    assert_eq!(run["invocations"], json!([{ "executionSuccessful": false }]));
    let files: Vec<_> =
        run["artifacts"].as_array().unwrap().iter().map(|a| &a["location"]["uri"]).collect();
    assert_eq!(files, ["a%20b/k.ptx", "file:///clean.ptx", "no.ptx", "a%20b/k.ptx"]);
}

/// For a file that is not text, offsets count its original bytes, and no replacement is offered.
#[test]
fn bytes_that_are_no_text() {
    let source = SourceFile::from_bytes("k.ptx", b"\xff\xe9 add\n");
    let add = source.text().find("add").unwrap();
    let one =
        Diagnostic::error("E0017", Span::new(add, add + 3), "m").fix(Span::new(add, add), "x");
    let document = document(|run| run.file(&source, &[one]));
    let result = &document["runs"][0]["results"][0];
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"],
        json!({
            "startLine": 1, "startColumn": 4, "endLine": 1, "endColumn": 7,
            "byteOffset": 3, "byteLength": 3,
        })
    );
    assert_eq!(result.get("fixes"), None);
}
