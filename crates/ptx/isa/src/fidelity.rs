//! Fidelity classes: whether the result of an instruction is specified by the PTX ISA, measured on
//! a GPU, or assumed. docs/numerics.md has the rules behind the classes.

use crate::types::words;
use crate::{
    Attribute, Class, Form, Modifiers, Opcode, Rounding, ScalarType, Selector, SpecialReg,
};
use texunit_forms::sort_by_key;

words! {
    /// How the bits of a result are known. If an instruction depends on several rules, the last of
    /// their classes in this enum's order applies.
    Fidelity {
        // The PTX ISA and IEEE 754 define the result completely, except for the bits of a NaN of
        // f32, f16 and bf16, which is the canonical one.
        Specified = "specified",
        // The results have been measured on a GPU, and texunit's are the same.
        Measured = "measured",
        // The results have not been measured on a GPU.
        Assumed = "assumed",
        // A GPU returns other bits than texunit.
        NotCard = "not_card",
    }
}

/// The GPU on which [`Fidelity::Measured`] results were measured. All simulated devices agree with
/// it.
pub const MEASURED_ON: &str = "NVIDIA H200";

/// The fidelity class of an instruction, for any operands; `None` for instructions that are not
/// executed.
pub fn fidelity(opcode: Opcode, mods: &Modifiers) -> Option<Fidelity> {
    use Fidelity::{Assumed, Measured, NotCard, Specified};
    use Opcode as O;
    if mods.unexecuted.is_some() {
        return None;
    }
    Some(match opcode {
        O::Cvt => conversion(mods)?,
        O::Atom | O::Red => atomic(mods)?,
        O::Mma => product(mods)?,
        // The mapping of matrix elements to lanes, and the order of summation, are derived from
        // code that ptxas generates.
        O::Wmma => Assumed,
        O::Mov | O::Selp | O::Set | O::Setp | O::Slct | O::Testp | O::Cvta | O::Isspacep => {
            Specified
        }
        O::Ld | O::Ldu | O::St | O::Cp | O::Alloca | O::Stackrestore | O::Stacksave => Specified,
        O::Prefetch | O::Prefetchu | O::Discard | O::Applypriority | O::Setmaxnreg => Specified,
        O::Bra | O::Brx | O::Call | O::Ret | O::Exit | O::Trap | O::Brkpt | O::Pmevent => Specified,
        O::Nanosleep | O::Griddepcontrol | O::Fence | O::Membar | O::Bar | O::Barrier => Specified,
        O::Mbarrier | O::Vote | O::Match | O::Redux => Specified,
        O::Ldmatrix | O::Stmatrix | O::Movmatrix => Specified,
        // The results depend on inactive lanes, the elected lane, or which lanes execute together.
        O::Shfl | O::Elect | O::Activemask => Measured,
        O::Tex | O::Tld4 | O::Suld | O::Sust | O::Sured => Measured,
        O::Istypep => Specified,
        O::Txq | O::Suq => match mods.query {
            // Not measurable: drivers load no module that queries OpenCL's enumeration values.
            Some(Attribute::ChannelDataType | Attribute::ChannelOrder) => Assumed,
            _ => Specified,
        },
        O::Vadd | O::Vsub | O::Vabsdiff | O::Vmin | O::Vmax | O::Vshl | O::Vshr | O::Vset => {
            // For `d.h1`, ptxas up to 13.0 merges the wrong half of the value into c.
            let upper = |d: Selector| d.half && d.count == 1 && d.parts[0] == 1;
            let merges = mods.atom.is_none() && mods.video.is_some_and(|video| upper(video.d));
            if merges { NotCard } else { Measured }
        }
        O::Vmad => Measured,
        O::Vadd2 | O::Vsub2 | O::Vavrg2 | O::Vabsdiff2 | O::Vmin2 | O::Vmax2 | O::Vset2 => {
            Specified
        }
        O::Vadd4 | O::Vsub4 | O::Vavrg4 | O::Vabsdiff4 | O::Vmin4 | O::Vmax4 | O::Vset4 => {
            Specified
        }
        // All cache policies are 0 in texunit.
        O::Createpolicy => NotCard,
        O::Getctarank | O::Mapa => Specified,
        O::Clusterlaunchcontrol | O::Multimem => return None,
        O::Tcgen05 | O::Tensormap | O::Wgmma => return None,
        _ => arithmetic(opcode, mods)?,
    })
}

