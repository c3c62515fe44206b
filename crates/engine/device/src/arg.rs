//! Kernel parameters, and the arguments of a launch, which become the bytes of the parameter
//! buffer.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::resource::from;
use crate::texture::{SamplerObject, SurfaceObject, TextureObject};
use texunit_check::ir;
use texunit_forms::Count;
use texunit_isa::{ScalarType, TypeKind};

/// An argument for a kernel parameter.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Arg<'a> {
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    S8(i8),
    S16(i16),
    S32(i32),
    S64(i64),
    /// The bits of an f16.
    F16(u16),
    F32(f32),
    F64(f64),
    /// A structure passed by value: exactly the parameter's bytes.
    Bytes(&'a [u8]),
    /// A pointer argument: the buffer's address.
    Buffer(&'a Buffer),
    /// The handle of a texture object.
    Texture(&'a TextureObject),
    /// The handle of a sampler object.
    Sampler(&'a SamplerObject),
    /// The handle of a surface object.
    Surface(&'a SurfaceObject),
}

from! { Arg<'a>:
    u8 => U8 u16 => U16 u32 => U32 u64 => U64
    i8 => S8 i16 => S16 i32 => S32 i64 => S64
    f32 => F32 f64 => F64
    &'a [u8] => Bytes &'a Buffer => Buffer &'a TextureObject => Texture
    &'a SamplerObject => Sampler &'a SurfaceObject => Surface
}

impl<'a, T: bytemuck::NoUninit> From<&'a [T; 1]> for Arg<'a> {
    /// A structure passed by value is written `&[value]`.
    fn from(value: &'a [T; 1]) -> Self {
        Self::Bytes(bytemuck::cast_slice(value))
    }
}

/// Makes an array of [`Arg`]s from values of different types:
/// `args![&buffer, &texture, 3_u32, 0.5_f32]`.
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => { [$($crate::Arg::from($value)),*] };
}

impl Arg<'_> {
    /// A description of the argument for error messages.
    pub(crate) fn what(&self) -> String {
        match self {
            Arg::Bytes(b) => Count(b.len(), "byte").to_string(),
            _ => self.contents().0.into(),
        }
    }

    /// The bytes that the kernel receives: a value, address or handle in little-endian order.
    pub fn bytes(&self) -> Vec<u8> {
        self.contents().1
    }

    /// The kind of the argument as error messages name it, and the bytes that the kernel receives.
    fn contents(&self) -> (&'static str, Vec<u8>) {
        match *self {
            Arg::U8(v) => ("a u8", v.to_le_bytes().into()),
            Arg::U16(v) => ("a u16", v.to_le_bytes().into()),
            Arg::U32(v) => ("a u32", v.to_le_bytes().into()),
            Arg::U64(v) => ("a u64", v.to_le_bytes().into()),
            Arg::S8(v) => ("an s8", v.to_le_bytes().into()),
            Arg::S16(v) => ("an s16", v.to_le_bytes().into()),
            Arg::S32(v) => ("an s32", v.to_le_bytes().into()),
            Arg::S64(v) => ("an s64", v.to_le_bytes().into()),
            Arg::F16(v) => ("an f16", v.to_le_bytes().into()),
            Arg::F32(v) => ("an f32", v.to_le_bytes().into()),
            Arg::F64(v) => ("an f64", v.to_le_bytes().into()),
            Arg::Bytes(v) => ("bytes", v.into()),
            Arg::Buffer(v) => ("a buffer", v.address().to_le_bytes().into()),
            Arg::Texture(v) => ("a texture", v.handle().to_le_bytes().into()),
            Arg::Sampler(v) => ("a sampler", v.handle().to_le_bytes().into()),
            Arg::Surface(v) => ("a surface", v.handle().to_le_bytes().into()),
        }
    }

    pub(crate) fn fits(&self, param: &ParamInfo) -> bool {
        use ScalarType::{Samplerref, Surfref, Texref};
        let ParamType::Scalar(ty) = param.ty else {
            return self.bytes().len() as u32 == param.size && matches!(self, Arg::Bytes(_));
        };
        match (self, ty) {
            (Arg::Bytes(b), _) => b.len() as u32 == param.size,
            (Arg::Texture(_), Texref)
            | (Arg::Sampler(_), Samplerref)
            | (Arg::Surface(_), Surfref) => true,
            (_, Texref | Samplerref | Surfref) => false,
            (Arg::F16(_) | Arg::F32(_) | Arg::F64(_), _) => {
                self.bytes().len() as u32 == ty.bytes()
                    && matches!(ty.kind(), TypeKind::Float | TypeKind::Bits)
            }
            _ => self.bytes().len() as u32 == ty.bytes() && !ty.is_float(),
        }
    }

    pub(crate) fn device(&self) -> Option<&Device> {
        match self {
            Arg::Buffer(b) => Some(b.device()),
            Arg::Texture(t) => Some(&t.0.device),
            Arg::Sampler(s) => Some(&s.0.device),
            Arg::Surface(s) => Some(&s.0.device),
            _ => None,
        }
    }
}

/// Type of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamType {
    /// One value. References have the types `Texref`, `Samplerref` and `Surfref`.
    Scalar(ScalarType),
    /// A structure or array passed by value.
    Bytes,
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParamInfo {
    /// The parameter's name in the PTX.
    pub name: String,
    /// The type of the parameter.
    pub ty: ParamType,
    /// Size in bytes.
    pub size: u32,
    /// Byte offset in the parameter buffer ([`crate::Kernel::launch_packed`]).
    pub offset: u32,
    /// Alignment in bytes.
    pub align: u32,
}

impl std::fmt::Display for ParamInfo {
    /// The declaration without `.param`, such as `.u64 out` or `.b8 p[16]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.ty {
            ParamType::Scalar(ty) => write!(f, ".{ty} {}", self.name),
            ParamType::Bytes => write!(f, ".b8 {}[{}]", self.name, self.size),
        }
    }
}

impl From<&ir::Param> for ParamInfo {
    fn from(p: &ir::Param) -> Self {
        let ty = if p.is_array || p.size != p.ty.bytes() {
            ParamType::Bytes
        } else {
            ParamType::Scalar(p.ty)
        };
        Self { name: p.name.clone(), ty, size: p.size, offset: p.offset, align: p.align }
    }
}
