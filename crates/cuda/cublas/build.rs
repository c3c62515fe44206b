//! Generates the functions of cuBLAS and cuBLASLt that are not provided from `data/functions.txt`:
//! each returns `CUBLAS_STATUS_NOT_SUPPORTED`.

fn main() {
    let read = |file: &str| {
        println!("cargo::rerun-if-changed={file}");
        std::fs::read_to_string(file).expect("a list of functions")
    };
    let list = ["data/functions.txt", "data/lt-functions.txt"].map(read).concat();
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let refused = lines.filter_map(|line| line.strip_suffix(" no")?.split(' ').next());
    let text = format!("refused! {{ {} }}\n", refused.collect::<Vec<_>>().join(" "));
    let to = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(std::path::Path::new(&to).join("functions.rs"), text)
        .expect("a file in OUT_DIR");
}
