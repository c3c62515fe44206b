//! Copies of rows and slices, and copies in batches.

use super::copy::at_once;
use crate::args::{Answer, Elements, In, Out};
use crate::array::ArrayObject;
use crate::call::driver_api;
use crate::context::Context;
use crate::handle::Handle;
use crate::late::Order;
use crate::memory::boxes::{self, End, Memory};
use crate::memory::endpoint::Space;
use crate::stream::Stream;
use std::ffi::c_ulonglong;
use texunit_cuda_abi::{
    CU_MEMCPY_OPERAND_TYPE_ARRAY, CU_MEMCPY_OPERAND_TYPE_POINTER, CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_UNIFIED,
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_BATCH_OP, CUdeviceptr, CUmemcpy3DOperand,
    CUmemcpyAttributes, CUresult, CopySide2D, CopySide3D, Refusal,
};
use texunit_device::Array;
use texunit_forms::Count;

/// Copies that a structure describes: at once, and in a stream.
macro_rules! copies {
    ($($(#[$doc:meta])* fn $($now:ident)|+, $in_stream:ident(pCopy: $type:ty) = $copy:ident;)*) => {
        driver_api! {$(
            $(#[$doc])*
            fn $($now)|+(pCopy: In<$type>) {
                let order = Order::current()?;
                // SAFETY: addresses in the structure are as the driver API's page says.
                at_once(unsafe { $copy(&pCopy.get()?, &order) })
            }

            $(#[$doc])*
            /// This is done in the order of a stream.
            fn $in_stream(pCopy: In<$type>, hStream: Handle<Stream>) {
                let order = Order::capturable(hStream)?;
                // SAFETY: addresses in the structure are as the driver API's page says.
                unsafe { $copy(&pCopy.get()?, &order) }
            }
        )*}
    };
}

copies! {
    /// Copies rows among host, device and arrays. Every pitch is taken.
    fn cuMemcpy2D_v2 | cuMemcpy2DUnaligned_v2, cuMemcpy2DAsync_v2(pCopy: CUDA_MEMCPY2D) = copy_2d;
    /// Copies slices among host, device and arrays.
    fn cuMemcpy3D_v2, cuMemcpy3DAsync_v2(pCopy: CUDA_MEMCPY3D) = copy_3d;
    /// Copies slices between contexts.
    fn cuMemcpy3DPeer, cuMemcpy3DPeerAsync(pCopy: CUDA_MEMCPY3D) = copy_peer;
}

driver_api! {
    /// Copies bytes, with something said of the copy.
    fn cuMemcpyWithAttributesAsync(
        dst: CUdeviceptr,
        src: CUdeviceptr,
        size: usize,
        attr: In<CUmemcpyAttributes>,
        hStream: Handle<Stream>,
    ) {
        let order = on_other_than_default(hStream)?;
        check_attributes(attr.get()?.src_access_order)?;
        // SAFETY: both are as the driver API's page says.
        let (to, from) = unsafe { (super::copy::any(dst), super::copy::any(src)) };
        boxes::copy_bytes(to, from, size, &order)
    }

    /// Copies slices, with something said of the copy.
    fn cuMemcpy3DWithAttributesAsync(
        op: In<CUDA_MEMCPY3D_BATCH_OP>,
        flags: c_ulonglong,
        hStream: Handle<Stream>,
    ) {
        let order = on_other_than_default(hStream)?;
        // SAFETY: there is one, and its addresses are as the driver API's page says.
        unsafe { copy_operations(op.elements(1), flags, &order) }.map_err(|(_, refusal)| refusal)
    }

    /// Copies many pieces of memory; `failIdx` is the one that went wrong.
    fn cuMemcpyBatchAsync(
        dsts: In<CUdeviceptr>,
        srcs: In<CUdeviceptr>,
        sizes: In<usize>,
        count: usize,
        attrs: In<CUmemcpyAttributes>,
        attrsIdxs: In<usize>,
        numAttrs: usize,
        failIdx: Out<usize>,
        hStream: Handle<Stream>,
    ) {
        let order = on_other_than_default(hStream)?;
        // SAFETY: the caller says that there are so many of each.
        let batch = unsafe { Batch::new([dsts, srcs], sizes, count, attrs, attrsIdxs, numAttrs) };
        // SAFETY: addresses of the batch are as the driver API's page says.
        unsafe { batch.run(&order) }.map_err(|fault| failed(fault, failIdx))
    }

    /// Copies many pieces of memory. (The first version says which of them went wrong.)
    fn cuMemcpyBatchAsync_v2(
        dsts: In<CUdeviceptr>,
        srcs: In<CUdeviceptr>,
        sizes: In<usize>,
        count: usize,
        attrs: In<CUmemcpyAttributes>,
        attrsIdxs: In<usize>,
        numAttrs: usize,
        hStream: Handle<Stream>,
    ) {
        let order = on_other_than_default(hStream)?;
        // SAFETY: the caller says that there are so many of each.
        let batch = unsafe { Batch::new([dsts, srcs], sizes, count, attrs, attrsIdxs, numAttrs) };
        // SAFETY: addresses of the batch are as the driver API's page says.
        unsafe { batch.run(&order) }.map_err(|(_, refusal)| refusal)
    }

    /// Copies many boxes; `failIdx` is the one that went wrong.
    fn cuMemcpy3DBatchAsync(
        numOps: usize,
        opList: In<CUDA_MEMCPY3D_BATCH_OP>,
        failIdx: Out<usize>,
        flags: c_ulonglong,
        hStream: Handle<Stream>,
    ) {
        let order = on_other_than_default(hStream)?;
        // SAFETY: there are so many, whose addresses are as the driver API's page says.
        unsafe { copy_operations(opList.elements(numOps), flags, &order) }.map_err(|fault| failed(fault, failIdx))
    }

    /// Copies many boxes. (The first version says which of them went wrong.)
    fn cuMemcpy3DBatchAsync_v2(
        numOps: usize,
        opList: In<CUDA_MEMCPY3D_BATCH_OP>,
        flags: c_ulonglong,
        hStream: Handle<Stream>,
    ) {
        let order = on_other_than_default(hStream)?;
        // SAFETY: there are so many, whose addresses are as the driver API's page says.
        unsafe { copy_operations(opList.elements(numOps), flags, &order) }.map_err(|(_, refusal)| refusal)
    }
}

/// Where memory or an array of a copy is.
fn place(
    side: &str,
    kind: u32,
    host: u64,
    device: u64,
    array: usize,
) -> Answer<Result<(Space, u64), Array>> {
    Ok(match kind {
        CU_MEMORYTYPE_HOST => Ok((Space::Host, host)),
        CU_MEMORYTYPE_DEVICE => Ok((Space::Device, device)),
        CU_MEMORYTYPE_UNIFIED => Ok((Space::Unified, device)),
        CU_MEMORYTYPE_ARRAY => {
            let found = Handle::<ArrayObject>::of(array).get();
            Err(found.map_err(|refusal| refusal.named(&format!("{side}Array")))?.array.clone())
        }
        _ => {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "{side}MemoryType {kind} is not a CUmemorytype: 1 (host), 2 (device), 3 (array) or 4 (unified)"
            )));
        }
    })
}

/// # Safety
/// That of [`End::memory`].
unsafe fn end_2d<'a>(name: &str, side: &CopySide2D) -> Answer<End<'a>> {
    let at = [side.x_in_bytes as u64, side.y as u64, 0];
    Ok(match place(name, side.memory_type, side.host, side.device, side.array)? {
        Ok((space, address)) => {
            let memory = Memory { pitch: side.pitch as u64, ..Memory::bytes(space, address) };
            // SAFETY: as the caller promises.
            unsafe { End::memory(memory, at) }
        }
        Err(array) => End::array(array, at),
    })
}

/// # Safety
/// That of [`End::memory`].
unsafe fn end_3d<'a>(name: &str, side: &CopySide3D) -> Answer<End<'a>> {
    if side.lod != 0 {
        return Err(CUresult::INVALID_VALUE
            .because(format!("{name}LOD {} is not 0, the only value that there is", side.lod)));
    }
    let at = [side.x_in_bytes, side.y, side.z].map(|n| n as u64);
    Ok(match place(name, side.memory_type, side.host, side.device, side.array)? {
        Ok((space, address)) => {
            let [pitch, height] = [side.pitch, side.height].map(|n| n as u64);
            let memory = Memory { pitch, height, ..Memory::bytes(space, address) };
            // SAFETY: as the caller promises.
            unsafe { End::memory(memory, at) }
        }
        Err(array) => End::array(array, at),
    })
}

/// # Safety
/// That of [`End::memory`], for both ends.
pub(super) unsafe fn copy_2d(copy: &CUDA_MEMCPY2D, order: &Order) -> Answer {
    let size = [copy.width_in_bytes as u64, copy.height as u64, 1];
    // SAFETY: as the caller promises.
    let (to, from) = unsafe { (end_2d("dst", &copy.dst)?, end_2d("src", &copy.src)?) };
    boxes::copy(&to, &from, size, order)
}

/// # Safety
/// That of [`End::memory`], for both ends.
pub(crate) unsafe fn copy_3d(copy: &CUDA_MEMCPY3D, order: &Order) -> Answer {
    let size = [copy.width_in_bytes, copy.height, copy.depth].map(|n| n as u64);
    // SAFETY: as the caller promises.
    let (to, from) = unsafe { (end_3d("dst", &copy.dst)?, end_3d("src", &copy.src)?) };
    boxes::copy(&to, &from, size, order)
}

/// # Safety
/// That of [`End::memory`], for both ends.
unsafe fn copy_peer(copy: &CUDA_MEMCPY3D, order: &Order) -> Answer {
    for (name, side) in [("srcContext", &copy.src), ("dstContext", &copy.dst)] {
        // The context says whose device memory or array it is; of host memory it says nothing.
        if matches!(side.memory_type, CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_ARRAY) {
            Handle::<Context>::of(side.context)
                .get()
                .map_err(|refusal| refusal.named(name))?
                .check()?;
        }
    }
    // SAFETY: as the caller promises.
    unsafe { copy_3d(copy, order) }
}

/// Batches and copies with attributes do not run on the default stream (null, `CU_STREAM_LEGACY`).
fn on_other_than_default(stream: Handle<Stream>) -> Answer<Order> {
    let order = Order::of(stream)?;
    match stream.number() {
        0 | 1 => Err(CUresult::INVALID_VALUE.because(
            "hStream is the default stream: batches and copies with attributes need one that was created, or \
             CU_STREAM_PER_THREAD",
        )),
        _ => order.context.check().map(|()| order),
    }
}

/// Of a batch, what went wrong: the number of a copy, or `usize::MAX` for the batch itself; and the
/// code.
type Fault = (usize, Refusal);

fn failed((index, refusal): Fault, to: Out<usize>) -> Refusal {
    to.set_if(index);
    refusal
}

fn whole(refusal: Refusal) -> Fault {
    (usize::MAX, refusal)
}

fn check_attributes(order: u32) -> Answer {
    if (1..=CU_MEMCPY_SRC_ACCESS_ORDER_ANY).contains(&order) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE.because(format!(
            "srcAccessOrder {order} is not a CUmemcpySrcAccessOrder: 1 (stream), 2 (during the call) or 3 (any)"
        )))
    }
}

