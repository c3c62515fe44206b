//! Executes `malloc` and `free` of device code, and checks accesses to the device heap.

use super::context::Context;
use super::memory::Kind;
use super::outcome::{Done, fault_at};
use super::printf::give_back;
use super::warp::{Warp, lanes};
use crate::code::{HeapAction, HeapCall};
use crate::fault::FaultKind;
use crate::observe::{At, CallEvent, Events};
use texunit_memory::SpaceKind;

impl Context<'_> {
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
                        None => Err(texunit_memory::FreeError::NoAllocation { address: pointer }),
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
        let (access, unnoticed) = (kind.name, false);
        fault_at(lane, FaultKind::OutOfBounds { access, space, address, size, nearest, unnoticed })
    }
}
