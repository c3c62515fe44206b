//! Substitutes for programs of NVIDIA's toolkit and driver that build scripts and frameworks call
//! by name.
//!
//! `xtask -- libs` puts them into the folder `shims` beside the libraries, and `texunit run` puts
//! that folder first in the `PATH` of the program that it starts, and in no other process.

pub mod nvidia_smi;
pub mod ptxas;

/// Runs the program of this name with the arguments of the process and returns its exit code;
/// `None` for an unknown name.
pub fn run(name: &str) -> Option<u8> {
    match name {
        "nvidia-smi" => Some(nvidia_smi::main()),
        "ptxas" => Some(ptxas::main()),
        _ => None,
    }
}
