//! Generates the functions of cuBLAS and cuBLASLt that are not provided from `data/functions.txt`:
//! each returns `CUBLAS_STATUS_NOT_SUPPORTED`.

include!("../cuda-abi/lists.rs");

fn main() {
    write_not_provided("BlasCode", &["data/functions.txt", "data/lt-functions.txt"]);
}
