//! Functions that add nodes to graphs, and that read and change the parameters of nodes of a graph
//! and of an executable graph, where the runtime's structures differ from the driver's.

use super::params::{kernel, memcpy, of_kernel, of_memcpy, of_symbol, to_symbol, translated};
use crate::api::*;
use texunit_cuda_abi::graph_node_type as kind;

runtime_api! {
    /// Adds a kernel node, named by its host stub or a handle.
    fn cudaGraphAddKernelNode(pGraphNode, graph, pDependencies, numDependencies, pNodeParams) {
        context()?;
        let (params, node) = (kernel(&pNodeParams.get()?)?, pGraphNode.as_ptr());
        let (before, params) = (pDependencies.as_ptr(), &raw const params);
        // SAFETY: the caller passes the number of dependencies, and a kernel's arguments.
        check(unsafe { driver::cuGraphAddKernelNode_v2(node, graph, before, numDependencies, params) })
    }

    /// The parameters of a kernel node, with the host stub of the kernel if it has one.
    fn cudaGraphKernelNodeGetParams(node, pNodeParams) {
        context()?;
        pNodeParams.give(|| Ok(of_kernel(&ask(|params| driver::cuGraphKernelNodeGetParams_v2(node, params))?)))
    }

    /// Changes the parameters of a kernel node.
    fn cudaGraphKernelNodeSetParams(node, pNodeParams) {
        context()?;
        let params = kernel(&pNodeParams.get()?)?;
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        check(unsafe { driver::cuGraphKernelNodeSetParams_v2(node, &raw const params) })
    }

    /// Changes the parameters of a kernel node of an executable graph.
    fn cudaGraphExecKernelNodeSetParams(hGraphExec, node, pNodeParams) {
        context()?;
        let params = kernel(&pNodeParams.get()?)?;
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        check(unsafe { driver::cuGraphExecKernelNodeSetParams_v2(hGraphExec, node, &raw const params) })
    }

    /// The parameters of a memcpy node.
    fn cudaGraphMemcpyNodeGetParams(node, pNodeParams) {
        context()?;
        pNodeParams.give(|| of_memcpy(&ask(|copy| driver::cuGraphMemcpyNodeGetParams(node, copy))?))
    }

    /// Changes the parameters of a node of any kind.
    fn cudaGraphNodeSetParams(node, nodeParams) {
        context()?;
        let params = translated(&nodeParams.get()?)?;
        // SAFETY: pointers in the parameters are valid as the runtime API requires.
        check(unsafe { driver::cuGraphNodeSetParams(node, &raw const params) })
    }

    /// Changes the parameters of a node of any kind of an executable graph.
    fn cudaGraphExecNodeSetParams(graphExec, node, nodeParams) {
        context()?;
        let params = translated(&nodeParams.get()?)?;
        // SAFETY: pointers in the parameters are valid as the runtime API requires.
        check(unsafe { driver::cuGraphExecNodeSetParams(graphExec, node, &raw const params) })
    }
}

