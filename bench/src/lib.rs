//! The benchmarks of texunit are in `benches/`; docs/performance.md has their tables.
