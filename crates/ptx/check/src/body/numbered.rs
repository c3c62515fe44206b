//! Variables of bodies, and the registers and variables of numbered groups `%r<10>` and `l<2>`.

use texunit_syntax::ast;

use crate::body::{Body, MAX_FRAME};
use crate::context::scope::{Local, Numbered, Pattern, Resolved};
use crate::ir::{FrameVar, FrameVarId, Variable};

impl<'a> Body<'_, 'a> {
    /// Creates the variable `name` of a numbered group such as `l<2>`.
    pub(super) fn made(&mut self, pattern: Pattern, name: &str) -> Local<'a> {
        match pattern {
            Pattern::Frame(variable, span) => {
                self.frame_bytes = self.frame_bytes.saturating_add(u64::from(variable.size));
                if self.frame_bytes > MAX_FRAME {
                    if self.cx.too_large(span, self.frame_bytes, MAX_FRAME).is_none() {
                        return Local::Broken;
                    }
                    self.frame_bytes = 0;
                }
                let id = FrameVarId(self.function.frame.len() as u32);
                self.function.frame.push(FrameVar { name: name.to_string(), ..variable });
                Local::Frame(id)
            }
            Pattern::Static(variable) => {
                let name = self.full_name(name);
                Local::Static(self.cx.add_variable(Variable { name, ..*variable }))
            }
        }
    }

    /// Resolves a name in the scopes of the body; `%r1` of a group `%r<10>` is created when it is
    /// first named.
    pub(crate) fn find(&mut self, name: &'a str) -> Option<Resolved<'a>> {
        match self.scopes.find(name)? {
            Resolved::Member(depth, pattern) => {
                let local = self.made(self.patterns[pattern].clone(), name);
                Some(self.scopes.made(depth, name, local))
            }
            found => Some(found),
        }
    }

    /// The name `function.variable` of a variable in the body. If long function names would make
    /// the module much larger than its text, only the beginning of the function name is used.
    fn full_name(&mut self, variable: &str) -> String {
        const SHORT: usize = 32;
        let owner = self.function.name.as_str();
        self.cx.owner_bytes += owner.len();
        let short =
            owner.get(..SHORT).filter(|_| self.cx.owner_bytes > self.cx.source.text().len());
        format!("{}.{variable}", short.unwrap_or(owner))
    }

    /// Declares a name, unless a numbered group such as `%r<10>` in the same scope contains it.
    pub(super) fn declare(&mut self, v: &'a ast::Variable<'a>, local: Local<'a>) {
        match self.scopes.stack.last().and_then(|s| s.range_of(v.name.text)) {
            Some((_, first)) => self.cx.duplicate(&v.name, first),
            None => self.define(&v.name, local),
        }
    }

    /// Declares a numbered group `name<count>`.
    pub(super) fn group(&mut self, v: &'a ast::Variable<'a>, group: Numbered) {
        let (name, count) = (v.name, v.count.map_or(0, |(n, _)| n));
        let Some(scope) = self.scopes.stack.last_mut() else { return };
        let taken = scope.numbered.get(name.text).filter(|(least, _)| *least < count);
        let first = scope.ranges.get(name.text).map(|r| r.2).or(taken.map(|(_, span)| *span));
        match first {
            Some(first) => self.cx.duplicate(&name, first),
            None => drop(scope.ranges.insert(name.text, (count, group, name.span))),
        }
    }
}
