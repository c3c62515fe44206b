//! A kernel that doubles numbers, a fault of the same kernel, and its line.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use texunit_device::{Device, LaunchOptions, Module, args};

const PTX: &str = "\
.version 8.0
.target sm_75
.address_size 64
.visible .entry double(.param .u64 values) {
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [values];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.global.u32 %r2, [%rd2];
    shl.b32 %r2, %r2, 1;
    st.global.u32 [%rd2], %r2;
    ret;
}
";

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::default();
    let module = Module::load(&device, "double.ptx", PTX)?;
    let kernel = module.kernel("double")?;
    let values = device.alloc_from(&[1_u32, 2, 3, 4], "values")?;
    let stats = kernel.launch(&LaunchOptions::new(1, 4), &args![&values])?;
    assert_eq!(values.read_as::<u32>(), [2, 4, 6, 8]);
    println!("{} instructions of threads", stats.thread_instructions);

    // The fifth thread reads past the end.
    let fault = kernel.launch(&LaunchOptions::new(1, 5), &args![&values]);
    let fault = fault.expect_err("the buffer has 16 bytes").to_string();
    println!("{fault}");
    assert!(fault.contains("values"));
    Ok(())
}
