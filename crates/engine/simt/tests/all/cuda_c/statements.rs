//! Statements: assignments, loops, branches, calls, pointers, atomics.

use super::types::{ALL, Expressions, Place, Ty};

/// A function that may be called; its last parameter is a structure.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) params: Vec<Ty>,
}

/// Memory that all threads update by one kind of atomic, and whose previous values are not used.
pub(crate) struct Atomics {
    place: Place,
    function: &'static str,
}

impl Atomics {
    pub(crate) fn new(ty: Ty, text: &str, function: &'static str, count: u32) -> Self {
        Self { place: Place::array(ty, text, count), function }
    }
}

pub(crate) struct Statements<'a> {
    pub(crate) expressions: Expressions<'a>,
    /// Variables that may be written.
    writes: Vec<Place>,
    pub(crate) text: String,
    pub(crate) functions: Vec<Function>,
    pub(crate) atomics: Vec<Atomics>,
    /// Members of the structure, and its name, if there are variables `me->s0` and `me->s1` of it.
    pub(crate) members: Vec<Ty>,
    pub(crate) structure: Option<String>,
    /// Result type of the function, if it has a result.
    pub(crate) result: Option<Ty>,
    /// Whether the function may return early.
    pub(crate) may_return: bool,
    /// Names of variables.
    names: u32,
    indent: usize,
    /// Whether `break` and `continue` are allowed.
    in_loop: bool,
}

impl<'a> Statements<'a> {
    pub(crate) fn new(expressions: Expressions<'a>, writes: Vec<Place>) -> Self {
        Self {
            expressions,
            writes,
            text: String::new(),
            functions: Vec::new(),
            atomics: Vec::new(),
            members: Vec::new(),
            structure: None,
            result: None,
            may_return: false,
            names: 0,
            indent: 1,
            in_loop: false,
        }
    }

    fn line(&mut self, line: &str) {
        self.text += &"    ".repeat(self.indent);
        self.text += line;
        self.text.push('\n');
    }

    fn below(&mut self, n: u32) -> u32 {
        self.expressions.random.below(n)
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Some statements, nested up to a depth. Their declarations end with them.
    pub(crate) fn block(&mut self, count: u32, depth: u32) {
        let (reads, writes) = (self.expressions.reads.len(), self.writes.len());
        for _ in 0..count {
            self.statement(depth);
        }
        self.expressions.reads.truncate(reads);
        self.writes.truncate(writes);
    }

    /// Some statements in braces.
    fn inner(&mut self, head: &str, depth: u32) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        let count = 1 + self.below(3);
        self.block(count, depth - 1);
        self.indent -= 1;
        self.line("}");
    }

    fn statement(&mut self, depth: u32) {
        match self.below(24) {
            0..=2 if depth > 0 => self.branch(depth),
            3..=5 if depth > 0 && !self.in_loop => self.repeat(depth),
            6 if depth > 0 => self.switch(depth),
            7 | 8 if !self.functions.is_empty() => self.call(),
            9 if self.structure.is_some() => self.member_pointer(),
            10 | 11 => self.pointer(),
            12 | 13 if !self.atomics.is_empty() => self.atomic(),
            14 => self.declare(),
            15 if self.in_loop => self.leave_loop(),
            16 if depth == 0 && !self.in_loop => self.leave(),
            _ => self.assign(),
        }
    }

    fn assign(&mut self) {
        let place = self.expressions.random.pick(&self.writes).clone();
        let (to, value) = (self.expressions.element(&place, 1), self.expressions.of(place.ty, 2));
        self.line(&format!("{to} = {value};"));
    }

    fn declare(&mut self) {
        let (ty, name) = (self.expressions.random.of(&ALL), self.name());
        let value = self.expressions.of(ty, 2);
        self.line(&format!("{} {name} = {value};", ty.name()));
        self.expressions.reads.push(Place::new(ty, name.clone()));
        self.writes.push(Place::new(ty, name));
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.expressions.condition(1);
        self.inner(&format!("if ({condition})"), depth);
        if self.below(2) == 0 {
            self.inner("else", depth);
        }
    }

