//! Generator of random CUDA C programs: a source for nvcc and for g++.
//!
//! A program is a sequence of phases, which are functions of one thread, with `__syncthreads`
//! between them. g++ runs each phase for one thread after the other. In a phase an array of shared
//! or global memory is only read, or each thread has elements of its own, or all threads execute
//! one kind of atomic on it, so that no order changes a result. Between some phases lanes exchange
//! registers.

use super::statements::{Atomics, Function, Statements};
use super::types::{ALL, Expressions, Place, Ty};
use std::fmt::Write as _;
use texunit_testkit::Random;

/// Number of input words.
pub(crate) const INPUT: u32 = 64;

/// Numbers of a thread's variables of each type, of members of its structures, and of elements of
/// its arrays.
const VARIABLES: u32 = 2;
const ARRAYS: [(Ty, u32); 4] = [(Ty::U32, 8), (Ty::U8, 16), (Ty::I64, 4), (Ty::F32, 8)];

/// An array of a CTA in shared or global memory.
struct Shared {
    ty: Ty,
    /// The name of the array: `sh->a0` or `g->a2`.
    name: String,
    /// Number of elements of each thread.
    each: u32,
}

pub(crate) struct Program {
    pub(crate) number: u32,
    pub(crate) grid: u32,
    pub(crate) block: u32,
    pub(crate) text: String,
}

struct Maker {
    number: u32,
    random: Random,
    block: u32,
    /// Types of the variables that each thread has two of.
    types: Vec<Ty>,
    /// Members of a structure that each thread has two of.
    members: Vec<Ty>,
    arrays: Vec<Shared>,
    functions: Vec<Function>,
    text: String,
}

/// The program with a number.
pub(crate) fn program(seed: u64, number: u32) -> Program {
    let mut random = Random::of_item(seed, number.into());
    let (grid, block) = (random.of(&[1, 1, 2]), random.of(&[32, 32, 64]));
    let mut types = ALL.to_vec();
    while types.len() > 6 {
        let i = random.below(types.len());
        if !matches!(types[i], Ty::U32 | Ty::I32) {
            types.remove(i);
        }
    }
    let members = (0..3).map(|_| random.of(&types)).chain([Ty::U32]).collect();
    let mut arrays = Vec::new();
    for i in 0..4 {
        let ty =
            random.of(&[Ty::U32, Ty::U32, Ty::I32, Ty::U64, Ty::U8, Ty::I16, Ty::F32, Ty::F64]);
        let name = if i < 2 { format!("sh->a{i}") } else { format!("g->a{i}") };
        arrays.push(Shared { ty, name, each: random.of(&[1, 2, 3]) });
    }
    let mut maker = Maker {
        number,
        random,
        block,
        types,
        members,
        arrays,
        functions: Vec::new(),
        text: String::new(),
    };
    maker.types(grid);
    (0..2).for_each(|i| maker.function(i));
    let phases = 2 + maker.random.below(3_u32);
    let exchanges: Vec<String> = (1..phases).map(|_| maker.exchange()).collect();
    maker.begin();
    (1..phases).for_each(|i| maker.phase(i));
    maker.end(phases);
    maker.kernel(grid, phases, &exchanges);
    Program { number, grid, block, text: maker.text }
}

impl Maker {
    /// The structures of a thread, of shared and of global memory.
    fn types(&mut self, grid: u32) {
        let (n, block) = (self.number, self.block);
        let mut text = format!("struct P{n} {{");
        for (i, ty) in self.members.iter().enumerate() {
            let _ = write!(text, " {} m{i};", ty.name());
        }
        let _ = write!(text, " }};\nstruct T{n} {{");
        for &ty in &self.types {
            (0..VARIABLES).for_each(|i| text += &format!(" {0} {0}_{i};", ty.name()));
        }
        for (ty, count) in ARRAYS {
            let _ = write!(text, " {0} l_{0}[{count}];", ty.name());
        }
        let _ = write!(text, " u32 x; Quad q; P{n} s0, s1; }};\nstruct S{n} {{");
        let array = |a: &Shared| {
            let (_, name) = a.name.split_once("->").unwrap_or_default();
            format!(" {} {name}[{}];", a.ty.name(), a.each * block)
        };
        self.arrays[..2].iter().for_each(|a| text += &array(a));
        let _ = write!(text, " }};\nstruct C{n} {{ Quad quads[{block}];");
        self.arrays[2..].iter().for_each(|a| text += &array(a));
        // Sums of small integers are exact.
        let _ = write!(
            text,
            " u64 out[{block}][{}]; }};\nstruct G{n} {{ C{n} cta[{grid}]; u32 sums[8]; u32 most[8]; \
             i32 least[8]; u64 wide[8]; f32 floats[8]; f64 doubles[8]; }};\n",
            self.outputs().len()
        );
        self.text += &text;
    }

