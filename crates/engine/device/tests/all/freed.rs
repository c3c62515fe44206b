//! Tests freed memory and destroyed arrays: an access is a fault that names them.

use std::sync::Arc;
use texunit_device::{
    ArrayDescriptor, Block, Device, Error, Extent, Fault, FaultKind, Format, Geometry, Kernel,
    LaunchError, LaunchOptions, MemoryTexels, Module, TextureDescriptor, TextureResource,
};

const PTX: &str = include_str!("../ptx/freed.ptx");

struct TestDevice {
    device: Device,
    module: Module,
}

impl TestDevice {
    fn new() -> Self {
        let device = Device::default();
        let module = Module::load(&device, "freed.ptx", PTX).unwrap();
        Self { device, module }
    }

    fn kernel(&self, name: &str) -> Kernel {
        self.module.kernel(name).unwrap()
    }

    fn launch(&self, kernel: &str, value: u64) -> Result<(), Box<Fault>> {
        match self.kernel(kernel).launch_packed(&LaunchOptions::default(), &value.to_le_bytes()) {
            Ok(_) => Ok(()),
            Err(LaunchError::Fault(fault)) => Err(fault),
            Err(error) => panic!("{error}"),
        }
    }

    /// The message of a fault for freed memory.
    fn gone(&self, kernel: &str, value: u64) -> String {
        let fault = self.launch(kernel, value).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::Freed { .. }), "{fault:?}");
        assert_eq!(fault.kind.name(), "freed");
        fault.kind.to_string()
    }
}

/// A layered array, which `.1d` can read with integer coordinates (docs/numerics.md 1.13).
fn array(device: &Device) -> texunit_device::Array {
    let extent = Extent { width: 16, height: 1, depth: 1 };
    let format = Format::from_name("f32").unwrap();
    device.create_array(&ArrayDescriptor::new(format, Geometry::A1d, extent, "table")).unwrap()
}

#[test]
fn accesses_to_freed_memory_name_it() {
    let here = TestDevice::new();
    let buffer = here.device.alloc(100, "numbers").unwrap();
    let (at, number) = (buffer.address(), buffer.number());
    here.launch("load", at).unwrap();
    drop(buffer);
    for (from, access, address) in [(at, "load", at), (at + 96, "load", at + 96)] {
        let wanted = format!(
            "{access} of 4 bytes at .global address {address:#x}: `numbers` (100 bytes at {at:#x}, \
             allocation {number}) was freed"
        );
        assert_eq!(here.gone("load", from), wanted);
    }
    let fault = here.launch("load", at + 100).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }), "{fault:?}");
}

#[test]
fn a_texture_of_freed_memory_is_named_with_it() {
    let here = TestDevice::new();
    let buffer = here.device.alloc(64, "numbers").unwrap();
    let number = buffer.number();
    let linear = here.device.linear(buffer.address(), 64).unwrap();
    let format = Format::from_name("f32").unwrap();
    let resource = TextureResource::Memory(MemoryTexels::line(&linear, format, 16));
    let texture = here.device.create_texture(&resource, &TextureDescriptor::default()).unwrap();
    here.launch("fetch", texture.handle()).unwrap();
    let warnings =
        here.module.bind_texture("reference", &resource, &TextureDescriptor::default()).unwrap();
    assert!(warnings.is_empty());
    here.kernel("by_reference").launch(&LaunchOptions::default(), &[]).unwrap();
    drop(buffer);
    let text = here.gone("fetch", texture.handle());
    let handle = texture.handle();
    assert!(
        text.starts_with(&format!("texture {handle:#018x} (linear memory `numbers`, ")),
        "{text}"
    );
    let end = format!("`numbers` (64 bytes, allocation {number}) was freed");
    assert!(text.ends_with(&end), "{text}");
    let result = here.kernel("by_reference").launch(&LaunchOptions::default(), &[]);
    let Err(LaunchError::Fault(fault)) = result else { panic!("{result:?}") };
    let text = fault.kind.to_string();
    assert!(text.contains("`reference`") && text.ends_with(&end), "{text}");
    // Queries still work, as on a GPU, because the header still exists.
    here.launch("size", handle).unwrap();
    // Copies to and from memory that was found before are refused.
    assert!(matches!(linear.read_at(0, &mut [0; 4]), Err(Error::Freed(_))));
    assert!(matches!(linear.write(0, &[0; 4]), Err(Error::Freed(_))));
    // A texture keeps its memory alive.
    let buffer = here.device.alloc(64, "kept").unwrap();
    let resource = TextureResource::Memory(MemoryTexels::line(&buffer, format, 16));
    let kept = here.device.create_texture(&resource, &TextureDescriptor::default()).unwrap();
    drop(buffer);
    here.launch("fetch", kept.handle()).unwrap();
}

