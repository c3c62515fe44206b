//! The `texunit` program. Everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    texunit::main()
}
