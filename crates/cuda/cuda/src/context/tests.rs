//! Objects created concurrently with the end of their context: a thread looks the context up,
//! another destroys it, and the first then creates an object.

use super::*;
use crate::array::{ArrayObject, MipmapObject};
use crate::image::Image;
use crate::memory::pool::{self, PoolLocation};
use crate::module::{Function, Module};
use crate::module_options::JitOptions;
use crate::origin::Origin;
use crate::stream::{Event, Stream};
use crate::texref::TextureReference;
use crate::texture::{Surface, Texture};
use crate::{array, memory, module, state, texref, texture};
use std::fmt::Debug;

fn context() -> Arc<Context> {
    state::init(drop).unwrap();
    Context::create(state::gpu(0).unwrap(), 0)
}

/// A context that was destroyed after it had been looked up.
fn ended() -> Arc<Context> {
    let context = context();
    crate::teardown::destroy(context.handle).unwrap();
    context
}

fn too_late<T: Debug + PartialEq>(made: Answer<T>) {
    assert_eq!(made.unwrap_err().code, CUresult::CONTEXT_IS_DESTROYED);
}

/// Asserts that no object of these types belongs to a context any more.
macro_rules! nothing_left {
    ($context:expr; $($type:ty),*) => {$(
        let left = <$type>::registry().remove_all(|one| one.context == $context);
        assert!(left.is_empty(), stringify!($type));
    )*};
}

const PLANE: CUDA_ARRAY3D_DESCRIPTOR = CUDA_ARRAY3D_DESCRIPTOR {
    width: 8,
    height: 8,
    depth: 0,
    format: 0x20,
    num_channels: 1,
    flags: CUDA_ARRAY3D_SURFACE_LDST,
};

#[test]
fn objects_do_not_outlive_their_context() {
    let ended = ended();
    let handle = ended.handle;
    too_late(Stream::create(&ended, Handle::NULL, 0, 0));
    too_late(ended.register(Event::new(handle, false)));
    too_late(texref::create(&ended));
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { ret; }\n";
    let image = Image::of(text.into(), Origin::At(0));
    too_late(module::load((&*ended).into(), (&image, "late.ptx"), &JitOptions::default()));
    nothing_left!(handle; Stream, Event, TextureReference, Module, Function);
}

#[test]
fn arrays_and_textures_do_not_outlive_their_context() {
    let (alive, ended) = (context(), ended());
    let handle = ended.handle;
    too_late(array::create(&ended, &PLANE));
    too_late(array::create_mipmapped(&ended, &PLANE, 2, None));
    // An array of an existing context can be used in every context of the device.
    let array = array::create(&alive, &PLANE).unwrap();
    let resource = CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_ARRAY,
        what: array.number() as u64,
        ..CUDA_RESOURCE_DESC::default()
    };
    too_late(texture::create(&ended, &resource, &CUDA_TEXTURE_DESC::default(), None));
    too_late(texture::create_surface(&ended, &resource));
    nothing_left!(handle; ArrayObject, MipmapObject, Texture, Surface);
    // For a level, the end of the context removes the mipmapped array first.
    let whole = array::create_mipmapped(&alive, &PLANE, 2, None).unwrap();
    crate::teardown::destroy(alive.handle).unwrap();
    assert_eq!(array::level(whole, 1).unwrap_err().code, CUresult::INVALID_HANDLE);
    nothing_left!(alive.handle; ArrayObject);
}

#[test]
fn memory_does_not_outlive_its_context() {
    let ended = ended();
    too_late(memory::allocate(&ended, 64));
    too_late(memory::allocate_host(&ended, 64, memory::AllocationKind::Managed));
    for place in [PoolLocation::Device(0), PoolLocation::Host] {
        let pool = pool::Pool::create(place, Default::default(), 0, None).get().unwrap();
        too_late(pool.allocate(&ended, 64));
        let state = pool.state().clone();
        assert_eq!((state.used, state.most), (0, 64));
        // A failed allocation is removed from the statistics, too.
        assert_eq!(pool.allocate(&ended, 1 << 60).unwrap_err().code, CUresult::OUT_OF_MEMORY);
        assert_eq!(pool.state().used, 0);
    }
    let mut left = 0;
    memory::release(|allocation| {
        left += usize::from(allocation.context == ended.handle);
        false
    });
    assert_eq!(left, 0);
}
