//! Conversion of node parameters between the structures of the driver API and operations.

use super::*;
use crate::array::ArrayObject;
use crate::context::context_or_current;
use crate::launch;
use crate::memory_ops::BatchOp;
use crate::module::Function;
use crate::shape::Shape;
use crate::stream::Event;
use texunit_cuda_abi::graph_node_type as kind;

/// The operation of a kernel node, whose kernel is given as a function or as a library's kernel.
///
/// # Safety
/// The arguments satisfy the safety contract of [`launch::parameters`].
pub(crate) unsafe fn kernel(params: &CUDA_KERNEL_NODE_PARAMS) -> Answer<Op> {
    let given = if params.func != 0 { params.func } else { params.kern };
    ensure!(given != 0, "func and kern of nodeParams are both null");
    let handle = Handle::<Function>::of(given);
    let context = match (params.ctx, Function::registry().find(handle)) {
        (0, Some(function)) => context::alive(function.context, "the context of the function")?,
        (ctx, _) => context_or_current(ctx)?,
    };
    let function = launch::function(handle, &context).map_err(|refusal| match refusal.code {
        // An invalid function handle is reported as an invalid structure member here.
        CUresult::INVALID_HANDLE => {
            refusal.with_code(CUresult::INVALID_VALUE).named("func of nodeParams")
        }
        _ => refusal,
    })?;
    let shape = Shape::plain(params.grid, params.block, params.sharedMemBytes);
    launch::check(&context, &function, &shape)?;
    // SAFETY: the caller upholds this function's safety contract.
    let bytes = unsafe {
        let (each, extra) = (In::of(params.kernelParams), In::of(params.extra));
        launch::parameters(&function, each, extra)?
    };
    Ok(Op::Kernel(Arc::new(KernelOp::new((function, given), context, shape, bytes))))
}

/// The parameters of a kernel node, whose pointers lead into its operation.
pub(crate) fn of_kernel(op: &KernelOp) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func: op.func,
        grid: op.shape.grid,
        block: op.shape.block,
        sharedMemBytes: op.shape.shared,
        kernelParams: op.pointers(),
        extra: 0,
        kern: op.kern,
        ctx: op.context.handle.number(),
    }
}

/// The operation of a memcpy node. Memory is checked when the copy runs, because a preceding node
/// may allocate it.
pub(crate) fn memcpy(copy: &CUDA_MEMCPY3D, ctx: usize) -> Answer<Op> {
    let side = |name: &str, side: &CopySide3D| -> Answer {
        match side.memory_type {
            CU_MEMORYTYPE_ARRAY => {
                let array = Handle::<ArrayObject>::of(side.array).get();
                array.map(|_| ()).map_err(|refusal| refusal.named(&format!("{name}Array")))
            }
            CU_MEMORYTYPE_HOST if side.host == 0 => Err(invalid!("{name}Host is null")),
            CU_MEMORYTYPE_HOST..=CU_MEMORYTYPE_UNIFIED => Ok(()),
            other => Err(invalid!(
                "{name}MemoryType {other} is not a CUmemorytype: 1 (host), 2 (device), 3 (array) or 4 (unified)"
            )),
        }
    };
    side("src", &copy.src)?;
    side("dst", &copy.dst)?;
    ensure!(
        copy.width_in_bytes != 0 && copy.height != 0 && copy.depth != 0,
        "a copy of {} x {} x {} is empty: a memcpy node copies at least one byte",
        copy.width_in_bytes,
        copy.height,
        copy.depth
    );
    let context = context_or_current(ctx)?.handle;
    Ok(Op::Memcpy(Arc::new(CopyOp { copy: *copy, context })))
}

