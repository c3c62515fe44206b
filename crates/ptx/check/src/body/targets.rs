//! Checks of `.branchtargets` and `.calltargets`: targets of indexed branches and indirect calls.

use texunit_syntax::{Diagnostic, ast};

use crate::body::Body;
use crate::context::Global;
use crate::context::scope::Local;
use crate::ir::{FuncId, LabelId};

/// Maximum number of targets of all lists and indexed branches of a module, because lists may
/// repeat labels.
const MAX_TARGETS: usize = 1 << 20;

impl<'a> Body<'_, 'a> {
    /// The labels of a `.branchtargets` list.
    pub(crate) fn branch_targets(
        &mut self,
        list: &'a ast::BranchTargets<'a>,
    ) -> Option<Vec<LabelId>> {
        self.each_target(list, |body, name, text| {
            let mut scopes = body.scopes.stack.iter().rev();
            let found = scopes.find_map(|scope| scope.names.get(text));
            match found {
                Some((Local::Label(id), _)) => return Some(Some(*id)),
                _ if text == list.label.text => {
                    let message = format!("{text} is the list itself");
                    let error = Diagnostic::error("E0114", name.span, message);
                    return body.cx.beyond_ptxas(error.help("write labels")).map(|()| None);
                }
                _ => {}
            }
            let help = body.missing_label(text);
            body.cx.refuse("E0114", name.span, format!("unknown label {text}"), help)
        })
    }

    /// The functions of a `.calltargets` list.
    pub(crate) fn call_targets(&mut self, list: &'a ast::BranchTargets<'a>) -> Option<Vec<FuncId>> {
        self.each_target(list, |body, name, text| {
            match body.cx.globals.get(text) {
                Some((Global::Function(id), _)) => return Some(Some(*id)),
                _ if body.cx.later.contains_key(text) => drop(body.cx.global(name)),
                _ => {}
            }
            let help = "list the names of functions";
            body.cx.refuse("E0112", name.span, format!("{text} is not a function"), help)
        })
    }

    /// Resolves all names of a list; `name<n>` stands for `n` names.
    fn each_target<T>(
        &mut self,
        list: &'a ast::BranchTargets<'a>,
        mut target: impl FnMut(&mut Self, &ast::Ident<'a>, &str) -> Option<Option<T>>,
    ) -> Option<Vec<T>> {
        let mut found = Vec::new();
        for (name, count) in &list.targets {
            for n in 0..count.unwrap_or(1) {
                self.cx.targets += 1;
                if self.cx.targets > MAX_TARGETS {
                    let message = "the lists of targets in the module are too long";
                    return self.cx.refuse("E0242", list.span, message, "write fewer targets");
                }
                found.extend(match count {
                    Some(_) => target(self, name, &format!("{}{n}", name.text))?,
                    None => target(self, name, name.text)?,
                });
            }
        }
        Some(found)
    }
}
