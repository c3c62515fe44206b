//! The kernels of `bench/kernels`: their inputs, launches and expected results.
//!
//! A case is data: its PTX, its buffers, its launches. The implementations it is compared with (an
//! OpenCL twin, a plain C loop) get the same buffers and launches as JSON, so that sizes and inputs
//! are defined only here.

mod cases;
mod check;
mod inputs;
mod models;
mod session;

pub(crate) use cases::{case, names};
pub(crate) use check::{Check, differences};
pub(crate) use session::{RunStats, Session, digest};

/// The problem size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// Small enough for tests.
    Small,
    /// Some 5 to 100 ms in PoCL with one thread.
    Full,
}

/// The OpenCL twin of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twin {
    /// The same algorithm.
    Same,
    /// Local memory replaces shuffles if the driver has no sub-groups.
    SubGroups,
    /// There is none.
    None,
}

impl Twin {
    /// The name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Twin::Same => "same",
            Twin::SubGroups => "sub-groups",
            Twin::None => "none",
        }
    }
}

/// The elements of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    /// Bytes.
    U8(Vec<u8>),
    /// Words.
    U32(Vec<u32>),
    /// Floats.
    F32(Vec<f32>),
    /// Doubles.
    F64(Vec<f64>),
}

impl Data {
    /// The little-endian bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Data::U8(all) => all.clone(),
            Data::U32(all) => all.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Data::F32(all) => all.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Data::F64(all) => all.iter().flat_map(|v| v.to_le_bytes()).collect(),
        }
    }

    /// Elements of the same type from bytes.
    pub(crate) fn with_bytes(&self, bytes: &[u8]) -> Self {
        fn words<const N: usize, T>(bytes: &[u8], of: fn([u8; N]) -> T) -> Vec<T> {
            bytes.as_chunks::<N>().0.iter().map(|&b| of(b)).collect()
        }
        match self {
            Data::U8(_) => Data::U8(bytes.to_vec()),
            Data::U32(_) => Data::U32(words(bytes, u32::from_le_bytes)),
            Data::F32(_) => Data::F32(words(bytes, f32::from_le_bytes)),
            Data::F64(_) => Data::F64(words(bytes, f64::from_le_bytes)),
        }
    }

    /// The type's name in NumPy.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Data::U8(_) => "uint8",
            Data::U32(_) => "uint32",
            Data::F32(_) => "float32",
            Data::F64(_) => "float64",
        }
    }
}

/// A buffer of a case.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// The name in messages and files.
    pub(crate) name: &'static str,
    /// The contents before the first launch.
    pub(crate) data: Data,
    /// For a buffer that kernels write: how it is compared. It is restored before the launches are
    /// timed again.
    pub(crate) written: Option<Check>,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// The buffer with this index.
    Buffer(usize),
    /// The texture; in C its texels.
    Texture,
    /// An integer.
    U32(u32),
    /// A float.
    F32(f32),
}

/// A launch.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// Name of the kernel.
    pub(crate) kernel: &'static str,
    /// CTAs along x, y, z.
    pub(crate) grid: [u32; 3],
    /// Threads of a CTA along x, y, z.
    pub(crate) block: [u32; 3],
    /// Its arguments.
    pub(crate) args: Vec<Value>,
}

/// A clamped texture with one component, on the texels of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texture {
    /// Index of the buffer.
    pub(crate) buffer: usize,
    /// Number of texels along x, y, z; a depth of 0 means 2D.
    pub(crate) extent: [u32; 3],
    /// Whether it is filtered with normalized coordinates; otherwise neither.
    pub(crate) linear: bool,
}

/// A sequence of launches that is measured as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The name of the case and its files.
    pub(crate) name: &'static str,
    /// The CUDA C++ as compiled by nvcc.
    pub(crate) ptx: &'static str,
    /// The OpenCL twin.
    pub(crate) twin: Twin,
    /// All buffers.
    pub(crate) buffers: Vec<Buffer>,
    /// The texture, if there is one.
    pub(crate) texture: Option<Texture>,
    /// The launches in order.
    pub(crate) launches: Vec<Launch>,
    /// The arguments of the C function with the same name.
    pub(crate) plain: Vec<Value>,
    /// Computes the expected contents of compared buffers from the initial ones.
    pub(crate) model: fn(&Case) -> Vec<Data>,
}
