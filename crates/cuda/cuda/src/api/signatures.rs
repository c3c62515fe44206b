//! The functions that are defined here have the signatures of [`texunit_cuda_abi::driver_functions!`]: what calls them is
//! declared by the same list. A difference does not compile.

use super::{
    array::*, context::*, context_events::*, copy::*, copy_batch::*, copy_box::*, device::*,
    event::*, function::*, graph::*, green::*, host::*, init::*, ipc::*, launch::*,
    launch_devices::*, library::*, logs::*, managed::*, memory::*, memset::*, mipmap::*, module::*,
    occupancy::*, pointer::*, pool::*, procs::*, profiler::*, sparse::*, stream::*, surface::*,
    texture::*,
};
use crate::tables::cuGetExportTable;
use texunit_cuda_abi::CUresult;
use texunit_cuda_abi::driver::{Signature, signature};

/// Takes a function whose C form is `C`.
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
