//! Arguments that are pointers, which both libraries share.

pub(crate) use texunit_cuda_abi::args::{Answer, In, Out, Raw, RawBytes, Text};
