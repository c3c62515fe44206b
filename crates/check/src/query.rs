//! Operands of txq, suq and istypep.

use texunit_isa::floor::{Floor, INDIRECT};
use texunit_isa::{Form, Modifiers, Query, ScalarType};
use texunit_syntax::ast::{self, OperandKind};

use crate::body::Body;
use crate::instruction::mnemonic;
use crate::ir::Operand;
use crate::operand::Site;
use crate::types::fits;
use crate::values::Value;

impl<'a> Body<'_, 'a> {
    pub(crate) fn texture_query(
        &mut self,
        i: &'a ast::Instruction<'a>,
        mods: &Modifiers,
        form: &Form,
    ) -> Option<Vec<Operand>> {
        let site = Site { i, mods };
        self.require_form(i, mods, form);
        let needed = if mods.mip.is_some() { 3 } else { 2 };
        if i.operands.len() != needed {
            self.wrong(
                "E0210",
                i.opcode.span,
                format!("{} takes {needed} operands, not {}", mnemonic(i), i.operands.len()),
                "write a destination and [texture], and after .level the level",
            );
            return None;
        }
        let dest = self.query_dest(&site, &i.operands[0]);
        let independent = self.cx.module.independent;
        let kinds: &[ScalarType] = match mods.query? {
            Query::FilterMode | Query::AddrMode0 | Query::AddrMode1 | Query::AddrMode2
                if independent =>
            {
                &[ScalarType::Samplerref]
            }
            Query::ForceUnnormalizedCoords => &[ScalarType::Samplerref],
            Query::MemoryLayout => {
                &[ScalarType::Texref, ScalarType::Samplerref, ScalarType::Surfref]
            }
            _ => &[ScalarType::Texref],
        };
        // With texmode_independent, queries through registers need no later version.
        let floor = (!independent).then_some(INDIRECT);
        let handle = self.query_handle(&i.operands[1], kinds, floor);
        let mut operands = vec![dest?, handle?];
        if let Some(level) = i.operands.get(2) {
            operands.push(self.level(&site, level, ScalarType::S32)?);
        }
        Some(operands)
    }

    fn query_handle(
        &mut self,
        operand: &ast::Operand<'a>,
        kinds: &[ScalarType],
        indirect: Option<Floor>,
    ) -> Option<Operand> {
        if !matches!(operand.kind, OperandKind::Address(_) | OperandKind::Bracket(_)) {
            self.wrong(
                "E0301",
                operand.span,
                "the queried reference stands in brackets".into(),
                "write [name]",
            );
            return None;
        }
        self.handle(operand, kinds, indirect)
    }

    /// The destination of txq and suq.
    pub(crate) fn query_dest(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        match self.value(operand)? {
            Value::Reg { id, ty } if ty.bits() == 32 && ty != ScalarType::F16x2 => {
                Some(Operand::Reg(id))
            }
            value @ Value::Reg { .. } => self.mismatch(site, ScalarType::B32, &value, operand.span),
            value => self.not_a_destination(site, ScalarType::B32, &value, operand.span),
        }
    }

    pub(crate) fn is_type(
        &mut self,
        i: &'a ast::Instruction<'a>,
        form: &Form,
    ) -> Option<Vec<Operand>> {
        let mods = Modifiers::default();
        let site = Site { i, mods: &mods };
        self.require_form(i, &mods, form);
        let [to, from] = self.two_operands(i, "write a predicate and a 64-bit register")?;
        let dest = self.dest(&site, ScalarType::Pred, to);
        let from = match self.value(from)? {
            Value::Reg { id, ty } if fits(ScalarType::U64, ty) => Operand::Reg(id),
            Value::Const(c) if c.bits_for(ScalarType::U64) == Some(0) => Operand::Imm(0),
            value => {
                self.wrong(
                    "E0314",
                    from.span,
                    format!("istypep needs a 64-bit register, not {}", value.describe()),
                    "put the address into a .u64 register with mov.u64",
                );
                return None;
            }
        };
        Some(vec![dest?, from])
    }

    pub(crate) fn surface_query(
        &mut self,
        i: &'a ast::Instruction<'a>,
        mods: &Modifiers,
        form: &Form,
    ) -> Option<Vec<Operand>> {
        let site = Site { i, mods };
        self.require_form(i, mods, form);
        let [to, from] = self.two_operands(i, "write a destination and [surface]")?;
        let dest = self.query_dest(&site, to);
        let handle = self.query_handle(from, &[ScalarType::Surfref], Some(INDIRECT));
        Some(vec![dest?, handle?])
    }
}
