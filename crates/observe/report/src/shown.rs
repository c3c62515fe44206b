//! Makes text from files (names, source lines, image headers) safe to print: replaces control
//! characters that a terminal or a CI log would obey.
//!
//! [`visible`] makes a single line for a message, [`screen`] keeps the lines of a text and
//! optionally texunit's own colours, and [`in_json`] and [`in_xml`] write control characters as
//! escapes of JSON and XML.

use std::borrow::Cow;
use std::fmt::Write;

/// Maximum number of characters of a message, since names in it may have any length.
const LONG_TEXT: usize = 2000;

/// Whether a terminal obeys a character instead of showing it: control characters (C0 and C1) and
/// marks that change the direction of writing.
pub fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The visible symbol for a control character; any other character as it is.
fn picture(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        // U+2400 to U+241F are symbols for control characters.
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        c if is_obeyed(c) => '\u{fffd}',
        c => c,
    }
}

/// A text on one line, with control characters replaced.
pub fn visible(text: &str) -> String {
    let cut = text.char_indices().nth(LONG_TEXT).map(|(at, _)| at);
    let more = if cut.is_some() { "..." } else { "" };
    text[..cut.unwrap_or(text.len())].chars().map(picture).chain(more.chars()).collect()
}

/// A text of several lines, with control characters replaced except line ends and, if it is
/// `colored`, colour changes.
pub fn screen(text: &str, colored: bool) -> Cow<'_, str> {
    let stays = |c: char| matches!(c, '\n' | '\t') || !is_obeyed(c);
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let style = if colored { style(rest) } else { 0 };
        let length = style.max(c.len_utf8());
        match style > 0 || stays(c) {
            true => shown.push_str(&rest[..length]),
            false => shown.push(picture(c)),
        }
        rest = &rest[length..];
    }
    Cow::Owned(shown)
}

/// The length of a colour change at the beginning of a text: `ESC [ 1 ; 31 m`.
fn style(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("\x1b[") else { return 0 };
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
    if behind.starts_with('m') { text.len() - behind.len() + 1 } else { 0 }
}

/// Escapes control characters in a JSON text. They can only be in strings, whose meaning is
/// unchanged.
pub fn in_json(text: &str) -> Cow<'_, str> {
    // JSON writers already escape C0 characters, except the line ends between values.
    escaped(text, |out, c| write!(out, "\\u{:04x}", c as u32))
}

/// Writes control characters in an XML text as character references, where XML allows them.
pub fn in_xml(text: &str) -> Cow<'_, str> {
    escaped(text, |out, c| write!(out, "&#x{:x};", c as u32))
}

fn escaped(text: &str, escape: fn(&mut String, char) -> std::fmt::Result) -> Cow<'_, str> {
    let is_escaped = |c| c >= '\x7f' && is_obeyed(c);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_escaped(c) {
            // Writing to a `String` cannot fail.
            true => drop(escape(&mut out, c)),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All characters that a terminal obeys.
    fn obeyed() -> impl Iterator<Item = char> {
        ('\0'..='\u{2100}').filter(|&c| is_obeyed(c))
    }

    #[test]
    fn nothing_is_obeyed() {
        let all: String = obeyed().collect();
        assert!(all.chars().count() > 70);
        for shown in
            [visible(&all), screen(&all, false).into_owned(), screen(&all, true).into_owned()]
        {
            assert!(shown.chars().all(|c| matches!(c, '\n' | '\t') || !is_obeyed(c)), "{shown:?}");
        }
        assert!(!visible(&all).contains(['\n', '\t']));
        assert_eq!(screen("a\n\tb é \u{1f600}", false), "a\n\tb é \u{1f600}");
    }

    #[test]
    fn only_colours_of_ours_stay() {
        let text = "\x1b[1;31merror\x1b[0m \x1b]0;title\x07 \x1b[2J \x1b[31";
        assert_eq!(screen(text, true), "\x1b[1;31merror\x1b[0m ␛]0;title␇ ␛[2J ␛[31");
        assert_eq!(screen("\x1b[31mred", false), "␛[31mred");
    }

    #[test]
    fn forms_keep_what_they_can_spell() {
        let text: String = obeyed().collect();
        let json = serde_json::to_string(&text).unwrap();
        let shown = in_json(&json);
        assert!(!shown.chars().any(is_obeyed));
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        assert_eq!(in_xml("a\u{9b}31m\u{202e}\n"), "a&#x9b;31m&#x202e;\n");
    }
}
