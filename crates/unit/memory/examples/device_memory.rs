//! Device memory: allocation, checked accesses, and the error of an access outside.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use texunit_memory::Memory;

fn main() -> Result<(), Box<dyn Error>> {
    let memory = Memory::new(1 << 20);
    let (address, block) = memory.allocate(256, "histogram")?;
    block.store_u32(12, 42)?;
    // An atomic addition returns the old value.
    assert_eq!(block.add_u32(12, 1)?, 42);

    // A device address leads to its block and to the offset in it.
    let (found, offset) = memory.find(address + 12, 4)?;
    assert_eq!((found.name(), found.load_u32(offset)?), ("histogram", 43));

    let outside = memory.find(address + 256, 4).expect_err("the block has 256 bytes");
    println!("{outside}");
    Ok(())
}
