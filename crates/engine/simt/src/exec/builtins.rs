//! Executes calls of built-in functions: here `vprintf`, `__assertfail`, `malloc` and `free`.
//! Checks accesses to the device heap.

use super::context::Context;
use super::format::{Arguments, format};
use super::memory::Kind;
use super::outcome::{Done, Flow, Next, fault_at};
use super::target::{load_local, store_local};
use super::warp::{Split, Warp, lanes};
use crate::code::{BuiltinCall, MemSpace, Value};
use crate::fault::FaultKind;
use crate::lower::mask_of;
use crate::observe::{CallEvent, Events};
use crate::runtime::Function;
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

    /// Executes a call of a built-in function in the lanes of a split for which the guard holds.
    pub(super) fn builtin(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        call: &BuiltinCall,
        mask: u32,
    ) -> Next {
        match call.function.function {
            Function::Printf => self.printf(warp, call, mask)?,
            Function::AssertFail => return self.assert_fail(warp, call, mask),
            Function::Allocate | Function::Deallocate => {
                self.heap_call(warp, call, (mask, split.pc))?;
            }
            _ => self.runtime(warp, split, call, mask)?,
        }
        split.pc += 1;
        Ok(Flow::Continues)
    }

    /// Executes `vprintf`. The result is the number of arguments, or -1 if the format is null.
    fn printf(&mut self, warp: &mut Warp, call: &BuiltinCall, mask: u32) -> Done {
        self.record_side_effect();
        let mut counts = [0; 32];
        for lane in lanes(mask) {
            let [address, list] = self.words_of(warp, call, lane)[..] else { continue };
            if address == 0 {
                counts[lane] = u64::MAX;
                continue;
            }
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
        give_back(warp, call.result, (&counts, 4), mask);
        Ok(())
    }

    fn assert_fail<T>(&mut self, warp: &mut Warp, call: &BuiltinCall, mask: u32) -> Done<T> {
        let lane = mask.trailing_zeros() as usize;
        let words = self.words_of(warp, call, lane);
        let mut say = |i: usize| {
            let text = self.string(warp, lane, words[i]).unwrap_or_else(|| b"?".to_vec());
            String::from_utf8_lossy(&text).into_owned()
        };
        let (message, file, function) = (say(0), say(1), say(3));
        fault_at(lane, FaultKind::Assert { message, file, line: words[2] as u32, function })
    }

    /// Executes a call of `malloc` or `free`, lane by lane. Without a heap, nothing can be
    /// allocated.
    fn heap_call(&mut self, warp: &mut Warp, call: &BuiltinCall, (mask, pc): (u32, u32)) -> Done {
        self.record_side_effect();
        let heap = self.launch.config.heap;
        let frees = call.function.function == Function::Deallocate;
        let (mut pointers, mut sizes) = ([0; 32], [0; 32]);
        for lane in lanes(mask) {
            let words = self.words_of(warp, call, lane);
            sizes[lane] = words[0];
            if !frees {
                let align = words.get(1).copied().unwrap_or(1);
                pointers[lane] = heap.and_then(|heap| heap.allocate(words[0], align)).unwrap_or(0);
                if pointers[lane] != 0 {
                    self.undefine_heap(pointers[lane], words[0]);
                }
                continue;
            }
            let freed = match heap {
                _ if words[0] == 0 => Ok(()),
                Some(heap) => heap.free(words[0]),
                None => Err(FreeError::NoAllocation { address: words[0] }),
            };
            if let Err(error) = freed {
                return fault_at(lane, FaultKind::Heap(error.to_string()));
            }
        }
        if self.events.intersects(Events::CALLS | Events::HEAP) {
            let (sizes, addresses) = (&sizes, &pointers);
            let called = match frees {
                true => CallEvent::Frees { addresses: sizes },
                false => CallEvent::Allocates { sizes, addresses },
            };
            self.notify_call(self.at(warp, mask, pc), &called);
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