/// The arguments of `cuMemcpyBatchAsync`.
struct Batch<'a> {
    dsts: Elements<'a, CUdeviceptr>,
    srcs: Elements<'a, CUdeviceptr>,
    sizes: Elements<'a, usize>,
    attrs: Elements<'a, CUmemcpyAttributes>,
    /// The first copy that each of the attributes holds for.
    indices: Elements<'a, usize>,
}

impl<'a> Batch<'a> {
    /// # Safety
    /// Of destinations, sources and sizes there are as many as `count` says, of attributes and their indices `groups`.
    unsafe fn new(
        [dsts, srcs]: [In<'a, CUdeviceptr>; 2],
        sizes: In<'a, usize>,
        count: usize,
        attrs: In<'a, CUmemcpyAttributes>,
        indices: In<'a, usize>,
        groups: usize,
    ) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            Self {
                dsts: dsts.elements(count),
                srcs: srcs.elements(count),
                sizes: sizes.elements(count),
                attrs: attrs.elements(groups),
                indices: indices.elements(groups),
            }
        }
    }

    /// Checks all, then copies.
    ///
    /// # Safety
    /// That of [`End::memory`], for all destinations and sources.
    unsafe fn run(&self, order: &Order) -> Result<(), Fault> {
        let Self { dsts, srcs, sizes, attrs, indices } = *self;
        let (count, groups) = (sizes.len(), attrs.len());
        let refused = |reason: String| Err(whole(CUresult::INVALID_VALUE.because(reason)));
        if count == 0 {
            return refused("count is 0: a batch has at least one copy".to_owned());
        }
        if groups == 0 || groups > count {
            return refused(format!("numAttrs {groups} is not from 1 to count, {count}"));
        }
        let mut before = None;
        for group in 0..groups {
            let attributes = attrs.at(group).map_err(whole)?;
            check_attributes(attributes.src_access_order)
                .map_err(|refusal| whole(refusal.within(|| format!("attrs[{group}]"), &[])))?;
            let first = indices.at(group).map_err(whole)?;
            let wanted = if group == 0 { first == 0 } else { before < Some(first) };
            if !wanted || first >= count {
                return refused(format!(
                    "attrsIdxs[{group}] is {first}: the first is 0, each is more than the one before, and all are less \
                     than count, {count}"
                ));
            }
            before = Some(first);
        }
        for i in 0..count {
            let copy = || {
                let (to, from) = (dsts.at(i)?, srcs.at(i)?);
                // SAFETY: as the caller promises.
                let (to, from) = unsafe { (super::copy::any(to), super::copy::any(from)) };
                boxes::copy_bytes(to, from, sizes.at(i)?, order)
            };
            copy()
                .map_err(|refusal| (i, refusal.within(|| format!("copy {i} of the batch"), &[])))?;
        }
        Ok(())
    }
}

