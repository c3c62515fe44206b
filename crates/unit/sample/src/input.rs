//! Input arrays: bytes with a shape, strides and an element type.

use crate::error::{Result, SampleError, shape_text};
use crate::walk::Walk;
use texunit_texel::{Channel, Dtype};

/// Maximum number of axes, NumPy's limit.
const MAX_RANK: usize = 64;

/// An input array: a strided view of little-endian bytes.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    shape: Vec<usize>,
    /// Stride of each axis in bytes.
    strides: Vec<isize>,
    dtype: Dtype,
    bytes: &'a [u8],
    /// Byte offset of the first element.
    start: usize,
    /// Whether the array was made from a Python number, whose type is ignored (rule C5).
    is_weak: bool,
}

impl<'a> Input<'a> {
    /// Makes an input array with any strides, whose first element is at byte `start`.
    pub fn new(
        shape: &[usize],
        strides: &[isize],
        dtype: Dtype,
        bytes: &'a [u8],
        start: usize,
    ) -> Result<Self> {
        let refused =
            |rule: &str| SampleError::Shape { shape: shape_text(shape), rule: rule.into() };
        if shape.len() != strides.len() || shape.len() > MAX_RANK {
            return Err(refused("there is a stride for each axis, of at most 64"));
        }
        let elements = shape.iter().try_fold(1_usize, |n, &axis| n.checked_mul(axis));
        let elements = elements.filter(|&n| n <= isize::MAX as usize / 64);
        let elements = elements.ok_or_else(|| refused("larger than any memory"))?;
        if elements > 0 {
            let (mut low, mut high) = (start as i128, start as i128 + dtype.size() as i128);
            for (&axis, &stride) in shape.iter().zip(strides) {
                let reach = (axis as i128 - 1) * stride as i128;
                low += reach.min(0);
                high += reach.max(0);
            }
            if low < 0 || high > bytes.len() as i128 {
                return Err(SampleError::Memory(bytes.len()));
            }
        }
        let (shape, strides) = (shape.to_vec(), strides.to_vec());
        Ok(Self { shape, strides, dtype, bytes, start, is_weak: false })
    }

    /// Makes an input array whose elements are contiguous in C order.
    pub fn contiguous(shape: &[usize], dtype: Dtype, bytes: &'a [u8]) -> Result<Self> {
        let mut stride = dtype.size() as isize;
        let mut strides = vec![0; shape.len()];
        for (to, &axis) in strides.iter_mut().zip(shape).rev() {
            *to = stride;
            stride = stride.saturating_mul(axis.max(1) as isize);
        }
        Self::new(shape, &strides, dtype, bytes, 0)
    }

    /// Marks the array as made from a Python number, whose type is ignored (rule C5).
    pub fn weak(self) -> Self {
        Self { is_weak: true, ..self }
    }

    /// Length of each axis, slowest first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Type of the elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The bytes from the lowest element to the highest, including gaps.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Whether the elements are contiguous in C order.
    pub fn is_contiguous(&self) -> bool {
        let mut stride = self.dtype.size() as isize;
        let mut axes = self.shape.iter().zip(&self.strides).rev();
        self.shape.contains(&0)
            || axes.all(|(&axis, &own)| {
                let fits = axis == 1 || own == stride;
                stride = stride.wrapping_mul(axis as isize);
                fits
            })
    }

    /// The channel type of texels with the array's element type. If textures have no such channels,
    /// the error names the type to convert to (rule A12).
    pub(crate) fn channel(&self) -> Result<Channel> {
        let instead = match self.dtype {
            Dtype::U64 => Dtype::U32,
            Dtype::S64 => Dtype::S32,
            _ => Dtype::F32,
        };
        let found = self.dtype;
        found.channel().ok_or(SampleError::TexelType { found, instead })
    }

    pub(crate) fn is_weak(&self) -> bool {
        self.is_weak
    }

    /// Element `index` of the last axis, as an array with one axis fewer.
    pub(crate) fn of_last(&self, index: usize) -> Self {
        let last = self.shape.len() - 1;
        let step =
            if self.shape[..last].contains(&0) { 0 } else { self.strides[last] * index as isize };
        Self {
            shape: self.shape[..last].to_vec(),
            strides: self.strides[..last].to_vec(),
            start: self.start.wrapping_add_signed(step),
            ..self.clone()
        }
    }

    /// An iteration over the elements, broadcast to a shape.
    pub(crate) fn walk(&self, shape: &[usize]) -> Walk {
        let skipped = shape.len() - self.shape.len();
        let strides = (0..shape.len()).map(|axis| match axis.checked_sub(skipped) {
            Some(own) if self.shape[own] == shape[axis] => self.strides[own],
            _ => 0,
        });
        Walk::new(shape, &strides.collect::<Vec<_>>(), self.start)
    }

    /// Appends the bytes of all elements in C order.
    pub(crate) fn pack(&self, out: &mut Vec<u8>) -> Result<()> {
        let (size, walk) = (self.dtype.size(), self.walk(&self.shape));
        let needed = walk.len().saturating_mul(size);
        out.try_reserve(needed).map_err(|_| SampleError::Room(needed as u64))?;
        walk.runs(0..walk.len(), |start, step, count| {
            if step == size as isize {
                out.extend_from_slice(&self.bytes[start..start + count * size]);
            } else {
                for i in 0..count {
                    let at = start.wrapping_add_signed(step * i as isize);
                    out.extend_from_slice(&self.bytes[at..at + size]);
                }
            }
        });
        Ok(())
    }
}

/// The common shape to which all shapes broadcast, by NumPy's rule.
pub(crate) fn broadcast<'a>(
    all: impl IntoIterator<Item = (&'static str, &'a [usize])>,
) -> Result<Vec<usize>> {
    let mut common: Vec<usize> = Vec::new();
    for (what, shape) in all {
        while common.len() < shape.len() {
            common.insert(0, 1);
        }
        let skipped = common.len() - shape.len();
        let others = common.clone();
        for (to, &axis) in common[skipped..].iter_mut().zip(shape) {
            if *to == 1 {
                *to = axis;
            } else if axis != 1 && axis != *to {
                let (shape, others) = (shape_text(shape), shape_text(&others));
                return Err(SampleError::Broadcast { what, shape, others });
            }
        }
    }
    let fetches = common.iter().try_fold(1_usize, |n, &axis| n.checked_mul(axis));
    if fetches.is_none_or(|n| n > isize::MAX as usize / 64) {
        let rule = "more fetches than any memory holds results".to_owned();
        return Err(SampleError::Shape { shape: shape_text(&common), rule });
    }
    Ok(common)
}
