//! User objects, which graphs keep alive for the program. When the last reference is released, a
//! callback destroys the object.

use crate::current_call::in_program;
use crate::prelude::*;

#[derive(Debug)]
pub(crate) struct UserObject {
    /// Address of the program's own object, the argument of the callback.
    object: usize,
    destroy: unsafe extern "C" fn(*mut c_void),
    references: Mutex<u32>,
}

object!(UserObject, "a user object", INVALID_VALUE);

/// Creates a user object with references of the caller.
pub(crate) fn create(
    object: *mut c_void,
    destroy: CUhostFn,
    references: u32,
    flags: u32,
) -> Answer<Handle<UserObject>> {
    let destroy = destroy.ok_or_else(|| invalid!("destroy is null"))?;
    ensure!(
        flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC,
        "flags {flags:#x} is not CU_USER_OBJECT_NO_DESTRUCTOR_SYNC (1), which has to be given"
    );
    check(references)?;
    let references = Mutex::new(references);
    let object = object.expose_provenance();
    Ok(UserObject::registry().insert(UserObject { object, destroy, references }))
}

/// Checks a reference count, which must be from 1 to the maximum `int`.
pub(crate) fn check(count: u32) -> Answer {
    match count {
        1..=0x7fff_ffff => Ok(()),
        _ => Err(invalid!("a count of {count} references is not from 1 to 2147483647")),
    }
}

/// Adds references.
pub(crate) fn retain(object: usize, count: u32) {
    if let Some(object) = UserObject::registry().find(Handle::of(object)) {
        let mut references = lock(&object.references);
        *references = references.saturating_add(count);
    }
}

/// Releases references; the last release destroys the object.
pub(crate) fn release(object: usize, count: u32) {
    let handle = Handle::<UserObject>::of(object);
    let Some(object) = UserObject::registry().find(handle) else { return };
    let left = {
        let mut references = lock(&object.references);
        *references = references.saturating_sub(count);
        *references
    };
    if left == 0 && UserObject::registry().remove(handle).is_some() {
        let data = std::ptr::with_exposed_provenance_mut(object.object);
        // SAFETY: the program's callback and object, which are valid until this call.
        in_program(|| unsafe { (object.destroy)(data) });
    }
}

/// References that an executable graph holds as long as it may be launched.
#[derive(Debug)]
pub(crate) struct HeldReferences(BTreeMap<usize, u32>);

impl HeldReferences {
    /// Makes references to user objects, each with its count, as a graph has them.
    pub(crate) fn new(users: &BTreeMap<usize, u32>) -> Self {
        users.iter().for_each(|(&object, &count)| retain(object, count));
        Self(users.clone())
    }
}

impl Drop for HeldReferences {
    fn drop(&mut self) {
        self.0.iter().for_each(|(&object, &count)| release(object, count));
    }
}

/// Releases references of the caller, after checking that there are enough.
pub(crate) fn release_checked(object: Handle<UserObject>, count: u32) -> Answer {
    check(count)?;
    let there = *lock(&object.get()?.references);
    ensure!(count <= there, "count {count} is more than the {there} references that there are");
    release(object.number(), count);
    Ok(())
}
