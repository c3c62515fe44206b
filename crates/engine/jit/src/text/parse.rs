//! The parser of the text form of regions.

mod action;

use super::names::{number, predicate_by_name};
use crate::ir::{Block, End, Region, Step, Target};
use crate::operand::{Predicate, Source, VReg};
use std::collections::HashSet;
use std::iter::Peekable;

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// The number of the line, from 1 on.
    pub line: usize,
    /// The error message: what the parser expected, and what it found.
    pub message: String,
}

/// What the parser has read of a line, or the message of a syntax error.
type Line<T> = Result<T, String>;

/// Parses a region. Empty lines and comments (from `;` to the end of the line) are skipped.
///
/// # Errors
///
/// The first line that is not valid.
pub fn parse(text: &str) -> Result<Region, ParseError> {
    let mut region = Region::default();
    for (i, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or_default();
        let mut words = Tokens::of(line);
        if words.0.peek().is_none() {
            continue;
        }
        let read = words.line(&mut region).and_then(|()| words.end());
        read.map_err(|message| ParseError { line: i + 1, message })?;
    }
    Ok(region)
}

/// Checks the number of an instruction: the emitter adds to it, so that it must stay below a limit.
fn in_range(at: u64) -> Line<u32> {
    const LIMIT: u32 = 1 << 24;
    let at = u32::try_from(at).ok().filter(|&at| at < LIMIT);
    at.ok_or_else(|| format!("the number of an instruction is at least {LIMIT}"))
}

/// The tokens of a line. Brackets and operators are tokens of their own, and commas are skipped.
struct Tokens<'t>(Peekable<std::vec::IntoIter<&'t str>>);

impl<'t> Tokens<'t> {
    fn of(line: &'t str) -> Self {
        const ALONE: [char; 7] = ['[', ']', '+', '=', '?', ':', '@'];
        let mut words = Vec::new();
        for word in line.split([' ', '\t', ',', '\r']) {
            words.extend(word.split_inclusive(ALONE).flat_map(|part| {
                let cut = part.len() - usize::from(part.ends_with(ALONE));
                let (word, alone) = part.split_at(cut);
                [word, alone]
            }));
        }
        words.retain(|word| !word.is_empty());
        Self(words.into_iter().peekable())
    }

