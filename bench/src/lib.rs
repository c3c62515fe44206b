//! Benchmarks of texunit live in `benches/`; docs/performance.md holds their tables.