/// The operation of a memset node.
pub(crate) fn memset(params: &CUDA_MEMSET_NODE_PARAMS) -> Answer<Op> {
    let size = params.elementSize;
    ensure!([1, 2, 4].contains(&size), "elementSize {size} is not 1, 2 or 4");
    let bytes = params.width.checked_mul(size as usize);
    ensure!(
        params.width != 0 && params.height != 0 && bytes.is_some(),
        "a region of {} x {} elements is empty, or has more bytes than 64 bits count",
        params.width,
        params.height
    );
    ensure!(
        params.dst.is_multiple_of(size.into()),
        "dst {:#x} is not a multiple of elementSize {size}",
        params.dst
    );
    ensure!(
        params.height <= 1
            || Some(params.pitch) >= bytes && params.pitch.is_multiple_of(size as usize),
        "pitch {} is less than the bytes of a row, or not a multiple of elementSize {size}",
        params.pitch
    );
    let ctx = context_or_current(params.ctx)?.handle.number();
    Ok(Op::Memset(Arc::new(CUDA_MEMSET_NODE_PARAMS { ctx, ..*params })))
}

/// The operation of a memory free node.
pub(crate) fn free(dptr: u64) -> Answer<Op> {
    ensure!(dptr != 0, "dptr is null");
    Ok(Op::MemFree(dptr))
}

/// The operation of a host function node.
pub(crate) fn host(params: &CUDA_HOST_NODE_PARAMS) -> Answer<Op> {
    ensure!(params.function != 0, "fn of nodeParams is null");
    ensure!(
        params.syncMode <= 1,
        "syncMode {} is not 0 (blocking) or 1 (spinning)",
        params.syncMode
    );
    Ok(Op::Host(Arc::new(*params)))
}

/// The operation of a child graph node, with a clone of the given graph.
pub(crate) fn child(graph: Handle<Graph>) -> Answer<Op> {
    let graph = graph.get().map_err(|refusal| refusal.named("childGraph"))?;
    Ok(Op::Child(graph.copy(true)?.handle))
}

/// The event of an event node.
pub(crate) fn event(event: usize) -> Answer<Handle<Event>> {
    let handle = Handle::<Event>::of(event);
    handle.get().map_err(|refusal| refusal.with_code(CUresult::INVALID_VALUE).named("event"))?;
    Ok(handle)
}

/// Refuses a node of external semaphores: none can be imported, so that every handle is invalid.
pub(crate) fn no_semaphores(params: &CUDA_EXT_SEM_NODE_PARAMS) -> Answer<Op> {
    Err(CUresult::INVALID_VALUE.because(match params.numExtSems {
        0 => "numExtSems is 0: such a node has at least one semaphore".to_owned(),
        count => format!(
            "extSemArray has {count}, none of which is an external semaphore: texunit imports none \
             (cuImportExternalSemaphore is not supported)"
        ),
    }))
}

