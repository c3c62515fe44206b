//! Checks of video instructions, whose operands can be bytes or half-words, and be negated.

use texunit_isa::{Opcode, ScalarType, Selector, VideoOperands};
use texunit_syntax::ast::{self, OperandKind};

use crate::body::value::Value;
use crate::instruction::site::Site;
use crate::ir::Operand;

/// The kind of selector that an operand can have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// The operand has no selector.
    None,
    /// The selector is a single byte or half-word: `.b0` to `.b3`, `.h0`, `.h1`.
    One,
    /// The selector is a mask of elements, highest first: `.h10`, `.b3`, `.b210`.
    Mask { half: bool },
    /// The selector chooses elements from two registers: `.h32`, `.b7610`.
    Choice { half: bool },
}

/// Parses the selector of a video instruction, such as `.b0`, whose kind is `parts`.
fn selector(word: &str, parts: Parts) -> Option<Selector> {
    let half = match word.as_bytes().first()? {
        b'h' => true,
        b'b' => false,
        _ => return None,
    };
    let digits: Vec<u8> = word[1..].bytes().map(|d| d.wrapping_sub(b'0')).collect();
    let elements: u8 = if half { 2 } else { 4 };
    let fits = match parts {
        Parts::None => false,
        Parts::One => digits.len() == 1 && digits[0] < elements,
        Parts::Mask { half: wanted } => {
            let falls = digits.windows(2).all(|d| d[0] > d[1]);
            half == wanted && !digits.is_empty() && digits[0] < elements && falls
        }
        Parts::Choice { half: wanted } => {
            let all = digits.len() == usize::from(elements);
            half == wanted && all && digits.iter().all(|d| *d < 2 * elements)
        }
    };
    if !fits {
        return None;
    }
    let mut found = Selector { half, parts: [0; 4], count: digits.len() as u8 };
    for (to, digit) in found.parts.iter_mut().zip(digits.iter().rev()) {
        *to = *digit;
    }
    Some(found)
}

/// The valid selectors of a kind, for messages.
fn wanted(parts: Parts) -> &'static str {
    match parts {
        Parts::None => "write the register alone",
        Parts::One => "write .b0, .b1, .b2, .b3, .h0 or .h1, or the register alone",
        Parts::Mask { half: true } => "write .h0, .h1 or .h10",
        Parts::Mask { half: false } => "write .b and numbers from 3 to 0 that fall, such as .b20",
        Parts::Choice { half: true } => "write .h and two numbers from 0 to 3, such as .h10",
        Parts::Choice { half: false } => "write .b and four numbers from 0 to 7, such as .b3210",
    }
}

/// Whether a SIMD instruction uses half-words (`true`) or bytes; `None` for other opcodes.
fn simd(opcode: Opcode) -> Option<bool> {
    match opcode.name().bytes().last() {
        Some(b'2') => Some(true),
        Some(b'4') => Some(false),
        _ => None,
    }
}

