//! Recapture of a stream into the nodes of an existing graph. The program's callback gets changed
//! parameters in the runtime's structures.

use super::params::of_driver_params;
use crate::api::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// `cudaGraphRecaptureCallback_t`
type Callback = unsafe extern "C" fn(
    *mut c_void,
    CUgraphNode,
    *const CUgraphNodeParams,
    *const CUgraphNodeParams,
    c_uint,
) -> CUresult;

/// `cudaGraphRecaptureCallbackData`: the program's callback and its argument.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct RecaptureCallback {
    function: Option<Callback>,
    data: usize,
}

runtime_api! {
    /// Starts capturing a stream into the existing nodes of a graph.
    fn cudaStreamBeginRecaptureToGraph(stream, mode, graph, callbackData) {
        state::context()?;
        let callback = match callbackData.is_null() {
            true => None,
            false => Some(callbackData.get()?),
        };
        let callback = callback.and_then(|callback| Some((callback.function?, callback.data)));
        let data = callback.map_or(std::ptr::null_mut(), |callback| stored(callback).cast());
        let function = callback.map(|_| forward_change as Callback);
        // SAFETY: the callback matches its data, which is never freed.
        check(unsafe { driver::cuStreamBeginRecaptureToGraph(stream, mode, graph, function, data) })
    }
}

/// Stores a callback and its argument at an address that is never freed, because a capture may end
/// at any time. Equal pairs are stored once.
fn stored((function, data): (Callback, usize)) -> *mut RecaptureCallback {
    static ALL: Mutex<BTreeMap<(usize, usize), usize>> = Mutex::new(BTreeMap::new());
    let mut all = lock(&ALL);
    let address = all.entry((function as usize, data)).or_insert_with(|| {
        Box::into_raw(Box::new(RecaptureCallback { function: Some(function), data }))
            .expose_provenance()
    });
    std::ptr::with_exposed_provenance_mut(*address)
}

/// Callback for the driver, whose data is a pair stored by [`stored`].
unsafe extern "C" fn forward_change(
    data: *mut c_void,
    node: CUgraphNode,
    original: *const CUgraphNodeParams,
    new: *const CUgraphNodeParams,
    status: c_uint,
) -> CUresult {
    // SAFETY: the driver passes the registered data, and structures that are valid during the call.
    let (callback, original, new) = unsafe { (*data.cast::<RecaptureCallback>(), *original, *new) };
    let (Some(function), Ok(original), Ok(new)) =
        (callback.function, of_driver_params(original), of_driver_params(new))
    else {
        return CUresult::INVALID_VALUE;
    };
    let data = std::ptr::with_exposed_provenance_mut(callback.data);
    // SAFETY: the program's callback is called with the runtime's arguments.
    unsafe { function(data, node, &raw const original, &raw const new, status) }
}
