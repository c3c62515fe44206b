//! The operands of an instruction, read from their text in the order in which the instruction lists
//! its parts.

use super::{Parser, split};
use crate::code::{AT_RETURN, Func, Located, NONE, Passed, Slot, Value, Word, words as words_of};
use crate::flow::PartsMut;
use crate::lower::product_of;
use std::collections::VecDeque;
use std::sync::Arc;
use texunit_alu::{self as alu, Alu, Approximate, Row};
use texunit_check::ir::VarId;
use texunit_flow::Access;
use texunit_isa::{Modifiers, Opcode, read_modifiers};
use texunit_syntax::Span;
use texunit_tensor::Operation;

/// The items of an instruction that have not been parsed yet.
pub(super) struct Items<'p, 't> {
    pub(super) parser: &'p mut Parser<'t>,
    pub(super) span: Span,
    pub(super) words: VecDeque<&'t str>,
    pub(super) to: VecDeque<&'t str>,
    pub(super) from: VecDeque<&'t str>,
    pub(super) fields: Vec<&'t str>,
    /// The first error.
    pub(super) error: Option<String>,
}

impl<'t> Items<'_, 't> {
    /// The first error, or that an item is left.
    pub(super) fn end(self) -> Option<String> {
        let mut left =
            self.words.iter().chain(&self.to).chain(&self.from).chain(&self.fields).copied();
        self.error.or_else(|| left.next().map(|item| format!("`{item}` is not expected")))
    }

    fn next(&mut self, access: Access) -> Option<&'t str> {
        if access == Access::Def { self.to.pop_front() } else { self.from.pop_front() }
    }

    /// The value, or an error that names the item.
    fn good<T>(&mut self, item: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.error.get_or_insert_with(|| format!("`{item}` is not valid here"));
        }
        value
    }

    pub(super) fn of_slot(&mut self, item: &str) -> Slot {
        let slot = self.slot_of(item);
        self.good(item, slot).unwrap_or(Slot::NONE)
    }

    fn slot_of(&mut self, item: &str) -> Option<Slot> {
        let Func { narrow, wide, predicates, .. } = *self.parser.code.funcs.last()?;
        let index = |digits: &str, most: u32| digits.parse().ok().filter(|&index| index < most);
        let (digits, is_wide) =
            item.strip_suffix('L').map_or((item, false), |digits| (digits, true));
        Some(match (item, item.split_at_checked(1)?) {
            ("_", _) => Slot::NONE,
            ("true", _) => Slot::TRUE,
            ("false", _) => Slot::FALSE,
            (_, ("n", number)) => Slot::narrow(index(number, narrow)?),
            (_, ("w", number)) => Slot::wide(index(number, wide)?),
            (_, ("p", number)) => Slot::predicate(index(number, predicates)?),
            (_, ("!", number)) => {
                Slot::predicate(index(number.strip_prefix('p')?, predicates)?).negated()
            }
            _ => match digits.strip_prefix("shared") {
                Some(place) => {
                    let (variable, addend) = place.split_once('+')?;
                    let variable = VarId(u32::parse(variable)?);
                    self.parser.pools.shared(variable, u64::parse(addend)?, is_wide)
                }
                None if is_wide => self.parser.pools.constant(u64::parse(digits)?, true),
                None => self.parser.pools.constant(u32::parse(digits)?.into(), false),
            },
        })
    }

    fn of_value(&mut self, item: &str) -> Value {
        match item.strip_prefix("frame ") {
            Some(at) => {
                let at = u32::parse(at);
                Value::Frame(self.good(item, at).unwrap_or_default())
            }
            None => Value::Register(self.of_slot(item)),
        }
    }

    /// The elements of a list: of one without brackets, or in brackets.
    fn list_of<T>(&mut self, access: Access, parse: fn(&mut Self, &str) -> T) -> Vec<T> {
        let item = self.next(access).unwrap_or("[]");
        let inner = item.strip_prefix('[').and_then(|item| item.strip_suffix(']'));
        split(inner.unwrap_or(item)).map(|item| parse(self, item)).collect()
    }

    fn place(&mut self, item: &str) -> u32 {
        let labels = self.parser.code.funcs.len().checked_sub(1);
        let at = match item {
            "nowhere" => Some(NONE),
            "return" => Some(AT_RETURN),
            _ => labels.and_then(|of| self.parser.labels.get(of)?.get(item).copied()),
        };
        self.good(item, at).unwrap_or(NONE)
    }

    fn passed_of(&mut self, item: &str) -> Passed {
        let (item, shadow) = item.split_once(" shadow ").unwrap_or((item, "_"));
        let (value, place) = item.split_once(" at ").unwrap_or((item, ""));
        let place = place.split_once('+').and_then(|(a, b)| Some((u32::parse(a)?, u32::parse(b)?)));
        let (offset, size) = self.good(item, place).unwrap_or_default();
        Passed { value: self.of_value(value), offset, size, shadow: self.of_slot(shadow) }
    }

    /// The value of a field; `None` if the instruction does not have the field.
    fn field_of(&mut self, name: &str) -> Option<&'t str> {
        let value = |item: &str| item.strip_prefix(name)?.strip_prefix('=').map(str::len);
        let (at, len) =
            self.fields.iter().enumerate().find_map(|(at, item)| Some((at, value(item)?)))?;
        let item = self.fields.remove(at);
        Some(&item[item.len() - len..])
    }

    /// Opcode and modifiers of the PTX that the instruction was lowered from.
    fn instruction(&self) -> Option<(Opcode, Modifiers)> {
        let words: Vec<&str> = words_of(self.parser.source, self.span).collect();
        let (opcode, words) = words.split_first()?;
        let opcode = Opcode::from_name(opcode)?;
        Some((opcode, read_modifiers(opcode, words).ok()?.0))
    }
}

