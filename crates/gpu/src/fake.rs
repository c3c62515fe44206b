//! A driver for tests: the functions of `cuda.h` that are used, on the software device. It holds
//! the calls to the conventions of the driver API, so that all but the card itself is tested.

use crate::driver::{Gpu, GpuError};
use crate::ffi::{self, Api, ArrayDescriptor, Copy3d, CuResult, Opaque, ResourceDescriptor};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use texunit_device::{
    AddressMode, Arg, Array, Buffer, Device, Extent, Filter, Format, Geometry, GradientPath,
    GradientStats, LaunchOptions, MipmappedArray, Module, ReadMode, Sampler, SurfaceObject,
    TextureDescriptor, TextureObject, TextureResource,
};

const INVALID_VALUE: CuResult = 1;
const LAUNCH_FAILED: CuResult = 719;

/// What an opaque handle stands for.
enum Object {
    Array(Array),
    Mipmapped(MipmappedArray),
    Module(Module),
    Function(u64, String),
}

#[derive(Default)]
struct State {
    device: Device,
    objects: HashMap<u64, Object>,
    buffers: HashMap<u64, Buffer>,
    textures: HashMap<u64, TextureObject>,
    surfaces: HashMap<u64, SurfaceObject>,
    next: u64,
    /// Who answered the gradients of all launches, since they go by way of TXD.
    gradients: Option<GradientStats>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<T>(f: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(f)
}

impl State {
    fn keep(&mut self, object: Object) -> Opaque {
        self.next += 16;
        self.objects.insert(self.next, object);
        self.next as Opaque
    }
}

/// Whether a handle is that of a level of a mipmapped array, which nobody frees.
fn is_level(key: u64) -> bool {
    key >> 32 != 0
}

/// Objects that have not been freed.
#[cfg(test)]
pub(crate) fn alive() -> usize {
    with(|s| {
        let objects = s.objects.keys().filter(|&&key| !is_level(key)).count();
        objects + s.buffers.len() + s.textures.len() + s.surfaces.len()
    })
}

/// Lets the gradients of all further launches go by way of TXD.
#[cfg(test)]
pub(crate) fn by_txd() {
    with(|s| s.gradients = Some(GradientStats::default()));
}

/// Who answered the gradients since [`by_txd`].
#[cfg(test)]
pub(crate) fn gradients() -> GradientStats {
    with(|s| s.gradients.clone().unwrap_or_default())
}

/// Adds up who answered the gradients of a launch.
fn count_gradients(all: &mut Option<GradientStats>, launched: Option<GradientStats>) {
    if let (Some(all), Some(launched)) = (all, launched) {
        all.engine += launched.engine;
        for (why, count) in launched.unit {
            *all.unit.entry(why).or_default() += count;
        }
    }
}

/// A card that is none: kernels run on the software device of this thread, behind the calls of the
/// driver API.
pub fn gpu() -> Result<Gpu, GpuError> {
    Gpu::start(Api {
        init,
        driver_version,
        device_count,
        device_get,
        device_name,
        device_attribute,
        context_retain,
        context_release,
        context_set,
        synchronize,
        error_name: error_text,
        error_string: error_text,
        module_load,
        module_unload: free_object,
        module_function,
        launch,
        allocate,
        free,
        copy_to_device,
        copy_to_host,
        copy_3d,
        array_create,
        array_destroy: free_object,
        mipmapped_create,
        mipmapped_level,
        mipmapped_destroy: free_object,
        texture_create,
        texture_destroy,
        surface_create,
        surface_destroy,
        _library: None,
    })
}

unsafe extern "C" fn init(flags: c_uint) -> CuResult {
    c_int::from(flags != 0)
}

/// Sets what an out parameter points to. All callers are the driver's functions below, and the
/// crate calls those with places of its own.
fn set<T>(place: *mut T, value: T) -> CuResult {
    // SAFETY: out parameters of the calls are valid.
    unsafe { place.write(value) };
    0
}

unsafe extern "C" fn driver_version(out: *mut c_int) -> CuResult {
    set(out, 12_040)
}

unsafe extern "C" fn device_count(out: *mut c_int) -> CuResult {
    set(out, 1)
}

unsafe extern "C" fn device_get(out: *mut c_int, _: c_int) -> CuResult {
    set(out, 0)
}

unsafe extern "C" fn device_name(out: *mut c_char, size: c_int, _: c_int) -> CuResult {
    let name = c"texunit test card".to_bytes_with_nul();
    assert!(name.len() <= size as usize);
    // SAFETY: the buffer is as long as the caller says.
    unsafe { out.cast::<u8>().copy_from(name.as_ptr(), name.len()) };
    0
}

unsafe extern "C" fn device_attribute(out: *mut c_int, which: c_int, _: c_int) -> CuResult {
    set(out, if which == ffi::COMPUTE_CAPABILITY_MAJOR { 8 } else { 6 })
}

unsafe extern "C" fn context_retain(out: *mut Opaque, _: c_int) -> CuResult {
    set(out, 8 as Opaque)
}

unsafe extern "C" fn context_release(_: c_int) -> CuResult {
    0
}

unsafe extern "C" fn context_set(context: Opaque) -> CuResult {
    c_int::from(context.is_null())
}

unsafe extern "C" fn synchronize() -> CuResult {
    0
}

unsafe extern "C" fn error_text(_: CuResult, out: *mut *const c_char) -> CuResult {
    set(out, c"an error of the test card".as_ptr())
}

unsafe extern "C" fn module_load(
    out: *mut Opaque,
    image: *const c_void,
    options: c_uint,
    names: *mut c_int,
    values: *mut *mut c_void,
) -> CuResult {
    // SAFETY: PTX is a string that ends in NUL.
    let text = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
    with(|s| match Module::load(&s.device, "test.ptx", &text) {
        Ok(module) => {
            let module = s.keep(Object::Module(module));
            set(out, module)
        }
        Err(error) => {
            // SAFETY: the options are as `Gpu::module` gives them: a log and its size.
            unsafe {
                assert_eq!(options, 2);
                assert_eq!(*names, ffi::JIT_ERROR_LOG_BUFFER);
                assert_eq!(*names.add(1), ffi::JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
                let size = *values.add(1) as usize;
                let message = error.to_string();
                let count = message.len().min(size - 1);
                (*values).cast::<u8>().copy_from(message.as_ptr(), count);
            }
            218
        }
    })
}

unsafe extern "C" fn free_object(handle: Opaque) -> CuResult {
    c_int::from(with(|s| s.objects.remove(&(handle as u64))).is_none())
}

unsafe extern "C" fn module_function(
    out: *mut Opaque,
    module: Opaque,
    name: *const c_char,
) -> CuResult {
    // SAFETY: a name that ends in NUL.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    with(|s| {
        let function = s.keep(Object::Function(module as u64, name));
        set(out, function)
    })
}

