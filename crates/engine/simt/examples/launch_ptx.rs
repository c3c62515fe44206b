//! A kernel from its text to its results, without the object model of `texunit-device`.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use texunit_check::check;
use texunit_memory::Memory;
use texunit_simt::{Descriptors, LaunchConfig, Symbols, launch, lower};
use texunit_syntax::{SourceFile, parse};

const TEXT: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry squares(.param .u64 out) {
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r2, %r1, %r1;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r2;
    ret;
}
";

fn main() -> Result<(), Box<dyn Error>> {
    let source = SourceFile::new("squares.ptx", TEXT);
    let checked = check(&source, &parse(&source).module);
    assert!(checked.diagnostics.is_empty());
    let program = lower(checked.module, Symbols::default(), source.clone());
    let kernel = program.kernel("squares").ok_or("no such kernel")?;

    let memory = Memory::new(1 << 20);
    let (address, block) = memory.allocate(4 * 64, "out")?;
    let (map, descriptors) = (memory.map(), Descriptors::default());
    let config = LaunchConfig {
        params: &address.to_le_bytes(),
        ..LaunchConfig::new([1; 3], [64, 1, 1], &map, &descriptors)
    };
    let stats = launch(&program, kernel, &config).map_err(|fault| format!("{fault:?}"))?;
    println!("{} instructions of warps", stats.warp_instructions);
    assert_eq!(block.load_u32(4 * 12)?, 144);
    Ok(())
}
