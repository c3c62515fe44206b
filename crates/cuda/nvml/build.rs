//! Generates the functions of NVML about hardware that a simulated device lacks from
//! `data/refused.txt`.

fn main() {
    let file = "data/refused.txt";
    println!("cargo::rerun-if-changed={file}");
    let names = std::fs::read_to_string(file).expect("the list of functions");
    let to = std::env::var_os("OUT_DIR").expect("cargo sets it");
    let to = std::path::Path::new(&to).join("refused.rs");
    std::fs::write(to, format!("refused! {{\n{names}}}\n")).expect("a file in OUT_DIR");
}
