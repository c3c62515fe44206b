//! Operands of tex and tld4, by the rules that ptxas follows (not always those of the
//! documentation): destination, texture, sampler and coordinates.

use texunit_isa::floor::{INDIRECT, INDIRECT_INDEPENDENT, RESIDENCY};
use texunit_isa::{Form, Geometry, MipMode, Modifiers, ScalarType, TypeKind};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::Body;
use crate::instruction::mnemonic;
use crate::ir::Operand;
use crate::operand::{Site, lanes_of};
use crate::values::Value;

/// What operands a geometry takes.
pub(crate) struct Shape {
    /// Sizes of the coordinate vector.
    pub(crate) coords: &'static [usize],
    /// How many of its first elements are layer and sample numbers.
    pub(crate) indices: usize,
    /// Sizes of the offset vector; none: no offsets.
    pub(crate) offsets: &'static [usize],
    /// Sizes of the gradient vectors.
    pub(crate) gradients: &'static [usize],
    pub(crate) compare: bool,
}

#[rustfmt::skip]
const SHAPES: &[(Geometry, Shape)] = &[
    (Geometry::D1,    Shape { coords: &[1, 2, 4], indices: 0, offsets: &[1, 2, 4], gradients: &[1],       compare: true }),
    (Geometry::D2,    Shape { coords: &[2, 4],    indices: 0, offsets: &[2, 4],    gradients: &[2],       compare: true }),
    (Geometry::D3,    Shape { coords: &[4],       indices: 0, offsets: &[4],       gradients: &[4],       compare: false }),
    (Geometry::A1d,   Shape { coords: &[2, 4],    indices: 1, offsets: &[1, 2, 4], gradients: &[1],       compare: true }),
    (Geometry::A2d,   Shape { coords: &[4],       indices: 1, offsets: &[2, 4],    gradients: &[2],       compare: true }),
    (Geometry::Cube,  Shape { coords: &[4],       indices: 0, offsets: &[],        gradients: &[1, 2, 4], compare: true }),
    (Geometry::Acube, Shape { coords: &[4],       indices: 1, offsets: &[],        gradients: &[1, 2, 4], compare: true }),
    (Geometry::D2ms,  Shape { coords: &[4],       indices: 1, offsets: &[2, 4],    gradients: &[],        compare: false }),
    (Geometry::A2dms, Shape { coords: &[4],       indices: 2, offsets: &[2, 4],    gradients: &[],        compare: false }),
];

/// What a geometry takes.
pub(crate) fn shape_of(geometry: Geometry) -> &'static Shape {
    let row = SHAPES.iter().find(|(g, _)| *g == geometry).map(|(_, shape)| shape);
    row.unwrap_or(&SHAPES[0].1)
}

