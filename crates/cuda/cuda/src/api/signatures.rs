//! Compile-time check that the functions defined here have the signatures of
//! [`texunit_cuda_abi::driver_functions!`], with which their callers are compiled.

use super::{
    array::*, context::*, context_events::*, copy::*, copy_batch::*, copy_box::*, device::*,
    event::*, external::*, function::*, graph::*, green::*, host::*, init::*, ipc::*, launch::*,
    launch_devices::*, library::*, logs::*, managed::*, memory::*, memset::*, module::*,
    occupancy::*, pointer::*, pool::*, procs::*, profiler::*, sparse::*, stream::*, surface::*,
    texture::*,
};
use crate::tables::cuGetExportTable;
use texunit_cuda_abi::CUresult;
use texunit_cuda_abi::driver::{Signature, signature};

/// Accepts a function whose C type is `C`.
fn is<C>(_: impl Signature<C = C>) {}

macro_rules! inferred {
    ($arg:ident) => {
        _
    };
}

macro_rules! compare {
    ($($safety:ident { $(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)* })*) => {
        #[allow(dead_code)]
        fn are_defined_as_declared() {
            $($(is::<signature::$name>(
                $name as unsafe extern "C" fn($(inferred!($arg)),*) -> CUresult,
            );)*)*
        }
    };
}
texunit_cuda_abi::driver_functions!(compare);
