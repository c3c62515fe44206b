//! Stream capture into graphs (runtime API, "Stream Management").

use crate::call::{check, forward, runtime_api};
use crate::driver::{self, CUgraph, CUgraphNode, CUstream};
use crate::state;
use std::ffi::{c_uint, c_ulonglong};
use texunit_cuda_abi::CUgraphEdgeData;
use texunit_cuda_abi::args::{Answer, In, InOut, Out};

forward! {
    /// Starts capturing a stream.
    fn cudaStreamBeginCapture(stream: CUstream, mode: c_uint) = cuStreamBeginCapture_v2;
    /// Ends a capture and returns the graph.
    fn cudaStreamEndCapture(stream: CUstream, pGraph: Out<CUgraph>) = cuStreamEndCapture;
    /// Whether a stream is being captured.
    fn cudaStreamIsCapturing(stream: CUstream, pCaptureStatus: Out<c_uint>) = cuStreamIsCapturing;
}

runtime_api! {
    /// Exchanges the calling thread's capture interaction mode.
    fn cudaThreadExchangeStreamCaptureMode(mode: InOut<c_uint>) {
        state::init()?;
        let mut value = mode.get()?;
        // SAFETY: the out-pointer is to a local variable.
        check(unsafe { driver::cuThreadExchangeStreamCaptureMode(&raw mut value) })?;
        mode.out().set(value)
    }
}

forward! {
    /// Starts capturing a stream into an existing graph.
    unsafe fn cudaStreamBeginCaptureToGraph(
        stream: CUstream, graph: CUgraph, dependencies: In<CUgraphNode>,
        dependencyData: In<CUgraphEdgeData>, numDependencies: usize, mode: c_uint,
    ) = cuStreamBeginCaptureToGraph;
}

/// Functions whose names have a version suffix in CUDA 12 and none in CUDA 13.
macro_rules! of_version {
    ($info:ident, $update:ident) => {
        forward! {
            /// State of a stream's capture: status, graph and dependencies.
            fn $info(
                stream: CUstream,
                captureStatus_out: Out<c_uint>,
                id_out: Out<c_ulonglong>,
                graph_out: Out<CUgraph>,
                dependencies_out: Out<*const usize>,
                edgeData_out: Out<*const CUgraphEdgeData>,
                numDependencies_out: Out<usize>,
            ) = cuStreamGetCaptureInfo_v3;
        }

        runtime_api! {
            /// Changes the nodes that the next captured operation depends on, with edge data.
            fn $update(
                stream: CUstream,
                dependencies: In<CUgraphNode>,
                dependencyData: In<CUgraphEdgeData>,
                numDependencies: usize,
                flags: c_uint,
            ) {
                update(stream, dependencies, dependencyData, numDependencies, flags)
            }
        }
    };
}

#[cfg(feature = "cuda-12")]
of_version!(cudaStreamGetCaptureInfo_v3, cudaStreamUpdateCaptureDependencies_v2);
#[cfg(not(feature = "cuda-12"))]
of_version!(cudaStreamGetCaptureInfo, cudaStreamUpdateCaptureDependencies);

fn update(
    stream: CUstream,
    nodes: In<'_, CUgraphNode>,
    data: In<'_, CUgraphEdgeData>,
    count: usize,
    flags: c_uint,
) -> Answer {
    state::context()?;
    let (nodes, data) = (nodes.as_ptr(), data.as_ptr());
    // SAFETY: the caller passes the length of its array.
    check(unsafe {
        driver::cuStreamUpdateCaptureDependencies_v2(stream, nodes, data, count, flags)
    })
}

#[cfg(feature = "cuda-12")]
forward! {
    /// State of a stream's capture, without edge data.
    fn cudaStreamGetCaptureInfo_v2(
        stream: CUstream,
        captureStatus_out: Out<c_uint>,
        id_out: Out<c_ulonglong>,
        graph_out: Out<CUgraph>,
        dependencies_out: Out<*const usize>,
        numDependencies_out: Out<usize>,
    ) = cuStreamGetCaptureInfo_v2;
}

#[cfg(feature = "cuda-12")]
runtime_api! {
    /// Whether a stream is being captured, and the identifier of the capture.
    fn cudaStreamGetCaptureInfo(stream: CUstream, captureStatus_out: Out<c_uint>, id_out: Out<c_ulonglong>) {
        state::context()?;
        let (graph, nodes, count) = (Out::null(), Out::null(), Out::null());
        check(driver::cuStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out, graph, nodes, count))
    }

    /// Changes the nodes that the next captured operation depends on.
    fn cudaStreamUpdateCaptureDependencies(
        stream: CUstream,
        dependencies: In<CUgraphNode>,
        numDependencies: usize,
        flags: c_uint,
    ) {
        update(stream, dependencies, In::null(), numDependencies, flags)
    }
}
