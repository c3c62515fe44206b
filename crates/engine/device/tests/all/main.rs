//! Tests of the public interface, in one program, because each further program would have to be
//! linked.

#![allow(clippy::unwrap_used)]

mod children;
mod device;
mod diagnostics;
mod fetches;
mod fill;
mod freed;
mod launches;
mod linear;
mod random_fetches;
mod resources;
mod rust_page;
mod source_locations;
mod typed;
