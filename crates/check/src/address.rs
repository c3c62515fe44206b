//! Memory operands, and operands that are addresses themselves.

use texunit_isa::{Opcode, ScalarType, Space, TypeKind};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::Body;
use crate::instruction::mnemonic;
use crate::ir::{Base, Operand};
use crate::operand::{Site, area_name};
use crate::types::fits;
use crate::values::{Area, Value};

impl<'a> Body<'_, 'a> {
    /// `[base + offset]`
    pub(crate) fn memory(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        let (base, extra) = match &operand.kind {
            OperandKind::Address(address) => (&*address.base, address.offset.as_ref()),
            OperandKind::Bracket(items) if items.len() == 1 => (&items[0], None),
            _ => {
                let name = mnemonic(site.i);
                self.wrong(
                    "E0217",
                    operand.span,
                    format!("{name} needs a memory operand here"),
                    "write the address between [ and ]",
                );
                return None;
            }
        };
        let value = self.value(base)?;
        let extra = match extra {
            Some(expr) => self.cx.integer(expr)?,
            None => 0,
        };
        match value {
            Value::Reg { id, ty }
                if (ty.is_integer() || ty.kind() == TypeKind::Bits) && ty.bits() >= 16 =>
            {
                Some(Operand::Address(Base::Reg(id), extra))
            }
            Value::Reg { ty, .. } => {
                self.wrong(
                    "E0217",
                    base.span,
                    format!("a .{ty} register cannot hold an address"),
                    "use a 64-bit integer register",
                );
                None
            }
            Value::Const(value) if value.is_int() => {
                if site.mods.space == Some(Space::Local) {
                    let at = value.bits_for(ScalarType::U64).unwrap_or(0) as i64;
                    return Some(Operand::Address(Base::Absolute, at.wrapping_add(extra)));
                }
                self.wrong(
                    "E0217",
                    base.span,
                    "a number can be an address in .local memory only".into(),
                    "put the address into a register",
                );
                None
            }
            Value::Named { base: at, offset, area, .. } => {
                self.check_area(site, area, base.span)?;
                Some(Operand::Address(at, offset.wrapping_add(extra)))
            }
            other => {
                self.wrong(
                    "E0217",
                    base.span,
                    format!("{} is not an address", other.describe()),
                    "write a register or the name of a variable",
                );
                None
            }
        }
    }

    /// Whether the instruction reaches the variable's space.
    fn check_area(&mut self, site: &Site<'_, 'a>, area: Area, span: Span) -> Option<()> {
        let name = mnemonic(site.i);
        let writes = matches!(site.i.opcode.text, "st" | "atom" | "red");
        let fits = match site.mods.space {
            None => matches!(area, Area::Global | Area::Shared | Area::Local),
            Some(space) => in_space(area, space),
        };
        if writes && area == Area::Param && fits {
            self.wrong(
                "E0216",
                span,
                format!("{name} cannot write to an incoming parameter"),
                "copy the parameter into a register or .local memory",
            );
            return None;
        }
        if fits {
            return Some(());
        }
        if let Area::Opaque(ty) = area {
            self.wrong(
                "E0216",
                span,
                format!("{name} cannot reach into a .{ty}"),
                "use tex, txq, suld, sust or suq",
            );
            return None;
        }
        let instruction = site.mods.space.map_or("generic".to_string(), |s| format!(".{s}"));
        self.report(
            Diagnostic::error(
                "E0216",
                span,
                format!("{name} works on {instruction} memory, and this is {}", area_name(area)),
            )
            .help(format!("write {}{}", site.i.opcode.text, area_name(area))),
        );
        None
    }

    /// An operand that is an address: of cvta, isspacep.
    pub(crate) fn address(
        &mut self,
        site: &Site<'_, 'a>,
        ty: Option<ScalarType>,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        let wanted = ty.unwrap_or(ScalarType::U64);
        match self.value(operand)? {
            Value::Reg { id, ty: reg } if ty.is_some_and(|t| fits(t, reg)) => {
                Some(Operand::Reg(id))
            }
            Value::Reg { id, ty: reg }
                if ty.is_none() && (fits(ScalarType::U64, reg) || fits(ScalarType::U32, reg)) =>
            {
                Some(Operand::Reg(id))
            }
            Value::Const(value) if value.is_int() => {
                self.immediate(site, wanted, value, operand.span)
            }
            Value::Named { base, offset, area, .. }
                if site.i.opcode.text == Opcode::Cvta.name() && !site.mods.to =>
            {
                let inside = match (area, site.mods.space) {
                    (Area::Opaque(_), Some(Space::Global)) => true,
                    (Area::Opaque(_), Some(Space::Param)) => matches!(base, Base::Param(_)),
                    (area, Some(space)) => in_space(area, space),
                    (_, None) => false,
                };
                if inside {
                    return Some(Operand::AddressOf(base, offset));
                }
                let name = mnemonic(site.i);
                self.wrong(
                    "E0216",
                    operand.span,
                    format!(
                        "{name} cannot take the address of a variable in {} memory",
                        area_name(area)
                    ),
                    "name the variable's own space",
                );
                None
            }
            value => self.mismatch(site, wanted, &value, operand.span),
        }
    }
}

fn in_space(area: Area, space: Space) -> bool {
    match space {
        Space::Global => area == Area::Global,
        Space::Const => area == Area::Const,
        Space::Shared => area == Area::Shared,
        Space::Local => area == Area::Local,
        Space::Param => matches!(area, Area::Param | Area::CallParam),
    }
}
