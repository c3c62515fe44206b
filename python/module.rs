//! The module `texunit._texunit` for Python, as Cargo and maturin build it (`pip install`,
//! `.ci/python`). The wheel of `xtask dist` has it in one file with everything else instead
//! (`crates/dist/core`).

// Its function for Python, `PyInit__texunit`, is exported by its name.
use texunit_python as _;
