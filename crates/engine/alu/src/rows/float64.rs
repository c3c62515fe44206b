//! Arithmetic of f64. An invalid operation gives the NaN 0xfff8000000000000; other results are NaNs
//! only if a source is a NaN (`float::nan64`). If several sources are NaNs, sums and products give
//! the NaN of the second source, `fma` the first NaN among b, c, a, and quotients that of the first
//! source (docs/numerics.md, 13.7).

use super::parts::*;
use super::{DIRECTED, family, table};
use crate::mode::variants;
use crate::row::Row;

table! { COMPOSED rows
    f64 {
        ["add.f64"] |a, b| a.f_add(b);
        ["sub.f64"] |a, b| a.f_sub(b);
        ["mul.f64"] |a, b| a.f_mul(b);
        ["fma.rn.f64", "mad.rn.f64"] |a, b, c| a.f_fma(b, c);
        ["rcp.rn.f64"] |a| B64::f_div(lit(1f64.to_bits()), a);
        ["sqrt.rn.f64"] |a| a.f_sqrt();
        ["abs.f64"] |a| a.f_abs();
        ["neg.f64"] |a| a.f_neg();
    }
    ratio {
        ["div.rn.f64"] |a, b| a.f_div(b);
    }
    b64 {
        ["min.f64"] |a, b| a.f_min(b);
        ["max.f64"] |a, b| a.f_max(b);
    }
}

/// Families of f64 arithmetic.
pub(super) fn families() -> Vec<Row> {
    directed().of(variants(&DIRECTED, &[]))
}

family! { directed [] |v|
    with |key| key.rounded(v.rounding); rows
    f64 {
        ["add.f64"] |a, b| a.f_add_in(b, v.rounding);
        ["sub.f64"] |a, b| a.f_sub_in(b, v.rounding);
        ["mul.f64"] |a, b| a.f_mul_in(b, v.rounding);
        ["fma.f64", "mad.f64"] |a, b, c| a.f_fma_in(b, c, v.rounding);
        ["rcp.f64"] |a| B64::f_div_in(lit(1f64.to_bits()), a, v.rounding);
        ["sqrt.f64"] |a| a.f_sqrt_in(v.rounding);
    }
    ratio {
        ["div.f64"] |a, b| a.f_div_in(b, v.rounding);
    }
}
