//! Tests every feature on one module.

use super::client::{Client, URI, place, range};
use serde_json::{Value, json};

const MODULE: &str = "\
.version 8.0
.target sm_75
.address_size 64
.global .texref picture = { filter_mode = linear };
.global .u32 counter = 7;
.func (.reg .u32 %out) twice (.reg .u32 %in);
.visible .entry k(.param .u64 result)
{
  .reg .f32 %f<8>;
  .reg .u32 %r<4>, lonely;
  .reg .pred %p;
  { .reg .u32 %r1; mov.u32 %r1, 0x10; }
  mov.u32 %r1, %tid.x;
LOOP:
  tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [picture, {%f4, %f5}];
  setp.lt.u32 %p, %r1, 4;
  @%p bra LOOP;
  mov.f32 %f4, 0f3f800000;
  call (lonely), twice, (%r1);
  ld.global.u32 %r2, [counter];
  ret;
}
.func (.reg .u32 %out) twice (.reg .u32 %in) { add.u32 %out, %in, %in; ret; }
";

/// The position of the n-th occurrence of a text in the module.
fn find(text: &str, nth: usize) -> (u32, u32) {
    let at = MODULE.match_indices(text).nth(nth).unwrap_or_else(|| panic!("{text}")).0;
    let before = &MODULE[..at];
    let line = before.matches('\n').count();
    (line as u32, (at - before.rfind('\n').map_or(0, |i| i + 1)) as u32)
}

fn opened() -> Client {
    let mut client = Client::modern();
    client.open(MODULE);
    client
}

fn hover(client: &mut Client, text: &str, nth: usize) -> String {
    let (line, column) = find(text, nth);
    let answer = client.at("textDocument/hover", line, column + 1).unwrap();
    assert_eq!(answer["contents"]["kind"], "markdown", "{text}: {answer}");
    answer["contents"]["value"].as_str().unwrap().to_string()
}

#[test]
fn hovers() {
    let mut client = opened();
    for (text, nth, parts) in [
        ("tex.2d", 0, &["tex{", "texture fetch", "9.7.10.3", "`.version 1.", "Column and row"][..]),
        ("2d.v4", 0, &[".2d", "Column and row", "`.cube`"]),
        ("v4.f32", 0, &[".v4", "four elements"]),
        ("f32.f32", 0, &[".f32", "floating-point number, 32 bits"]),
        ("lt.u32", 0, &["less", "`.gt`"]),
        ("%f4, %f5", 0, &[".reg .f32 %f<8>", "Registers, line 9"]),
        ("%r1, 0x10", 0, &[".reg .u32 %r1", "line 12"]),
        ("%r1, 4", 0, &["%r<4>", "line 10"]),
        ("picture,", 0, &[".texref picture = { filter_mode = linear }", "line 4"]),
        ("counter]", 0, &[".u32 counter = 7"]),
        ("LOOP;", 0, &["LOOP", "Label, line 14"]),
        ("%tid", 0, &["%tid", ".u32", "place in its CTA"]),
        ("twice,", 0, &[".func (.reg .u32 %out) twice", "Function, line 23"]),
        (".version", 0, &["PTX ISA"]),
        (".entry", 0, &["kernel"]),
        (".texref", 0, &["texture"]),
        ("0f3f", 0, &["1.0"]),
        ("ld.", 0, &["ld{", "load"]),
        ("result)", 0, &[".param .u64 result", "Parameter"]),
    ] {
        let said = hover(&mut client, text, nth);
        for part in parts {
            let holds = said.to_lowercase().contains(&part.to_lowercase());
            assert!(holds, "{text}: no `{part}` in {said}");
        }
    }
    let (line, column) = find("tex.2d", 0);
    let answer = client.at("textDocument/hover", line, column).unwrap();
    assert_eq!(answer["range"], range((line, column), (line, column + 3)));
    let nothing = find("{%f0", 0);
    assert_eq!(client.at("textDocument/hover", nothing.0, nothing.1), Ok(Value::Null));
    assert_eq!(client.quit(), Some(0));

    let mut plain = Client::ready(json!({ "capabilities": {} }));
    plain.open(MODULE);
    let answer = plain.at("textDocument/hover", line, column).unwrap();
    assert_eq!(answer["contents"]["kind"], "plaintext");
    assert!(!answer["contents"]["value"].as_str().unwrap().contains('`'));
}

