//! Stream capture into graphs (driver API, "Stream Management").

use super::links;
use crate::api::*;
use crate::capture::Info;
use crate::graph::capture;
use crate::stream;

driver_api! {
    /// Starts capturing a stream.
    fn [cuStreamBeginCapture] cuStreamBeginCapture_v2(hStream, [mode = 0]) {
        capture::begin(&*stream::on(hStream)?, stream::queue(hStream), mode, None, None)
    }

    /// Starts capturing a stream into an existing graph, after some of its nodes.
    fn cuStreamBeginCaptureToGraph(
        hStream, hGraph, dependencies[numDependencies], dependencyData[numDependencies],
        numDependencies, mode,
    ) {
        let context = stream::on(hStream)?;
        hGraph.get()?;
        let before = links(dependencies, dependencyData)?;
        capture::begin(&context, stream::queue(hStream), mode, Some((hGraph, before)), None)
    }

    /// Starts capturing a stream into the existing nodes of a graph, in their order of creation.
    fn cuStreamBeginRecaptureToGraph(hStream, mode, hGraph, callbackFunc, userData) {
        let context = stream::on(hStream)?;
        let told = callbackFunc.map(|function| (function, userData.expose_provenance()));
        let recapture = capture::recapture(&*hGraph.get()?, told);
        let to = Some((hGraph, Vec::new()));
        capture::begin(&context, stream::queue(hStream), mode, to, Some(recapture))
    }

    /// Ends a capture and returns the graph; null if the capture was invalidated. `phGraph` may be
    /// null if the capture was begun with a graph (`cuStreamBeginCaptureToGraph`).
    fn cuStreamEndCapture(hStream, phGraph) {
        let queue = stream::queue(hStream);
        if !capture::is_to_graph(queue) {
            phGraph.check()?;
        }
        stream::find(hStream)?;
        let ended = capture::end(queue);
        if let Ok(graph) = &ended {
            crate::check_log::created(graph.number());
        }
        phGraph.set_if(*ended.as_ref().unwrap_or(&Handle::NULL));
        ended.map(|_| ())
    }

    /// Capture status of a stream: none (0), active (1), or invalidated (2).
    fn cuStreamIsCapturing(hStream, captureStatus) {
        captureStatus.give(|| Ok(status(info(hStream)?.as_ref())))
    }

    /// Capture status of a stream, and the identifier of the capture.
    fn cuStreamGetCaptureInfo(hStream, captureStatus_out, id_out) {
        captureStatus_out.check()?;
        let info = info(hStream)?;
        id_out.set_if(info.as_ref().filter(|info| !info.is_invalid).map_or(0, |info| info.id));
        captureStatus_out.set(status(info.as_ref()))
    }

    /// Capture status of a stream with the graph, the nodes that the next operation depends on, and
    /// edge data. `CUDA_ERROR_LOSSY_QUERY` if edges have data, and the version cannot return it.
    fn [cuStreamGetCaptureInfo_v2] cuStreamGetCaptureInfo_v3(
        hStream, captureStatus_out, id_out, graph_out, dependencies_out,
        [edgeData_out = Out::null()], numDependencies_out,
    ) {
        captureStatus_out.check()?;
        let found = info(hStream)?;
        captureStatus_out.set(status(found.as_ref()))?;
        let Some(found) = found.filter(|found| !found.is_invalid) else {
            id_out.set_if(0);
            return Ok(());
        };
        ensure!(
            !found.has_data || dependencies_out.is_null() || !edgeData_out.is_null(),
            CUresult::LOSSY_QUERY,
            "an edge to what the stream captures next has ports or a type, which a call without edgeData_out cannot return"
        );
        id_out.set_if(found.id);
        graph_out.set_if(Handle::of(found.graph));
        dependencies_out.set_if(found.nodes);
        edgeData_out.set_if(found.data);
        numDependencies_out.set_if(found.count);
        Ok(())
    }

    /// Changes the nodes that the next captured operation depends on, with edge data.
    fn [cuStreamUpdateCaptureDependencies] cuStreamUpdateCaptureDependencies_v2(
        hStream, dependencies[numDependencies],
        [dependencyData[numDependencies] = Elements::null()], numDependencies, flags,
    ) {
        let place = Order::capturable(hStream)?
            .capture
            .ok_or_else(|| CUresult::ILLEGAL_STATE.because("hStream is not being captured"))?;
        ensure!(
            flags <= 1,
            "flags {flags} is not CU_STREAM_ADD_CAPTURE_DEPENDENCIES (0) or CU_STREAM_SET_CAPTURE_DEPENDENCIES (1)"
        );
        place.update(&links(dependencies, dependencyData)?, flags == 1)
    }

    /// Exchanges the calling thread's capture interaction mode.
    fn cuThreadExchangeStreamCaptureMode(mode) {
        let new = mode.get()?;
        ensure!(
            new <= 2,
            "mode {new} is not a CUstreamCaptureMode: 0 (global), 1 (thread local), 2 (relaxed)"
        );
        mode.out().set(crate::capture::exchange_mode(new))
    }
}

fn info(stream: Handle<Stream>) -> Answer<Option<Info>> {
    crate::capture::info(&*stream::on(stream)?, stream::queue(stream))
}

/// The capture status of a stream (`CUstreamCaptureStatus`).
fn status(info: Option<&Info>) -> c_uint {
    match info {
        None => 0,
        Some(info) if info.is_invalid => 2,
        Some(_) => 1,
    }
}
