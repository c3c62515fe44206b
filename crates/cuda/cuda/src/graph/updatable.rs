//! Device-updatable kernel nodes (`CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`).
//!
//! The device-side handle is the address of a record in device memory that contains the node's
//! launch parameters. `cudaGraphKernelNodeSetParam` and similar functions (their PTX is in
//! `texunit-link`) write the record, and a launch reads it. Changes by the host are written to it,
//! too.

use super::op::KernelOp;
use crate::args::Answer;
use crate::error::refusal;
use crate::shape::Shape;
use std::borrow::Cow;
use texunit_cuda_abi::{CUresult, Refusal, ensure};
use texunit_device::{Buffer, Linear};

/// Bytes before the parameters: their size, whether the node is enabled, and the grid.
const HEADER: u64 = 32;

/// The device-side record of a node.
#[derive(Debug)]
pub(crate) struct Updatable {
    buffer: Buffer,
    linear: Linear,
}

impl Updatable {
    /// A record for a kernel node.
    pub(crate) fn new(op: &KernelOp) -> Answer<Self> {
        let (device, size) = (&op.context.gpu.device, HEADER + op.params().len() as u64);
        let buffer = device.alloc(size, "a kernel node that kernels update").map_err(refusal)?;
        let linear = device.linear(buffer.address(), size).map_err(refusal)?;
        let new = Self { buffer, linear };
        new.set_enabled(true)?;
        new.set(op)?;
        Ok(new)
    }

    /// The device-side handle of the node.
    pub(crate) fn address(&self) -> u64 {
        self.buffer.address()
    }

    fn write(&self, at: u64, bytes: &[u8]) -> Answer {
        self.linear.write(at, bytes).map_err(refusal)
    }

    /// Updates the record when the host changes the node. The function stays the same.
    pub(crate) fn set(&self, op: &KernelOp) -> Answer {
        let size = op.params().len();
        ensure!(
            HEADER + size as u64 <= self.linear.len(),
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

    fn read(&self) -> Answer<Vec<u8>> {
        let mut bytes = vec![0; self.linear.len() as usize];
        self.linear.read(0, &mut bytes).map_err(refusal)?;
        Ok(bytes)
    }
}

impl KernelOp {
    /// Grid and parameters as kernels have left them; `None` if they have disabled the node.
    pub(super) fn updated(&self) -> Answer<Option<(Shape, Cow<'_, [u8]>)>> {
        let Some(record) = &self.updatable else {
            return Ok(Some((self.shape, Cow::Borrowed(self.params()))));
        };
        let bytes = record.read()?;
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

/// Refusal of an operation that device-updatable nodes do not support.
pub(crate) fn fixed(what: &str) -> Refusal {
    CUresult::NOT_SUPPORTED.because(format!(
        "kernels can update a node of the graph (CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE): {what}"
    ))
}
