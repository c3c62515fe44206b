//! Graph nodes that allocate and free memory.
//!
//! Graph memory has an address as soon as its node is created, and exists from the execution of
//! that node until it is freed by a node, a stream or the host. The address is reserved by an
//! allocation that is freed immediately, as devices reuse an address only after all others.

use super::*;
use crate::check_log::QueuePosition;
use crate::memory::pool::{self, PoolLocation};
use crate::memory::{self, AllocationKind};
use crate::{checks, state};
use texunit_device::Block;

/// Refusal of a change to a graph with allocation or free nodes.
pub(super) fn fixed(what: &str) -> Refusal {
    CUresult::NOT_SUPPORTED
        .because(format!("the graph has nodes that allocate or free memory: {what}"))
}

/// A memory allocation.
#[derive(Debug)]
pub(crate) struct AllocOp {
    params: CUDA_MEM_ALLOC_NODE_PARAMS,
    access: Box<[CUmemAccessDesc]>,
    /// Memory on the host, which keeps its address while it is inaccessible.
    block: Option<Arc<Block>>,
}

impl AllocOp {
    /// Reserves an address and writes it into the parameters.
    ///
    /// # Safety
    /// `accessDescs` points to as many descriptions as the structure counts.
    pub(crate) unsafe fn new(params: &mut CUDA_MEM_ALLOC_NODE_PARAMS) -> Answer<Self> {
        let props = &params.poolProps;
        let place = pool::place(props.alloc_type, props.location)?;
        ensure!(
            props.handle_types == CU_MEM_HANDLE_TYPE_NONE,
            "handleTypes {} of poolProps is not CU_MEM_HANDLE_TYPE_NONE (0): memory of graphs is not shared",
            props.handle_types
        );
        ensure!(params.bytesize != 0, "bytesize is 0: an allocation has at least one byte");
        // SAFETY: the caller upholds this function's safety contract.
        let access = unsafe {
            In::<CUmemAccessDesc>::of(params.accessDescs).elements(params.accessDescCount)
        };
        let access: Box<[CUmemAccessDesc]> = access.to_vec()?.into();
        for other in
            access.iter().filter(|other| other.location.kind == CU_MEM_LOCATION_TYPE_DEVICE)
        {
            state::gpu(other.location.id)?;
        }
        let (size, mut block) = (params.bytesize as u64, None);
        params.dptr = match place {
            PoolLocation::Device(ordinal) => {
                let gpu = state::gpu(ordinal)?;
                let buffer = memory::with_room(gpu, || {
                    let made = gpu.device.alloc(size, memory::GRAPH_NODE);
                    made.map_err(|error| memory::no_room(&gpu.device, size, error))
                })?;
                buffer.address()
            }
            PoolLocation::Host | PoolLocation::Managed => {
                let made = memory::host_block(params.bytesize, memory::GRAPH_NODE)?;
                let address = made.host_address();
                block = Some(Arc::new(made));
                address
            }
        };
        Ok(Self { params: *params, access, block })
    }

    /// Whether two operations allocate the same kind of memory.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let of =
            |op: &Self| (op.params.bytesize, op.params.poolProps.location.id, op.block.is_some());
        of(self) == of(other)
    }

    pub(crate) fn dptr(&self) -> u64 {
        self.params.dptr
    }

    pub(crate) fn params(&self) -> CUDA_MEM_ALLOC_NODE_PARAMS {
        let access = match self.access.len() {
            0 => 0,
            _ => self.access.as_ptr().expose_provenance() as u64,
        };
        CUDA_MEM_ALLOC_NODE_PARAMS { accessDescs: access, ..self.params }
    }

    /// Allocates the memory.
    pub(super) fn run(&self, context: &Context) -> Answer {
        let size = self.params.bytesize as u64;
        if let Some(block) = &self.block {
            memory::map_host(context, Arc::clone(block), AllocationKind::Graph)?;
            return Ok(());
        }
        let gpu = state::gpu(self.params.poolProps.location.id)?;
        memory::allocate_at(context, gpu, (self.dptr(), size), memory::GRAPH_NODE)?;
        usage(gpu.ordinal, |usage, used| {
            usage.most = usage.most.max(used);
            usage.reserved = usage.reserved.max(used);
            usage.most_reserved = usage.most_reserved.max(usage.reserved);
        });
        Ok(())
    }

    /// At the start of a launch, frees memory left by an earlier launch if the graph was
    /// instantiated so; otherwise that is an error.
    pub(super) fn begin(&self, frees: bool) -> Answer {
        match memory::find(self.dptr()) {
            Some(_) if frees => free(self.dptr(), None),
            Some(_) => Err(invalid!(
                "memory {:#x} of the graph is still allocated by an earlier launch: free it, or instantiate with \
                 CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH",
                self.dptr()
            )),
            None => Ok(()),
        }
    }
}

/// Frees memory, in a node at a position, or (`None`) at the start of a launch.
pub(super) fn free(dptr: u64, position: Option<&QueuePosition>) -> Answer {
    let freed = memory::take("dptr", dptr, |kind| {
        matches!(kind, AllocationKind::Graph | AllocationKind::Device | AllocationKind::Pool(_))
    })?;
    if let Some(position) = position {
        checks::freed(position, (freed.base, freed.size), freed.id);
    }
    freed.end();
    Ok(())
}

/// Statistics of graph memory on a device.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    most: u64,
    reserved: u64,
    most_reserved: u64,
}

static USAGE: Mutex<BTreeMap<CUdevice, Usage>> = Mutex::new(BTreeMap::new());

/// Accesses the statistics, given the bytes that are allocated now.
fn usage<T>(ordinal: CUdevice, work: impl FnOnce(&mut Usage, u64) -> T) -> T {
    let of = |a: &memory::Allocation| {
        matches!(a.kind, AllocationKind::Graph) && !a.on_host() && a.gpu.ordinal == ordinal
    };
    let used = memory::all(of).iter().map(|allocation| allocation.size).sum();
    work(lock(&USAGE).entry(ordinal).or_default(), used)
}

/// Returns an attribute of a device's graph memory (`cuDeviceGetGraphMemAttribute`).
pub(crate) fn attribute(ordinal: CUdevice, attribute: u32) -> Answer<u64> {
    usage(ordinal, |usage, used| {
        Ok(match attribute {
            0 => used,
            1 => usage.most,
            2 => usage.reserved.max(used),
            3 => usage.most_reserved,
            _ => bail!("attr {attribute} is not a CUgraphMem_attribute: those are 0 to 3"),
        })
    })
}

/// `cuDeviceSetGraphMemAttribute`, which resets high-water marks.
pub(crate) fn reset(ordinal: CUdevice, attribute: u32, value: u64) -> Answer {
    usage(ordinal, |usage, used| {
        match (attribute, value) {
            (1, 0) => usage.most = used,
            (3, 0) => usage.most_reserved = usage.reserved.max(used),
            _ => bail!(
                "attr {attribute} and value {value}: only the high-water marks (1, 3) can be set, and only to 0"
            ),
        }
        Ok(())
    })
}

/// Frees unused graph memory of a device (`cuDeviceGraphMemTrim`).
pub(crate) fn trim(ordinal: CUdevice) {
    usage(ordinal, |usage, used| usage.reserved = used);
}