impl PartsMut for Items<'_, '_> {
    fn slot(&mut self, access: Access, slot: &mut Slot) {
        *slot = self.next(access).map_or(Slot::NONE, |item| self.of_slot(item));
    }

    fn list(&mut self, access: Access, slots: &mut Vec<Slot>) {
        *slots = self.list_of(access, Self::of_slot);
    }

    fn value(&mut self, access: Access, value: &mut Value) {
        *value = self.next(access).map_or(Value::default(), |item| self.of_value(item));
    }

    fn values(&mut self, values: &mut Vec<Value>) {
        *values = self.list_of(Access::Use, Self::of_value);
    }

    fn result(&mut self, value: &mut Option<Value>) {
        *value = self.to.pop_front().map(|item| self.of_value(item));
    }

    fn passed(&mut self, access: Access, all: &mut Vec<Passed>) {
        *all = self.list_of(access, Self::passed_of);
    }

    fn located(&mut self, Located { mem_space, base, offset }: &mut Located) {
        self.word(mem_space);
        let item = self.from.pop_front().unwrap_or("nothing");
        let inner = item.strip_prefix('[').and_then(|item| item.strip_suffix(']'));
        let inner = self.good(item, inner).unwrap_or("_");
        let (first, number) = match (inner.split_once(" + "), inner.split_once(" - ")) {
            (Some((base, number)), _) => (base, u64::parse(number)),
            (None, Some((base, number))) => (base, u64::parse(number).map(u64::wrapping_neg)),
            (None, None) => {
                u64::parse(inner).map_or((inner, Some(0)), |number| ("_", Some(number)))
            }
        };
        (*base, *offset) = (self.of_slot(first), self.good(item, number).unwrap_or(0));
    }

    fn word<T: Word>(&mut self, word: &mut T) {
        let text = self.words.pop_front().unwrap_or_default();
        if let Some(value) = self.good(text, T::parse(text)) {
            *word = value;
        }
    }

    fn flag(&mut self, name: &'static str, is: &mut bool) {
        *is = self.words.pop_front_if(|word| *word == name).is_some();
    }

    fn some<T: Default>(&mut self, name: &'static str, value: &mut Option<T>) {
        let mut is = false;
        self.flag(name, &mut is);
        *value = is.then(T::default);
    }

    fn field<T: Word + PartialEq>(&mut self, name: &'static str, default: T, value: &mut T) {
        let text = self.field_of(name);
        *value = text.and_then(|text| self.good(text, T::parse(text))).unwrap_or(default);
    }

    fn target(&mut self, target: &mut u32) {
        let item = self.to.pop_front().unwrap_or("nothing");
        *target = self.place(item);
    }

    fn targets(&mut self, targets: &mut Box<[u32]>) {
        *targets = self.list_of(Access::Def, Self::place).into();
    }

    fn meets(&mut self, at: &mut u32) {
        let item = self.to.pop_front_if(|item| item.starts_with("meets "));
        *at = item.map_or(NONE, |item| self.place(&item[6..]));
    }

    fn function(&mut self, number: &mut u32) {
        let name = self.field_of("function").unwrap_or("nothing");
        *number = self.parser.functions.get(name).copied().unwrap_or(NONE);
    }

    /// The mnemonic is the row's.
    fn row(&mut self, _: &mut &'static Row) {}

    fn alu(&mut self, function: &mut Alu) {
        let kind = self.words.pop_front().unwrap_or_default();
        let found = self.instruction().and_then(|(opcode, mods)| match kind {
            "Carry" => Some(alu::find(opcode, &mods, 3, Approximate::Card)?.function()),
            _ => alu::with_data(opcode, &mods),
        });
        let is_same = |of: &Alu| format!("{of:?}").split('(').next() == Some(kind);
        if let Some(found) = self.good(kind, found.filter(is_same)) {
            *function = found;
        }
    }

    fn operation(&mut self, operation: &mut Arc<Operation>) {
        let mut selector = 0;
        self.field("selector", 0, &mut selector);
        let found = self.instruction();
        let found = found.and_then(|(opcode, mods)| product_of(opcode, &mods, selector));
        if let Some(found) = self.good("mma", found) {
            *operation = found;
        }
    }
}