#[test]
fn hover_in_a_broken_statement() {
    let mut client = Client::modern();
    client.open(&MODULE.replace("tex.2d.v4.f32.f32 {%f0", "tex.2d.v4. {%f0, "));
    let (line, column) = find("tex.2d", 0);
    let said = client.at("textDocument/hover", line, column).unwrap();
    assert!(said["contents"]["value"].as_str().unwrap().contains("exture fetch"));
    let definition = client.at("textDocument/definition", line, column + 14).unwrap();
    assert_eq!(definition["range"]["start"]["line"], 8);
}

#[test]
fn definitions() {
    let mut client = opened();
    for (text, nth, target, target_nth) in [
        ("picture,", 0, "picture", 0),
        ("counter]", 0, "counter", 0),
        ("LOOP;", 0, "LOOP", 0),
        ("twice,", 0, "twice", 2),
        ("twice (", 0, "twice", 2),
        ("%f5", 0, "%f<", 0),
        ("%r1, 0x10", 0, "%r1;", 0),
        ("%r1, %tid", 0, "%r<", 0),
        ("lonely)", 0, "lonely", 0),
        ("%in, %in", 0, "%in", 1),
        ("%p bra", 0, "%p;", 0),
        ("result", 0, "result", 0),
    ] {
        let (line, column) = find(text, nth);
        let answer = client.at("textDocument/definition", line, column + 1).unwrap();
        let (line, column) = find(target, target_nth);
        assert_eq!(answer["uri"], URI, "{text}");
        let start = json!({ "line": line, "character": column });
        assert_eq!(answer["range"]["start"], start, "{text}");
    }
    for nowhere in ["%tid", "tex.2d", ".target", "linear", "0x10"] {
        let (line, column) = find(nowhere, 0);
        let answer = client.at("textDocument/definition", line, column + 1);
        assert_eq!(answer, Ok(Value::Null), "{nowhere}");
    }
    assert_eq!(client.quit(), Some(0));
}

fn lines(places: &Value) -> Vec<u64> {
    let line = |p: &Value| p["range"]["start"]["line"].as_u64().unwrap();
    places.as_array().unwrap().iter().map(line).collect()
}

#[test]
fn references_and_highlights() {
    let mut client = opened();
    let mut references = |text: &str, nth: usize, declaration: bool| {
        let (line, column) = find(text, nth);
        let mut params = place(line, column + 1);
        params["context"] = json!({ "includeDeclaration": declaration });
        lines(&client.request("textDocument/references", params).unwrap())
    };
    assert_eq!(references("LOOP;", 0, true), [13, 16]);
    assert_eq!(references("LOOP;", 0, false), [16]);
    assert_eq!(references("picture", 0, true), [3, 14]);
    assert_eq!(references("%r1, %tid", 0, false), [12, 15, 18]);
    assert_eq!(references("%r1, 0x10", 0, true), [11, 11]);
    assert_eq!(references("%f<", 0, false), [14, 14, 14, 14, 14, 14, 17]);
    assert_eq!(references("twice,", 0, true), [5, 18, 22]);
    assert_eq!(references("ret", 0, true), Vec::<u64>::new());
    let (line, column) = find("%in, %in", 0);
    let places = client.at("textDocument/documentHighlight", line, column).unwrap();
    assert_eq!(lines(&places), [22, 22, 22]);
    assert_eq!(places[0]["range"], range((22, 40), (22, 43)));
    assert_eq!(client.quit(), Some(0));
}

#[test]
fn outline() {
    let mut client = opened();
    let params = json!({ "textDocument": { "uri": URI } });
    let list = client.request("textDocument/documentSymbol", params.clone()).unwrap();
    let name = |s: &Value| s["name"].as_str().unwrap().to_string();
    let names: Vec<_> = list.as_array().unwrap().iter().map(name).collect();
    assert_eq!(names, ["picture", "counter", "twice", "k", "twice"]);
    let kernel = &list[3];
    let inside: Vec<_> = kernel["children"].as_array().unwrap().iter().map(name).collect();
    assert_eq!(inside, ["result", "%f", "%r", "lonely", "%p", "%r1", "LOOP"]);
    assert_eq!(kernel["range"], range((6, 0), (21, 1)));
    assert_eq!(kernel["selectionRange"], range((6, 16), (6, 17)));
    assert_eq!(client.quit(), Some(0));

    let mut plain = Client::ready(json!({ "capabilities": {} }));
    plain.open(MODULE);
    let list = plain.request("textDocument/documentSymbol", params).unwrap();
    let label = list.as_array().unwrap().iter().find(|s| s["name"] == "LOOP").unwrap();
    assert_eq!((&label["containerName"], &label["location"]["uri"]), (&json!("k"), &json!(URI)));
}

