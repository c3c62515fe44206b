//! A session without a transport: texts in, texts out. `crates/tools/cli/tests/all/lsp` has the
//! features one by one, over pipes.

use serde_json::{Value, json};
use texunit_lsp::{Incoming, Server};

const MODULE: &str = "\
.version 8.0
.target sm_75
.address_size 64
.entry k()
{
  .reg .u32 %r1;
  mov.u32 %r1, %tid.x;
  add.s32 %r1, %r1, %r2;
  ret;
}
";

fn request(id: i32, method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

fn notification(method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

fn open(text: &str) -> String {
    let item = json!({ "uri": "a:k.ptx", "languageId": "ptx", "version": 1, "text": text });
    notification("textDocument/didOpen", json!({ "textDocument": item }))
}

fn change(version: i32, text: &str) -> String {
    let document = json!({ "uri": "a:k.ptx", "version": version });
    let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
    notification("textDocument/didChange", params)
}

fn at(line: u32, character: u32) -> Value {
    let position = json!({ "line": line, "character": character });
    json!({ "textDocument": { "uri": "a:k.ptx" }, "position": position })
}

fn receive(server: &mut Server, text: &str) {
    server.receive(Incoming::read(text.as_bytes()));
}

fn parsed(said: Vec<String>) -> Vec<Value> {
    said.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// The single message about a text.
fn said(server: &mut Server, text: &str) -> Value {
    let mut said = parsed(server.respond(text));
    assert_eq!(said.len(), 1, "{said:?}");
    said.remove(0)
}

fn ready() -> Server {
    let mut server = Server::new();
    let answer = said(&mut server, &request(0, "initialize", json!({ "capabilities": {} })));
    assert_eq!(answer["result"]["serverInfo"]["name"], "texunit");
    server
}

#[test]
fn a_session() {
    let mut server = ready();
    let found = said(&mut server, &open(MODULE));
    assert_eq!(found["method"], "textDocument/publishDiagnostics");
    let list = found["params"]["diagnostics"].as_array().unwrap();
    assert!(list.iter().any(|d| d["message"].as_str().unwrap().contains("%r2")), "{list:?}");
    let hover = said(&mut server, &request(1, "textDocument/hover", at(6, 16)));
    assert!(hover["result"]["contents"]["value"].as_str().unwrap().contains("place in its CTA"));
    let names = said(&mut server, &request(2, "textDocument/completion", at(7, 21)));
    let items = names["result"]["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["label"] == "%r1"), "{names}");
    let mut rename = at(6, 11);
    rename["newName"] = "%sum".into();
    let edits = said(&mut server, &request(3, "textDocument/rename", rename));
    assert_eq!(edits["result"]["changes"]["a:k.ptx"].as_array().unwrap().len(), 4, "{edits}");
    let found = said(&mut server, &change(2, &MODULE.replace("%r2", "1")));
    assert_eq!(found["params"]["diagnostics"], json!([]));
    let closed = json!({ "textDocument": { "uri": "a:k.ptx" } });
    let gone = said(&mut server, &notification("textDocument/didClose", closed));
    assert_eq!(gone["params"]["diagnostics"], json!([]));
    let answer = said(&mut server, &request(4, "textDocument/hover", at(0, 0)));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(!server.was_shut_down() && !server.is_over());
    assert_eq!(said(&mut server, &request(5, "shutdown", Value::Null))["result"], Value::Null);
    assert!(server.respond(&notification("exit", Value::Null)).is_empty());
    assert!(server.was_shut_down() && server.is_over());
}

/// What takes time is done elsewhere, in any order, while texts change.
#[test]
fn tasks_apart() {
    let mut server = ready();
    receive(&mut server, &open("x"));
    let old = server.take_tasks().remove(0);
    assert!(server.take_tasks().is_empty(), "handed out already");
    receive(&mut server, &request(1, "textDocument/hover", at(6, 16)));
    assert!(server.take_messages().is_empty(), "the index is not there");
    receive(&mut server, &change(2, MODULE));
    let refused = parsed(server.take_messages());
    assert_eq!((&refused[0]["id"], &refused[0]["error"]["code"]), (&json!(1), &json!(-32801)));
    server.done(old.index());
    server.done(old.check());
    assert!(server.take_messages().is_empty(), "results of a text that is gone");
    let new = server.take_tasks().remove(0);
    assert!(new.revision() > old.revision() && new.uri() == old.uri());
    for (id, method) in [(2, "hover"), (3, "codeAction")] {
        let mut params = at(6, 16);
        params["range"] = json!({ "start": params["position"], "end": params["position"] });
        params["context"] = json!({ "diagnostics": [] });
        receive(&mut server, &request(id, &format!("textDocument/{method}"), params));
    }
    receive(&mut server, &request(4, "textDocument/hover", at(0, 0)));
    receive(&mut server, &notification("$/cancelRequest", json!({ "id": 4 })));
    assert_eq!(parsed(server.take_messages())[0]["error"]["code"], -32800);
    server.done(new.index());
    let ids = |said: Vec<Value>| said.iter().map(|m| m["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(parsed(server.take_messages())), [json!(2)], "corrections need the mistakes");
    server.done(new.check());
    assert_eq!(ids(parsed(server.take_messages())), [Value::Null, json!(3)]);
    receive(&mut server, &open(MODULE));
    let closed = json!({ "textDocument": { "uri": "a:k.ptx" } });
    receive(&mut server, &notification("textDocument/didClose", closed));
    assert_eq!(server.take_closed(), [new.uri().clone()]);
    assert!(server.take_tasks().is_empty());
}
