//! Graphs (runtime API, "Graph Management"). The driver does all the work, with the same
//! structures; only kernels, which the runtime names by host stubs, and copies are translated.

mod nodes;
mod params;
#[cfg(not(feature = "cuda-12"))]
mod recapture;