    fn next(&mut self) -> Line<&'t str> {
        self.0.next().ok_or_else(|| "the line ends too early".to_owned())
    }

    fn end(&mut self) -> Line<()> {
        self.0.next().map_or(Ok(()), |word| Err(format!("`{word}` behind the end")))
    }

    fn has(&mut self, word: &str) -> bool {
        self.0.next_if(|next| *next == word).is_some()
    }

    fn expect(&mut self, word: &str) -> Line<()> {
        let next = self.next()?;
        if next == word { Ok(()) } else { Err(format!("`{next}` where `{word}` is expected")) }
    }

    fn number<T: TryFrom<u64>>(&mut self) -> Line<T> {
        let word = self.next()?;
        let value = number(word).and_then(|value| value.try_into().ok());
        value.ok_or_else(|| format!("`{word}` is not a number that fits here"))
    }

    fn line(&mut self, region: &mut Region) -> Line<()> {
        match self.next()? {
            "region" => {
                self.expect("sites")?;
                region.sites = self.number()?;
            }
            "product" => {
                let product = self.word_source()?;
                self.expect("=")?;
                region.products.push([self.word_source()?, self.word_source()?, product]);
            }
            "stride" if region.blocks.is_empty() => {
                let at = self.at()?;
                if region.stride_makers.last().is_some_and(|&(last, _)| last >= at) {
                    return Err("strides are in the order of their instructions".to_owned());
                }
                region.stride_makers.push((at, self.stride()?));
            }
            "block" => self.block(region)?,
            first => {
                let block = region.blocks.last_mut().ok_or("a step before the first block")?;
                if first == "stride" {
                    let VReg::B32(register) = self.vreg()? else {
                        return Err("a stride is of a 32-bit register".to_owned());
                    };
                    let stride = self.stride()?;
                    region.strides.resize(region.blocks.len(), Vec::new());
                    region.strides.last_mut().ok_or("no block")?.push((register, stride));
                } else if first == "param" {
                    let vreg = self.vreg()?;
                    self.expect("=")?;
                    region.params.resize(region.blocks.len(), Vec::new());
                    let params = region.params.last_mut().ok_or("no block")?;
                    params.push((vreg, self.number()?));
                } else if let Some(at) = number(first) {
                    let at = in_range(at)?;
                    self.expect(":")?;
                    block.steps.push(self.step(at)?);
                } else {
                    block.end = self.end_of_block(first)?;
                }
            }
        }
        Ok(())
    }

    fn block(&mut self, region: &mut Region) -> Line<()> {
        let number: usize = self.number()?;
        if number != region.blocks.len() {
            return Err(format!("block {number} where block {} is expected", region.blocks.len()));
        }
        let at = self.at()?;
        let (is_entry, joins) = (self.has("entry"), self.has("joins"));
        let mut kept = HashSet::new();
        if self.has("keeps") {
            while self.0.peek().is_some() {
                kept.insert(self.vreg()?);
            }
        }
        let end = End::Leave { at };
        region.blocks.push(Block { at, is_entry, joins, steps: Vec::new(), end, kept });
        if !region.params.is_empty() {
            region.params.push(Vec::new());
        }
        Ok(())
    }

    fn at(&mut self) -> Line<u32> {
        self.expect("@")?;
        self.instruction()
    }

    fn stride(&mut self) -> Line<u32> {
        self.expect("=")?;
        self.number()
    }

    fn instruction(&mut self) -> Line<u32> {
        self.number().and_then(in_range)
    }

    fn target(&mut self) -> Line<Target> {
        if self.has("out") {
            self.instruction().map(Target::Leave)
        } else {
            self.number().map(Target::Block)
        }
    }

    fn end_of_block(&mut self, first: &str) -> Line<End> {
        Ok(match first {
            "goto" => End::Jump(self.target()?),
            "leave" => End::Leave { at: self.at()? },
            "yield" => {
                let at = self.at()?;
                self.expect("then")?;
                End::Yield { at, next: self.target()?, barrier: None }
            }
            "barrier" => {
                let at = self.at()?;
                self.expect("counted")?;
                let barrier = Some(self.number().and_then(in_range)?);
                self.expect("then")?;
                End::Yield { at, next: self.target()?, barrier }
            }
            "branch" => {
                let (at, counted) = (self.at()?, self.has("counted"));
                let taken = self.predicate()?;
                self.expect("?")?;
                let to = self.target()?;
                self.expect(":")?;
                let next = self.target()?;
                self.expect("meets")?;
                let reconverge_at = if self.has("_") { u32::MAX } else { self.instruction()? };
                End::Branch { taken, to, next, at, counted, reconverge_at }
            }
            _ => return Err(format!("`{first}` is neither a step nor the end of a block")),
        })
    }

    fn step(&mut self, at: u32) -> Line<Step> {
        let counted = !self.has("helper");
        let guard = if self.has("if") { self.predicate()? } else { Predicate::Always };
        Ok(Step { at, guard, counted, action: self.action()? })
    }

    fn predicate(&mut self) -> Line<Predicate> {
        let word = self.next()?;
        predicate_by_name(word).ok_or_else(|| format!("`{word}` is not a predicate"))
    }

    fn vreg(&mut self) -> Line<VReg> {
        let word = self.next()?;
        vreg(word).ok_or_else(|| format!("`{word}` is not a register"))
    }

    /// Parses a register of one kind (`n`, `w` or `p`), and returns its number.
    fn register(&mut self, kind: char) -> Line<u32> {
        let word = self.next()?;
        let number = word.strip_prefix(kind).and_then(|number| number.parse().ok());
        number.ok_or_else(|| format!("`{word}` is not a register `{kind}`"))
    }

    /// Parses an optional value: `_`, or what `read` parses.
    fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Line<T>) -> Line<Option<T>> {
        if self.has("_") { Ok(None) } else { read(self).map(Some) }
    }

    /// Parses an optional register of one kind: `_`, or the register.
    fn maybe_register(&mut self, kind: char) -> Line<Option<u32>> {
        self.maybe(|line| line.register(kind))
    }

    fn source(&mut self) -> Line<Source> {
        let word = self.next()?;
        let make: fn(u32) -> Source = match word {
            "const" => Source::Constant,
            "const64" => Source::WideConstant,
            "row" => Source::PerLane,
            "word" => Source::Uniform,
            "param32" => Source::Bytes32,
            "param64" => Source::Bytes64,
            "frame" => return Ok(Source::FrameAt),
            "lane" => return Ok(Source::Lane),
            _ => {
                let source = match vreg(word) {
                    Some(VReg::B32(i)) => Some(Source::B32(i)),
                    Some(VReg::B64(i)) => Some(Source::B64(i)),
                    _ => number(word).map(Source::Literal),
                };
                return source.ok_or_else(|| format!("`{word}` is not a source"));
            }
        };
        self.expect("[")?;
        let number = self.number()?;
        self.expect("]")?;
        Ok(make(number))
    }

    fn word_source(&mut self) -> Line<u32> {
        match self.source()? {
            Source::Uniform(i) => Ok(i),
            source => Err(format!("`{source}` is not a `word[...]`")),
        }
    }

    /// Parses up to `N` sources; the rest are zeros.
    fn sources<const N: usize>(&mut self) -> Line<[Source; N]> {
        let mut sources = [Source::Literal(0); N];
        for source in &mut sources {
            if self.0.peek().is_some() {
                *source = self.source()?;
            }
        }
        Ok(sources)
    }
}

fn vreg(word: &str) -> Option<VReg> {
    let make = match word.chars().next()? {
        'n' => VReg::B32,
        'w' => VReg::B64,
        'p' => VReg::Predicate,
        _ => return None,
    };
    word[1..].parse().ok().map(make)
}
