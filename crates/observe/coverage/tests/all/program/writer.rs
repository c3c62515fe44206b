//! Generates random programs as PTX.

use super::{Body, Node, Program, Test};
use texunit_testkit::Random;

/// Generates a program.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    line: u32,
    labels: u32,
    has_loc: bool,
    /// The number of nodes that may still be generated.
    left: u32,
    /// The number of functions that may be called.
    callable: usize,
    is_kernel: bool,
}

/// The difference between a line number of the source and that of the PTX.
const OFFSET: u32 = 1000;

impl Writer<'_> {
    /// Adds a line that is not an instruction.
    fn plain(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
        self.line += 1;
    }

    /// Adds an instruction. Returns its line number, of the source if there is one.
    fn put(&mut self, text: &str) -> u32 {
        if self.has_loc {
            let source = self.line + 1 + OFFSET;
            self.plain(&format!(".loc 1 {source} 7"));
            self.plain(text);
            return source;
        }
        self.plain(text);
        self.line - 1
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn test(&mut self, then: &str) -> Test {
        let mask = self.random.of(&[1, 2, 3, 5, 8, 16, 31, 0xff]);
        let value = self.random.u32() & mask;
        let lines = [
            self.put(&format!("and.b32 %t, %x, {mask};")),
            self.put(&format!("setp.eq.u32 %p, %t, {value};")),
            self.put(&format!("@%p {then};")),
        ];
        Test { lines, mask, value }
    }

    fn nodes(&mut self, depth: u32) -> Vec<Node> {
        let count = self.random.within(0..=4);
        (0..count).filter_map(|_| self.node(depth)).collect()
    }

    fn node(&mut self, depth: u32) -> Option<Node> {
        self.left = self.left.checked_sub(1)?;
        let deeper = depth < 4;
        Some(match self.random.below(10) {
            0 | 1 if deeper => self.branch(depth),
            2 if deeper => self.turns(depth),
            3 if deeper => self.switch(depth),
            4 if self.callable > 0 => {
                let function = self.random.below(self.callable as u32) as usize;
                let line = self.put(&format!("call (%x), f{function}, (%x);"));
                Node::Call { line, function }
            }
            5 if self.is_kernel && self.random.one_in(3) => {
                let word = self.random.of(&["exit", "ret"]);
                Node::Leave { test: self.test(word) }
            }
            _ => {
                let (a, b) = (self.random.u32() | 1, self.random.u32());
                let line = self.put(&format!("mad.lo.u32 %x, %x, {a}, {b};"));
                Node::Step { line, a, b }
            }
        })
    }

    fn branch(&mut self, depth: u32) -> Node {
        let (there, end) = (self.label(), self.label());
        let test = self.test(&format!("bra {there}"));
        let past = self.nodes(depth + 1);
        let jump = self.random.chance(70).then(|| self.put(&format!("bra {end};")));
        self.plain(&format!("{there}:"));
        let taken = self.nodes(depth + 1);
        self.plain(&format!("{end}:"));
        Node::If { test, taken, jump, past }
    }

    fn turns(&mut self, depth: u32) -> Node {
        let again = self.label();
        let first = self.put(&format!("mov.u32 %c{depth}, 0;"));
        self.plain(&format!("{again}:"));
        let body = self.nodes(depth + 1);
        let add = self.put(&format!("add.u32 %c{depth}, %c{depth}, 1;"));
        let test = self.put(&format!("setp.le.u32 %p, %c{depth}, %n;"));
        let branch = self.put(&format!("@%p bra {again};"));
        Node::Loop { first, body, add, test, branch }
    }

    fn switch(&mut self, depth: u32) -> Node {
        let bits = self.random.within(1..=2);
        let names: Vec<String> = (0..1_usize << bits).map(|_| self.label()).collect();
        let (table, end) = (self.label(), self.label());
        let order: Vec<usize> =
            (0..names.len()).map(|_| self.random.below(names.len() as u32) as usize).collect();
        let list: Vec<&str> = order.iter().map(|&case| &*names[case]).collect();
        let lines = [self.put(&format!("and.b32 %t, %x, {};", (1 << bits) - 1)), {
            self.plain(&format!("{table}: .branchtargets {};", list.join(", ")));
            self.put(&format!("brx.idx %t, {table};"))
        }];
        let cases = names.iter().map(|name| {
            self.plain(&format!("{name}:"));
            (self.nodes(depth + 1), self.put(&format!("bra.uni {end};")))
        });
        let cases = cases.collect();
        self.plain(&format!("{end}:"));
        Node::Switch { bits, lines, cases, order }
    }

    fn registers(&mut self) {
        self.plain(".reg .u32 %x, %t, %n, %c<8>; .reg .u64 %d, %o; .reg .pred %p;");
    }
}

impl Program {
    /// A random program.
    pub(crate) fn new(random: &mut Random) -> Self {
        let has_loc = random.one_in(2);
        let text = String::from(crate::common::HEADER);
        let line = text.lines().count() as u32 + 1;
        let mut w = Writer {
            random,
            text,
            line,
            labels: 0,
            has_loc,
            left: 0,
            callable: 0,
            is_kernel: false,
        };
        assert!(w.text.ends_with('\n'), "the head of a module ends its line");
        if has_loc {
            w.plain(".file 1 \"k.cu\"");
        }
        let mut functions = Vec::new();
        for number in 0..w.random.below(3) {
            w.left = 8;
            let header = w.line;
            w.plain(&format!(".func (.reg .u32 %x) f{number}(.reg .u32 %a) {{"));
            w.plain(".reg .u32 %t, %n, %c<8>; .reg .pred %p;");
            let head = vec![w.put("mov.u32 %x, %a;"), w.put("and.b32 %n, %x, 3;")];
            let nodes = w.nodes(0);
            let tail = vec![w.put("ret;")];
            w.plain("}");
            functions.push(Body { name: format!("f{number}"), header, head, nodes, tail });
            w.callable += 1;
        }
        (w.left, w.is_kernel) = (30, true);
        let header = w.line;
        w.plain(".visible .entry k(.param .u64 out, .param .u32 what) {");
        w.registers();
        let head = [
            "ld.param.u64 %o, [out];",
            "ld.param.u32 %x, [what];",
            "mov.u32 %t, %tid.y;",
            "mov.u32 %n, %ntid.x;",
            "mad.lo.u32 %n, %t, %n, 0;",
            "mov.u32 %t, %tid.x;",
            "add.u32 %n, %n, %t;",
            "mad.lo.u32 %x, %n, 40503, %x;",
            "mov.u32 %t, %ctaid.y;",
            "mov.u32 %n, %nctaid.x;",
            "mad.lo.u32 %n, %t, %n, 0;",
            "mov.u32 %t, %ctaid.x;",
            "add.u32 %n, %n, %t;",
            "mad.lo.u32 %x, %n, 60493, %x;",
            "and.b32 %n, %x, 3;",
        ];
        let head = head.iter().map(|text| w.put(text)).collect();
        let nodes = w.nodes(0);
        let tail = ["and.b32 %t, %x, 1023;", "mad.wide.u32 %d, %t, 4, %o;", "st.u32 [%d], %x;"];
        let mut tail: Vec<u32> = tail.iter().map(|text| w.put(text)).collect();
        tail.push(w.put("ret;"));
        w.plain("}");
        functions.push(Body { name: "k".into(), header, head, nodes, tail });
        Self { text: w.text, functions, has_loc }
    }
}
