//! Replaces `emit`, `mapping` and `routine` on processors other than x86-64, and without the
//! feature `jit`: no level is available, so that nothing is compiled.

use crate::Error;
use crate::code::Code;
use crate::ir::Region;
use crate::machine::{Level, Mode};

impl Level {
    /// Whether this processor has the instructions of the level.
    pub fn is_available(self) -> bool {
        false
    }
}

pub(crate) fn emit(_: &Region, _: Mode, _: Level, _: bool) -> Result<Code, Error> {
    Err(Error::Processor)
}

pub(crate) mod processor {
    pub(crate) fn prefetch_distance(_: u32, _: bool, _: bool) -> u64 {
        0
    }
}

pub(crate) mod mapping {
    use std::convert::Infallible;
    use std::io;

    #[derive(Debug)]
    pub(crate) struct Code(Infallible);

    impl Code {
        pub(crate) fn new(_: &[u8]) -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(crate) fn bytes(&self) -> &[u8] {
            match self.0 {}
        }

        pub(crate) fn size(&self) -> usize {
            match self.0 {}
        }
    }
}

pub(crate) mod routine {
    use crate::frame::{Frame, Trampoline};

    #[cfg(target_arch = "x86_64")]
    extern "sysv64" fn nothing(_: *mut Frame, _: u32) -> u64 {
        0
    }
    #[cfg(not(target_arch = "x86_64"))]
    extern "C" fn nothing(_: *mut Frame, _: u32) -> u64 {
        0
    }

    pub(crate) const CALL: Trampoline = nothing;
}