#[test]
fn a_texture_and_a_surface_of_a_destroyed_array_are_named_with_it() {
    let here = TestDevice::new();
    let used = here.device.memory().used();
    let array = array(&here.device);
    let texture =
        here.device.create_texture(&(&array).into(), &TextureDescriptor::default()).unwrap();
    let surface = here.device.create_surface(&array).unwrap();
    here.launch("fetch", texture.handle()).unwrap();
    here.launch("store", surface.handle()).unwrap();
    assert!(here.device.memory().used() > used);
    array.destroy();
    array.destroy();
    assert_eq!(here.device.memory().used(), used, "given back, and once");
    let text = here.gone("fetch", texture.handle());
    assert!(text.starts_with("texture 0x2") && text.contains("`table`, 16 texels of"), "{text}");
    assert!(text.ends_with("was destroyed"), "{text}");
    let text = here.gone("store", surface.handle());
    assert!(text.starts_with("surface 0x8") && text.ends_with("was destroyed"), "{text}");
    drop(array);
    assert!(here.gone("fetch", texture.handle()).ends_with("was destroyed"));
    drop((texture, surface));
    assert_eq!(here.device.memory().used(), used);
}

#[test]
fn a_view_and_a_level_end_with_their_array() {
    let here = TestDevice::new();
    let extent = Extent { width: 16, height: 1, depth: 1 };
    let format = Format::from_name("f32").unwrap();
    let descriptor = ArrayDescriptor::new(format, Geometry::A1d, extent, "levels");
    let levels = here.device.create_mipmapped_array(&descriptor, 3).unwrap();
    let level = levels.level(1).unwrap();
    let whole =
        here.device.create_texture(&(&levels).into(), &TextureDescriptor::default()).unwrap();
    let part = here.device.create_texture(&(&level).into(), &TextureDescriptor::default()).unwrap();
    here.launch("fetch", part.handle()).unwrap();
    levels.destroy();
    for texture in [&whole, &part] {
        assert!(here.gone("fetch", texture.handle()).contains("`levels`"));
    }
}

#[test]
fn host_memory_that_is_taken_out_is_gone_for_its_textures() {
    let here = TestDevice::new();
    let host = Arc::new(Block::page_aligned(4096, "host memory").unwrap());
    here.device.memory().attach(host.host_address(), &host).unwrap();
    let at = host.host_address();
    let linear = here.device.linear(at, 64).unwrap();
    let format = Format::from_name("f32").unwrap();
    let resource = TextureResource::Memory(MemoryTexels::line(&linear, format, 16));
    let texture = here.device.create_texture(&resource, &TextureDescriptor::default()).unwrap();
    here.launch("fetch", texture.handle()).unwrap();
    here.launch("load", at).unwrap();
    assert!(here.device.memory().free(at));
    assert!(here.gone("fetch", texture.handle()).contains("`host memory`"));
    let number = host.number();
    let wanted = format!("`host memory` (4096 bytes at {at:#x}, allocation {number}) was freed");
    assert!(here.gone("load", at).ends_with(&wanted));
    let error = here.device.linear(at, 4).unwrap_err();
    assert!(error.to_string().ends_with(&wanted), "{error}");
}
