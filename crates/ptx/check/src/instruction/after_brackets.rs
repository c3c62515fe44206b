//! Checks of the operands after the brackets of tex and tld4: level or gradients, offset, depth
//! reference (the reference value of a depth compare).

use texunit_forms::Count;
use texunit_isa::requirement::{COMPARE, OFFSET};
use texunit_isa::texture::{Registers, geometry as row_of, registers};
use texunit_isa::{Geometry, MipMode, ScalarType, Shape};
use texunit_syntax::{Diagnostic, Span, ast};

use crate::body::value::Value;
use crate::instruction::coordinates::Shift;
use crate::instruction::site::Site;
use crate::ir::{Lod, Operand};

/// Every valid size of a vector.
pub(crate) const ANY_SIZE: &[usize] = &[1, 2, 4];

/// The operands after the brackets; vectors may contain padding elements.
pub(crate) struct TrailingOperands {
    pub(crate) lod: Lod,
    pub(crate) offset: Option<Vec<Operand>>,
    pub(crate) compare: Option<Operand>,
}

impl<'a> Site<'_, '_, 'a> {
    /// Checks the operands after the brackets: level or gradients, then offset, then depth
    /// reference.
    pub(crate) fn after_bracket(
        &mut self,
        rest: &[ast::Operand<'a>],
        geometry: Geometry,
        coordinate: ScalarType,
        shift: Shift,
    ) -> Option<TrailingOperands> {
        let mut rest = rest;
        let needed = match self.mods.mip {
            Some(MipMode::Level) => 1,
            Some(MipMode::Grad) => 2,
            _ => 0,
        };
        if rest.len() < needed {
            let what = if needed == 1 { "a level" } else { "two gradient vectors" };
            let message = format!("needs {what} after the brackets");
            return self.deny("E0307", self.i.opcode.span, message, "write it after a comma");
        }
        let sizes = match shift {
            Shift::Levels => row_of(geometry).offset_sizes(),
            _ => ANY_SIZE,
        };
        let lod = match (self.mods.mip, &rest[..needed]) {
            (Some(MipMode::Level), [level]) => {
                Lod::Level(self.level(level, registers("level", coordinate), sizes)?)
            }
            (Some(MipMode::Grad), [dx, dy]) => {
                Lod::Gradient { dx: self.gradient(dx, geometry)?, dy: self.gradient(dy, geometry)? }
            }
            (Some(MipMode::Base), _) => Lod::Base,
            _ => Lod::Implicit,
        };
        let mut after = TrailingOperands { lod, offset: None, compare: None };
        if matches!(shift, Shift::Level | Shift::Levels) {
            self.last_of_shifted(rest)?;
        }
        rest = &rest[needed..];
        if let [offset, others @ ..] = rest
            && let Some(offset) =
                self.offset_operand(offset, geometry, coordinate, (shift, !others.is_empty()))?
        {
            (after.offset, rest) = (offset, others);
        }
        if let [compare, others @ ..] = rest {
            after.compare = Some(self.compare(compare, geometry, coordinate)?);
            self.dropped_compare(geometry, compare.span);
            rest = others;
        }
        if let [extra, ..] = rest {
            return self.deny("E0210", extra.span, "has one operand too many", "the brackets are followed by level or gradients, an offset vector and a depth reference, in this order");
        }
        Some(after)
    }

    pub(crate) fn level(
        &mut self,
        operand: &ast::Operand<'a>,
        place: &Registers,
        sizes: &[usize],
    ) -> Option<Operand> {
        let items = match self.value(operand)?.in_braces(operand.span) {
            Value::Vector(items) => items,
            value => {
                let found = self.scalar_of(&value, operand.span, place);
                if found.is_none() {
                    let message = format!("needs a .{} level, not {}", place.ty, value.describe());
                    let help = match self.form.shape {
                        Shape::TextureQuery => {
                            "the level is an integer: convert it with cvt.rni.s32.f32"
                        }
                        _ => "the level has the type of the coordinates",
                    };
                    return self.deny("E0307", operand.span, message, help);
                }
                return found;
            }
        };
        let lanes = items.len();
        let message = format!("needs one level, not a vector of {}", Count(lanes, "element"));
        if !sizes.contains(&lanes) {
            return self.deny("E0307", operand.span, message, "write a scalar");
        }
        let mut list = self.place_vector(operand, items, place, 0)?;
        if lanes > 1 {
            let diagnostic = self
                .error("E0307", operand.span, message)
                .label("ptxas accepts this and takes one of them")
                .help("write a scalar");
            self.report_miscompiled(diagnostic);
        }
        Some(list.swap_remove(0))
    }

    /// Checks the last operand if a sampler in unified mode shifts the operands by one position:
    /// the last operand must then be valid as a depth reference.
    fn last_of_shifted(&mut self, rest: &[ast::Operand<'a>]) -> Option<()> {
        let last = rest.last()?;
        let passes = match self.value(last)? {
            Value::Reg { ty, .. } => matches!(ty, ScalarType::F32 | ScalarType::B32),
            Value::Const(c) => !c.is_int(),
            Value::Vector(_) | Value::VectorReg { .. } => rest.len() == 1,
            _ => false,
        };
        if !passes {
            let help = "leave the sampler out, or add texmode_independent to .target";
            return self.deny("E0303", last.span, "has a sampler, but unified mode has none", help);
        }
        Some(())
    }

    fn gradient(&mut self, operand: &ast::Operand<'a>, geometry: Geometry) -> Option<Vec<Operand>> {
        let items = match self.value(operand)?.in_braces(operand.span) {
            Value::Vector(items) => items,
            other => {
                let message = format!("needs a gradient vector, not {}", other.describe());
                let help = "write the gradient between { and }";
                return self.deny("E0307", operand.span, message, help);
            }
        };
        let row = row_of(geometry);
        let (n, lanes) = (row.gradient_size(), items.len());
        if lanes != n {
            let name = self.name();
            let message =
                format!("{name}: the gradients of .{geometry} have {}", Count(n, "element"));
            if !(geometry.is_cube() && matches!(lanes, 1 | 2)) {
                let message = format!("{message}, not {lanes}");
                let help = "write a vector of that size";
                return self.cx.refuse("E0307", operand.span, message, help);
            }
            let diagnostic = Diagnostic::error("E0313", operand.span, message)
                .label("ptxas accepts this and then crashes")
                .help("write four elements; the last is ignored");
            self.report_miscompiled(diagnostic);
        }
        let place = registers("gradient", ScalarType::F32);
        self.place_vector(operand, items, place, 0)
    }

    /// Checks the offset: `Some(None)` if the operand is no offset, `Some(Some(None))` if ptxas
    /// drops it.
    #[allow(clippy::option_option)]
    fn offset_operand(
        &mut self,
        operand: &ast::Operand<'a>,
        geometry: Geometry,
        coordinate: ScalarType,
        (shift, followed): (Shift, bool),
    ) -> Option<Option<Option<Vec<Operand>>>> {
        let items = match self.value(operand)?.in_braces(operand.span) {
            Value::Vector(items) => items,
            Value::Reg { ty: ScalarType::U32 | ScalarType::S32, .. } => {
                return self.dropped_offset(operand.span);
            }
            Value::Const(c) if c.is_int() => return self.dropped_offset(operand.span),
            // A depth reference, unless an operand follows or the fetch cannot have one.
            Value::Reg { ty: ScalarType::B32, .. }
                if followed || coordinate == ScalarType::S32 && geometry != Geometry::D3 =>
            {
                self.cx.require(COMPARE, operand.span);
                return self.dropped_offset(operand.span);
            }
            _ => return Some(None),
        };
        self.cx.require(OFFSET, operand.span);
        let sizes = row_of(geometry).offset_sizes();
        let name = self.name();
        let taken = if shift == Shift::None { sizes } else { ANY_SIZE };
        if taken.is_empty() {
            let message = format!("{name}: .{geometry} has no offsets");
            let help = "add to the coordinates instead";
            return self.cx.refuse("E0306", operand.span, message, help);
        }
        let lanes = items.len();
        if !taken.contains(&lanes) {
            let text: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            let message = format!(
                "{name}: the offset of .{geometry} has {} elements, not {lanes}",
                text.join(" or "),
            );
            return self.cx.refuse("E0306", operand.span, message, "write a vector of that size");
        }
        for (value, span) in &items {
            if let Value::Const(c) = value
                && c.is_int()
            {
                self.offset_range(c.bits_for(ScalarType::B64).unwrap_or(0) as i64, *span);
            }
        }
        let place = registers("offset", ScalarType::S32);
        Some(Some(Some(self.place_vector(operand, items, place, 0)?)))
    }

    #[allow(clippy::option_option, clippy::unnecessary_wraps)]
    fn dropped_offset(&mut self, span: Span) -> Option<Option<Option<Vec<Operand>>>> {
        let diagnostic = Diagnostic::error("E0311", span, "an offset is a vector")
            .label("ptxas accepts this and drops it")
            .help("write the offset between { and }, or a .f32 register for a depth reference");
        self.report_miscompiled(diagnostic);
        Some(Some(None))
    }

    fn offset_range(&mut self, value: i64, span: Span) {
        if (-8..=7).contains(&value) {
            return;
        }
        let modulo = if self.form.shape == Shape::Gather { 64 } else { 16 };
        self.report(
            Diagnostic::warning("W0101", span, format!("the offset {value} is outside -8 to 7"))
                .label(format!("the hardware takes it modulo {modulo}"))
                .help("add to the coordinates instead"),
        );
    }

    /// Reports that the depth reference is dropped on Maxwell GPUs, whose fetches with gradients
    /// have no operand for it.
    fn dropped_compare(&mut self, geometry: Geometry, span: Span) {
        let maxwell = (50..60).contains(&self.cx.target) && !self.cx.module.independent;
        if !(maxwell && geometry == Geometry::D1 && self.mods.mip == Some(MipMode::Grad)) {
            return;
        }
        let message = format!("{} drops its depth reference on sm_5x", self.name());
        self.report(
            Diagnostic::warning("W0105", span, message)
                .label("ptxas leaves the comparison out")
                .help("use a .2d texture of height 1, or compare the fetched depth with setp"),
        );
    }

    fn compare(
        &mut self,
        operand: &ast::Operand<'a>,
        geometry: Geometry,
        coordinate: ScalarType,
    ) -> Option<Operand> {
        self.cx.require(COMPARE, operand.span);
        let name = self.name();
        if !row_of(geometry).compare {
            let message = format!("{name}: .{geometry} has no depth compare");
            return self.cx.refuse("E0306", operand.span, message, "leave the depth reference out");
        }
        if coordinate != ScalarType::F32 {
            let message = format!("{name}: depth compare needs .f32 coordinates");
            return self.cx.refuse("E0306", operand.span, message, "write .f32 as the last type");
        }
        let value = self.value(operand)?;
        let place = registers("compare", ScalarType::F32);
        let found = self.scalar_of(&value, operand.span, place);
        if found.is_none() {
            let message = format!("needs a .f32 depth reference, not {}", value.describe());
            let help = "use a .f32 register or a number with a decimal point";
            return self.deny("E0306", operand.span, message, help);
        }
        found
    }
}
