//! Number literals: their length and value.
//!
//! Decimal, hexadecimal, octal and binary integers with an optional `U`; `0f` and `0d` with exactly
//! 8 and 16 hexadecimal digits; decimal floats. Other text that begins like a number is a single
//! malformed literal, so that it is reported once.

use crate::token::TokenKind;
use texunit_forms::Count;

/// A scanned number literal.
pub(crate) struct Scanned {
    /// Length of the literal in bytes.
    pub(crate) len: usize,
    /// The token kind of the number, or why it is malformed.
    pub(crate) kind: Result<TokenKind, Malformed>,
}

/// The error to report for a malformed literal.
pub(crate) struct Malformed {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) help: String,
    /// The probable token kind, with which the parser continues.
    pub(crate) meant: TokenKind,
}

fn malformed(
    text: &str,
    code: &'static str,
    why: &str,
    help: String,
    meant: TokenKind,
) -> Malformed {
    Malformed { code, message: format!("{why} `{text}`"), help, meant }
}

fn run(bytes: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    from + bytes[from.min(bytes.len())..].iter().take_while(|&&b| wanted(b)).count()
}

fn is_follow(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$'
}

/// Scans the literal at the start of `text`, which begins with a digit or with `.` and a digit.
pub(crate) fn scan(text: &str) -> Scanned {
    let bytes = text.as_bytes();
    match (bytes[0], bytes.get(1).map(u8::to_ascii_lowercase)) {
        (b'0', Some(b'x')) => radix(text, 16, "hexadecimal"),
        (b'0', Some(b'b')) => radix(text, 2, "binary"),
        (b'0', Some(b'f')) => float_bits(text, 8, TokenKind::Float32),
        (b'0', Some(b'd')) => float_bits(text, 16, TokenKind::Float64),
        _ => decimal(text),
    }
}

/// The valid literal in a literal with a C suffix: `1.0` in `1.0f`, `5U` in `5ULL`.
pub(crate) fn without_c_suffix(literal: &str) -> Option<String> {
    let hexadecimal = literal.starts_with("0x");
    let of_suffix = |c: char| matches!(c, 'u' | 'U' | 'l' | 'L') || c == 'f' && !hexadecimal;
    let bare = literal.trim_end_matches(of_suffix);
    let suffix = &literal[bare.len()..];
    let unsigned = match suffix.to_ascii_lowercase().as_str() {
        "f" => return Some(bare.to_owned()).filter(|t| is_right(t, TokenKind::Decimal)),
        "u" | "ul" | "ull" | "lu" | "llu" => "U",
        "l" | "ll" => "",
        _ => return None,
    };
    Some(format!("{bare}{unsigned}")).filter(|text| is_right(text, TokenKind::Integer))
}

fn is_right(text: &str, wanted: TokenKind) -> bool {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let scanned = scan(text);
    scanned.len == text.len() && scanned.kind.is_ok_and(|kind| kind == wanted)
}

fn radix(text: &str, radix: u32, name: &str) -> Scanned {
    let len = run(text.as_bytes(), 2, is_follow);
    let literal = &text[..len];
    let digits = literal[2..].strip_suffix('U').unwrap_or(&literal[2..]);
    let kind = if !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix)) {
        checked_integer(literal)
    } else {
        let prefix = &literal[..2];
        let help = format!(
            "write `{prefix}` and {name} digits, with an optional `U` at the end{}",
            if radix == 16 { ", as in `0x1f`" } else { ", as in `0b101`" }
        );
        Err(malformed(literal, "E0013", "malformed number", help, TokenKind::Integer))
    };
    Scanned { len, kind }
}

fn float_bits(text: &str, wanted: usize, kind: TokenKind) -> Scanned {
    let len = run(text.as_bytes(), 2, is_follow);
    let literal = &text[..len];
    let digits = &literal[2..];
    if digits.len() == wanted && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Scanned { len, kind: Ok(kind) };
    }
    let bits = wanted * 4;
    let example = if wanted == 8 { "0f3f800000" } else { "0d3ff0000000000000" };
    let message = if digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        format!("`{literal}` has {}, not {wanted}", Count(digits.len(), "hexadecimal digit"))
    } else {
        format!("`{literal}` is not `{}` and {}", &literal[..2], Count(wanted, "hexadecimal digit"))
    };
    let help = format!(
        "write all {} of the {bits} bits of the value: 1.0 is `{example}`",
        Count(wanted, "digit")
    );
    Scanned { len, kind: Err(Malformed { code: "E0015", message, help, meant: kind }) }
}

fn decimal(text: &str) -> Scanned {
    let bytes = text.as_bytes();
    let mut end = run(bytes, 0, |b| b.is_ascii_digit());
    let mut is_float = false;
    let letter = |at: usize| bytes.get(at).is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_');
    if bytes.get(end) == Some(&b'.') && (!letter(end + 1) || exponent(bytes, end + 1) > end + 1) {
        is_float = true;
        end = run(bytes, end + 1, |b| b.is_ascii_digit());
    }
    let past = exponent(bytes, end);
    is_float |= past > end;
    end = past;
    let len = run(bytes, end, is_follow);
    let literal = &text[..len];
    let meant = if is_float { TokenKind::Decimal } else { TokenKind::Integer };
    let suffix = &literal[end..];
    let digits = &literal[..end];
    let kind = match (is_float, suffix) {
        (true, "") => checked_float(literal),
        (false, "" | "U") if digits.starts_with('0') && digits.contains(['8', '9']) => {
            let help = "a number that begins with `0` is octal and has digits 0 to 7; omit the zero for decimal";
            Err(malformed(literal, "E0013", "malformed octal number", help.into(), meant))
        }
        (false, "" | "U") => checked_integer(literal),
        _ => Err(malformed(literal, "E0013", "malformed number", suffix_help(suffix), meant)),
    };
    Scanned { len, kind }
}

