//! Pointer argument types, which are shared with the other libraries.

pub(crate) use texunit_cuda_abi::args::{
    Answer, Elements, In, InBytes, InOut, Out, OutBytes, Raw, Text,
};
