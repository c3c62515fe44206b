//! Generator of random kernels with races, whose results depend on the order in which lanes, warps
//! and CTAs access memory.

use texunit_testkit::Random;
use texunit_testkit::ptx::SM_80;

/// Numbers of words of global memory and shared memory, and of texels of the array, shared by all
/// threads.
pub(crate) const WORDS: u32 = 64;
/// Number of registers.
const R: u32 = 6;

pub(crate) struct Racy {
    random: Random,
    text: String,
    labels: u32,
    depth: u32,
    /// Whether all lanes of the CTA reach this statement together, or exit.
    uniform: bool,
    /// Number of statements left.
    left: u32,
    /// Limit of the cost of an iteration, because nested loops multiply.
    cost: u32,
}

/// A kernel with its block and grid.
pub(crate) struct Kernel {
    pub(crate) text: String,
    pub(crate) block: u32,
    pub(crate) grid: u32,
}

impl Racy {
    pub(crate) fn new(mut random: Random) -> Self {
        let left = 3 + random.below(20_u32);
        Self { random, text: String::new(), labels: 0, depth: 0, uniform: true, left, cost: 1 }
    }

    pub(crate) fn kernel(mut self) -> Kernel {
        let block = self.random.of(&[32, 64, 64, 96, 100, 128, 288]);
        let grid = self.random.of(&[1, 2, 3, 5, 20]);
        while self.left > 0 {
            self.statement();
        }
        let mut text = format!(
            "{SM_80}.func (.param .u32 res) mix(.param .u64 at, .param .u32 a)\n{{\n.reg .u32 %a, %b; .reg .u64 %at;\n\
             ld.param.u64 %at, [at];\nld.param.u32 %a, [a];\nld.u32 %b, [%at];\nmad.lo.u32 %a, %a, 5, %b;\n\
             st.u32 [%at], %a;\nst.param.u32 [res], %a;\nret;\n}}\n\
             .visible .entry k(.param .u64 mem, .param .u64 texture, .param .u64 surface)\n{{\n\
             .shared .align 16 .b32 sh[{WORDS}];\n.reg .u32 %r<{R}>, %x, %y, %z, %w, %t, %n<3>, %m<4>; .reg .pred %p, %q, %l<6>;\n\
             .reg .u64 %mem, %tex, %surf, %at, %sh;\n\
             ld.param.u64 %mem, [mem];\nld.param.u64 %tex, [texture];\nld.param.u64 %surf, [surface];\n\
             mov.u32 %t, %tid.x;\nmov.u32 %x, %ctaid.x;\nmov.u64 %sh, sh;\n"
        );
        for i in 0..R {
            let factor = self.random.of(&[1, 3, 7, 32, 33, 64, 101]);
            text += &format!("mad.lo.u32 %r{i}, %t, {factor}, %x;\nadd.u32 %r{i}, %r{i}, {i};\n");
        }
        text += &self.text;
        // Loaded values are stored in a word for each CTA, so that races are visible.
        for i in 0..R {
            text += &format!("mad.lo.u32 %y, %r{i}, 0x9e3779b1, {i};\nxor.b32 %x, %x, %y;\n");
        }
        text += "mov.u32 %y, %ctaid.x;\nand.b32 %y, %y, 31;\nmul.wide.u32 %at, %y, 4;\nadd.u64 %at, %mem, %at;\n\
                 atom.global.exch.b32 %z, [%at+256], %x;\nand.b32 %y, %t, 31;\nmul.wide.u32 %at, %y, 4;\n\
                 add.u64 %at, %mem, %at;\nxor.b32 %x, %x, %z;\nst.global.u32 [%at+384], %x;\nret;\n}\n";
        Kernel { text, block, grid }
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn r(&mut self) -> String {
        format!("%r{}", self.random.below(R))
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    /// No guard, or one that is true in some lanes.
    fn guard(&mut self) -> &'static str {
        if !self.random.one_in(4) {
            return "";
        }
        self.condition("%q");
        "@%q "
    }

    /// A predicate computed from the lane number, the warp number, or a loaded value.
    fn condition(&mut self, to: &str) {
        let r = self.r();
        let line = match self.random.below(4_u32) {
            0 => format!(
                "and.b32 %w, %t, {};\nsetp.ne.u32 {to}, %w, 0;",
                self.random.of(&[1, 2, 16, 31])
            ),
            1 => {
                format!("and.b32 %w, %t, {};\nsetp.ne.u32 {to}, %w, 0;", self.random.of(&[32, 64]))
            }
            2 => format!(
                "and.b32 %w, {r}, {};\nsetp.ne.u32 {to}, %w, 0;",
                self.random.of(&[1, 4, 7])
            ),
            _ => format!("setp.lt.u32 {to}, %t, {};", self.random.below(130_u32)),
        };
        self.line(&line);
    }

    /// Computes an address of `size` words in global or shared memory, or a generic one, in %at or
    /// %z; returns the state space.
    fn address(&mut self, size: u32) -> (&'static str, &'static str) {
        let (r, mask) = (self.r(), WORDS - size);
        let from = match self.random.below(4_u32) {
            0 => format!("and.b32 %z, %t, {mask};"),
            1 => format!("mov.u32 %z, {};", self.random.below(WORDS) & mask),
            2 => format!("shr.u32 %z, {r}, 3;\nand.b32 %z, %z, {mask};"),
            _ => format!("and.b32 %z, {r}, {mask};"),
        };
        self.line(&from);
        self.line("mul.wide.u32 %at, %z, 4;\nmov.u32 %w, sh;\nmad.lo.u32 %z, %z, 4, %w;");
        match self.random.below(5_u32) {
            0 | 1 => {
                self.line("add.u64 %at, %mem, %at;");
                (".global", "[%at]")
            }
            2 | 3 => (".shared", "[%z]"),
            _ => {
                let of = self.random.of(&["add.u64 %at, %mem, %at;", "cvta.shared.u64 %sh, %sh;"]);
                if of.starts_with("add") {
                    self.line(of);
                } else {
                    self.line("cvt.u64.u32 %at, %z;\ncvta.shared.u64 %at, %at;");
                }
                ("", "[%at]")
            }
        }
    }

    fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        match self.random.below(24_u32) {
            0..=2 => {
                let (a, b, c) = (self.r(), self.r(), self.r());
                let op = self.random.of(&["add.u32", "xor.b32", "sub.u32", "min.u32"]);
                self.line(&format!("{op} {a}, {b}, {c};"));
            }
            3..=6 => self.load(),
            7..=11 => self.store(),
            12..=13 => self.atomic(),
            14..=15 => self.unit(),
            16..=17 if self.uniform => self.barrier(),
            18..=19 if self.depth < 3 => self.branch(),
            20..=21 if self.depth < 3 => self.repeat(),
            22 if self.uniform => self.together(),
            23 if self.random.one_in(4) => self.call(),
            23 if self.random.one_in(4) && self.depth == 0 => {
                self.condition("%p");
                self.line("@%p exit;");
            }
            _ => self.store(),
        }
    }

