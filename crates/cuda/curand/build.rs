//! Generates the functions of cuRAND that are not provided from `data/functions.txt`: each returns
//! `CURAND_STATUS_ARCH_MISMATCH`.

include!("../cuda-abi/lists.rs");

fn main() {
    write_not_provided("RandCode", &["data/functions.txt"]);
}
