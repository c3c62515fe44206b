//! Edges of graphs. Functions with edge data have suffixed names in CUDA 12, and in CUDA 13 the
//! plain names.

use crate::call::{check, runtime_api};
use crate::driver::{self, CUgraph, CUgraphNode};
use crate::state;
use texunit_cuda_abi::CUgraphEdgeData;
use texunit_cuda_abi::args::{In, InOut, Out};

/// Defines the functions with edge data, under the names of a version.
macro_rules! with_data {
    ($get:ident, $before:ident, $behind:ident, $add:ident, $remove:ident) => {
        runtime_api! {
            /// The edges of a graph with their data.
            fn $get(
                graph: CUgraph,
                from: Out<CUgraphNode>,
                to: Out<CUgraphNode>,
                edgeData: Out<CUgraphEdgeData>,
                numEdges: InOut<usize>,
            ) {
                state::context()?;
                // SAFETY: the caller passes the capacity of its buffer.
                check(unsafe {
                    driver::cuGraphGetEdges_v2(graph, from.as_ptr(), to.as_ptr(), edgeData.as_ptr(), numEdges.as_ptr())
                })
            }

            /// The nodes that a node depends on, with edge data.
            fn $before(
                node: CUgraphNode,
                pDependencies: Out<CUgraphNode>,
                edgeData: Out<CUgraphEdgeData>,
                pNumDependencies: InOut<usize>,
            ) {
                state::context()?;
                let (to, count) = (pDependencies.as_ptr(), pNumDependencies.as_ptr());
                // SAFETY: the caller passes the capacity of its buffer.
                check(unsafe { driver::cuGraphNodeGetDependencies_v2(node, to, edgeData.as_ptr(), count) })
            }

            /// The nodes that depend on a node, with edge data.
            fn $behind(
                node: CUgraphNode,
                pDependentNodes: Out<CUgraphNode>,
                edgeData: Out<CUgraphEdgeData>,
                pNumDependentNodes: InOut<usize>,
            ) {
                state::context()?;
                let (to, count) = (pDependentNodes.as_ptr(), pNumDependentNodes.as_ptr());
                // SAFETY: the caller passes the capacity of its buffer.
                check(unsafe { driver::cuGraphNodeGetDependentNodes_v2(node, to, edgeData.as_ptr(), count) })
            }

            /// Adds edges with data.
            fn $add(
                graph: CUgraph,
                from: In<CUgraphNode>,
                to: In<CUgraphNode>,
                edgeData: In<CUgraphEdgeData>,
                numDependencies: usize,
            ) {
                state::context()?;
                let (from, to, data) = (from.as_ptr(), to.as_ptr(), edgeData.as_ptr());
                // SAFETY: the caller passes the length of its array.
                check(unsafe { driver::cuGraphAddDependencies_v2(graph, from, to, data, numDependencies) })
            }

            /// Removes edges with this data.
            fn $remove(
                graph: CUgraph,
                from: In<CUgraphNode>,
                to: In<CUgraphNode>,
                edgeData: In<CUgraphEdgeData>,
                numDependencies: usize,
            ) {
                state::context()?;
                let (from, to, data) = (from.as_ptr(), to.as_ptr(), edgeData.as_ptr());
                // SAFETY: the caller passes the length of its array.
                check(unsafe { driver::cuGraphRemoveDependencies_v2(graph, from, to, data, numDependencies) })
            }
        }
    };
}

#[cfg(not(feature = "cuda-12"))]
with_data!(
    cudaGraphGetEdges,
    cudaGraphNodeGetDependencies,
    cudaGraphNodeGetDependentNodes,
    cudaGraphAddDependencies,
    cudaGraphRemoveDependencies
);

#[cfg(feature = "cuda-12")]
with_data!(
    cudaGraphGetEdges_v2,
    cudaGraphNodeGetDependencies_v2,
    cudaGraphNodeGetDependentNodes_v2,
    cudaGraphAddDependencies_v2,
    cudaGraphRemoveDependencies_v2
);

#[cfg(feature = "cuda-12")]
runtime_api! {
    /// The edges of a graph.
    fn cudaGraphGetEdges(graph: CUgraph, from: Out<CUgraphNode>, to: Out<CUgraphNode>, numEdges: InOut<usize>) {
        state::context()?;
        // SAFETY: the caller passes the capacity of its buffer.
        check(unsafe { driver::cuGraphGetEdges(graph, from.as_ptr(), to.as_ptr(), numEdges.as_ptr()) })
    }

    /// The nodes that a node depends on.
    fn cudaGraphNodeGetDependencies(node: CUgraphNode, pDependencies: Out<CUgraphNode>, pNumDependencies: InOut<usize>) {
        state::context()?;
        // SAFETY: the caller passes the capacity of its buffer.
        check(unsafe { driver::cuGraphNodeGetDependencies(node, pDependencies.as_ptr(), pNumDependencies.as_ptr()) })
    }

    /// The nodes that depend on a node.
    fn cudaGraphNodeGetDependentNodes(node: CUgraphNode, pDependentNodes: Out<CUgraphNode>, pNumDependentNodes: InOut<usize>) {
        state::context()?;
        let (to, count) = (pDependentNodes.as_ptr(), pNumDependentNodes.as_ptr());
        // SAFETY: the caller passes the capacity of its buffer.
        check(unsafe { driver::cuGraphNodeGetDependentNodes(node, to, count) })
    }

    /// Adds edges.
    fn cudaGraphAddDependencies(graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>, numDependencies: usize) {
        state::context()?;
        let (from, to) = (from.as_ptr(), to.as_ptr());
        // SAFETY: the caller passes the length of its array.
        check(unsafe { driver::cuGraphAddDependencies_v2(graph, from, to, std::ptr::null(), numDependencies) })
    }

    /// Removes edges.
    fn cudaGraphRemoveDependencies(graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>, numDependencies: usize) {
        state::context()?;
        let (from, to) = (from.as_ptr(), to.as_ptr());
        // SAFETY: the caller passes the length of its array.
        check(unsafe { driver::cuGraphRemoveDependencies_v2(graph, from, to, std::ptr::null(), numDependencies) })
    }
}
