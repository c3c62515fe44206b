//! Handles: what the C API gives out instead of pointers.
//!
//! A handle is a number that is never given out twice, so that a handle used after its object was
//! destroyed, a handle of another kind, and garbage are all found, and answered as the driver answers
//! them. Each kind of object has a [`Registry`] of those that are alive.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::driver::Parameter;
use texunit_cuda_abi::{CUresult, FIRST_HANDLE, Refusal, Subject};

/// Distance between handles.
const STEP: usize = 64;

static NEXT: AtomicUsize = AtomicUsize::new(FIRST_HANDLE);

/// A kind of object that the C API names by handle.
pub(crate) trait Object: Sized + Send + Sync + 'static {
    /// What a function answers if its handle names no such object.
    const INVALID: CUresult = CUresult::INVALID_HANDLE;
    /// What is said of such a handle.
    const WRONG: &'static str;

    /// All that are alive.
    fn registry() -> &'static Registry<Self>;
}

/// Implements [`Object`] with a registry of its own: `object!(Stream, "a stream");`, or
/// `object!(Context, "a context", INVALID_CONTEXT);`.
macro_rules! object {
    ($type:ty, $what:literal $(, $invalid:ident)?) => {
        impl $crate::handle::Object for $type {
            const WRONG: &'static str = concat!("is not ", $what, ": it was destroyed, or never was one");
            $(const INVALID: texunit_cuda_abi::CUresult = texunit_cuda_abi::CUresult::$invalid;)?

            fn registry() -> &'static $crate::handle::Registry<Self> {
                static REGISTRY: $crate::handle::Registry<$type> = $crate::handle::Registry::new();
                &REGISTRY
            }
        }
    };
}
pub(crate) use object;

/// The objects of one kind that are alive, by handle.
#[derive(Debug)]
pub(crate) struct Registry<T> {
    alive: RwLock<Option<HashMap<usize, Arc<T>>>>,
}

impl<T> Registry<T> {
    pub(crate) const fn new() -> Self {
        Self { alive: RwLock::new(None) }
    }

    /// Keeps an object; its handle.
    pub(crate) fn insert(&self, object: T) -> Handle<T> {
        let handle = Handle::fresh();
        self.keep(handle, Arc::new(object));
        handle
    }

    /// Keeps an object under a handle that is given: of objects that know their own, and of texture
    /// objects, whose handles kernels read.
    pub(crate) fn keep(&self, handle: Handle<T>, object: Arc<T>) {
        let mut alive = self.alive.write().unwrap_or_else(PoisonError::into_inner);
        alive.get_or_insert_default().insert(handle.number, object);
    }

    /// The object of a handle.
    pub(crate) fn find(&self, handle: Handle<T>) -> Option<Arc<T>> {
        let alive = self.alive.read().unwrap_or_else(PoisonError::into_inner);
        alive.as_ref()?.get(&handle.number).cloned()
    }

    /// Takes an object out: from here on its handle names nothing.
    pub(crate) fn remove(&self, handle: Handle<T>) -> Option<Arc<T>> {
        let mut alive = self.alive.write().unwrap_or_else(PoisonError::into_inner);
        alive.as_mut()?.remove(&handle.number)
    }

    /// Takes out all for which `gone` holds: those of a context that is destroyed.
    pub(crate) fn remove_all(&self, mut gone: impl FnMut(&T) -> bool) -> Vec<Arc<T>> {
        let mut alive = self.alive.write().unwrap_or_else(PoisonError::into_inner);
        let Some(alive) = alive.as_mut() else { return Vec::new() };
        alive.extract_if(|_, object| gone(object)).map(|(_, object)| object).collect()
    }

    /// Those that are alive and `wanted`.
    pub(crate) fn all(&self, wanted: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        let alive = self.alive.read().unwrap_or_else(PoisonError::into_inner);
        alive.iter().flat_map(HashMap::values).filter(|object| wanted(object)).cloned().collect()
    }

    /// Those that are alive and `wanted`, with the numbers of their handles, in their order.
    pub(crate) fn all_with_handles(&self, wanted: impl Fn(&T) -> bool) -> Vec<(usize, Arc<T>)> {
        let alive = self.alive.read().unwrap_or_else(PoisonError::into_inner);
        let all = alive.iter().flatten().filter(|(_, object)| wanted(object));
        let mut all: Vec<_> = all.map(|(number, object)| (*number, Arc::clone(object))).collect();
        all.sort_by_key(|(number, _)| *number);
        all
    }

    /// How many of those that are alive are `wanted`.
    #[cfg(test)]
    pub(crate) fn count(&self, wanted: impl Fn(&T) -> bool) -> usize {
        let alive = self.alive.read().unwrap_or_else(PoisonError::into_inner);
        alive.iter().flat_map(HashMap::values).filter(|object| wanted(object)).count()
    }
}

/// A handle as C sees it, of the size of a pointer: `CUstream`, `CUmodule` and so on.
#[repr(transparent)]
#[allow(unreachable_pub)]
pub struct Handle<T> {
    number: usize,
    kind: PhantomData<fn() -> T>,
}

// SAFETY: `repr(transparent)` of a number, as handles are in C.
unsafe impl<T> Parameter for Handle<T> {
    type C = usize;
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<T> Eq for Handle<T> {}

impl<T> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.number)
    }
}

impl<T> Handle<T> {
    /// No object.
    pub(crate) const NULL: Self = Self::of(0);

    /// One that was never given out.
    pub(crate) fn fresh() -> Self {
        Self::of(NEXT.fetch_add(STEP, Ordering::Relaxed))
    }

    pub(crate) const fn of(number: usize) -> Self {
        Self { number, kind: PhantomData }
    }

    pub(crate) fn number(self) -> usize {
        self.number
    }

    pub(crate) fn is_null(self) -> bool {
        self.number == 0
    }

    /// How the reason of a refusal names this argument of the call.
    pub(crate) fn subject(&self) -> Option<Subject> {
        Some(Subject::new::<Self>(self.number as u64))
    }
}

impl<T: Object> Handle<T> {
    /// The object, or the error that the driver answers.
    pub(crate) fn get(self) -> Answer<Arc<T>> {
        T::registry().find(self).ok_or_else(|| self.refusal())
    }

    /// Takes the object out of the registry, or the error that the driver answers.
    pub(crate) fn take(self) -> Answer<Arc<T>> {
        T::registry().remove(self).ok_or_else(|| self.refusal())
    }

    /// It names no object of its kind.
    pub(crate) fn refusal(self) -> Refusal {
        T::INVALID.of_argument(Subject::new::<Self>(self.number as u64), T::WRONG)
    }
}
