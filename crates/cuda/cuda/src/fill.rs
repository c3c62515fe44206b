//! Memory sets: fills contiguous or pitched memory with a value of 1, 2 or 4 bytes.

use crate::check_log::QueuePosition;
use crate::checks;
use crate::copy::find_rows;
use crate::deferred::{self, Order};
use crate::memory::endpoint::Endpoint;
use crate::prelude::*;
use texunit_device::Linear;

/// The rows of memory that a fill sets.
struct FillRows {
    linear: Linear,
    /// Offsets of the rows.
    offsets: Vec<u64>,
    pattern: Vec<u8>,
    /// Number of values per row.
    count: u64,
}

impl FillRows {
    /// Address and size in bytes of each row.
    fn ranges(&self) -> Vec<(u64, u64)> {
        let len = self.count * self.pattern.len() as u64;
        self.offsets.iter().map(|offset| (self.linear.address() + offset, len)).collect()
    }

    /// Tells the race detector about rows that the program can access, too.
    fn tell_host(&self, queue: Queue) {
        if self.linear.is_of_host() {
            let ranges = self.ranges();
            let bytes = Count(ranges.iter().map(|range| range.1).sum::<u64>(), "byte");
            let rows = ranges.into_iter().map(|range| (range, true));
            checks::submitted(queue, format_args!("a fill of {bytes}"), rows);
        }
    }

    fn set(&self, position: &QueuePosition) -> Answer {
        for &offset in &self.offsets {
            self.linear.fill(offset, &self.pattern, self.count).map_err(refusal)?;
        }
        if crate::check_log::race().is_some() {
            let ranges = self.ranges();
            let part = |range: (u64, u64)| (checks::AccessedMemory::Memory(range.0), range.1);
            ranges.iter().for_each(|&range| checks::copied(position, part(range), true));
            if !position.is_late() {
                self.tell_host(position.queue);
            }
        }
        Ok(())
    }

    /// Sets the rows in a stream, immediately or deferred. Returns whether the program can access
    /// the memory, too.
    fn submit(self, order: &Order) -> Answer<bool> {
        let is_of_host = self.linear.is_of_host();
        if !deferred::must_defer(order) {
            self.set(&QueuePosition::now(order.queue))?;
        } else if order.waits && is_of_host {
            deferred::wait_before(order);
            order.context.check()?;
            self.set(&QueuePosition::now(order.queue))?;
        } else {
            let position = QueuePosition::submitted(order.queue);
            self.tell_host(order.queue);
            deferred::submit(order, move |works| {
                works?;
                self.set(&position)
            })?;
        }
        Ok(is_of_host)
    }
}

/// Sets rows. Returns whether the program can access the memory, too, in which case a synchronous
/// call waits for it.
pub(crate) fn fill(set: &CUDA_MEMSET_NODE_PARAMS, order: &Order) -> Answer<bool> {
    let &CUDA_MEMSET_NODE_PARAMS { dst: address, pitch, .. } = set;
    let (width, height, unit) = (set.width as u64, set.height as u64, u64::from(set.elementSize));
    if width == 0 || height == 0 {
        return Ok(false);
    }
    let bytes = width.checked_mul(unit).ok_or_else(|| {
        invalid!(
            "{} of {} are more bytes than 64 bits count",
            Count(width, "number"),
            Count(unit, "byte")
        )
    })?;
    ensure!(
        address.is_multiple_of(unit),
        "dstDevice {address:#x} is not a multiple of {unit}, the bytes of a number that is set"
    );
    ensure!(
        height <= 1 || (pitch as u64).is_multiple_of(unit),
        "dstPitch {pitch} is not a multiple of {unit}, the bytes of a number that is set"
    );
    let all = [bytes, height, 1];
    let found = find_rows(address, pitch, all)?;
    let Endpoint::Linear(linear) = &found.place else {
        bail!("dstDevice {address:#x} is not memory that a device reaches");
    };
    let linear = linear.clone();
    let (rows, count) = if found.is_packed(all) { (1, width * height) } else { (height, width) };
    let offsets = (0..rows).map(|y| found.offset([0, y, 0])[0]).collect();
    let pattern = set.value.to_le_bytes()[..unit as usize].to_vec();
    FillRows { linear, offsets, pattern, count }.submit(order)
}
