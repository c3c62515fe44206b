//! texunit
fn main() {}
