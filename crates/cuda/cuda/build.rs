//! Generates the table of all functions of the driver API from `data/driver-api.txt`: the functions
//! that the crate defines, and for each other one a function that returns
//! `CUDA_ERROR_NOT_SUPPORTED`; the types of the functions' parameters; and the table of the device
//! attributes of `data/attributes.txt`.

use std::fmt::Write;

include!("../cuda-abi/lists.rs");

fn main() {
    write("functions.rs", &functions());
    write("attributes.rs", &attributes());
    write("typed.rs", &typed_with_handles());
}

/// The macro `typed!` of the driver's functions, with a `Handle` for each handle, which is passed
/// as C's handle is.
fn typed_with_handles() -> String {
    let list = read("data/handles.txt");
    let handle = |word: &str| {
        let of = list.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
        of.map_or_else(|| word.to_owned(), |of| format!("Handle<crate::{of}>"))
    };
    let own = |of: &str| match of.split_once('<') {
        Some((pointer, of)) => format!("{pointer}<{}>", handle(&of[..of.len() - 1])),
        None => handle(of),
    };
    typed(read("../cuda-abi/data/driver-functions.txt").lines(), own)
}

fn attributes() -> String {
    let list = read("data/attributes.txt");
    let rows = list.lines().map(|line| {
        let [number, name, value] = columns(line);
        let value = match value {
            "limit" => format!("|p| limit(p, {:?})", name.trim_start_matches("MAXIMUM_")),
            _ if value.contains("p.") => format!("|p| {value}"),
            _ => format!("|_| {value}"),
        };
        format!("({number}, {name:?}, {value}),\n")
    });
    format!("&[\n{}]\n", rows.collect::<String>())
}

fn functions() -> String {
    let file = "data/driver-api.txt";
    let list = read(file);
    let (mut defined, mut refused, mut table) = (String::new(), String::new(), String::new());
    for line in list.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [symbol, base, version, thread, provided] = words[..] else {
            panic!("{file}: five words are wanted: {line}");
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
    format!(
        "unsafe extern \"C\" {{\n{defined}}}\n\nrefused! {{\n{refused}}}\n\n\
         /// Every function of the driver API.\npub static FUNCTIONS: &[Function] = &[\n{table}];\n"
    )
}
