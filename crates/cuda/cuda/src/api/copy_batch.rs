//! Copies in batches, and copies with attributes.

use crate::api::*;
use crate::copy::{CopyEnd, Memory, any};
use crate::graph::capture;
use crate::graph::copies::{Batch, BatchError, CopiesOp, batch_error, check_attributes};
use crate::memory::endpoint::Space;
use texunit_device::Array;

driver_api! {
    /// Copies bytes with attributes of the copy.
    fn cuMemcpyWithAttributesAsync(dst, src, size, attr, hStream) {
        let order = on_other_than_default(hStream)?;
        check_attributes(attr.get()?.src_access_order)?;
        // SAFETY: both addresses are valid as the driver API requires.
        let (to, from) = unsafe { (any(dst), any(src)) };
        capture::copy_bytes(to, from, size, &order)
    }

    /// Copies a 3D region with attributes of the copy.
    fn cuMemcpy3DWithAttributesAsync(op, flags, hStream) {
        let order = on_other_than_default(hStream)?;
        // SAFETY: the pointer is to one operation, whose addresses are valid as the driver API
        // requires.
        unsafe { copy_operations(op.elements(1), flags, &order) }.map_err(|(_, refusal)| refusal)
    }

    /// Copies memory ranges in a batch; `failIdx` is the index of a failed copy, in version 1.
    fn [cuMemcpyBatchAsync_v2] cuMemcpyBatchAsync(
        dsts[count], srcs[count], sizes[count], count, attrs[numAttrs], attrsIdxs[numAttrs], numAttrs,
        [failIdx = Out::null()], hStream,
    ) {
        let batch = Batch { dsts, srcs, sizes, attrs, indices: attrsIdxs };
        // SAFETY: addresses of the batch are valid as the driver API requires.
        unsafe { batch.submit(hStream) }.map_err(|fault| failed(fault, failIdx))
    }

    /// Copies 3D regions in a batch; `failIdx` is the index of a failed copy, in version 1.
    fn [cuMemcpy3DBatchAsync_v2] cuMemcpy3DBatchAsync(
        numOps, opList[numOps], [failIdx = Out::null()], flags, hStream,
    ) {
        let order = on_other_than_default(hStream)?;
        // SAFETY: addresses of the batch are valid as the driver API requires.
        unsafe { copy_operations(opList, flags, &order) }.map_err(|fault| failed(fault, failIdx))
    }
}

/// The order of a batch or a copy with attributes, which the default stream (null,
/// `CU_STREAM_LEGACY`) does not accept.
fn on_other_than_default(stream: Handle<Stream>) -> Answer<Order> {
    let order = Order::of(stream)?;
    check_other_than_default(stream, &order)?;
    Ok(order)
}

fn check_other_than_default(stream: Handle<Stream>, order: &Order) -> Answer {
    match stream.number() {
        0 | 1 => Err(invalid!(
            "hStream is the default stream: batches and copies with attributes need one that was created, or \
             CU_STREAM_PER_THREAD"
        )),
        _ => order.context.check(),
    }
}

fn failed((index, refusal): BatchError, to: Out<usize>) -> Refusal {
    to.set_if(index);
    refusal
}

impl Batch<'_> {
    /// Checks all arguments, then copies; in a captured stream the batch becomes a graph node.
    ///
    /// # Safety
    /// All destinations and sources satisfy the safety contract of [`CopyEnd::memory`].
    unsafe fn submit(&self, stream: Handle<Stream>) -> Result<(), BatchError> {
        let order = Order::capturable(stream).map_err(batch_error)?;
        check_other_than_default(stream, &order).map_err(batch_error)?;
        self.check().map_err(batch_error)?;
        let Self { dsts, srcs, sizes, .. } = *self;
        if let Some(place) = order.capture {
            let op = CopiesOp::of(self, order.context.handle);
            return op.and_then(|op| place.add(Op::Copies(Arc::new(op)))).map_err(batch_error);
        }
        for i in 0..sizes.len() {
            let copy = || {
                // SAFETY: the caller upholds this function's safety contract.
                let (to, from) = unsafe { (any(dsts.at(i)?), any(srcs.at(i)?)) };
                capture::copy_bytes(to, from, sizes.at(i)?, &order)
            };
            copy()
                .map_err(|refusal| (i, refusal.within(|| format!("copy {i} of the batch"), &[])))?;
        }
        Ok(())
    }
}

