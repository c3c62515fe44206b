//! Executable of texunit's `ptxas`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(texunit_shims::ptxas::main())
}
