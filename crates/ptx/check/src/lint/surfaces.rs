//! Lints W0220 and W0101: constants that surface and texture instructions cannot use, including
//! offsets in registers with a known constant.

use texunit_forms::Count;
use texunit_isa::{Element, Geometry, Opcode};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use super::body::Body;
use crate::ir::Operand;

/// Checks the constant coordinates and offsets of a function.
pub(super) fn lint(body: &Body, out: &mut Vec<Diagnostic>) {
    for (at, i) in body.code.iter().enumerate() {
        match i.opcode {
            Opcode::Suld | Opcode::Sust | Opcode::Sured if !i.mods.formatted => {
                misaligned(body, at, out);
            }
            Opcode::Tex | Opcode::Tld4 => offsets(body, at, out),
            _ => {}
        }
    }
}

/// Checks x of `suld.b` and similar instructions: a byte offset, and a multiple of the access size.
fn misaligned(body: &Body, at: usize, out: &mut Vec<Diagnostic>) {
    let i = &body.code[at];
    let Some(ty) = i.mods.ty() else { return };
    let size = ty.bytes() * u32::from(i.mods.vector.max(1));
    let (Some(operands), Some(geometry)) = (i.operands.surface(), i.mods.geometry) else { return };
    let x = operands.coords.get(Element::X).as_ref();
    let Some((x, write)) = x.and_then(|x| body.integer(x, at)) else { return };
    if size < 2 || x.rem_euclid(size as i32) == 0 {
        return;
    }
    let name = body.mnemonic(at);
    let message =
        format!("x = {x} is not a multiple of the {} that {name} moves", Count(size, "byte"));
    let mut diagnostic =
        Diagnostic::warning("W0220", coordinate_span(body, at, geometry, Element::X), message)
            .label("such an access is a fault")
            .help(format!("x counts bytes, not texels: write {}", suggestion(x, size)));
    if let Some(write) = write {
        diagnostic = diagnostic.note(body.syntax[write].span, "set here");
    }
    out.push(diagnostic);
}

/// A help text for an x coordinate that may have been intended as a texel index.
fn suggestion(x: i32, size: u32) -> String {
    match x.checked_mul(size as i32) {
        Some(bytes) => format!("{bytes} for texel {x}"),
        None => format!("a multiple of {size}"),
    }
}

/// The position of a coordinate element; the coordinates are the last operand in the brackets.
fn coordinate_span(body: &Body, at: usize, geometry: Geometry, element: Element) -> Span {
    let element = geometry.elements().iter().position(|&e| e == element).unwrap_or(0);
    let syntax = body.syntax[at];
    let inside = syntax.operands.iter().find_map(|o| match &o.kind {
        OperandKind::Bracket(items) => items.last(),
        _ => None,
    });
    inside.map_or(syntax.span, |operand| element_span(operand, element))
}

/// The position of element `n` of a vector; the whole operand if there is no such element.
fn element_span(operand: &ast::Operand, n: usize) -> Span {
    match &operand.kind {
        OperandKind::Vector(items) => items.get(n).map_or(operand.span, |o| o.span),
        _ => operand.span,
    }
}

/// Checks offsets in registers that hold a known constant; constant operands are checked by the
/// checker.
fn offsets(body: &Body, at: usize, out: &mut Vec<Diagnostic>) {
    let i = &body.code[at];
    let Some(fetch) = i.operands.fetch() else { return };
    for (n, offset) in fetch.offset.iter().flatten().enumerate() {
        let Operand::Reg(reg) = offset else { continue };
        let Some((bits, write)) = body.constant(*reg, at) else { continue };
        let value = bits as u32 as i32;
        if (-8..=7).contains(&value) {
            continue;
        }
        let modulo = if i.opcode == Opcode::Tld4 { 64 } else { 16 };
        // Only the reference value of a depth compare follows the offset.
        let behind = usize::from(fetch.compare.is_some());
        let operand = body.syntax[at].operands.iter().rev().nth(behind);
        let span = operand.map_or(body.syntax[at].span, |operand| element_span(operand, n));
        let message = format!("the offset {value} is outside -8 to 7");
        out.push(
            Diagnostic::warning("W0101", span, message)
                .label(format!("the hardware takes it modulo {modulo}"))
                .note(body.syntax[write].span, "set here")
                .help("add to the coordinates instead"),
        );
    }
}
