//! Invalid messages and unusual documents.

use super::client::{Client, URI, place, range};
use serde_json::{Value, json};

/// Checks that the server still responds.
fn is_alive(client: &mut Client) {
    client.open(".version 8.0\n.target sm_75\n.entry k() { ret; }\n");
    let said = client.at("textDocument/hover", 0, 3).unwrap();
    assert!(said["contents"]["value"].as_str().unwrap().contains("version"));
}

#[test]
fn messages_that_are_none() {
    let mut client = Client::modern();
    for (bytes, code) in [
        (&b"Content-Length: 1\r\n\r\n{"[..], -32700),
        (b"Content-Length: 4\r\n\r\n\xff\xfe\x00\x01", -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (b"Content-Length: 4\r\n\r\nnull", -32600),
        (b"Content-Length: 8\r\n\r\n{\"id\":3}", -32600),
        (b"nonsense\r\n\r\n", -32700),
        (b"Content-Length: -5\r\n\r\n", -32700),
        (b"Content-Length: 0\r\n\r\n", -32700),
    ] {
        client.send_raw(bytes);
        let id = if bytes.ends_with(b"3}") { json!(3) } else { Value::Null };
        assert_eq!(client.answer(id), Err(code), "{}", String::from_utf8_lossy(bytes));
    }
    client.send_raw(format!("Content-Length: 200000\r\n\r\n{}", "[".repeat(200_000)).as_bytes());
    assert_eq!(client.answer(Value::Null), Err(-32700));
    client.send(&json!({ "jsonrpc": "2.0", "id": 1.5, "method": "shutdown" }));
    assert_eq!(client.answer(json!(1.5)), Err(-32600));
    client.send(&json!({ "jsonrpc": "2.0", "id": "name", "method": "nothing" }));
    assert_eq!(client.answer(json!("name")), Err(-32601));
    client.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": null }));
    is_alive(&mut client);
    assert_eq!(client.quit(), Some(0));
}

#[test]
fn an_input_that_ends_in_a_message() {
    let mut client = Client::modern();
    client.send_raw(b"Content-Length: 100\r\n\r\n{");
    assert_eq!(client.end(), Some(1));
}

#[test]
fn parameters_of_the_wrong_shape() {
    let mut client = Client::modern();
    is_alive(&mut client);
    for method in [
        "hover",
        "definition",
        "references",
        "documentHighlight",
        "completion",
        "rename",
        "prepareRename",
        "codeAction",
    ] {
        let method = format!("textDocument/{method}");
        for params in [
            json!({ "textDocument": { "uri": URI } }),
            json!({ "textDocument": { "uri": URI }, "position": { "line": -1, "character": 0 } }),
        ] {
            assert_eq!(client.request(&method, params), Err(-32602), "{method}");
        }
        for params in [
            Value::Null,
            json!([]),
            json!({ "textDocument": { "uri": "::not a uri" } }),
            json!({ "textDocument": { "uri": 5 } }),
        ] {
            assert_eq!(client.request(&method, params), Err(-32602), "{method}");
        }
    }
    for method in ["didOpen", "didChange", "didClose"] {
        client.notify(&format!("textDocument/{method}"), json!({ "wrong": true }));
        let said = client.wait_for("window/showMessage");
        assert!(said["message"].as_str().unwrap().contains(method));
    }
    let other = json!({ "uri": "file:///never.ptx", "version": 1 });
    client.notify("textDocument/didChange", json!({ "textDocument": other, "contentChanges": [] }));
    assert!(
        client.wait_for("window/showMessage")["message"].as_str().unwrap().contains("not open")
    );
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": "file:///never" } }));
    is_alive(&mut client);
    assert_eq!(client.quit(), Some(0));
}

#[test]
fn documents_without_files() {
    let mut client = Client::modern();
    for uri in [
        "untitled:Untitled-1",
        "vscode-notebook-cell://x/y#z",
        "git:/a/b.ptx?%7B%7D",
        "file:///c%3A/k.ptx",
    ] {
        let item = json!({ "uri": uri, "languageId": "ptx", "version": 3, "text": "nonsense" });
        client.notify("textDocument/didOpen", json!({ "textDocument": item }));
        let published = client.wait_for("textDocument/publishDiagnostics");
        assert_eq!((&published["uri"], &published["version"]), (&json!(uri), &json!(3)));
        assert!(!published["diagnostics"].as_array().unwrap().is_empty());
    }
    assert_eq!(client.quit(), Some(0));
}

/// All requests at all positions, in and outside the text.
#[test]
fn every_place_of_strange_texts() {
    const METHODS: &[&str] = &["hover", "definition", "references", "completion", "prepareRename"];
    let deep = "{".repeat(300);
    for text in [
        "",
        "\n",
        "é",
        "%",
        ".",
        "..",
        "@",
        "%tid.",
        "\"",
        "/*",
        "\r\r\n",
        "\u{feff}.version 8.0",
        ".entry k() { tex.",
        ".entry k() { @!",
        ".entry k(",
        ".func () {{ : ; } .x",
        "\u{0}",
        "{[(",
        ".global .texref t = {",
        ".reg .f32 %f<99999999999999999999>; %f1",
        "a b c: .branchtargets",
        &deep,
    ] {
        let mut client = Client::modern();
        client.open(text);
        let lines = text.lines().count() as u32 + 1;
        let columns = text.len().min(24) as u32 + 2;
        let mut places: Vec<(u32, u32)> =
            (0..lines).flat_map(|l| (0..columns).map(move |c| (l, c))).collect();
        places.push((u32::MAX, u32::MAX));
        for method in METHODS {
            for &(line, column) in &places {
                let mut params = place(line, column);
                params["context"] = json!({ "includeDeclaration": true });
                match client.request(&format!("textDocument/{method}"), params) {
                    Ok(_) | Err(-32803) => {}
                    Err(code) => panic!("{method} at {line}:{column} of {text:?}: {code}"),
                }
            }
        }
        client.diagnostics();
        assert_eq!(client.quit(), Some(0), "{text:?}");
    }
}

/// During the check of a long text or a long line, the server handles messages.
#[test]
fn long_texts() {
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { .reg .u32 %r<9>;\n";
    let mut client = Client::modern();
    for end in ["\n", " "] {
        let text =
            format!("{head}{}ret; }}\n", format!("add.u32 %r1, %r2, %r3;{end}").repeat(40_000));
        client.open(&text);
        // The server responds to this at once, while the text is checked.
        assert_eq!(client.request("nothing", Value::Null), Err(-32601));
        let said = client.at("textDocument/hover", 4, 1).unwrap();
        assert!(said["contents"]["value"].as_str().unwrap().contains("add"));
        let mut params = place(4, 9);
        params["context"] = json!({ "includeDeclaration": false });
        let uses = client.request("textDocument/references", params).unwrap();
        assert_eq!(uses.as_array().unwrap().len(), 40_000);
        client.diagnostics();
    }
    // The number of published diagnostics is limited.
    client.open(&format!("{head}{}ret; }}\n", "add.u32 %r1, %r2;\n".repeat(5_000)));
    let wrong = client.diagnostics().len();
    assert!((100..=2_000).contains(&wrong), "{wrong}");
    client.change(json!([{ "range": range((0, 0), (9_000, 0)), "text": "" }]));
    client.diagnostics();
    assert_eq!(client.quit(), Some(0));
}
