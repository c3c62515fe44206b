//! Shadow operations of arithmetic, comparisons and copies.

use super::*;

impl ShadowBuilder<'_> {
    /// Marks the destinations of the instruction as initialised.
    pub(super) fn defined(&mut self) {
        let inst = self.inst;
        writes(&inst.op, &mut |slot| self.all(slot, None));
    }

    /// Marks the result of a built-in function as initialised.
    pub(super) fn defines(&mut self, result: Option<Value>, size: u8) {
        match result {
            Some(Value::Frame(offset)) => {
                let at =
                    Located { mem_space: MemSpace::Frame, base: Slot::NONE, offset: offset.into() };
                self.shadow_op(Shadow::Define { at, size });
            }
            _ => self.defined(),
        }
    }

    pub(super) fn copy(&mut self, d: Slot, a: Slot) {
        if let Some(d) = self.destination_shadow(d) {
            let a = self.shadow(a);
            if a.is_wide() == d.is_wide() {
                self.set(d, a);
            } else {
                self.row(if d.is_wide() { Kind::U32ToU64 } else { Kind::Low }, d, a, a);
            }
        }
    }

    pub(super) fn select(&mut self, d: Slot, [a, b]: [Slot; 2], p: Slot) {
        let Some(destination_shadow) = self.destination_shadow(d) else { return };
        let [a, b] = [a, b].map(|slot| self.shadow(slot));
        if a == b {
            self.set(destination_shadow, a);
        } else {
            self.push(Op::Select { d: destination_shadow, a, b, p });
        }
        if self.state(p) != 0 {
            let (ones, p) = (self.ones(d), self.shadow(p));
            let d = destination_shadow;
            self.push(Op::Select { d, a: ones, b: d, p });
        }
    }

    pub(super) fn compute(&mut self, row: &'static Row, d: Slot, s: &[Slot; 4]) {
        let Some(destination_shadow) = self.destination_shadow(d) else { return };
        let tracked = |slot: Slot| self.state(slot) != 0;
        if !s.iter().any(|&slot| tracked(slot)) {
            let zero = self.zero(d);
            return self.set(destination_shadow, zero);
        }
        let rule = arithmetic::rule(row);
        match rule {
            Rule::Moves(data) if (0..4).all(|i| data.contains(&i) || !tracked(s[i])) => {
                let of = |i: usize| if data.contains(&i) { self.shadow(s[i]) } else { s[i] };
                let s = [of(0), of(1), of(2), of(3)];
                self.push(Op::Compute { row, d: destination_shadow, s });
            }
            Rule::Each => {
                if let Some(bits) = self.union(d, s, 0) {
                    self.set(destination_shadow, bits);
                }
            }
            Rule::And | Rule::Or => {
                self.masked(destination_shadow, [s[0], s[1]], rule == Rule::And)
            }
            Rule::Upwards => {
                let Some(bits) = self.union(d, s, 0) else { return };
                let (other, zero) = (self.scratch(d, 1), self.zero(d));
                let kind = if is_wide(d) { Kind::Sub64 } else { Kind::Sub };
                self.row(kind, other, zero, bits);
                self.either(destination_shadow, other, bits);
            }
            _ => {
                let any = self.any(s);
                self.all(d, any);
            }
        }
    }

    /// Shadow of `and` and `or`: an initialised 0 or 1, respectively, determines the result's bit.
    pub(super) fn masked(&mut self, destination_shadow: Slot, [a, b]: [Slot; 2], is_and: bool) {
        let both = self.state(a) != 0 && self.state(b) != 0;
        // The operand that may be uninitialised comes first.
        let (a, b) = if self.state(a) == 0 { (b, a) } else { (a, b) };
        let (x, y) = (self.shadow(a), self.shadow(b));
        if is_wide(destination_shadow) {
            match (both, is_and) {
                (true, _) => self.either(destination_shadow, x, y),
                (false, true) => self.row(Kind::And64, destination_shadow, x, b),
                (false, false) => self.set(destination_shadow, x),
            }
            return;
        }
        let decides = if is_and { B } else { !B };
        if !both {
            let zero = self.zero(destination_shadow);
            return self.bits(A & decides, destination_shadow, [x, b, zero]);
        }
        let part = self.scratch(destination_shadow, 0);
        self.bits(A | (decides & C), part, [x, a, y]);
        self.bits(A & (decides | C), destination_shadow, [part, b, y]);
    }

    pub(super) fn table(&mut self, d: Slot, s: &[Slot; 3], table: u8) {
        let Some(destination_shadow) = self.destination_shadow(d) else { return };
        // Sources that may be uninitialised and that the result depends on.
        let masks = [4_u8, 2, 1];
        let matters = |mask: u8, k: u8| (table >> (k & !mask) ^ table >> (k | mask)) & 1 == 1;
        let tracked: Vec<usize> = (0..3)
            .filter(|&i| self.state(s[i]) != 0 && (0..8).any(|k| matters(masks[i], k)))
            .collect();
        let zero = self.zero(d);
        match tracked[..] {
            [] => self.set(destination_shadow, zero),
            [i] => {
                let is = |k: &u8| k & masks[i] != 0 && matters(masks[i], *k);
                let table = (0..8).filter(is).fold(0, |table, k| table | 1 << k);
                let mut from = *s;
                from[i] = self.shadow(s[i]);
                self.bits(table, destination_shadow, from);
            }
            _ => {
                let all: Vec<Slot> = tracked.iter().map(|&i| s[i]).collect();
                if let Some(bits) = self.union(d, &all, 0) {
                    self.set(destination_shadow, bits);
                }
            }
        }
    }

    pub(super) fn compare(&mut self, sources: &[Slot], to: &CompareTo) {
        if self.destination_shadow(to.p).is_none() && self.destination_shadow(to.q).is_none() {
            return;
        }
        let mut found = self.any(sources);
        let (q, c) = (self.some_predicate(0), self.shadow(to.c));
        let c_tracked = self.state(to.c) != 0;
        if let (Some(_), true) = (found, to.c != Slot::TRUE) {
            // An initialised predicate can determine the result.
            let undecided = match to.op {
                BoolOp::And => Some(to.c),
                BoolOp::Or => Some(to.c.negated()),
                BoolOp::Xor => None,
            };
            if let Some(undecided) = undecided {
                let other = self.some_predicate(1);
                self.logic(OR, other, undecided, c);
                self.logic(AND, q, q, other);
            }
        }
        if c_tracked {
            match found {
                None => self.set(q, c),
                Some(_) => self.logic(OR, q, q, c),
            }
            found = Some(q);
        }
        self.all(to.p, found);
        self.all(to.q, found);
    }

    /// Shadow of boolean operations on predicates: a source matters where the other source does not
    /// determine the result.
    pub(super) fn predicates(&mut self, table: u8, d: Slot, a: Slot, b: Slot) {
        let Some(destination_shadow) = self.destination_shadow(d) else { return };
        let bit = |a: u32, b: u32| table >> (2 * a + b) & 1;
        // For each source: whether it matters where the other source is 0, and where it is 1.
        let a_matters = [0, 1].map(|b| bit(0, b) != bit(1, b));
        let b_matters = [0, 1].map(|a| bit(a, 0) != bit(a, 1));
        let (x, y) = (self.shadow(a), self.shadow(b));
        let part =
            |builder: &mut Self, d: Slot, x: Slot, matters: [bool; 2], other: Slot| match matters {
                [false, false] => builder.set(d, Slot::FALSE),
                [true, true] => builder.set(d, x),
                [false, true] => builder.logic(AND, d, x, other),
                [true, false] => builder.logic(AND_NOT, d, x, other),
            };
        let [first, second] = [0, 1].map(|i| self.some_predicate(i));
        match (self.state(a) != 0, self.state(b) != 0) {
            (false, false) => self.set(destination_shadow, Slot::FALSE),
            (true, false) => part(self, destination_shadow, x, a_matters, b),
            (false, true) => part(self, destination_shadow, y, b_matters, a),
            (true, true) => {
                part(self, first, x, a_matters, b);
                part(self, second, y, b_matters, a);
                self.logic(OR, first, first, second);
                self.logic(AND, second, x, y);
                self.logic(OR, destination_shadow, first, second);
            }
        }
    }

    /// Shadow of arithmetic with an immediate or carries. A predicate tracks whether the carry flag
    /// depends on uninitialised data.
    pub(super) fn rare(&mut self, rare: &Rare) {
        let mut found = self.any(&rare.s);
        if let Alu::Carry(f) = rare.alu {
            let (carry, q) = (self.some_predicate(SCRATCH - 1), self.some_predicate(0));
            match (reads_carry(f), found) {
                (true, Some(p)) => self.logic(OR, carry, carry, p),
                (true, None) => {}
                (false, p) => self.set(carry, p.unwrap_or(Slot::FALSE)),
            }
            self.set(q, carry);
            found = Some(q);
        }
        self.all(rare.d, found);
    }
}
