//! Generates the functions of cuFFT that are not provided from `data/functions.txt`: each returns
//! `CUFFT_NOT_SUPPORTED`.

include!("../cuda-abi/lists.rs");

fn main() {
    write_not_provided("FftCode", &["data/functions.txt"]);
}