impl<'a> Site<'_, '_, 'a> {
    /// Checks `d{.part}, a{.part}, b{.part}{, c}` (9.7.18): operands, selectors and signs.
    pub(crate) fn video(&mut self) -> Option<(Vec<Operand>, VideoOperands)> {
        let Self { i, mods, form, .. } = *self;
        let opcode = form.row.opcode;
        let (simd, multiplies) = (simd(opcode), opcode == Opcode::Vmad);
        let third = simd.is_some() || multiplies || mods.atom.is_some();
        if !matches!((i.operands.len(), third), (4, _) | (3, false)) {
            let message = format!("takes 4 operands, not {}", i.operands.len());
            return self.deny("E0210", i.opcode.span, message, "write d, a, b, c");
        }
        let [d, a, b, c @ ..] = &i.operands[..] else { return None };
        let (to, from) = match simd {
            Some(half) => (Parts::Mask { half }, Parts::Choice { half }),
            // If the result is combined with c, it cannot be merged into a byte or half-word.
            None if multiplies || c.is_empty() || mods.atom.is_some() => (Parts::None, Parts::One),
            None => (Parts::One, Parts::One),
        };
        let mut video = VideoOperands::default();
        let types = &mods.types;
        let sources = if types.len() == 3 { &types[1..] } else { &types[..] };
        let result = if types.len() == 3 { types[0] } else { ScalarType::U32 };
        let (bare, part, _) = self.part(d, to, false)?;
        video.d = part;
        self.of_comparison(result, &bare)?;
        let mut list = vec![self.dest(result, &bare)?];
        for (n, (operand, ty)) in [a, b].into_iter().zip(sources).enumerate() {
            let (bare, part, negated) = self.part(operand, from, true)?;
            *(if n == 0 { &mut video.a } else { &mut video.b }) = part;
            video.negated[n] = negated;
            list.push(self.video_source(*ty, &bare, simd.is_some())?);
        }
        if let [c] = c {
            let (bare, _, negated) = self.part(c, Parts::None, multiplies)?;
            video.negated[2] = negated;
            self.of_comparison(result, &bare)?;
            list.push(self.video_source(result, &bare, simd.is_some())?);
        }
        if !multiplies && video.negated != [false; 3] {
            self.sign(&video)?;
        }
        let product = video.negated[0] != video.negated[1];
        if video.negated[2] && product || mods.po && video.negated != [false; 3] {
            let help = "negate one of a and b, or c; .po allows no negation";
            return self.deny("E0211", i.opcode.span, "cannot negate these together", help);
        }
        Some((list, video))
    }

    /// Checks signs, which only `vmad` supports; in other instructions, ptxas accepts two signs.
    fn sign(&mut self, video: &VideoOperands) -> Option<()> {
        let message = "cannot negate its operands";
        let diagnostic = self
            .error("E0211", self.i.opcode.span, message)
            .help("write the register without -, and neg before this instruction");
        if video.negated[0] != video.negated[1] {
            return self.cx.refuse_with(diagnostic);
        }
        self.report_miscompiled(diagnostic.label("ptxas accepts this"));
        Some(())
    }

    /// Checks a source operand; SIMD instructions accept only registers.
    fn video_source(
        &mut self,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        simd: bool,
    ) -> Option<Operand> {
        let value = self.value(operand)?;
        if simd && matches!(value, Value::Const(_)) {
            return self.mismatch(ty, &value, operand.span);
        }
        self.source(ty, operand)
    }

    /// Reports a `.f16x2` register as the result of `vset`, or as the operand combined with the
    /// result.
    fn of_comparison(&mut self, ty: ScalarType, operand: &ast::Operand<'a>) -> Option<()> {
        let compares = matches!(self.form.row.opcode, Opcode::Vset | Opcode::Vset2 | Opcode::Vset4);
        match self.value(operand)? {
            value @ Value::Reg { ty: ScalarType::F16x2, .. } if compares => {
                self.mismatch(ty, &value, operand.span)
            }
            _ => Some(()),
        }
    }

    /// Splits an operand into register, selector and sign.
    fn part(
        &mut self,
        operand: &ast::Operand<'a>,
        parts: Parts,
        signed: bool,
    ) -> Option<(ast::Operand<'a>, Selector, bool)> {
        let (name, word, negated) = match &operand.kind {
            OperandKind::Name { name, component: Some(component) } => {
                (*name, Some(component.text), false)
            }
            OperandKind::Negated(name) if signed => match name.text.split_once('.') {
                Some((text, word)) => (ast::Ident { text, span: name.span }, Some(word), true),
                None => (*name, None, true),
            },
            _ => return Some((operand.clone(), Selector::default(), false)),
        };
        let found = match word.map(|word| selector(word, parts).ok_or(word)).transpose() {
            Ok(found) => found.unwrap_or_default(),
            Err(word) => {
                let message = format!("cannot take the part .{word} here");
                return self.deny("E0211", operand.span, message, wanted(parts));
            }
        };
        let kind = OperandKind::Name { name, component: None };
        Some((ast::Operand { kind, span: operand.span }, found, negated))
    }
}
