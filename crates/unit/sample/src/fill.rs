//! Converts operands from arrays of any number type to the 32-bit registers of fetches.

use crate::error::{Result, SampleError};
use crate::input::Input;
use crate::walk::Walk;
use std::ops::Range;
use texunit_texel::{Dtype, f16_to_f32};

/// The number type of an operand's 32-bit registers, to which array elements are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// The registers are f32.
    Float {
        /// Whether a float64 element that is not exactly a float32 is an error.
        strict: bool,
    },
    /// The registers are s32.
    Signed,
    /// The registers are u32.
    Unsigned,
}

impl Number {
    /// Rules C3 to C10: checks that the array's type fits this operand.
    pub(crate) fn check(self, what: &'static str, input: &Input<'_>) -> Result<()> {
        let found = input.dtype();
        let rule = match self {
            Self::Float { .. } if found.is_float() || input.is_weak() => return Ok(()),
            Self::Float { .. } => {
                "floats are needed, as coordinates of `sample` and `gather` are; `fetch` takes integers"
            }
            Self::Signed | Self::Unsigned if !found.is_float() => return Ok(()),
            Self::Signed | Self::Unsigned => "integers are needed",
        };
        Err(SampleError::OperandType { what, found, rule })
    }
}

/// One operand of many fetches: an array that is broadcast to the shape of the fetches.
#[derive(Clone, Debug)]
pub(crate) struct Operand<'a> {
    pub(crate) what: &'static str,
    pub(crate) input: Input<'a>,
    pub(crate) walk: Walk,
    pub(crate) number: Number,
}

impl<'a> Operand<'a> {
    pub(crate) fn new(
        what: &'static str,
        input: Input<'a>,
        shape: &[usize],
        number: Number,
    ) -> Result<Self> {
        number.check(what, &input)?;
        let walk = input.walk(shape);
        Ok(Self { what, input, walk, number })
    }

    /// The registers of all fetches as a slice of the operand's array, without a copy; `None` if
    /// the elements have to be converted to registers.
    pub(crate) fn registers(&self) -> Option<&'a [u32]> {
        let is_register = matches!(
            (self.number, self.input.dtype()),
            (Number::Float { .. }, Dtype::F32)
                | (Number::Signed, Dtype::S32)
                | (Number::Unsigned, Dtype::U32)
        );
        if !is_register || cfg!(target_endian = "big") {
            return None;
        }
        // The cast fails if the elements are not aligned for registers, and then the elements are
        // converted.
        bytemuck::try_cast_slice(&self.input.bytes()[self.walk.in_a_row(4)?]).ok()
    }

    /// The points of all fetches as a slice of the array, if it holds x (`self`) and y of each
    /// fetch as adjacent registers.
    pub(crate) fn pairs(&self, y: &Self) -> Option<&'a [[u32; 2]]> {
        let is_f32 =
            |of: &Self| matches!(of.number, Number::Float { .. }) && of.input.dtype() == Dtype::F32;
        let (x_at, y_at) = (self.walk.in_a_row(8)?, y.walk.in_a_row(8)?);
        let is_one = std::ptr::eq(self.input.bytes(), y.input.bytes());
        let are_pairs = is_f32(self) && is_f32(y) && is_one && y_at.start == x_at.start + 4;
        if !are_pairs || cfg!(target_endian = "big") {
            return None;
        }
        // The cast fails if the elements are not aligned for registers, and then the elements are
        // converted.
        bytemuck::try_cast_slice(self.input.bytes().get(x_at)?).ok()
    }

    /// Converts the registers of the fetches in `range` to `out`.
    pub(crate) fn fill(&self, range: Range<usize>, out: &mut [u32]) -> Result<()> {
        let (mut rest, mut wrong) = (out, None);
        self.walk.runs(range, |start, step, count| {
            let (now, after) = std::mem::take(&mut rest).split_at_mut(count);
            rest = after;
            if !self.run(start, step, now) && wrong.is_none() {
                let places = (0..count).map(|i| start.wrapping_add_signed(step * i as isize));
                wrong = places.map(|at| self.judge(at)).find_map(Result::err);
            }
        });
        wrong.map_or(Ok(()), Err)
    }

    /// Converts elements at a constant stride; returns false if a value does not fit its register.
    fn run(&self, start: usize, step: isize, out: &mut [u32]) -> bool {
        let bytes = self.input.bytes();
        macro_rules! integers {
            ($type:ty, $to:ty) => {
                each(bytes, start, step, out, |bytes| {
                    let value = <$type>::from_le_bytes(bytes);
                    let cut = value as $to;
                    (cut as u32, i128::from(cut) == i128::from(value))
                })
            };
        }
        macro_rules! floats {
            ($type:ty) => {
                each(bytes, start, step, out, |bytes| {
                    ((<$type>::from_le_bytes(bytes) as f32).to_bits(), true)
                })
            };
        }
        macro_rules! by_dtype {
            ($macro:ident $(, $to:ty)?) => {
                match self.input.dtype() {
                    Dtype::U8 => $macro!(u8 $(, $to)?),
                    Dtype::S8 => $macro!(i8 $(, $to)?),
                    Dtype::U16 => $macro!(u16 $(, $to)?),
                    Dtype::S16 => $macro!(i16 $(, $to)?),
                    Dtype::U32 => $macro!(u32 $(, $to)?),
                    Dtype::S32 => $macro!(i32 $(, $to)?),
                    Dtype::U64 => $macro!(u64 $(, $to)?),
                    Dtype::S64 => $macro!(i64 $(, $to)?),
                    // Floats cannot occur here, because `check` has refused them for integer
                    // operands.
                    Dtype::F16 | Dtype::F32 | Dtype::F64 => false,
                }
            };
        }
        match (self.number, self.input.dtype()) {
            (Number::Float { .. }, Dtype::F32) => {
                each(bytes, start, step, out, |bytes| (u32::from_le_bytes(bytes), true))
            }
            (Number::Float { .. }, Dtype::F16) => {
                each(bytes, start, step, out, |bytes| (f16_to_f32(u16::from_le_bytes(bytes)), true))
            }
            (Number::Float { strict }, Dtype::F64) if strict && !self.input.is_weak() => {
                each(bytes, start, step, out, |bytes| {
                    let value = f64::from_le_bytes(bytes);
                    let cut = value as f32;
                    (cut.to_bits(), f64::from(cut) == value || value.is_nan())
                })
            }
            (Number::Float { .. }, Dtype::F64) => floats!(f64),
            (Number::Float { .. }, _) => by_dtype!(floats),
            (Number::Signed, _) => by_dtype!(integers, i32),
            (Number::Unsigned, _) => by_dtype!(integers, u32),
        }
    }

    /// Returns an error if the value of the element at a byte offset does not fit its register.
    fn judge(&self, at: usize) -> Result<()> {
        let mut word = [0; 8];
        let size = self.input.dtype().size();
        word[..size].copy_from_slice(&self.input.bytes()[at..at + size]);
        let what = self.what;
        if let Number::Float { .. } = self.number {
            let value = f64::from_le_bytes(word);
            let exact = f64::from(value as f32) == value || value.is_nan();
            return if exact { Ok(()) } else { Err(SampleError::Inexact { what, value }) };
        }
        let bits = u64::from_le_bytes(word);
        let value = match self.input.dtype() {
            Dtype::S8 => i128::from(bits as i8),
            Dtype::S16 => i128::from(bits as i16),
            Dtype::S32 => i128::from(bits as i32),
            Dtype::S64 => i128::from(bits as i64),
            _ => i128::from(bits),
        };
        let (fits, rule) = match self.number {
            Number::Unsigned => {
                (u32::try_from(value).is_ok(), "it is a number from 0 to 4294967295")
            }
            _ => (i32::try_from(value).is_ok(), "it is a number from -2147483648 to 2147483647"),
        };
        if fits { Ok(()) } else { Err(SampleError::Range { what, value, rule }) }
    }
}