    /// A loop of at most seven iterations. Loops are only nested through functions.
    fn repeat(&mut self, depth: u32) {
        let (i, turns) = (self.name(), self.expressions.of(Ty::U32, 1));
        let turns = if self.below(3) == 0 { "5".to_owned() } else { format!("({turns}) % 8u") };
        let kind = self.below(3);
        let head = match kind {
            0 => format!("for (u32 {i} = 0, {i}_end = {turns}; {i} < {i}_end; {i}++)"),
            1 => {
                self.line(&format!("u32 {i} = {turns};"));
                format!("while ({i}-- > 0)")
            }
            _ => {
                self.line(&format!("u32 {i} = {turns};"));
                "do".to_owned()
            }
        };
        self.in_loop = true;
        self.expressions.reads.push(Place::new(Ty::U32, i.clone()));
        self.inner(&head, depth);
        if kind == 2 {
            self.line(&format!("while ({i}-- > 1 && {i} < 8);"));
        }
        self.expressions.reads.retain(|place| place.text != i);
        self.in_loop = false;
    }

    fn switch(&mut self, depth: u32) {
        let on = self.expressions.of(Ty::U32, 1);
        let cases = 3 + self.below(4);
        self.line(&format!("switch (({on}) % {}u) {{", cases + 1));
        let in_loop = std::mem::replace(&mut self.in_loop, false);
        for case in 0..cases {
            self.inner(&format!("case {case}:"), depth);
            if self.below(4) != 0 {
                self.line("break;");
            }
        }
        self.inner("default:", depth);
        self.in_loop = in_loop;
        self.line("}");
    }

    fn leave_loop(&mut self) {
        let (condition, how) =
            (self.expressions.condition(1), self.expressions.random.of(&["break", "continue"]));
        self.line(&format!("if ({condition}) {how};"));
    }

    fn leave(&mut self) {
        let condition = self.expressions.condition(1);
        match self.result {
            Some(ty) => {
                let value = self.expressions.of(ty, 1);
                self.line(&format!("if ({condition}) return {value};"));
            }
            None if self.may_return => self.line(&format!("if ({condition}) return;")),
            None => self.assign(),
        }
    }

    fn call(&mut self) {
        let function = self.expressions.random.pick(&self.functions).clone();
        let arguments: String =
            function.params.iter().map(|&ty| self.expressions.of(ty, 1) + ", ").collect();
        let call = format!("{}({arguments}&me->s{})", function.name, self.below(2));
        // The destination is neither in memory of the CTA nor in the structure, because the call is
        // evaluated first.
        let name = self.name();
        self.line(&format!("{} {name} = {call};", function.ty.name()));
        self.expressions.reads.push(Place::new(function.ty, name));
    }

    /// An access through a pointer to one of several variables, which may be in different memories.
    fn pointer(&mut self) {
        let of = self.expressions.random.pick(&self.writes).ty;
        let fits: Vec<Place> = self.writes.iter().filter(|p| p.ty == of).cloned().collect();
        let mut choose = || {
            let place = self.expressions.random.pick(&fits).clone();
            self.expressions.element(&place, 1)
        };
        let (a, b) = (choose(), choose());
        let (name, condition) = (self.name(), self.expressions.condition(1));
        self.line(&format!("{} *{name} = {condition} ? &{a} : &{b};", of.name()));
        self.expressions.reads.push(Place::new(of, format!("(*{name})")));
        let value = self.expressions.of(of, 2);
        self.line(&format!("*{name} = {value};"));
    }

    /// An access by a pointer to a member.
    fn member_pointer(&mut self) {
        let Some(structure) = self.structure.clone() else { return };
        let first = self.below(self.members.len() as u32) as usize;
        let ty = self.members[first];
        let same: Vec<usize> = (0..self.members.len()).filter(|&i| self.members[i] == ty).collect();
        let second = self.expressions.random.of(&same);
        let (name, condition) = (self.name(), self.expressions.condition(1));
        let all = format!("{structure}::*{name}");
        self.line(&format!(
            "{} {all} = {condition} ? &{structure}::m{first} : &{structure}::m{second};",
            ty.name()
        ));
        let (object, other) = (self.below(2), self.below(2));
        self.expressions.reads.push(Place::new(ty, format!("(me->s{other}.*{name})")));
        let value = self.expressions.of(ty, 2);
        self.line(&format!("me->s{object}.*{name} = {value};"));
    }

    fn atomic(&mut self) {
        let i = self.below(self.atomics.len() as u32) as usize;
        let (place, function) = (self.atomics[i].place.clone(), self.atomics[i].function);
        let at = self.expressions.element(&place, 1);
        let value = match function {
            "atomicInc" | "atomicDec" => "77u".to_owned(),
            // Sums of small integers are exact, in whatever order.
            _ if place.ty.is_float() => {
                format!("({})({} & 15)", place.ty.name(), self.expressions.of(Ty::U32, 2))
            }
            _ => self.expressions.of(place.ty, 2),
        };
        self.line(&format!("{function}(&{at}, {value});"));
    }
}
