//! Nothing but dependencies, with features that other crates of the workspace want of them.
//!
//! Cargo builds a crate with the features that those want who are built in the same command. With others it is
//! another crate, and so is all that depends on it: the drop-in libraries and `xtask`, which the tests build on
//! their own, took four minutes more to compile than they do since they depend on this.
