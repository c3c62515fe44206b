//! Checks of declarations: what may be declared where, memory layout, and initial values.

pub(crate) mod allowed;
mod directive;
mod initializer;
pub(crate) mod layout;
mod opaque;
pub(crate) mod parameter;
mod variable;
