//! Nodes that allocate, free, and work on words of memory.
//!
//! Memory of a graph has its address from the time on when its node is made, and is there from the time on when the node
//! has run until it is freed: by a node, by a stream or by the host. The address is taken by an allocation that is
//! given back at once; devices do not give out an address again before all others were used.

use super::op::Op;
use crate::args::{Answer, In};
use crate::checks::{self, Stand};
use crate::context::Context;
use crate::error::refusal;
use crate::memory::pool::PoolLocation;
use crate::memory::{self, AllocationKind};
use crate::state;
use std::sync::{Arc, Mutex, PoisonError};
use texunit_cuda_abi::{
    CU_MEM_HANDLE_TYPE_NONE, CU_MEM_LOCATION_TYPE_DEVICE, CUDA_BATCH_MEM_OP_NODE_PARAMS,
    CUDA_MEM_ALLOC_NODE_PARAMS, CUdevice, CUmemAccessDesc, CUresult, CUstreamBatchMemOpParams,
    Refusal,
};
use texunit_device::Block;

/// What messages call memory of graphs.
pub(crate) const MADE_BY: &str = "cuGraphAddMemAllocNode";
/// Most operations of a node.
const MAX_OPERATIONS: u32 = 256;

/// A graph with such nodes refuses a change.
pub(super) fn fixed(what: &str) -> Refusal {
    CUresult::NOT_SUPPORTED
        .because(format!("the graph has nodes that allocate or free memory: {what}"))
}

fn invalid(reason: String) -> Refusal {
    CUresult::INVALID_VALUE.because(reason)
}

/// An allocation.
#[derive(Debug)]
pub(crate) struct AllocOp {
    params: CUDA_MEM_ALLOC_NODE_PARAMS,
    access: Box<[CUmemAccessDesc]>,
    /// Memory of the host, which keeps its place while nobody may use it.
    block: Option<Arc<Block>>,
}

impl AllocOp {
    /// Takes an address, which goes into the parameters.
    ///
    /// # Safety
    /// `accessDescs` leads to as many as the structure says.
    pub(crate) unsafe fn new(params: &mut CUDA_MEM_ALLOC_NODE_PARAMS) -> Answer<Self> {
        let props = &params.poolProps;
        let place = crate::api::pool::place(props.alloc_type, props.location)?;
        if props.handle_types != CU_MEM_HANDLE_TYPE_NONE {
            return Err(invalid(format!(
                "handleTypes {} of poolProps is not CU_MEM_HANDLE_TYPE_NONE (0): memory of graphs is not shared",
                props.handle_types
            )));
        }
        if params.bytesize == 0 {
            return Err(invalid("bytesize is 0: an allocation has at least one byte".to_owned()));
        }
        // SAFETY: as the caller promises.
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
                    let made = gpu.device.alloc(size, MADE_BY);
                    made.map_err(|error| memory::no_room(&gpu.device, size, error))
                })?;
                buffer.address()
            }
            PoolLocation::Host | PoolLocation::Managed => {
                let made = memory::host_block(params.bytesize, MADE_BY)?;
                let address = made.host_address();
                block = Some(Arc::new(made));
                address
            }
        };
        Ok(Self { params: *params, access, block })
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

    /// The memory is there from now on.
    pub(super) fn run(&self, context: &Context) -> Answer {
        let size = self.params.bytesize as u64;
        if let Some(block) = &self.block {
            memory::map_host(context, Arc::clone(block), AllocationKind::Graph)?;
            return Ok(());
        }
        let gpu = state::gpu(self.params.poolProps.location.id)?;
        memory::allocate_at(context, gpu, (self.dptr(), size), MADE_BY)?;
        usage(gpu.ordinal, |usage, used| {
            usage.most = usage.most.max(used);
            usage.reserved = usage.reserved.max(used);
            usage.most_reserved = usage.most_reserved.max(usage.reserved);
        });
        Ok(())
    }

    /// A launch begins: what an earlier one has left is freed if the graph was made so, or it is a mistake.
    pub(super) fn begin(&self, frees: bool) -> Answer {
        match memory::find(self.dptr()) {
            Some(_) if frees => free(self.dptr(), None),
            Some(_) => Err(invalid(format!(
                "memory {:#x} of the graph is still allocated by an earlier launch: free it, or instantiate with \
                 CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH",
                self.dptr()
            ))),
            None => Ok(()),
        }
    }
}

/// Frees memory, as a node that stands there, or (`None`) because a launch begins.
pub(super) fn free(dptr: u64, stand: Option<&Stand>) -> Answer {
    let freed = memory::take("dptr", dptr, |kind| {
        matches!(kind, AllocationKind::Graph | AllocationKind::Device | AllocationKind::Pool(_))
    })?;
    if let Some(stand) = stand {
        checks::freed(stand, (freed.base, freed.size), freed.id);
    }
    freed.end();
    Ok(())
}

/// A node that frees.
pub(crate) fn free_op(dptr: u64) -> Answer<Op> {
    if dptr == 0 {
        return Err(invalid("dptr is null".to_owned()));
    }
    Ok(Op::MemFree(dptr))
}

/// What is known of the graphs' memory on a device.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    most: u64,
    reserved: u64,
    most_reserved: u64,
}

static USAGE: Mutex<Vec<Usage>> = Mutex::new(Vec::new());

/// Works with what is known, and the bytes that are allocated now.
fn usage<T>(ordinal: CUdevice, work: impl FnOnce(&mut Usage, u64) -> T) -> T {
    let of = |a: &memory::Allocation| {
        matches!(a.kind, AllocationKind::Graph) && !a.on_host() && a.gpu.ordinal == ordinal
    };
    let used = memory::all(of).iter().map(|allocation| allocation.size).sum();
    let mut all = USAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let index = ordinal as usize;
    if all.len() <= index {
        all.resize(index + 1, Usage::default());
    }
    work(&mut all[index], used)
}