    /// The state of a thread that is written to the output.
    fn outputs(&self) -> Vec<(Ty, String)> {
        let mut all = Vec::new();
        for &ty in &self.types {
            (0..VARIABLES).for_each(|i| all.push((ty, format!("me->{}_{i}", ty.name()))));
        }
        for (i, &ty) in self.members.iter().enumerate() {
            (0..2).for_each(|s| all.push((ty, format!("me->s{s}.m{i}"))));
        }
        let quad = ["x", "y", "z", "w"].map(|m| (Ty::U32, format!("me->q.{m}")));
        all.into_iter().chain(quad).chain([(Ty::U32, "me->x".to_owned())]).collect()
    }

    /// All variables of a thread.
    fn own(&self) -> (Vec<Place>, Vec<Place>) {
        let scalars = self.outputs().into_iter().map(|(ty, text)| Place::new(ty, text));
        let scalars: Vec<Place> = scalars.collect();
        let arrays = ARRAYS.map(|(ty, n)| Place::array(ty, format!("me->l_{}[@]", ty.name()), n));
        let all: Vec<Place> = scalars.into_iter().chain(arrays).collect();
        let mut reads = all.clone();
        reads.push(Place::new(Ty::U32, "t"));
        reads.push(Place::new(Ty::U32, "c"));
        reads.push(Place::array(Ty::U32, "in[@]", INPUT));
        (reads, all)
    }

    /// A function with parameters, some of which change a structure.
    fn function(&mut self, i: u32) {
        let n = self.number;
        let random = &mut self.random;
        let ty = random.of(&ALL);
        let params: Vec<Ty> = (0..1 + random.below(3_u32)).map(|_| random.of(&ALL)).collect();
        let kind = random.of(&["NOINLINE", "NOINLINE", "INLINE", "DEVICE"]);
        let mut reads: Vec<Place> =
            params.iter().enumerate().map(|(i, &ty)| Place::new(ty, format!("p{i}"))).collect();
        let mut writes = reads.clone();
        for (i, &ty) in self.members.iter().enumerate() {
            let place = Place::new(ty, format!("s->m{i}"));
            reads.push(place.clone());
            writes.push(place);
        }
        let name = format!("f{n}_{i}");
        let declared: String =
            params.iter().enumerate().map(|(i, ty)| format!("{} p{i}, ", ty.name())).collect();
        let mut statements = Statements::new(Expressions { random, reads }, writes);
        statements.result = Some(ty);
        statements.block(2, 1);
        let result = statements.expressions.of(ty, 2);
        let body = statements.text;
        self.text += &format!(
            "{kind} {} {name}({declared}P{n} *s) {{\n{body}    return {result};\n}}\n",
            ty.name()
        );
        self.functions.push(Function { name, ty, params });
    }

    fn head(&self, phase: u32) -> String {
        let n = self.number;
        format!(
            "DEVICE void p{n}_{phase}(T{n} *me, S{n} *sh, C{n} *g, G{n} *all, const u32 *in, u32 t, u32 c) {{\n"
        )
    }

