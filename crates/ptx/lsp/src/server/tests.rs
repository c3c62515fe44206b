use super::*;
use crate::task::{TaskOutput, TaskResult};

/// A running server whose tasks are never executed, with an open document.
fn server(text: &str) -> (Server, Uri) {
    let mut server = Server { phase: Phase::Running, ..Server::new() };
    let item = json!({ "uri": "a:a", "languageId": "ptx", "version": 1, "text": text });
    notify(&mut server, "didOpen", json!({ "textDocument": item }));
    (server, "a:a".parse().unwrap())
}

fn notify(server: &mut Server, method: &str, params: Value) {
    let method = format!("textDocument/{method}");
    server.receive(Incoming::Notification(Notification { method, params }));
}

fn said(server: &mut Server) -> String {
    server.take_messages().concat()
}

#[test]
fn nobody_waits_for_a_task_that_panicked() {
    let (mut server, uri) = server("");
    let revision = server.documents[&uri].revision;
    server.done(TaskResult { uri: uri.clone(), revision, found: TaskOutput::Panic });
    said(&mut server);
    let params = json!({ "textDocument": { "uri": "a:a" }, "position": {} });
    let hover = Request { id: RequestId::Number(1), method: "textDocument/hover".into(), params };
    server.receive(Incoming::Request(hover.clone()));
    assert!(server.waiting.is_empty() && said(&mut server).contains("internal error in texunit"));
    let change = json!({ "textDocument": { "uri": "a:a", "version": 2 },
        "contentChanges": [{ "text": "x" }] });
    notify(&mut server, "didChange", change);
    server.receive(Incoming::Request(hover));
    assert_eq!(server.waiting.len(), 1, "another text may do");
}

#[test]
fn texts_that_are_too_long_are_left_alone() {
    let long = "x".repeat(Text::MAX_LEN + 1);
    let (mut first, uri) = server(&long);
    assert!(!first.documents.contains_key(&uri) && said(&mut first).contains("too long"));
    let at = json!({ "line": 0, "character": 0 });
    for range in [json!(null), json!({ "start": at, "end": at })] {
        let (mut server, uri) = server("x");
        let change = json!({ "textDocument": { "uri": "a:a", "version": 2 },
            "contentChanges": [{ "range": range, "text": long }] });
        notify(&mut server, "didChange", change);
        let said = said(&mut server);
        // The diagnostics of the shorter text are withdrawn.
        assert!(said.contains("too long") && said.contains("\"diagnostics\":[]"), "{said}");
        assert!(!server.documents.contains_key(&uri));
        assert_eq!(server.take_closed(), [uri]);
    }
}