/// # Safety
/// That of [`End::memory`], for all ends of all copies.
unsafe fn copy_operations(
    list: Elements<'_, CUDA_MEMCPY3D_BATCH_OP>,
    flags: c_ulonglong,
    order: &Order,
) -> Result<(), Fault> {
    if list.is_empty() || flags != 0 {
        let reason = match list.len() {
            0 => "numOps is 0: a batch has at least one copy".to_owned(),
            _ => format!("flags {flags:#x} is not 0"),
        };
        return Err(whole(CUresult::INVALID_VALUE.because(reason)));
    }
    for i in 0..list.len() {
        let operation = list.at(i).map_err(|refusal| (i, refusal))?;
        // SAFETY: as the caller promises.
        unsafe { copy_operation(&operation, order) }
            .map_err(|refusal| (i, refusal.within(|| format!("opList[{i}]"), &[])))?;
    }
    Ok(())
}

/// One copy of a batch; sizes are in elements of the array, or in bytes if there is none.
///
/// # Safety
/// That of [`End::memory`], for both ends.
unsafe fn copy_operation(operation: &CUDA_MEMCPY3D_BATCH_OP, order: &Order) -> Answer {
    check_attributes(operation.src_access_order)?;
    let size = operation.extent.map(|n| n as u64);
    if size.contains(&0) {
        let [width, height, depth] = size;
        return Err(CUresult::INVALID_VALUE.because(format!(
            "extent {width} x {height} x {depth} is empty: each side is at least 1"
        )));
    }
    let arrays = [array_of(&operation.src)?, array_of(&operation.dst)?];
    let units: Vec<u64> = arrays.iter().flatten().map(Array::copy_unit).collect();
    let unit = units.first().copied().unwrap_or(1);
    if units.iter().any(|&other| other != unit) {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "src and dst are arrays whose elements have {} and {}: they are copied only between arrays of the \
             same element size", units[0], Count(units[1], "byte"))));
    }
    let [from, to] = arrays;
    // SAFETY: as the caller promises.
    let from = unsafe { operand(&operation.src, from, size, unit)? };
    // SAFETY: as the caller promises.
    let to = unsafe { operand(&operation.dst, to, size, unit)? };
    let width = size[0].checked_mul(unit).ok_or_else(|| too_wide(size[0], unit))?;
    boxes::copy(&to, &from, [width, size[1], size[2]], order)
}

