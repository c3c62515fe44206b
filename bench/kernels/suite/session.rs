//! Runs a case on a device of texunit, and returns times, instruction counts and results.

use super::{Case, Check, Data, Texture, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};
use texunit_checks::{Checks, Log, Options};
use texunit_device::{
    AddressMode, Arg, ArrayDescriptor, Buffer, Device, DeviceOptions, Extent, Filter, Format,
    Geometry, InitialContents, Kernel, LaunchOptions, Module, ReadMode, Sampler, TextureDescriptor,
    TextureObject, TextureResource,
};
use texunit_texel::Dtype;

/// The measurement of a case's launches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunStats {
    /// Time of all launches, without the work between them.
    pub(crate) time: Duration,
    /// Number of instructions that the warps of all launches have executed.
    pub(crate) warp_instructions: u64,
    /// Number of instructions that the threads of all launches have executed.
    pub(crate) thread_instructions: u64,
}

/// A case with its buffers and texture on a device and, once loaded, its kernels.
pub(crate) struct Session<'a> {
    case: &'a Case,
    threads: usize,
    device: Device,
    buffers: Vec<Buffer>,
    texture: Option<TextureObject>,
    kernels: Vec<Kernel>,
    /// The log of the checks that `TEXUNIT_CHECK` enables, to measure their cost.
    log: Option<Log>,
    /// Whether `TEXUNIT_PROFILE` enables profiling, to measure its cost.
    is_profiled: bool,
    profiles: Vec<Arc<texunit_profile::Module>>,
}

/// Creates the log of the checks that `TEXUNIT_CHECK` enables; `None` if it is not set.
fn log() -> Result<Option<Log>, String> {
    let Ok(list) = std::env::var("TEXUNIT_CHECK") else { return Ok(None) };
    let checks = Checks::parse(&list).map_err(|e| e.to_string())?;
    Ok(Some(Log::new(Options { checks, ..Options::default() })))
}

impl<'a> Session<'a> {
    /// Creates the buffers and the texture on a device with this number of threads.
    pub(crate) fn new(case: &'a Case, threads: usize) -> Result<Self, String> {
        let say = |e: texunit_device::Error| format!("{}: {e}", case.name);
        let log = log()?;
        let is_profiled = std::env::var_os("TEXUNIT_PROFILE").is_some();
        let is_tracked = log.as_ref().is_some_and(|log| log.has(texunit_checks::Check::Init));
        let fresh = InitialContents { is_tracked, ..InitialContents::default() };
        let device = Device::new(&DeviceOptions::default().with_initial_contents(fresh));
        let mut buffers = Vec::new();
        for buffer in &case.buffers {
            let bytes = &buffer.data.bytes;
            let there = device.alloc(bytes.len() as u64, buffer.name).map_err(say)?;
            there.write(0, bytes).map_err(say)?;
            buffers.push(there);
        }
        let texels = |t: Texture| texture(&device, &case.buffers[t.buffer].data, t);
        let texture = case.texture.map(texels).transpose()?;
        Ok(Self {
            case,
            threads,
            device,
            buffers,
            texture,
            kernels: Vec::new(),
            log,
            is_profiled,
            profiles: Vec::new(),
        })
    }

    /// Loads the kernels; returns the time that loading took.
    pub(crate) fn load(&mut self) -> Result<Duration, String> {
        let name = self.case.name;
        let start = Instant::now();
        let module = Module::load(&self.device, &format!("{name}.ptx"), self.case.ptx)
            .map_err(|e| format!("{name}: {e}"))?;
        let kernel = |wanted| module.kernel(wanted).map_err(|e| format!("{name}: {e}"));
        self.kernels =
            self.case.launches.iter().map(|l| kernel(l.kernel)).collect::<Result<_, _>>()?;
        let ptx = || texunit_profile::Module::new(self.case.ptx, format!("{name}.ptx").into());
        self.profiles = self.is_profiled.then(ptx).into_iter().collect();
        Ok(start.elapsed())
    }

