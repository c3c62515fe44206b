//! Tokens, the interface between the lexer and the parser.

use crate::span::Span;

/// A token with its position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// The kind of token.
    pub(crate) kind: TokenKind,
    /// Whether the token is the first on its line.
    pub(crate) first_on_line: bool,
    /// Range of the token in the text.
    pub(crate) span: Span,
}

macro_rules! tokens {
    ($($(#[$doc:meta])* $other:ident,)* { $($text:literal $kind:ident,)* }) => {
        /// Kinds of tokens. A token's text is found by its span.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum TokenKind {
            $($(#[$doc])* $other,)*
            $($kind,)*
        }

        /// Operators and punctuation; a longer operator precedes its prefixes.
        pub(crate) const PUNCTUATION: &[(&str, TokenKind)] = &[$(($text, TokenKind::$kind)),*];

        impl TokenKind {
            const fn is_punctuation(self) -> bool {
                matches!(self, $(Self::$kind)|*)
            }
        }
    };
}

tokens! {
    /// A name: `name`, `%r1`, `$L`, `_a`.
    Ident,
    /// A word with its dot: `.word`, `.2d`, `.L1::evict_last`.
    Word,
    /// An integer: `12`, `0x1f`, `017U`.
    Integer,
    /// A decimal float: `1.5e3`, `.5`.
    Decimal,
    /// The bits of an f32: `0f3f800000`.
    Float32,
    /// The bits of an f64: `0d3ff0000000000000`.
    Float64,
    /// A string `"..."`, including the quotes.
    Text,
    /// Text that the lexer has reported as an error.
    Bad,
    /// The end of the text, after the last token.
    End,
    /// A single `_`.
    Underscore,
    {
        "<<" ShiftLeft, ">>" ShiftRight, "<=" LessEqual, ">=" GreaterEqual, "==" EqualEqual,
        "!=" NotEqual, "&&" AndAnd, "||" OrOr, "{" LeftBrace, "}" RightBrace, "(" LeftParen,
        ")" RightParen, "[" LeftBracket, "]" RightBracket, "," Comma, ";" Semicolon, ":" Colon,
        "@" At, "=" Equal, "<" Less, ">" Greater, "+" Plus, "-" Minus, "*" Star, "/" Slash,
        "%" Percent, "&" Ampersand, "|" Pipe, "^" Caret, "~" Tilde, "!" Bang, "?" Question,
    }
}

/// Punctuation of one character that is not the prefix of a longer operator.
pub(crate) const SINGLE: [Option<TokenKind>; 256] = {
    let mut single = [None; 256];
    let (mut n, mut longer) = (0, [false; 256]);
    while n < PUNCTUATION.len() {
        let (text, kind) = PUNCTUATION[n];
        let first = text.as_bytes()[0] as usize;
        longer[first] |= text.len() > 1;
        if !longer[first] {
            single[first] = Some(kind);
        }
        n += 1;
    }
    single
};

impl TokenKind {
    /// Whether the token is a number without a sign.
    pub(crate) const fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Decimal | Self::Float32 | Self::Float64)
    }

    /// Whether a value may follow the token, so that a following `.5` is a number, not a modifier.
    pub(crate) fn expects_value(self) -> bool {
        use TokenKind::*;
        let ends = matches!(self, RightBrace | RightParen | RightBracket | Semicolon | At);
        self.is_punctuation() && !ends
    }
}
