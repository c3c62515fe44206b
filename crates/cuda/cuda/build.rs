//! Generates the table of all functions of the driver API from `data/driver-api.txt`: the functions
//! that the crate defines, and for each other one a function that returns
//! `CUDA_ERROR_NOT_SUPPORTED`.

use std::fmt::Write;

fn main() {
    let file = "data/driver-api.txt";
    println!("cargo::rerun-if-changed={file}");
    let list = std::fs::read_to_string(file).expect("the list of functions");
    let (mut defined, mut refused, mut table) = (String::new(), String::new(), String::new());
    for (at, line) in list.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [symbol, base, version, thread, provided] = words[..] else {
            panic!("{file}:{}: five words are wanted: {line}", at + 1);
        };
        let (reason, provided) = (provided, provided == "yes");
        match provided {
            true => writeln!(defined, "    fn {symbol}() -> CUresult;").expect("memory"),
            false => writeln!(refused, "    fn {symbol}() = {reason:?};").expect("memory"),
        }
        writeln!(
            table,
            "    Function {{ symbol: {symbol:?}, base: {base:?}, version: {version}, thread: {thread:?}, \
             provided: {provided}, address: {symbol} as Address }},"
        )
        .expect("memory");
    }
    let text = format!(
        "unsafe extern \"C\" {{\n{defined}}}\n\nrefused! {{\n{refused}}}\n\n\
         /// Every function of the driver API.\npub static FUNCTIONS: &[Function] = &[\n{table}];\n"
    );
    let to = std::path::Path::new(&std::env::var_os("OUT_DIR").expect("cargo sets it"))
        .join("functions.rs");
    std::fs::write(to, text).expect("a file in OUT_DIR");
}
