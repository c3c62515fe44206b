//! A simulated GPU for tests: the driver functions that this crate calls, implemented by the
//! software device. They assert the conventions of the driver API, so that everything but the real
//! GPU is tested.

use crate::driver::{Gpu, GpuError};
use crate::ffi::{self, Api, Handle};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use texunit_cuda_abi::{
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_HOST, CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_LINEAR,
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_RESOURCE_TYPE_PITCH2D, CU_TRSF_NORMALIZED_COORDINATES,
    CU_TRSF_READ_AS_INTEGER, CU_TRSF_SEAMLESS_CUBEMAP, CU_TRSF_SRGB, CUDA_ARRAY3D_CUBEMAP,
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_LAYERED, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC,
    CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUresult,
};
use texunit_device::{
    AddressMode, Arg, Array, BadFetch, Buffer, Device, Extent, Filter, Format, Geometry,
    GradientPath, GradientStats, LaunchOptions, MemoryTexels, MipmappedArray, Module, ReadMode,
    Sampler, SurfaceObject, TextureDescriptor, TextureObject, TextureResource,
};

const SUCCESS: CUresult = CUresult::SUCCESS;
const INVALID_VALUE: CUresult = CUresult::INVALID_VALUE;

/// Value of [`LIBRARY_VARIABLE`](crate::LIBRARY_VARIABLE) that selects this GPU.
pub(crate) const NAME: &str = "test-card";

/// The object behind an opaque handle.
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
    /// Statistics of gradient fetches in all launches, if they are lowered to TXD.
    gradients: Option<GradientStats>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<T>(f: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(f)
}

impl State {
    fn keep(&mut self, object: Object) -> Handle {
        self.next += 16;
        self.objects.insert(self.next, object);
        self.next as Handle
    }
}

/// Whether a handle is that of a level of a mipmapped array, which is never freed by itself.
fn is_level(key: u64) -> bool {
    key >> 32 != 0
}

/// Number of objects that have not been freed.
#[cfg(test)]
pub(crate) fn alive() -> usize {
    with(|s| {
        let objects = s.objects.keys().filter(|&&key| !is_level(key)).count();
        objects + s.buffers.len() + s.textures.len() + s.surfaces.len()
    })
}

/// Lowers the gradient fetches of all further launches to TXD.
#[cfg(test)]
pub(crate) fn by_txd() {
    with(|s| s.gradients = Some(GradientStats::default()));
}

/// Statistics of gradient fetches since [`by_txd`].
#[cfg(test)]
pub(crate) fn gradients() -> GradientStats {
    with(|s| s.gradients.clone().unwrap_or_default())
}

/// Adds the gradient statistics of a launch.
fn count_gradients(all: &mut Option<GradientStats>, launched: Option<GradientStats>) {
    if let (Some(all), Some(launched)) = (all, launched) {
        all.engine += launched.engine;
        for (why, count) in launched.unit {
            *all.unit.entry(why).or_default() += count;
        }
    }
}

/// A simulated GPU: kernels run on the software device of this thread, called through the driver
/// API.
///
/// # Errors
/// A function that the driver should have is missing.
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

unsafe extern "C" fn init(flags: c_uint) -> CUresult {
    refused_if(flags != 0)
}

fn refused_if(wrong: bool) -> CUresult {
    if wrong { INVALID_VALUE } else { SUCCESS }
}

/// Writes an out parameter. Only the driver functions below call it, to which this crate passes
/// pointers to its own variables.
fn set<T>(place: *mut T, value: T) -> CUresult {
    // SAFETY: the out parameters of the calls are valid.
    unsafe { place.write(value) };
    SUCCESS
}

unsafe extern "C" fn driver_version(out: *mut c_int) -> CUresult {
    set(out, 12_040)
}

unsafe extern "C" fn device_count(out: *mut c_int) -> CUresult {
    set(out, 1)
}

unsafe extern "C" fn device_get(out: *mut c_int, _: c_int) -> CUresult {
    set(out, 0)
}

