//! Generates the functions of NVML about hardware that a simulated device lacks from
//! `data/refused.txt`, and the structures of `data/structures.txt`.

include!("../cuda-abi/lists.rs");

fn main() {
    write("refused.rs", &format!("refused! {{\n{}}}\n", read("data/refused.txt")));
    write("structures.rs", &structures(&read("data/structures.txt"), "pub(crate)", ""));
}