#[test]
fn completions() {
    let mut client = opened();
    client.diagnostics();
    let (line, column) = find("ld.global", 0);
    for (typed, first, range_of) in [
        ("tex.", &["base", "level", "grad", "1d"][..], 0),
        ("tex.2d.v4.f32.", &["s32", "f32"], 0),
        ("tld4.r.2", &["2d"], 1),
        ("suld.b.2d.v2.b32.", &["trap", "clamp", "zero"], 0),
        ("txq.wi", &["width"], 2),
        ("@%p bra L", &["LOOP"], 1),
        ("tl", &["tld4"], 2),
        ("add.u32 lone", &["lonely"], 4),
        ("mov.u32 %r1, %cta", &["%ctaid"], 4),
        ("mov.u32 %r1, %", &["%f0"], 1),
        ("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [", &["picture"], 0),
        (".reg .pr", &["pred"], 2),
        (".re", &["reg"], 2),
    ] {
        let start = range((line, column), (line, column));
        client.change(json!([{ "range": start, "text": format!("{typed}\n") }]));
        let end = column + typed.len() as u32;
        let list = client.at("textDocument/completion", line, end).unwrap();
        let items = list["items"].as_array().unwrap();
        let labels: Vec<_> = items.iter().map(|i| i["label"].as_str().unwrap()).collect();
        assert!(labels.len() >= first.len(), "{typed}: {labels:?}");
        assert_eq!(labels[..first.len()], *first, "{typed}");
        let sorted: Vec<_> = items.iter().map(|i| i["sortText"].as_str().unwrap()).collect();
        assert!(sorted.is_sorted(), "{typed}");
        let edit = &items[0]["textEdit"];
        assert_eq!(edit["newText"], first[0], "{typed}");
        assert_eq!(edit["range"]["start"], json!({ "line": line, "character": end - range_of }));
        client.change(json!([{ "range": range((line, column), (line + 1, 0)), "text": "" }]));
    }
    // The documentation of the instruction table.
    client.change(json!([{ "range": range((line, column), (line, column)), "text": "tex.\n" }]));
    let list = client.at("textDocument/completion", line, column + 4).unwrap();
    let level = list["items"].as_array().unwrap().iter().find(|i| i["label"] == "level").unwrap();
    assert!(level["detail"].as_str().unwrap().contains("level of detail"));
    assert!(level["documentation"]["value"].as_str().unwrap().contains("9.7.10.3"));
    // No completions in comments.
    client.change(json!([{ "range": range((0, 0), (0, 0)), "text": "// tex.\n" }]));
    let list = client.at("textDocument/completion", 0, 7).unwrap();
    assert_eq!(list["items"], json!([]));
    assert_eq!(client.quit(), Some(0));
}

