//! Generates functions of the runtime API from `data/runtime-api.txt`: those that only call a
//! function of the driver, in the types of its signature, and those that are not provided, which
//! return `cudaErrorNotSupported`. Generates the parameter types of all other functions from
//! `data/runtime-functions.txt`, the structures of `data/structures.txt`, the numbers of
//! `data/constants.txt`, and the fields of `cudaDeviceProp` from `data/properties.txt`.

use std::collections::HashMap;
use std::fmt::Write;

include!("../cuda-abi/lists.rs");

/// The signatures of the driver's functions.
const DRIVER: &str = "../cuda-abi/data/driver-functions.txt";

fn main() {
    let file = "data/runtime-api.txt";
    let major = if std::env::var_os("CARGO_FEATURE_CUDA_12").is_some() { "12" } else { "13" };
    let (list, driver) = (read(file), read(DRIVER));
    let driver = driver.lines().map(function);
    let driver: HashMap<&str, Function<'_>> = driver.map(|of| (of.name, of)).collect();
    let (mut calls, mut refused) = (String::new(), String::new());
    for line in list.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [symbol, versions, _thread, provided] = words[..] else {
            panic!("{file}: four words are wanted: {line}");
        };
        if !versions.split(',').any(|version| version == major) || provided == "yes" {
            continue;
        }
        let (old, new) = provided.split_once('|').unwrap_or((provided, provided));
        match if major == "12" { old } else { new }.strip_suffix(')') {
            Some(call) => calls += &definition(symbol, call, &driver),
            None => writeln!(refused, "    fn {symbol}() = {provided:?};").expect("memory"),
        }
    }
    write("functions.rs", &format!("runtime_api! {{\n{calls}}}\nrefused! {{\n{refused}}}\n"));
    let own = read("data/runtime-functions.txt");
    let own = own.lines().filter_map(|line| in_version(line, major));
    write("constants.rs", &constants(&read("data/constants.txt"), "pub(crate)"));
    write("typed.rs", &typed(own, str::to_owned));
    write("properties.rs", &properties(major));
    write("structures.rs", &structures(&read("data/structures.txt"), "pub(crate)", major));
    write("formats.rs", &formats(&read("data/formats.txt"), major));
}

/// The Rust source of the table of channel formats: kind, array format, bits of a channel,
/// channels.
fn formats(list: &str, major: &str) -> String {
    let rows = list.lines().filter_map(|line| in_version(line, major));
    let rows: String = rows.map(|row| format!("({}),", row.replace(' ', ", "))).collect();
    format!("const FORMATS: &[(i32, u32, i32, u32)] = &[{rows}];\n")
}

/// The call of the macro `properties!` with the fields that `cudaDeviceProp` has in a major
/// version.
fn properties(major: &str) -> String {
    let mut rows = String::new();
    for line in read("data/properties.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, of, attributes, ref only @ ..] = words[..] else { panic!("{line}") };
        if only.is_empty() || only == [major] {
            let values: Vec<String> = attributes.split(',').map(|n| format!("of({n})?")).collect();
            let (of, value) = match (of, &*values.join(", ")) {
                ("i", value) => ("c_int".to_owned(), value.to_owned()),
                ("u", value) => ("c_uint".to_owned(), format!("{value} as c_uint")),
                ("z", value) => ("usize".to_owned(), format!("{value}.max(0) as usize")),
                (_, all) => (format!("[c_int; {}]", values.len()), format!("[{all}]")),
            };
            writeln!(rows, "{name}: {of} = {value};").expect("memory");
        }
    }
    format!("properties! {{\nof; {rows}}}\n")
}

/// The definition of the runtime function `symbol`, which makes the `call` of a driver function
/// that `data/runtime-api.txt` has for it.
fn definition(symbol: &str, call: &str, driver: &HashMap<&str, Function<'_>>) -> String {
    let (name, arguments) = call.split_once('(').expect("a call");
    let (before, name) = name.split_once(':').unwrap_or(("", name));
    let Function { kind, parameters: of_driver, .. } = &driver[name];
    let arguments: Vec<&str> = arguments.split(',').filter(|name| !name.is_empty()).collect();
    assert_eq!(arguments.len(), of_driver.len(), "arguments of {symbol}");
    let (mut parameters, mut passed) = (Vec::new(), Vec::new());
    let (mut nulls, mut checks, mut devices) = (String::new(), String::new(), String::new());
    let mut is_context = before.is_empty() || before.starts_with("context");
    for (argument, &(_, of)) in arguments.into_iter().zip(of_driver) {
        let of = match of {
            "*mut c_void" => "Raw",
            "In<Raw>" => "In<*mut c_void>",
            of => of,
        };
        let given = argument.split_once(':');
        let (argument, of) = given.unwrap_or((argument, of));
        let name = argument.trim_matches(['@', '!', '?']);
        // The method that converts a typed pointer of the runtime's function to a plain C pointer,
        // which an unsafe function of the driver takes.
        let to_c = match of {
            "Raw" | "Text" => ".as_ptr()",
            _ if of.contains('<') => ".as_ptr()",
            _ if given.is_some() => ".into()",
            _ => "",
        };
        match argument {
            "0" if of.contains('<') => {
                passed.push((format!("{}::null()", &of[..of.find('<').expect("<")]), to_c))
            }
            "0" => passed.push((format!("{of}::default()"), to_c)),
            _ if argument.starts_with('@') => {
                is_context = false;
                parameters.push(format!("{name}: Raw"));
                writeln!(checks, "let {name} = kernel({name})?;").expect("memory");
                passed.push((name.to_owned(), ""));
            }
            _ => {
                parameters.push(format!("{name}: {of}"));
                passed.push((name.to_owned(), to_c));
            }
        }
        if argument.ends_with('!') {
            writeln!(nulls, "{name}.check()?;").expect("memory");
        }
        if argument.ends_with('?') {
            writeln!(checks, "if {name} == 0 {{ return Ok(()); }}").expect("memory");
        }
        if before.ends_with("device") && of == "CUdevice" {
            writeln!(devices, "check_device({name})?;").expect("memory");
        }
    }
    let before = match before {
        "init" => "init()?;",
        "execution" => "green_of(ctx)?;",
        _ if is_context => "context()?;",
        _ => "",
    };
    let call = match *kind {
        "unsafe" => {
            let passed: Vec<_> =
                passed.iter().map(|(name, to_c)| format!("{name}{to_c}")).collect();
            let of =
                "// SAFETY: the caller upholds the same contract as for the driver's function.";
            format!("{of}\ncheck(unsafe {{ driver::{name}({}) }})", passed.join(", "))
        }
        _ => {
            let passed: Vec<_> = passed.into_iter().map(|(name, _)| name).collect();
            format!("check(driver::{name}({}))", passed.join(", "))
        }
    };
    let parameters = parameters.join(", ");
    format!("fn {symbol}({parameters}) {{\n{nulls}{before}\n{devices}{checks}{call}\n}}\n")
}
