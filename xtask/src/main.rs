//! Tasks of texunit's developers.

fn main() {}
