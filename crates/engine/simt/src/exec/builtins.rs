//! Executes calls of `vprintf`, `__assertfail`, `malloc` and `free`, and checks accesses to the
//! device heap.

use super::context::Context;
use super::format::{Arguments, format};
use super::memory::Kind;
use super::outcome::{Done, fault_at};
use super::target::{load_local, store_local};
use super::warp::{Warp, lanes};
use crate::code::{AssertFail, HeapAction, HeapCall, MemSpace, Printf, Value};
use crate::fault::FaultKind;
use crate::lower::mask_of;
use crate::observe::{At, CallEvent, Events};
use texunit_alu::L64;
use texunit_memory::{FreeError, SpaceKind};

/// Maximum length of a string that is read from memory.
const LONGEST: usize = 64 * 1024;

/// The arguments of one thread's printf call, in memory.
struct Stored<'c, 'a, 'w> {
    context: &'c mut Context<'a>,
    warp: &'w mut Warp,
    lane: usize,
    at: u64,
    /// Number of arguments read so far.
    read: u64,
}

impl Arguments for Stored<'_, '_, '_> {
    fn next(&mut self, size: u8) -> Option<u64> {
        // Each argument is aligned to its size.
        let at = self.at.checked_next_multiple_of(u64::from(size))?;
        self.at = at.checked_add(size.into())?;
        self.read += 1;
        let place = (MemSpace::Generic, at);
        self.context.load_one(self.warp, self.lane, place, (size, size.into())).ok()
    }

    fn string(&mut self, address: u64) -> Option<Vec<u8>> {
        self.context.string(self.warp, self.lane, address)
    }
}

/// Stores the results of a call, of `size` bytes each, where its caller reads them.
pub(super) fn give_back(warp: &mut Warp, to: Option<Value>, (values, size): (&L64, u8), mask: u32) {
    match to {
        Some(Value::Register(slot)) => warp.put(slot, values, mask_of(u32::from(size) * 8), mask),
        Some(Value::Frame(at)) => {
            let address = warp.local_base + u64::from(at);
            for lane in lanes(mask) {
                store_local(&mut warp.local, lane, address, size, values[lane]);
            }
        }
        None => {}
    }
}

impl Context<'_> {
    /// Reads a zero-terminated string at a generic address.
    fn string(&mut self, warp: &mut Warp, lane: usize, address: u64) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        while text.len() < LONGEST {
            let at = address.checked_add(text.len() as u64)?;
            match self.load_one(warp, lane, (MemSpace::Generic, at), (1, 1)).ok()? as u8 {
                0 => break,
                byte => text.push(byte),
            }
        }
        Some(text)
    }

    /// The value that a call passes in one lane.
    pub(super) fn passed(&self, warp: &Warp, value: Value, lane: usize, size: u8) -> u64 {
        match value {
            Value::Frame(at) => {
                let at = warp.local_base + u64::from(at);
                load_local(&warp.local, lane, at, size).unwrap_or(0)
            }
            Value::Register(slot) => {
                let mut all = [0; 32];
                warp.read(&self.launch.constants, slot, &mut all);
                all[lane]
            }
        }
    }

    /// Executes `vprintf`. The result is the number of arguments, or -1 if the format is null.
    pub(super) fn printf(&mut self, warp: &mut Warp, op: &Printf, mask: u32) -> Done {
        self.record_side_effect();
        let mut counts = [0; 32];
        for lane in lanes(mask) {
            let address = self.passed(warp, op.format, lane, 8);
            if address == 0 {
                counts[lane] = u64::MAX;
                continue;
            }
            let list = self.passed(warp, op.arguments, lane, 8);
            // If the string is inaccessible, this load raises the usual fault.
            self.load_one(warp, lane, (MemSpace::Generic, address), (1, 1))?;
            let Some(text) = self.string(warp, lane, address) else { continue };
            let mut out = std::mem::take(&mut self.output.text);
            let mut arguments = Stored { context: self, warp, lane, at: list, read: 0 };
            format(&text, &mut arguments, &mut out);
            counts[lane] = arguments.read;
            self.output.text = out;
            self.output.trim(self.launch.config.printf_limit);
        }
        give_back(warp, op.result, (&counts, 4), mask);
        Ok(())
    }

    pub(super) fn assert_fail(&mut self, warp: &mut Warp, op: &AssertFail, mask: u32) -> Done {
        let lane = mask.trailing_zeros() as usize;
        let mut say = |value: Value| {
            let address = self.passed(warp, value, lane, 8);
            let text = self.string(warp, lane, address).unwrap_or_else(|| b"?".to_vec());
            String::from_utf8_lossy(&text).into_owned()
        };
        let (message, file, function) = (say(op.message), say(op.file), say(op.function));
        let line = self.passed(warp, op.line, lane, 4) as u32;
        fault_at(lane, FaultKind::Assert { message, file, line, function })
    }

    /// Executes a call of `malloc` or `free`, lane by lane. Without a heap, nothing can be
    /// allocated.
    pub(super) fn heap_call(&mut self, warp: &mut Warp, call: &HeapCall, mask: u32) -> Done {
        self.record_side_effect();
        let heap = self.launch.config.heap;
        let (mut pointers, mut sizes) = ([0; 32], [0; 32]);
        for lane in lanes(mask) {
            match call.action {
                HeapAction::Allocate { size, align } => {
                    let size = self.passed(warp, size, lane, 8);
                    let align = align.map_or(1, |align| self.passed(warp, align, lane, 8));
                    pointers[lane] = heap.and_then(|heap| heap.allocate(size, align)).unwrap_or(0);
                    sizes[lane] = size;
                    if pointers[lane] != 0 {
                        self.undefine_heap(pointers[lane], size);
                    }
                }
                HeapAction::Free { pointer } => {
                    let pointer = self.passed(warp, pointer, lane, 8);
                    let freed = match heap {
                        _ if pointer == 0 => Ok(()),
                        Some(heap) => heap.free(pointer),
                        None => Err(FreeError::NoAllocation { address: pointer }),
                    };
                    sizes[lane] = pointer;
                    if let Err(error) = freed {
                        return fault_at(lane, FaultKind::Heap(error.to_string()));
                    }
                }
            }
        }
        if self.events.has(Events::CALLS | Events::HEAP) {
            let at = At { cta: self.cta.id, warp: warp.index, lanes: mask, op: self.marked_op.0 };
            let (sizes, addresses) = (&sizes, &pointers);
            let called = match call.action {
                HeapAction::Allocate { .. } => CallEvent::Allocates { sizes, addresses },
                HeapAction::Free { .. } => CallEvent::Frees { addresses: sizes },
            };
            self.notify_call(at, &called);
        }
        give_back(warp, call.result, (&pointers, 8), mask);
        Ok(())
    }

    /// Raises a fault if an access of `size` bytes is in the heap but not in a live allocation.
    pub(super) fn check_heap(&self, lane: usize, address: u64, size: u32, kind: Kind) -> Done {
        let Some(heap) = self.launch.config.heap else { return Ok(()) };
        if heap.check(address, size.into()) {
            return Ok(());
        }
        let (space, nearest) = (SpaceKind::Global, heap.explain(address, size.into()).into());
        let (access, unnoticed) = (kind, false);
        fault_at(lane, FaultKind::OutOfBounds { access, space, address, size, nearest, unnoticed })
    }
}
