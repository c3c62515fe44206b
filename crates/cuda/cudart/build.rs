//! Generates the functions of the runtime API that are not provided from `data/runtime-api.txt`:
//! each returns `cudaErrorNotSupported`.

use std::fmt::Write;

fn main() {
    let file = "data/runtime-api.txt";
    println!("cargo::rerun-if-changed={file}");
    let major = if std::env::var_os("CARGO_FEATURE_CUDA_12").is_some() { "12" } else { "13" };
    let list = std::fs::read_to_string(file).expect("the list of functions");
    let mut refused = String::new();
    for (at, line) in list.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [symbol, versions, _thread, provided] = words[..] else {
            panic!("{file}:{}: four words are wanted: {line}", at + 1);
        };
        if versions.split(',').any(|version| version == major) && provided != "yes" {
            writeln!(refused, "    fn {symbol}() = {provided:?};").expect("memory");
        }
    }
    let to = std::env::var_os("OUT_DIR").expect("cargo sets it");
    let to = std::path::Path::new(&to).join("functions.rs");
    std::fs::write(to, format!("refused! {{\n{refused}}}\n")).expect("a file in OUT_DIR");
}
