//! Stream capture into graphs (driver API, "Stream Management").

use super::links;
use crate::args::{Answer, In, InOut, Out};
use crate::call::driver_api;
use crate::deferred::Order;
use crate::graph::capture::{self, Info, Recapture};
use crate::graph::{Graph, Node};
use crate::handle::Handle;
use crate::stream::{self, Stream};
use std::ffi::{c_uint, c_void};
use texunit_cuda_abi::{CUgraphEdgeData, CUgraphRecaptureCallback, CUresult};

driver_api! {
    /// Starts capturing a stream in global mode.
    fn cuStreamBeginCapture(hStream: Handle<Stream>) {
        begin(hStream, 0)
    }

    /// Starts capturing a stream.
    fn cuStreamBeginCapture_v2(hStream: Handle<Stream>, mode: c_uint) {
        begin(hStream, mode)
    }

    /// Starts capturing a stream into an existing graph, after some of its nodes.
    fn cuStreamBeginCaptureToGraph(
        hStream: Handle<Stream>,
        hGraph: Handle<Graph>,
        dependencies: In<Handle<Node>>,
        dependencyData: In<CUgraphEdgeData>,
        numDependencies: usize,
        mode: c_uint,
    ) {
        let context = stream::on(hStream)?;
        hGraph.get()?;
        // SAFETY: the caller passes the length of its array.
        let before = unsafe { links(dependencies, dependencyData, numDependencies)? };
        capture::begin(&context, stream::queue(hStream), mode, Some((hGraph, before)), None)
    }

    /// Starts capturing a stream into the existing nodes of a graph, in their order of creation.
    fn cuStreamBeginRecaptureToGraph(
        hStream: Handle<Stream>,
        mode: c_uint,
        hGraph: Handle<Graph>,
        callbackFunc: CUgraphRecaptureCallback,
        userData: *mut c_void,
    ) {
        let context = stream::on(hStream)?;
        let told = callbackFunc.map(|function| (function, userData.expose_provenance()));
        let recapture = Recapture::new(&*hGraph.get()?, told);
        let to = Some((hGraph, Vec::new()));
        capture::begin(&context, stream::queue(hStream), mode, to, Some(recapture))
    }

    /// Ends a capture and returns the graph; null if the capture was invalidated. `phGraph` may be
    /// null if the capture was begun with a graph (`cuStreamBeginCaptureToGraph`).
    fn cuStreamEndCapture(hStream: Handle<Stream>, phGraph: Out<Handle<Graph>>) {
        let queue = stream::queue(hStream);
        if !capture::is_to_graph(queue) {
            phGraph.check()?;
        }
        stream::find(hStream)?;
        let ended = capture::end(queue);
        if let Ok(graph) = &ended {
            crate::checks::created(graph.number());
        }
        phGraph.set_if(*ended.as_ref().unwrap_or(&Handle::NULL));
        ended.map(|_| ())
    }

    /// Capture status of a stream: none (0), active (1), or invalidated (2).
    fn cuStreamIsCapturing(hStream: Handle<Stream>, captureStatus: Out<c_uint>) {
        captureStatus.check()?;
        captureStatus.set(status(info(hStream)?.as_ref()))
    }

    /// Capture status of a stream, and the identifier of the capture.
    fn cuStreamGetCaptureInfo(hStream: Handle<Stream>, captureStatus_out: Out<c_uint>, id_out: Out<u64>) {
        captureStatus_out.check()?;
        let info = info(hStream)?;
        id_out.set_if(info.as_ref().filter(|info| !info.is_invalid).map_or(0, |info| info.id));
        captureStatus_out.set(status(info.as_ref()))
    }

    /// Capture status of a stream with the graph and the nodes that the next operation depends on.
    /// `CUDA_ERROR_LOSSY_QUERY` if edges from them have data, which this version cannot return.
    fn cuStreamGetCaptureInfo_v2(
        hStream: Handle<Stream>,
        captureStatus_out: Out<c_uint>,
        id_out: Out<u64>,
        graph_out: Out<Handle<Graph>>,
        dependencies_out: Out<*const usize>,
        numDependencies_out: Out<usize>,
    ) {
        let to = (graph_out, dependencies_out, Out::null(), numDependencies_out);
        tell(hStream, captureStatus_out, id_out, to)
    }

    /// Capture status of a stream with graph, dependencies and edge data.
    fn cuStreamGetCaptureInfo_v3(
        hStream: Handle<Stream>,
        captureStatus_out: Out<c_uint>,
        id_out: Out<u64>,
        graph_out: Out<Handle<Graph>>,
        dependencies_out: Out<*const usize>,
        edgeData_out: Out<*const CUgraphEdgeData>,
        numDependencies_out: Out<usize>,
    ) {
        let to = (graph_out, dependencies_out, edgeData_out, numDependencies_out);
        tell(hStream, captureStatus_out, id_out, to)
    }

    /// Changes the nodes that the next captured operation depends on.
    fn cuStreamUpdateCaptureDependencies(
        hStream: Handle<Stream>,
        dependencies: In<Handle<Node>>,
        numDependencies: usize,
        flags: c_uint,
    ) {
        // SAFETY: the caller passes the length of its array.
        unsafe { update(hStream, dependencies, In::null(), numDependencies, flags) }
    }

    /// Changes the nodes that the next captured operation depends on, with edge data.
    fn cuStreamUpdateCaptureDependencies_v2(
        hStream: Handle<Stream>,
        dependencies: In<Handle<Node>>,
        dependencyData: In<CUgraphEdgeData>,
        numDependencies: usize,
        flags: c_uint,
    ) {
        // SAFETY: the caller passes the length of its array.
        unsafe { update(hStream, dependencies, dependencyData, numDependencies, flags) }
    }

    /// Exchanges the calling thread's capture interaction mode.
    fn cuThreadExchangeStreamCaptureMode(mode: InOut<c_uint>) {
        let new = mode.get()?;
        if new > 2 {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "mode {new} is not a CUstreamCaptureMode: 0 (global), 1 (thread local), 2 (relaxed)"
            )));
        }
        mode.out().set(capture::exchange_mode(new))
    }
}

