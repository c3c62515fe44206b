//! Parses expressions: C's, with PTX registers (`%r1`), the value history and convenience variables
//! (`$1`, `$`, `$name`), and arrays (`p@4`).

use super::lex::{TYPE_WORDS, Token, lex};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Int(i128, &'static str),
    Float(f64, bool),
    Text(Vec<u8>),
    Name(String),
    /// A register: `%r1`, `%tid.x`.
    Register(String),
    /// A variable of the debugger: `$name`.
    Variable(String),
    /// The value history: `$`, `$$`, `$3`, `$$2`. `Ok` counts from the first value, `Err` back from
    /// the last.
    Printed(Result<usize, usize>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Choice(Box<[Expr; 3]>),
    Member(Box<Expr>, String, bool),
    Index(Box<Expr>, Box<Expr>),
    Cast(TypeName, Box<Expr>),
    SizeOf(TypeName),
}

/// A type name: base name, pointers, dimensions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TypeName {
    pub(crate) name: String,
    pub(crate) pointers: usize,
}

/// Maximum depth of nested expressions.
const DEPTH: usize = 100;

/// Parses a whole text. `is_type` decides whether a word is a type name.
pub(crate) fn parse(text: &str, is_type: &dyn Fn(&str) -> bool) -> Result<Expr, String> {
    let tokens = lex(text)?;
    let mut parser = Parser { tokens, at: 0, text, is_type, depth: 0 };
    let expr = parser.assignment()?;
    if parser.at < parser.tokens.len() {
        return Err(parser.wrong());
    }
    Ok(expr)
}

struct Parser<'a> {
    tokens: Vec<(Token, usize)>,
    at: usize,
    text: &'a str,
    is_type: &'a dyn Fn(&str) -> bool,
    depth: usize,
}

