//! Writes the man pages of the program into a folder, for `cargo run -p xtask -- man [DIR]`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod pages;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder =
        std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/man"), PathBuf::from);
    match pages::write(&folder) {
        Ok(count) => {
            println!("{count} pages in {}", folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
