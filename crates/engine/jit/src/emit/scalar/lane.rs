//! A lane from its beginning to its end.

use super::places::{Home, Value, low};
use super::state::{
    BUDGET, Counted, FIRST, ITERATIONS, LANE, LEFT, Lane, MOST, OUT, SECOND, stack,
};
use crate::emit::Emitter;
use crate::emit::asm::{Label, at};
use crate::emit::backend::{Backend, site};
use crate::emit::frame::Frame;
use crate::machine::Site;
use crate::operand::{Place, Source};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

impl<B: Backend> Emitter<'_, B> {
    /// What all lanes have goes to its places.
    pub(super) fn what_lanes_share(&mut self, lane: &Lane) {
        for (value, home) in lane.places.all() {
            match value {
                Value::Alike(Source::Literal(number), _) => {
                    self.asm.put(I::with2(C::Mov_r64_imm64, FIRST, number));
                }
                Value::Alike(source, wide) => {
                    let from = self.number_at(source, FIRST);
                    self.asm.put(match wide {
                        true => I::with2(C::Mov_r64_rm64, FIRST, from),
                        false => I::with2(C::Mov_r32_rm32, R::EAX, from),
                    });
                }
                Value::Origin(number) => {
                    let origin = site(number, offset_of!(Site, origin));
                    self.asm.put(I::with2(C::Mov_r64_rm64, FIRST, origin));
                }
                Value::Below(number, covers) => {
                    // No index is below nothing.
                    let indices = site(number, offset_of!(Site, indices));
                    self.asm.put(I::with2(C::Xor_r32_rm32, R::EBX, R::EBX));
                    self.asm.put(I::with2(C::Mov_r64_rm64, FIRST, indices));
                    self.asm.put(I::with2(C::Sub_rm64_imm32, FIRST, covers as i32));
                    self.asm.put(I::with2(C::Cmovb_r64_rm64, FIRST, SECOND));
                }
                Value::Of(_) | Value::Own(_) => continue,
            }
            match home {
                Home::General(to) => self.asm.put(I::with2(C::Mov_r64_rm64, to, FIRST)),
                Home::Stack(word) => {
                    self.asm.put(I::with2(C::Mov_rm64_r64, lane.word(word), FIRST))
                }
                Home::Float(_) => self.asm.out_of_registers(),
            }
        }
    }

    /// What the lane in `ebx` begins with goes to its places.
    pub(super) fn begin_lane(&mut self, lane: &Lane) {
        let begins =
            lane.of.begins.iter().map(|&(from, value)| (Value::Of(from), Value::Of(value)));
        let own = lane.places.all().map(|of| (of.0, of.0));
        let own = own.filter(|of| matches!(of.0, Value::Own(_)));
        // Where the first register points to.
        let mut points = None;
        for (value, to) in begins.chain(own) {
            let Some(home) = lane.places.get(to) else { continue };
            let to = if let Home::General(register) = home { register } else { FIRST };
            let field = match value {
                Value::Of(Place::Narrow(_)) => Frame::NARROW,
                Value::Of(Place::Wide(_)) => Frame::WIDE,
                Value::Of(Place::Predicate(_)) => Frame::PREDICATES,
                _ => Frame::ROWS,
            };
            if points != Some(field) {
                self.asm.put(I::with2(C::Mov_r64_rm64, FIRST, at(R::RDI, field)));
            }
            let stays =
                !matches!(home, Home::Stack(_)) && !matches!(value, Value::Of(Place::Predicate(_)));
            points = Some(field).filter(|_| stays);
            match (value, home) {
                (Value::Of(Place::Narrow(i)), Home::Float(to)) => {
                    self.asm.put(I::with2(
                        C::VEX_Vmovss_xmm_m32,
                        to,
                        at_lane(FIRST, i as usize * 128, 4),
                    ));
                }
                (Value::Of(Place::Wide(i)), Home::Float(to)) => {
                    self.asm.put(I::with2(
                        C::VEX_Vmovsd_xmm_m64,
                        to,
                        at_lane(FIRST, i as usize * 256, 8),
                    ));
                }
                (Value::Of(Place::Narrow(i)) | Value::Own(Source::Row(i)), _) => {
                    self.asm.put(I::with2(
                        C::Mov_r32_rm32,
                        low(to),
                        at_lane(FIRST, i as usize * 128, 4),
                    ));
                }
                (Value::Of(Place::Wide(i)), _) => {
                    self.asm.put(I::with2(
                        C::Mov_r64_rm64,
                        to,
                        at_lane(FIRST, i as usize * 256, 8),
                    ));
                }
                (Value::Of(Place::Predicate(i)), _) => {
                    self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, at(FIRST, i as usize * 4)));
                    self.asm.put(I::with2(C::Bt_rm32_r32, R::EAX, R::EBX));
                    self.asm.put(I::with1(C::Setb_rm8, R::AL));
                    self.asm.put(I::with2(C::Movzx_r32_rm8, low(to), R::AL));
                }
                _ => self.asm.put(I::with2(C::Mov_r32_rm32, low(to), R::EBX)),
            }
            if let Home::Stack(word) = home {
                self.asm.put(I::with2(C::Mov_rm64_r64, lane.word(word), to));
            }
        }
    }

    /// A lane has left the loop behind a block: it is counted, its results are kept, and the next one goes.
    pub(super) fn end_lane(&mut self, lane: &Lane, counted: &Counted, behind: usize, next: Label) {
        let results = lane.of.blocks[behind].results.iter().copied().enumerate();
        let results: Vec<_> = results.collect();
        for &(_, place) in &results {
            // A NaN may be another one than that of the instruction.
            let wide = matches!(place, Place::Wide(_));
            match lane.places.get(Value::Of(place)) {
                Some(Home::Float(of)) => {
                    let code =
                        if wide { C::VEX_Vucomisd_xmm_xmmm64 } else { C::VEX_Vucomiss_xmm_xmmm32 };
                    self.asm.put(I::with2(code, of, of));
                }
                Some(Home::Stack(word)) if lane.of.floats.contains(&place) => {
                    let [load, code] = match wide {
                        true => [C::VEX_Vmovsd_xmm_m64, C::VEX_Vucomisd_xmm_xmmm64],
                        false => [C::VEX_Vmovss_xmm_m32, C::VEX_Vucomiss_xmm_xmmm32],
                    };
                    self.asm.put(I::with2(load, R::XMM0, lane.word(word)));
                    self.asm.put(I::with2(code, R::XMM0, R::XMM0));
                }
                _ => continue,
            }
            let vain = lane.vain;
            self.asm.jump(C::Jp_rel32_64, vain);
        }
        // How often the lane has come to the first block; to those behind this one once less.
        self.asm.put(I::with2(C::Mov_r64_rm64, SECOND, stack(BUDGET)));
        self.asm.put(I::with2(C::Sub_r64_rm64, SECOND, LEFT));
        self.asm.put(I::with2(C::Add_rm64_r64, stack(ITERATIONS), SECOND));
        if counted.outs() > 1 {
            self.asm.put(I::with1(C::Inc_rm64, stack(OUT + 8 * behind)));
        }
        for b in (0..counted.steps.len()).rev() {
            if b == behind {
                self.asm.put(I::with1(C::Inc_rm64, SECOND));
            }
            let most = stack(MOST + 8 * b);
            self.asm.put(I::with2(C::Mov_r64_rm64, FIRST, most));
            self.asm.put(I::with2(C::Cmp_r64_rm64, FIRST, SECOND));
            self.asm.put(I::with2(C::Cmovb_r64_rm64, FIRST, SECOND));
            self.asm.put(I::with2(C::Mov_rm64_r64, most, FIRST));
        }
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, stack(LANE)));
        for (row, place) in results {
            let Some(home) = lane.places.get(Value::Of(place)) else { continue };
            let bytes = if let Place::Wide(_) = place { 8 } else { 4 };
            let to = MemoryOperand::with_base_index_scale_displ_size(
                R::RDI,
                SECOND,
                bytes,
                Frame::scratch(row) as i64,
                1,
            );
            if let Home::Float(from) = home {
                let code = if bytes == 8 { C::VEX_Vmovsd_m64_xmm } else { C::VEX_Vmovss_m32_xmm };
                self.asm.put(I::with2(code, to, from));
                continue;
            }
            let from = match home {
                Home::General(register) => register,
                Home::Stack(word) => {
                    self.asm.put(I::with2(C::Mov_r64_rm64, FIRST, lane.word(word)));
                    FIRST
                }
                Home::Float(_) => continue,
            };
            match place {
                Place::Narrow(_) => self.asm.put(I::with2(C::Mov_rm32_r32, to, low(from))),
                Place::Wide(_) => self.asm.put(I::with2(C::Mov_rm64_r64, to, from)),
                Place::Predicate(_) => {
                    let none = self.asm.label();
                    self.asm.put(I::with2(C::Test_rm32_r32, low(from), low(from)));
                    self.asm.jump(C::Je_rel32_64, none);
                    let row = at(R::RDI, Frame::scratch(row));
                    self.asm.put(I::with2(C::Bts_rm32_r32, row, R::EBX));
                    self.asm.bind(none);
                }
            }
        }
        self.asm.jump(C::Jmp_rel32_64, next);
    }
}

/// The number of the lane in `rbx`, from where a register points.
fn at_lane(base: R, displacement: usize, bytes: u32) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(base, SECOND, bytes, displacement as i64, 1)
}