/// The operation that parameters of any kind describe. For a new node, results are written into the
/// parameters.
///
/// # Safety
/// Pointers in the structure are valid as the driver API requires for its kind of node.
pub(crate) unsafe fn any(params: &mut CUgraphNodeParams, graph: &Graph) -> Answer<Op> {
    ensure!(
        params.reserved0 == [0; 3] && params.reserved2 == 0,
        "reserved0 and reserved2 of nodeParams are not all 0"
    );
    Ok(match params.kind {
        // SAFETY: the caller upholds this function's safety contract.
        kind::KERNEL => unsafe { kernel(&params.get())? },
        kind::MEMCPY => {
            let given: CUDA_MEMCPY_NODE_PARAMS = params.get();
            ensure!(
                given.flags == 0 && given.reserved == 0,
                "flags and reserved of memcpy in nodeParams are not 0"
            );
            memcpy(&given.copyParams, given.copyCtx)?
        }
        kind::MEMSET => memset(&params.get())?,
        kind::HOST => host(&params.get())?,
        kind::GRAPH => {
            let given: CUDA_CHILD_GRAPH_NODE_PARAMS = params.get();
            let handle = Handle::of(given.graph);
            match given.ownership {
                0 => child(handle)?,
                1 => moved(handle, graph)?,
                other => bail!("ownership {other} is not 0 (clone) or 1 (move)"),
            }
        }
        kind::EMPTY => Op::Empty,
        kind::WAIT_EVENT => {
            Op::WaitEvent(event(params.get::<CUDA_EVENT_WAIT_NODE_PARAMS>().event)?)
        }
        kind::EVENT_RECORD => {
            let given: CUDA_EVENT_RECORD_NODE_PARAMS = params.get();
            Op::RecordEvent(event(given.event)?)
        }
        kind::EXT_SEMAS_SIGNAL | kind::EXT_SEMAS_WAIT => no_semaphores(&params.get())?,
        kind::MEM_ALLOC => {
            let mut given: CUDA_MEM_ALLOC_NODE_PARAMS = params.get();
            // SAFETY: the caller upholds this function's safety contract.
            let op = unsafe { AllocOp::new(&mut given)? };
            params.set(given);
            Op::MemAlloc(Arc::new(op))
        }
        kind::MEM_FREE => free(params.get::<CUDA_MEM_FREE_NODE_PARAMS>().dptr)?,
        // SAFETY: the caller upholds this function's safety contract.
        kind::BATCH_MEM_OP => Op::Batch(Arc::new(unsafe { BatchOp::new(&params.get())? })),
        kind::CONDITIONAL => {
            let mut given: CUDA_CONDITIONAL_NODE_PARAMS = params.get();
            let op = Arc::new(ConditionalOp::new(&given, graph)?);
            given.phGraph_out = op.handles();
            params.set(given);
            Op::Conditional(op)
        }
        // SAFETY: the caller upholds this function's safety contract.
        kind::MEMCPY_BATCH => Op::Copies(Arc::new(unsafe { CopiesOp::new(&params.get())? })),
        other => bail!(
            CUresult::NOT_SUPPORTED,
            "type {other} of nodeParams is not a CUgraphNodeType that texunit has: those are 0 to 14"
        ),
    })
}

/// Moves a graph into a node of another one, which then owns it.
fn moved(child: Handle<Graph>, parent: &Graph) -> Answer<Op> {
    let graph = child.get().map_err(|refusal| refusal.named("graph"))?;
    // A graph cannot be moved into itself or its inner graphs.
    let mut above = Some(parent.handle);
    while let Some(handle) = above.filter(|&handle| handle != child) {
        above = handle.get()?.owner.get().and_then(|node| node.get().ok()).map(|node| node.graph);
    }
    ensure!(
        graph.owner.get().is_none() && above.is_none(),
        "graph {child:?} belongs to a node already, or is the parent itself or above it"
    );
    Ok(Op::Child(child))
}

/// The parameters of a node, whose pointers lead into its operation.
pub(crate) fn of(op: &Op) -> CUgraphNodeParams {
    let mut params = CUgraphNodeParams { kind: op.kind(), ..CUgraphNodeParams::default() };
    match op {
        Op::Kernel(op) => params.set(of_kernel(op)),
        Op::Memcpy(op) => params.set(CUDA_MEMCPY_NODE_PARAMS {
            flags: 0,
            reserved: 0,
            copyCtx: op.context.number(),
            copyParams: op.copy,
        }),
        Op::Copies(op) => params.set(op.params()),
        Op::Memset(op) => params.set(**op),
        Op::Host(op) => params.set(**op),
        // The inner graph is owned by the driver, and callers that pass the parameters on must not
        // take ownership.
        Op::Child(graph) => {
            params.set(CUDA_CHILD_GRAPH_NODE_PARAMS { graph: graph.number(), ownership: -1 });
        }
        Op::Work(..) | Op::Empty => {}
        Op::WaitEvent(event) => params.set(CUDA_EVENT_WAIT_NODE_PARAMS { event: event.number() }),
        Op::RecordEvent(event) => {
            params.set(CUDA_EVENT_RECORD_NODE_PARAMS { event: event.number(), ctx: 0 });
        }
        Op::MemAlloc(op) => params.set(op.params()),
        Op::MemFree(dptr) => params.set(CUDA_MEM_FREE_NODE_PARAMS { dptr: *dptr }),
        Op::Batch(op) => params.set(op.params()),
        Op::Conditional(op) => params.set(op.params()),
    }
    params
}
