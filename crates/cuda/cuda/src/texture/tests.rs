//! Tests that destroyed objects do not accumulate.

use super::{Surface, Texture, create, create_surface, destroy, destroy_surface, release_context};
use crate::array;
use crate::context::{self, Context};
use crate::prelude::*;
use crate::state::{self, Gpu};
use texunit_device::cards::CARDS;

#[test]
fn a_million_objects_leave_nothing_behind() {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let count = if long { 1_000_000_u32 } else { 100_000 };
    state::init(drop).unwrap();
    // The test has a device of its own, as other tests of this process use device 0 concurrently.
    let gpu = Arc::new(Gpu::new((0, 0), &CARDS[0], 1));
    let context = Context::create(&gpu, 0);
    context::with_stack(|stack| stack.push(context.handle));
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
        width: 4,
        height: 4,
        format: 0x20,
        num_channels: 1,
        flags: CUDA_ARRAY3D_SURFACE_LDST,
        ..CUDA_ARRAY3D_DESCRIPTOR::default()
    };
    let array = array::create(&context, &descriptor).unwrap();
    let resource =
        CUDA_RESOURCE_DESC { what: array.number() as u64, ..CUDA_RESOURCE_DESC::default() };
    let mut texture = CUDA_TEXTURE_DESC::default();
    // Other tests of this process create such objects concurrently, in contexts of their own.
    let alive = || {
        let textures = Texture::registry().all(|texture| texture.context == context.handle);
        let surfaces = Surface::registry().all(|surface| surface.context == context.handle);
        (textures.len(), surfaces.len())
    };
    assert_eq!(alive(), (0, 0));
    let used = context.gpu.device.memory().used();
    let (mut largest, mut largest_sampler) = (0, 0);
    for i in 0..count {
        texture.max_anisotropy = i % 5;
        let handle = create(&context, &resource, &texture, None).unwrap();
        let surface = create_surface(&context, &resource).unwrap();
        assert_eq!(alive(), (1, 1));
        largest = largest.max(handle & 0xf_ffff).max(surface & 0xf_ffff);
        largest_sampler = largest_sampler.max(handle >> 20 & 0xfff);
        destroy(handle).unwrap();
        destroy_surface(surface).unwrap();
    }
    // Table slots are reused after a delay; tables do not grow beyond that.
    assert!(largest < 2048, "{largest}");
    assert!(largest_sampler < 2048, "{largest_sampler}");
    assert_eq!(alive(), (0, 0));
    assert_eq!(context.gpu.device.memory().used(), used);
    // Remaining objects are destroyed with their context.
    create(&context, &resource, &texture, None).unwrap();
    create_surface(&context, &resource).unwrap();
    release_context(&context);
    assert_eq!(alive(), (0, 0));
    crate::teardown::destroy(context.handle).unwrap();
}