unsafe extern "C" fn device_name(out: *mut c_char, size: c_int, _: c_int) -> CUresult {
    let name = c"texunit test card".to_bytes_with_nul();
    assert!(name.len() <= size as usize);
    // SAFETY: the caller passes the length of the buffer.
    unsafe { out.cast::<u8>().copy_from(name.as_ptr(), name.len()) };
    SUCCESS
}

unsafe extern "C" fn device_attribute(out: *mut c_int, which: c_int, _: c_int) -> CUresult {
    set(out, if which == ffi::COMPUTE_CAPABILITY_MAJOR { 8 } else { 6 })
}

unsafe extern "C" fn context_retain(out: *mut Handle, _: c_int) -> CUresult {
    set(out, 8 as Handle)
}

unsafe extern "C" fn context_release(_: c_int) -> CUresult {
    SUCCESS
}

unsafe extern "C" fn context_set(context: Handle) -> CUresult {
    refused_if(context == 0)
}

unsafe extern "C" fn synchronize() -> CUresult {
    SUCCESS
}

unsafe extern "C" fn error_text(_: CUresult, out: *mut *const c_char) -> CUresult {
    set(out, c"an error of the test card".as_ptr())
}

unsafe extern "C" fn module_load(
    out: *mut Handle,
    image: *mut c_void,
    options: c_uint,
    names: *const c_uint,
    values: *mut usize,
) -> CUresult {
    // SAFETY: PTX is passed as a string that ends in NUL.
    let text = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
    with(|s| match Module::load(&s.device, "test.ptx", &text) {
        Ok(module) => {
            let module = s.keep(Object::Module(module));
            set(out, module)
        }
        Err(error) => {
            // SAFETY: `Gpu::module` passes two options: a log and its size.
            unsafe {
                assert_eq!(options, 2);
                assert_eq!(*names, ffi::JIT_ERROR_LOG_BUFFER);
                assert_eq!(*names.add(1), ffi::JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
                let size = *values.add(1);
                let message = error.to_string();
                let count = message.len().min(size - 1);
                std::ptr::with_exposed_provenance_mut::<u8>(*values)
                    .copy_from(message.as_ptr(), count);
            }
            CUresult::INVALID_PTX
        }
    })
}

unsafe extern "C" fn free_object(handle: Handle) -> CUresult {
    refused_if(with(|s| s.objects.remove(&(handle as u64))).is_none())
}

unsafe extern "C" fn module_function(
    out: *mut Handle,
    module: Handle,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the name ends in NUL.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    with(|s| {
        let function = s.keep(Object::Function(module as u64, name));
        set(out, function)
    })
}

unsafe extern "C" fn launch(
    function: Handle,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    _: Handle,
    arguments: *const *mut c_void,
    extra: *const u64,
) -> CUresult {
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
            // SAFETY: there is a pointer for each parameter, to as many bytes as the parameter has.
            .map(|(i, p)| unsafe {
                let from: *const u8 = (*arguments.add(i)).cast();
                std::slice::from_raw_parts(from, p.size as usize).to_vec()
            })
            .collect();
        let arguments: Vec<Arg<'_>> = bytes.iter().map(|b| Arg::Bytes(b)).collect();
        let options = LaunchOptions::new([gx, gy, gz], [bx, by, bz])
            .with_dynamic_shared(shared)
            .with_threads(1)
            .with_bad_fetch(BadFetch::Zero)
            .with_gradients(s.gradients.as_ref().map_or(GradientPath::Unit, |_| GradientPath::Txd));
        match kernel.launch(&options, &arguments) {
            Ok(stats) => {
                count_gradients(&mut s.gradients, stats.gradients);
                SUCCESS
            }
            Err(_) => CUresult::LAUNCH_FAILED,
        }
    })
}

unsafe extern "C" fn allocate(out: *mut u64, size: usize) -> CUresult {
    with(|s| match s.device.alloc(size as u64, "memory") {
        Ok(buffer) => {
            let address = buffer.address();
            s.buffers.insert(address, buffer);
            set(out, address)
        }
        Err(_) => CUresult::OUT_OF_MEMORY,
    })
}

unsafe extern "C" fn free(address: u64) -> CUresult {
    refused_if(with(|s| s.buffers.remove(&address)).is_none())
}

