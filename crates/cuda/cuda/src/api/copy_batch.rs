//! Copies in batches, and copies with attributes.

use super::copy::{array, copy_3d};
use crate::api::*;
use crate::copy::{CopyParams, any};
use crate::graph::capture;
use crate::graph::copies::{BatchError, CopiesOp, batch_error, check_attributes};

driver_api! {
    /// Copies bytes with attributes of the copy.
    fn cuMemcpyWithAttributesAsync(dst, src, size, attr, hStream) {
        let order = on_other_than_default(hStream)?;
        check_attributes(attr.get()?.src_access_order)?;
        // SAFETY: both addresses are valid as the driver API requires.
        unsafe { capture::copy(&CopyParams::line(any(dst), any(src), size), &order) }
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
        let batch = || {
            let order = Order::capturable(hStream)?;
            check_other_than_default(hStream, &order)?;
            let op = CopiesOp::of(order.context.handle, [dsts, srcs], sizes, (attrs, attrsIdxs))?;
            Ok((op, order))
        };
        // SAFETY: addresses of the batch are valid as the driver API requires.
        let submit = |(op, order)| unsafe { submit(op, &order) };
        batch().map_err(batch_error).and_then(submit).map_err(|fault| failed(fault, failIdx))
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

/// Copies one after the other; in a captured stream the batch becomes a graph node.
///
/// # Safety
/// All copies satisfy the safety contract of [`capture::copy`].
unsafe fn submit(op: CopiesOp, order: &Order) -> Result<(), BatchError> {
    if let Some(place) = order.capture {
        return place.add(Op::Copies(Arc::new(op))).map_err(batch_error);
    }
    op.each().enumerate().try_for_each(|(i, (to, from, size))| {
        // SAFETY: the caller upholds this function's safety contract.
        let copied = unsafe { capture::copy(&CopyParams::line(any(to), any(from), size), order) };
        copied.map_err(|refusal| (i, refusal.within(|| format!("copy {i} of the batch"), &[])))
    })
}

/// # Safety
/// All copies satisfy the safety contract of [`capture::copy`].
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
/// Both operands satisfy the safety contract of [`capture::copy`].
unsafe fn copy_operation(operation: &CUDA_MEMCPY3D_BATCH_OP, order: &Order) -> Answer {
    let CUDA_MEMCPY3D_BATCH_OP { src, dst, extent, src_access_order, .. } = operation;
    check_attributes(*src_access_order)?;
    let [width, height, depth] = *extent;
    ensure!(
        !extent.contains(&0),
        "extent {width} x {height} x {depth} is empty: each side is at least 1"
    );
    let units = [unit_of(src)?, unit_of(dst)?];
    let unit = units[0].or(units[1]).unwrap_or(1);
    ensure!(
        units[1].is_none_or(|other| other == unit),
        "src and dst are arrays whose elements have {unit} and {}: they are copied only between arrays of the \
         same element size",
        Count(units[1].unwrap_or(unit), "byte")
    );
    let (src, dst) = (operand(src, extent, unit)?, operand(dst, extent, unit)?);
    let width_in_bytes = bytes(width, unit)?;
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { copy_3d(&CUDA_MEMCPY3D { src, dst, width_in_bytes, height, depth }, order) }
}

/// Size in bytes of an array's elements; `None` for memory.
fn unit_of(operand: &CUmemcpy3DOperand) -> Answer<Option<usize>> {
    match operand.kind {
        CU_MEMCPY_OPERAND_TYPE_POINTER => Ok(None),
        CU_MEMCPY_OPERAND_TYPE_ARRAY => {
            let array = Handle::<ArrayObject>::of(operand.what as usize).get();
            let array = array.map_err(|refusal| refusal.named("op.array.array"))?;
            Ok(Some(array.array.copy_unit() as usize))
        }
        kind => {
            Err(invalid!("type {kind} is not a CUmemcpy3DOperandType: 1 (pointer) or 2 (array)"))
        }
    }
}

/// Number of bytes of a number of elements.
fn bytes(elements: usize, unit: usize) -> Answer<usize> {
    elements.checked_mul(unit).ok_or_else(|| {
        invalid!(
            "{} of {} are more bytes than 64 bits count",
            Count(elements, "element"),
            Count(unit, "byte")
        )
    })
}

fn operand(
    operand: &CUmemcpy3DOperand,
    [width, rows, _]: &[usize; 3],
    unit: usize,
) -> Answer<CopySide3D> {
    let [a, b, z] = operand.numbers;
    if operand.kind == CU_MEMCPY_OPERAND_TYPE_ARRAY {
        let side = array(Handle::of(operand.what as usize), bytes(a, unit)?);
        return Ok(CopySide3D { y: b, z, ..side });
    }
    // A pitch or height of zero means rows or layers without gaps.
    let pitch = bytes(if a == 0 { *width } else { a }, unit)?;
    let height = if b == 0 { *rows } else { b };
    Ok(CopySide3D { pitch, height, ..any(operand.what) })
}
