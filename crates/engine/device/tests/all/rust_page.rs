//! The code of docs/rust.md: each block of the page is in this file, between two comments, and so
//! is compiled and run.

use std::path::Path;
use texunit_device::{Arg, Device, LaunchOptions, Module};

const PTX: &str = include_str!("../ptx/rust_page.ptx");

#[test]
fn a_kernel_fills_a_buffer() -> Result<(), Box<dyn std::error::Error>> {
    let ptx = PTX.to_owned();
    // The page begins.
    let device = Device::default();
    let module = Module::load(&device, "fill.ptx", &ptx)?;
    let out = device.alloc(4 * 64, "out")?;
    let options = LaunchOptions::new(1, 64);
    module.kernel("fill").unwrap().launch(&options, &[Arg::Buffer(&out), Arg::U32(7)])?;
    // The page ends.
    assert_eq!(out.read_as::<u32>(), [7; 64]);
    Ok(())
}

#[test]
fn all_blocks_of_the_page_are_here() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/rust.md");
    let page = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> =
        page.split("\n```rust\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    let compiled: Vec<String> = include_str!("rust_page.rs")
        .split("    // The page begins.\n")
        .skip(1)
        .filter_map(|rest| rest.split("    // The page ends.").next())
        .map(|block| {
            block
                .lines()
                .map(|line| line.strip_prefix("    ").unwrap_or(line))
                .collect::<Vec<_>>()
                .join("\n")
        })
        .collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        assert!(
            compiled.iter().any(|known| known == block),
            "tests/all/rust_page.rs lacks:\n{block}"
        );
    }
}