    fn load(&mut self) {
        let size = self.random.of(&[1, 1, 2, 4]);
        let guard = self.guard();
        let (space, at) = self.address(size);
        let weak = self.random.of(&["", "", ".volatile"]);
        let to: Vec<_> = (0..size).map(|i| format!("%r{i}")).collect();
        let line = match size {
            1 => format!("{guard}ld{weak}{space}.u32 {}, {at};", self.r()),
            _ => format!("{guard}ld{weak}{space}.v{size}.u32 {{{}}}, {at};", to.join(", ")),
        };
        self.line(&line);
    }

    fn store(&mut self) {
        let size = self.random.of(&[1, 1, 1, 2, 4]);
        let guard = self.guard();
        let (space, at) = self.address(size);
        let from: Vec<_> = (0..size).map(|_| self.r()).collect();
        let line = match size {
            1 if self.random.one_in(5) => format!("{guard}st{space}.u8 {at}, {};", from[0]),
            1 => format!("{guard}st{space}.u32 {at}, {};", from[0]),
            _ => format!("{guard}st{space}.v{size}.u32 {at}, {{{}}};", from.join(", ")),
        };
        self.line(&line);
    }

    fn atomic(&mut self) {
        let guard = self.guard();
        let (space, at) = self.address(1);
        let (a, b, c) = (self.r(), self.r(), self.r());
        let line = match self.random.below(4_u32) {
            0 => format!("{guard}atom{space}.exch.b32 {a}, {at}, {b};"),
            1 => format!("{guard}atom{space}.cas.b32 {a}, {at}, {b}, {c};"),
            2 => format!("{guard}red{space}.max.u32 {at}, {b};"),
            _ => format!("{guard}atom{space}.add.u32 {a}, {at}, {b};"),
        };
        self.line(&line);
    }

