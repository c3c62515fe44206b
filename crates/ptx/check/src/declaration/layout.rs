//! Size and alignment of declared things.

use texunit_isa::ScalarType;
use texunit_syntax::{Diagnostic, Span, ast};

use crate::consts::{Const, evaluate};
use crate::context::Checker;

/// How a declared variable lies in memory.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) ty: ScalarType,
    /// Array dimensions, the first being 0 for `[]`, then the vector length if not 1.
    pub(crate) dims: Vec<u64>,
    /// Size in bytes; of `[]` that of the known part times 0.
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// Whether the first dimension is `[]`.
    pub(crate) open: bool,
    pub(crate) is_array: bool,
    /// Elements of a vector, else 1.
    pub(crate) vector: u8,
}

impl Layout {
    /// Bytes of one step of the first dimension.
    pub(crate) fn stride(&self) -> u64 {
        let rest = self.dims.get(1..).unwrap_or(&[]);
        rest.iter().fold(u64::from(self.ty.bytes()), |n, d| n.saturating_mul(*d))
    }
}

/// Largest variable: what 64-bit addresses reach.
const MAX_SIZE: u64 = 1 << 47;
/// Largest alignment: nothing in memory needs more, and addresses must stay small.
const MAX_ALIGN: u64 = 1 << 20;

/// Whether a first dimension is `[]`; ptxas reads `[0]` as that.
pub(crate) fn is_open(dimension: &Option<ast::Expr>) -> bool {
    dimension.as_ref().is_none_or(|n| matches!(evaluate(n), Ok(Const::Int(0, _))))
}

impl<'a> Checker<'a> {
    /// Lays out a variable, or says what is wrong with it.
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
                    self.report(
                        Diagnostic::error(
                            "E0134",
                            v.span,
                            "only the first dimension can be left open",
                        )
                        .help("write the number of elements between the brackets"),
                    );
                    return None;
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
        let size = match size {
            Some(size) => size,
            None => {
                self.beyond_ptxas(
                    Diagnostic::error(
                        "E0133",
                        v.span,
                        format!("{} is larger than any address space", v.name.text),
                    )
                    .help("declare fewer elements"),
                )?;
                MAX_SIZE
            }
        };
        Some(Layout { ty, dims, size, align, open, is_array, vector: v.vector })
    }

    fn alignment(&mut self, n: u64, span: Span) -> Option<u64> {
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
        self.report(error);
        None
    }

    fn dimension(&mut self, expr: &ast::Expr<'a>) -> Option<u64> {
        match self.constant(expr)? {
            Const::Int(n, unsigned) if n != 0 && (unsigned || n as i64 > 0) => Some(n),
            _ => {
                self.report(
                    Diagnostic::error(
                        "E0134",
                        expr.span,
                        "an array cannot have this many elements",
                    )
                    .help("write a positive integer"),
                );
                None
            }
        }
    }

    /// The value of a constant expression, or a mistake.
    pub(crate) fn constant(&mut self, expr: &ast::Expr) -> Option<Const> {
        evaluate(expr).map_err(|d| self.report(*d)).ok()
    }

    /// The value of an integer constant expression, or a mistake.
    pub(crate) fn integer(&mut self, expr: &ast::Expr) -> Option<i64> {
        match self.constant(expr)? {
            Const::Int(v, _) => Some(v as i64),
            _ => {
                self.report(
                    Diagnostic::error(
                        "E0121",
                        expr.span,
                        "an integer is needed here, not a floating-point number",
                    )
                    .help("write an integer"),
                );
                None
            }
        }
    }
}
