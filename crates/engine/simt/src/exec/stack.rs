//! Executes `alloca`, `stacksave` and `stackrestore`.

use super::context::Context;
use super::outcome::{Done, bad_operand, fault_at};
use super::target::{load_local, store_local};
use super::warp::{Warp, lanes};
use crate::code::{Stack, StackAction};
use crate::fault::FaultKind;

impl Context<'_> {
    /// Executes a stack instruction; each lane has a stack pointer of its own.
    pub(super) fn stack(&mut self, warp: &mut Warp, op: &Stack, mask: u32) -> Done {
        let base = warp.local_base + u64::from(op.end);
        let word = warp.local_base + u64::from(op.at);
        let limit = u64::from(self.launch.config.stack_limit);
        let mut values = [0; 32];
        if let StackAction::Allocate { size: slot, .. } | StackAction::Restore { a: slot } =
            op.action
        {
            warp.read(&self.launch.constants, slot, &mut values);
        }
        let mut top = warp.local_end;
        for lane in lanes(mask) {
            let used = load_local(&warp.local, lane, word, 4).unwrap_or(0);
            let now = base + used;
            let (value, used) = match op.action {
                StackAction::Allocate { align, .. } => {
                    let at = now.checked_next_multiple_of(align);
                    let end = at.and_then(|at| at.checked_add(values[lane]));
                    let (Some(at), Some(end @ 0..)) = (at, end.filter(|&end| end <= limit)) else {
                        return fault_at(lane, FaultKind::StackOverflow { limit });
                    };
                    top = top.max(end);
                    (at, end - base)
                }
                StackAction::Save { .. } => (now, used),
                StackAction::Restore { .. } => {
                    let to = values[lane];
                    if !(base..=now).contains(&to) {
                        let stack = format!("the stack of the function is {base:#x} to {now:#x}");
                        return bad_operand(lane, format!("stackrestore of {to:#x}, but {stack}"));
                    }
                    (to, to - base)
                }
            };
            values[lane] = value;
            store_local(&mut warp.local, lane, word, 4, used);
        }
        if let StackAction::Allocate { d, .. } | StackAction::Save { d } = op.action {
            warp.put(d, &values, u64::MAX, mask);
        }
        if top > warp.local_end {
            warp.frames.extend(warp.running, top.next_multiple_of(16));
            self.reserve(warp, warp.running)?;
            warp.enter(warp.running);
        }
        Ok(())
    }
}
