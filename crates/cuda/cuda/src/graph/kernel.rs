//! Kernel nodes, those that kernels update (`CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`),
//! and graphs that kernels launch.
//!
//! The device-side handle of such a node is the address of a record in device memory that contains
//! the node's launch parameters. `cudaGraphKernelNodeSetParam` and similar functions (their PTX is
//! in `texunit-link`) write the record, and a launch reads it. Changes by the host are written to
//! it, too.

use super::*;
use crate::module::{Function, Module};
use crate::shape::Shape;
use std::borrow::Cow;
use texunit_cuda_abi::launch_attribute as attribute;
use texunit_device::Buffer;

/// A kernel launch.
#[derive(Clone, Debug)]
pub(crate) struct KernelOp {
    pub(crate) function: Arc<Function>,
    pub(crate) context: Arc<Context>,
    /// Handles by which the program named the kernel.
    pub(crate) func: usize,
    pub(crate) kern: usize,
    pub(crate) shape: Shape,
    /// All parameters, in the layout of the kernel's parameter buffer.
    params: Arc<[u8]>,
    /// Addresses of the parameters in that buffer.
    pointers: Arc<[u64]>,
    /// Attributes that were set, by number.
    pub(crate) attributes: BTreeMap<u32, [u32; 16]>,
    /// The device-side record of a device-updatable node.
    pub(crate) updatable: Option<Arc<Updatable>>,
}

impl KernelOp {
    /// A launch of a function that the program names by the handle of a function or kernel.
    pub(crate) fn new(
        (function, handle): (Arc<Function>, usize),
        context: Arc<Context>,
        shape: Shape,
        params: Vec<u8>,
    ) -> Self {
        let is_function = Function::registry().find(Handle::of(handle)).is_some();
        let (func, kern) = if is_function { (handle, 0) } else { (0, handle) };
        let params: Arc<[u8]> = params.into();
        let base = params.as_ptr().expose_provenance() as u64;
        let all = function.kernel.params();
        let pointers = all.iter().map(|param| base + u64::from(param.offset)).collect();
        let (attributes, updatable) = Default::default();
        Self { function, context, func, kern, shape, params, pointers, attributes, updatable }
    }

    pub(crate) fn params(&self) -> &[u8] {
        &self.params
    }

    /// Whether two operations launch the same kernel with the same arguments.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.func, self.kern, self.shape) == (other.func, other.kern, other.shape)
            && self.params == other.params
            && self.attributes == other.attributes
    }

    /// Address of the array of pointers to the arguments; null if there are none.
    pub(crate) fn pointers(&self) -> u64 {
        match self.pointers.is_empty() {
            true => 0,
            false => self.pointers.as_ptr().expose_provenance() as u64,
        }
    }

    /// A copy of the operation with an attribute set.
    pub(crate) fn with_attribute(&self, id: u32, value: [u32; 16]) -> Answer<Self> {
        let mut new = self.clone();
        let [x, y, z, ..] = value;
        match id {
            attribute::COOPERATIVE => new.shape.cooperative = x != 0,
            attribute::DEVICE_UPDATABLE_KERNEL_NODE => {
                match (x, &self.updatable) {
                    (1, None) => new.updatable = Some(Arc::new(Updatable::new(self)?)),
                    (1, Some(_)) | (0, None) => {}
                    _ => bail!(
                        "deviceUpdatable is not 0 or 1, or 0 where it is 1: a node stays one that kernels update"
                    ),
                }
                return Ok(new);
            }
            attribute::CLUSTER_DIMENSION => {
                new.shape.cluster = Some([x, y, z]).filter(|all| *all != [0; 3]);
            }
            _ => {}
        }
        new.attributes.insert(id, value);
        Ok(new)
    }

    /// A copy of the operation with another one's attributes.
    ///
    /// # Errors
    /// The other node is device-updatable, and the function here has more parameters.
    pub(crate) fn with_attributes_of(&self, other: &Self) -> Answer<Self> {
        let mut new = self.clone();
        if let Some(record) = &other.updatable {
            record.set(self)?;
            new.updatable = Some(Arc::clone(record));
        }
        new.attributes.clone_from(&other.attributes);
        new.shape.cooperative = other.shape.cooperative;
        new.shape.cluster = other.shape.cluster;
        Ok(new)
    }

    /// The value of an attribute; zeros if it was not set.
    pub(crate) fn attribute(&self, id: u32) -> [u32; 16] {
        let mut default = [0; 16];
        match id {
            attribute::COOPERATIVE => default[0] = self.shape.cooperative.into(),
            attribute::DEVICE_UPDATABLE_KERNEL_NODE => {
                if let Some(record) = &self.updatable {
                    let address = record.address();
                    (default[0], default[2], default[3]) =
                        (1, address as u32, (address >> 32) as u32);
                }
            }
            attribute::CLUSTER_DIMENSION => {
                default[..3].copy_from_slice(&self.shape.cluster.unwrap_or_default());
            }
            _ => {}
        }
        self.attributes.get(&id).copied().unwrap_or(default)
    }

    /// Grid and parameters as kernels have left them; `None` if they have disabled the node.
    pub(super) fn updated(&self) -> Answer<Option<(Shape, Cow<'_, [u8]>)>> {
        let Some(record) = &self.updatable else {
            return Ok(Some((self.shape, Cow::Borrowed(self.params()))));
        };
        let bytes = record.0.read();
        let word =
            |at: usize| bytes[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        if word(4) == 0 {
            return Ok(None);
        }
        let shape = Shape { grid: [word(8), word(12), word(16)], ..self.shape };
        let params = &bytes[HEADER as usize..][..self.params().len()];
        Ok(Some((shape, Cow::Owned(params.to_vec()))))
    }
}