/// The fidelity class of a special register's value.
pub fn fidelity_of_register(reg: SpecialReg) -> Fidelity {
    use SpecialReg as R;
    match reg {
        R::Clock | R::ClockHi | R::Clock64 => Fidelity::NotCard,
        R::Globaltimer | R::GlobaltimerLo | R::GlobaltimerHi => Fidelity::NotCard,
        R::Gridid | R::Warpid | R::Nwarpid | R::Smid | R::Nsmid => Fidelity::NotCard,
        R::TotalSmemSize | R::AggrSmemSize => Fidelity::Assumed,
        R::ReservedSmemOffsetBegin | R::ReservedSmemOffsetEnd => Fidelity::Assumed,
        R::ReservedSmemOffsetCap | R::ReservedSmemOffset0 => Fidelity::Assumed,
        R::ReservedSmemOffset1 => Fidelity::Assumed,
        _ => Fidelity::Specified,
    }
}

/// The distinct fidelity classes of all modifier combinations of an instruction form.
pub fn fidelities(form: &Form) -> Vec<Fidelity> {
    let mut all: Vec<_> =
        choices(form).iter().filter_map(|mods| fidelity(form.row.opcode, mods)).collect();
    sort_by_key(&mut all, |&class| class);
    all.dedup();
    all
}

/// All modifier combinations of an instruction form, without hints.
fn choices(form: &Form) -> Vec<Modifiers> {
    let mut all = vec![Modifiers::default()];
    for slot in form.slots.iter().filter(|s| !matches!(s.class, Class::Hint | Class::Policy)) {
        let with = |word: &&'static str| {
            let word = *word;
            all.iter().cloned().map(move |mut mods| {
                crate::form::apply(slot.class, word, &mut mods);
                mods
            })
        };
        let mut next: Vec<Modifiers> = slot.words.iter().flat_map(with).collect();
        if slot.optional {
            next.append(&mut all);
        }
        all = next;
    }
    all
}

fn arithmetic(opcode: Opcode, mods: &Modifiers) -> Option<Fidelity> {
    use Fidelity::{Assumed, Measured, Specified};
    use Opcode as O;
    use ScalarType as T;
    // With `.ftz`, a product or quotient that rounds up to the smallest normal number may be
    // flushed to 0 or not.
    let at_border = mods.ftz && matches!(opcode, O::Div | O::Fma | O::Mad | O::Mul | O::Rcp);
    let ty = mods.ty()?;
    Some(match ty {
        T::U8 | T::U16 | T::U32 | T::U64 | T::S8 | T::S16 | T::S32 | T::S64 | T::Pred => {
            integer(opcode, mods, ty)
        }
        T::B8 | T::B16 | T::B32 | T::B64 | T::U16x2 | T::S16x2 | T::U8x4 | T::S8x4 => {
            integer(opcode, mods, ty)
        }
        T::F64 if opcode == O::Rsqrt && !mods.ftz => Assumed,
        // The PTX ISA does not define which NaN is returned.
        T::F64 => Measured,
        T::F32x2 if at_border => Assumed,
        T::F32x2 => Specified,
        T::F32 | T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2 => {
            let is_open = mods.approx || mods.full || mods.oob || at_border;
            if is_open { Measured } else { Specified }
        }
        _ => return None,
    })
}

fn integer(opcode: Opcode, mods: &Modifiers, ty: ScalarType) -> Fidelity {
    let is_open = match opcode {
        // The PTX ISA does not define division by zero.
        Opcode::Div | Opcode::Rem => true,
        // The PTX ISA does not define bit fields that exceed 64 bits.
        Opcode::Bfe | Opcode::Bfi => ty.bits() == 64,
        // The PTX ISA does not define the value of CC.CF after a subtraction.
        Opcode::Sub => mods.cc,
        Opcode::Subc | Opcode::Fns => true,
        _ => false,
    };
    if is_open { Fidelity::Measured } else { Fidelity::Specified }
}

fn conversion(mods: &Modifiers) -> Option<Fidelity> {
    use ScalarType as T;
    let &[to, from] = &mods.types[..] else { return mods.pack.map(|_| Fidelity::Specified) };
    let narrow = |ty| matches!(ty, T::E2m1x2 | T::E2m3x2 | T::E3m2x2 | T::Ue8m0x2 | T::Ue5m3x2);
    let tiny = |ty| matches!(ty, T::E4m3x2 | T::E5m2x2);
    // The measured GPU does not have these conversions.
    let is_late = narrow(to)
        || narrow(from)
        || tiny(to) && from == T::Bf16x2
        || tiny(from) && to == T::Bf16x2
        || to == T::Tf32 && mods.satfinite && mods.rounding != Some(Rounding::Rna);
    Some(match from {
        _ if mods.pack.is_some() => Fidelity::Specified,
        _ if is_late => Fidelity::Assumed,
        T::U8 | T::U16 | T::U32 | T::U64 | T::S8 | T::S16 | T::S32 | T::S64 => Fidelity::Specified,
        // The result for a NaN had to be measured.
        T::F16 | T::F32 | T::F64 | T::Bf16 | T::F16x2 => Fidelity::Measured,
        T::E4m3x2 | T::E5m2x2 => Fidelity::Measured,
        _ => return None,
    })
}