impl<'a> Body<'_, 'a> {
    /// tex and tld4.
    pub(crate) fn texture(
        &mut self,
        i: &'a ast::Instruction<'a>,
        mods: &Modifiers,
        form: &Form,
    ) -> Option<Vec<Operand>> {
        let site = Site { i, mods };
        self.require_form(i, mods, form);
        let geometry = mods.geometry?;
        let coordinate = mods.types.get(1).copied()?;
        let legal = self.legal_combination(&site, geometry, coordinate);
        let [dest, inside, rest @ ..] = i.operands.as_slice() else {
            self.wrong(
                "E0210",
                i.opcode.span,
                format!("{} needs a destination and [texture, coordinates]", mnemonic(i)),
                "write for instance {%f1,%f2,%f3,%f4}, [tex, {%f5,%f6}]",
            );
            return None;
        };
        let dest = self.texture_dest(&site, dest);
        let inside = self.texture_operands(&site, inside, geometry, coordinate);
        let rest = self.after_bracket(&site, rest, geometry, coordinate);
        legal?;
        let mut operands = dest?;
        operands.extend(inside?);
        operands.extend(rest?);
        Some(operands)
    }

    fn legal_combination(
        &mut self,
        site: &Site<'_, 'a>,
        geometry: Geometry,
        coordinate: ScalarType,
    ) -> Option<()> {
        let span = site.i.opcode.span;
        let name = mnemonic(site.i);
        match geometry {
            Geometry::Cube | Geometry::Acube if coordinate != ScalarType::F32 => {
                self.wrong(
                    "E0309",
                    span,
                    format!("{name}: cube maps have .f32 coordinates only"),
                    "write .f32 as the last type",
                );
                None
            }
            Geometry::D2ms | Geometry::A2dms if coordinate != ScalarType::S32 => {
                self.wrong(
                    "E0309",
                    span,
                    format!("{name}: multi-sample textures have .s32 coordinates only"),
                    "write .s32 as the last type",
                );
                None
            }
            Geometry::D2ms | Geometry::A2dms
                if matches!(site.mods.mip, Some(MipMode::Level | MipMode::Grad)) =>
            {
                self.wrong(
                    "E0309",
                    span,
                    format!("{name}: multi-sample textures have one level"),
                    "leave .level or .grad out",
                );
                None
            }
            _ => Some(()),
        }
    }

    /// `{a, b, c, d}` or `{a, b, c, d}|p`.
    fn texture_dest(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
    ) -> Option<Vec<Operand>> {
        let (vector, predicate) = match &operand.kind {
            OperandKind::Pair(d, p) => (&**d, Some(&**p)),
            _ => (operand, None),
        };
        let whole = !matches!(vector.kind, OperandKind::Vector(_));
        let dest = self.dest_vector(site, vector);
        let predicate = match predicate {
            None => Some(Operand::Discard),
            Some(p) => {
                self.cx.require(RESIDENCY, p.span);
                if p.kind == OperandKind::Discard && whole {
                    Some(Operand::Discard)
                } else {
                    self.dest(site, ScalarType::Pred, p)
                }
            }
        };
        Some(vec![dest?, predicate?])
    }

    fn dest_vector(&mut self, site: &Site<'_, 'a>, operand: &ast::Operand<'a>) -> Option<Operand> {
        let ty = site.mods.ty()?;
        let lanes = usize::from(site.mods.vector);
        let items = match self.value(operand)? {
            Value::Vector(items) => items,
            Value::VectorReg { first, ty, lanes } => lanes_of(first, ty, lanes, operand.span),
            other => vec![(other, operand.span)],
        };
        if items.len() != lanes {
            self.wrong(
                "E0308",
                operand.span,
                format!("{} writes {lanes} registers, not {}", mnemonic(site.i), items.len()),
                "write as many registers between { and } as .v2 or .v4 says",
            );
            return None;
        }
        if items.iter().all(|(v, _)| matches!(v, Value::Discard)) {
            self.wrong(
                "E0308",
                operand.span,
                format!("{} has no register for its result", mnemonic(site.i)),
                "write a register for one of the elements",
            );
            return None;
        }
        let integer = matches!(ty, ScalarType::U32 | ScalarType::S32);
        let floats = items
            .iter()
            .filter(|(v, _)| matches!(v, Value::Reg { ty: ScalarType::F32, .. }))
            .count();
        let registers = items.iter().filter(|(v, _)| matches!(v, Value::Reg { .. })).count();
        let mut list = Vec::with_capacity(lanes);
        for (value, span) in items {
            list.push(match value {
                Value::Discard => Operand::Discard,
                // A tuple of other than only .f32 registers passes for integers.
                Value::Reg { id, ty: ScalarType::F32 } if integer && floats < registers => {
                    Operand::Reg(id)
                }
                Value::Reg { id, ty: reg } if texel_fits(ty, reg) => Operand::Reg(id),
                Value::Reg { .. } => return self.mismatch(site, ty, &value, span),
                value => return self.not_a_destination(site, ty, &value, span),
            });
        }
        Some(Operand::Vector(list))
    }

    /// `[a, c]` or `[a, b, c]`: texture, sampler or `Discard`, coordinates.
    fn texture_operands(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
        geometry: Geometry,
        coordinate: ScalarType,
    ) -> Option<Vec<Operand>> {
        let name = mnemonic(site.i);
        let OperandKind::Bracket(items) = &operand.kind else {
            self.wrong(
                "E0301",
                operand.span,
                format!("{name} needs [texture, coordinates] here"),
                "write the brackets, which the assembler demands, and the coordinates in them",
            );
            return None;
        };
        let independent = self.cx.module.independent;
        let (texture, sampler, coords) = match items.as_slice() {
            [texture, coords] => (texture, None, coords),
            [texture, sampler, coords] => (texture, Some(sampler), coords),
            _ => {
                self.wrong(
                    "E0301",
                    operand.span,
                    format!(
                        "{name} takes [texture, coordinates] or [texture, sampler, coordinates]"
                    ),
                    "write 2 or 3 operands between the brackets",
                );
                return None;
            }
        };
        let indirect = Some(if independent { INDIRECT_INDEPENDENT } else { INDIRECT });
        let handle = self.handle(texture, &[ScalarType::Texref], indirect);
        let sampler = match (sampler, independent) {
            (Some(s), true) => self.handle(s, &[ScalarType::Samplerref], indirect),
            (None, false) => Some(Operand::Discard),
            (None, true) => {
                self.wrong(
                    "E0302",
                    operand.span,
                    format!("{name} needs a sampler with texmode_independent"),
                    "write [texture, sampler, coordinates]",
                );
                None
            }
            (Some(s), false) => self.sampler_in_unified(s, geometry),
        };
        let coords = self.coordinates(site, coords, geometry, coordinate);
        Some(vec![handle?, sampler?, coords?])
    }

    /// The coordinate vector of a texture instruction.
    fn coordinates(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
        geometry: Geometry,
        coordinate: ScalarType,
    ) -> Option<Operand> {
        let shape = shape_of(geometry);
        let braces = matches!(operand.kind, OperandKind::Vector(_));
        if self.cx.module.independent && !braces && !self.cx.has_version(90) {
            let message = "a coordinate after a sampler stands in braces".into();
            self.wrong("E0304", operand.span, message, "write {x}, or .version 9.0");
            return None;
        }
        let items = match self.value(operand)? {
            Value::Vector(items) => items,
            Value::VectorReg { first, ty, lanes } => lanes_of(first, ty, lanes, operand.span),
            scalar => {
                self.scalar_coordinate(site, operand, geometry)?;
                vec![(scalar, operand.span)]
            }
        };
        let scalar = !braces && items.len() == 1;
        if !scalar && !shape.coords.contains(&items.len()) {
            self.coordinate_count(site, operand.span, geometry, items.len(), shape.coords);
            return None;
        }
        let mut list = Vec::with_capacity(items.len());
        for (n, (value, span)) in items.into_iter().enumerate() {
            // Whole vector registers have one type for layer and coordinates.
            let float = (n >= shape.indices || !braces) && coordinate == ScalarType::F32;
            list.push(self.coordinate(site, value, span, float)?);
        }
        Some(Operand::Vector(list))
    }

    pub(crate) fn coordinate_count(
        &mut self,
        site: &Site<'_, 'a>,
        span: Span,
        geometry: Geometry,
        n: usize,
        sizes: &[usize],
    ) {
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let help = if n == 3 {
            "write a fourth element, which is ignored: the assembler takes vectors of 1, 2 or 4"
        } else {
            "write a vector of that size"
        };
        self.wrong(
            "E0304",
            span,
            format!(
                "{}: .{geometry} takes {} coordinates, not {n}",
                mnemonic(site.i),
                sizes.join(" or ")
            ),
            help,
        );
    }

    fn scalar_coordinate(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
        geometry: Geometry,
    ) -> Option<()> {
        if geometry != Geometry::D1 {
            let name = mnemonic(site.i);
            let diagnostic = Diagnostic::error(
                "E0310",
                operand.span,
                format!("{name} needs a coordinate vector"),
            )
            .label("ptxas accepts this and reads registers that were not meant")
            .help("write the coordinates between { and }");
            self.cx.report_miscompiled(diagnostic);
        }
        Some(())
    }

    /// One element: a float coordinate, or an integer (coordinate, layer, sample).
    fn coordinate(
        &mut self,
        site: &Site<'_, 'a>,
        value: Value<'a>,
        span: Span,
        float: bool,
    ) -> Option<Operand> {
        let wanted = if float { ScalarType::F32 } else { ScalarType::S32 };
        match value {
            Value::Reg { id, ty } if ty.bits() == 32 && (float || ty != ScalarType::F32) => {
                Some(Operand::Reg(id))
            }
            Value::Const(c) if c.is_int() != float => self.immediate(site, wanted, c, span),
            Value::Special(s, component) if s.types.contains(&ScalarType::U32) => {
                Some(s.operand(component))
            }
            value => {
                let what = if float { "a .f32 coordinate" } else { "a 32-bit integer" };
                self.report(
                    Diagnostic::error(
                        "E0305",
                        span,
                        format!("{} needs {what} here, not {}", mnemonic(site.i), value.describe()),
                    )
                    .help(if float {
                        "use .f32 registers or numbers with a decimal point"
                    } else {
                        "use .s32, .u32 or .b32 registers, or integers"
                    }),
                );
                None
            }
        }
    }
}

fn texel_fits(ty: ScalarType, reg: ScalarType) -> bool {
    match ty {
        ScalarType::F32 => {
            matches!(reg, ScalarType::F32 | ScalarType::B32 | ScalarType::S32 | ScalarType::U32)
        }
        ScalarType::F16 => reg.bits() == 16,
        ScalarType::F16x2 => matches!(reg, ScalarType::F16x2 | ScalarType::B32),
        _ => reg.bits() == 32 && reg != ScalarType::F32 && reg.kind() != TypeKind::Predicate,
    }
}
