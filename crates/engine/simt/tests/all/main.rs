//! Tests of kernels and operations through the public interface, in a single test program to save
//! link time.

#![allow(clippy::unwrap_used, clippy::print_stderr)]
#![allow(missing_docs, unreachable_pub)]

mod atomics;
mod bad_fetches;
mod barrier_groups;
mod barriers;
mod bounds;
mod breadth;
mod card_forms;
mod clusters;
mod collectives;
#[path = "../common/mod.rs"]
mod common;
mod compiled;
mod cooperative;
mod cuda_c;
mod divergence;
mod elements;
mod external_writers;
mod faults;
mod fetch_forms;
mod forms;
mod functions;
mod garbled;
mod handles;
mod heap;
mod hints;
mod lowering;
mod meetings;
mod memory;
mod memory_model;
mod observers;
mod partial_warps;
mod places;
mod printing;
mod random;
mod ranges;
mod reach;
mod reductions;
mod rows;
mod side_by_side;
mod stack;
mod surface_forms;
mod tensor;
mod textures;
mod threads;
mod transport;
mod unexecuted;
#[path = "../unit_common/mod.rs"]
mod unit_common;
mod waiting;
