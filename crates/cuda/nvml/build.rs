//! Generates the functions of NVML about hardware that a simulated device lacks from
//! `data/refused.txt`, the structures of `data/structures.txt`, and the texts of `data/errors.txt`.

include!("../cuda-abi/lists.rs");

fn main() {
    write("refused.rs", &format!("refused! {{\n{}}}\n", read("data/refused.txt")));
    let texts = read("data/errors.txt");
    let texts: String = texts.lines().map(|text| format!("c{text:?}, ")).collect();
    write("errors.rs", &format!("&[{texts}]"));
    write("structures.rs", &structures(&read("data/structures.txt"), "pub(crate)", ""));
}