/// Converts elements at a constant stride; returns whether all values fit.
fn each<const SIZE: usize>(
    bytes: &[u8],
    start: usize,
    step: isize,
    out: &mut [u32],
    convert: impl Fn([u8; SIZE]) -> (u32, bool),
) -> bool {
    if out.is_empty() {
        return true;
    }
    let element = |at: usize| {
        let mut word = [0; SIZE];
        word.copy_from_slice(&bytes[at..at + SIZE]);
        word
    };
    // Common strides are constants, so that the compiler can vectorize.
    let (elements, _) = bytes[start..].as_chunks::<SIZE>();
    match usize::try_from(step).map(|step| (step / SIZE, step % SIZE)) {
        Ok((1, 0)) => apart::<SIZE, 1>(elements, out, convert),
        Ok((2, 0)) => apart::<SIZE, 2>(elements, out, convert),
        Ok((3, 0)) => apart::<SIZE, 3>(elements, out, convert),
        Ok((4, 0)) => apart::<SIZE, 4>(elements, out, convert),
        Ok((0, 0)) => {
            let (word, fits) = convert(element(start));
            out.fill(word);
            fits
        }
        _ => {
            let mut all = true;
            for (i, to) in out.iter_mut().enumerate() {
                let (word, fits) = convert(element(start.wrapping_add_signed(step * i as isize)));
                *to = word;
                all &= fits;
            }
            all
        }
    }
}

/// Converts elements that are `N` elements apart, with `N` as a constant for the vectorizer.
#[inline]
fn apart<const SIZE: usize, const N: usize>(
    elements: &[[u8; SIZE]],
    out: &mut [u32],
    convert: impl Fn([u8; SIZE]) -> (u32, bool),
) -> bool {
    let (groups, rest) = elements.as_chunks::<N>();
    let mut all = true;
    for (to, group) in out.iter_mut().zip(groups) {
        let (word, fits) = convert(group[0]);
        *to = word;
        all &= fits;
    }
    if let (Some(to), Some(&last)) = (out.get_mut(groups.len()), rest.first()) {
        let (word, fits) = convert(last);
        *to = word;
        all &= fits;
    }
    all
}
