//! Handles: numbers that registries map to objects. They have pointer types, so that a C compiler
//! distinguishes the kinds.
//!
//! A number is never reused, so that a destroyed handle stays invalid. Its lowest bits encode the
//! kind, for messages.

use crate::constants::*;
use crate::status::Failure;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use texunit_sample::Texture;
use texunit_unit::{Resource, Sampler};

/// The type that a texunit_array points to; it is never defined.
#[derive(Debug)]
pub struct texunit_array_st {
    _private: [u8; 0],
}
/// An array of texels in texunit's memory, with or without mip levels (CUarray, CUmipmappedArray).
/// Any thread may use it. It is a number and not an address, so that it cannot be dereferenced.
pub type texunit_array = *mut texunit_array_st;

/// The type that a texunit_sampler points to; it is never defined.
#[derive(Debug)]
pub struct texunit_sampler_st {
    _private: [u8; 0],
}
/// The sampling state separate from a texture (PTX's .samplerref; the samplers of Vulkan and
/// OpenGL).
pub type texunit_sampler = *mut texunit_sampler_st;

/// The type that a texunit_texture points to; it is never defined.
#[derive(Debug)]
pub struct texunit_texture_st {
    _private: [u8; 0],
}
/// Texels with a sampling state (CUtexObject).
pub type texunit_texture = *mut texunit_texture_st;

/// The type that a texunit_surface points to; it is never defined.
#[derive(Debug)]
pub struct texunit_surface_st {
    _private: [u8; 0],
}
/// Texels that can be read and written (CUsurfObject).
pub type texunit_surface = *mut texunit_surface_st;

/// A surface. A surface without plain channels can be queried but not accessed.
pub(crate) type SurfaceObject = texunit_sample::Surface;

/// A kind of object that has handles.
pub trait Object: Sized + Send + Sync + 'static {
    /// The code of the kind in a handle's lowest bits.
    const KIND: usize;

    /// The registry of the kind.
    fn registry() -> &'static Registry<Self>;
}

/// The objects of a kind, by handle.
pub type Registry<T> = RwLock<HashMap<usize, Arc<T>>>;

/// Number of handle bits that encode the kind.
const KIND_BITS: u32 = 3;
/// Names of the kinds, by code.
const KINDS: [&str; 5] = ["", "an array", "a sampler", "a texture", "a surface"];

/// The number of the next handle.
static NEXT: AtomicUsize = AtomicUsize::new(1);

macro_rules! object {
    ($($type:ty, $kind:literal;)*) => {
        $(
            impl Object for $type {
                const KIND: usize = $kind;

                fn registry() -> &'static Registry<Self> {
                    static ALL: LazyLock<Registry<$type>> = LazyLock::new(RwLock::default);
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

/// Registers an object, and returns its handle.
pub(crate) fn keep<T: Object, H>(object: Arc<T>) -> Result<*mut H, Failure> {
    // Numbers can run out on 32-bit systems, after 2^29 objects; then creating objects fails.
    let take = |n: usize| (n < usize::MAX >> KIND_BITS).then_some(n + 1);
    let number = NEXT.fetch_update(Relaxed, Relaxed, take);
    let number = number.map_err(|_| {
        Failure::new(TEXUNIT_ERROR_OUT_OF_MEMORY, "this process has had all handles that there are")
    })?;
    let number = number << KIND_BITS | T::KIND;
    let mut all = T::registry().write().unwrap_or_else(PoisonError::into_inner);
    all.insert(number, object);
    Ok(std::ptr::without_provenance_mut(number))
}

/// The object of a handle.
pub(crate) fn find<T: Object, H>(handle: *mut H) -> Result<Arc<T>, Failure> {
    let all = T::registry().read().unwrap_or_else(PoisonError::into_inner);
    all.get(&handle.addr()).cloned().ok_or_else(|| wrong::<T>(handle.addr()))
}

/// Removes a handle; null is allowed. The object is dropped when nothing uses it any more.
pub(crate) fn forget<T: Object, H>(handle: *mut H) -> Result<(), Failure> {
    if handle.is_null() {
        return Ok(());
    }
    let mut all = T::registry().write().unwrap_or_else(PoisonError::into_inner);
    let object = all.remove(&handle.addr());
    drop(all);
    object.map(drop).ok_or_else(|| wrong::<T>(handle.addr()))
}

/// The error for an invalid handle.
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
