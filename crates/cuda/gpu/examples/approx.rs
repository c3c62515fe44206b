//! Records the approximate instructions of this machine's GPU:
//!
//!     cargo run --release -p texunit-gpu --example approx -- FOLDER
//!
//! For each function it writes a file with a byte for each operand, the difference from the
//! correctly rounded result in units of the last place, and prints how often each difference
//! occurs.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use texunit_gpu::Gpu;
use texunit_gpu::approx::{FUNCTIONS, differences};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    std::fs::create_dir_all(&folder)?;
    let gpu = Gpu::open()?;
    let (major, minor) = gpu.capability();
    println!("{}, sm_{major}{minor}", gpu.name());
    for function in FUNCTIONS {
        let found = differences(&gpu, &function)?;
        let mut counts = BTreeMap::<i8, usize>::new();
        found.iter().for_each(|d| *counts.entry(*d).or_default() += 1);
        println!("{} from {:#010x}: {counts:?}", function.instruction, function.first);
        let bytes: Vec<u8> = found.iter().map(|&d| d as u8).collect();
        std::fs::write(folder.join(format!("{}-sm_{major}{minor}.i8", function.name)), bytes)?;
    }
    Ok(())
}
