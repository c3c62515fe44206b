//! Look-ups in the reserved addresses, and what devices see of the mappings.

use super::*;

impl Space {
    /// The reservation that contains a range.
    pub(super) fn reservation(&self, range: &Range<u64>) -> Option<&Reservation> {
        let (_, reservation) = self.reservations.range(..=range.start).next_back()?;
        (range.end <= reservation.reserved.range().end).then_some(reservation)
    }

    /// A mapping that overlaps a range.
    pub(super) fn mapping_in(&self, range: &Range<u64>) -> Option<Range<u64>> {
        let (_, mapping) = self.mappings.range(..range.end).next_back()?;
        let found = mapping.range();
        (found.end > range.start).then_some(found)
    }

    /// `CUDA_ERROR_INVALID_VALUE` if a range does not consist of whole mappings.
    pub(super) fn check_whole(&self, range: &Range<u64>) -> Answer {
        let mut at = range.start;
        for (&start, mapping) in self.mappings.range(range.clone()) {
            if start != at {
                break;
            }
            at = mapping.range().end;
        }
        if at == range.end {
            return Ok(());
        }
        let end = at.min(range.end);
        Err(match self.mapping_in(&(end..end + 1)) {
            Some(part) => invalid!(
                "{:#x}..{:#x} is a part of what is mapped at {:#x}..{:#x}: mappings are changed as a whole",
                range.start,
                range.end,
                part.start,
                part.end
            ),
            None if at > range.end => invalid!(
                "{:#x}..{:#x} ends inside of a mapping, which goes on to {at:#x}: mappings are changed as a whole",
                range.start,
                range.end
            ),
            None => invalid!("no memory is mapped at {end:#x}"),
        })
    }

    /// The range of adjacent reservations around a range.
    pub(super) fn borders(&self, range: &Range<u64>) -> Range<u64> {
        let mut borders = range.clone();
        for (&start, reservation) in self.reservations.range(..range.start.saturating_add(1)).rev()
        {
            if reservation.reserved.range().end < borders.start {
                break;
            }
            borders.start = borders.start.min(start);
        }
        for (&start, reservation) in self.reservations.range(borders.start..) {
            if start > borders.end {
                break;
            }
            borders.end = borders.end.max(reservation.reserved.range().end);
        }
        borders
    }

    /// Gives all devices a new view of the reservations around a range.
    pub(super) fn publish_views(&self, range: &Range<u64>) -> Answer {
        let borders = self.borders(range);
        for gpu in state::gpus()? {
            let (blocks, said) = self.view(gpu, &borders);
            gpu.device.memory().set_range(borders.clone(), blocks, said);
        }
        Ok(())
    }

    /// The view of a device of a range of reservations.
    #[allow(clippy::type_complexity, reason = "two lists of what is at addresses")]
    pub(super) fn view(
        &self,
        gpu: &Gpu,
        borders: &Range<u64>,
    ) -> (Vec<(u64, Arc<Block>)>, Vec<(Range<u64>, FreedBlock)>) {
        let (mut blocks, mut said) = (Vec::new(), Vec::new());
        let mut run: Vec<&Mapping> = Vec::new();
        for mapping in self.mappings.range(borders.clone()).map(|(_, mapping)| mapping) {
            let continues = run.last().is_some_and(|last| {
                last.range().end == mapping.range().start && last.flags(gpu) == mapping.flags(gpu)
            });
            if !continues {
                blocks.extend(block(gpu, &run));
                run.clear();
            }
            if mapping.flags(gpu) == CU_MEM_ACCESS_FLAGS_PROT_NONE {
                let (range, number) = (mapping.range(), mapping.memory.number);
                let block = freed_block(physical::NAME, &range, number, End::NoAccess);
                said.push((range, block));
            } else {
                run.push(mapping);
            }
        }
        blocks.extend(block(gpu, &run));
        for reservation in self.reservations.range(borders.clone()).map(|(_, one)| one) {
            let range = reservation.reserved.range();
            let mut at = range.start;
            for (&start, mapping) in self.mappings.range(range.clone()) {
                if at < start {
                    said.push((at..start, reservation.freed_block(End::Reserved)));
                }
                at = mapping.range().end;
            }
            if at < range.end {
                said.push((at..range.end, reservation.freed_block(End::Reserved)));
            }
        }
        (blocks, said)
    }
}

/// Adjacent mappings to which a device has equal access, as one block.
fn block(gpu: &Gpu, run: &[&Mapping]) -> Option<(u64, Arc<Block>)> {
    let first = run.first()?;
    let parts = run.iter().map(|mapping| Arc::clone(&mapping.mapped)).collect();
    let writable = first.flags(gpu) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    let block = Block::of_mapped(parts, writable, (physical::NAME, first.memory.number))?;
    Some((first.range().start, Arc::new(block)))
}