unsafe extern "C" fn copy_to_device(address: u64, from: *mut c_void, size: usize) -> CUresult {
    // SAFETY: the caller's memory holds this many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), size) };
    with(|s| match s.buffers.get(&address).map(|b| b.write(0, bytes)) {
        Some(Ok(())) => SUCCESS,
        _ => INVALID_VALUE,
    })
}

unsafe extern "C" fn copy_to_host(to: *mut c_void, address: u64, size: usize) -> CUresult {
    with(|s| {
        let Some(buffer) = s.buffers.get(&address) else { return INVALID_VALUE };
        let bytes = buffer.read();
        if bytes.len() < size {
            return INVALID_VALUE;
        }
        // SAFETY: the caller's memory holds this many bytes.
        unsafe { to.cast::<u8>().copy_from(bytes.as_ptr(), size) };
        SUCCESS
    })
}

unsafe extern "C" fn copy_3d(copy: *const CUDA_MEMCPY3D) -> CUresult {
    // SAFETY: an initialised descriptor.
    let copy = unsafe { *copy };
    let size = copy.width_in_bytes * copy.height * copy.depth;
    let upload = copy.src.memory_type == CU_MEMORYTYPE_HOST;
    let (host, array) = if upload { (copy.src, copy.dst) } else { (copy.dst, copy.src) };
    assert_eq!((host.memory_type, array.memory_type), (CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_ARRAY));
    let memory: *mut u8 = std::ptr::with_exposed_provenance_mut(host.host as usize);
    assert_eq!((host.pitch, host.height), (copy.width_in_bytes, copy.height));
    with(|s| {
        let Some(Object::Array(array)) = s.objects.get(&(array.array as u64)) else {
            return INVALID_VALUE;
        };
        assert_eq!(array.size(), size as u64, "whole levels are copied");
        if upload {
            // SAFETY: the caller's memory holds this many bytes.
            let bytes = unsafe { std::slice::from_raw_parts(memory, size) };
            refused_if(array.write(bytes).is_err())
        } else {
            // SAFETY: the caller's memory holds this many bytes.
            unsafe { memory.copy_from(array.read().as_ptr(), size) };
            SUCCESS
        }
    })
}

/// The texel format of a `CUarray_format` and a number of channels.
fn format(cuda: u32, channels: u32) -> Format {
    let name = crate::mirror::format_name(cuda, channels).expect("a known format");
    Format::from_name(name).expect("a known format")
}

