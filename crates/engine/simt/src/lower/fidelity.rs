//! Lists, for tools that analyse a kernel before execution, its instruction forms, classified by
//! how exactly their results are known, and its fetches.

use super::program::Program;
use super::reach::{Reach, ValueFlows};
pub use crate::code::HandleSource;
use crate::code::{Inst, Op};
use crate::launch::{Arithmetic, KernelId};
use std::collections::HashMap;
use texunit_alu::Approximate;
use texunit_check::ir::{Instruction, Operand};
use texunit_forms::sort_by_key;
use texunit_isa::{Fidelity, fidelity, fidelity_of_register};
use texunit_syntax::{SourceFile, Span};
use texunit_unit::FetchForm;

/// An instruction form that a kernel can execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionForm<'a> {
    /// Opcode and modifiers as written.
    pub opcode: &'a str,
    /// The first instruction of this form in the source.
    pub first: Span,
    /// Number of instructions of this form.
    pub count: u64,
    /// How exactly the hardware's results of this instruction form are known.
    pub fidelity: Fidelity,
    /// The special register that determines the class, without its `%`.
    pub register: Option<&'static str>,
    /// Kinds of uses that the results may reach, unless the results are specified.
    pub reaches: Vec<Reach>,
}

/// A `tex` or `tld4` that a kernel can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchSite {
    /// Form of the instruction.
    pub form: FetchForm,
    /// Source location of the instruction.
    pub span: Span,
    /// Origin of the texture's handle.
    pub texture: HandleSource,
    /// Origin of the sampler's handle, in independent texturing mode.
    pub sampler: Option<HandleSource>,
}

impl Program {
    /// The instruction forms of a kernel and its possible callees, in source order.
    pub fn instruction_forms(&self, id: KernelId, how: Approximate) -> Vec<InstructionForm<'_>> {
        let unit = self.unit(id, Arithmetic::default());
        let bodies = unit.functions().filter_map(|f| self.function_at(f)?.body.as_ref());
        let mut forms = HashMap::new();
        let mut unsure: HashMap<_, Vec<u32>> = HashMap::new();
        for inst in bodies.flatten() {
            let Some((fidelity, register)) = class(inst, how) else { continue };
            let opcode = mnemonic(&self.source, inst);
            let (first, reaches) = (inst.span, Vec::new());
            let new = InstructionForm { opcode, first, count: 0, fidelity, register, reaches };
            let key = (opcode, fidelity, register);
            if fidelity != Fidelity::Specified {
                unsure.entry(key).or_default().push(inst.span.start);
            }
            let form = forms.entry(key).or_insert(new);
            form.count += 1;
            form.first = form.first.min(inst.span);
        }
        if !unsure.is_empty() {
            let flows = ValueFlows::new(&unit.code);
            for (key, starts) in unsure {
                let reaches = flows.reached(starts.into_iter());
                forms.entry(key).and_modify(|form| form.reaches = reaches);
            }
        }
        let mut forms: Vec<_> = forms.into_values().collect();
        sort_by_key(&mut forms, |form| (form.first, form.fidelity));
        forms
    }

    /// All fetches that a kernel can reach, in source order.
    pub fn fetch_sites(&self, id: KernelId) -> Vec<FetchSite> {
        let insts = self.unit(id, Arithmetic::default()).code.insts.iter();
        let site = |inst: &Inst| match &inst.op {
            Op::Fetch(fetch) => Some(FetchSite {
                form: fetch.form,
                span: fetch.span,
                texture: fetch.texture.source.clone(),
                sampler: fetch.sampler.as_ref().map(|s| s.source.clone()),
            }),
            _ => None,
        };
        let mut sites: Vec<FetchSite> = insts.filter_map(site).collect();
        sort_by_key(&mut sites, |site| site.span);
        sites
    }
}

/// The class of an instruction, and the special register that determines it, if any.
fn class(inst: &Instruction, approximate: Approximate) -> Option<(Fidelity, Option<&'static str>)> {
    let own = fidelity(inst.opcode, &inst.mods)?;
    let is_rounded = approximate == Approximate::Rounded && (inst.mods.approx || inst.mods.full);
    let own = if is_rounded { Fidelity::NotCard } else { own };
    let worst = inst.operands.iter().filter_map(register).max_by_key(|(class, _)| *class);
    let worst = worst.filter(|(class, _)| *class > own);
    Some(worst.map_or((own, None), |(class, register)| (class, Some(register))))
}

/// The special register of an operand whose value is known least exactly.
fn register(operand: &Operand) -> Option<(Fidelity, &'static str)> {
    match operand {
        Operand::Special(reg, _) => Some((fidelity_of_register(*reg), reg.name())),
        // The driver determines the value.
        Operand::EnvReg(_) => Some((Fidelity::Assumed, "envreg")),
        Operand::ZeroCounter => Some((Fidelity::NotCard, "pm")),
        Operand::Vector(list) => list.iter().filter_map(register).max_by_key(|(class, _)| *class),
        _ => None,
    }
}

/// Opcode and modifiers of an instruction.
fn mnemonic<'a>(source: &'a SourceFile, inst: &Instruction) -> &'a str {
    let mut words = source.snippet(inst.span).split([' ', '\t', '\r', '\n', ';']);
    let word = words.find(|word| word.starts_with(inst.opcode.name()));
    word.unwrap_or(inst.opcode.name())
}
