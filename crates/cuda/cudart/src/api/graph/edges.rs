//! Edges of graphs. Functions with edge data have suffixed names in CUDA 12, and in CUDA 13 the
//! plain names.

use crate::call::forward;
use crate::driver::{CUgraph, CUgraphNode};
use texunit_cuda_abi::CUgraphEdgeData;
use texunit_cuda_abi::args::{In, InOut, Out};

/// Defines the functions with edge data, under the names of a version.
macro_rules! with_data {
    ($get:ident, $dependencies:ident, $dependents:ident, $add:ident, $remove:ident) => {
        forward! {
            /// The edges of a graph with their data.
            unsafe fn $get(
                graph: CUgraph, from: Out<CUgraphNode>, to: Out<CUgraphNode>,
                edgeData: Out<CUgraphEdgeData>, numEdges: InOut<usize>,
            ) = cuGraphGetEdges_v2;
            /// The nodes that a node depends on, with edge data.
            unsafe fn $dependencies(
                node: CUgraphNode, pDependencies: Out<CUgraphNode>, edgeData: Out<CUgraphEdgeData>,
                pNumDependencies: InOut<usize>,
            ) = cuGraphNodeGetDependencies_v2;
            /// The nodes that depend on a node, with edge data.
            unsafe fn $dependents(
                node: CUgraphNode, pDependentNodes: Out<CUgraphNode>,
                edgeData: Out<CUgraphEdgeData>, pNumDependentNodes: InOut<usize>,
            ) = cuGraphNodeGetDependentNodes_v2;
            /// Adds edges with data.
            unsafe fn $add(
                graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>,
                edgeData: In<CUgraphEdgeData>, numDependencies: usize,
            ) = cuGraphAddDependencies_v2;
            /// Removes edges with this data.
            unsafe fn $remove(
                graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>,
                edgeData: In<CUgraphEdgeData>, numDependencies: usize,
            ) = cuGraphRemoveDependencies_v2;
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
forward! {
    /// The edges of a graph.
    unsafe fn cudaGraphGetEdges(
        graph: CUgraph, from: Out<CUgraphNode>, to: Out<CUgraphNode>, numEdges: InOut<usize>,
    ) = cuGraphGetEdges;
    /// The nodes that a node depends on.
    unsafe fn cudaGraphNodeGetDependencies(
        node: CUgraphNode, pDependencies: Out<CUgraphNode>, pNumDependencies: InOut<usize>,
    ) = cuGraphNodeGetDependencies;
    /// The nodes that depend on a node.
    unsafe fn cudaGraphNodeGetDependentNodes(
        node: CUgraphNode, pDependentNodes: Out<CUgraphNode>, pNumDependentNodes: InOut<usize>,
    ) = cuGraphNodeGetDependentNodes;
    /// Adds edges.
    unsafe fn cudaGraphAddDependencies(
        graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>, numDependencies: usize,
    ) = cuGraphAddDependencies;
    /// Removes edges.
    unsafe fn cudaGraphRemoveDependencies(
        graph: CUgraph, from: In<CUgraphNode>, to: In<CUgraphNode>, numDependencies: usize,
    ) = cuGraphRemoveDependencies;
}
