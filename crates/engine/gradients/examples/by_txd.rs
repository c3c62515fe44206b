//! A fetch with gradients by Maxwell's TXD instruction.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use texunit_device::{
    ArrayDescriptor, Device, Extent, Format, Geometry, LaunchOptions, Module, TextureDescriptor,
    args,
};
use texunit_gradients::TxdEngine;

const PTX: &str = "\
.version 8.0
.target sm_61
.address_size 64
.visible .entry fetch(.param .u64 texture, .param .u64 out) {
    .reg .f32 %f<6>;
    .reg .b64 %t, %out;
    ld.param.u64 %t, [texture];
    ld.param.u64 %out, [out];
    mov.f32 %f4, 0f40200000;
    mov.f32 %f5, 0f00000000;
    tex.grad.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%f4}], {%f5}, {%f5};
    st.global.f32 [%out], %f0;
    ret;
}
";

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::default();
    let module = Module::load(&device, "fetch.ptx", PTX)?;
    let format = Format::from_name("f32").ok_or("no format")?;
    let extent = Extent { width: 4, height: 1, depth: 1 };
    let array = device.create_array(&ArrayDescriptor::new(format, Geometry::D1, extent, "ramp"))?;
    array.write(&[1.0_f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat())?;
    let texture = device.create_texture(&(&array).into(), &TextureDescriptor::default())?;
    let out = device.alloc(4, "out")?;
    let txd = TxdEngine::new(module.source());
    let options = LaunchOptions::new(1, 1).with_gradients(Some(&txd));
    let stats = module.kernel("fetch")?.launch(&options, &args![&texture, &out])?;
    assert_eq!(out.read_as::<f32>(), [3.0]);
    println!("{:?}", stats.gradients.ok_or("no engine")?);
    Ok(())
}
