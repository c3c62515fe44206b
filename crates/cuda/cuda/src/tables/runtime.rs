//! Tables that the CUDA runtime uses at its start, tables for profilers, which only have to exist,
//! and `CONTEXT_LOCAL_STORAGE`: values that the runtime stores with a context, by key. Almost every
//! runtime call begins by reading one; this table has no size field.

use super::{Entry, Table, entries, functions};
use crate::context::{self, Context};
use crate::prelude::*;
use crate::state;
use std::sync::RwLock;

/// For each function of the runtime API, whether a tool observes its calls. The runtime indexes the
/// array by its function numbers, of which later versions have more: 487 in 12.9, 567 in 13.5.
static FUNCTION_FLAGS: [AtomicU32; 4096] = [const { AtomicU32::new(0) }; 4096];
/// For each kind of event, whether a tool observes it; the runtime reads at least 14.
static EVENT_FLAGS: [AtomicU32; 64] = [const { AtomicU32::new(0) }; 64];

functions! {
    /// `CUDART_INTERFACE`, entry 2: the handle of a device's primary context, which is not created.
    /// The runtime identifies devices by it.
    fn primary_context(context: Out<Handle<Context>>, device: CUdevice) {
        context.set(context::primary(state::gpu(device)?).handle())
    }

    /// `CUDART_INTERFACE`, entry 12: called by the shared library of 13.5 to ask whether it may
    /// continue after the modules' loading mode is known; always allowed.
    fn may_start() {
        Ok(())
    }

    /// `TOOLS_RUNTIME_CALLBACK_HOOKS`, entry 2: the array of observed functions, all unset as there
    /// are no tools. The caller ignores the status.
    fn function_flags(flags: Out<*const AtomicU32>, count: Out<usize>) {
        flags.set(FUNCTION_FLAGS.as_ptr())?;
        count.set(FUNCTION_FLAGS.len())
    }

    /// `TOOLS_RUNTIME_CALLBACK_HOOKS`, entry 6: the array of observed events, all unset.
    fn event_flags(flags: Out<*const AtomicU32>, count: Out<usize>) {
        flags.set(EVENT_FLAGS.as_ptr())?;
        count.set(EVENT_FLAGS.len())
    }

    /// Context checks, entry 2: whether a context stands for another one, as green contexts do (1),
    /// and for which. Green contexts do not exist here. The context need not be active.
    fn stands_for(_context: Handle<Context>, does: Out<u32>, other: Out<Handle<Context>>) {
        does.set(0)?;
        other.set_if(Handle::NULL);
        Ok(())
    }
}

/// Context checks, entry 3: a mode of the driver, not a status. The usual value is 0; 1 has a
/// meaning to the runtime.
unsafe extern "C" fn mode() -> i32 {
    0
}

/// Functions that the runtime itself needs.
pub(super) static INTERFACE: Table<15> = Table::new(entries!(
    "CUDART_INTERFACE", 1, 2 => primary_context, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 => may_start, 13, 14, 15
));
/// Tools that observe the runtime's calls.
pub(super) static HOOKS: Table<7> = Table::new(
    entries!("TOOLS_RUNTIME_CALLBACK_HOOKS", 1, 2 => function_flags, 3, 4, 5, 6 => event_flags, 7),
);
/// Thread-local storage for tools, used once a flag is set.
pub(super) static TLS: Table<4> = Table::new(entries!("TOOLS_TLS", 1, 2, 3, 4));
/// A table requested by 13.5 and used once a flag is set.
#[rustfmt::skip]
pub(super) static TOOLS: Table<55> = Table::new(entries!(
    "tools 21318c60", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
    28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55
));
/// Queries about contexts.
pub(super) static CHECKS: Table<3> =
    Table::new(entries!("context checks 263e8860", 1, 2 => stands_for, 3 => mode));

/// Callback for a value when its context ends.
type Destructor = unsafe extern "C" fn(context: Handle<Context>, key: usize, value: usize);

#[derive(Clone, Copy, Debug)]
struct Value {
    /// The caller's pointer, which is not dereferenced here.
    value: usize,
    destructor: Option<Destructor>,
}

/// Values by the handle of the context and by key.
static VALUES: RwLock<BTreeMap<(usize, usize), Value>> = RwLock::new(BTreeMap::new());

/// The context of a handle; null names the current one.
fn given(context: Handle<Context>) -> Answer<Handle<Context>> {
    let handle = if context.is_null() { context::current_handle() } else { context };
    ensure!(!handle.is_null(), CUresult::INVALID_CONTEXT, "no context is current to this thread");
    Ok(handle)
}