/// Bytes before the parameters: their size, whether the node is enabled, and the grid.
const HEADER: u64 = 32;

/// The device-side record of a node.
#[derive(Debug)]
pub(crate) struct Updatable(Buffer);

impl Updatable {
    /// A record for a kernel node.
    pub(crate) fn new(op: &KernelOp) -> Answer<Self> {
        let (device, size) = (&op.context.gpu.device, HEADER + op.params().len() as u64);
        let buffer = device.alloc(size, "a kernel node that kernels update").map_err(refusal)?;
        let new = Self(buffer);
        new.set_enabled(true)?;
        new.set(op)?;
        Ok(new)
    }

    /// The device-side handle of the node.
    pub(crate) fn address(&self) -> u64 {
        self.0.address()
    }

    fn write(&self, at: u64, bytes: &[u8]) -> Answer {
        self.0.write(at, bytes).map_err(refusal)
    }

    /// Updates the record when the host changes the node. The function stays the same.
    pub(crate) fn set(&self, op: &KernelOp) -> Answer {
        let size = op.params().len();
        ensure!(
            HEADER + size as u64 <= self.0.size(),
            "kernels can update the node: its function cannot become one with more parameters"
        );
        let grid = op.shape.grid.map(u32::to_le_bytes);
        self.write(0, &(size as u32).to_le_bytes())?;
        self.write(8, grid.as_flattened())?;
        self.write(HEADER, op.params())
    }

    /// Updates the record when the host enables or disables the node.
    pub(crate) fn set_enabled(&self, is_enabled: bool) -> Answer {
        self.write(4, &u32::from(is_enabled).to_le_bytes())
    }
}

/// Refusal of an operation that device-updatable nodes do not support.
pub(crate) fn fixed(what: &str) -> Refusal {
    CUresult::NOT_SUPPORTED.because(format!(
        "kernels can update a node of the graph (CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE): {what}"
    ))
}

/// Name of the module variable in which `cudaGraphLaunch` of the device runtime (its PTX is in
/// `texunit-link`) records handle and stream, and which is read when the kernel has ended. It
/// contains a count, padding, and two words for each launch.
const VARIABLE: &str = "__texunit_graph_launches";
/// Maximum number of launches by a kernel.
const MAX_LAUNCHES: usize = 128;
const LAUNCHES_HEADER: usize = 16;

/// The stream handle for tail launches of graphs (`cudaStreamGraphTailLaunch`).
pub(super) const TAIL: u64 = 0x0100_0000_0000_0000;
/// Streams for device-side launches: tail launch, fire-and-forget, and fire-and-forget as a
/// sibling.
pub(super) const STREAMS: [u64; 3] = [TAIL, 0x0200_0000_0000_0000, 0x0300_0000_0000_0000];

/// Whether a kernel can launch graphs.
pub(super) fn may_launch(op: &KernelOp) -> bool {
    let module = Module::registry().find(op.function.module);
    module.is_some_and(|module| module.loaded.global(VARIABLE).is_some())
}

/// Reads and clears the launches that a kernel has recorded: handles of graphs, and streams.
pub(super) fn launches(op: &KernelOp) -> Answer<Vec<(u64, u64)>> {
    let module = Module::registry().find(op.function.module);
    let Some(noted) = module.and_then(|module| module.loaded.global(VARIABLE)) else {
        return Ok(Vec::new());
    };
    let bytes = noted.read();
    let count = bytes.first_chunk().map_or(0, |count| u32::from_le_bytes(*count) as usize);
    if count == 0 {
        return Ok(Vec::new());
    }
    noted.write(0, &[0; 4]).map_err(refusal)?;
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let pairs = bytes.get(LAUNCHES_HEADER..).unwrap_or_default().chunks_exact(16);
    Ok(pairs
        .take(count.min(MAX_LAUNCHES))
        .map(|pair| (word(&pair[..8]), word(&pair[8..])))
        .collect())
}
