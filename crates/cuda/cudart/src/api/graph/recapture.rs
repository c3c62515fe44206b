//! Capture into the nodes of a graph that is there. The function of the program is told of parameters in the runtime's form.

use super::params::of_driver_params;
use crate::call::{check, runtime_api};
use crate::driver::{self, CUgraph, CUgraphNode, CUstream};
use crate::state;
use std::collections::BTreeMap;
use std::ffi::{c_uint, c_void};
use std::sync::{Mutex, PoisonError};
use texunit_cuda_abi::args::In;
use texunit_cuda_abi::{CUgraphNodeParams, CUresult};

/// `cudaGraphRecaptureCallback_t`
type Callback = unsafe extern "C" fn(
    *mut c_void,
    CUgraphNode,
    *const CUgraphNodeParams,
    *const CUgraphNodeParams,
    c_uint,
) -> CUresult;

/// `cudaGraphRecaptureCallbackData`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Told {
    function: Option<Callback>,
    data: usize,
}

runtime_api! {
    /// Captures a stream into the nodes of a graph once more.
    fn cudaStreamBeginRecaptureToGraph(stream: CUstream, mode: c_uint, graph: CUgraph, callbackData: In<Told>) {
        state::context()?;
        let told = match callbackData.is_null() {
            true => None,
            false => Some(callbackData.get()?),
        };
        let told = told.and_then(|told| Some((told.function?, told.data)));
        let data = told.map_or(std::ptr::null_mut(), |told| kept(told).cast());
        let function = told.map(|_| tell as Callback);
        // SAFETY: the function takes what is given with it, which stays.
        check(unsafe { driver::cuStreamBeginRecaptureToGraph(stream, mode, graph, function, data) })
    }
}

/// A function of the program with its argument, at an address that stays: a capture may end any time. The same are kept once.
fn kept((function, data): (Callback, usize)) -> *mut Told {
    static ALL: Mutex<BTreeMap<(usize, usize), usize>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let address = all.entry((function as usize, data)).or_insert_with(|| {
        Box::into_raw(Box::new(Told { function: Some(function), data })).expose_provenance()
    });
    std::ptr::with_exposed_provenance_mut(*address)
}

/// Called by the driver with what [`kept`] keeps.
unsafe extern "C" fn tell(
    data: *mut c_void,
    node: CUgraphNode,
    original: *const CUgraphNodeParams,
    new: *const CUgraphNodeParams,
    status: c_uint,
) -> CUresult {
    // SAFETY: the driver gives what it was given, and structures that are there as long as this runs.
    let (told, original, new) = unsafe { (*data.cast::<Told>(), *original, *new) };
    let (Some(function), Ok(original), Ok(new)) =
        (told.function, of_driver_params(original), of_driver_params(new))
    else {
        return CUresult::INVALID_VALUE;
    };
    let data = std::ptr::with_exposed_provenance_mut(told.data);
    // SAFETY: the program's function, called as the runtime would.
    unsafe { function(data, node, &raw const original, &raw const new, status) }
}
