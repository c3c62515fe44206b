//! Initial values of variables: converts them to bytes, and to relocations for addresses.

use texunit_forms::Count;
use texunit_isa::requirement::KERNEL_ADDRESS;
use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{self, BinaryOp, Expr, ExprKind, Initializer};
use texunit_syntax::{Diagnostic, Span};

use crate::consts::Const;
use crate::context::{Checker, Global};
use crate::declaration::layout::Layout;
use crate::ir::{Relocation, Storage, Symbol};
use crate::message::fixes;
use crate::requirements::{ADDRESS_VALUES, FUNCTION_VALUES, GENERIC, MASKS};

/// Maximum size of a variable's initial value; larger ones would be an attack on memory.
const MAX_BYTES: u64 = 1 << 28;

/// An initial value under construction.
#[derive(Default)]
pub(crate) struct Image {
    pub(crate) bytes: Vec<u8>,
    pub(crate) relocations: Vec<Relocation>,
    ty: Option<ScalarType>,
    /// Number of vector elements, else 1.
    vector: u8,
    failed: bool,
}

/// An address in an initialiser.
struct AddressValue {
    target: Symbol,
    addend: i64,
    generic: bool,
    mask: Option<u64>,
}

impl<'a> Checker<'a> {
    /// Evaluates an initialiser; `None` if any part of it is invalid. For `[]` it also determines
    /// the size.
    pub(crate) fn initial(&mut self, init: &Initializer<'a>, layout: &mut Layout) -> Option<Image> {
        let mut image = Image { ty: Some(layout.ty), vector: layout.vector, ..Image::default() };
        match init {
            Initializer::Value(expr) => {
                if !layout.dims.is_empty() {
                    let message = "an array needs a list of values";
                    let error = Diagnostic::error("E0136", expr.span, message);
                    let error = error.help("write the values between { and }");
                    self.misshapen(error, layout.open)?;
                }
                self.scalar(expr, 0, &mut image);
            }
            Initializer::List(items, span) => {
                if layout.dims.is_empty() {
                    let message = "a scalar has no list of values";
                    let help = "write the value without braces, or declare an array";
                    let error = Diagnostic::error("E0136", *span, message).help(help);
                    return self
                        .misshapen(error, layout.ty.kind() == TypeKind::Packed)
                        .map(|()| image);
                }
                if layout.dims.len() == 1
                    && layout.vector > 1
                    && items.len() as u64 != layout.dims[0]
                {
                    self.vector_elements(*span, layout.dims[0]);
                    return None;
                }
                let total = if layout.open { u64::MAX } else { layout.size };
                let used = self.list(items, &layout.dims, 0, total, &mut image);
                if layout.open && items.is_empty() {
                    self.open_array(*span);
                    return None;
                }
                if layout.open {
                    let stride = layout.stride().max(1);
                    layout.dims[0] = used.div_ceil(stride);
                    layout.size = layout.dims[0].saturating_mul(stride);
                }
            }
            Initializer::Fields(_, span) => {
                let message = "only texrefs, samplerrefs and surfrefs have named fields";
                return self.refuse("E0139", *span, message, "write plain values between { and }");
            }
        }
        (!image.failed).then_some(image)
    }

    /// Reports a value whose braces are not those of the variable; `accepted`: by ptxas.
    fn misshapen(&mut self, error: Diagnostic, accepted: bool) -> Option<()> {
        if accepted { self.beyond_ptxas(error) } else { self.refuse_with(error) }
    }

    fn vector_elements(&mut self, span: Span, count: u64) {
        let message = format!("a vector has {} here", Count(count as usize, "value"));
        self.wrong("E0136", span, message, "write all values of each vector");
    }

    fn too_many(&mut self, span: Span, fits: u64) {
        let message = format!("there are more values than {}", Count(fits as usize, "element"));
        self.wrong("E0136", span, message, "remove values or declare a larger array");
    }

