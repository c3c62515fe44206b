//! What compilers write about variables: DWARF in the sections of a PTX text, read by `gimli`.
//!
//! Code addresses are offsets in the text of the PTX (`sections`), so a range of addresses has the instructions whose first
//! bytes are in it. Where a variable is, is an expression over registers of the PTX by name, variables of the module,
//! and places of the frame (`location`).

mod die;
mod location;
mod scopes;
mod sections;
mod types;

pub(crate) use location::{At, locate};
pub(crate) use scopes::{Kind, Location, Scope, Variable};
pub(crate) use types::{Base, Member, Shape, TypeId, Types};

use sections::Sections;

/// What is known of a module.
#[derive(Debug, Default)]
pub(crate) struct Info {
    pub(crate) types: Types,
    /// Functions, with what is inside.
    pub(crate) functions: Vec<Scope>,
    /// Variables of the module.
    pub(crate) globals: Vec<Variable>,
    /// Names of the files that were compiled, as they were given, with the folders.
    pub(crate) files: Vec<(String, String)>,
    sections: Option<Sections>,
}

impl Info {
    /// Reads the debug information of a text; nothing where there is none, or none that can be read.
    pub(crate) fn of(text: &str) -> Self {
        let mut info = Self::default();
        if let Some(sections) = Sections::of(text) {
            let read = scopes::read(&mut info, &sections);
            info.sections = Some(sections);
            if read.is_err() {
                return Self::default();
            }
        }
        info
    }

    /// Whether variables are known.
    pub(crate) fn has_variables(&self) -> bool {
        !self.functions.is_empty()
    }

    /// The variable of the module that a number of a location stands for.
    pub(crate) fn symbol(&self, number: u64) -> Option<(&str, i64)> {
        self.sections.as_ref()?.symbol(number)
    }

    /// The scopes around an instruction, the function first.
    pub(crate) fn scopes_at(&self, at: u32) -> Vec<&Scope> {
        let mut all = Vec::new();
        let mut inside = &self.functions;
        while let Some(scope) = inside.iter().find(|scope| scope.has(at)) {
            all.push(scope);
            inside = &scope.children;
        }
        all
    }
}
