//! Handles, which the C API returns instead of pointers, and registries of the objects behind them.
//!
//! A handle is a number that is never reused, so that stale handles, handles of another kind, and
//! garbage are detected and refused with the driver's codes. Each kind of object has a [`Registry`]
//! of its live objects.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{CUresult, FIRST_HANDLE, Refusal, Subject, read_lock, write_lock};

/// Difference between the numeric values of consecutive handles.
const STEP: usize = 64;

static NEXT: AtomicUsize = AtomicUsize::new(FIRST_HANDLE);

/// A kind of object with handles in the C API.
pub(crate) trait Object: Sized + Send + Sync + 'static {
    /// Code for an invalid handle of this kind.
    const INVALID: CUresult = CUresult::INVALID_HANDLE;
    /// Text of the refusal of an invalid handle.
    const WRONG: &'static str;

    /// Registry of the live objects.
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

/// The live objects of one kind, by handle.
#[derive(Debug)]
pub(crate) struct Registry<T> {
    alive: RwLock<BTreeMap<usize, Arc<T>>>,
}

impl<T> Registry<T> {
    pub(crate) const fn new() -> Self {
        Self { alive: RwLock::new(BTreeMap::new()) }
    }

    /// Registers an object and returns its handle.
    pub(crate) fn insert(&self, object: T) -> Handle<T> {
        let handle = Handle::fresh();
        self.insert_as(handle, Arc::new(object));
        handle
    }

    /// Registers an object under a given handle, for objects that store their own handle, and
    /// texture objects, whose handles kernels read.
    pub(crate) fn insert_as(&self, handle: Handle<T>, object: Arc<T>) {
        write_lock(&self.alive).insert(handle.number, object);
    }

    /// The object of a handle.
    pub(crate) fn find(&self, handle: Handle<T>) -> Option<Arc<T>> {
        read_lock(&self.alive).get(&handle.number).cloned()
    }

    /// Removes an object, whose handle is invalid from then on.
    pub(crate) fn remove(&self, handle: Handle<T>) -> Option<Arc<T>> {
        write_lock(&self.alive).remove(&handle.number)
    }

    /// Removes all objects for which `gone` holds, such as those of a destroyed context.
    pub(crate) fn remove_all(&self, mut gone: impl FnMut(&T) -> bool) -> Vec<Arc<T>> {
        let mut alive = write_lock(&self.alive);
        alive.extract_if(.., |_, object| gone(object)).map(|(_, object)| object).collect()
    }

    /// Live objects for which `wanted` holds, in the order of their handles.
    pub(crate) fn all(&self, wanted: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        read_lock(&self.alive).values().filter(|object| wanted(object)).cloned().collect()
    }

    /// Live objects for which `wanted` holds, with their handles and in their order.
    pub(crate) fn all_with_handles(&self, wanted: impl Fn(&T) -> bool) -> Vec<(usize, Arc<T>)> {
        let alive = read_lock(&self.alive);
        let all = alive.iter().filter(|(_, object)| wanted(object));
        all.map(|(number, object)| (*number, Arc::clone(object))).collect()
    }
}

/// A handle as C sees it, with the size of a pointer: `CUstream`, `CUmodule` and so on.
#[repr(transparent)]
#[allow(unreachable_pub)]
pub struct Handle<T> {
    number: usize,
    kind: PhantomData<fn() -> T>,
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
    pub(crate) const NULL: Self = Self::of(0);

    /// Makes a handle whose value has never been used in this process.
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
    /// The object, or the driver's error for an invalid handle.
    pub(crate) fn get(self) -> Answer<Arc<T>> {
        T::registry().find(self).ok_or_else(|| self.refusal())
    }

    /// Removes and returns the object, or the driver's error for an invalid handle.
    pub(crate) fn take(self) -> Answer<Arc<T>> {
        T::registry().remove(self).ok_or_else(|| self.refusal())
    }

    /// The refusal of an invalid handle.
    pub(crate) fn refusal(self) -> Refusal {
        T::INVALID.of_argument(Subject::new::<Self>(self.number as u64), T::WRONG)
    }
}