/// Defines the four functions that pass a copy to one function of the driver: a 3D region, bytes,
/// bytes into a variable, and bytes out of a variable. Given are their names, the parameters that
/// come first, the name of the region, and the call of the driver.
macro_rules! memcpy_nodes {
    (
        $all:ident, $line:ident, $to:ident, $from:ident,
        $first:tt, $region:ident, |$copy:ident| $call:expr
    ) => {
        memcpy_nodes! {
            $first |$copy| $call;
            /// A copy of a 3D region.
            fn $all($region: In<cudaMemcpy3DParms>) { memcpy(&$region.get()?)? }
            /// A copy of bytes.
            fn $line(dst: u64, src: u64, count: usize, kind: u32) {
                let direction = Direction::of(kind)?;
                line((dst, direction.destination()), (src, direction.source()), count)
            }
            /// A copy of bytes into a variable.
            fn $to(symbol: *const c_void, src: u64, count: usize, offset: usize, kind: u32) {
                to_symbol(symbol, src, count, offset, kind)?
            }
            /// A copy of bytes out of a variable.
            fn $from(dst: u64, symbol: *const c_void, count: usize, offset: usize, kind: u32) {
                of_symbol(dst, symbol, count, offset, kind)?
            }
        }
    };
    ($first:tt |$copy:ident| $call:expr; $($(#[$doc:meta])* fn $name:ident $args:tt $made:block)*) => {
        $(memcpy_nodes! { @ $first $args $(#[$doc])* fn $name $made |$copy| $call })*
    };
    (
        @ ($($first:ident: $of:ty),*) ($($arg:ident: $type:ty),*)
        $(#[$doc:meta])* fn $name:ident $made:block |$copy:ident| $call:expr
    ) => {
        runtime_api! {
            $(#[$doc])*
            fn $name($($first: $of,)* $($arg: $type),*) {
                context()?;
                let $copy: CUDA_MEMCPY3D = $made;
                let $copy = &raw const $copy;
                // SAFETY: the program's memory is valid as the runtime API requires.
                check(unsafe { $call })
            }
        }
    };
}

memcpy_nodes! {
    cudaGraphAddMemcpyNode, cudaGraphAddMemcpyNode1D, cudaGraphAddMemcpyNodeToSymbol,
    cudaGraphAddMemcpyNodeFromSymbol,
    (pGraphNode: Out<CUgraphNode>, graph: CUgraph, pDependencies: In<CUgraphNode>, numDependencies: usize),
    pCopyParams, |copy| driver::cuGraphAddMemcpyNode(
        pGraphNode.as_ptr(), graph, pDependencies.as_ptr(), numDependencies, copy, 0
    )
}

memcpy_nodes! {
    cudaGraphMemcpyNodeSetParams, cudaGraphMemcpyNodeSetParams1D,
    cudaGraphMemcpyNodeSetParamsToSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
    (node: CUgraphNode), pNodeParams, |copy| driver::cuGraphMemcpyNodeSetParams(node, copy)
}

memcpy_nodes! {
    cudaGraphExecMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams1D,
    cudaGraphExecMemcpyNodeSetParamsToSymbol, cudaGraphExecMemcpyNodeSetParamsFromSymbol,
    (hGraphExec: CUgraphExec, node: CUgraphNode), pNodeParams,
    |copy| driver::cuGraphExecMemcpyNodeSetParams(hGraphExec, node, copy, 0)
}

#[cfg(not(feature = "cuda-12"))]
runtime_api! {
    /// The parameters of a node of any kind.
    fn cudaGraphNodeGetParams(node, nodeParams) {
        context()?;
        let found = || ask(|params| driver::cuGraphNodeGetParams(node, params));
        nodeParams.give(|| super::params::of_driver_params(found()?))
    }
}

/// Defines the function that adds a node of any kind, with edge data, under its name in a version.
macro_rules! add_node {
    ($name:ident) => {
        runtime_api! {
            /// Adds a node of any kind, with edge data.
            fn $name(
                pGraphNode: Out<CUgraphNode>,
                graph: CUgraph,
                pDependencies: In<CUgraphNode>,
                dependencyData: In<CUgraphEdgeData>,
                numDependencies: usize,
                nodeParams: InOut<CUgraphNodeParams>,
            ) {
                let before = (pDependencies, dependencyData, numDependencies);
                add_any(pGraphNode, graph, before, nodeParams)
            }
        }
    };
}

#[cfg(not(feature = "cuda-12"))]
add_node!(cudaGraphAddNode);
#[cfg(feature = "cuda-12")]
add_node!(cudaGraphAddNode_v2);

#[cfg(feature = "cuda-12")]
runtime_api! {
    /// Adds a node of any kind.
    fn cudaGraphAddNode(pGraphNode, graph, pDependencies, numDependencies, nodeParams) {
        add_any(pGraphNode, graph, (pDependencies, In::null(), numDependencies), nodeParams)
    }
}

/// Adds a node of any kind after some others, given with their edge data and number.
fn add_any(
    node: Out<'_, CUgraphNode>,
    graph: CUgraph,
    (before, data, count): (In<'_, CUgraphNode>, In<'_, CUgraphEdgeData>, usize),
    params: InOut<'_, CUgraphNodeParams>,
) -> Answer {
    context()?;
    let given = params.get()?;
    let mut of_driver = translated(&given)?;
    let (node, before, data) = (node.as_ptr(), before.as_ptr(), data.as_ptr());
    // SAFETY: the caller passes the number of dependencies, and valid pointers in the parameters.
    check(unsafe {
        driver::cuGraphAddNode_v2(node, graph, before, data, count, &raw mut of_driver)
    })?;
    // The driver writes results into the parameters of two kinds of nodes.
    let has_results = matches!(given.kind, kind::MEM_ALLOC | kind::CONDITIONAL);
    params.out().set(if has_results { of_driver } else { given })
}
