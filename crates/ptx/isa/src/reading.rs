//! Parsing of an instruction's modifiers: finds the matching forms in the instruction table, and
//! sets the fields of [`Modifiers`].
//!
//! As in ptxas, modifiers may be in any order, except that types and state spaces keep their order
//! and that the sub-operation (`tex.level`, `suld.b`) follows the opcode.

use crate::form::{Class, Form, Slot, apply};
use crate::gate::is_space;
use crate::table::{forms_of, is_type};
use crate::{Modifiers, Opcode};

/// Modifiers that ptxas silently accepts twice.
const REPEATABLE: &[&str] =
    &["NaN", "approx", "cc", "relu", "sat", "satfinite", "shiftamt", "sync", "uni"];

/// Why an instruction's modifiers match no form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModifierError {
    /// A modifier is not valid in the form that matches the other modifiers best.
    Unexpected {
        /// Index of the modifier.
        index: usize,
        /// Modifiers that would be valid in its place; empty if none would be.
        expected: Vec<&'static str>,
    },
    /// A modifier was given twice.
    Duplicate {
        /// Index of the second occurrence.
        index: usize,
        /// Index of the first occurrence.
        first: usize,
    },
    /// A modifier must follow the opcode directly.
    Misplaced {
        /// Index of the modifier.
        index: usize,
    },
    /// A modifier is missing.
    Missing {
        /// The modifiers of which one must be added.
        expected: Vec<&'static str>,
        /// The class of the missing modifier.
        class: Class,
    },
}

/// Finds the forms of an opcode that match the modifiers, and parses the modifiers into fields.
/// Several forms match only if their operands distinguish them.
///
/// # Errors
///
/// If no form matches, the error of the form that matches the most modifiers. If several forms
/// match equally many, the error lists the modifiers that any of these forms accepts.
pub fn read_modifiers(
    opcode: Opcode,
    words: &[&str],
) -> Result<(Modifiers, Vec<&'static Form>), ModifierError> {
    let mut fitting = Vec::new();
    let mut best: Option<(usize, ModifierError)> = None;
    for form in forms_of(opcode) {
        match fit(form, words) {
            Ok(slots) => fitting.push((form, slots)),
            Err((score, error)) => match &mut best {
                Some((s, _)) if score < *s => {}
                Some((s, known)) if score == *s => add_choices(known, error),
                _ => best = Some((score, error)),
            },
        }
    }
    let Some((form, slots)) = fitting.first() else {
        let nothing = ModifierError::Unexpected { index: 0, expected: Vec::new() };
        return Err(best.map_or(nothing, |(_, error)| error));
    };
    // Fields are set in slot order: a flag such as `.red` before fields that depend on it.
    let mut mods = Modifiers::default();
    for (i, slot) in form.slots.iter().enumerate() {
        for (word, _) in words.iter().zip(slots).filter(|(_, of)| **of == i) {
            if let Some(text) = slot.words.iter().find(|w| *w == word) {
                apply(slot.class, text, &mut mods);
            }
        }
    }
    Ok((mods, fitting.into_iter().map(|(form, _)| form).collect()))
}

/// Merges the errors of two forms that match equally many modifiers: the modifiers that either form
/// accepts may have been intended.
fn add_choices(known: &mut ModifierError, other: ModifierError) {
    match (known, other) {
        (
            ModifierError::Missing { expected, class },
            ModifierError::Missing { expected: more, class: other },
        ) => {
            match (*class == other, *class, other) {
                (true, _, _) => add(expected, more),
                // A missing type or query, which all of the forms need, is reported first.
                (_, Class::Type | Class::Query, _) => {}
                (_, _, Class::Type) => (*class, *expected) = (other, more),
                // The forms miss modifiers of different classes, such as a rounding mode in one
                // and `.approx` in another, so that the error names no class.
                _ => {
                    *class = Class::Flag;
                    add(expected, more);
                }
            }
        }
        (
            ModifierError::Unexpected { index, expected },
            ModifierError::Unexpected { index: other, expected: more },
        ) if *index == other => add(expected, more),
        _ => {}
    }
}

fn add(words: &mut Vec<&'static str>, more: Vec<&'static str>) {
    for word in more {
        if !words.contains(&word) {
            words.push(word);
        }
    }
}

/// For each modifier, the index of the form's slot that it fills; `None` if a modifier fits no slot
/// in an order that ptxas accepts. Mandatory slots may remain empty.
pub fn slots(form: &Form, words: &[&str]) -> Option<Vec<usize>> {
    place(form, words).ok()
}

