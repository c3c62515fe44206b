//! Fetches from PTX: runs the kernels of `kernels.ptx` on a device.

use crate::points::STRIDE;
use crate::workload::{Failure, KernelCall, Workload, samples};
use texunit_device::{
    Arg, ArrayDescriptor, Buffer, Device, Kernel, LaunchOptions, Module, TextureDescriptor,
    TextureObject, TextureResource,
};

/// `kernels.cu` as compiled by nvcc.
pub const KERNELS: &str = include_str!("kernels.ptx");

const BLOCK: u32 = 256;
const FETCHES_OF_A_THREAD: u32 = 4;

/// A prepared workload.
pub struct Launch {
    workload: Workload,
    kernel: Kernel,
    call: KernelCall,
    texture: TextureObject,
    out: Buffer,
    ctas: u32,
    threads: usize,
}

impl Launch {
    /// Creates texture and buffer, and loads the kernel.
    pub fn new(workload: &Workload, threads: usize, fetches: u32) -> Result<Self, Failure> {
        let call = workload.kernel.ok_or_else(|| format!("{} has no kernel", workload.name))?;
        let device = Device::default();
        let texture = texture(&device, workload)?;
        let ctas = fetches / (BLOCK * FETCHES_OF_A_THREAD);
        let out = device.alloc(u64::from(ctas * BLOCK) * 16, "out").map_err(|e| e.to_string())?;
        let module = Module::load(&device, "kernels.ptx", KERNELS).expect("tests load the kernels");
        let kernel = module.kernel(call.name).expect("tests ask for all kernels");
        Ok(Self { workload: workload.clone(), kernel, call, texture, out, ctas, threads })
    }

    /// Launches the kernel once.
    pub fn run(&mut self) {
        // `points.rs` has the arithmetic of the PTX, whose products and sums ptxas would fuse.
        let options = LaunchOptions::new(self.ctas, BLOCK).with_threads(self.threads);
        let options = options.with_fmad(false);
        let args = [Arg::Buffer(&self.out), Arg::Texture(&self.texture), Arg::F32(self.call.scale)];
        if let Err(error) = self.kernel.launch(&options, &args) {
            panic!("{}: {error}", self.workload.name);
        }
    }

    /// Compares a few hundred sums with those of the reference sampler.
    pub fn verify(&self) -> Result<(), Failure> {
        let texture = self.workload.texture()?;
        let bytes = self.out.read();
        let out: &[[[u8; 4]; 4]] = bytes.as_chunks::<4>().0.as_chunks::<4>().0;
        for thread in samples(self.ctas * BLOCK) {
            let mut sum = [0.0f32; 4];
            for k in 0..FETCHES_OF_A_THREAD {
                let values = self.workload.expected(&texture, thread + k * STRIDE)?;
                for (c, sum) in sum.iter_mut().enumerate() {
                    if self.workload.components >> c & 1 == 1 {
                        *sum += f32::from_bits(values[c]);
                    }
                }
            }
            for (c, got) in out[thread as usize].iter().enumerate() {
                self.workload.demand(thread, c, u32::from_le_bytes(*got), sum[c].to_bits());
            }
        }
        Ok(())
    }
}

/// Creates the workload's texture on a device.
fn texture(device: &Device, workload: &Workload) -> Result<TextureObject, Failure> {
    let say = |e: texunit_device::Error| e.to_string();
    let shape = workload.shape;
    let mut descriptor =
        ArrayDescriptor::new(shape.format, shape.geometry, shape.extent, "texture");
    descriptor.layers = shape.layers;
    let how = TextureDescriptor::default()
        .with_read_mode(workload.read_mode)
        .with_normalized_coords(true)
        .with_sampler(workload.sampler);
    let texels = workload.texels()?;
    let Some(levels) = shape.levels else {
        let array = device.create_array(&descriptor).map_err(say)?;
        array.write(&texels).map_err(say)?;
        return device.create_texture(&TextureResource::Array(&array), &how).map_err(say);
    };
    let array = device.create_mipmapped_array(&descriptor, levels).map_err(say)?;
    array.write(&texels).map_err(say)?;
    device.create_texture(&TextureResource::Array(&array), &how).map_err(say)
}