    /// The first phase: initialises all variables.
    fn begin(&mut self) {
        let mut text = self.head(0);
        for (i, (ty, place)) in self.outputs().into_iter().enumerate() {
            let word = format!("in[(t * 7u + c + {i}u) % {INPUT}u]");
            let value = match ty {
                Ty::F32 => format!("number({word})"),
                Ty::F64 => format!("(f64)number({word})"),
                Ty::I64 | Ty::U64 => format!("({})({word} * 0x100000001ull)", ty.name()),
                _ => format!("({}){word}", ty.name()),
            };
            let _ = writeln!(text, "    {place} = {value};");
        }
        for (ty, count) in ARRAYS {
            let name = ty.name();
            let _ = writeln!(
                text,
                "    for (u32 i = 0; i < {count}; i++) me->l_{name}[i] = ({name})(in[i] % 1000u + t);"
            );
        }
        for a in &self.arrays {
            let (name, ty, each) = (&a.name, a.ty.name(), a.each);
            let _ = writeln!(
                text,
                "    for (u32 i = 0; i < {each}; i++) {name}[t * {each} + i] = ({ty})(in[(t + i) % {INPUT}u] >> 3);"
            );
        }
        text += "    g->quads[t] = me->q;\n}\n";
        self.text += &text;
    }

    fn phase(&mut self, number: u32) {
        let (mut reads, mut writes) = self.own();
        let mut atomics = vec![
            Atomics::new(Ty::U32, "all->sums[@]", "atomicAdd", 8),
            Atomics::new(Ty::U32, "all->most[@]", "atomicMax", 8),
            Atomics::new(Ty::I32, "all->least[@]", "atomicMin", 8),
            Atomics::new(Ty::U64, "all->wide[@]", "atomicAdd", 8),
            Atomics::new(Ty::F32, "all->floats[@]", "atomicAdd", 8),
            Atomics::new(Ty::F64, "all->doubles[@]", "atomicAdd", 8),
        ];
        let mut quads = false;
        for a in &self.arrays {
            let count = a.each * self.block;
            let any = Place::array(a.ty, format!("{}[@]", a.name), count);
            let own = Place::array(a.ty, format!("{}[t * {} + @]", a.name, a.each), a.each);
            match self.random.below(3_u32) {
                0 => reads.push(any),
                1 if matches!(a.ty, Ty::U32 | Ty::I32 | Ty::U64) => {
                    let op = self.random.of(match a.ty {
                        Ty::U32 => {
                            &["atomicAdd", "atomicXor", "atomicInc", "add_by_cas", "atomicDec"][..]
                        }
                        Ty::I32 => &["atomicAdd", "atomicMax", "atomicOr", "atomicAnd"],
                        _ => &["atomicAdd", "atomicMin", "atomicXor", "add_by_cas"],
                    });
                    atomics.push(Atomics::new(a.ty, &any.text, op, count));
                }
                _ => {
                    reads.push(own.clone());
                    writes.push(own);
                    quads = true;
                }
            }
        }
        let (functions, count) = (self.functions.clone(), 3 + self.random.below(5_u32));
        let mut statements =
            Statements::new(Expressions { random: &mut self.random, reads }, writes);
        statements.atomics = atomics;
        statements.functions = functions;
        statements.members = self.members.clone();
        statements.structure = Some(format!("P{}", self.number));
        statements.may_return = true;
        statements.block(count, 2);
        let mut text = statements.text;
        if quads {
            // Only the thread itself accesses this element.
            text += "    Quad quad = g->quads[t];\n    me->q.y += quad.x;\n    quad.z ^= me->x;\n    g->quads[t] = quad;\n";
        }
        self.text += &(self.head(number) + &text + "}\n");
    }

