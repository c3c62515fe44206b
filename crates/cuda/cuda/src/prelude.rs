//! Names that most modules of the crate use: the parameters and results of exported functions,
//! refusals, handles, messages, drop guards, and the standard library's collections, paths and
//! atomics.

pub(crate) use crate::error::refusal;
pub(crate) use crate::handle::{Handle, Object, object};
pub(crate) use crate::message::{say, say_once};
pub(crate) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
pub(crate) use std::ffi::{c_int, c_uint, c_void};
pub(crate) use std::ops::Range;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, Ordering::Relaxed,
};
pub(crate) use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, OnceLock};
pub(crate) use std::time::Duration;
pub(crate) use texunit_checks::race::Queue;
pub(crate) use texunit_cuda_abi::args::{
    Answer, Elements, In, InBytes, InOut, Out, OutBytes, Raw, Text,
};
pub(crate) use texunit_cuda_abi::*;
pub(crate) use texunit_device::cards::Card;
pub(crate) use texunit_forms::Count;

/// Calls a function when dropped, also after a panic.
pub(crate) struct OnDrop<F: FnMut()>(pub(crate) F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