fn atomic(mods: &Modifiers) -> Option<Fidelity> {
    use ScalarType as T;
    Some(match mods.ty()? {
        T::U32 | T::U64 | T::S32 | T::S64 | T::B16 | T::B32 | T::B64 | T::B128 => {
            Fidelity::Specified
        }
        // Results for NaNs and f32 subnormals had to be measured.
        T::F32 | T::F64 => Fidelity::Measured,
        T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2 if mods.vector == 0 => Fidelity::Measured,
        T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2 => Fidelity::Assumed,
        _ => return None,
    })
}

/// The fidelity class of `mma`, by the types and shape of its matrices.
fn product(mods: &Modifiers) -> Option<Fidelity> {
    use ScalarType as T;
    let &[d, a, b, _] = &mods.types[..] else { return None };
    let was_asked = match a {
        T::F16 => mods.acts("m16n8k16") || mods.acts("m16n8k8") && d == T::F32,
        T::Bf16 => mods.acts("m16n8k16"),
        T::Tf32 => true,
        T::E4m3 => mods.acts("m16n8k32") && b == T::E4m3 && d == T::F32,
        T::E5m2 => false,
        T::F64 => mods.acts("m8n8k4") && matches!(mods.rounding, None | Some(Rounding::Rn)),
        T::S8 | T::U8 | T::S4 | T::U4 | T::B1 => true,
        _ => return None,
    };
    let is_sparse = mods.acts("sp") || mods.acts("sp::ordered_metadata");
    Some(match a {
        _ if is_sparse || !was_asked => Fidelity::Assumed,
        T::S8 | T::U8 | T::S4 | T::U4 | T::B1 => Fidelity::Specified,
        _ => Fidelity::Measured,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{forms, read_modifiers};

    fn of(text: &str) -> Option<&'static str> {
        let mut words = text.split('.');
        let opcode = Opcode::from_name(words.next().unwrap()).unwrap();
        let (mods, _) = read_modifiers(opcode, &words.collect::<Vec<_>>()).expect(text);
        fidelity(opcode, &mods).map(Fidelity::name)
    }

    #[test]
    fn every_form_that_is_executed_has_a_class() {
        let mut counts = std::collections::BTreeMap::new();
        for form in forms() {
            let of_choices = choices(form);
            assert!(of_choices.len() < 20_000, "{}", form.syntax());
            for mods in of_choices {
                let class = fidelity(form.row.opcode, &mods);
                let is_executed = mods.unexecuted.is_none();
                assert_eq!(class.is_some(), is_executed, "{}: {mods:?}", form.syntax());
                *counts.entry(class.map(Fidelity::name)).or_insert(0_u32) += 1;
            }
        }
        assert!(Fidelity::ALL.iter().all(|class| counts[&Some(class.name())] > 0), "{counts:?}");
    }

    #[test]
    fn classes() {
        for row in include_str!("fidelity.txt").lines().skip(1) {
            let (class, forms) = row.split_once(": ").unwrap();
            for form in forms.split_whitespace() {
                assert_eq!(of(form), Some(class), "{form}");
            }
        }
        assert_eq!(of("membar.proxy.alias"), of("membar.gl"));
        assert_eq!(of("cvt.rs.f16x2.f32"), None);
    }

    /// `vadd.s32.s32.s32 d.h1, a, b, c` merges the result into c; a second operation `.add` adds c.
    #[test]
    fn a_fault_of_ptxas() {
        let class = |half, part, atom| {
            let d = Selector { half, parts: [part, 0, 0, 0], count: 1 };
            let video = Some(crate::VideoOperands { d, ..Default::default() });
            let types = vec![ScalarType::S32; 3];
            fidelity(Opcode::Vadd, &Modifiers { types, video, atom, ..Default::default() }).unwrap()
        };
        assert_eq!(class(true, 1, None), Fidelity::NotCard);
        assert_eq!(class(true, 0, None), Fidelity::Measured);
        assert_eq!(class(false, 1, None), Fidelity::Measured);
        assert_eq!(class(true, 1, Some(crate::AtomOp::Add)), Fidelity::Measured);
    }

    #[test]
    fn classes_of_registers() {
        assert_eq!(fidelity_of_register(SpecialReg::Tid), Fidelity::Specified);
        assert_eq!(fidelity_of_register(SpecialReg::TotalSmemSize), Fidelity::Assumed);
        assert_eq!(fidelity_of_register(SpecialReg::Clock64), Fidelity::NotCard);
    }
}
