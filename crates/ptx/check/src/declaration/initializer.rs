//! Initial values of variables: converts them to bytes, and to relocations for addresses.

use texunit_forms::Count;
use texunit_isa::requirement::KERNEL_ADDRESS;
use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{self, InitialValue, Initializer, WholeValue};
use texunit_syntax::{Diagnostic, Span};

use crate::consts::Const;
use crate::context::{Checker, Global};
use crate::declaration::layout::Layout;
use crate::ir::{Relocation, Storage, Symbol, VarId};
use crate::message::fixes;
use crate::options::Ptxas;

/// Maximum size of a variable's initial value in bytes; larger values would exhaust memory.
const MAX_BYTES: u64 = 1 << 28;

/// An initial value under construction.
#[derive(Default)]
pub(crate) struct Image<'a> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) relocations: Vec<Relocation>,
    /// The name of the initialised variable.
    own: &'a str,
    ty: Option<ScalarType>,
    /// Number of vector elements of the variable; 1 without a vector length.
    vector: u8,
    failed: bool,
}

impl<'a> Checker<'a> {
    /// Evaluates an initialiser; `None` if any part of it is invalid. Also sets the size of a `[]`
    /// array.
    pub(crate) fn initial(
        &mut self,
        own: &'a str,
        init: &Initializer<'a>,
        layout: &mut Layout,
    ) -> Option<Image<'a>> {
        let (ty, vector) = (Some(layout.ty), layout.vector);
        let mut image = Image { own, ty, vector, ..Image::default() };
        match init {
            Initializer::Value(value) => {
                if !layout.dims.is_empty() {
                    let message = "an array needs a list of values";
                    let help = "write the values between { and }";
                    return self.refuse("E0136", value.span, message, help);
                }
                self.scalar(value, 0, &mut image)?;
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

    /// Reports a value whose braces do not match the variable; `accepted`: whether ptxas accepts
    /// the value.
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

    /// Fills an array of dimensions `dims` from byte `start`; returns the byte after the last
    /// value.
    fn list(
        &mut self,
        items: &[Initializer<'a>],
        dims: &[u64],
        start: u64,
        room: u64,
        image: &mut Image<'a>,
    ) -> u64 {
        let elem = image.ty.map_or(1, |t| u64::from(t.bytes()));
        let inner = dims.get(1..).unwrap_or(&[]);
        let stride = inner.iter().fold(elem, |n, d| n.saturating_mul(*d));
        let mut at = start;
        for item in items {
            let step = if matches!(item, Initializer::Value(_)) { elem } else { stride };
            if (at - start).saturating_add(step) > room {
                self.too_many(item.span(), room / elem.max(1));
                image.failed = true;
                return at;
            }
            match item {
                Initializer::Value(value) if !inner.is_empty() => {
                    let message = "an element of this array needs braces of its own";
                    let help = "write { and } around the values of each row or vector";
                    self.report(Diagnostic::error("E0136", value.span, message).help(help));
                    image.failed = true;
                }
                Initializer::Value(value) => {
                    image.failed = self.scalar(value, at, image).is_none();
                }
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

    /// Writes an initial value at byte `at` of a variable's memory image.
    fn scalar(&mut self, value: &InitialValue<'a>, at: u64, image: &mut Image<'a>) -> Option<()> {
        let (ty, span) = (image.ty?, value.span);
        let size = u64::from(ty.bytes());
        if at.saturating_add(size) > MAX_BYTES {
            let help = "values further than 256 MiB into a variable must be written by the program";
            return self.refuse("E0133", span, "the initial value is too large", help);
        }
        let end = (at + size) as usize;
        if image.bytes.len() < end {
            image.bytes.resize(end, 0);
        }
        match &value.whole {
            WholeValue::Address { .. } => {
                let relocation = self.relocation(value, at, ty, image.own)?;
                image.relocations.push(relocation);
            }
            WholeValue::Number(expr) => {
                let mut number = self.constant(expr)?;
                if let Some(mask) = value.mask {
                    number = self.byte(number, mask, span)?;
                }
                let bytes = self.number(number, ty, span)?.to_le_bytes();
                let n = (size as usize).min(8);
                image.bytes[at as usize..at as usize + n].copy_from_slice(&bytes[..n]);
            }
        }
        Some(())
    }

    /// The byte that a mask such as `0xff00` selects in a number.
    fn byte(&mut self, number: Const, mask: u64, span: Span) -> Option<Const> {
        match (number, masked_byte(mask)) {
            (Const::Int(v, _), Some(shift)) => Some(Const::Int((v >> shift) & 0xff, false)),
            _ => {
                let help = "the mask is 0xff, 0xff00 and so on, and the number an integer";
                self.refuse("E0138", span, "this mask selects no byte of the number", help)
            }
        }
    }

    /// The bits of a number as an initial value of type `ty`.
    fn number(&mut self, value: Const, ty: ScalarType, span: Span) -> Option<u64> {
        if !value.is_int() && matches!(ty, ScalarType::B8 | ScalarType::B16 | ScalarType::B128) {
            // ptxas accepts such a number, but stores unpredictable bytes.
            let message = format!("a floating-point number cannot initialise a .{ty}");
            let error = Diagnostic::error("E0137", span, message);
            self.beyond_ptxas(error.help("write the bits as an integer"))?;
            return Some(0);
        }
        let bits = initial_bits(value, ty);
        if bits.is_none() {
            let message = format!("this constant cannot initialise a .{ty}");
            let number = if ty.is_float() { "a floating-point number" } else { "an integer" };
            let error = Diagnostic::error("E0137", span, message).help(format!("write {number}"));
            self.report(match ty {
                ScalarType::F32 | ScalarType::F64 => fixes::decimal_point(self.source, span, error),
                _ => error,
            });
        }
        bits
    }

    /// The relocation for an address that is stored at byte `offset`.
    fn relocation(
        &mut self,
        value: &InitialValue<'a>,
        offset: u64,
        ty: ScalarType,
        own: &str,
    ) -> Option<Relocation> {
        let &InitialValue { mask, ref whole, span } = value;
        let WholeValue::Address { generic, name, offset: addend } = whole else { return None };
        let target = self.symbol(name, own)?;
        let addend = addend.as_ref().map_or(Some(0), |addend| self.integer(addend))?;
        let function = matches!(target, Symbol::Function(_));
        let (feature, least) = match function {
            true => ("functions as initial values", 20),
            false => ("addresses as initial values", 0),
        };
        self.require_named(feature, 21, least, span);
        if let Symbol::Function(id) = target
            && self.module.functions[id.0 as usize].is_entry
        {
            self.require(KERNEL_ADDRESS, span);
        }
        if mask.is_some() {
            self.require_named("masks of addresses", 71, 0, span);
        }
        if *generic {
            self.require_named("generic()", 31, 0, span);
        }
        let plain = matches!(ty, ScalarType::U32 | ScalarType::U64)
            || mask.is_some() && ty == ScalarType::U8;
        // A function's address must have no offset and no `generic`.
        let wrong_function = function && (*generic || addend != 0);
        let Some(shift) = mask.map_or(Some(0), masked_byte).filter(|_| plain && !wrong_function)
        else {
            let message = format!("an address cannot initialise a .{ty} like this");
            let help = "use a .u64 variable, or .u8 with masks such as 0xff00(name)";
            return self.refuse("E0138", span, message, help);
        };
        let size = if mask.is_some() { 1 } else { ty.bytes() as u8 };
        Some(Relocation { offset, size, target, addend, shift, generic: *generic })
    }

    /// The variable or function with a name; `own`: name of the variable that is initialised.
    fn symbol(&mut self, name: &ast::Ident<'a>, own: &str) -> Option<Symbol> {
        if name.text == own && self.release >= Ptxas::V13_5 && !self.globals.contains_key(name.text)
        {
            return Some(Symbol::Variable(VarId(self.module.variables.len() as u32)));
        }
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

/// The position of the lowest bit that the mask of a byte selects: 8 for `0xff00`.
fn masked_byte(mask: u64) -> Option<u8> {
    (0..64).step_by(8).find(|shift| mask == 0xff << shift)
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
