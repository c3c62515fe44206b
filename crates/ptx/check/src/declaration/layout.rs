//! Memory layout of declared variables: size and alignment.

use texunit_isa::ScalarType;
use texunit_syntax::{Diagnostic, Span, ast};

use crate::consts::{Const, evaluate};
use crate::context::Checker;

/// The memory layout of a declared variable.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) ty: ScalarType,
    /// Array dimensions (the first is 0 for `[]`), followed by the vector length if it is not 1.
    pub(crate) dims: Vec<u64>,
    /// Size of the variable in bytes; 0 for `[]`.
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// Whether the first dimension is `[]`.
    pub(crate) open: bool,
    pub(crate) is_array: bool,
    /// Number of vector elements; 1 without a vector length.
    pub(crate) vector: u8,
}

impl Layout {
    /// Bytes from an index of the first dimension to the next.
    pub(crate) fn stride(&self) -> u64 {
        let rest = self.dims.get(1..).unwrap_or(&[]);
        rest.iter().fold(u64::from(self.ty.bytes()), |n, d| n.saturating_mul(*d))
    }
}

/// Maximum size of a variable in bytes: the range of device addresses.
const MAX_SIZE: u64 = 1 << 47;
/// Maximum alignment in bytes, so that addresses stay small; no hardware feature needs more.
const MAX_ALIGN: u64 = 1 << 20;

/// Whether an array's first dimension is `[]`; ptxas treats `[0]` as `[]`.
pub(crate) fn is_open(dimension: &Option<ast::Expr>) -> bool {
    dimension.as_ref().is_none_or(|n| matches!(evaluate(n), Ok(Const::Int(0, _))))
}

impl<'a> Checker<'a> {
    /// Computes the layout of a variable, or reports an error.
    pub(crate) fn layout(&mut self, v: &ast::Variable<'a>, ty: ScalarType) -> Option<Layout> {
        let natural = u64::from(ty.bytes()) * u64::from(v.vector);
        let align = match v.align {
            None => natural,
            Some((n, span)) => self.alignment(n, span)?,
        };
        let mut dims = Vec::new();
        let mut open = false;
        for (i, dim) in v.dimensions.iter().enumerate() {
            match dim {
                dim if i == 0 && is_open(dim) => {
                    open = true;
                    dims.push(0);
                }
                None => {
                    let help = "write the number of elements between the brackets";
                    let message = "only the first dimension can be left open";
                    return self.refuse("E0134", v.span, message, help);
                }
                Some(expr) => dims.push(self.dimension(expr)?),
            }
        }
        let is_array = !dims.is_empty();
        if v.vector > 1 {
            dims.push(u64::from(v.vector));
        }
        let size = dims
            .iter()
            .try_fold(u64::from(ty.bytes()), |n, d| n.checked_mul(*d))
            .filter(|n| *n <= MAX_SIZE);
        if size.is_none() {
            let message = format!("{} is larger than any address space", v.name.text);
            let error = Diagnostic::error("E0133", v.span, message);
            self.beyond_ptxas(error.help("declare fewer elements"))?;
        }
        let size = size.unwrap_or(MAX_SIZE);
        Some(Layout { ty, dims, size, align, open, is_array, vector: v.vector })
    }

    /// Checks an alignment in bytes: ptxas takes any power of two, and texunit at most
    /// [`MAX_ALIGN`].
    pub(crate) fn alignment(&mut self, n: u64, span: Span) -> Option<u64> {
        if n.is_power_of_two() && n <= MAX_ALIGN {
            return Some(n);
        }
        let error =
            Diagnostic::error("E0132", span, format!("an alignment of {n} is not possible"))
                .help("write a power of two, at most 1048576");
        if n.is_power_of_two() && u32::try_from(n).is_ok() {
            self.beyond_ptxas(error)?;
            return Some(MAX_ALIGN);
        }
        self.refuse_with(error)
    }

    fn dimension(&mut self, expr: &ast::Expr) -> Option<u64> {
        match self.constant(expr)? {
            Const::Int(n, unsigned) if n != 0 && (unsigned || n as i64 > 0) => Some(n),
            _ => {
                let help = "write a positive integer";
                self.refuse("E0134", expr.span, "an array cannot have this many elements", help)
            }
        }
    }

    /// Evaluates a constant expression; reports an error if it is invalid.
    pub(crate) fn constant(&mut self, expr: &ast::Expr) -> Option<Const> {
        evaluate(expr).map_err(|d| self.report(*d)).ok()
    }

    /// Evaluates an integer constant expression; reports an error if it is invalid.
    pub(crate) fn integer(&mut self, expr: &ast::Expr) -> Option<i64> {
        match self.constant(expr)? {
            Const::Int(v, _) => Some(v as i64),
            _ => {
                let message = "an integer is needed here, not a floating-point number";
                self.refuse("E0121", expr.span, message, "write an integer")
            }
        }
    }
}
