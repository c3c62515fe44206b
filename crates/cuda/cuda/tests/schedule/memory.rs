//! Memory of the random schedules: allocated, filled, copied between devices, compared, freed.

use super::*;

impl World {
    pub(super) fn allocate(&mut self, choices: &mut Choices<'_>) {
        let which = self.any(choices);
        if self.contexts[which].memory.len() > 5 {
            return;
        }
        self.switch(Some(which));
        let size = 4 * (1 + choices.below(900)) as usize;
        let mut address = 0;
        ok!(cuMemAlloc_v2(&raw mut address, size));
        ok!(cuMemsetD8_v2(address, 0xa5, size));
        // Ranges of devices and of live allocations do not overlap.
        for other in self.contexts.iter().flat_map(|context| &context.memory) {
            let apart = address + size as u64 <= other.address
                || other.address + other.bytes.len() as u64 <= address;
            assert!(apart, "{address:x} and {other:x?}");
        }
        self.gone.retain(|gone| !matches!(gone, Gone::Memory(old) if *old == address));
        self.contexts[which].memory.push(Memory { address, bytes: vec![0xa5; size] });
    }

    /// A random allocation, by its context and index.
    pub(super) fn memory(&self, choices: &mut Choices<'_>) -> Option<(usize, usize)> {
        let which = self.any(choices);
        let count = self.contexts[which].memory.len();
        (count > 0).then(|| (which, choices.below(count as u32) as usize))
    }

    /// A range of an allocation in words: first and count.
    pub(super) fn part(
        &self,
        choices: &mut Choices<'_>,
        (which, at): (usize, usize),
    ) -> (usize, usize) {
        let words = self.contexts[which].memory[at].bytes.len() as u32 / 4;
        let first = choices.below(words);
        (first as usize, 1 + choices.below(words - first) as usize)
    }

    pub(super) fn free(&mut self, choices: &mut Choices<'_>) {
        let Some((which, at)) = self.memory(choices) else { return };
        self.compare(which);
        let memory = self.contexts[which].memory.remove(at);
        ok!(cuMemFree_v2(memory.address));
        self.gone.push(Gone::Memory(memory.address));
    }

    /// Compares all memory of a context with the model.
    pub(super) fn compare(&mut self, which: usize) {
        self.switch(Some(which));
        for memory in &self.contexts[which].memory {
            let mut found = vec![0; memory.bytes.len()];
            ok!(cuMemcpyDtoH_v2(found.as_mut_ptr(), memory.address, found.len()));
            let differs = found.iter().zip(&memory.bytes).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{memory:x?}");
        }
    }

    /// Copies can be submitted to the stream of any device.
    pub(super) fn fill_from_host(&mut self, choices: &mut Choices<'_>) {
        let Some(place) = self.memory(choices) else { return };
        let (first, count) = self.part(choices, place);
        let with = self.any(choices);
        self.switch(Some(with));
        let stream = self.stream(choices, with);
        let (start, step) = (choices.byte(), choices.byte());
        let bytes: Vec<u8> =
            (0..4 * count).map(|i| start.wrapping_add((i as u8).wrapping_mul(step))).collect();
        let memory = &mut self.contexts[place.0].memory[place.1];
        let to = memory.address + 4 * first as u64;
        ok!(cuMemcpyHtoDAsync_v2(to, bytes.as_ptr(), bytes.len(), stream));
        memory.bytes[4 * first..][..bytes.len()].copy_from_slice(&bytes);
    }

    pub(super) fn set(&mut self, choices: &mut Choices<'_>) {
        let Some(place) = self.memory(choices) else { return };
        let (first, count) = self.part(choices, place);
        self.switch(Some(place.0));
        let stream = self.stream(choices, place.0);
        let memory = &mut self.contexts[place.0].memory[place.1];
        let to = memory.address + 4 * first as u64;
        let value = choices.word();
        if choices.once_in(2) {
            ok!(cuMemsetD32Async(to, value, count, stream));
            memory.bytes[4 * first..][..4 * count]
                .copy_from_slice(&value.to_le_bytes().repeat(count));
        } else {
            ok!(cuMemsetD8_v2(to, value as u8, 4 * count));
            memory.bytes[4 * first..][..4 * count].fill(value as u8);
        }
    }

    /// Copies between allocations of the same or of two devices.
    pub(super) fn copy(&mut self, choices: &mut Choices<'_>) {
        let (Some(from), Some(to)) = (self.memory(choices), self.memory(choices)) else { return };
        let (source, wanted) = self.part(choices, from);
        let (target, room) = self.part(choices, to);
        let count = wanted.min(room);
        if from == to {
            return;
        }
        let with = self.any(choices);
        self.switch(Some(with));
        let stream = self.stream(choices, with);
        let contexts = &mut self.contexts;
        let (a, b) = (&contexts[from.0], &contexts[to.0]);
        let from_at = a.memory[from.1].address + 4 * source as u64;
        let to_at = b.memory[to.1].address + 4 * target as u64;
        match choices.below(3) {
            0 => ok!(cuMemcpyDtoD_v2(to_at, from_at, 4 * count)),
            1 => ok!(cuMemcpyAsync(to_at, from_at, 4 * count, stream)),
            _ => ok!(cuMemcpyPeer(to_at, b.handle, from_at, a.handle, 4 * count)),
        }
        self.tally.copies_between += u32::from(a.device != b.device);
        let bytes = a.memory[from.1].bytes[4 * source..][..4 * count].to_vec();
        contexts[to.0].memory[to.1].bytes[4 * target..][..4 * count].copy_from_slice(&bytes);
    }
}
