//! Compares random loads, stores and atomics of every state space, size, vector, guard and address
//! pattern, including misaligned and out-of-bounds accesses, with a model of memory as plain bytes:
//! register values, memory contents, and faults. `TEXUNIT_LONG_TESTS` raises the number of kernels
//! to twenty thousand.

mod model;
mod step;

use crate::common::{Arg, HEADER, How, Loaded, load_text};
use model::{Got, Model, Wrong};
use std::fmt::Write;
use std::sync::Arc;
use step::{AccessOp, BUFFERS, Form, LOCAL, Memory, PARAM, Step};
use texunit_memory::{Block, SHARED_WINDOW, SpaceKind};
use texunit_simt::{Bounds, Fault, FaultKind};
use texunit_testkit::Random;

/// Value of a register that was not loaded.
const KEPT: u64 = 0xfeed_beef_cafe_babe;

/// A kernel, and its input table with rows of 32 numbers of 8 bytes.
struct Kernel {
    text: String,
    table: Vec<[u64; 32]>,
    /// Number of output rows.
    rows: usize,
}

fn register(bits: u32, number: usize) -> String {
    let kind = match bits {
        16 => "h",
        32 => "n",
        _ => "w",
    };
    format!("%{kind}{number}")
}

impl Kernel {
    fn new(model: &Model) -> Self {
        let constant: Vec<String> = model.constant.iter().map(u8::to_string).collect();
        let text = format!(
            "{HEADER}.const .align 16 .b8 c[{}] = {{{}}};
.visible .entry k(.param .u64 table, .param .u64 out, .param .align 16 .b8 p[{PARAM}])\n{{
.shared .align 16 .b8 s[{}];\n.local .align 16 .b8 l[{LOCAL}];
.reg .u64 %t, %o, %a, %b, %x, %w<8>;\n.reg .u32 %i, %c, %n<8>;\n.reg .u16 %h<8>;\n.reg .pred %p;
ld.param.u64 %t, [table];\nld.param.u64 %o, [out];\nmov.u32 %i, %tid.x;\nmul.wide.u32 %a, %i, 8;
add.u64 %t, %t, %a;\nadd.u64 %o, %o, %a;\n",
            constant.len(),
            constant.join(","),
            model.shared.len(),
        );
        Self { text, table: Vec::new(), rows: 0 }
    }

    /// Loads a row of the table.
    fn row(&mut self, to: &str, values: [u64; 32]) {
        let _ = writeln!(self.text, "ld.global.u64 {to}, [%t+{}];", 256 * self.table.len());
        self.table.push(values);
    }

    /// Stores a register in the output.
    fn put(&mut self, bits: u32, register: &str) {
        let at = 256 * self.rows;
        let _ = match bits {
            64 => writeln!(self.text, "st.global.u64 [%o+{at}], {register};"),
            _ => {
                writeln!(self.text, "cvt.u64.u{bits} %x, {register};\nst.global.u64 [%o+{at}], %x;")
            }
        };
        self.rows += 1;
    }

    /// The address operand of an access.
    fn address(
        &mut self,
        random: &mut Random,
        step: &Step,
        of: impl Fn(Memory, i64) -> u64,
    ) -> String {
        let (memory, at) = step.at[0];
        let name = match memory {
            Memory::Shared => "s",
            Memory::Local => "l",
            Memory::Const => "c",
            _ => "p",
        };
        if step.form == Form::Known {
            return format!("{name}+{at}");
        }
        let ahead = random.of(&[0, 0, 16, -32_i64]);
        let offset = |of: u64| of.wrapping_sub(ahead as u64);
        match step.form {
            Form::Wide if !matches!(memory, Memory::Global(_)) => {
                self.row("%b", step.at.map(|(_, at)| offset(at as u64)));
                let _ = writeln!(self.text, "mov.u64 %a, {name};\nadd.u64 %a, %a, %b;");
            }
            Form::Narrow => {
                self.row("%b", step.at.map(|(_, at)| offset(at as u64)));
                let _ = writeln!(self.text, "mov.u32 %c, {name};\ncvt.u32.u64 %n7, %b;");
                let _ = writeln!(self.text, "add.u32 %c, %c, %n7;");
                return format!("%c+{ahead}");
            }
            _ => self.row("%a", step.at.map(|(memory, at)| offset(of(memory, at)))),
        }
        format!("%a+{ahead}")
    }

    fn step(&mut self, random: &mut Random, step: &Step, of: impl Fn(Memory, i64) -> u64) {
        let address = self.address(random, step, of);
        self.row("%x", std::array::from_fn(|lane| u64::from(step.guard >> lane & 1)));
        self.text.push_str("setp.ne.u64 %p, %x, 0;\n");
        let bits = step.bits;
        let values: Vec<String> = (0..step.count.max(2)).map(|k| register(bits, k)).collect();
        if !matches!(step.operation, AccessOp::Load { .. }) {
            for (k, value) in values.iter().enumerate() {
                self.row("%x", step.values[k]);
                let _ = match bits {
                    64 => writeln!(self.text, "mov.u64 {value}, %x;"),
                    _ => writeln!(self.text, "cvt.u{bits}.u64 {value}, %x;"),
                };
            }
        }
        let space = match (step.form, step.at[0].0) {
            (Form::Generic, _) => "",
            (_, Memory::Global(_)) => ".global",
            (_, Memory::Shared) => ".shared",
            (_, Memory::Local) => ".local",
            (_, Memory::Const) => ".const",
            (_, Memory::Param) => ".param",
        };
        let vector = ["", "", ".v2", "", ".v4"][step.count];
        let listed = |mut names: Vec<String>| match names.len() {
            1 => names.remove(0),
            _ => format!("{{{}}}", names.join(", ")),
        };
        let to: Vec<String> = (4..4 + step.count).map(|k| register(bits, k)).collect();
        for to in &to {
            let kept = KEPT & (u64::MAX >> (64 - bits));
            let _ = writeln!(self.text, "mov.b{bits} {to}, {kept:#x};");
        }
        let size = 8 * step.size;
        let _ = match &step.operation {
            AccessOp::Load { signed, sink } => {
                let ty = if *signed { "s" } else { "u" };
                let mut names = to.clone();
                if let Some(k) = sink {
                    names[*k] = "_".to_owned();
                }
                writeln!(
                    self.text,
                    "@%p ld{space}{vector}.{ty}{size} {}, [{address}];",
                    listed(names)
                )
            }
            AccessOp::Store => {
                let names = listed(values[..step.count].to_vec());
                writeln!(self.text, "@%p st{space}{vector}.b{size} [{address}], {names};")
            }
            AccessOp::Atomic { op, ty, returns } => {
                let (word, d) = if *returns {
                    ("atom", format!("{}, ", to[0]))
                } else {
                    ("red", String::new())
                };
                let c = if *op == "cas" { format!(", {}", values[1]) } else { String::new() };
                writeln!(self.text, "@%p {word}{space}.{op}.{ty} {d}[{address}], {}{c};", values[0])
            }
        };
        if step.operation != AccessOp::Store {
            to.iter().for_each(|to| self.put(bits, to));
        }
    }

    /// Copies shared memory, and local memory of each lane, to the output.
    fn end(&mut self) {
        self.text.push_str("mul.wide.u32 %a, %i, 8;\nmov.u64 %b, s;\nadd.u64 %a, %a, %b;\nld.shared.u64 %w0, [%a];\n");
        self.put(64, "%w0");
        for k in 0..LOCAL / 8 {
            let _ = writeln!(self.text, "ld.local.u64 %w0, [l+{}];", 8 * k);
            self.put(64, "%w0");
        }
        self.text.push_str("ret;\n}\n");
    }
}

/// The part of a fault that the model predicts.
fn seen(fault: &Fault, bases: [u64; 2]) -> Wrong {
    let (misaligned, access, space, address, size) = match fault.kind {
        FaultKind::OutOfBounds { access, space, address, size, .. } => {
            (false, access, space, address, size)
        }
        FaultKind::Misaligned { access, space, address, size, .. } => {
            (true, access, space, address, size)
        }
        _ => panic!("{fault:?}"),
    };
    // An access past the end of the first buffer does not reach the second one.
    let buffer = usize::from(address >= bases[1] - 1024);
    let (memory, base) = match space {
        SpaceKind::Shared => (Memory::Shared, 0),
        SpaceKind::Local => (Memory::Local, 0),
        SpaceKind::Const => (Memory::Const, texunit_memory::CONST_BASE),
        SpaceKind::Param => (Memory::Param, 0),
        SpaceKind::Global => (Memory::Global(buffer), bases[buffer]),
    };
    let at = match space {
        SpaceKind::Shared | SpaceKind::Local => i64::from(address as u32 as i32),
        _ => address.wrapping_sub(base) as i64,
    };
    Wrong { misaligned, access, memory, at, size: size.into(), lane: fault.thread[0] }
}

/// Compares the loaded values.
fn compare(out: &Block, first: usize, got: &Got, step: &Step, live: u32) {
    for (k, got) in got.iter().enumerate() {
        for lane in (0..32).filter(|lane| live >> lane & 1 == 1) {
            let kept = KEPT & (u64::MAX >> (64 - step.bits));
            let want = got[lane].unwrap_or(kept);
            let at = (256 * (first + k) + 8 * lane) as u64;
            assert_eq!(out.load_u64(at).unwrap(), want, "lane {lane}, element {k} of {step:?}");
        }
    }
}

fn one(random: &mut Random) -> bool {
    let hardware = random.chance(25);
    let mut model = Model::random(random, hardware);
    let threads = random.of(&[32, 32, 32, 20]);
    let live = u32::MAX >> (32 - threads);
    let steps = random.within(4..=16_usize);
    let wrong = random.chance(50).then(|| random.below(steps));
    let steps: Vec<Step> = (0..steps).map(|i| Step::random(random, Some(i) == wrong)).collect();
    // The addresses are consecutive, as assigned by a device.
    let addresses = texunit_memory::Memory::new(1 << 28);
    let bases = BUFFERS.map(|size| addresses.allocate(size, "buffer").unwrap().0);
    let of = |memory: Memory, at: i64| match memory {
        Memory::Global(n) => bases[n].wrapping_add_signed(at),
        Memory::Shared => SHARED_WINDOW.wrapping_add_signed(at),
        _ => texunit_memory::LOCAL_WINDOW.wrapping_add_signed(at),
    };
    let mut kernel = Kernel::new(&model);
    let mut firsts = Vec::new();
    for step in &steps {
        firsts.push(kernel.rows);
        kernel.step(random, step, of);
    }
    let end = kernel.rows;
    kernel.end();
    let loaded = load_text(&kernel.text);
    let buffers = BUFFERS.map(|size| loaded.memory.allocate(size, "buffer").unwrap());
    assert_eq!([buffers[0].0, buffers[1].0], bases);
    for ((_, block), bytes) in buffers.iter().zip(&model.buffers) {
        let all = block.rounded();
        all.write(0, &bytes[..all.size()]).unwrap();
    }
    let words: Vec<u32> =
        kernel.table.iter().flatten().flat_map(|v| [*v as u32, (v >> 32) as u32]).collect();
    let (table, _) = loaded.filled(&words);
    let (out, results) = loaded.buffer(64 * kernel.rows);
    let bounds = if hardware { Bounds::Hardware } else { Bounds::Exact };
    let how = How { block: [threads, 1, 1], bounds, ..How::default() };
    let args = [Arg::U64(table), Arg::U64(out), Arg::Bytes(model.params.clone())];
    let run = loaded.run("k", how, &args);
    let mut fault = None;
    let mut all = Vec::new();
    for (step, first) in steps.iter().zip(firsts) {
        match model.step(step, live) {
            Ok(got) => all.push((first, got, step)),
            Err(wrong) => {
                fault = Some((wrong, step));
                break;
            }
        }
    }
    match (&run, &fault) {
        (Ok(stats), None) => assert_eq!(stats.past_end, model.past_end, "{}", kernel.text),
        (Err(fault), Some((wrong, step))) => {
            assert_eq!(seen(fault, bases), *wrong, "{step:?}\n{fault:?}");
        }
        (run, wrong) => panic!("{run:?}\n{wrong:?}\n{}", kernel.text),
    }
    for (first, got, step) in all {
        if step.operation != AccessOp::Store {
            compare(&results, first, &got, step, live);
        }
    }
    if run.is_ok() {
        compare_rest(&model, &results, end, live);
    }
    compare_buffers(&buffers, &model);
    drop::<Loaded>(loaded);
    fault.is_some()
}

fn compare_rest(model: &Model, results: &Block, end: usize, live: u32) {
    for lane in (0..32).filter(|lane| live >> lane & 1 == 1) {
        let number = |bytes: &[u8], k: usize| u64::from_le_bytes(bytes.as_chunks().0[k]);
        let got = |row: usize| results.load_u64((256 * (end + row) + 8 * lane) as u64).unwrap();
        assert_eq!(got(0), number(&model.shared, lane), "shared memory at {}", 8 * lane);
        for k in 0..LOCAL as usize / 8 {
            assert_eq!(got(1 + k), number(&model.local[lane], k), "local memory of lane {lane}");
        }
    }
}

fn compare_buffers(buffers: &[(u64, Arc<Block>); 2], model: &Model) {
    for ((_, block), want) in buffers.iter().zip(&model.buffers) {
        let all = block.rounded().to_vec();
        assert!(all == want[..all.len()], "global memory");
    }
}

#[test]
fn random_accesses_do_what_plain_bytes_say() {
    let mut random = Random::for_test(0x6d65_6d6f);
    let count = if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 20_000 } else { 500 };
    let faults = (0..count).filter(|_| one(&mut random)).count();
    assert!(faults > count / 10 && faults < count / 2 + count / 10, "{faults} faults of {count}");
}
