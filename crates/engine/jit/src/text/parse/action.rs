//! The parser of actions: what a step does.

use super::{Line, Tokens};
use crate::ir::{
    Access, Action, Atomic, Change, Load, Match, Reduce, Shuffle, Shuffling, Space, Store, Vote,
};
use crate::operand::{Combine, Relation, Source, Test};
use crate::text::names::{Named, number, op_by_name};

impl Tokens<'_> {
    /// Parses the action of a step.
    pub(super) fn action(&mut self) -> Line<Action> {
        let word = self.next()?;
        let (first, rest) = word.split_once('.').unwrap_or((word, ""));
        let unknown = || format!("`{word}` is not an action");
        Ok(match first {
            "nop" => Action::Nothing,
            "compare" => {
                let test = test(rest).ok_or_else(unknown)?;
                let to = [self.maybe_register('p')?, self.maybe_register('p')?];
                let from = [self.source()?, self.source()?];
                let combine = Combine::by_name(self.next()?).ok_or("no `and`, `or`, `xor`")?;
                Action::Compare { test, from, to, with: (combine, self.predicate()?) }
            }
            "logic" => {
                let table = number(rest).and_then(|table| table.try_into().ok());
                let table = table.ok_or_else(unknown)?;
                let to = self.register('p')?;
                Action::Logic { table, to, from: [self.predicate()?, self.predicate()?] }
            }
            "load" => Action::Load(Box::new(self.load(rest)?)),
            "store" => {
                let mut access = access(rest).ok_or_else(unknown)?;
                let from = (0..access.count).map(|_| self.source()).collect::<Line<_>>()?;
                self.address(&mut access)?;
                Action::Store(Box::new(Store { access, from }))
            }
            "atomic" => Action::Atomic(Box::new(self.atomic(rest)?)),
            "shfl" => {
                let mode = Shuffling::by_name(rest).ok_or_else(unknown)?;
                let (to, valid) = (self.maybe_register('n')?, self.maybe_register('p')?);
                let [a, b, c] = [self.source()?, self.source()?, self.source()?];
                let members = self.maybe(Self::source)?;
                Action::Shuffle(Box::new(Shuffle { mode, a, b, c, members, to, valid }))
            }
            "vote" => {
                let mode = Vote::by_name(rest).ok_or_else(unknown)?;
                let (to, of) = (self.vreg()?, self.predicate()?);
                Action::Vote { mode, to, of, members: self.maybe(Self::source)? }
            }
            "match" if matches!(rest, "all" | "any") => {
                let (to, same) = (self.maybe_register('n')?, self.maybe_register('p')?);
                let (of, members) = (self.source()?, self.source()?);
                Action::Match(Box::new(Match { all: rest == "all", of, members, to, same }))
            }
            "redux" => {
                let op = Reduce::by_name(rest).ok_or_else(unknown)?;
                let to = self.register('n')?;
                Action::Redux { op, to, of: self.source()?, members: self.source()? }
            }
            "warpsync" => Action::Sync { members: self.source()? },
            "activemask" => Action::ActiveMask { to: self.vreg()? },
            "rarely" => Action::Rarely { of: self.predicate()?, steps: self.number()? },
            "count" => Action::Count { counter: self.number()?, of: self.maybe(Self::predicate)? },
            "issue" => Action::Issue { counter: self.number()?, of: self.maybe(Self::predicate)? },
            "countzeros" => Action::CountZeros(self.source()?),
            _ => {
                let op = op_by_name(word).ok_or_else(unknown)?;
                let to = self.vreg()?;
                Action::Compute { op, to, from: self.sources()? }
            }
        })
    }

    fn load(&mut self, kind: &str) -> Line<Load> {
        let unknown = || format!("`load.{kind}` is not a load");
        let (kind, keep) = match kind.split_once(".keep.") {
            Some((kind, keep)) => (kind, number(keep).ok_or_else(unknown)?),
            None => (kind, u64::MAX),
        };
        let (kind, signed) =
            kind.strip_suffix(".signed").map_or((kind, false), |kind| (kind, true));
        let mut access = access(kind).ok_or_else(unknown)?;
        let to = (0..access.count).map(|_| self.maybe(Self::vreg)).collect::<Line<_>>()?;
        self.address(&mut access)?;
        Ok(Load { access, signed, keep, to })
    }

    fn atomic(&mut self, kind: &str) -> Line<Atomic> {
        let known = Change::NAMES.iter().find_map(|&(name, change)| {
            let access = access(kind.strip_prefix(name)?.strip_prefix('.')?)?;
            Some((change, access))
        });
        let (change, mut access) =
            known.ok_or_else(|| format!("`atomic.{kind}` is not an atomic"))?;
        let (to, b, c) = (self.maybe(Self::vreg)?, self.source()?, self.maybe(Self::source)?);
        self.address(&mut access)?;
        Ok(Atomic { access, change, to, b, c })
    }

    fn address(&mut self, access: &mut Access) -> Line<()> {
        self.expect("[")?;
        let first = self.source()?;
        (access.base, access.offset) = match first {
            Source::Literal(offset) if !self.has("+") => (None, offset),
            base => {
                self.has("+");
                (Some(base), self.number()?)
            }
        };
        self.expect("]")?;
        if self.has("site") {
            access.site = self.number()?;
        }
        if self.has("map") {
            access.map = self.number()?;
        }
        Ok(())
    }
}

/// Parses the kind of an access, such as `global.4x2`, which the address follows.
fn access(kind: &str) -> Option<Access> {
    let (space, elements) = kind.split_once('.')?;
    let (size, count) = elements.split_once('x')?;
    let [size, count] = [size, count].map(|of| of.parse::<u8>().ok());
    let space = Space::by_name(space)?;
    Some(Access { space, size: size?, count: count?, base: None, offset: 0, site: 0, map: 0 })
}

/// Parses a comparison, such as `f32.lt.unordered`.
fn test(text: &str) -> Option<Test> {
    if text == "f32.special" {
        return Some(Test::Special);
    }
    let mut parts = text.split('.');
    let (kind, relation) = (parts.next()?, Relation::by_name(parts.next()?)?);
    let unordered = match parts.next() {
        None => false,
        Some("unordered") => true,
        Some(_) => return None,
    };
    Some(match (kind, unordered) {
        ("s32", false) => Test::Signed(relation),
        ("u32", false) => Test::Unsigned(relation),
        ("s64", false) => Test::SignedWide(relation),
        ("u64", false) => Test::UnsignedWide(relation),
        ("f32", _) => Test::Float { relation, unordered },
        ("f64", _) => Test::Double { relation, unordered },
        _ => return None,
    })
}
