// The build scripts of the libraries include this file.

use std::path::Path;

/// Writes `functions.rs` into the output folder of the build: a `not_provided!` with the status
/// type `code` and the names of all functions that these lists mark with `no`.
fn write_not_provided(code: &str, lists: &[&str]) {
    let mut text = format!("texunit_client::not_provided! {{ {code}");
    for file in lists {
        println!("cargo::rerun-if-changed={file}");
        let list = std::fs::read_to_string(file).expect("a list of functions");
        let lines = list.lines().filter(|line| !line.starts_with('#'));
        for name in lines.filter_map(|line| line.strip_suffix(" no")?.split(' ').next()) {
            text += " ";
            text += name;
        }
    }
    text += " }\n";
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&folder).join("functions.rs"), text).expect("a file in OUT_DIR");
}
