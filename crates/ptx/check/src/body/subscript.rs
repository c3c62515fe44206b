//! Elements of arrays: `name[2]`, `name[%r1+2]` (PTX ISA 6.4.2, arrays as operands).

use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::Diagnostic;
use texunit_syntax::ast::{self, Subscript};

use crate::body::Body;
use crate::body::value::Value;
use crate::ir::{Base, Element, Operand, Param};

impl<'a> Body<'_, 'a> {
    /// The value of `name[subscript]`. Subscripts count elements of the array's type, whatever its
    /// dimensions are.
    pub(crate) fn subscripted(
        &mut self,
        name: &ast::Ident<'a>,
        subscript: &Subscript<'a>,
    ) -> Option<Value<'a>> {
        let value = self.named(name, None)?;
        let array = match value {
            Value::Named { base, area, .. } => self.element_size(base).map(|n| (base, area, n)),
            _ => None,
        };
        let Some((base, area, size)) = array else {
            let message = format!("{} is not an array", name.text);
            let help = match value {
                Value::Named { .. } => "write the address with its bytes: [name+4]",
                _ => "a subscript follows the name of a variable with dimensions",
            };
            return self.cx.refuse("E0211", name.span, message, help);
        };
        let (register, offset) = match subscript {
            Subscript::Constant(expr) => {
                let offset = in_bytes(self.cx.integer(expr)?, size);
                return Some(Value::Named { base, offset, area, is_array: true, ty: None });
            }
            Subscript::Register(register, None) => (register, 0),
            Subscript::Register(register, Some(expr)) => (register, self.cx.integer(expr)?),
        };
        let Some(index) = self.index(register)? else {
            // ptxas accepts an address as a subscript, although an address is no index.
            return Some(Value::Named { base, offset: 0, area, is_array: true, ty: None });
        };
        Some(Value::Element(Element { base, index, offset, size }, area))
    }

    /// Checks the register of a subscript; `Some(None)` for operands that ptxas miscompiles.
    fn index(&mut self, register: &ast::Ident<'a>) -> Option<Option<Operand>> {
        let help = "write an integer register of 8 to 64 bits";
        let message = match self.named(register, None)? {
            Value::Reg { id, ty }
                if (ty.is_integer() || ty.kind() == TypeKind::Bits) && ty.bits() <= 64 =>
            {
                return Some(Some(Operand::Reg(id)));
            }
            Value::Special(special, component) if !special.types.contains(&ScalarType::Pred) => {
                return Some(Some(special.operand(component)));
            }
            Value::Named { .. } | Value::Label(_) => {
                let message = format!("{} is not a subscript", register.text);
                let diagnostic = Diagnostic::error("E0211", register.span, message).help(help);
                self.report_miscompiled(diagnostic);
                return Some(None);
            }
            Value::Reg { ty, .. } => format!("a .{ty} register cannot be a subscript"),
            other => format!("{} cannot be a subscript", other.describe()),
        };
        self.cx.refuse("E0212", register.span, message, help)
    }

    /// Size of an array element in bytes; `None` for variables without dimensions.
    fn element_size(&self, base: Base) -> Option<u32> {
        let of_param = |param: &Param| (param.is_array, param.ty);
        let (is_array, ty) = match base {
            Base::Variable(id) => {
                let variable = &self.cx.module.variables[id.0 as usize];
                (variable.dims.len() > usize::from(variable.vector > 1), variable.ty)
            }
            Base::Frame(id) => {
                let variable = &self.function.frame[id.0 as usize];
                (variable.is_array, variable.ty)
            }
            Base::Param(id) => of_param(&self.function.params[id.0 as usize]),
            Base::Return(id) => of_param(&self.function.returns[id.0 as usize]),
            Base::Reg(_) | Base::Absolute => return None,
        };
        is_array.then(|| ty.bytes())
    }
}

/// Byte offset of an element with a constant subscript, which ptxas computes in signed 32-bit
/// arithmetic.
fn in_bytes(subscript: i64, size: u32) -> i64 {
    i64::from((subscript as i32).wrapping_mul(size as i32))
}
