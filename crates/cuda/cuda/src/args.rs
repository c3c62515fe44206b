//! Arguments that are pointers, which both libraries share.

pub(crate) use texunit_cuda_abi::args::{
    Answer, Elements, In, InBytes, InOut, Out, OutBytes, Raw, Text,
};