/// The geometry that a descriptor means by the rules of `cuArray3DCreate`, with the extent of a
/// layer and the number of layers.
fn geometry(d: &CUDA_ARRAY3D_DESCRIPTOR) -> (Geometry, Extent, u32) {
    let flag = |f| d.flags & f != 0;
    let layered = flag(CUDA_ARRAY3D_LAYERED);
    let (w, h, z) = (d.width as u32, d.height as u32, d.depth as u32);
    let extent = |height: u32, depth: u32| Extent { width: w, height, depth };
    match (flag(CUDA_ARRAY3D_CUBEMAP), layered) {
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

fn array_descriptor(d: &CUDA_ARRAY3D_DESCRIPTOR) -> texunit_device::ArrayDescriptor {
    let (geometry, extent, layers) = geometry(d);
    let format = format(d.format, d.num_channels);
    let mut made = texunit_device::ArrayDescriptor::new(format, geometry, extent, "array");
    made.layers = layers;
    made
}

unsafe extern "C" fn array_create(out: *mut Handle, d: *const CUDA_ARRAY3D_DESCRIPTOR) -> CUresult {
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
    out: *mut Handle,
    d: *const CUDA_ARRAY3D_DESCRIPTOR,
    levels: c_uint,
) -> CUresult {
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

unsafe extern "C" fn mipmapped_level(out: *mut Handle, of: Handle, level: c_uint) -> CUresult {
    with(|s| {
        let Some(Object::Mipmapped(array)) = s.objects.get(&(of as u64)) else {
            return INVALID_VALUE;
        };
        let Ok(level) = array.level(level) else { return INVALID_VALUE };
        // A driver frees level handles with their array; here the next level handle replaces the
        // last.
        s.objects.retain(|&key, _| !is_level(key));
        let key = (of as u64) << 32 | s.next;
        s.next += 16;
        s.objects.insert(key, Object::Array(level));
        set(out, key as Handle)
    })
}

unsafe extern "C" fn texture_create(
    out: *mut u64,
    resource: *const CUDA_RESOURCE_DESC,
    texture: *const CUDA_TEXTURE_DESC,
    view: *const CUDA_RESOURCE_VIEW_DESC,
) -> CUresult {
    assert!(view.is_null());
    // SAFETY: initialised descriptors.
    let (of, texture) = unsafe { (*resource, *texture) };
    with(|s| {
        let resource = match of.res_type {
            CU_RESOURCE_TYPE_LINEAR | CU_RESOURCE_TYPE_PITCH2D => {
                let Some(buffer) = s.buffers.get(&of.what) else { return INVALID_VALUE };
                let format = format(of.format, of.num_channels);
                if of.res_type == CU_RESOURCE_TYPE_LINEAR {
                    let width = of.size as u32 / format.texel_size();
                    TextureResource::Memory(MemoryTexels::line(buffer, format, width))
                } else {
                    let (width, height) = (of.size as u32, of.height as u32);
                    let pitch = of.pitch_in_bytes as u64;
                    TextureResource::Memory(MemoryTexels::rows(
                        buffer,
                        format,
                        [width, height],
                        pitch,
                    ))
                }
            }
            _ => match s.objects.get(&of.what) {
                Some(Object::Array(a)) if of.res_type == CU_RESOURCE_TYPE_ARRAY => {
                    TextureResource::Array(a)
                }
                Some(Object::Mipmapped(a)) if of.res_type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
                    TextureResource::Mipmapped(a)
                }
                _ => return INVALID_VALUE,
            },
        };
        match s.device.create_texture_as_driver(&resource, &texture_descriptor(&texture)) {
            Ok(texture) => {
                let handle = texture.handle();
                s.textures.insert(handle, texture);
                set(out, handle)
            }
            Err(_) => INVALID_VALUE,
        }
    })
}

fn texture_descriptor(t: &CUDA_TEXTURE_DESC) -> TextureDescriptor {
    let flag = |f| t.flags & f != 0;
    let mode = |m| match m {
        0 => AddressMode::Wrap,
        1 => AddressMode::Clamp,
        2 => AddressMode::Mirror,
        _ => AddressMode::Border,
    };
    let filter = |f| if f == 1 { Filter::Linear } else { Filter::Point };
    TextureDescriptor::default()
        .with_read_mode(if flag(CU_TRSF_READ_AS_INTEGER) {
            ReadMode::Element
        } else {
            ReadMode::NormalizedFloat
        })
        .with_normalized_coords(flag(CU_TRSF_NORMALIZED_COORDINATES))
        .with_sampler(
            Sampler::default()
                .with_filter(filter(t.filter_mode))
                .with_mip_filter(filter(t.mipmap_filter_mode))
                .with_address_modes(t.address_mode.map(mode))
                .with_border_bits(t.border_color.map(f32::to_bits))
                .with_min_level_clamp(t.min_mipmap_level_clamp)
                .with_max_level_clamp(t.max_mipmap_level_clamp)
                .with_level_bias(t.mipmap_level_bias)
                .with_max_anisotropy(t.max_anisotropy)
                .with_srgb(flag(CU_TRSF_SRGB))
                .with_seamless_cube(flag(CU_TRSF_SEAMLESS_CUBEMAP)),
        )
}

unsafe extern "C" fn texture_destroy(handle: u64) -> CUresult {
    refused_if(with(|s| s.textures.remove(&handle)).is_none())
}

unsafe extern "C" fn surface_create(
    out: *mut u64,
    resource: *const CUDA_RESOURCE_DESC,
) -> CUresult {
    // SAFETY: an initialised descriptor.
    let resource = unsafe { *resource };
    with(|s| {
        let Some(Object::Array(array)) = s.objects.get(&resource.what) else {
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

unsafe extern "C" fn surface_destroy(handle: u64) -> CUresult {
    refused_if(with(|s| s.surfaces.remove(&handle)).is_none())
}
