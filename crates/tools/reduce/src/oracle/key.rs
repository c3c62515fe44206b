//! The properties of a fault by which a reduced case is recognised as failing like the original.

use std::fmt;
use texunit_device::{Fault, FaultKind};

/// A fault without position and numbers: its name, its kernel, and details that depend on the kind.
/// For a memory access these are the operation, the state space and the nearest object; for most
/// others the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultKey {
    /// The name of the fault's kind, [`FaultKind::name`].
    pub kind: &'static str,
    /// The name of the kernel.
    pub kernel: String,
    /// Details that depend on the fault's kind; may be empty.
    pub about: String,
}

impl FaultKey {
    /// The key of a fault.
    pub fn of(fault: &Fault) -> Self {
        Self { kind: fault.kind.name(), kernel: fault.kernel.clone(), about: about(&fault.kind) }
    }
}

impl fmt::Display for FaultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.kind, self.kernel)?;
        if self.about.is_empty() { Ok(()) } else { write!(f, " ({})", self.about) }
    }
}

fn about(kind: &FaultKind) -> String {
    match kind {
        FaultKind::OutOfBounds { access, space, nearest, .. } => {
            format!("{access}, {}, {}{}", space.name(), side(nearest), near(nearest))
        }
        FaultKind::Misaligned { access, space, resource, .. } => {
            let near = resource.as_deref().map_or("no object", near);
            format!("{access}, {}, {near}", space.name())
        }
        FaultKind::ReadOnly { space, resource, .. } => {
            let near = resource.as_deref().map_or("no object", near);
            format!("{}, {near}", space.name())
        }
        // These faults have no details, because reduction changes the waiting threads and their
        // positions.
        FaultKind::Deadlock { .. }
        | FaultKind::StepLimit { .. }
        | FaultKind::StackOverflow { .. }
        | FaultKind::Cancelled => String::new(),
        FaultKind::Assert { message, .. } => message.clone(),
        FaultKind::Trap { message } => message.clone().unwrap_or_default(),
        FaultKind::Handle { wanted, why, .. } => format!("{wanted}: {}", without_numbers(why)),
        other => without_numbers(&other.to_string()),
    }
}

/// The position of the access relative to the nearest object, which the fault's text describes.
fn side(text: &str) -> &'static str {
    match text {
        _ if !text.starts_with('`') => "",
        _ if text.contains("the access crosses") => "across the end of ",
        _ if text.contains("which begins") => "before ",
        _ => "behind ",
    }
}

/// The name of the object nearest to an access, in backquotes; the whole text if it names no
/// object.
fn near(text: &str) -> &str {
    text.strip_prefix('`').and_then(|rest| rest.find('`')).map_or(text, |end| &text[..end + 2])
}

/// Replaces numbers in a message by `#`, except inside backquotes.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quoted = false;
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        quoted ^= c == '`';
        let inside = before.is_alphanumeric() || before == '_' || before == '.';
        if quoted || !c.is_ascii_digit() || inside {
            out.push(c);
            before = c;
            continue;
        }
        let mut word = c.to_string();
        while let Some(n) = chars.next_if(|n| n.is_ascii_alphanumeric() || *n == '_') {
            word.push(n);
        }
        // `0x1f` and `3` are numbers, but `2d` is a word; a preceding sign is part of the number.
        if word.starts_with("0x") || word.bytes().all(|b| b.is_ascii_digit()) {
            if out.ends_with('-') {
                out.pop();
            }
            word = "#".to_owned();
        }
        out += &word;
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_count() {
        let rows = [
            ("x is 17, but `out2` has 0x1f bytes", "x is #, but `out2` has # bytes"),
            ("row -3 of 8, a 2d array", "row # of #, a 2d array"),
            (".2d of v4.f32 and tex.2d", ".2d of v4.f32 and tex.2d"),
            ("`unclosed 3", "`unclosed 3"),
        ];
        for (text, wanted) in rows {
            assert_eq!(without_numbers(text), wanted);
        }
        let rows = [
            ("`out` (64 bytes at 0x7), which ends just before this address", "behind ", "`out`"),
            ("`o` (64 bytes at 0x7), whose end the access crosses", "across the end of ", "`o`"),
            ("`a` (1 byte at 0x7), which begins 4 bytes after this address", "before ", "`a`"),
            ("there is nothing in this space", "", "there is nothing in this space"),
            ("nothing is near this address", "", "nothing is near this address"),
        ];
        for (text, wanted, name) in rows {
            assert_eq!((side(text), near(text)), (wanted, name));
        }
    }
}
