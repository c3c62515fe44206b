//! The lattice by which uniformity analyses describe how a value differs between the threads of a
//! CTA.

use texunit_isa::{CmpOp, SpecialReg};

/// How a value differs between the threads of a CTA. The bottom of the lattice is
/// [`Self::Uniform`], the top is [`Self::Varying`], and the other elements are not comparable with
/// each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variation {
    /// All threads have the same value.
    #[default]
    Uniform,
    /// The value is `base + stride * %tid.x`.
    Affine {
        /// Whether the base is 0; otherwise it is any uniform value.
        from_zero: bool,
        /// The wrapping difference between threads that are adjacent in x; never 0.
        stride: i32,
    },
    /// The value is `%laneid`, or distinguishes the lanes of a warp in the same way.
    Lane,
    /// A predicate that certainly differs between threads of one warp.
    InWarp,
    /// A predicate that compares an affine value or a lane number with a uniform value.
    Bound,
    /// The value may differ between threads in any way.
    Varying,
}

impl Variation {
    /// The variation of the special register `%tid.x`.
    pub const TID: Self = Self::Affine { from_zero: true, stride: 1 };

    /// The variation of a special register.
    pub fn of_special(special: SpecialReg, component: u8) -> Self {
        use SpecialReg as R;
        match special {
            R::Tid if component == 0 => Self::TID,
            R::Tid if component < 3 => Self::Varying,
            R::Laneid | R::LanemaskEq | R::LanemaskLe | R::LanemaskLt | R::LanemaskGe => Self::Lane,
            R::LanemaskGt => Self::Lane,
            R::Warpid | R::Clock | R::ClockHi | R::Clock64 => Self::Varying,
            R::Globaltimer | R::GlobaltimerLo | R::GlobaltimerHi => Self::Varying,
            _ => Self::Uniform,
        }
    }

    /// Whether the value differs between threads.
    pub fn varies(self) -> bool {
        self != Self::Uniform
    }

    /// The variation of a value that is one of two values, the choice being uniform.
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Uniform, k) | (k, Self::Uniform) => k,
            (a, b) if a == b => a,
            _ => Self::Varying,
        }
    }

    /// The variation of a function of two values, at most one of which is not uniform.
    fn affine(self, other: Self, of: impl Fn(i32, bool) -> Option<Self>) -> Self {
        match (self, other) {
            (Self::Uniform, Self::Uniform) => Self::Uniform,
            (Self::Affine { stride, .. }, Self::Uniform) => {
                of(stride, true).unwrap_or(Self::Varying)
            }
            (Self::Uniform, Self::Affine { stride, .. }) => {
                of(stride, false).unwrap_or(Self::Varying)
            }
            _ => Self::Varying,
        }
    }

    /// How the sum of two values differs between threads.
    pub fn plus(self, other: Self) -> Self {
        self.affine(other, |stride, _| Some(Self::Affine { from_zero: false, stride }))
    }

    /// How the difference of two values differs between threads.
    pub fn minus(self, other: Self) -> Self {
        self.affine(other, |stride, is_first| {
            let stride = if is_first { stride } else { stride.wrapping_neg() };
            Some(Self::Affine { from_zero: false, stride })
        })
    }

    /// The variation of a product with a constant factor, if the factor is known.
    pub fn times(self, factor: Option<i32>) -> Self {
        match (self, factor) {
            (Self::Uniform, _) => self,
            (_, Some(0)) => Self::Uniform,
            (Self::Affine { from_zero, stride }, Some(factor)) => match stride.wrapping_mul(factor)
            {
                0 => Self::Uniform,
                stride => Self::Affine { from_zero, stride },
            },
            _ => Self::Varying,
        }
    }

    /// The variation of a remainder. If the divisor is a number of threads up to the size of a
    /// warp, the lowest bits of a thread's number distinguish the lanes of a warp.
    pub fn remainder(self, divisor: Option<i32>) -> Self {
        match (self, divisor) {
            (Self::Uniform, _) => self,
            (Self::TID | Self::Lane, Some(2..=32)) => Self::Lane,
            _ => Self::Varying,
        }
    }

    /// The variation of a comparison `left cmp right`, one side of which is uniform. `constants`
    /// are the values of the sides, as far as they are known.
    pub fn compare(self, other: Self, cmp: Option<CmpOp>, constants: [Option<i32>; 2]) -> Self {
        use CmpOp::{Eq, Ge, Gt, Hi, Hs, Le, Lo, Ls, Lt, Ne};
        let value = match (self, other) {
            (value, Self::Uniform) | (Self::Uniform, value) => value,
            _ => return Self::Varying,
        };
        let [left, right] = constants;
        match value {
            Self::Uniform => return value,
            Self::TID | Self::Lane => {}
            Self::Affine { stride: 1 | -1, .. } => return Self::Bound,
            _ => return Self::Varying,
        }
        let Some(constant) = left.or(right) else { return Self::Bound };
        let limit = match (cmp, left.is_some()) {
            (Some(Eq | Ne), _) => None,
            // The comparison separates the threads whose value is below this limit from the others.
            (Some(Lt | Lo | Ge | Hs), false) | (Some(Gt | Hi | Le | Ls), true) => Some(constant),
            (Some(Le | Ls | Gt | Hi), false) | (Some(Ge | Hs | Lt | Lo), true) => {
                Some(constant.wrapping_add(1))
            }
            _ => return Self::Bound,
        };
        match (value, limit) {
            // The limit separates whole warps, or no threads at all.
            (Self::Lane, Some(limit)) if !(1..32).contains(&limit) => Self::Varying,
            (Self::TID, Some(limit)) if limit % 32 == 0 || limit < 0 => Self::Varying,
            (Self::Lane, None) if !(0..32).contains(&constant) => Self::Varying,
            (_, None) if constant < 0 => Self::Varying,
            _ => Self::InWarp,
        }
    }
}
