//! Catchpoints for NaNs that arise from numbers, and for divergent branches. They examine every
//! instruction of all threads.

use super::Live;
use super::run::Reason;
use crate::ptx::Instruction;
use texunit_forms::Count;
use texunit_simt::debug::{RegisterAt, StopPoint};
use texunit_unit::lanes;

/// An executing instruction that may produce a NaN.
#[derive(Clone, Debug)]
pub(crate) struct PendingInstruction {
    stop_point: StopPoint,
    frame: u32,
    register: RegisterAt,
    /// Lanes that had a NaN in a source operand or in the destination before the instruction.
    mask: u32,
    number: u32,
}

/// Opcodes with computed floating-point results.
const ARITHMETIC: [&str; 15] = [
    "add", "sub", "mul", "div", "fma", "mad", "sqrt", "rsqrt", "rcp", "lg2", "ex2", "sin", "cos",
    "tanh", "rem",
];

impl Live<'_, '_> {
    /// Whether a catchpoint for NaNs or for divergent branches is enabled.
    pub(super) fn looks_at_all(&self) -> bool {
        self.catches("nan").is_some() || self.catches("divergence").is_some()
    }

    fn register_of(&self, stop_point: StopPoint, name: &str) -> Option<(u32, RegisterAt)> {
        let thread = Self::first_of(stop_point);
        let frames = self.machine.frames(thread);
        let frame = frames.first()?;
        let all = self.machine.registers(&frame.function);
        Some((frame.id, all.into_iter().find(|register| register.name == name)?))
    }

    fn nan_lanes(&self, stop_point: StopPoint, frame: u32, register: &RegisterAt) -> u32 {
        let bits = register.ty.bits();
        lanes(stop_point.lanes).fold(0, |mask, lane| {
            let value = self.register_in(stop_point, lane, frame, register);
            let is_nan = match bits {
                64 => f64::from_bits(value).is_nan(),
                _ => f32::from_bits(value as u32).is_nan(),
            };
            mask | u32::from(is_nan) << lane
        })
    }

    /// The lower 64 bits of a register in a lane.
    fn register_in(&self, at: StopPoint, lane: usize, frame: u32, register: &RegisterAt) -> u64 {
        let thread = (at.cta, at.warp, lane as u32);
        self.machine.register(thread, frame, register).map_or(0, |words| words[0])
    }

    /// Whether lanes diverge at the instruction that they have reached, or the previous one has
    /// produced a NaN.
    pub(super) fn caught_here(&mut self, stop_point: StopPoint) -> Option<Reason> {
        if let Some(begun) = self.begun.take() {
            let PendingInstruction { stop_point: by, frame, register, mask, number } = begun;
            let made = self.nan_lanes(by, frame, &register) & !mask & by.lanes;
            if made != 0 {
                self.focus((by.cta, by.warp, made.trailing_zeros()));
                let (name, lanes) = (register.name, Count(made.count_ones(), "lane"));
                let (ptx, place) = (self.module.ptx(by.at), self.module.place_of(by.at));
                let text = format!("NaN in {name} of {lanes}, made by `{ptx}' at {place}");
                return Some(Reason::Catch(number, text));
            }
        }
        let ptx = self.module.ptx(stop_point.at);
        let text = Instruction::of(&ptx);
        if let (Some(number), Some((guard, _))) = (self.catches("divergence"), text.guard)
            && text.opcode.starts_with("bra")
            && let Some((frame, register)) = self.register_of(stop_point, guard)
        {
            let taken = lanes(stop_point.lanes).fold(0, |mask, lane| {
                let value = self.register_in(stop_point, lane, frame, &register);
                mask | (value as u32 & 1) << lane
            });
            if taken != 0 && taken != stop_point.lanes {
                self.focus(Self::first_of(stop_point));
                let (all, taken) = (stop_point.lanes.count_ones(), taken.count_ones());
                let text = format!("lanes part: {} of {all} at `{ptx}'", taken.min(all - taken));
                return Some(Reason::Catch(number, text));
            }
        }
        let number = self.catches("nan")?;
        let is_float = text.opcode.split('.').any(|word| matches!(word, "f32" | "f64"));
        if !is_float || !ARITHMETIC.contains(&text.word()) {
            return None;
        }
        let mut from = text.operands.split(',').map(str::trim);
        let (frame, register) = self.register_of(stop_point, from.next()?)?;
        let mut mask = 0;
        for name in from {
            if let Some((frame, source)) = self.register_of(stop_point, name) {
                mask |= self.nan_lanes(stop_point, frame, &source);
            }
        }
        if text.guard.is_some() {
            // With a predicate, lanes may keep the destination's old value.
            mask |= self.nan_lanes(stop_point, frame, &register);
        }
        self.begun = Some(PendingInstruction { stop_point, frame, register, mask, number });
        None
    }
}
