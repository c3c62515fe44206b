//! `CONTEXT_LOCAL_STORAGE`: values that the runtime stores with a context, by key. Almost every
//! runtime call begins by reading one. The table has no size field.

use super::{Entry, entries, functions};
use crate::context::{self, Context};
use crate::prelude::*;
use std::sync::RwLock;

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

pub(super) static TABLE: [Entry; 4] =
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
        let entry = |index: usize| TABLE[index].0;
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
