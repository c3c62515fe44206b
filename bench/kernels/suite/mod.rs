//! The kernels of `bench/kernels`: their inputs, launches and expected results.
//!
//! A case is data: its PTX, its buffers, its launches. The implementations it is compared with (an
//! OpenCL twin, a plain C loop) get the same buffers and launches as JSON, so that sizes and inputs
//! are defined only here.

mod cases;
mod expected;
mod inputs;
mod session;

pub(crate) use cases::{case, names};
pub(crate) use expected::{Check, differences, expected};
pub(crate) use session::{RunStats, Session, digest};
use texunit_texel::Dtype;

/// The problem size of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// A size small enough for tests.
    Small,
    /// A size that takes some 5 to 100 ms in PoCL with one thread.
    Full,
}

/// How the OpenCL twin of a kernel, the implementation that texunit is compared with, relates to
/// the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twin {
    /// The twin has the same algorithm as the PTX kernel.
    Same,
    /// The twin uses local memory in place of shuffles if the OpenCL driver has no sub-groups.
    SubGroups,
    /// The kernel has no twin.
    None,
}

impl Twin {
    /// The variant's name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Twin::Same => "same",
            Twin::SubGroups => "sub-groups",
            Twin::None => "none",
        }
    }
}

/// The elements of a buffer: their type, and little-endian bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Data {
    pub(crate) dtype: Dtype,
    pub(crate) bytes: Vec<u8>,
}

impl Data {
    fn new<const SIZE: usize>(
        dtype: Dtype,
        elements: impl IntoIterator<Item = [u8; SIZE]>,
    ) -> Self {
        Self { dtype, bytes: elements.into_iter().flatten().collect() }
    }

    /// A buffer of the same type with other bytes.
    fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        Self { dtype: self.dtype, bytes }
    }
}

/// A buffer of a case.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// The buffer's name in messages and files.
    pub(crate) name: &'static str,
    /// The buffer's contents before the first launch.
    pub(crate) data: Data,
    /// How the contents are compared, if kernels write the buffer. Such a buffer is restored before
    /// the launches are timed again.
    pub(crate) written: Option<Check>,
}

/// The value of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// The buffer with this index in the case.
    Buffer(usize),
    /// The case's texture; the C function gets its texels.
    Texture,
    /// An integer of 32 bits.
    U32(u32),
    /// A float of 32 bits.
    F32(f32),
}

/// A kernel launch of a case.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// Name of the kernel in the PTX.
    pub(crate) kernel: &'static str,
    /// Number of CTAs along x, y, z.
    pub(crate) grid: [u32; 3],
    /// Number of threads of a CTA along x, y, z.
    pub(crate) block: [u32; 3],
    /// The arguments of the kernel.
    pub(crate) args: Vec<Value>,
}

/// A texture with one component and clamped addressing, whose texels are in a buffer of the case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texture {
    /// Index of the buffer with the texels.
    pub(crate) buffer: usize,
    /// Number of texels along x, y, z; a depth of 0 means 2D.
    pub(crate) extent: [u32; 3],
    /// Whether fetches use linear filtering and normalized coordinates; otherwise point filtering
    /// and texel coordinates.
    pub(crate) linear: bool,
}

/// A sequence of launches that is measured as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The name of the case, which its files also have.
    pub(crate) name: &'static str,
    /// The PTX that nvcc has compiled from the case's CUDA C++.
    pub(crate) ptx: &'static str,
    /// Plain loops in C with the same results, as a function with the name of the case.
    pub(crate) plain_loop: &'static str,
    /// How the OpenCL twin relates to the kernel.
    pub(crate) twin: Twin,
    /// All buffers of the case; arguments refer to them by index.
    pub(crate) buffers: Vec<Buffer>,
    /// The texture of the case, if there is one.
    pub(crate) texture: Option<Texture>,
    /// The launches of the case, in order.
    pub(crate) launches: Vec<Launch>,
    /// The arguments of the C function with the same name.
    pub(crate) plain: Vec<Value>,
}
