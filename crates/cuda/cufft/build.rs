//! Generates the functions of cuFFT that are not provided from `data/functions.txt`: each returns
//! `CUFFT_NOT_SUPPORTED`.

fn main() {
    let file = "data/functions.txt";
    println!("cargo::rerun-if-changed={file}");
    let list = std::fs::read_to_string(file).expect("the list of functions");
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let refused = lines.filter_map(|line| line.strip_suffix(" no")?.split(' ').next());
    let text = format!("refused! {{ {} }}\n", refused.collect::<Vec<_>>().join(" "));
    let to = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(std::path::Path::new(&to).join("functions.rs"), text)
        .expect("a file in OUT_DIR");
}
