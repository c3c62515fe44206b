//! Tests of debugged launches: stops change nothing, restoring and executing again leads to the
//! same registers and memory, and watched accesses are those that observers are notified of.
//! `TEXUNIT_LONG_TESTS` raises the number of random programs from two hundred to two thousand.

use super::OWN;
use super::maker::{self, Maker};
use super::outcome::{counters, fill};
use crate::common::{Arg, How, load_text, words};
use std::sync::{Arc, Mutex};
use texunit_memory::Block;
use texunit_simt::debug::{Debugger, Filter, Machine, Position, Range, Saved, Stop, WatchHit};
use texunit_simt::observe::{Access, AccessOp, At, Events, LaunchInfo, Observer, Probe};
use texunit_simt::{JitMode, SpaceKind};
use texunit_testkit::Random;

/// A launch and its memory.
struct Kept {
    saved: Saved,
    memory: Vec<Vec<u8>>,
}

/// A debugger that moves forwards and backwards, and compares.
#[derive(Debug)]
struct Walker {
    random: Mutex<Random>,
    blocks: Vec<Arc<Block>>,
    /// The watched range of memory.
    range: Range,
    caught: Mutex<Vec<WatchHit>>,
    walks: usize,
}

impl Walker {
    fn keep(&self, machine: &Machine<'_>) -> Kept {
        Kept { saved: machine.save(), memory: self.blocks.iter().map(|b| b.to_vec()).collect() }
    }

    fn back(&self, machine: &mut Machine<'_>, kept: &Kept) {
        for (block, bytes) in self.blocks.iter().zip(&kept.memory) {
            block.write(0, bytes).unwrap();
        }
        machine.restore(&kept.saved);
    }

    /// Runs to a position, with unnecessary stops on the way.
    fn go(&self, machine: &mut Machine<'_>, to: Position, random: &mut Random) {
        let all = Filter { cta: None, warp: None, lanes: u32::MAX };
        machine.set_end(Some(to));
        machine.set_filter(random.one_in(2).then_some(all));
        while let Stop::At(_) = machine.run() {
            if machine.position() >= to {
                break;
            }
            if random.one_in(50) {
                machine.set_filter(random.one_in(2).then_some(all));
            }
        }
        machine.set_filter(None);
        machine.set_end(None);
    }
}

impl Debugger for Walker {
    fn debugs(&self, machine: &mut Machine<'_>) {
        let mut random = self.random.lock().unwrap();
        let first = self.keep(machine);
        machine.set_watched(vec![self.range], false);
        while let Stop::At(_) = machine.run() {}
        *self.caught.lock().unwrap() = machine.watch_hits();
        machine.set_watched(Vec::new(), false);
        let end = machine.number(machine.position());
        for _ in 0..self.walks {
            let number = random.below(end.max(1) as usize) as u64;
            let to = machine.position_of(number);
            self.back(machine, &first);
            self.go(machine, to, &mut random);
            let there = self.keep(machine);
            // Continues, and returns from there.
            let on = machine.position_of(number + random.below(500) as u64);
            self.go(machine, on, &mut random);
            self.back(machine, &first);
            self.go(machine, to, &mut random);
            let again = self.keep(machine);
            assert!(there.saved.is_same(&again.saved), "registers differ at {to:?}");
            assert!(there.memory == again.memory, "memory differs at {to:?}");
            // A saved state in the middle leads to the same result.
            self.go(machine, on, &mut random);
            let late = self.keep(machine);
            self.back(machine, &there);
            self.go(machine, on, &mut random);
            let again = self.keep(machine);
            assert!(late.saved.is_same(&again.saved), "registers differ from {to:?} to {on:?}");
            assert!(late.memory == again.memory, "memory differs from {to:?} to {on:?}");
        }
        self.back(machine, &first);
    }
}

/// A store: CTA, warp, lane, address, bytes.
type Logged = ([u32; 3], u32, u32, u64, u32);

/// A log of all stores.
#[derive(Debug, Default)]
struct Log(Mutex<Vec<Logged>>);

struct Logging<'a>(&'a Log);

impl Observer for Log {
    fn wants(&self) -> Events {
        Events::ACCESSES
    }

    fn probe<'a>(&'a self, _: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Logging(self))
    }
}