    /// A fetch, or an access to a surface of the same array.
    fn unit(&mut self) {
        let guard = self.guard();
        let (a, b) = (self.r(), self.r());
        self.line(&format!("and.b32 %z, {b}, {};\nshl.b32 %w, %z, 2;\nmov.u32 %y, 0;", WORDS - 1));
        let line = match self.random.below(4_u32) {
            0 => format!("{guard}sust.b.2d.b32.trap [%surf, {{%w, %y}}], {a};"),
            1 => format!("{guard}suld.b.2d.b32.trap {a}, [%surf, {{%w, %y}}];"),
            // The results are in consecutive registers, so that warps wait for each other.
            _ => format!(
                "{guard}tex.2d.v4.u32.s32 {{%m0, %m1, %m2, %m3}}, [%tex, {{%z, %y}}];\n\
                 {guard}mov.b32 {a}, %m0;\n{guard}mov.b32 %x, %m1;"
            ),
        };
        self.line(&line);
    }

    fn barrier(&mut self) {
        let line = match self.random.below(6_u32) {
            0 => "barrier.sync 1;".to_owned(),
            1 => "and.b32 %w, %r0, 1;\nsetp.eq.u32 %p, %w, 0;\nbarrier.red.popc.u32 %r0, 2, %p;"
                .to_owned(),
            _ => "bar.sync 0;".to_owned(),
        };
        self.line(&line);
    }

    fn branch(&mut self) {
        let label = self.label();
        let uniform = std::mem::replace(&mut self.uniform, false);
        self.condition("%p");
        self.line(&format!("@%p bra ELSE{label};"));
        self.block();
        if self.random.one_in(2) {
            self.line(&format!("bra DONE{label};\nELSE{label}:"));
            self.block();
            self.line(&format!("DONE{label}:"));
        } else {
            self.line(&format!("ELSE{label}:"));
        }
        self.uniform = uniform;
    }

    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..1 + self.random.below(3_u32) {
            self.statement();
        }
        self.depth -= 1;
    }

    /// A loop whose number of iterations is uniform, depends on the lane, or on a loaded value;
    /// occasionally longer than a turn.
    fn repeat(&mut self) {
        let (label, r) = (self.label(), self.r());
        let depth = self.depth;
        let (uniform, cost) = (self.uniform, self.cost);
        let long = self.cost == 1 && self.random.one_in(12);
        let most: u32 = if long { self.random.of(&[300, 3000]) } else { 6 };
        match self.random.below(3_u32) {
            0 => {
                let turns = 1 + most / 2 + self.random.below(most / 2);
                self.line(&format!("mov.u32 %n{depth}, {turns};"));
            }
            1 => {
                self.uniform = false;
                self.line(&format!("and.b32 %n{depth}, %t, {};", most.next_power_of_two() - 1));
            }
            _ => {
                self.uniform = false;
                self.line(&format!("and.b32 %n{depth}, {r}, 7;"));
            }
        }
        self.cost *= most;
        if self.cost > 20 {
            self.left = self.left.min(4);
        }
        self.line(&format!("TURN{label}:"));
        self.block();
        self.line(&format!(
            "add.u32 {r}, {r}, 1;\nsetp.gt.u32 %l{depth}, %n{depth}, 0;\n@%l{depth} add.u32 %n{depth}, %n{depth}, -1;\n\
             @%l{depth} bra TURN{label};"
        ));
        (self.uniform, self.cost) = (uniform, cost);
    }

    /// Collective operations.
    fn together(&mut self) {
        let (a, b) = (self.r(), self.r());
        let line = self.random.of(&[
            "activemask.b32 %w;\nxor.b32 A, B, %w;",
            "activemask.b32 %w;\nshfl.sync.bfly.b32 A, B, 1, 31, %w;",
            "and.b32 %w, B, 3;\nsetp.eq.u32 %p, %w, 1;\nactivemask.b32 %w;\nvote.sync.ballot.b32 A, %p, %w;",
        ]);
        self.line(&line.replace('A', &a).replace('B', &b));
    }

    /// A function that loads and stores.
    fn call(&mut self) {
        let (a, b) = (self.r(), self.r());
        self.line(&format!(
            "and.b32 %z, {b}, {};\nmul.wide.u32 %at, %z, 4;\nadd.u64 %at, %mem, %at;\n\
             {{\n.param .u64 at;\n.param .u32 a, res;\nst.param.u64 [at], %at;\nst.param.u32 [a], {a};\n\
             call (res), mix, (at, a);\nld.param.u32 {a}, [res];\n}}",
            WORDS - 1
        ));
    }
}
