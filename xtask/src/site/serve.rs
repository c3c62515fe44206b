//! Serves the files of a folder by HTTP, for local use.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Serves a folder until the program is ended.
pub(super) fn serve(folder: &Path, port: u16) -> Result<(), String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|e| {
        format!("port {port} is not available: {e}; choose another one with `--serve PORT`")
    })?;
    let port = listener.local_addr().map_err(|e| e.to_string())?.port();
    println!("open http://localhost:{port}/ (Ctrl+C ends it)");
    for stream in listener.incoming().flatten() {
        let folder = folder.to_owned();
        // An error of a connection is ignored, because the client may disconnect early.
        std::thread::spawn(move || drop(answer(stream, &folder)));
    }
    Ok(())
}

/// Maximum size of a request in bytes.
const MAX_REQUEST: u64 = 16 << 10;

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut line = String::new();
    let mut reader = BufReader::new((&stream).take(MAX_REQUEST));
    reader.read_line(&mut line)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = line.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !matches!(method, "GET" | "HEAD") {
        return respond(
            &mut stream,
            "405 Method Not Allowed",
            "text/plain",
            b"only GET and HEAD",
            false,
        );
    }
    let body = method == "GET";
    let Some(path) = file_of(folder, target) else {
        return respond(&mut stream, "404 Not Found", "text/plain", b"there is no such file", body);
    };
    match fs::read(&path) {
        Ok(bytes) => respond(&mut stream, "200 OK", kind(&path), &bytes, body),
        Err(_) => {
            respond(&mut stream, "404 Not Found", "text/plain", b"there is no such file", body)
        }
    }
}

fn respond(
    stream: &mut TcpStream,
    status: &str,
    kind: &str,
    bytes: &[u8],
    body: bool,
) -> std::io::Result<()> {
    let length = bytes.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n"
    )?;
    if body { stream.write_all(bytes) } else { Ok(()) }
}

/// The file for a request's path, if it is in the folder.
fn file_of(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?;
    let path = decoded(path)?;
    let mut file = folder.to_owned();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if part == ".." || part == "." || part.contains(['\\', '\0']) {
            return None;
        }
        file.push(part);
    }
    if file.is_dir() {
        file.push("index.html");
    }
    Some(file)
}

/// Decodes the percent escapes of a path.
fn decoded(path: &str) -> Option<String> {
    let (bytes, mut out, mut at) = (path.as_bytes(), Vec::new(), 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%' {
            let digits = path.get(at + 1..at + 3)?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    String::from_utf8(out).ok()
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        "toml" | "ptx" | "txt" | "cu" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lie_in_the_folder() {
        let folder = Path::new("/nowhere/site");
        let file = |target: &str| file_of(folder, target);
        assert_eq!(file("/a/b.js?x=1"), Some(folder.join("a/b.js")));
        assert_eq!(file("/a%20b.png"), Some(folder.join("a b.png")));
        for wrong in ["/../x", "/a/%2e%2e/b", "/%", "/%zz", "/a%00", "/a\\..\\b"] {
            assert_eq!(file(wrong), None, "{wrong}");
        }
    }
}