#[test]
fn diagnostics_and_corrections() {
    let mut client = Client::modern();
    let text = MODULE.replace("  ret;\n}", "  ret\n  add.u32 %r9, %r1, %r1;\n%p: ret;\n}");
    client.open(&text);
    let list = client.diagnostics();
    for d in &list {
        assert_eq!(d["source"], "texunit");
        assert!(matches!(d["severity"].as_i64(), Some(1 | 2)), "{d}");
        assert!(d["message"].as_str().is_some_and(|m| !m.is_empty()));
        assert!(d.get("codeDescription").is_none());
        assert_eq!(d["data"]["version"], 1);
    }
    let of = |code: &str| list.iter().find(|d| d["code"] == code);
    let twice = of("E0111").unwrap_or_else(|| panic!("{list:?}"));
    let related = &twice["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], URI);
    let line = |range: &Value| range["start"]["line"].as_u64().unwrap();
    let mut lines = [line(&twice["range"]), line(&related["location"]["range"])];
    lines.sort();
    assert_eq!(lines, [10, 22], "the register and the label");
    assert!(of("E0110").is_some(), "errors behind a syntax error are found");
    assert_eq!(client.quit(), Some(0));
}

/// A quick fix, and the text after it.
#[test]
fn quick_fixes() {
    let mut client = Client::modern();
    let text = MODULE.replace("counter];\n  ret;", "counter];\n  ret");
    client.open(&text);
    let list = client.diagnostics();
    let wrong =
        list.iter().find(|d| d["message"].as_str().unwrap().contains("missing `;`")).unwrap();
    let params = |only: Value| {
        json!({
            "textDocument": { "uri": URI },
            "range": wrong["range"],
            "context": { "diagnostics": [wrong], "only": only },
        })
    };
    let actions = client.request("textDocument/codeAction", params(json!(["quickfix"]))).unwrap();
    let fix = actions.as_array().unwrap();
    assert_eq!(fix.len(), 1, "{actions}");
    assert_eq!((&fix[0]["kind"], &fix[0]["isPreferred"]), (&json!("quickfix"), &json!(true)));
    assert_eq!(fix[0]["title"], "Insert `;`");
    assert_eq!(fix[0]["diagnostics"][0]["code"], wrong["code"]);
    let change = &fix[0]["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": URI, "version": 1 }));
    let all = client.request("textDocument/codeAction", params(json!(["source.fixAll"]))).unwrap();
    assert_eq!(all[0]["kind"], "source.fixAll.texunit");
    assert_eq!(all[0]["edit"], fix[0]["edit"]);
    let none = client.request("textDocument/codeAction", params(json!(["refactor"]))).unwrap();
    assert_eq!(none, json!([]));
    let edit = &change["edits"][0];
    client.change(json!([{ "range": edit["range"], "text": edit["newText"] }]));
    let left = client.diagnostics();
    assert!(left.iter().all(|d| d["severity"] != 1), "{left:?}");
    assert_eq!(client.quit(), Some(0));
}

#[test]
fn renaming() {
    let mut client = opened();
    let mut rename = |text: &str, new: &str| {
        let (line, column) = find(text, 0);
        let mut params = place(line, column);
        params["newName"] = json!(new);
        let edit = client.request("textDocument/rename", params)?;
        let edits = edit["documentChanges"][0]["edits"].as_array().unwrap();
        assert!(edits.iter().all(|e| e["newText"] == new));
        Ok::<_, i64>(edits.iter().map(|e| e["range"]["start"]["line"].as_u64().unwrap()).collect())
    };
    assert_eq!(rename("LOOP;", "AGAIN"), Ok(vec![13, 16]));
    assert_eq!(rename("picture,", "photo"), Ok(vec![3, 14]));
    assert_eq!(rename("lonely)", "alone"), Ok(vec![9, 18]));
    assert_eq!(rename("%r1;", "%inner"), Ok(vec![11, 11]));
    assert_eq!(rename("twice,", "double"), Ok(vec![5, 18, 22]));
    for (text, new) in [
        ("%f4", "%g4"), // one of many
        ("LOOP;", "not a name"),
        ("LOOP;", ""),
        ("LOOP;", "counter"), // would hide another name
        ("counter]", "LOOP"), // would be hidden by another name
        ("lonely", "%r3"),    // one of many has this name
        ("lonely", "%laneid"),
        ("%tid", "x"), // declared nowhere
        ("tex.2d", "x"),
    ] {
        assert_eq!(rename(text, new), Err(-32803), "{text} to {new}");
    }
    let (line, column) = find("lonely)", 0);
    let prepared = client.at("textDocument/prepareRename", line, column);
    assert_eq!(prepared, Ok(range((line, column), (line, column + 6))));
    let (line, column) = find("%f4", 0);
    assert_eq!(client.at("textDocument/prepareRename", line, column), Err(-32803));
    // A file with errors may have uses that are not recognised.
    client.change(json!([{ "range": range((19, 2), (19, 4)), "text": "+" }]));
    let (line, column) = find("lonely)", 0);
    assert_eq!(client.at("textDocument/prepareRename", line, column), Err(-32803));
    assert_eq!(client.quit(), Some(0));
}

/// Unused code is marked as unnecessary, and a disabled warning is not shown.
#[test]
fn unnecessary_code() {
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n\
                .global .texref unused;\n.entry k() { ret; }\n";
    let mut client = Client::modern();
    client.open(text);
    let list = client.diagnostics();
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!((&list[0]["severity"], &list[0]["tags"]), (&json!(2), &json!([1])));
    assert_eq!(list[0]["range"]["start"]["line"], 3);
    let code = list[0]["code"].clone();
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "texunit": { "deny": [code] } } }),
    );
    assert_eq!(client.diagnostics()[0]["severity"], 1);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "allow": ["warnings"] } }),
    );
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    assert_eq!(client.quit(), Some(0));
}
