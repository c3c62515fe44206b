//! Automatic corrections: the replacements that diagnostics attach where the correction is certain.

use texunit_isa::describe::operands;
use texunit_isa::{Form, ScalarType, Shape};
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// The empty range before a span.
pub(crate) fn before(span: Span) -> Span {
    Span { start: span.start, end: span.start }
}

/// The empty range after a span.
pub(crate) fn behind(span: Span) -> Span {
    Span { start: span.end, end: span.end }
}

/// The range of a modifier together with the dot before it, if there is a dot.
pub(crate) fn with_dot(source: &SourceFile, word: Span) -> Option<Span> {
    let start = word.start.checked_sub(1)?;
    let span = Span { start, end: word.end };
    source.snippet(span).starts_with('.').then_some(span)
}

/// A correction that removes a modifier.
pub(crate) fn remove_modifier(
    source: &SourceFile,
    word: Span,
    diagnostic: Diagnostic,
) -> Diagnostic {
    match with_dot(source, word) {
        Some(span) => diagnostic.fix(span, ""),
        None => diagnostic,
    }
}

/// A correction that turns an integer into a floating-point number.
pub(crate) fn decimal_point(
    source: &SourceFile,
    number: Span,
    diagnostic: Diagnostic,
) -> Diagnostic {
    let digits = source.snippet(number).trim_start_matches('-');
    // With a leading zero, the integer is octal; with more than 15 digits, it may not be exact.
    let plain = !digits.is_empty()
        && digits.len() <= 15
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    if plain { diagnostic.fix(behind(number), ".0") } else { diagnostic }
}

/// The `0f` or `0d` notation for a hexadecimal integer with as many digits as the float type has.
pub(crate) fn float_bits(source: &SourceFile, number: Span, ty: ScalarType) -> Option<String> {
    let (letter, wanted) = match ty {
        ScalarType::F32 => ('f', 8),
        ScalarType::F64 => ('d', 16),
        _ => return None,
    };
    let text = source.snippet(number);
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let fits = digits.len() == wanted && digits.bytes().all(|b| b.is_ascii_hexdigit());
    fits.then(|| format!("0{letter}{digits}"))
}

/// A correction that repeats the last of three coordinates, because vectors have one, two or four
/// elements.
pub(crate) fn repeat_last(source: &SourceFile, vector: Span, diagnostic: Diagnostic) -> Diagnostic {
    let inside = source.snippet(vector).strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    let Some(inside) = inside.filter(|t| !t.contains("//") && !t.contains("/*")) else {
        return diagnostic;
    };
    match inside.rsplit_once(',') {
        Some((_, last)) if inside.matches(',').count() == 2 => {
            let end = vector.end - 1 - (last.len() - last.trim_end().len()) as u32;
            diagnostic.fix(Span { start: end, end }, format!(", {}", last.trim()))
        }
        _ => diagnostic,
    }
}

/// The syntax of an instruction with the right number of operands.
pub(crate) fn usage(name: &str, forms: &[&'static Form]) -> String {
    let mut shapes: Vec<String> = Vec::new();
    for form in forms.iter().filter(|f| f.shape == Shape::Listed) {
        let shape = format!("{name} {}", operands(form, false));
        let shape = format!("{};", shape.trim_end());
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    match shapes.is_empty() {
        true => format!("`texunit isa {name}` shows its operands"),
        false => format!("write {}", shapes[..shapes.len().min(3)].join(" or ")),
    }
}