fn begin(stream: Handle<Stream>, mode: c_uint) -> Answer {
    capture::begin(&*stream::on(stream)?, stream::queue(stream), mode, None, None)
}

fn info(stream: Handle<Stream>) -> Answer<Option<Info>> {
    capture::info(&*stream::on(stream)?, stream::queue(stream))
}

/// The capture status of a stream (`CUstreamCaptureStatus`).
fn status(info: Option<&Info>) -> c_uint {
    match info {
        None => 0,
        Some(info) if info.is_invalid => 2,
        Some(_) => 1,
    }
}

/// Out-pointers for the graph, its nodes, edge data and their number.
type CaptureOut<'a> = (
    Out<'a, Handle<Graph>>,
    Out<'a, *const usize>,
    Out<'a, *const CUgraphEdgeData>,
    Out<'a, usize>,
);

fn tell(
    stream: Handle<Stream>,
    to: Out<'_, c_uint>,
    id: Out<'_, u64>,
    (graph, nodes, data, count): CaptureOut<'_>,
) -> Answer {
    to.check()?;
    let found = info(stream)?;
    to.set(status(found.as_ref()))?;
    let Some(found) = found.filter(|found| !found.is_invalid) else {
        id.set_if(0);
        return Ok(());
    };
    if found.has_data && !nodes.is_null() && data.is_null() {
        return Err(CUresult::LOSSY_QUERY.because(
            "an edge to what the stream captures next has ports or a type, which a call without edgeData_out cannot return",
        ));
    }
    id.set_if(found.id);
    graph.set_if(Handle::of(found.graph));
    nodes.set_if(found.nodes);
    data.set_if(found.data);
    count.set_if(found.count);
    Ok(())
}

/// # Safety
/// Each array is null or has `count` elements.
unsafe fn update(
    stream: Handle<Stream>,
    nodes: In<'_, Handle<Node>>,
    data: In<'_, CUgraphEdgeData>,
    count: usize,
    flags: c_uint,
) -> Answer {
    let place = Order::capturable(stream)?
        .capture
        .ok_or_else(|| CUresult::ILLEGAL_STATE.because("hStream is not being captured"))?;
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "flags {flags} is not CU_STREAM_ADD_CAPTURE_DEPENDENCIES (0) or CU_STREAM_SET_CAPTURE_DEPENDENCIES (1)"
        )));
    }
    // SAFETY: the caller upholds this function's safety contract.
    let links = unsafe { links(nodes, data, count)? };
    place.update(&links, flags == 1)
}
