//! Ways into a function and out of it, which lie behind all blocks.

use super::Emitter;
use super::affine::Late;
use super::asm::{Label, at};
use super::backend::Backend;
use super::frame::Frame;
use super::input::Input;
use super::part::Parting;
use super::same_base::SLOTS;
use super::values::{Nans, Values};
use crate::machine::Mode;
use iced_x86::{Code as C, Instruction as I, Register as R};

/// Why a function is left: numbers as `Running::run` knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Instruction,
    Site(u32),
    Divides,
    Meets,
    Limit,
    Outside,
}

/// Code behind the blocks.
pub(super) struct Stub {
    label: Label,
    /// What is where.
    values: Values,
    /// The instruction.
    number: u32,
    /// Steps that count and that `r10` does not have yet.
    pending: u32,
    way: Way,
    /// Registers that are computed on the way out.
    late: Vec<Late>,
    /// Registers that are filled.
    owes: Vec<Input>,
    /// Slots of groups of accesses that steps behind it look up.
    open: u8,
    /// Registers of which something is known that steps behind it look at.
    open_indices: u16,
    /// Where it belongs to.
    mode: Mode,
    block: usize,
}

#[derive(Clone, Copy)]
enum Way {
    Out(Reason),
    In(Label),
    Door(Label),
    Part(Parting),
    Join,
}

impl<B: Backend> Emitter<'_, B> {
    /// A place that leaves before an instruction, with everything as it is where this is called.
    pub(super) fn way_out(&mut self, why: Reason, number: u32) -> Label {
        self.stub(Way::Out(why), number)
    }

    /// An entry before an instruction, that goes on at a place where everything is as it is now.
    pub(super) fn way_in(&mut self, number: u32, to: Label) {
        let label = self.stub(Way::In(to), number);
        self.entries.push((self.mode, number, label));
    }

    /// The same at the beginning of a block, which is no entry yet: for who has everything at home but for what is owed there.
    pub(super) fn door(&mut self, number: u32, to: Label) -> Label {
        self.stub(Way::Door(to), number)
    }

    /// Parts lanes; `eax` has those that take the branch.
    pub(super) fn way_apart(&mut self, parting: Parting, number: u32) -> Label {
        self.stub(Way::Part(parting), number)
    }

    /// Lanes come where they are to meet.
    pub(super) fn way_together(&mut self, number: u32) -> Label {
        self.stub(Way::Join, number)
    }

    fn stub(&mut self, way: Way, number: u32) -> Label {
        let (label, values, pending) = (self.asm.label(), self.values.clone(), self.pending);
        let (mode, block, open) = (self.mode, self.block, self.open);
        let open_indices = if mode == Mode::Live { self.open_indices } else { 0 };
        let late = if let Way::Out(_) = way { self.late.clone() } else { Vec::new() };
        let owes = match way {
            Way::Out(_) | Way::Part(_) | Way::Door(_) => self.owes.clone(),
            Way::In(_) | Way::Join => Vec::new(),
        };
        self.stubs.push(Stub {
            label,
            values,
            number,
            pending,
            way,
            late,
            owes,
            open,
            open_indices,
            mode,
            block,
        });
        label
    }

    /// A jump, if a condition holds, to code that comes back. It moves no value from a register to another.
    pub(super) fn rarely(&mut self, jump: C, code: impl FnOnce(&mut Emitter<'_, B>) + 'static) {
        let (label, back) = (self.asm.label(), self.asm.label());
        self.asm.jump(jump, label);
        self.asm.bind(back);
        let code = move |e: &mut Emitter<'_, B>| {
            code(e);
            e.asm.jump(C::Jmp_rel32_64, back);
        };
        self.rare.push((label, Box::new(code)));
    }

    /// The code of all that is reached rarely.
    pub(super) fn all_rare(&mut self) {
        for (label, code) in std::mem::take(&mut self.rare) {
            self.asm.bind(label);
            code(self);
        }
    }

    /// The code of all of them.
    pub(super) fn all_stubs(&mut self) {
        // Some make others.
        while !self.stubs.is_empty() {
            for stub in std::mem::take(&mut self.stubs) {
                self.values = stub.values;
                (self.mode, self.block, self.owes) = (stub.mode, stub.block, stub.owes);
                self.asm.bind(stub.label);
                match stub.way {
                    Way::Out(why) => {
                        self.values.unpin();
                        for late in stub.late {
                            B::compute(self, late);
                            self.values.unpin();
                        }
                        self.fill_owed();
                        self.write_all_back();
                        self.leave(why, stub.number, stub.pending);
                    }
                    Way::In(to) | Way::Door(to) => {
                        self.clear(stub.open);
                        self.forget_indices(stub.open_indices);
                        B::entered(self);
                        self.enter(to, stub.number, stub.pending);
                    }
                    Way::Part(parting) => self.part_lanes(parting, stub.number, stub.pending),
                    Way::Join => self.meet(stub.number),
                }
            }
        }
    }

    /// Leaves before an instruction. Everything is stored.
    pub(super) fn leave(&mut self, why: Reason, number: u32, pending: u32) {
        let reason = match why {
            Reason::Instruction => 0,
            Reason::Site(site) => {
                let to = at(R::RDI, Frame::SITE);
                self.asm.put(I::with2(C::Mov_rm32_imm32, to, site as i32));
                1
            }
            Reason::Divides => 2,
            Reason::Meets => 3,
            Reason::Limit => 4,
            Reason::Outside => 5,
        };
        self.add_steps(pending);
        self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, Frame::WHY), reason));
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, number as i32));
        let exit = self.exit;
        self.asm.jump(C::Jmp_rel32_64, exit);
    }

    /// What is known of groups of accesses is that of another warp.
    fn clear(&mut self, slots: u8) {
        for slot in (0..SLOTS).filter(|slot| slots >> slot & 1 != 0) {
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, Frame::shape(slot)), 0));
        }
    }

    /// Loads what is where, and goes on.
    fn enter(&mut self, to: Label, number: u32, pending: u32) {
        let all: Vec<_> = self.values.all().collect();
        let mut strange = None;
        for (reg, key, held) in all {
            B::load(self, reg, key);
            if held.kind.nans == Nans::Any {
                // Other NaNs than the canonical one must stay what they are.
                let out = *strange.get_or_insert_with(|| self.asm.label());
                B::jump_if_strange(self, reg, out);
            }
        }
        self.add_steps(0u32.wrapping_sub(pending));
        self.asm.jump(C::Jmp_rel32_64, to);
        if let Some(out) = strange {
            self.asm.bind(out);
            // All is at home but for what is owed where warps come from a pause.
            self.values = Values::default();
            self.fill_owed();
            self.write_all_back();
            self.leave(Reason::Instruction, number, 0);
        }
    }
}