/// Binary operators by ascending precedence.
const LEVELS: [&[&str]; 11] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["@"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    fn wrong(&self) -> String {
        let near = self.tokens.get(self.at).map_or("", |(_, at)| &self.text[*at..]);
        format!("A syntax error in expression, near `{near}'.")
    }

    fn sign(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some((Token::Sign(sign), _)) if signs.contains(sign) => {
                self.at += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), String> {
        self.sign(&[sign]).map(|_| ()).ok_or_else(|| self.wrong())
    }

    fn word(&mut self) -> Option<String> {
        let Some((Token::Word(word), _)) = self.tokens.get(self.at) else { return None };
        self.at += 1;
        Some(word.clone())
    }

    /// Appends the names that follow, each after `::`; `None` if a `::` has none.
    fn qualified(&mut self, mut name: String) -> Option<String> {
        while self.sign(&["::"]).is_some() {
            name = format!("{name}::{}", self.word()?);
        }
        Some(name)
    }

    fn assignment(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("The expression is too deep.".to_owned());
        }
        let left = self.choice()?;
        let assigned = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];
        let expr = match self.sign(&assigned) {
            None => left,
            Some("=") => Expr::Binary("=", left.into(), self.assignment()?.into()),
            Some(sign) => {
                let right = self.assignment()?;
                let op =
                    LEVELS.iter().flat_map(|l| l.iter()).find(|op| **op == &sign[..sign.len() - 1]);
                let value =
                    Expr::Binary(op.copied().unwrap_or("+"), left.clone().into(), right.into());
                Expr::Binary("=", left.into(), value.into())
            }
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn choice(&mut self) -> Result<Expr, String> {
        let condition = self.binary(0)?;
        if self.sign(&["?"]).is_none() {
            return Ok(condition);
        }
        let yes = self.assignment()?;
        self.expect(":")?;
        Ok(Expr::Choice(Box::new([condition, yes, self.assignment()?])))
    }

    fn binary(&mut self, level: usize) -> Result<Expr, String> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = self.sign(signs) {
            left = Expr::Binary(sign, left.into(), self.binary(level + 1)?.into());
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("The expression is too deep.".to_owned());
        }
        let expr = match self.sign(&["-", "+", "!", "~", "*", "&"]) {
            Some(sign) => Expr::Unary(sign, self.unary()?.into()),
            None => self.prefixed()?,
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn prefixed(&mut self) -> Result<Expr, String> {
        if matches!(self.tokens.get(self.at), Some((Token::Word(word), _)) if word == "sizeof") {
            self.at += 1;
            if let Some(name) = self.parenthesised_type() {
                return Ok(Expr::SizeOf(name));
            }
            return Ok(Expr::Unary("sizeof", self.unary()?.into()));
        }
        if let Some(name) = self.parenthesised_type() {
            return Ok(Expr::Cast(name, self.unary()?.into()));
        }
        self.postfix()
    }

    /// Parses a cast such as `(unsigned int *)`, or consumes nothing.
    fn parenthesised_type(&mut self) -> Option<TypeName> {
        let before = self.at;
        let found = self.sign(&["("]).and_then(|_| {
            let name = self.type_name()?;
            self.sign(&[")"]).map(|_| name)
        });
        if found.is_none() {
            self.at = before;
        }
        found
    }

    fn type_name(&mut self) -> Option<TypeName> {
        let mut words: Vec<String> = Vec::new();
        while let Some((Token::Word(word), _)) = self.tokens.get(self.at) {
            let basic = TYPE_WORDS.contains(&word.as_str());
            let tagged = matches!(word.as_str(), "struct" | "class" | "union" | "enum");
            let named = words.is_empty() && (self.is_type)(word);
            if !(basic || tagged || named) {
                break;
            }
            if !tagged && word != "const" {
                words.push(word.clone());
            }
            self.at += 1;
        }
        let last = words.pop()?;
        words.push(self.qualified(last)?);
        let mut pointers = 0;
        while self.sign(&["*"]).is_some() {
            pointers += 1;
        }
        Some(TypeName { name: normal(&words), pointers })
    }

    fn postfix(&mut self) -> Result<Expr, String> {
        let mut expr = self.primary()?;
        loop {
            match self.sign(&["[", ".", "->"]) {
                Some("[") => {
                    let index = self.assignment()?;
                    self.expect("]")?;
                    expr = Expr::Index(expr.into(), index.into());
                }
                Some(sign) => {
                    let name = self.word().ok_or_else(|| self.wrong())?;
                    expr = Expr::Member(expr.into(), name, sign == "->");
                }
                None => return Ok(expr),
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, String> {
        let Some((token, _)) = self.tokens.get(self.at).cloned() else { return Err(self.wrong()) };
        self.at += 1;
        Ok(match token {
            Token::Int(value, name) => Expr::Int(value, name),
            Token::Float(value, is_single) => Expr::Float(value, is_single),
            Token::Text(text) => Expr::Text(text),
            Token::Register(name) => Expr::Register(name),
            Token::Dollar(name) => dollar(&name),
            Token::Word(name) => {
                let name = self.qualified(name).ok_or_else(|| self.wrong())?;
                match name.as_str() {
                    "true" => Expr::Int(1, "bool"),
                    "false" => Expr::Int(0, "bool"),
                    _ => Expr::Name(name),
                }
            }
            Token::Sign("(") => {
                let inside = self.assignment()?;
                self.expect(")")?;
                inside
            }
            Token::Sign("::") => return self.primary(),
            Token::Sign(_) => {
                self.at -= 1;
                return Err(self.wrong());
            }
        })
    }
}

/// The name of a basic type as debug information writes it.
fn normal(words: &[String]) -> String {
    let has = |word: &str| words.iter().any(|w| w == word);
    let longs = words.iter().filter(|w| *w == "long").count();
    let basic = words.iter().all(|w| TYPE_WORDS.contains(&w.as_str()));
    if !basic || has("float") || has("bool") || has("void") || (has("double") && longs == 0) {
        return words.join(" ");
    }
    let sign = if has("unsigned") { "unsigned " } else { "" };
    let name = match longs {
        _ if has("char") && has("signed") => "signed char",
        _ if has("char") => "char",
        _ if has("short") => "short",
        0 => "int",
        1 => "long",
        _ => "long long",
    };
    format!("{sign}{name}")
}

fn dollar(name: &str) -> Expr {
    if let Some(back) = name.strip_prefix('$') {
        let back = if back.is_empty() { Ok(1) } else { back.parse() };
        return back.map_or_else(|_| Expr::Variable(name.to_owned()), |n| Expr::Printed(Err(n)));
    }
    match name.parse() {
        _ if name.is_empty() => Expr::Printed(Err(0)),
        Ok(number) => Expr::Printed(Ok(number)),
        Err(_) => Expr::Variable(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        match parse(text, &|word| word == "P") {
            Ok(expr) => format!("{expr:?}"),
            Err(error) => error,
        }
    }

    #[test]
    fn expressions_are_trees() {
        assert_eq!(of("a+b*2"), of("a+(b*2)"));
        assert_eq!(of("*p[3].x"), of("*((p[3]).x)"));
        assert_eq!(of("a < b && c"), of("(a<b)&&c"));
        assert_eq!(of("%r1 + %tid.x"), "Binary(\"+\", Register(\"%r1\"), Register(\"%tid.x\"))");
        assert_eq!([of("7 % x"), of("(a * b)%x")], [of("7%x"), of("(a * b) % (x)")]);
        assert_eq!(of("(char *)%rd1"), of("(char *)(%rd1)"));
        assert_eq!(of("(P*)q"), "Cast(TypeName { name: \"P\", pointers: 1 }, Name(\"q\"))");
        assert_eq!(
            of("(unsigned)x"),
            "Cast(TypeName { name: \"unsigned int\", pointers: 0 }, Name(\"x\"))"
        );
        assert_eq!(of("(x)"), "Name(\"x\")");
        assert_eq!(of("i += 2"), of("i = i + 2"));
        assert_eq!([of("$"), of("$3")], ["Printed(Err(0))", "Printed(Ok(3))"]);
        assert_eq!(of("1 +"), "A syntax error in expression, near `'.");
        assert_eq!(of("a b"), "A syntax error in expression, near `b'.");
        assert!(of(&"(".repeat(10_000)).contains("deep"));
        assert!(of(&"!".repeat(10_000)).contains("deep"));
        assert_eq!([of("0x10"), of("'a'")], ["Int(16, \"int\")", "Int(97, \"char\")"]);
        assert_eq!(of("1.5f"), "Float(1.5, true)");
    }
}
