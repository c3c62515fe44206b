//! Executable of texunit's `nvidia-smi`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(texunit_shims::nvidia_smi::main())
}
