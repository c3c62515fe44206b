//! Diagnostic codes of errors that prevent loading of a correct module. docs/diagnostics.md is
//! generated from this table.

use texunit_syntax::codes::Code;

/// Every code of this crate, with its title and explanation.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    Code { code: "E0500", title: "variable without a definition", explanation:
        "An `.extern` variable is defined in another module, and modules are not linked. Define it in this one." },
    Code { code: "E0501", title: "variable that has no place", explanation:
        "The device's memory or a descriptor table is full." },
    Code { code: "E0502", title: "function without a definition", explanation:
        "A function that is declared (`.extern .func`) and used is defined in another module: link both (`cuLinkAddData` with each, `nvcc -rdc=true`). Assemblers and drivers refuse a module with such a use, be it in code that is never reached. `vprintf`, `__assertfail`, `malloc` and `free` need no definition." },
    Code { code: "E0503", title: "address behind a reference", explanation:
        "The address of a `.texref`, `.samplerref` or `.surfref` is a handle, and a handle plus a number is not the handle of another. Only the first of an array of references can be bound: declare them one by one." },
    Code { code: "E0504", title: "module that a driver does not load", explanation:
        "CUDA's driver does not load modules with `txq` or `suq` of anything but width, height and depth, with a `.samplerref`, or with a kernel that takes a reference as its parameter (an NVIDIA H200, driver 580). Programs under `texunit run` get its error; `texunit launch` executes such modules." },
];