/// # Safety
/// Both ends of all copies satisfy the safety contract of [`CopyEnd::memory`].
unsafe fn copy_operations(
    list: Elements<'_, CUDA_MEMCPY3D_BATCH_OP>,
    flags: c_ulonglong,
    order: &Order,
) -> Result<(), BatchError> {
    if list.is_empty() || flags != 0 {
        let reason = match list.len() {
            0 => "numOps is 0: a batch has at least one copy".to_owned(),
            _ => format!("flags {flags:#x} is not 0"),
        };
        return Err(batch_error(CUresult::INVALID_VALUE.because(reason)));
    }
    for i in 0..list.len() {
        let operation = list.at(i).map_err(|refusal| (i, refusal))?;
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { copy_operation(&operation, order) }
            .map_err(|refusal| (i, refusal.within(|| format!("opList[{i}]"), &[])))?;
    }
    Ok(())
}

/// Executes a copy of a batch. Sizes are in elements of the array, or in bytes without an array.
///
/// # Safety
/// Both ends satisfy the safety contract of [`CopyEnd::memory`].
unsafe fn copy_operation(operation: &CUDA_MEMCPY3D_BATCH_OP, order: &Order) -> Answer {
    check_attributes(operation.src_access_order)?;
    let size = operation.extent.map(|n| n as u64);
    if size.contains(&0) {
        let [width, height, depth] = size;
        bail!("extent {width} x {height} x {depth} is empty: each side is at least 1");
    }
    let arrays = [array_of(&operation.src)?, array_of(&operation.dst)?];
    let units: Vec<u64> = arrays.iter().flatten().map(Array::copy_unit).collect();
    let unit = units.first().copied().unwrap_or(1);
    ensure!(
        !units.iter().any(|&other| other != unit),
        "src and dst are arrays whose elements have {} and {}: they are copied only between arrays of the \
         same element size",
        units[0],
        Count(units[1], "byte")
    );
    let [from, to] = arrays;
    // SAFETY: the caller upholds this function's safety contract.
    let from = unsafe { operand(&operation.src, from, size, unit)? };
    // SAFETY: the caller upholds this function's safety contract.
    let to = unsafe { operand(&operation.dst, to, size, unit)? };
    let width = size[0].checked_mul(unit).ok_or_else(|| too_wide(size[0], unit))?;
    capture::copy(&to, &from, [width, size[1], size[2]], order)
}

fn array_of(operand: &CUmemcpy3DOperand) -> Answer<Option<Array>> {
    match operand.kind {
        CU_MEMCPY_OPERAND_TYPE_POINTER => Ok(None),
        CU_MEMCPY_OPERAND_TYPE_ARRAY => {
            let array = Handle::<ArrayObject>::of(operand.what as usize).get();
            Ok(Some(array.map_err(|refusal| refusal.named("op.array.array"))?.array.clone()))
        }
        kind => {
            Err(invalid!("type {kind} is not a CUmemcpy3DOperandType: 1 (pointer) or 2 (array)"))
        }
    }
}

/// Refusal of an extent whose size in bytes exceeds 64 bits.
fn too_wide(elements: u64, unit: u64) -> Refusal {
    invalid!(
        "{} of {} are more bytes than 64 bits count",
        Count(elements, "element"),
        Count(unit, "byte")
    )
}

/// # Safety
/// The arguments satisfy the safety contract of [`CopyEnd::memory`].
unsafe fn operand<'a>(
    operand: &CUmemcpy3DOperand,
    array: Option<Array>,
    size: [u64; 3],
    unit: u64,
) -> Answer<CopyEnd<'a>> {
    let [a, b, c] = operand.numbers.map(|n| n as u64);
    let bytes = |n: u64| n.checked_mul(unit).ok_or_else(|| too_wide(n, unit));
    if let Some(array) = array {
        return Ok(CopyEnd::array(array, [bytes(a)?, b, c]));
    }
    // A pitch or height of zero means rows or layers without gaps.
    let pitch = bytes(if a == 0 { size[0] } else { a })?;
    let height = if b == 0 { size[1] } else { b };
    let memory = Memory { pitch, height, ..Memory::bytes(Space::Unified, operand.what) };
    // SAFETY: the caller upholds this function's safety contract.
    Ok(unsafe { CopyEnd::memory(memory, [0; 3]) })
}
