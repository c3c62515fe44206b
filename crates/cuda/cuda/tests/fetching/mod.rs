//! Shared code of the texture tests: declarations, kernels that fetch, and the same fetch through
//! the device crate.

#![allow(non_snake_case, dead_code)]

pub(crate) mod cases;

pub(crate) use crate::common::*;
use std::fmt::Write;
use std::ptr::null_mut;
use texunit_cuda_abi::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC,
    CUDA_TEXTURE_DESC,
};
use texunit_device::{
    Arg, ComputeCapability, Device, DeviceOptions, Geometry, LaunchOptions, Module,
    TextureDescriptor, TextureResource,
};

/// Threads of a launch; each has four coordinates and four results.
pub(crate) const THREADS: usize = 32;

/// Geometries of CUDA arrays, with the operands of a fetch: `l` is the layer; `x`, `y`, `z` are
/// floats.
pub(crate) const GEOMETRIES: [(Geometry, &str); 7] = [
    (Geometry::D1, "{x}"),
    (Geometry::D2, "{x, y}"),
    (Geometry::D3, "{x, y, z, z}"),
    (Geometry::A1d, "{l, x}"),
    (Geometry::A2d, "{l, x, y, y}"),
    (Geometry::Cube, "{x, y, z, z}"),
    (Geometry::Acube, "{l, x, y, z}"),
];

/// Kernels: `fetch_a2d` fetches, `level_a2d` fetches from a level (the last coordinate), `linear`
/// and `pitched` fetch from memory. Each takes a handle, coordinates and results.
pub(crate) fn kernels() -> String {
    let mut text = String::from(".version 8.0\n.target sm_80\n.address_size 64\n");
    for (geometry, operands) in GEOMETRIES {
        let name = geometry.name();
        let fetch = format!("tex.{name}.v4.f32.f32 {{r0, r1, r2, r3}}, [t, {operands}];");
        kernel(&mut text, &format!("fetch_{name}"), &fetch);
        let fetch = format!("tex.level.{name}.v4.f32.f32 {{r0, r1, r2, r3}}, [t, {operands}], w;");
        kernel(&mut text, &format!("level_{name}"), &fetch);
    }
    let cut = "cvt.rzi.s32.f32 i, x; cvt.rzi.s32.f32 j, y;";
    kernel(
        &mut text,
        "linear",
        &format!("{cut} tex.1d.v4.f32.s32 {{r0, r1, r2, r3}}, [t, {{i}}];"),
    );
    kernel(&mut text, "pitched", "tex.2d.v4.f32.f32 {r0, r1, r2, r3}, [t, {x, y}];");
    kernel(
        &mut text,
        "residency",
        "tex.2d.v4.f32.f32 {r0, r1, r2, r3}|there, [t, {x, y}];\nselp.f32 r0, 0f3f800000, 0f00000000, there;",
    );
    kernel(
        &mut text,
        "residency_layer",
        "mov.b32 l, 0; tex.level.a2d.v4.f32.f32 {r0, r1, r2, r3}|there, [t, {l, x, y, y}], w;\nselp.f32 r0, 0f3f800000, 0f00000000, there;",
    );
    kernel(
        &mut text,
        "residency_level",
        "tex.level.2d.v4.f32.f32 {r0, r1, r2, r3}|there, [t, {x, y}], w;\nselp.f32 r0, 0f3f800000, 0f00000000, there;",
    );
    text
}

/// Adds a kernel with the parameters of [`Runner`] and this code between the loads of its
/// coordinates and the stores of its results.
pub(crate) fn kernel(text: &mut String, name: &str, fetch: &str) {
    write!(
        text,
        "
.visible .entry {name}(.param .u64 texture, .param .u64 from, .param .u64 to)
{{
    .reg .b64 t, in, out, at;
    .reg .b32 tid, l, i, j, r0, r1, r2, r3;
    .reg .f32 x, y, z, w;
    .reg .pred there;
    ld.param.u64 t, [texture];
    ld.param.u64 in, [from];
    ld.param.u64 out, [to];
    mov.u32 tid, %tid.x;
    mul.wide.u32 at, tid, 16;
    add.u64 in, in, at;
    add.u64 out, out, at;
    ld.global.v4.f32 {{x, y, z, w}}, [in];
    cvt.rzi.s32.f32 l, w;
    {fetch}
    st.global.v4.b32 [out], {{r0, r1, r2, r3}};
    ret;
}}
"
    )
    .expect("memory");
}

/// The kernels, loaded through the driver API, with their buffers.
pub(crate) struct Runner {
    pub(crate) module: Ptr,
    input: u64,
    output: u64,
}

