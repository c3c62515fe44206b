//! Nodes of several memory copies (`CU_GRAPH_NODE_TYPE_MEMCPY_BATCH`), into which captured batches
//! are converted.

use crate::context::{Context, context_or_current};
use crate::prelude::*;

/// The error of a batch: the index of the failed copy, or `usize::MAX` if the batch itself is
/// invalid, and the refusal.
pub(crate) type BatchError = (usize, Refusal);

/// An error of the batch itself.
pub(crate) fn batch_error(refusal: Refusal) -> BatchError {
    (usize::MAX, refusal)
}

/// Checks the order in which a copy reads its source.
pub(crate) fn check_attributes(order: u32) -> Answer {
    ensure!(
        (1..=CU_MEMCPY_SRC_ACCESS_ORDER_ANY).contains(&order),
        "srcAccessOrder {order} is not a CUmemcpySrcAccessOrder: 1 (stream), 2 (during the call) or 3 (any)"
    );
    Ok(())
}

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
            let addresses = [params.dsts, params.srcs].map(|at| In::of(at).elements(count));
            let sizes = In::of(params.sizes).elements(count);
            let attrs = In::of(params.attrs).elements(numAttrs);
            Self::of(
                context,
                addresses,
                sizes,
                (attrs, In::of(params.attrsIdxs).elements(numAttrs)),
            )
        }
    }

    /// The copies of a batch: destinations and sources, sizes, and attributes, each with the index
    /// of the first copy to which it applies.
    pub(crate) fn of(
        context: Handle<Context>,
        [dsts, srcs]: [Elements<'_, CUdeviceptr>; 2],
        sizes: Elements<'_, usize>,
        (attrs, indices): (Elements<'_, CUmemcpyAttributes>, Elements<'_, usize>),
    ) -> Answer<Self> {
        let (count, groups) = (sizes.len(), attrs.len());
        ensure!(count != 0, "count is 0: a batch has at least one copy");
        ensure!((1..=count).contains(&groups), "numAttrs {groups} is not from 1 to count, {count}");
        let (attrs, indices): (Box<[_]>, Box<[_]>) =
            (attrs.to_vec()?.into(), indices.to_vec()?.into());
        let mut before = None;
        for (group, (attributes, &first)) in attrs.iter().zip(&indices).enumerate() {
            check_attributes(attributes.src_access_order)
                .map_err(|refusal| refusal.within(|| format!("attrs[{group}]"), &[]))?;
            let wanted = if group == 0 { first == 0 } else { before < Some(first) };
            ensure!(
                wanted && first < count,
                "attrsIdxs[{group}] is {first}: the first is 0, each is more than the one before, and all are less \
                 than count, {count}"
            );
            before = Some(first);
        }
        let [dsts, srcs] = [dsts.to_vec()?.into(), srcs.to_vec()?.into()];
        Ok(Self { dsts, srcs, sizes: sizes.to_vec()?.into(), attrs, indices, context })
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
        let of = |(to, from, size): (u64, u64, usize)| {
            [(from, size as u64, false), (to, size as u64, true)]
        };
        self.each().filter(|(.., size)| *size > 0).flat_map(of).collect()
    }

    /// Destination, source and size in bytes of each copy. One of size 0 is disabled.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u64, u64, usize)> {
        let all = self.dsts.iter().zip(&self.srcs).zip(&self.sizes);
        all.map(|((&to, &from), &size)| (to, from, size))
    }
}
