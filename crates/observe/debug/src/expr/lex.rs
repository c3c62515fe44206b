//! Splits expressions into tokens.

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Int(i128, &'static str),
    Float(f64, bool),
    Text(Vec<u8>),
    Register(String),
    Dollar(String),
    Sign(&'static str),
}

/// Operators and punctuation, longer ones first.
const SIGNS: [&str; 46] = [
    "<<=", ">>=", "::", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "++", "--", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~",
    "<", ">", "=", "(", ")", "[", "]", ".", ",", "?", ":", "@", "{", "}",
];

/// Words that form the names of basic types.
pub(super) const TYPE_WORDS: [&str; 11] = [
    "unsigned", "signed", "int", "long", "short", "char", "float", "double", "bool", "void",
    "const",
];

/// Whether tokens end with a cast to a basic type, such as `(unsigned char *)`.
fn end_with_cast(tokens: &[(Token, usize)]) -> bool {
    let mut before = tokens.iter().rev().map(|(token, _)| token);
    before.next() == Some(&Token::Sign(")"))
        && before.find(|token| match token {
            Token::Word(word) => !TYPE_WORDS.contains(&word.as_str()),
            other => **other != Token::Sign("*"),
        }) == Some(&Token::Sign("("))
}

/// The tokens of a text, with their offsets.
pub(super) fn lex(text: &str) -> Result<Vec<(Token, usize)>, String> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let word = |from: usize| {
        let end = bytes[from..].iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_');
        end.map_or(bytes.len(), |n| from + n)
    };
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b if b.is_ascii_digit()
                || (b == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)) =>
            {
                let (token, end) = number(text, at)?;
                at = end;
                tokens.push((token, start));
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                at = word(at);
                tokens.push((Token::Word(text[start..at].to_owned()), start));
            }
            b'$' => {
                let mut end = at + 1;
                if bytes.get(end) == Some(&b'$') {
                    end += 1;
                }
                at = word(end);
                tokens.push((Token::Dollar(text[start + 1..at].to_owned()), start));
            }
            // `%` begins a register where an operand is expected.
            b'%' if bytes.get(at + 1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
                && (end_with_cast(&tokens)
                    || !matches!(
                        tokens.last(),
                        Some((Token::Word(_) | Token::Int(..) | Token::Sign(")" | "]"), _))
                    )) =>
            {
                at = word(at + 1);
                let mut name = text[start..at].to_owned();
                // A component: `%tid.x`
                let component = bytes.get(at) == Some(&b'.')
                    && matches!(bytes.get(at + 1), Some(b'x' | b'y' | b'z'))
                    && word(at + 1) == at + 2;
                if component {
                    name.push_str(&text[at..at + 2]);
                    at += 2;
                }
                tokens.push((Token::Register(name), start));
            }
            quote @ (b'"' | b'\'') => {
                let (content, end) = quoted(bytes, at + 1, quote)?;
                at = end;
                let is_char = quote == b'\'';
                // As in gdb, quotes enclose names with other characters.
                let token = match content[..] {
                    [byte] if is_char => Token::Int(i128::from(byte as i8), "char"),
                    _ if is_char => Token::Word(String::from_utf8_lossy(&content).into_owned()),
                    _ => Token::Text(content),
                };
                tokens.push((token, start));
            }
            _ => {
                let Some(sign) = SIGNS.iter().find(|sign| text[at..].starts_with(**sign)) else {
                    let c = text[at..].chars().next().unwrap_or(' ');
                    return Err(format!("Invalid character '{c}' in expression."));
                };
                at += sign.len();
                tokens.push((Token::Sign(sign), start));
            }
        }
    }
    Ok(tokens)
}

fn quoted(bytes: &[u8], mut at: usize, quote: u8) -> Result<(Vec<u8>, usize), String> {
    let mut content = Vec::new();
    loop {
        let Some(&byte) = bytes.get(at) else { return Err("Unmatched single quote.".to_owned()) };
        at += 1;
        match byte {
            b if b == quote => return Ok((content, at)),
            b'\\' => {
                let (byte, end) = escape(bytes, at);
                content.push(byte);
                at = end;
            }
            b => content.push(b),
        }
    }
}

/// Decodes the character after a backslash, and returns the end of the escape sequence.
pub(crate) fn escape(bytes: &[u8], at: usize) -> (u8, usize) {
    let Some(&byte) = bytes.get(at) else { return (b'\\', at) };
    let plain = |b| (b, at + 1);
    match byte {
        b'n' => plain(b'\n'),
        b't' => plain(b'\t'),
        b'r' => plain(b'\r'),
        b'a' => plain(7),
        b'e' => plain(27),
        b'0'..=b'7' => {
            let digits = bytes[at..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b));
            let count = digits.clone().count();
            (digits.fold(0_u32, |n, b| n * 8 + u32::from(b - b'0')) as u8, at + count)
        }
        other => plain(other),
    }
}

fn number(text: &str, at: usize) -> Result<(Token, usize), String> {
    let bytes = text.as_bytes();
    let is_hex = text[at..].starts_with("0x") || text[at..].starts_with("0X");
    let mut end = at;
    while let Some(&b) = bytes.get(end) {
        let is_sign = !is_hex
            && matches!(b, b'+' | b'-')
            && matches!(bytes[end - 1], b'e' | b'E')
            && end > at;
        if !b.is_ascii_alphanumeric() && b != b'.' && !is_sign {
            break;
        }
        end += 1;
    }
    let word = &text[at..end];
    let wrong = || format!("Invalid number \"{word}\".");
    if !is_hex && word.contains(['.', 'e', 'E']) {
        let is_single = word.ends_with(['f', 'F']);
        let digits = word.trim_end_matches(['f', 'F', 'l', 'L']);
        return Ok((Token::Float(digits.parse().map_err(|_| wrong())?, is_single), end));
    }
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = word[digits.len()..].to_ascii_lowercase();
    let value = match (is_hex, digits.strip_prefix('0')) {
        (true, _) => i128::from(u64::from_str_radix(&digits[2..], 16).map_err(|_| wrong())?),
        (false, Some(octal)) if !octal.is_empty() => {
            i128::from(u64::from_str_radix(octal, 8).map_err(|_| wrong())?)
        }
        _ => i128::from(digits.parse::<u64>().map_err(|_| wrong())?),
    };
    let (is_unsigned, is_long) = (suffix.contains('u'), suffix.contains('l'));
    let name = match value {
        v if !is_unsigned && !is_long && v <= i32::MAX.into() => "int",
        v if !is_long && v <= u32::MAX.into() && (is_unsigned || is_hex) => "unsigned int",
        v if !is_unsigned && v <= i64::MAX.into() => "long",
        _ => "unsigned long",
    };
    Ok((Token::Int(value, name), end))
}
