//! Executes calls, returns and indexed branches, at which lanes can diverge by a register's value,
//! and `alloca`, `stacksave` and `stackrestore`.

use super::context::{Context, Launch};
use super::groups::join_at;
use super::outcome::{Done, Flow, Next, bad_operand, fault_at, fault_of_all};
use super::target::{load_local, store_local};
use super::warp::{Split, State, Warp, count, lanes, lanes_by, lanes_where};
use crate::code::{AT_RETURN, Call, Callee, Op, Passed, Slot, Stack, StackAction, Value};
use crate::fault::FaultKind;
use crate::lower::function_of_address;
use crate::observe::{CallEvent, Events};
use texunit_alu::L32;

/// Bytes of stack that a call uses besides its call frame: return address and saved state.
const FRAME_OVERHEAD: u64 = 16;
/// Bytes of registers, results and parameters that the frames of a thread may use, in addition to
/// four for each byte of its stack. The registers of a called function share no storage, so that a
/// large one has 34 KiB (`loggamma` of CuPy), and recursion that a card's stack holds has several
/// such frames.
const REGISTER_BYTES: u64 = 128 * 1024;

impl Context<'_> {
    pub(super) fn branch_indexed(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        index: Slot,
        targets: &[u32],
        reconverge: u32,
    ) -> Next {
        self.narrow = *warp.n(&self.launch.constants, index);
        for lane in lanes(split.mask) {
            let (index, len) = (self.narrow[lane], targets.len());
            if index as usize >= len {
                let what = format!("the index {index} of brx.idx is past its {len} targets");
                return bad_operand(lane, what);
            }
        }
        let mut groups = lanes_by(split.mask, |lane| targets[self.narrow[lane] as usize]);
        let Some((first, target)) = groups.next() else { return Ok(Flow::Continues) };
        if first != split.mask {
            split.group = warp.group_for(split, reconverge);
        }
        (split.pc, split.mask) = (target, first);
        for (mask, pc) in groups {
            warp.frames.retain(split.frame);
            warp.splits.push(Split { pc, mask, ..*split });
        }
        Ok(Flow::Continues)
    }

    pub(super) fn call(&mut self, warp: &mut Warp, split: &mut Split, call: &Call) -> Next {
        let function = match call.callee {
            Callee::Direct(f) => f,
            Callee::Indirect { address, reconverge } => {
                let mut addresses = [0; 32];
                warp.read(&self.launch.constants, address, &mut addresses);
                let lane = split.mask.trailing_zeros() as usize;
                let same = lanes_where(split.mask, |other| addresses[other] == addresses[lane]);
                let function = self.target(addresses[lane], lane, call)?;
                if same != split.mask {
                    // The other lanes execute the call instruction later, with their own target.
                    split.group = warp.group_for(split, reconverge);
                    warp.part(split, same);
                }
                function
            }
        };
        if self.events.intersects(Events::CALLS | Events::ENTERS) {
            let at = self.at(warp, split.mask, split.pc);
            let function = &self.launch.code.funcs[function as usize].name;
            self.notify_call(at, &CallEvent::Enters { function });
        }
        self.counts.enter(function, count(split.mask));
        let caller_base = warp.local_base;
        let frame = warp.frames.call(split.frame, split.pc + 1, &self.launch.code.funcs, function);
        split.frame = frame;
        self.reserve(warp, frame)?;
        warp.enter(frame);
        self.begin_frame_shadow(warp, split.mask);
        for argument in &call.arguments {
            let to = warp.local_base + u64::from(argument.offset);
            match argument.value {
                Value::Frame(at) => {
                    let from = caller_base + u64::from(at);
                    copy_rows(&mut warp.local, from, to, argument.size, split.mask);
                    copy_rows(&mut warp.local_shadow, from, to, argument.size, split.mask);
                }
                Value::Register(slot) => {
                    let caller = warp.frames.get(frame).parent;
                    let registers = warp.registers_of(caller, &self.launch.constants);
                    let value = registers.value(slot);
                    let shadow = match argument.shadow {
                        Slot::NONE => [0; 32],
                        shadow => registers.value(shadow),
                    };
                    put_rows(&mut warp.local, to, argument.size, &value, split.mask);
                    put_rows(&mut warp.local_shadow, to, argument.size, &shadow, split.mask);
                }
            }
        }
        split.pc = self.launch.code.funcs[function as usize].entry;
        Ok(Flow::Continues)
    }

    /// The function that a pointer refers to.
    fn target(&self, address: u64, lane: usize, call: &Call) -> Done<u32> {
        let Launch { program, unit, code, .. } = self.launch;
        let named = function_of_address(address).map(|f| program.resolve_alias(f.0));
        let lowered = named.and_then(|f| unit.target(f));
        if let Some((number, f)) = lowered.and_then(|i| Some((i, code.funcs.get(i as usize)?)))
            && f.has_body
            && !f.is_entry
            && f.shape == call.shape
        {
            return Ok(number);
        }
        let why = match named.and_then(|f| program.function_at(f)) {
            Some(f) if f.is_entry => format!("`{}` is a kernel", f.name),
            Some(f) if f.body.is_none() => format!("`{}` has no body", f.name),
            Some(f) if lowered.is_none() => {
                format!("the module never takes the address of `{}`", f.name)
            }
            Some(f) => {
                format!("`{}` has other parameters or results than the call's prototype", f.name)
            }
            None => format!("{address:#x} is not the address of a function"),
        };
        bad_operand(lane, format!("call through a register: {why}"))
    }

    /// Allocates the registers and local memory of a call.
    pub(super) fn reserve(&self, warp: &mut Warp, frame: u32) -> Done {
        // A reference avoids a copy of the structure, which would wait for the stores that have
        // just filled it.
        let f = warp.frames.get(frame);
        let func = &self.launch.code.funcs[f.function as usize];
        let limit = u64::from(self.launch.config.stack_limit);
        let used = f.local_end - f.passed + u64::from(f.depth) * FRAME_OVERHEAD;
        let words = (f.local_end / 4) as usize;
        let narrow = f.narrow + func.narrow as usize;
        let wide = f.wide + func.wide as usize;
        let predicates = f.predicates + func.predicates as usize;
        let own = narrow as u64 * 4 + wide as u64 * 8 + predicates as u64;
        let registers = f.passed + if f.depth > 0 { own } else { 0 };
        if used > limit || registers > REGISTER_BYTES + 4 * limit {
            return fault_of_all(FaultKind::StackOverflow { limit });
        }
        warp.narrow.grow(narrow);
        warp.wide.grow(wide);
        grow(&mut warp.predicates, predicates, 0);
        let before = warp.local.len();
        grow(&mut warp.local, words, [0; 32]);
        if before < words {
            self.fill_local(warp, before);
        }
        Ok(())
    }

    pub(super) fn ret(&mut self, warp: &mut Warp, split: &mut Split) -> Next {
        if join_at(warp, split, AT_RETURN) == Flow::Retired {
            return Ok(Flow::Retired);
        }
        warp.leave_frame(split);
        let frame = *warp.frames.get(split.frame);
        if self.events.intersects(Events::CALLS) {
            let [at, call] =
                [split.pc, frame.return_pc.wrapping_sub(1)].map(|pc| self.at(warp, split.mask, pc));
            self.notify_call(at, &CallEvent::Returns { to: call.op });
        }
        let back = frame.return_pc.wrapping_sub(1) as usize;
        if let Some(Op::Call(call)) = self.launch.code.insts.get(back).map(|i| &i.op) {
            let caller = *warp.frames.get(frame.parent);
            for Passed { value, offset, size, shadow } in &call.results {
                let from = frame.local + u64::from(*offset);
                match *value {
                    Value::Frame(at) => {
                        let to = caller.local + u64::from(at);
                        copy_rows(&mut warp.local, from, to, *size, split.mask);
                        copy_rows(&mut warp.local_shadow, from, to, *size, split.mask);
                    }
                    Value::Register(slot) => {
                        read_rows(&warp.local, from, *size, &mut self.wide);
                        let keep = crate::lower::mask_of(size * 8);
                        warp.enter(frame.parent);
                        warp.put(slot, &self.wide, keep, split.mask);
                        if self.shadows.is_some() {
                            read_rows(&warp.local_shadow, from, *size, &mut self.wide);
                            warp.put(*shadow, &self.wide, keep, split.mask);
                        }
                        warp.enter(split.frame);
                    }
                }
            }
        }
        warp.frames.retain(frame.parent);
        warp.frames.release(split.frame);
        split.frame = frame.parent;
        split.pc = frame.return_pc;
        split.state = State::Ready;
        warp.enter(split.frame);
        Ok(Flow::Continues)
    }

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
        let room = limit + warp.frames.get(warp.running).passed;
        for lane in lanes(mask) {
            let used = load_local(&warp.local, lane, word, 4).unwrap_or(0);
            let now = base + used;
            let (value, used) = match op.action {
                StackAction::Allocate { align, .. } => {
                    let at = now.checked_next_multiple_of(align);
                    let end = at.and_then(|at| at.checked_add(values[lane]));
                    let (Some(at), Some(end @ 0..)) = (at, end.filter(|&end| end <= room)) else {
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

fn grow<T: Clone>(file: &mut Vec<T>, len: usize, zero: T) {
    if file.len() < len {
        file.resize(len, zero);
    }
}

/// Copies `size` bytes of local memory, rounded up to words, in the lanes of a mask.
fn copy_rows(local: &mut [L32], from: u64, to: u64, size: u32, mask: u32) {
    let (from, to) = ((from / 4) as usize, (to / 4) as usize);
    for i in 0..size.div_ceil(4) as usize {
        let Some(row) = local.get(from + i).copied() else { return };
        let Some(target) = local.get_mut(to + i) else { return };
        for lane in lanes(mask) {
            target[lane] = row[lane];
        }
    }
}

fn put_rows(local: &mut [L32], to: u64, size: u32, values: &[u64; 32], mask: u32) {
    let to = (to / 4) as usize;
    for i in 0..size.div_ceil(4) as usize {
        let Some(target) = local.get_mut(to + i) else { return };
        for lane in lanes(mask) {
            target[lane] = (values[lane] >> (32 * (i & 1))) as u32;
        }
    }
}

fn read_rows(local: &[L32], from: u64, size: u32, values: &mut [u64; 32]) {
    let from = (from / 4) as usize;
    *values = [0; 32];
    for i in 0..(size.div_ceil(4) as usize).min(2) {
        let Some(row) = local.get(from + i) else { return };
        for (to, &v) in values.iter_mut().zip(row) {
            *to |= u64::from(v) << (32 * i);
        }
    }
}
