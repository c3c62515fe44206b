//! The kernels of `bench/kernels`: what each is launched with, and what has to come out.
//!
//! A case is data: its PTX, the buffers it begins with, its launches. The peers (an OpenCL twin, a plain loop in C) get
//! the same buffers and launches, described in JSON; so sizes and inputs stand here and nowhere else.

mod cases;
mod check;
mod inputs;
mod models;
mod session;

pub(crate) use cases::{case, names};
pub(crate) use check::{Check, differences};
pub(crate) use session::{Ran, Session, digest};

/// How much there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// What tests can wait for.
    Small,
    /// Some 5 to 100 ms in PoCL with one thread.
    Full,
}

/// What there is beside a kernel in OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twin {
    /// The same algorithm.
    Same,
    /// Local memory where ours shuffles, if the driver has no sub-groups.
    SubGroups,
    /// Nothing.
    None,
}

impl Twin {
    /// The word for it in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Twin::Same => "same",
            Twin::SubGroups => "sub-groups",
            Twin::None => "none",
        }
    }
}

/// Elements of a buffer.
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
    /// Little endian, as they lie in memory.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Data::U8(all) => all.clone(),
            Data::U32(all) => all.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Data::F32(all) => all.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Data::F64(all) => all.iter().flat_map(|v| v.to_le_bytes()).collect(),
        }
    }

    /// The same kind of elements from bytes.
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

    /// numpy's word for the type.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Data::U8(_) => "uint8",
            Data::U32(_) => "uint32",
            Data::F32(_) => "float32",
            Data::F64(_) => "float64",
        }
    }
}

/// Memory that a case has.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// What it is called in messages and files.
    pub(crate) name: &'static str,
    /// What it holds before the first launch.
    pub(crate) data: Data,
    /// Of what the kernels write: how it is compared. It is restored before the launches are timed again.
    pub(crate) written: Option<Check>,
}

/// A value for a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// The buffer of this number.
    Buffer(usize),
    /// The texture; in C its texels.
    Texture,
    /// A number.
    U32(u32),
    /// A number.
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

/// A texture over the texels of a buffer, one component each, clamped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texture {
    /// The buffer with the texels.
    pub(crate) buffer: usize,
    /// Texels along x, y, z; 0 deep is 2D.
    pub(crate) extent: [u32; 3],
    /// Filtered and with normalized coordinates, or neither.
    pub(crate) linear: bool,
}

/// Launches one after the other, which make one measurement.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Its name, and that of its files.
    pub(crate) name: &'static str,
    /// What nvcc makes of the CUDA C++.
    pub(crate) ptx: &'static str,
    /// In OpenCL.
    pub(crate) twin: Twin,
    /// All memory.
    pub(crate) buffers: Vec<Buffer>,
    /// If there is one.
    pub(crate) texture: Option<Texture>,
    /// In order.
    pub(crate) launches: Vec<Launch>,
    /// The arguments of the function of the same name in C.
    pub(crate) plain: Vec<Value>,
    /// What the buffers that are compared have to hold, from what they held before.
    pub(crate) model: fn(&Case) -> Vec<Data>,
}