/// The end of an exponent that begins at `at`; `at` if there is none.
fn exponent(bytes: &[u8], at: usize) -> usize {
    if !matches!(bytes.get(at), Some(b'e' | b'E')) {
        return at;
    }
    let digits = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
    let end = run(bytes, digits, |b| b.is_ascii_digit());
    if end > digits { end } else { at }
}

fn suffix_help(suffix: &str) -> String {
    match suffix {
        "u" => "the suffix for unsigned numbers is an upper case `U`".into(),
        "f" | "F" => "PTX has no `f` suffix: write `1.0`, or the bits as `0f3f800000`".into(),
        "l" | "L" | "ll" | "LL" | "ul" | "UL" | "ull" | "ULL" => {
            "PTX integers are 64 bits wide already: omit the suffix, or write `U`".into()
        }
        "e" | "E" => "an exponent needs digits, as in `1.5e3`".into(),
        _ => format!("leave `{suffix}` away; a name cannot begin with a digit"),
    }
}

fn checked_integer(literal: &str) -> Result<TokenKind, Malformed> {
    if folded(literal).1 == Fit::Whole {
        return Ok(TokenKind::Integer);
    }
    let help = "PTX integers have 64 bits: the largest is 0xffffffffffffffff".into();
    Err(malformed(literal, "E0014", "number too large:", help, TokenKind::Integer))
}

fn checked_float(literal: &str) -> Result<TokenKind, Malformed> {
    let value: f64 = literal.parse().unwrap_or(f64::INFINITY);
    let mantissa = literal.split(['e', 'E']).next().unwrap_or("");
    // The C library, which ptxas uses, reports subnormal results as underflow.
    let (size, help) = match () {
        () if !value.is_finite() => (
            "large",
            "the largest is about 1.797e308; infinity is `0d7ff0000000000000` or `0f7f800000`",
        ),
        () if !value.is_normal() && mantissa.contains(|c| matches!(c, '1'..='9')) => (
            "small",
            "the smallest is about 2.225e-308; write a smaller one as its bits: `0d0000000000000001`",
        ),
        () => return Ok(TokenKind::Decimal),
    };
    let why = format!("number too {size}:");
    Err(malformed(literal, "E0014", &why, help.into(), TokenKind::Decimal))
}

/// How an integer literal fits in 64 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Whole,
    /// The value exceeds 64 bits; ptxas uses the low 64 bits.
    Cut,
    /// ptxas reports an overflow: a digit follows when the value already has 64 bits.
    Overflow,
}

/// The value of a well-formed integer literal modulo 2^64, and how the literal fits in 64 bits.
fn folded(literal: &str) -> (u64, Fit) {
    let digits = literal.strip_suffix('U').unwrap_or(literal);
    let lower = digits.as_bytes().get(1).map(u8::to_ascii_lowercase);
    let (digits, radix) = match (digits.starts_with('0'), lower) {
        (true, Some(b'x')) => (&digits[2..], 16),
        (true, Some(b'b')) => (&digits[2..], 2),
        (true, Some(_)) => (digits, 8),
        _ => (digits, 10),
    };
    digits.chars().fold((0, Fit::Whole), |(value, fit), digit| {
        let digit = digit.to_digit(radix).unwrap_or(0);
        let wide = u128::from(value) * u128::from(radix) + u128::from(digit);
        let fit = match fit {
            _ if fit == Fit::Overflow || value >> 63 != 0 => Fit::Overflow,
            _ if wide >> 64 != 0 => Fit::Cut,
            _ => fit,
        };
        (wide as u64, fit)
    })
}

/// Value of a well-formed integer literal modulo 2^64, and whether it is unsigned.
pub(crate) fn integer(literal: &str) -> (u64, bool) {
    let (value, _) = folded(literal);
    (value, literal.ends_with('U') || value > i64::MAX as u64)
}

/// Whether an integer literal exceeds 64 bits, but ptxas accepts it and uses the low 64 bits.
pub fn is_cut(literal: &str) -> bool {
    let is_number = literal.starts_with(|c: char| c.is_ascii_digit());
    let too_large = |m: Malformed| m.code == "E0014" && m.meant == TokenKind::Integer;
    is_number && scan(literal).kind.is_err_and(too_large) && folded(literal).1 == Fit::Cut
}

/// The low 32 bits of a 64-bit integer, for operands of 32 bits; `None` where ptxas reports an
/// overflow: above 2^32 - 1 as `.s64`, so not for integers with bit 63 set.
pub fn low_32(value: u64) -> Option<u32> {
    (value as i64 <= i64::from(u32::MAX)).then_some(value as u32)
}
