use super::super::worker::Found;
use super::*;

/// A running server whose workers are never asked, and an open document.
fn server(text: &str) -> (Server<Vec<u8>>, Uri) {
    let mut server = start(io::empty, channel().0, Vec::new()).unwrap();
    server.phase = Phase::Running;
    let item = json!({ "uri": "a:a", "languageId": "ptx", "version": 1, "text": text });
    notify(&mut server, "didOpen", json!({ "textDocument": item }));
    (server, "a:a".parse().unwrap())
}

fn notify(server: &mut Server<Vec<u8>>, method: &str, params: Value) {
    let method = format!("textDocument/{method}");
    server.notification(lsp_server::Notification { method, params }).unwrap();
}

fn said(server: &mut Server<Vec<u8>>) -> String {
    String::from_utf8(std::mem::take(&mut server.out)).unwrap()
}

#[test]
fn nobody_waits_for_a_worker_that_panicked() {
    let (mut server, uri) = server("");
    let revision = server.documents[&uri].revision;
    server.done(Done { uri: uri.clone(), revision, found: Found::Panic }).unwrap();
    said(&mut server);
    let params = json!({ "textDocument": { "uri": "a:a" }, "position": {} });
    let hover = Request { id: 1.into(), method: "textDocument/hover".into(), params };
    server.request(hover.clone()).unwrap();
    assert!(server.waiting.is_empty() && said(&mut server).contains("bug in texunit"));
    let change = json!({ "textDocument": { "uri": "a:a", "version": 2 },
        "contentChanges": [{ "text": "x" }] });
    notify(&mut server, "didChange", change);
    server.request(hover).unwrap();
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
        // What was said about the shorter text goes.
        assert!(said.contains("too long") && said.contains("\"diagnostics\":[]"), "{said}");
        assert!(!server.documents.contains_key(&uri));
    }
}
