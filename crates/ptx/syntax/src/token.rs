//! Tokens: what the lexer hands to the parser.

use crate::span::Span;

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Whether it is the first on its line.
    pub(crate) first_on_line: bool,
    /// Where it stands.
    pub(crate) span: Span,
}

/// Kinds of tokens. The text is found under the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `name`, `%r1`, `$L`, `_a`
    Ident,
    /// `.word`, `.2d`, `.L1::evict_last`: the dot belongs to it.
    Word,
    /// `12`, `0x1f`, `017U`
    Integer,
    /// `1.5e3`, `.5`
    Decimal,
    /// `0f3f800000`
    Float32,
    /// `0d3ff0000000000000`
    Float64,
    /// `"..."`, quotes included.
    Text,
    /// Something that the lexer has reported already.
    Bad,
    /// The end of the text.
    End,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    Comma,
    Semicolon,
    Colon,
    At,
    /// `_` alone.
    Underscore,
    Equal,
    Less,
    Greater,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Ampersand,
    Pipe,
    Caret,
    Tilde,
    Bang,
    Question,
    AndAnd,
    OrOr,
    EqualEqual,
    NotEqual,
    LessEqual,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
}

/// Operators and punctuation, the longer before their beginnings.
#[rustfmt::skip]
pub(crate) const PUNCTUATION: &[(&str, TokenKind)] = &[
    ("<<", TokenKind::ShiftLeft),
    (">>", TokenKind::ShiftRight),
    ("<=", TokenKind::LessEqual),
    (">=", TokenKind::GreaterEqual),
    ("==", TokenKind::EqualEqual),
    ("!=", TokenKind::NotEqual),
    ("&&", TokenKind::AndAnd),
    ("||", TokenKind::OrOr),
    ("{", TokenKind::LeftBrace),
    ("}", TokenKind::RightBrace),
    ("(", TokenKind::LeftParen),
    (")", TokenKind::RightParen),
    ("[", TokenKind::LeftBracket),
    ("]", TokenKind::RightBracket),
    (",", TokenKind::Comma),
    (";", TokenKind::Semicolon),
    (":", TokenKind::Colon),
    ("@", TokenKind::At),
    ("=", TokenKind::Equal),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("+", TokenKind::Plus),
    ("-", TokenKind::Minus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
    ("&", TokenKind::Ampersand),
    ("|", TokenKind::Pipe),
    ("^", TokenKind::Caret),
    ("~", TokenKind::Tilde),
    ("!", TokenKind::Bang),
    ("?", TokenKind::Question),
];

/// The punctuation that is one character and begins nothing longer.
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
    /// Whether a value may follow, so that `.5` after it is a number and not a modifier.
    pub(crate) fn expects_value(self) -> bool {
        use TokenKind::*;
        matches!(
            self,
            LeftBrace
                | LeftParen
                | LeftBracket
                | Comma
                | Colon
                | Equal
                | Less
                | Greater
                | Plus
                | Minus
                | Star
                | Slash
                | Percent
                | Ampersand
                | Pipe
                | Caret
                | Tilde
                | Bang
                | Question
                | AndAnd
                | OrOr
                | EqualEqual
                | NotEqual
                | LessEqual
                | GreaterEqual
                | ShiftLeft
                | ShiftRight
        )
    }
}
