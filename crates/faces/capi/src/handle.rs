//! Handles: numbers that registries know, in the shape of pointers so that C's compiler tells the kinds apart.
//!
//! A number is never given out twice, so a handle that was destroyed stays wrong. Its lowest bits say the kind, for
//! messages.

use crate::status::{Failure, TEXUNIT_ERROR_INVALID_HANDLE, TEXUNIT_ERROR_OUT_OF_MEMORY};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use texunit_sample::Texture;
use texunit_unit::{Resource, Sampler};

/// What a texunit_array is a handle of.
#[derive(Debug)]
pub struct texunit_array_st {
    _private: [u8; 0],
}
/// Texels in memory of texunit: an array, with or without mip levels (CUarray, CUmipmappedArray). Any thread may use it.
/// It is a number, not an address: nothing lies where it points.
pub type texunit_array = *mut texunit_array_st;

/// What a texunit_sampler is a handle of.
#[derive(Debug)]
pub struct texunit_sampler_st {
    _private: [u8; 0],
}
/// How a texture reads, apart from a texture (PTX's .samplerref; the samplers of Vulkan and OpenGL).
pub type texunit_sampler = *mut texunit_sampler_st;

/// What a texunit_texture is a handle of.
#[derive(Debug)]
pub struct texunit_texture_st {
    _private: [u8; 0],
}
/// Texels with how they are read (CUtexObject).
pub type texunit_texture = *mut texunit_texture_st;

/// What a texunit_surface is a handle of.
#[derive(Debug)]
pub struct texunit_surface_st {
    _private: [u8; 0],
}
/// Texels that are read and written in place (CUsurfObject).
pub type texunit_surface = *mut texunit_surface_st;

/// What surfaces are: those of formats without plain channels have no elements, but attributes.
pub(crate) type SurfaceObject = texunit_sample::Surface;

/// A kind of object that has handles.
pub trait Object: Sized + Send + Sync + 'static {
    /// The lowest bits of its handles.
    const KIND: usize;

    /// All that there are.
    fn registry() -> &'static Registry<Self>;
}

/// The objects of a kind.
#[derive(Debug)]
pub struct Registry<T>(RwLock<HashMap<usize, Arc<T>>>);

/// Bits of a handle that say its kind.
const KIND_BITS: u32 = 3;
/// What kinds are called, by their number.
const KINDS: [&str; 5] = ["", "an array", "a sampler", "a texture", "a surface"];

/// The number of the next object.
static NEXT: AtomicUsize = AtomicUsize::new(1);

macro_rules! object {
    ($($type:ty, $kind:literal;)*) => {
        $(
            impl Object for $type {
                const KIND: usize = $kind;

                fn registry() -> &'static Registry<Self> {
                    static ALL: LazyLock<Registry<$type>> =
                        LazyLock::new(|| Registry(RwLock::default()));
                    &ALL
                }
            }
        )*
    };
}

object! {
    Resource, 1;
    Sampler, 2;
    Texture, 3;
    SurfaceObject, 4;
}

/// Keeps an object, and gives its handle.
pub(crate) fn keep<T: Object, H>(object: Arc<T>) -> Result<*mut H, Failure> {
    // Numbers end on 32-bit systems only, after 2^29 objects; from there on there are none.
    let take = |n: usize| (n < usize::MAX >> KIND_BITS).then_some(n + 1);
    let number = NEXT.fetch_update(Relaxed, Relaxed, take);
    let number = number.map_err(|_| {
        Failure::new(TEXUNIT_ERROR_OUT_OF_MEMORY, "this process has had all handles that there are")
    })?;
    let number = number << KIND_BITS | T::KIND;
    let mut all = T::registry().0.write().unwrap_or_else(PoisonError::into_inner);
    all.insert(number, object);
    Ok(std::ptr::without_provenance_mut(number))
}

/// The object of a handle.
pub(crate) fn find<T: Object, H>(handle: *mut H) -> Result<Arc<T>, Failure> {
    let all = T::registry().0.read().unwrap_or_else(PoisonError::into_inner);
    all.get(&handle.addr()).cloned().ok_or_else(|| wrong::<T>(handle.addr()))
}

/// Forgets a handle; null is none. The object ends when nothing uses it any more.
pub(crate) fn forget<T: Object, H>(handle: *mut H) -> Result<(), Failure> {
    if handle.is_null() {
        return Ok(());
    }
    let mut all = T::registry().0.write().unwrap_or_else(PoisonError::into_inner);
    let object = all.remove(&handle.addr());
    drop(all);
    object.map(drop).ok_or_else(|| wrong::<T>(handle.addr()))
}

/// What is wrong with a handle.
fn wrong<T: Object>(number: usize) -> Failure {
    let wanted = KINDS[T::KIND];
    let kind = number & ((1 << KIND_BITS) - 1);
    let given_out = number >> KIND_BITS != 0 && number >> KIND_BITS < NEXT.load(Relaxed);
    let why = match KINDS.get(kind) {
        _ if number == 0 => "the handle is null".to_owned(),
        Some(&name) if kind == T::KIND && given_out => {
            format!("{number:#x} was the handle of {name}, which is destroyed")
        }
        Some(&name) if kind != 0 && given_out => {
            format!("{number:#x} is the handle of {name}, not of {wanted}")
        }
        _ => format!("{number:#x} is not a handle of texunit"),
    };
    Failure::new(TEXUNIT_ERROR_INVALID_HANDLE, format!("{wanted} is needed: {why}"))
}
