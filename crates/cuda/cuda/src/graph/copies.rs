//! Nodes of several copies of bytes (`CU_GRAPH_NODE_TYPE_MEMCPY_BATCH`), which captured batches become.

use super::params::context_or_current;
use crate::api::copy_batch::Batch;
use crate::args::{Answer, Elements, In};
use crate::context::Context;
use crate::handle::Handle;
use crate::late::Order;
use texunit_cuda_abi::{CUDA_MEMCPY_BATCH_NODE_PARAMS, CUdeviceptr, CUmemcpyAttributes};

/// Several copies.
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
    /// Those of a structure.
    ///
    /// # Safety
    /// Its arrays are as long as it says.
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

    /// Those of arrays, which have been checked.
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

    /// The structure, which points into this.
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

    /// Why an instance cannot do the copies of another one instead.
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

    /// Addresses, bytes, and whether they are written.
    pub(super) fn ranges(&self) -> Vec<(u64, u64, bool)> {
        let copies = self.dsts.iter().zip(&self.srcs).zip(&self.sizes);
        let of = |((&to, &from), &size): ((&u64, &u64), &usize)| {
            [(from, size as u64, false), (to, size as u64, true)]
        };
        copies.flat_map(of).collect()
    }

    /// Does them.
    pub(super) fn run(&self, order: &Order) -> Answer {
        for ((&to, &from), &size) in self.dsts.iter().zip(&self.srcs).zip(&self.sizes) {
            // One of no bytes is switched off.
            if size > 0 {
                // SAFETY: the program has promised that its memory is there when the node is run.
                unsafe { crate::api::copy_batch::copy_bytes(to, from, size, order)? };
            }
        }
        Ok(())
    }
}
