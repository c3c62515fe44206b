//! Tests life cycle, synchronisation, positions and cancellation.

use super::client::{Client, URI, place, range};
use serde_json::{Value, json};

const SMALL: &str = ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { ret; }\n";

#[test]
fn life_and_exit_codes() {
    assert_eq!(Client::modern().quit(), Some(0));
    let mut abrupt = Client::modern();
    abrupt.notify("exit", Value::Null);
    assert_eq!(abrupt.end(), Some(1), "exit without shutdown");
    assert_eq!(Client::modern().end(), Some(1), "the input ends without shutdown");
    assert_eq!(Client::start().end(), Some(1));
    let mut new = Client::start();
    new.notify("exit", Value::Null);
    assert_eq!(new.end(), Some(1));
    let mut shut = Client::modern();
    shut.request("shutdown", Value::Null).unwrap();
    assert_eq!(shut.request("textDocument/hover", place(0, 0)), Err(-32600));
    assert_eq!(shut.request("shutdown", Value::Null), Err(-32600));
    assert_eq!(shut.end(), Some(0));
}

#[test]
fn requests_in_the_wrong_order() {
    let mut client = Client::start();
    assert_eq!(client.request("textDocument/hover", place(0, 0)), Err(-32002));
    assert_eq!(client.request("shutdown", Value::Null), Err(-32002));
    client.open(SMALL); // Dropped: nothing is known of the client yet.
    assert_eq!(client.request("initialize", json!([])), Err(-32602));
    let result = client.request("initialize", json!({ "capabilities": {} })).unwrap();
    assert_eq!(result["serverInfo"]["name"], "texunit");
    assert_eq!(client.request("initialize", json!({ "capabilities": {} })), Err(-32600));
    assert_eq!(client.request("textDocument/hover", place(0, 0)), Err(-32602), "never opened");
    assert_eq!(client.request("textDocument/formatting", place(0, 0)), Err(-32601));
    client.notify("$/unknown", json!({}));
    client.notify("textDocument/didSave", json!({}));
    assert_eq!(client.quit(), Some(0));
}

#[test]
fn capabilities() {
    let mut client = Client::start();
    let result = client.request("initialize", json!({ "capabilities": {} })).unwrap();
    let can = &result["capabilities"];
    assert_eq!(can["positionEncoding"], "utf-16");
    assert_eq!(can["textDocumentSync"], json!({ "openClose": true, "change": 2 }));
    assert_eq!(can["renameProvider"], true);
    for provider in ["hover", "definition", "references", "documentHighlight", "documentSymbol"] {
        assert_eq!(can[format!("{provider}Provider")], true, "{provider}");
    }
    let mut modern = Client::start();
    let offers = json!({
        "general": { "positionEncodings": ["utf-32", "utf-8"] },
        "textDocument": { "rename": { "prepareSupport": true } },
    });
    let result = modern.request("initialize", json!({ "capabilities": offers })).unwrap();
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-8");
    assert_eq!(result["capabilities"]["renameProvider"], json!({ "prepareProvider": true }));
}

/// Columns after characters that are not ASCII, in both encodings.
#[test]
fn positions() {
    // `é` has 2 bytes and 1 unit, `𝄞` 4 bytes and 2 units.
    let text = SMALL.replace("ret;", "/* é𝄞 */ ret; /* é */");
    for (offered, [a, b, c, d]) in [("utf-8", [16, 22, 34, 36]), ("utf-16", [16, 19, 31, 32])] {
        let general = json!({ "positionEncodings": [offered] });
        let mut client = Client::ready(json!({ "capabilities": { "general": general } }));
        client.open(&text);
        let list = client.diagnostics();
        let ranges: Vec<_> = list.iter().map(|d| d["range"].clone()).collect();
        let (first, second) = (range((3, a), (3, b)), range((3, c), (3, d)));
        assert_eq!(ranges, [first.clone(), second.clone()], "{offered}");
        // An edit after them changes the right place, and the first diagnostic keeps its place.
        client.change(json!([{ "range": second, "text": "e" }]));
        let list = client.diagnostics();
        assert_eq!((list.len(), &list[0]["range"]), (1, &first), "{offered}");
        client.change(json!([{ "range": first, "text": "" }]));
        assert_eq!(client.diagnostics(), Vec::<Value>::new(), "{offered}");
        assert_eq!(client.quit(), Some(0));
    }
}