impl Runner {
    pub(crate) fn new(text: &str) -> Self {
        let (mut module, mut input, mut output) = (null_mut(), 0, 0);
        let text = format!("{text}\0");
        ok!(cuModuleLoadData(&raw mut module, text.as_ptr()));
        ok!(cuMemAlloc_v2(&raw mut input, THREADS * 16));
        ok!(cuMemAlloc_v2(&raw mut output, THREADS * 16));
        Self { module, input, output }
    }

    /// Launches a kernel and returns its results.
    pub(crate) fn run(&self, name: &str, texture: u64, coordinates: &[u8]) -> Vec<u8> {
        let out = self.launch(name, texture, coordinates);
        ok!(cuCtxSynchronize());
        out
    }

    /// Launches a kernel that may have a fault.
    pub(crate) fn launch(&self, name: &str, texture: u64, coordinates: &[u8]) -> Vec<u8> {
        let (mut function, mut results) = (null_mut(), vec![0xcc; THREADS * 16]);
        let name = format!("{name}\0");
        ok!(cuModuleGetFunction(&raw mut function, self.module, name.as_ptr().cast()));
        ok!(cuMemcpyHtoD_v2(self.input, coordinates.as_ptr(), coordinates.len()));
        let (mut texture, mut input, mut output) = (texture, self.input, self.output);
        let mut params = [&raw mut texture, &raw mut input, &raw mut output].map(<*mut u64>::cast);
        let (params, none) = (params.as_mut_ptr(), null_mut());
        ok!(cuLaunchKernel(function, 1, 1, 1, THREADS as u32, 1, 1, 0, none, params, null_mut()));
        // After a fault no memory can be read. SAFETY: the buffer has this size.
        let _ = unsafe { cuMemcpyDtoH_v2(results.as_mut_ptr(), self.output, results.len()) };
        results
    }
}

/// The same kernels on a device of the device crate, without the driver API.
pub(crate) struct Reference {
    pub(crate) device: Device,
    module: Module,
}

impl Reference {
    pub(crate) fn new(text: &str) -> Self {
        let architecture = ComputeCapability { major: 8, minor: 6 };
        let device = Device::new(&DeviceOptions::default().with_architecture(architecture));
        let module = Module::load(&device, "kernels.ptx", text).expect("the kernels are right");
        Self { device, module }
    }

    /// Creates a texture, launches a kernel and returns its results.
    pub(crate) fn run(
        &self,
        name: &str,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
        coordinates: &[u8],
    ) -> Vec<u8> {
        let texture = self.device.create_texture(resource, descriptor).expect("a texture");
        let input = self.device.alloc(coordinates.len() as u64, "in").expect("memory");
        let output = self.device.alloc(THREADS as u64 * 16, "out").expect("memory");
        input.write(0, coordinates).expect("it fits");
        let kernel = self.module.kernel(name).expect("the kernel is there");
        let options = LaunchOptions::default().with_block([THREADS as u32, 1, 1]);
        let args = [Arg::U64(texture.handle()), Arg::Buffer(&input), Arg::Buffer(&output)];
        kernel.launch(&options, &args).expect("no fault");
        output.read()
    }
}

/// Copies a box from host memory to an array or back. `size` is bytes per row, rows, slices.
pub(crate) fn copy(array: Ptr, host: *mut u8, to_array: bool, size: [u64; 3]) {
    let mut copy = CUDA_MEMCPY3D::default();
    let (host_side, array_side) =
        if to_array { (&mut copy.src, &mut copy.dst) } else { (&mut copy.dst, &mut copy.src) };
    host_side.memory_type = texunit_cuda_abi::CU_MEMORYTYPE_HOST;
    host_side.host = host as u64;
    host_side.pitch = size[0] as usize;
    host_side.height = size[1] as usize;
    array_side.memory_type = texunit_cuda_abi::CU_MEMORYTYPE_ARRAY;
    array_side.array = array as usize;
    [copy.width_in_bytes, copy.height, copy.depth] = size.map(|n| n as usize);
    ok!(cuMemcpy3D_v2(&raw const copy));
}

/// Creates a texture object, which must succeed.
pub(crate) fn texture(
    resource: &CUDA_RESOURCE_DESC,
    state: &CUDA_TEXTURE_DESC,
    view: Option<&CUDA_RESOURCE_VIEW_DESC>,
) -> u64 {
    let mut handle = 0;
    let view = view.map_or(std::ptr::null(), std::ptr::from_ref);
    ok!(cuTexObjectCreate(&raw mut handle, resource, state, view));
    handle
}

/// Creates an array, which must succeed.
pub(crate) fn array(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Ptr {
    let mut array = null_mut();
    ok!(cuArray3DCreate_v2(&raw mut array, descriptor));
    array
}

/// Creates a mipmapped array, which must succeed.
pub(crate) fn mipmapped(descriptor: &CUDA_ARRAY3D_DESCRIPTOR, levels: u32) -> Ptr {
    let mut array = null_mut();
    ok!(cuMipmappedArrayCreate(&raw mut array, descriptor, levels));
    array
}
