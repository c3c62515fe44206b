//! Version and target requirements of declarations, directives and header lines. Those of
//! instructions are in the instruction table and in [`texunit_isa::requirement`].

use texunit_isa::requirement::{Requirement, requirement};

// Statements of bodies.
pub(crate) const CALL_PROTOTYPE: Requirement = requirement(".callprototype", 21, 20);
pub(crate) const BRANCH_TARGETS: Requirement = requirement(".branchtargets", 60, 30);
pub(crate) const CALL_TARGETS: Requirement = requirement(".calltargets", 21, 20);
pub(crate) const INLINED: Requirement = requirement("inlined_at", 72, 0);
pub(crate) const PARAM_IN_FUNC: Requirement = requirement(".param in a .func", 20, 0);

// Header lines.
pub(crate) const ADDRESS_SIZE: Requirement = requirement(".address_size", 23, 0);
pub(crate) const INDEPENDENT: Requirement = requirement("texmode_independent", 15, 0);
pub(crate) const DEBUG: Requirement = requirement(".target debug", 30, 0);

// Functions.
pub(crate) const LARGE_PARAMS: Requirement =
    requirement("more than 4352 bytes of kernel parameters", 81, 70);
pub(crate) const ALIAS: Requirement = requirement(".alias", 63, 30);
pub(crate) const KERNEL_PROTOTYPE: Requirement = requirement("a kernel's prototype", 30, 0);

// Directives.
pub(crate) const PRAGMA: Requirement = requirement(".pragma", 20, 0);
pub(crate) const SECTION: Requirement = requirement(".section", 20, 0);
pub(crate) const SECTION_OFFSET: Requirement =
    requirement("a name with an offset in a .section", 32, 0);
pub(crate) const SECTION_LABEL: Requirement = requirement("a label in a .section", 70, 0);
pub(crate) const SECTION_DIFFERENCE: Requirement =
    requirement("the difference of two labels in a .section", 75, 0);
pub(crate) const SECTION_NEGATIVE: Requirement =
    requirement("a negative number in a .section", 75, 0);
pub(crate) const FILE_STAMP: Requirement = requirement("time and size of a .file", 32, 0);

// Parameters.
pub(crate) const PTR: Requirement = requirement(".ptr", 22, 0);
pub(crate) const OPAQUE_PTR: Requirement = requirement(".ptr to a reference", 43, 0);

// Types, linkage and attributes of variables, and shapes of parameters.
pub(crate) const WEAK: Requirement = requirement(".weak", 31, 0);
pub(crate) const COMMON: Requirement = requirement(".common", 50, 0);
pub(crate) const MANAGED: Requirement = requirement(".attribute(.managed)", 40, 30);
pub(crate) const UNIFIED: Requirement = requirement(".attribute(.unified)", 80, 90);
pub(crate) const PACKED_HALF: Requirement = requirement("the type .f16x2", 42, 53);
pub(crate) const WIDE_BITS: Requirement = requirement("the type .b128", 83, 70);
pub(crate) const PARAM_OF_FUNC: Requirement = requirement(".param of a .func", 20, 20);
pub(crate) const ARRAY_PARAM: Requirement = requirement("array parameters", 14, 0);
pub(crate) const OPEN_PARAM: Requirement = requirement("a parameter without size", 60, 30);

// Initial values.
pub(crate) const ADDRESS_VALUES: Requirement = requirement("addresses as initial values", 21, 0);
pub(crate) const FUNCTION_VALUES: Requirement = requirement("functions as initial values", 21, 20);
pub(crate) const MASKS: Requirement = requirement("masks of addresses", 71, 0);
pub(crate) const GENERIC: Requirement = requirement("generic()", 31, 0);