fn array_of(operand: &CUmemcpy3DOperand) -> Answer<Option<Array>> {
    match operand.kind {
        CU_MEMCPY_OPERAND_TYPE_POINTER => Ok(None),
        CU_MEMCPY_OPERAND_TYPE_ARRAY => {
            let array = Handle::<ArrayObject>::of(operand.what as usize).get();
            Ok(Some(array.map_err(|refusal| refusal.named("op.array.array"))?.array.clone()))
        }
        kind => Err(CUresult::INVALID_VALUE.because(format!(
            "type {kind} is not a CUmemcpy3DOperandType: 1 (pointer) or 2 (array)"
        ))),
    }
}

/// Elements whose bytes pass 64 bits.
fn too_wide(elements: u64, unit: u64) -> Refusal {
    CUresult::INVALID_VALUE.because(format!(
        "{} of {} are more bytes than 64 bits count",
        Count(elements, "element"),
        Count(unit, "byte")
    ))
}

/// # Safety
/// That of [`End::memory`].
unsafe fn operand<'a>(
    operand: &CUmemcpy3DOperand,
    array: Option<Array>,
    size: [u64; 3],
    unit: u64,
) -> Answer<End<'a>> {
    let [a, b, c] = operand.numbers.map(|n| n as u64);
    let bytes = |n: u64| n.checked_mul(unit).ok_or_else(|| too_wide(n, unit));
    if let Some(array) = array {
        return Ok(End::array(array, [bytes(a)?, b, c]));
    }
    // Zero stands for rows, or layers, without gaps.
    let pitch = bytes(if a == 0 { size[0] } else { a })?;
    let height = if b == 0 { size[1] } else { b };
    let memory = Memory { pitch, height, ..Memory::bytes(Space::Unified, operand.what) };
    // SAFETY: as the caller promises.
    Ok(unsafe { End::memory(memory, [0; 3]) })
}