    /// Restores the initial contents of the buffers that kernels write.
    pub(crate) fn restore(&self) -> Result<(), String> {
        for (there, buffer) in self.buffers.iter().zip(&self.case.buffers) {
            if buffer.written.is_some() {
                there.write(0, &buffer.data.bytes).map_err(|e| e.to_string())?;
            }
        }
        Ok(())
    }

    /// Executes all launches of the case in order.
    pub(crate) fn run(&self) -> Result<RunStats, String> {
        let mut all = RunStats::default();
        for (launch, kernel) in self.case.launches.iter().zip(&self.kernels) {
            let arg = |value: &Value| match *value {
                Value::Buffer(number) => Arg::Buffer(&self.buffers[number]),
                Value::Texture => Arg::Texture(self.texture.as_ref().expect("the case has one")),
                Value::U32(value) => Arg::U32(value),
                Value::F32(value) => Arg::F32(value),
            };
            let args: Vec<_> = launch.args.iter().map(arg).collect();
            let checks = self.log.as_ref().and_then(|log| log.launch(kernel.name()));
            let profile = self
                .profiles
                .first()
                .map(|module| texunit_profile::Launch::new(Arc::clone(module)));
            let profiling = profile.as_ref().map(|profile| profile as _);
            let options = LaunchOptions::new(launch.grid, launch.block)
                .with_threads(self.threads)
                .with_observer(checks.as_ref().map(|checks| checks as _).or(profiling));
            let start = Instant::now();
            let stats = kernel.launch(&options, &args);
            all.time += start.elapsed();
            let stats = stats.map_err(|e| format!("{}: {e}", self.case.name))?;
            all.warp_instructions += stats.warp_instructions;
            all.thread_instructions += stats.thread_instructions;
        }
        Ok(all)
    }

    /// The findings of the enabled checks, as text.
    pub(crate) fn findings(&self) -> Vec<String> {
        let findings = self.log.iter().flat_map(Log::findings);
        findings.map(|f| texunit_checks::text(&f, None, false)).collect()
    }

    /// The contents of the buffers that are compared, with name and check.
    pub(crate) fn results(&self) -> Vec<(&'static str, Check, Data)> {
        let compared = self.case.buffers.iter().zip(&self.buffers).filter_map(|(buffer, there)| {
            let check = buffer.written.filter(|&check| check != Check::Scratch)?;
            Some((buffer.name, check, buffer.data.with_bytes(there.read())))
        });
        compared.collect()
    }
}

/// A hash of the results, by which runs are compared bit for bit.
pub(crate) fn digest(results: &[(&'static str, Check, Data)]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (_, _, data) in results {
        for &byte in &data.bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    hash
}

/// Creates a texture whose texels are those of a buffer.
fn texture(device: &Device, texels: &Data, how: Texture) -> Result<TextureObject, String> {
    let [width, height, depth] = how.extent;
    let geometry = if depth == 0 { Geometry::D2 } else { Geometry::D3 };
    let name = if texels.dtype == Dtype::U8 { "u8" } else { "f32" };
    let format = Format::from_name(name).ok_or("no such format")?;
    let extent = Extent { width, height, depth: depth.max(1) };
    let descriptor = ArrayDescriptor::new(format, geometry, extent, "texture");
    let array = device.create_array(&descriptor).map_err(|e| e.to_string())?;
    array.write(&texels.bytes).map_err(|e| e.to_string())?;
    let descriptor = TextureDescriptor::default()
        .with_read_mode(ReadMode::Element)
        .with_normalized_coords(how.linear)
        .with_sampler(
            Sampler::default()
                .with_filter(if how.linear { Filter::Linear } else { Filter::Point })
                .with_address_mode(AddressMode::Clamp),
        );
    device.create_texture(&TextureResource::Array(&array), &descriptor).map_err(|e| e.to_string())
}