#[test]
fn incremental_and_full_changes() {
    let mut client = Client::modern();
    client.open(SMALL);
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    // Several changes in one notification, each relative to the result of the previous one.
    client.change(json!([
        { "range": range((3, 13), (3, 13)), "text": "mov.u32 %r1, 1;\n" },
        { "range": range((4, 0), (4, 0)), "text": "add.s32; nonsense; " },
    ]));
    let list = client.diagnostics();
    let places: Vec<_> = list.iter().map(|d| (d["code"].clone(), d["range"].clone())).collect();
    let expected =
        [(json!("E0110"), range((3, 21), (3, 24))), (json!("E0200"), range((4, 9), (4, 17)))];
    assert_eq!([&places[0], &places[2]], [&expected[0], &expected[1]], "{places:?}");
    assert_eq!(places[1].0, "E0210");
    // A range over a line end, a backward range, and a range far outside.
    client.change(json!([{ "range": range((4, 19), (3, 12)), "text": " " }]));
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    client.change(json!([{ "range": range((900, 9), (u32::MAX, u32::MAX)), "text": "junk" }]));
    assert_eq!(client.diagnostics()[0]["range"]["start"]["line"], 4);
    client.change(json!([{ "text": SMALL }]));
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    let closed = client.wait_for("textDocument/publishDiagnostics");
    assert_eq!((&closed["diagnostics"], &closed["uri"]), (&json!([]), &json!(URI)));
    assert_eq!(client.at("textDocument/hover", 0, 0), Err(-32602));
    assert_eq!(client.quit(), Some(0));
}

/// Many changes in quick succession are checked together; the published diagnostics are those of
/// the newest text.
#[test]
fn a_fast_typist() {
    let mut client = Client::modern();
    client.open(SMALL);
    client.diagnostics();
    for _ in 0..300 {
        client.change(json!([{ "range": range((3, 13), (3, 13)), "text": "trap; " }]));
    }
    client.change(json!([{ "range": range((3, 13), (3, 13)), "text": "nonsense; " }]));
    let list = client.diagnostics();
    assert_eq!(list[0]["code"], "E0200");
    assert!(client.request("textDocument/documentSymbol", place(0, 0)).is_ok());
    assert_eq!(client.quit(), Some(0));
}

#[test]
fn canceled_and_outdated_requests_are_answered() {
    let mut client = Client::modern();
    // A text so long that its index is not finished when the next message arrives.
    let text = SMALL.replace("ret;", &"trap;\n".repeat(200_000));
    client.open(&text);
    let first = client.ask("textDocument/hover", place(0, 0));
    client.notify("$/cancelRequest", json!({ "id": first }));
    client.notify("$/cancelRequest", json!({ "id": 99_999 }));
    client.notify("$/cancelRequest", json!({ "id": "text" }));
    client.notify("$/cancelRequest", json!([]));
    let canceled = client.answer(json!(first));
    assert!(canceled == Err(-32800) || canceled.is_ok(), "{canceled:?}");
    let second = client.ask("textDocument/hover", place(0, 0));
    client.change(json!([{ "range": range((0, 0), (0, 0)), "text": "\n" }]));
    let outdated = client.answer(json!(second));
    assert!(outdated == Err(-32801) || outdated.is_ok(), "{outdated:?}");
    client.diagnostics();
    assert_eq!(client.quit(), Some(0));
}

#[test]
fn settings() {
    let old = ".version 6.0\n.target sm_70\n.address_size 64\n\
               .entry k() { .reg .b32 %r1; activemask.b32 %r1; ret; }\n";
    let needs_version =
        |client: &mut Client| client.diagnostics().iter().any(|d| d["code"] == "E0230");
    let mut client = Client::modern();
    client.open(old);
    assert!(needs_version(&mut client));
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "texunit": { "ptxVersion": "8.0" } } }),
    );
    assert!(!needs_version(&mut client));
    client.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    client.notify("workspace/didChangeConfiguration", json!({ "settings": { "ptxas": 5 } }));
    assert!(client.wait_for("window/showMessage")["message"].as_str().unwrap().contains("ptxas"));
    assert!(needs_version(&mut client));
    assert_eq!(client.quit(), Some(0));

    let options = json!({ "ptxVersion": "8.0", "nothing": 1 });
    let mut client = Client::ready(json!({ "capabilities": {}, "initializationOptions": options }));
    assert!(client.wait_for("window/showMessage")["message"].as_str().unwrap().contains("nothing"));
    client.open(old);
    assert!(!needs_version(&mut client));
    assert_eq!(client.quit(), Some(0));
}
