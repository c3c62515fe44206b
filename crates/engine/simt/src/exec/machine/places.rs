//! Call frames of threads and the values of their registers, for a debugger.

use super::super::warp::Warp;
use super::Machine;
use crate::code::{Func, NONE, Slot};
use texunit_isa::ScalarType;

/// A call frame of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameAt {
    /// Number of the frame in its warp.
    pub id: u32,
    /// Name of the PTX function.
    pub function: String,
    /// Source offset of the next instruction, or of the active call.
    pub at: u32,
    /// Call depth.
    pub depth: u32,
}

/// A register of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterAt {
    /// Name of the register in the PTX.
    pub name: String,
    /// Type of the register.
    pub ty: ScalarType,
    /// Number of the register in the function.
    number: usize,
}

/// Maximum number of call frames that a debugger shows for a thread.
const MOST: usize = 100_000;

impl Machine<'_> {
    fn where_is(&self, warp: &Warp, lane: u32) -> Option<(u32, u32)> {
        let has = |mask: u32| mask >> lane & 1 == 1;
        let split = warp.splits.iter().find(|split| has(split.mask));
        let split = split.map(|split| (split.frame, split.pc));
        split.or_else(|| {
            let group = warp.groups.iter().find(|group| has(group.arrived))?;
            Some((group.frame, group.resume))
        })
    }

    /// The call frames of a thread, innermost first; none if the thread has exited.
    pub fn frames(&self, (cta, warp, lane): (u64, u32, u32)) -> Vec<FrameAt> {
        let Some(warp) = self.warp(cta, warp) else { return Vec::new() };
        let Some((mut id, mut pc)) = self.where_is(warp, lane) else { return Vec::new() };
        let mut all = Vec::new();
        loop {
            let frame = warp.frames.get(id);
            let function = self.launch.code.funcs.get(frame.function as usize);
            let function = function.map_or_else(String::new, |func| func.name.clone());
            let (at, depth) = (self.place(pc), frame.depth);
            all.push(FrameAt { id, function, at, depth });
            if frame.parent == NONE || all.len() >= MOST {
                return all;
            }
            (id, pc) = (frame.parent, frame.return_pc.wrapping_sub(1));
        }
    }

    /// Call depth of a thread, which is 0 in the kernel.
    pub fn depth(&self, (cta, warp, lane): (u64, u32, u32)) -> u32 {
        let Some(warp) = self.warp(cta, warp) else { return 0 };
        self.where_is(warp, lane).map_or(0, |(frame, _)| warp.frames.get(frame).depth)
    }

    fn func(&self, name: &str) -> Option<&Func> {
        self.launch.code.funcs.iter().find(|func| func.name == name && func.has_body)
    }

    /// The registers that a function uses.
    pub fn registers(&self, function: &str) -> Vec<RegisterAt> {
        let Some(func) = self.func(function) else { return Vec::new() };
        let found = self.launch.program.function_called(function);
        let registers = found.into_iter().flat_map(|f| f.regs.iter().enumerate());
        let used = |&(n, _): &(usize, _)| func.registers.get(n).is_some_and(|slot| !slot.is_none());
        registers
            .filter(used)
            .map(|(number, reg)| RegisterAt { name: reg.name.clone(), ty: reg.ty, number })
            .collect()
    }

    fn slot(&self, warp: &Warp, frame: u32, register: &RegisterAt) -> Option<Slot> {
        let func = self.launch.code.funcs.get(warp.frames.get(frame).function as usize)?;
        func.registers.get(register.number).copied().filter(|slot| !slot.is_none())
    }

    /// The value of a frame's register in a lane: its low and high 64 bits.
    pub fn register(
        &self,
        (cta, warp, lane): (u64, u32, u32),
        frame: u32,
        register: &RegisterAt,
    ) -> Option<[u64; 2]> {
        let warp = self.warp(cta, warp)?;
        let slot = self.slot(warp, frame, register)?;
        let registers = warp.registers_of(frame, &self.launch.constants);
        let read = |slot| registers.value(slot)[lane as usize & 31];
        let high = if register.ty.bits() == 128 { read(slot.next()) } else { 0 };
        Some([read(slot), high])
    }

    /// Sets a frame's register in a lane.
    pub fn set_register(
        &mut self,
        (cta, warp, lane): (u64, u32, u32),
        frame: u32,
        register: &RegisterAt,
        value: [u64; 2],
    ) -> bool {
        let slot = self.warp(cta, warp).and_then(|warp| self.slot(warp, frame, register));
        let Some(slot) = slot else { return false };
        let Some(warp) = self.warp_mut(cta, warp) else { return false };
        let (running, mask) = (warp.running, 1 << (lane & 31));
        let bits = if slot.is_predicate() { 1 } else { u64::MAX };
        warp.enter(frame);
        warp.put(slot, &[value[0]; 32], bits, mask);
        if register.ty.bits() == 128 {
            warp.put(slot.next(), &[value[1]; 32], bits, mask);
        }
        warp.enter(running);
        true
    }

    /// First byte and size of a parameter or local variable of a frame's function, in local memory.
    pub fn local_object(
        &self,
        (cta, warp, _): (u64, u32, u32),
        frame: u32,
        name: &str,
    ) -> Option<(u64, u32)> {
        let frame = *self.warp(cta, warp)?.frames.get(frame);
        let func = self.launch.code.funcs.get(frame.function as usize)?;
        let (_, offset, size) = func.objects.iter().find(|(object, ..)| object == name)?;
        Some((frame.local + u64::from(*offset), *size))
    }

    /// First byte and size in local memory of each result of a frame's function.
    pub fn results(&self, (cta, warp, _): (u64, u32, u32), frame: u32) -> Vec<(u64, u32)> {
        let Some(warp) = self.warp(cta, warp) else { return Vec::new() };
        let frame = *warp.frames.get(frame);
        let Some(func) = self.launch.code.funcs.get(frame.function as usize) else {
            return Vec::new();
        };
        let results = func.objects.iter().take(func.shape.0.len());
        results.map(|(_, offset, size)| (frame.local + u64::from(*offset), *size)).collect()
    }

    /// Offset and size of a shared variable in the CTA's memory.
    pub fn shared_variable(&self, name: &str) -> Option<(u64, u64)> {
        let program = self.launch.program;
        let mut all = self.launch.shared.offsets.iter();
        all.find_map(|(&id, &offset)| {
            let variable = program.variable(id)?;
            // Variables of function bodies are named `function.name`.
            let is_it = variable.name == name
                || variable.name.strip_suffix(name).is_some_and(|function| function.ends_with('.'));
            is_it.then_some((offset, variable.size))
        })
    }

    /// Offset of a kernel parameter, by its number.
    pub fn parameter_at(&self, index: usize) -> Option<u64> {
        let params = self.launch.program.kernel_params(self.launch.kernel);
        params.get(index).map(|param| param.offset.into())
    }

    /// Offset and size of a kernel parameter, by its name.
    pub fn parameter(&self, name: &str) -> Option<(u64, u32)> {
        let params = self.launch.program.kernel_params(self.launch.kernel);
        let param = params.iter().find(|param| param.name == name)?;
        Some((param.offset.into(), param.size))
    }
}