unsafe extern "C" fn launch(
    function: Opaque,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    _: Opaque,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CuResult {
    assert!(extra.is_null());
    with(|s| {
        let Some(Object::Function(module, name)) = s.objects.remove(&(function as u64)) else {
            return INVALID_VALUE;
        };
        let Some(Object::Module(module)) = s.objects.get(&module) else { return INVALID_VALUE };
        let Ok(kernel) = module.kernel(&name) else { return INVALID_VALUE };
        let params = kernel.params();
        let bytes: Vec<Vec<u8>> = params
            .iter()
            .enumerate()
            // SAFETY: there is a pointer for each parameter, to as many bytes as it has.
            .map(|(i, p)| unsafe {
                let from: *const u8 = (*arguments.add(i)).cast();
                std::slice::from_raw_parts(from, p.size as usize).to_vec()
            })
            .collect();
        let arguments: Vec<Arg<'_>> = bytes.iter().map(|b| Arg::Bytes(b)).collect();
        let options = LaunchOptions {
            grid: [gx, gy, gz],
            block: [bx, by, bz],
            dynamic_shared: shared,
            threads: 1,
            gradients: s.gradients.as_ref().map_or(GradientPath::Unit, |_| GradientPath::Txd),
            ..LaunchOptions::default()
        };
        match kernel.launch(&options, &arguments) {
            Ok(stats) => {
                count_gradients(&mut s.gradients, stats.gradients);
                0
            }
            Err(_) => LAUNCH_FAILED,
        }
    })
}

unsafe extern "C" fn allocate(out: *mut u64, size: usize) -> CuResult {
    with(|s| match s.device.alloc(size as u64, "memory") {
        Ok(buffer) => {
            let address = buffer.address();
            s.buffers.insert(address, buffer);
            set(out, address)
        }
        Err(_) => 2,
    })
}

unsafe extern "C" fn free(address: u64) -> CuResult {
    c_int::from(with(|s| s.buffers.remove(&address)).is_none())
}

unsafe extern "C" fn copy_to_device(address: u64, from: *const c_void, size: usize) -> CuResult {
    // SAFETY: the caller's memory holds so many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), size) };
    with(|s| match s.buffers.get(&address).map(|b| b.write(0, bytes)) {
        Some(Ok(())) => 0,
        _ => INVALID_VALUE,
    })
}

unsafe extern "C" fn copy_to_host(to: *mut c_void, address: u64, size: usize) -> CuResult {
    with(|s| {
        let Some(buffer) = s.buffers.get(&address) else { return INVALID_VALUE };
        let bytes = buffer.read();
        if bytes.len() < size {
            return INVALID_VALUE;
        }
        // SAFETY: the caller's memory holds so many bytes.
        unsafe { to.cast::<u8>().copy_from(bytes.as_ptr(), size) };
        0
    })
}

unsafe extern "C" fn copy_3d(copy: *const Copy3d) -> CuResult {
    // SAFETY: an initialised descriptor.
    let copy = unsafe { *copy };
    let size = copy.width_in_bytes * copy.height * copy.depth;
    let upload = copy.source.memory_type == ffi::MEMORY_HOST;
    let (host, array) =
        if upload { (copy.source, copy.destination) } else { (copy.destination, copy.source) };
    assert_eq!((host.memory_type, array.memory_type), (ffi::MEMORY_HOST, ffi::MEMORY_ARRAY));
    assert_eq!((host.pitch, host.height), (copy.width_in_bytes, copy.height));
    with(|s| {
        let Some(Object::Array(array)) = s.objects.get(&(array.array as u64)) else {
            return INVALID_VALUE;
        };
        assert_eq!(array.size(), size as u64, "whole levels are copied");
        if upload {
            // SAFETY: the caller's memory holds so many bytes.
            let bytes = unsafe { std::slice::from_raw_parts(host.host.cast::<u8>(), size) };
            c_int::from(array.write(bytes).is_err())
        } else {
            // SAFETY: as above.
            unsafe { host.host.cast::<u8>().copy_from(array.read().as_ptr(), size) };
            0
        }
    })
}

/// Our format of a `CUarray_format` and number of channels.
fn format(cuda: c_int, channels: c_uint) -> Format {
    let name = crate::mirror::format_name(cuda, channels).expect("a known format");
    Format::from_name(name).expect("a known format")
}

/// The geometry that a descriptor stands for, by the rules of `cuArray3DCreate`, with the extent of
/// a layer and the number of layers.
fn geometry(d: &ArrayDescriptor) -> (Geometry, Extent, u32) {
    let flag = |f| d.flags & f != 0;
    let layered = flag(ffi::ARRAY_LAYERED);
    let (w, h, z) = (d.width as u32, d.height as u32, d.depth as u32);
    let extent = |height: u32, depth: u32| Extent { width: w, height, depth };
    match (flag(ffi::ARRAY_CUBEMAP), layered) {
        (true, false) => {
            assert_eq!(z, 6);
            (Geometry::Cube, extent(h, 1), 1)
        }
        (true, true) => {
            assert_eq!(z % 6, 0);
            (Geometry::Acube, extent(h, 1), z / 6)
        }
        (false, true) if h == 0 => (Geometry::A1d, extent(1, 1), z),
        (false, true) => (Geometry::A2d, extent(h, 1), z),
        (false, false) if h == 0 && z == 0 => (Geometry::D1, extent(1, 1), 1),
        (false, false) if z == 0 => (Geometry::D2, extent(h, 1), 1),
        (false, false) => (Geometry::D3, extent(h, z), 1),
    }
}

fn array_descriptor(d: &ArrayDescriptor) -> texunit_device::ArrayDescriptor {
    let (geometry, extent, layers) = geometry(d);
    let format = format(d.format, d.channels);
    let mut made = texunit_device::ArrayDescriptor::new(format, geometry, extent, "array");
    made.layers = layers;
    made
}

unsafe extern "C" fn array_create(out: *mut Opaque, d: *const ArrayDescriptor) -> CuResult {
    // SAFETY: an initialised descriptor.
    let descriptor = array_descriptor(unsafe { &*d });
    with(|s| match s.device.create_array(&descriptor) {
        Ok(array) => {
            let array = s.keep(Object::Array(array));
            set(out, array)
        }
        Err(_) => INVALID_VALUE,
    })
}

unsafe extern "C" fn mipmapped_create(
    out: *mut Opaque,
    d: *const ArrayDescriptor,
    levels: c_uint,
) -> CuResult {
    // SAFETY: an initialised descriptor.
    let descriptor = array_descriptor(unsafe { &*d });
    with(|s| match s.device.create_mipmapped_array(&descriptor, levels) {
        Ok(array) => {
            let array = s.keep(Object::Mipmapped(array));
            set(out, array)
        }
        Err(_) => INVALID_VALUE,
    })
}

unsafe extern "C" fn mipmapped_level(out: *mut Opaque, of: Opaque, level: c_uint) -> CuResult {
    with(|s| {
        let Some(Object::Mipmapped(array)) = s.objects.get(&(of as u64)) else {
            return INVALID_VALUE;
        };
        let Ok(level) = array.level(level) else { return INVALID_VALUE };
        // The driver frees levels with their array; here the next one replaces them.
        s.objects.retain(|&key, _| !is_level(key));
        let key = (of as u64) << 32 | s.next;
        s.next += 16;
        s.objects.insert(key, Object::Array(level));
        set(out, key as Opaque)
    })
}

unsafe extern "C" fn texture_create(
    out: *mut u64,
    resource: *const ResourceDescriptor,
    texture: *const ffi::TextureDescriptor,
    view: *const c_void,
) -> CuResult {
    assert!(view.is_null());
    // SAFETY: initialised descriptors.
    let (resource, texture) = unsafe { (*resource, *texture) };
    let of = resource.of;
    with(|s| {
        let resource = match resource.kind {
            ffi::RESOURCE_LINEAR | ffi::RESOURCE_PITCH2D => {
                let Some(buffer) = s.buffers.get(&of.handle) else { return INVALID_VALUE };
                let format = format(of.format, of.channels);
                if resource.kind == ffi::RESOURCE_LINEAR {
                    let width = of.width as u32 / format.texel_size();
                    TextureResource::Linear { buffer, offset: 0, format, width }
                } else {
                    let (width, height) = (of.width as u32, of.height as u32);
                    let pitch = of.pitch as u64;
                    TextureResource::Pitched { buffer, offset: 0, format, width, height, pitch }
                }
            }
            _ => match s.objects.get(&of.handle) {
                Some(Object::Array(a)) if resource.kind == ffi::RESOURCE_ARRAY => {
                    TextureResource::Array(a)
                }
                Some(Object::Mipmapped(a)) if resource.kind == ffi::RESOURCE_MIPMAPPED => {
                    TextureResource::Mipmapped(a)
                }
                _ => return INVALID_VALUE,
            },
        };
        match s.device.create_texture(&resource, &texture_descriptor(&texture)) {
            Ok(texture) => {
                let handle = texture.handle();
                s.textures.insert(handle, texture);
                set(out, handle)
            }
            Err(_) => INVALID_VALUE,
        }
    })
}

fn texture_descriptor(t: &ffi::TextureDescriptor) -> TextureDescriptor {
    let flag = |f| t.flags & f != 0;
    let mode = |m| match m {
        0 => AddressMode::Wrap,
        1 => AddressMode::Clamp,
        2 => AddressMode::Mirror,
        _ => AddressMode::Border,
    };
    let filter = |f| if f == 1 { Filter::Linear } else { Filter::Point };
    TextureDescriptor {
        read_mode: if flag(ffi::READ_AS_INTEGER) {
            ReadMode::Element
        } else {
            ReadMode::NormalizedFloat
        },
        normalized_coords: flag(ffi::NORMALIZED_COORDINATES),
        sampler: Sampler {
            filter: filter(t.filter_mode),
            mip_filter: filter(t.mipmap_filter_mode),
            address_mode: t.address_mode.map(mode),
            border: t.border_color.map(f32::to_bits),
            min_level_clamp: t.min_mipmap_level_clamp,
            max_level_clamp: t.max_mipmap_level_clamp,
            level_bias: t.mipmap_level_bias,
            max_anisotropy: t.max_anisotropy,
            srgb: flag(ffi::SRGB),
            seamless_cube: flag(ffi::SEAMLESS_CUBEMAP),
            ..Sampler::default()
        },
    }
}

unsafe extern "C" fn texture_destroy(handle: u64) -> CuResult {
    c_int::from(with(|s| s.textures.remove(&handle)).is_none())
}

unsafe extern "C" fn surface_create(
    out: *mut u64,
    resource: *const ResourceDescriptor,
) -> CuResult {
    // SAFETY: an initialised descriptor.
    let resource = unsafe { *resource };
    with(|s| {
        let Some(Object::Array(array)) = s.objects.get(&resource.of.handle) else {
            return INVALID_VALUE;
        };
        match s.device.create_surface(array) {
            Ok(surface) => {
                let handle = surface.handle();
                s.surfaces.insert(handle, surface);
                set(out, handle)
            }
            Err(_) => INVALID_VALUE,
        }
    })
}

unsafe extern "C" fn surface_destroy(handle: u64) -> CuResult {
    c_int::from(with(|s| s.surfaces.remove(&handle)).is_none())
}