    /// The last phase: writes the thread's state to the output.
    fn end(&mut self, number: u32) {
        let mut text = self.head(number);
        for (i, (ty, place)) in self.outputs().into_iter().enumerate() {
            let value = if ty.is_float() { format!("bits({place})") } else { place };
            let _ = writeln!(text, "    g->out[t][{i}] = (u64){value};");
        }
        for (ty, count) in ARRAYS {
            let name = ty.name();
            let value = format!("me->l_{name}[i]");
            let value = if ty.is_float() { format!("bits({value})") } else { value };
            let _ = writeln!(
                text,
                "    for (u32 i = 0; i < {count}; i++) g->out[t][0] = g->out[t][0] * 31 + (u64){value};"
            );
        }
        for a in &self.arrays[..2] {
            let value = format!("{}[t * {} + i]", a.name, a.each);
            let value = if a.ty.is_float() { format!("bits({value})") } else { value };
            let _ = writeln!(
                text,
                "    for (u32 i = 0; i < {}; i++) g->out[t][1] = g->out[t][1] * 31 + (u64){value};",
                a.each
            );
        }
        // The bits of NaNs are not compared.
        for a in self.arrays[2..].iter().filter(|a| a.ty.is_float()) {
            let element = format!("{}[t * {} + i]", a.name, a.each);
            let _ = writeln!(
                text,
                "    for (u32 i = 0; i < {}; i++) if ({element} != {element}) {element} = 0;",
                a.each
            );
        }
        self.text += &(text + "}\n");
    }

    /// The exchange between lanes before a phase, in CUDA and for g++, which has all threads in an
    /// array.
    fn exchange(&mut self) -> String {
        let random = &mut self.random;
        let exchanged = [Ty::U32, Ty::I32, Ty::U64, Ty::F32, Ty::F64];
        let types = exchanged.into_iter().filter(|ty| self.types.contains(ty));
        let ty = random.of(&types.collect::<Vec<_>>());
        let name = ty.name();
        let lane = random.below(32_u32);
        let (to, from) = (format!("{name}_0"), format!("{name}_1"));
        let (lane, than) = (format!("{lane}u"), format!("({name})5"));
        match random.below(9_u32) {
            0 => String::new(),
            1 => format!(
                "SHUFFLE({to}, {from}, __shfl_xor_sync(~0u, me.{from}, {lane}), t ^ {lane})"
            ),
            2 => format!(
                "SHUFFLE({to}, {from}, __shfl_sync(~0u, me.{from}, me.x & 31), (t & ~31u) + (me[t].x & 31))"
            ),
            3 => format!(
                "SHUFFLE({to}, {from}, __shfl_up_sync(~0u, me.{from}, {lane}), (t & 31) < {lane} ? t : t - {lane})"
            ),
            4 => format!(
                "SHUFFLE({to}, {from}, __shfl_down_sync(~0u, me.{from}, {lane}), (t & 31) + {lane} > 31 ? t : t + {lane})"
            ),
            5 => format!("BALLOT(u32_0, {from}, {than})"),
            6 => "SUM(u32_0, u32_1)".to_owned(),
            7 => "MATCH(u32_0, u32_1)".to_owned(),
            _ => format!("VOTE(i32_0, {from}, {than})"),
        }
    }

    /// The kernel, and the g++ function that does the same.
    fn kernel(&mut self, grid: u32, phases: u32, exchanges: &[String]) {
        let (n, block) = (self.number, self.block);
        let mut device = format!(
            "#ifdef __CUDACC__\nextern \"C\" __global__ void k{n}(const u32 *in, G{n} *all) {{\n    \
             __shared__ S{n} sh;\n    T{n} me;\n    const u32 t = threadIdx.x, c = blockIdx.x;\n"
        );
        let mut host = format!(
            "#else\nstatic void k{n}(const u32 *in, G{n} *all) {{\n    static S{n} sh;\n    static T{n} me[{block}];\n    \
             for (u32 c = 0; c < {grid}; c++) {{\n"
        );
        for phase in 0..=phases {
            if let Some(exchange) = (phase > 0).then(|| exchanges.get(phase as usize - 1)).flatten()
                && !exchange.is_empty()
            {
                let _ = writeln!(device, "    {exchange}");
                let _ = writeln!(host, "        {exchange}");
            }
            let _ = writeln!(
                device,
                "    p{n}_{phase}(&me, &sh, &all->cta[c], all, in, t, c);\n    __syncthreads();"
            );
            let _ = writeln!(
                host,
                "        for (u32 t = 0; t < {block}; t++) p{n}_{phase}(&me[t], &sh, &all->cta[c], all, in, t, c);"
            );
        }
        let body = format!("{device}}}\n{host}    }}\n}}\n#endif\n");
        self.text += &body;
    }
}
