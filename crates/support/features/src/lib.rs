//! Dependencies with features, and no code.
//!
//! Cargo unites the features of a crate over the packages that a command builds. A crate with other
//! features is compiled again, and so is everything that depends on it. Each package that people
//! build by itself (the program, the benchmarks, the drop-in libraries, the Python module, `xtask`)
//! depends on this one, so that all of them get the same crates. A test of `xtask` compares them
//! (`entry_points_build_dependencies_with_equal_features`).
