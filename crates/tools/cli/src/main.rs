//! The `texunit` program, a wrapper around the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    texunit::main()
}