functions! {
    /// Entry 0: stores a value; an existing one is replaced without a call of its destructor.
    fn put(context: Handle<Context>, key: usize, value: usize, destructor: Option<Destructor>) {
        let context = given(context)?;
        let mut values = write_lock(&VALUES);
        // The context is checked while the values are locked, as a context that ends removes its
        // values afterwards.
        context.get().map_err(|_| CUresult::CONTEXT_IS_DESTROYED.because("the context has been destroyed"))?;
        values.insert((context.number(), key), Value { value, destructor });
        Ok(())
    }

    /// Entry 1: removes a value without a call of its destructor.
    fn remove(context: Handle<Context>, key: usize) {
        let removed = write_lock(&VALUES).remove(&(given(context)?.number(), key));
        removed.map(|_| ()).ok_or(CUresult::INVALID_HANDLE.because("the context has no value of this key"))
    }

    /// Entry 2: reads a value; `CUDA_ERROR_INVALID_HANDLE` if there is none, whereupon the runtime
    /// creates it.
    fn get(value: Out<usize>, context: Handle<Context>, key: usize) {
        value.check()?;
        let context = given(context)?.number();
        let found = read_lock(&VALUES).get(&(context, key)).copied();
        value.set_if(found.map_or(0, |found| found.value));
        found.map(|_| ()).ok_or(CUresult::INVALID_HANDLE.because("the context has no value of this key"))
    }
}

/// Calls the destructors of a context's values when the context ends.
pub(crate) fn release_context(context: &Context) {
    let number = context.handle.number();
    let keys = (number, 0)..=(number, usize::MAX);
    let gone: Vec<_> = write_lock(&VALUES).extract_if(keys, |_, _| true).collect();
    // The lock has been released, as destructors may call the driver.
    for ((_, key), Value { value, destructor }) in gone {
        if let Some(destructor) = destructor {
            // SAFETY: the caller stored this destructor with the value, and guarantees that it may
            // be called when the context ends.
            unsafe { destructor(context.handle, key, value) }
        }
    }
}

pub(super) static STORAGE: [Entry; 4] =
    entries!("CONTEXT_LOCAL_STORAGE", 0 => put, 1 => remove, 2 => get, 3);

#[cfg(test)]
mod tests {
    use super::*;

    type Put = unsafe extern "C" fn(usize, usize, usize, Option<Destructor>) -> CUresult;
    type Remove = unsafe extern "C" fn(usize, usize) -> CUresult;
    type Get = unsafe extern "C" fn(*mut usize, usize, usize) -> CUresult;

    static ENDED: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

    unsafe extern "C" fn end(_context: Handle<Context>, key: usize, value: usize) {
        ENDED.lock().unwrap().push((key, value));
    }

    #[test]
    fn values_end_with_their_context() {
        crate::state::init(drop).unwrap();
        let context = Context::create(crate::state::gpu(0).unwrap(), 0).handle;
        let entry = |index: usize| STORAGE[index].0;
        // SAFETY: entries 0, 1 and 2 of the table are functions of the types to which they are
        // cast.
        let (put, remove, get) = unsafe {
            use std::mem::transmute;
            (
                transmute::<*const (), Put>(entry(0)),
                transmute::<*const (), Remove>(entry(1)),
                transmute::<*const (), Get>(entry(2)),
            )
        };
        let at = context.number();
        let mut value = 7;
        // SAFETY: the pointer is valid, and `end` accepts any value.
        unsafe {
            assert_eq!(get(&mut value, at, 100), CUresult::INVALID_HANDLE);
            assert_eq!(value, 0);
            assert_eq!(put(at, 100, 1, Some(end)), CUresult::SUCCESS);
            assert_eq!(put(at, 101, 2, Some(end)), CUresult::SUCCESS);
            assert_eq!(put(at, 102, 3, None), CUresult::SUCCESS);
            assert_eq!(get(&mut value, at, 101), CUresult::SUCCESS);
            assert_eq!(value, 2);
            assert_eq!(remove(at, 101), CUresult::SUCCESS);
            assert_eq!(remove(at, 101), CUresult::INVALID_HANDLE);
            crate::teardown::destroy(context).unwrap();
            assert_eq!(*ENDED.lock().unwrap(), [(100, 1)]);
            assert_eq!(get(&mut value, at, 100), CUresult::INVALID_HANDLE);
            assert_eq!(put(at, 100, 1, Some(end)), CUresult::CONTEXT_IS_DESTROYED);
            // Null names the current context, of which this thread has none.
            assert_eq!(put(0, 100, 1, Some(end)), CUresult::INVALID_CONTEXT);
        }
        assert!(!read_lock(&VALUES).keys().any(|&(context, _)| context == at));
    }
}
