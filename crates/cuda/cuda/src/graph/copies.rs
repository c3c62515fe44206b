//! Nodes of several memory copies (`CU_GRAPH_NODE_TYPE_MEMCPY_BATCH`), into which captured batches
//! are converted.

use super::params::context_or_current;
use crate::api::copy_batch::Batch;
use crate::args::{Answer, Elements, In};
use crate::context::Context;
use crate::deferred::Order;
use crate::handle::Handle;
use texunit_cuda_abi::{CUDA_MEMCPY_BATCH_NODE_PARAMS, CUdeviceptr, CUmemcpyAttributes};

/// Several copies as one operation.
#[derive(Debug)]
pub(crate) struct CopiesOp {
    dsts: Box<[CUdeviceptr]>,
    srcs: Box<[CUdeviceptr]>,
    sizes: Box<[usize]>,
    attrs: Box<[CUmemcpyAttributes]>,
    indices: Box<[usize]>,
    pub(crate) context: Handle<Context>,
}

impl CopiesOp {
    /// The copies of a parameter structure.
    ///
    /// # Safety
    /// The arrays to which `params` points have the lengths that it states.
    pub(crate) unsafe fn new(params: &CUDA_MEMCPY_BATCH_NODE_PARAMS) -> Answer<Self> {
        let CUDA_MEMCPY_BATCH_NODE_PARAMS { count, numAttrs, .. } = *params;
        let context = context_or_current(params.ctx)?.handle;
        // SAFETY: the caller upholds this function's safety contract.
        unsafe {
            let (dsts, srcs, sizes) =
                (In::of(params.dsts), In::of(params.srcs), In::of(params.sizes));
            let (attrs, indices) = (In::of(params.attrs), In::of(params.attrsIdxs));
            let batch = Batch::new([dsts, srcs], sizes, count, attrs, indices, numAttrs);
            batch.check().map_err(|(_, refusal)| refusal)?;
            let ends = [dsts.elements(count), srcs.elements(count)];
            let (attrs, indices) = (attrs.elements(numAttrs), indices.elements(numAttrs));
            Self::of(ends, sizes.elements(count), attrs, indices, context)
        }
    }

    /// The copies of arrays that have been checked.
    pub(crate) fn of(
        [dsts, srcs]: [Elements<'_, CUdeviceptr>; 2],
        sizes: Elements<'_, usize>,
        attrs: Elements<'_, CUmemcpyAttributes>,
        indices: Elements<'_, usize>,
        context: Handle<Context>,
    ) -> Answer<Self> {
        Ok(Self {
            dsts: dsts.to_vec()?.into(),
            srcs: srcs.to_vec()?.into(),
            sizes: sizes.to_vec()?.into(),
            attrs: attrs.to_vec()?.into(),
            indices: indices.to_vec()?.into(),
            context,
        })
    }

    /// The parameter structure, whose pointers lead into this value.
    pub(crate) fn params(&self) -> CUDA_MEMCPY_BATCH_NODE_PARAMS {
        CUDA_MEMCPY_BATCH_NODE_PARAMS {
            count: self.sizes.len(),
            dsts: self.dsts.as_ptr().expose_provenance() as u64,
            srcs: self.srcs.as_ptr().expose_provenance() as u64,
            sizes: self.sizes.as_ptr().expose_provenance() as u64,
            attrs: self.attrs.as_ptr().expose_provenance() as u64,
            attrsIdxs: self.indices.as_ptr().expose_provenance() as u64,
            numAttrs: self.attrs.len(),
            ctx: self.context.number(),
        }
    }

    /// The reason why an executable graph cannot replace these copies by others.
    pub(crate) fn differs(&self, other: &Self) -> Option<&'static str> {
        match () {
            () if self.context != other.context => Some("its context changes"),
            () if self.sizes.len() != other.sizes.len() => Some("the number of its copies changes"),
            () if (&self.attrs, &self.indices) != (&other.attrs, &other.indices) => {
                Some("the attributes of its copies change")
            }
            () => None,
        }
    }

    /// Address, size in bytes and access (whether written) of all ranges.
    pub(super) fn ranges(&self) -> Vec<(u64, u64, bool)> {
        let copies = self.dsts.iter().zip(&self.srcs).zip(&self.sizes);
        let of = |((&to, &from), &size): ((&u64, &u64), &usize)| {
            [(from, size as u64, false), (to, size as u64, true)]
        };
        copies.flat_map(of).collect()
    }

    /// Executes the copies.
    pub(super) fn run(&self, order: &Order) -> Answer {
        for ((&to, &from), &size) in self.dsts.iter().zip(&self.srcs).zip(&self.sizes) {
            // A copy of size 0 is disabled.
            if size > 0 {
                // SAFETY: the program guarantees that its memory exists when the node runs.
                unsafe { crate::api::copy_batch::copy_bytes(to, from, size, order)? };
            }
        }
        Ok(())
    }
}