    /// Fills dimensions `dims` from byte `start`; returns the byte after the last value.
    fn list(
        &mut self,
        items: &[Initializer<'a>],
        dims: &[u64],
        start: u64,
        room: u64,
        image: &mut Image,
    ) -> u64 {
        let elem = image.ty.map_or(1, |t| u64::from(t.bytes()));
        let inner = dims.get(1..).unwrap_or(&[]);
        let stride = inner.iter().fold(elem, |n, d| n.saturating_mul(*d));
        let mut at = start;
        for item in items {
            let step = if matches!(item, Initializer::Value(_)) { elem } else { stride };
            if (at - start).saturating_add(step) > room {
                let span = span_of(item);
                self.too_many(span, room / elem.max(1));
                image.failed = true;
                return at;
            }
            match item {
                Initializer::Value(expr) if !inner.is_empty() => {
                    let message = "an element of this array needs braces of its own";
                    let help = "write { and } around the values of each row or vector";
                    self.report(Diagnostic::error("E0136", expr.span, message).help(help));
                    image.failed = true;
                }
                Initializer::Value(expr) => self.scalar(expr, at, image),
                Initializer::List(items, span) if inner.is_empty() => {
                    let message = "there are more braces than dimensions";
                    let error = Diagnostic::error("E0136", *span, message);
                    let packed = image.ty.is_some_and(|ty| ty.kind() == TypeKind::Packed);
                    let accepted = self.misshapen(error.help("remove the inner braces"), packed);
                    image.failed |= accepted.is_none() && !items.is_empty();
                }
                Initializer::List(items, span) => {
                    if inner.len() == 1 && image.vector > 1 && items.len() as u64 != inner[0] {
                        self.vector_elements(*span, inner[0]);
                        image.failed = true;
                        return at;
                    }
                    self.list(items, inner, at, stride, image);
                }
                Initializer::Fields(_, span) => {
                    let help = "write plain values";
                    self.wrong("E0139", *span, "a named field is not allowed among values", help);
                    image.failed = true;
                }
            }
            if image.failed {
                return at;
            }
            at = at.saturating_add(step);
        }
        at
    }

    fn scalar(&mut self, expr: &Expr<'a>, at: u64, image: &mut Image) {
        let Some(ty) = image.ty else { return };
        let size = u64::from(ty.bytes());
        if at.saturating_add(size) > MAX_BYTES {
            let help = "values further than 256 MiB into a variable must be written by the program";
            self.wrong("E0133", expr.span, "the initial value is too large", help);
            image.failed = true;
            return;
        }
        let end = (at + size) as usize;
        if image.bytes.len() < end {
            image.bytes.resize(end, 0);
        }
        if has_address(expr, 0) {
            match self.address_value(expr) {
                Some(value) => self.relocate(value, at, ty, expr.span, image),
                None => image.failed = true,
            }
            return;
        }
        let Some(value) = self.constant(expr) else {
            image.failed = true;
            return;
        };
        if !value.is_int() && matches!(ty, ScalarType::B8 | ScalarType::B16 | ScalarType::B128) {
            // ptxas accepts the number, but its result is unpredictable.
            let error = Diagnostic::error(
                "E0137",
                expr.span,
                format!("a floating-point number cannot initialise a .{ty}"),
            );
            image.failed = self.beyond_ptxas(error.help("write the bits as an integer")).is_none();
            return;
        }
        match initial_bits(value, ty) {
            Some(bits) => {
                let bytes = bits.to_le_bytes();
                let n = (size as usize).min(8);
                image.bytes[at as usize..at as usize + n].copy_from_slice(&bytes[..n]);
            }
            None => {
                image.failed = true;
                let message = format!("this constant cannot initialise a .{ty}");
                let diagnostic =
                    Diagnostic::error("E0137", expr.span, message).help(if ty.is_float() {
                        "write a floating-point number"
                    } else {
                        "write an integer"
                    });
                self.report(match ty {
                    ScalarType::F32 | ScalarType::F64 => {
                        fixes::decimal_point(self.source, expr.span, diagnostic)
                    }
                    _ => diagnostic,
                });
            }
        }
    }

    fn relocate(
        &mut self,
        value: AddressValue,
        at: u64,
        ty: ScalarType,
        span: Span,
        image: &mut Image,
    ) {
        let AddressValue { target, addend, generic, mask } = value;
        let plain = matches!(ty, ScalarType::U32 | ScalarType::U64)
            || mask.is_some() && ty == ScalarType::U8;
        let (size, shift) = match mask {
            None => (ty.bytes() as u8, 0),
            Some(mask) => (1, mask.trailing_zeros().min(56) as u8),
        };
        let function = matches!(target, Symbol::Function(_));
        self.require(if function { FUNCTION_VALUES } else { ADDRESS_VALUES }, span);
        if let Symbol::Function(id) = target
            && self.module.functions[id.0 as usize].is_entry
        {
            self.require(KERNEL_ADDRESS, span);
        }
        if mask.is_some() {
            self.require(MASKS, span);
        }
        if generic {
            self.require(GENERIC, span);
        }
        let wrong_mask = mask.is_some_and(|m| m == 0 || m >> shift != 0xff || shift % 8 != 0);
        // The address of a function must stand alone.
        let wrong_function = function && (generic || addend != 0);
        if !plain || wrong_function || wrong_mask {
            image.failed = true;
            let message = format!("an address cannot initialise a .{ty} like this");
            let help = "use a .u64 variable, or .u8 with masks such as 0xff00(name)";
            self.wrong("E0138", span, message, help);
            return;
        }
        image.relocations.push(Relocation { offset: at, size, target, addend, shift, generic });
    }

    fn address_value(&mut self, expr: &Expr<'a>) -> Option<AddressValue> {
        match &expr.kind {
            ExprKind::Name(name) => {
                let target = self.symbol(name)?;
                Some(AddressValue { target, addend: 0, generic: false, mask: None })
            }
            ExprKind::Call(head, inner) => {
                let mask = matches!(head.kind, ExprKind::Integer { .. });
                if !mask && !matches!(inner.kind, ExprKind::Name(_)) {
                    return self.bad_address(expr.span);
                }
                let mut value = self.address_value(inner)?;
                match &head.kind {
                    ExprKind::Name(n) if n.text == "generic" => value.generic = true,
                    ExprKind::Integer { value: mask, .. } => value.mask = Some(*mask),
                    _ => return self.bad_address(expr.span),
                }
                Some(value)
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let masked = matches!(&a.kind, ExprKind::Call(head, _)
                    if matches!(head.kind, ExprKind::Integer { .. }));
                if has_address(b, 0) || masked {
                    return self.bad_address(expr.span);
                }
                let mut value = self.address_value(a)?;
                let offset = self.integer(b)?;
                let offset = if *op == BinaryOp::Sub { offset.wrapping_neg() } else { offset };
                value.addend = value.addend.wrapping_add(offset);
                Some(value)
            }
            _ => self.bad_address(expr.span),
        }
    }

    fn bad_address(&mut self, span: Span) -> Option<AddressValue> {
        let help = "write name, name+offset, generic(name) or 0xff00(name)";
        self.refuse("E0138", span, "this is not an address that can be filled in at load", help)
    }

    fn symbol(&mut self, name: &ast::Ident<'a>) -> Option<Symbol> {
        match self.global(name)? {
            Global::Variable(id) => {
                let variable = &self.module.variables[id.0 as usize];
                let shared = matches!(variable.storage, Storage::Shared | Storage::DynamicShared);
                if shared {
                    let message = "the address of shared memory is not known before the launch";
                    let help = "take it in the program, with mov";
                    return self.refuse("E0138", name.span, message, help);
                }
                Some(Symbol::Variable(id))
            }
            Global::Function(id) => Some(Symbol::Function(id)),
            Global::PerThread | Global::Broken => None,
        }
    }
}

fn span_of(init: &Initializer) -> Span {
    match init {
        Initializer::Value(e) => e.span,
        Initializer::List(_, span) | Initializer::Fields(_, span) => *span,
    }
}

/// Whether the expression contains the name of a variable or function. `depth` is the nesting of
/// the expression.
fn has_address(expr: &Expr, depth: u32) -> bool {
    if depth > 500 {
        return false;
    }
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Call(..) => true,
        ExprKind::Unary(_, e) | ExprKind::Cast(_, e) => has_address(e, depth + 1),
        ExprKind::Binary(_, a, b) => has_address(a, depth + 1) || has_address(b, depth + 1),
        ExprKind::Conditional(c, a, b) => {
            has_address(c, depth + 1) || has_address(a, depth + 1) || has_address(b, depth + 1)
        }
        _ => false,
    }
}

/// The bits of an initial value; ptxas does not support f16 values.
fn initial_bits(value: Const, ty: ScalarType) -> Option<u64> {
    match (ty, value) {
        (ScalarType::F32 | ScalarType::F64, c) if !c.is_int() => c.float_bits(ty),
        (ScalarType::B32, c) if !c.is_int() => c.float_bits(ScalarType::F32),
        (ScalarType::B64, c) if !c.is_int() => c.float_bits(ScalarType::F64),
        (_, c) if ty.is_integer() || ty.kind() == TypeKind::Bits => c.bits_for(ty),
        _ => None,
    }
}
