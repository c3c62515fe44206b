//! What follows the brackets of tex and tld4: level or gradients, offset, depth reference.

use texunit_isa::floor::{COMPARE, OFFSET};
use texunit_isa::{Geometry, MipMode, Opcode, ScalarType};
use texunit_syntax::{Diagnostic, Span, ast};

use crate::body::Body;
use crate::instruction::mnemonic;
use crate::ir::Operand;
use crate::operand::{Site, lanes_of};
use crate::texture::shape_of;
use crate::values::Value;

impl<'a> Body<'_, 'a> {
    /// What follows the brackets: level or gradients, then offset, then depth compare.
    pub(crate) fn after_bracket(
        &mut self,
        site: &Site<'_, 'a>,
        rest: &[ast::Operand<'a>],
        geometry: Geometry,
        coordinate: ScalarType,
    ) -> Option<Vec<Operand>> {
        let mut operands = Vec::new();
        let mut rest = rest;
        let needed = match site.mods.mip {
            Some(MipMode::Level) => 1,
            Some(MipMode::Grad) => 2,
            _ => 0,
        };
        if rest.len() < needed {
            let what = if needed == 1 { "a level" } else { "two gradient vectors" };
            self.wrong(
                "E0307",
                site.i.opcode.span,
                format!("{} needs {what} after the brackets", mnemonic(site.i)),
                "write it after a comma",
            );
            return None;
        }
        for operand in &rest[..needed] {
            operands.push(if needed == 1 {
                self.level(site, operand, coordinate)?
            } else {
                self.gradient(site, operand, geometry)?
            });
        }
        rest = &rest[needed..];
        if let [offset, after @ ..] = rest
            && let Some(offset) = self.offset_operand(site, offset, geometry)?
        {
            operands.extend(offset);
            rest = after;
        }
        if let [compare, after @ ..] = rest {
            operands.push(self.compare(site, compare, geometry, coordinate)?);
            rest = after;
        }
        if let [extra, ..] = rest {
            self.wrong("E0210", extra.span, format!("{} has one operand too many", mnemonic(site.i)), "after the brackets stand level or gradients, an offset vector and a depth reference, in this order");
            return None;
        }
        Some(operands)
    }

    pub(crate) fn level(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
        coordinate: ScalarType,
    ) -> Option<Operand> {
        let mut value = self.value(operand)?;
        if let Value::Vector(items) = &mut value
            && items.len() == 1
            && let Some((inner, _)) = items.pop()
        {
            value = inner;
        }
        let float = coordinate == ScalarType::F32;
        match value {
            Value::Reg { id, ty } if level_fits(float, ty) => Some(Operand::Reg(id)),
            Value::Const(c) if c.is_int() != float => {
                self.immediate(site, coordinate, c, operand.span)
            }
            value => {
                self.wrong(
                    "E0307",
                    operand.span,
                    format!(
                        "{} needs a .{coordinate} level, not {}",
                        mnemonic(site.i),
                        value.describe()
                    ),
                    "the level has the type of the coordinates",
                );
                None
            }
        }
    }

    fn gradient(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
        geometry: Geometry,
    ) -> Option<Operand> {
        let sizes = shape_of(geometry).gradients;
        let items = match self.value(operand)? {
            Value::Vector(items) => items,
            Value::VectorReg { first, ty, lanes } => lanes_of(first, ty, lanes, operand.span),
            other => {
                self.wrong(
                    "E0307",
                    operand.span,
                    format!(
                        "{} needs a gradient vector, not {}",
                        mnemonic(site.i),
                        other.describe()
                    ),
                    "write the gradient between { and }",
                );
                return None;
            }
        };
        if !sizes.contains(&items.len()) {
            let n = sizes.last().copied().unwrap_or(0);
            self.wrong(
                "E0307",
                operand.span,
                format!(
                    "{}: the gradients of .{geometry} have {n} elements, not {}",
                    mnemonic(site.i),
                    items.len()
                ),
                "write a vector of that size",
            );
            return None;
        }
        let cube = matches!(geometry, Geometry::Cube | Geometry::Acube);
        if cube && items.len() != 4 {
            let diagnostic = Diagnostic::error(
                "E0313",
                operand.span,
                format!("{}: the gradients of .{geometry} have 4 elements", mnemonic(site.i)),
            )
            .label("ptxas accepts this and then crashes")
            .help("write four elements; the last is ignored");
            self.cx.report_miscompiled(diagnostic);
        }
        let mut list = Vec::with_capacity(items.len());
        for (value, span) in items {
            list.push(match value {
                Value::Reg { id, ty } if level_fits(true, ty) => Operand::Reg(id),
                Value::Const(c) if !c.is_int() => self.immediate(site, ScalarType::F32, c, span)?,
                value => {
                    self.wrong(
                        "E0307",
                        span,
                        format!(
                            "{} needs a .f32 gradient, not {}",
                            mnemonic(site.i),
                            value.describe()
                        ),
                        "use .f32 registers or numbers with a decimal point",
                    );
                    return None;
                }
            });
        }
        Some(Operand::Vector(list))
    }

    /// The offset: `Some(None)` if the operand is not one, `Some(Some(None))` if it is dropped.
    #[allow(clippy::option_option)]
    fn offset_operand(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
        geometry: Geometry,
    ) -> Option<Option<Option<Operand>>> {
        let items = match self.value(operand)? {
            Value::Vector(items) => items,
            Value::VectorReg { first, ty, lanes } => lanes_of(first, ty, lanes, operand.span),
            Value::Reg { ty: ScalarType::U32 | ScalarType::S32, .. } => {
                return self.dropped_offset(operand.span);
            }
            Value::Const(c) if c.is_int() => return self.dropped_offset(operand.span),
            _ => return Some(None),
        };
        self.cx.require(OFFSET, operand.span);
        let sizes = shape_of(geometry).offsets;
        if sizes.is_empty() {
            self.wrong(
                "E0306",
                operand.span,
                format!("{}: there are no offsets in .{geometry}", mnemonic(site.i)),
                "add to the coordinates instead",
            );
            return None;
        }
        if !sizes.contains(&items.len()) {
            let text: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            self.wrong(
                "E0306",
                operand.span,
                format!(
                    "{}: the offset of .{geometry} has {} elements, not {}",
                    mnemonic(site.i),
                    text.join(" or "),
                    items.len()
                ),
                "write a vector of that size",
            );
            return None;
        }
        let mut list = Vec::with_capacity(items.len());
        for (value, span) in items {
            list.push(match value {
                Value::Reg { id, ty } if level_fits(false, ty) => Operand::Reg(id),
                Value::Const(c) if c.is_int() => {
                    self.offset_range(site, c.bits_for(ScalarType::B64).unwrap_or(0) as i64, span);
                    Operand::Imm(c.bits_for(ScalarType::B32).unwrap_or(0))
                }
                value => {
                    self.wrong(
                        "E0306",
                        span,
                        format!(
                            "{} needs an integer offset, not {}",
                            mnemonic(site.i),
                            value.describe()
                        ),
                        "use .s32, .u32 or .b32 registers, or integers",
                    );
                    return None;
                }
            });
        }
        Some(Some(Some(Operand::Vector(list))))
    }

    #[allow(clippy::option_option, clippy::unnecessary_wraps)]
    fn dropped_offset(&mut self, span: Span) -> Option<Option<Option<Operand>>> {
        let diagnostic = Diagnostic::error("E0311", span, "an offset is a vector")
            .label("ptxas accepts this and drops it")
            .help("write the offset between { and }, or a .f32 register for a depth reference");
        self.cx.report_miscompiled(diagnostic);
        Some(Some(None))
    }

    fn offset_range(&mut self, site: &Site<'_, 'a>, value: i64, span: Span) {
        if (-8..=7).contains(&value) {
            return;
        }
        let modulo = if site.i.opcode.text == Opcode::Tld4.name() { 64 } else { 16 };
        self.report(
            Diagnostic::warning("W0101", span, format!("the offset {value} is outside -8 to 7"))
                .label(format!("the hardware takes it modulo {modulo}"))
                .help("add to the coordinates instead"),
        );
    }

    fn compare(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
        geometry: Geometry,
        coordinate: ScalarType,
    ) -> Option<Operand> {
        self.cx.require(COMPARE, operand.span);
        let name = mnemonic(site.i);
        if !shape_of(geometry).compare {
            self.wrong(
                "E0306",
                operand.span,
                format!("{name}: there is no depth compare in .{geometry}"),
                "leave the depth reference out",
            );
            return None;
        }
        if coordinate != ScalarType::F32 {
            self.wrong(
                "E0306",
                operand.span,
                format!("{name}: depth compare needs .f32 coordinates"),
                "write .f32 as the last type",
            );
            return None;
        }
        match self.value(operand)? {
            Value::Reg { id, ty } if ty.bits() == 32 && ty != ScalarType::F16x2 => {
                Some(Operand::Reg(id))
            }
            Value::Const(c) if !c.is_int() => {
                self.immediate(site, ScalarType::F32, c, operand.span)
            }
            value => {
                self.wrong(
                    "E0306",
                    operand.span,
                    format!("{name} needs a .f32 depth reference, not {}", value.describe()),
                    "use a .f32 register or a number with a decimal point",
                );
                None
            }
        }
    }
}

/// Levels and gradients: .f32 or .b32 registers; integers: .s32, .u32, .b32.
fn level_fits(float: bool, reg: ScalarType) -> bool {
    match reg {
        ScalarType::B32 => true,
        ScalarType::F32 => float,
        ScalarType::S32 | ScalarType::U32 => !float,
        _ => false,
    }
}