/// `cuDeviceGetGraphMemAttribute`
pub(crate) fn attribute(ordinal: CUdevice, attribute: u32) -> Answer<u64> {
    usage(ordinal, |usage, used| {
        Ok(match attribute {
            0 => used,
            1 => usage.most,
            2 => usage.reserved.max(used),
            3 => usage.most_reserved,
            _ => {
                return Err(invalid(format!(
                    "attr {attribute} is not a CUgraphMem_attribute: those are 0 to 3"
                )));
            }
        })
    })
}

/// `cuDeviceSetGraphMemAttribute`: the marks can be reset.
pub(crate) fn reset(ordinal: CUdevice, attribute: u32, value: u64) -> Answer {
    usage(ordinal, |usage, used| {
        match (attribute, value) {
            (1, 0) => usage.most = used,
            (3, 0) => usage.most_reserved = usage.reserved.max(used),
            _ => {
                return Err(invalid(format!(
                    "attr {attribute} and value {value}: only the high-water marks (1, 3) can be set, and only to 0"
                )));
            }
        }
        Ok(())
    })
}

/// `cuDeviceGraphMemTrim`
pub(crate) fn trim(ordinal: CUdevice) {
    usage(ordinal, |usage, used| usage.reserved = used);
}

/// Operations on words of memory.
#[derive(Debug)]
pub(crate) struct BatchOp {
    params: CUDA_BATCH_MEM_OP_NODE_PARAMS,
    operations: Box<[CUstreamBatchMemOpParams]>,
    context: Arc<Context>,
}

/// One of them: what it is, where, the value, and flags.
fn parts(operation: &CUstreamBatchMemOpParams) -> (u32, u64, u64, u32) {
    let [first, address, value, flags, ..] = operation.words;
    (first as u32, address, value, flags as u32)
}

impl BatchOp {
    /// # Safety
    /// `paramArray` leads to as many as the structure says.
    pub(crate) unsafe fn new(params: &CUDA_BATCH_MEM_OP_NODE_PARAMS) -> Answer<Self> {
        if params.count > MAX_OPERATIONS || params.flags != 0 {
            return Err(invalid(format!(
                "count {} is more than {MAX_OPERATIONS}, or flags {:#x} is not 0",
                params.count, params.flags
            )));
        }
        let context = super::params::context_or_current(params.ctx)?;
        // SAFETY: as the caller promises.
        let operations = unsafe {
            In::<CUstreamBatchMemOpParams>::of(params.paramArray).elements(params.count as usize)
        };
        let operations: Box<[CUstreamBatchMemOpParams]> = operations.to_vec()?.into();
        for (i, operation) in operations.iter().enumerate() {
            let (kind, address, _, flags) = parts(operation);
            let size = match kind {
                1 | 2 => 4,
                4 | 5 => 8,
                // Flushes and barriers: everything before is done by then.
                3 | 6 => continue,
                _ => {
                    return Err(invalid(format!(
                        "operation {kind} of paramArray[{i}] is not a CUstreamBatchMemOpType"
                    )));
                }
            };
            if !address.is_multiple_of(size) || (matches!(kind, 1 | 4) && flags & !(1 << 30) > 3) {
                return Err(invalid(format!(
                    "paramArray[{i}]: address {address:#x} is not a multiple of {size}, or flags {flags:#x} are not known"
                )));
            }
        }
        let params = CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx: context.handle.number(), ..*params };
        Ok(Self { params, operations, context })
    }

    pub(crate) fn params(&self) -> CUDA_BATCH_MEM_OP_NODE_PARAMS {
        let array = self.operations.as_ptr().expose_provenance() as u64;
        CUDA_BATCH_MEM_OP_NODE_PARAMS { paramArray: array, ..self.params }
    }

    /// Does them in their order.
    pub(super) fn run(&self) -> Answer {
        let find = |address: u64, size: u64| {
            memory::linear(&self.context.gpu, address, size).ok_or_else(|| {
                invalid(format!(
                    "address {address:#x} of an operation is not memory that the device reaches"
                ))
            })
        };
        for operation in &self.operations {
            let (kind, address, value, flags) = parts(operation);
            match kind {
                2 => find(address, 4)?.write(0, &(value as u32).to_le_bytes()).map_err(refusal)?,
                5 => find(address, 8)?.write(0, &value.to_le_bytes()).map_err(refusal)?,
                1 | 4 => {
                    let mut bytes = [0; 8];
                    let size = if kind == 1 { 4 } else { 8 };
                    find(address, size)?.read(0, &mut bytes[..size as usize]).map_err(refusal)?;
                    if !holds(u64::from_le_bytes(bytes), value, kind == 1, flags & 3) {
                        return Err(CUresult::NOT_SUPPORTED.because(format!(
                            "an operation waits for a value at {address:#x} which nothing before it has written: a \
                             graph's work is done in the call, so that nobody can write it while the graph waits"
                        )));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether a value is what an operation waits for.
fn holds(found: u64, value: u64, is_short: bool, how: u32) -> bool {
    match how {
        // Differences count modulo the size, as sequence numbers do.
        0 if is_short => (found as u32).wrapping_sub(value as u32).cast_signed() >= 0,
        0 => found.wrapping_sub(value).cast_signed() >= 0,
        1 if is_short => found as u32 == value as u32,
        1 => found == value,
        2 => found & value != 0,
        _ if is_short => !(found as u32 | value as u32) != 0,
        _ => !(found | value) != 0,
    }
}