impl Probe for Logging<'_> {
    fn access(&mut self, at: &At, access: &Access<'_>) {
        let writes = matches!(access.operation, AccessOp::Store | AccessOp::Atomic(_));
        if access.space == SpaceKind::Global && writes {
            let mut log = self.0.0.lock().unwrap();
            for lane in texunit_unit::lanes(at.lanes) {
                log.push((at.cta, at.warp, lane as u32, access.addresses[lane], access.bytes()));
            }
        }
    }
}

fn walk(seed: u64, number: u64, schedule: bool, cooperative: bool) {
    let mut random = Random::of_item(seed, number);
    let (block, grid) = (random.of(&[32, 64, 20, 96]), random.of(&[1, 2, 3]));
    let (text, mut random) = Maker::new(random, block, false).program();
    let input: Vec<u32> = (0..1024).map(|_| maker::number(&mut random)).collect();
    let loaded = load_text(&text);
    let threads = (grid * block) as usize;
    let (in_at, _) = loaded.filled(&input);
    let (out_at, out) = loaded.buffer(threads * OWN);
    let (counts_at, counts) = loaded.filled(&[5; 64]);
    let args = [Arg::U64(out_at), Arg::U64(in_at), Arg::U64(counts_at), Arg::U32(threads as u32)];
    let how = How {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        jit: Some(JitMode::Off),
        max_steps: 2_000_000,
        schedule: schedule.then(|| random.u64()),
        cooperative,
        ..How::default()
    };
    let clear = || {
        fill(&(&out, |_| 0));
        fill(&(&counts, |_| 5));
    };
    let plain = loaded.run("k", how, &args).map(|s| counters(&s)).map_err(|f| f.kind);
    let expected = (words(&out), words(&counts));
    clear();
    let log = Log::default();
    let _ = loaded.run_observed("k", how, &args, Some(&log));
    clear();
    let bytes = out.size() as u64;
    let thread = (0, 0);
    let range = Range {
        space: SpaceKind::Global,
        address: out_at,
        block: None,
        bytes,
        cta: 0,
        thread,
        reads: false,
        writes: true,
    };
    let walker = Walker {
        random: Mutex::new(random),
        blocks: vec![Arc::clone(&out), Arc::clone(&counts)],
        range,
        caught: Mutex::default(),
        walks: 3,
    };
    let stepped =
        loaded.run_debugged("k", how, &args, &walker).map(|s| counters(&s)).map_err(|f| f.kind);
    assert_eq!((words(&out), words(&counts)), expected, "program {number} of {seed}\n{text}");
    let instructions = |all: &Result<[u64; 6], _>| all.as_ref().map(|c| c[1]).ok();
    assert_eq!(instructions(&stepped), instructions(&plain), "program {number} of {seed}");
    // The last store to each address.
    let caught = walker.caught.lock().unwrap();
    // The machine keeps at least the last 4,096 accesses, and forgets those before.
    if schedule || caught.len() >= 4096 {
        return;
    }
    let log = log.0.lock().unwrap();
    for &(cta, warp, _, address, _) in
        log.iter().filter(|e| (out_at..out_at + bytes).contains(&e.3))
    {
        let touches =
            |first: u64, bytes: u32| first <= address && address < first + u64::from(bytes);
        let last = log.iter().rev().find(|e| touches(e.3, e.4)).unwrap();
        let own = caught.iter().rev().find(|c| c.cta == last.0 && c.warp == last.1);
        assert!(own.is_some(), "a store of warp {warp} of {cta:?} was not caught");
    }
    let stores = log.iter().filter(|e| (out_at..out_at + bytes).contains(&e.3));
    let warps = |all: &mut dyn Iterator<Item = ([u32; 3], u32)>| {
        let mut all: Vec<_> = all.collect();
        all.dedup();
        all
    };
    assert_eq!(
        warps(&mut caught.iter().map(|c| (c.cta, c.warp))),
        warps(&mut stores.map(|e| (e.0, e.1))),
        "the order of who stores, program {number} of {seed}"
    );
}

#[test]
fn going_back_leads_to_where_it_was() {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let seed = Random::for_test(50).u64();
    for number in 0..if long { 2000 } else { 100 } {
        walk(seed, number, false, false);
    }
}

#[test]
fn random_orders_and_cooperative_launches_go_back_too() {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let seed = Random::for_test(51).u64();
    for number in 0..if long { 500 } else { 25 } {
        walk(seed, number, true, false);
        walk(seed, number, false, true);
    }
}
