//! Suggestions for undefined names: the most similar visible name, for the help line.
//!
//! A suggestion is never applied automatically, because it may not be the intended name.

use texunit_isa::describe::distance;
use texunit_syntax::{Diagnostic, ast, numbered};

use crate::body::Body;
use crate::context::scope::Local;
use crate::message::unknown;

/// Number of errors after which no suggestions are made, because each search compares all names.
const MAX_GUESSES: usize = 50;

impl<'a> Body<'_, 'a> {
    /// The error for an undefined name.
    pub(crate) fn missing(&self, name: &ast::Ident<'a>) -> Diagnostic {
        let diagnostic = unknown(name);
        let groups = |prefix: &str| {
            let mut scopes = self.scopes.stack.iter().rev();
            scopes.find_map(|scope| scope.ranges.get(prefix).copied())
        };
        let member = numbered(name.text);
        if let Some((prefix, number, (count, _, span))) =
            member.and_then(|(prefix, number)| Some((prefix, number, groups(prefix)?)))
        {
            let help = match count {
                0 => format!("{prefix}<0> declares nothing: write {prefix}<{}>", number + 1),
                _ => format!(
                    "{prefix}<{count}> declares {prefix}0 to {prefix}{}: raise the number to {} or more",
                    count - 1,
                    number.saturating_add(1)
                ),
            };
            return diagnostic.note(span, "the group is declared here").help(help);
        }
        // `%r1<20>` does not declare `%r12`, which is number 12 of the group `%r<n>`.
        let stem = member.map_or(name.text.len(), |(prefix, _)| prefix.len());
        let longer = (stem + 1..name.text.len()).take(MAX_GUESSES);
        if let Some((prefix, (.., span))) =
            longer.map(|n| &name.text[..n]).find_map(|prefix| Some((prefix, groups(prefix)?)))
        {
            let stem = &name.text[..stem];
            return diagnostic.note(span, "the group is declared here").help(format!(
                "all digits at the end of a name are its number, which makes {} one of {stem}<n>: give the group {prefix} a name without a digit at its end",
                name.text
            ));
        }
        match self.guess(name.text, |_| true) {
            Some(near) => diagnostic.help(format!("did you mean {near}? Or declare {}", name.text)),
            None => diagnostic,
        }
    }

    /// The help text for an undefined label.
    pub(crate) fn missing_label(&self, name: &str) -> String {
        match self.guess(name, |local| matches!(local, Local::Label(_))) {
            Some(near) => format!("did you mean {near}?"),
            None => "write the label with a colon before an instruction of this function".into(),
        }
    }

    /// The visible name that satisfies `wanted` and is most similar to `name`.
    fn guess(&self, name: &str, wanted: impl Fn(&Local<'a>) -> bool) -> Option<String> {
        if self.cx.diagnostics.len() > MAX_GUESSES || !(2..=40).contains(&name.len()) {
            return None;
        }
        let max = match name.len() {
            0..=4 => 1,
            _ => 2,
        };
        let labels_only = !wanted(&Local::Broken);
        let digits = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (stem, number) = name.split_at(digits);
        let mut best: Option<(usize, String)> = None;
        let mut offer = |near: usize, text: String| {
            let better = best.as_ref().is_none_or(|b| (near, &text) < (b.0, &b.1));
            if near > 0 && near <= max && better {
                best = Some((near, text));
            }
        };
        for scope in &self.scopes.stack {
            for (&other, (local, _)) in &scope.names {
                if other.len().abs_diff(name.len()) <= max && wanted(local) {
                    offer(distance(other, name), other.to_owned());
                }
            }
            for (&prefix, &(count, ..)) in scope.ranges.iter().filter(|_| !labels_only) {
                let inside = number.parse::<u64>().is_ok_and(|n| n < count);
                if inside && prefix.len().abs_diff(stem.len()) <= 1 && !stem.is_empty() {
                    offer(distance(prefix, stem), format!("{prefix}{number}"));
                }
            }
        }
        for &other in self.cx.globals.keys().filter(|_| !labels_only) {
            if other.len().abs_diff(name.len()) <= max {
                offer(distance(other, name), other.to_owned());
            }
        }
        for other in crate::special::names().filter(|_| !labels_only) {
            if other.len().abs_diff(name.len()) <= max {
                offer(distance(&other, name), other);
            }
        }
        best.map(|(_, text)| text)
    }
}
