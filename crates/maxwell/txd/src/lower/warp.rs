//! Runs a TXD generated from a `tex.grad` on the operands of a warp. The effect of the instructions
//! before it is performed on registers, and that of the instructions after it on the results.

use super::fetch::{COMPONENTS, FIRST, packed_word};
use super::{Fetch, Packed};
use crate::exec::{Outcome, State};
use texunit_sass::txd::{BINDLESS, GUARD, GUARD_NOT, INDEX, MASK, NODEP, PS, PT, RD};
use texunit_texel::f32_to_f16;
use texunit_unit::{FetchAnswer, FetchForm, FetchRequest, Lanes, ResultType, lanes};

impl Fetch {
    /// The fetch with all components in its write mask, for observers that also see components that
    /// the kernel does not use.
    pub fn with_all_components(&self) -> Self {
        let mut all = self.clone();
        let (first, _) = FIRST[2];
        all.txd = all.txd.with(&MASK, 0xf).with(&RD, first).with(&NODEP, 0);
        let packed = |(register, name)| Packed { register, name, value: String::new() };
        all.rd = (first..).zip(COMPONENTS).map(packed).collect();
        all
    }

    /// Stores the operands of a `tex.grad` where the instruction reads them: registers, constant
    /// bank, predicate. The lanes of the request are those whose predicate is true.
    pub fn load(&self, state: &mut State, handle: u32, form: FetchForm, request: &FetchRequest) {
        let txd = &self.txd;
        let guard = txd.get(&GUARD);
        state.active = request.active;
        if let Some(predicate) = state.predicates.get_mut(guard as usize) {
            *predicate = if txd.has(&GUARD_NOT) { !request.active } else { request.active };
            state.active = u32::MAX;
        }
        if !txd.has(&BINDLESS) {
            let at = 4 * txd.get(&INDEX) as usize;
            state.constants.resize(state.constants.len().max(at + 4), 0);
            state.constants[at..at + 4].copy_from_slice(&handle.to_le_bytes());
        }
        for packed in self.ra.iter().chain(&self.rb) {
            if let Some(register) = state.registers.get_mut(packed.register as usize) {
                operand(packed.name, handle, form, request, register);
            }
        }
    }

    /// Takes the results of participating lanes from the registers, in the texture unit's numbering
    /// of the result registers of a `tex.grad`.
    pub fn take(
        &self,
        state: &State,
        result: ResultType,
        outcome: Outcome,
        answer: &mut FetchAnswer,
    ) {
        let ps = self.txd.get(&PS);
        let missing = if ps == PT { outcome.missing } else { state.predicates[ps as usize] };
        answer.resident = answer.resident & !outcome.lanes | !missing & outcome.lanes;
        for lane in lanes(outcome.lanes) {
            let mut colour = [0; 4];
            for (value, name) in colour.iter_mut().zip(COMPONENTS) {
                let packed = self.rd.iter().find(|packed| packed.name == name);
                let register = packed.and_then(|p| state.registers.get(p.register as usize));
                *value = register.map_or(0, |register| register[lane]);
            }
            for (values, value) in answer.values.iter_mut().zip(converted(result, colour)) {
                values[lane] = value;
            }
        }
    }
}

/// The value in each lane of the operand with this name.
fn operand(name: &str, handle: u32, form: FetchForm, request: &FetchRequest, out: &mut Lanes) {
    let axes = form.geometry.axes();
    // `1d` in unified mode has a second coordinate, which is 0.
    let along = |list: &[&Lanes], axis: usize| match list.get(axis) {
        Some(values) if axis < axes => **values,
        _ => [0; 32],
    };
    *out = match name {
        "handle" => [handle; 32],
        "s" => along(&request.coords.point, 0),
        "t" => along(&request.coords.point, 1),
        "dsdx" => along(&request.dpdx, 0),
        "dsdy" => along(&request.dpdy, 0),
        "dtdx" => along(&request.dpdx, 1),
        "dtdy" => along(&request.dpdy, 1),
        _ => {
            let offsets = if form.offset { axes.min(2) } else { 0 };
            std::array::from_fn(|lane| {
                let array = form.geometry.is_array().then(|| request.coords.layer[lane]);
                let offset = [0, 1].map(|axis| request.offset[axis][lane]);
                packed_word(array, &offset[..offsets])
            })
        }
    };
}

/// Applies the conversions that follow the fetch: F2F.F16.F32, and packing two halves into a
/// register.
fn converted(result: ResultType, colour: [u32; 4]) -> [u32; 4] {
    let half = |value: u32| u32::from(f32_to_f16(value));
    match result {
        ResultType::F32 | ResultType::S32 | ResultType::U32 => colour,
        ResultType::F16 => colour.map(half),
        ResultType::F16x2 => {
            let [r, g, b, a] = colour.map(half);
            [g << 16 | r, a << 16 | b, 0, 0]
        }
    }
}