fn place(form: &Form, words: &[&str]) -> Result<Vec<usize>, (usize, ModifierError)> {
    let mut slot_of_word: Vec<usize> = Vec::with_capacity(words.len());
    // The index after the slot of the last type, and after the slot of the last state space.
    let mut next = [0; 2];
    for (index, word) in words.iter().enumerate() {
        let typed = is_type(word);
        let free = |s: usize| !slot_of_word.contains(&s);
        let takes = |s: usize| {
            let slot = &form.slots[s];
            let in_order = |order: Order| {
                // Types keep their order: a skipped type slot could not be filled any more.
                let first = next[order as usize];
                let jumped = form.slots.get(first..s).unwrap_or_default();
                s >= first && !jumped.iter().any(|s| order.is_of(s) && !s.optional)
            };
            slot.words.contains(word) && ordered(slot).is_none_or(in_order)
        };
        let Some(slot) = (0..form.slots.len()).find(|&s| free(s) && takes(s)) else {
            if let Some(again) = repeated(form, words, index, &slot_of_word) {
                slot_of_word.push(again);
                continue;
            }
            let score = 4 * index + usize::from(typed);
            return Err((score, unexpected(form, words, index, &slot_of_word)));
        };
        // A modifier with a fixed position follows the opcode, or another modifier with a fixed
        // position.
        let pinned = |s: &usize| form.slots[*s].pinned && *s < slot;
        if form.slots[slot].pinned && !slot_of_word.iter().all(pinned) {
            return Err((4 * index, ModifierError::Misplaced { index }));
        }
        if let Some(order) = ordered(&form.slots[slot]) {
            next[order as usize] = slot + 1;
        }
        slot_of_word.push(slot);
    }
    Ok(slot_of_word)
}

/// The slot index of each modifier; or the error, with a score of how many modifiers matched.
fn fit(form: &Form, words: &[&str]) -> Result<Vec<usize>, (usize, ModifierError)> {
    let slot_of_word = place(form, words)?;
    let mut missing = (0..form.slots.len())
        .filter(|s| !form.slots[*s].optional && !slot_of_word.contains(s))
        .map(|s| &form.slots[s]);
    let missing = match missing.next() {
        // A missing type is reported before a missing rounding mode, which depends on the type.
        Some(slot) if slot.class == Class::Rounding && !words.iter().any(|w| is_type(w)) => {
            Some(missing.find(|s| s.class == Class::Type).unwrap_or(slot))
        }
        slot => slot,
    };
    let Some(Slot { class, words: expected, .. }) = missing else { return Ok(slot_of_word) };
    // The form with a cache policy is not the best match if it lacks only `.L2::cache_hint`.
    let score = if *class == Class::Policy { 0 } else { 4 * words.len() + 2 };
    Err((score, ModifierError::Missing { expected: expected.clone(), class: *class }))
}

/// Modifiers that keep their relative order: types, or state spaces.
#[derive(Clone, Copy)]
enum Order {
    Types,
    Spaces,
}

impl Order {
    /// Whether a slot is for modifiers of this kind.
    fn is_of(self, slot: &Slot) -> bool {
        match self {
            Self::Types => slot.class == Class::Type,
            Self::Spaces => slot.words.iter().all(|word| is_space(word)),
        }
    }
}

/// The order that the modifiers of a slot must keep, if there is one.
fn ordered(slot: &Slot) -> Option<Order> {
    let typed = || slot.words.iter().any(|w| is_type(w));
    match slot.class {
        Class::Type | Class::Pack => Some(Order::Types),
        Class::Unexecuted if typed() => Some(Order::Types),
        _ => Some(Order::Spaces).filter(|spaces| spaces.is_of(slot)),
    }
}

/// The slot of the flag `words[index]`, if it was given before and may be repeated.
fn repeated(form: &Form, words: &[&str], index: usize, filled: &[usize]) -> Option<usize> {
    let first = words[..index].iter().position(|w| *w == words[index])?;
    let slot = *filled.get(first)?;
    let class = form.slots[slot].class;
    // Hints count as flags, because `.uni` is a hint in a texture fetch.
    let flag = matches!(class, Class::Flag | Class::Hint);
    (flag && REPEATABLE.contains(&words[index])).then_some(slot)
}

fn unexpected(form: &Form, words: &[&str], index: usize, filled: &[usize]) -> ModifierError {
    if let Some(first) = words[..index].iter().position(|w| *w == words[index]) {
        let types = form.slots.iter().filter(|s| s.class == Class::Type).count();
        let typed = is_type(words[index]) && types > 1;
        let again =
            !typed && form.slots.iter().filter(|s| s.words.contains(&words[index])).count() < 2;
        if again {
            return ModifierError::Duplicate { index, first };
        }
    }
    let free: Vec<&Slot> =
        (0..form.slots.len()).filter(|s| !filled.contains(s)).map(|s| &form.slots[s]).collect();
    let typed = is_type(words[index]);
    let wanted = free.iter().find(|s| typed == (s.class == Class::Type) && !s.optional);
    let wanted = wanted.or_else(|| free.iter().find(|s| !s.optional)).or(free.first());
    ModifierError::Unexpected {
        index,
        expected: wanted.map(|s| s.words.clone()).unwrap_or_default(),
    }
}
