//! Fuzzes the execution of TXD. A state file must give a state or an error with a location, and an
//! instruction on a state must change only its destinations, or nothing, with the same result when
//! it is repeated.
//!
//! An input is used twice: as a state file whose first line may have the instruction as a comment,
//! and as bits that are flipped in the instruction and the state of the first seed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use texunit_sass::txd::{MASK, PS, PT, RA, RB, RD};
use texunit_sass::{Arch, Control, Txd, parse};
use texunit_testkit::Choices;
use texunit_txd::exec::{Outcome, Pool, SamplerBinding, State, execute};
use texunit_txd::state_file;
use texunit_unit::{Lanes, lanes};

const BASE: &str = include_str!("../seeds/sass_exec/base.toml");

/// The values of all registers and predicates.
type Registers = (Vec<Lanes>, [u32; 7]);

fn registers(state: &State) -> Registers {
    (state.registers.to_vec(), state.predicates)
}

/// Executes an instruction twice, and compares the results.
fn run(txd: &Txd, state: &mut State) {
    let before = registers(state);
    let first = execute(txd, state);
    let after = registers(state);
    match &first {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(before == after, "{error}");
        }
        Ok(outcome) => written(txd, state.active, outcome, &before, &after),
    }
    (state.predicates, *state.registers) = (before.1, before.0.try_into().expect("all registers"));
    assert_eq!(execute(txd, state), first);
    assert!(registers(state) == after, "the second time has other results");
}

/// Checks that only the destination registers and the predicate have changed, in executing lanes.
fn written(txd: &Txd, active: u32, outcome: &Outcome, before: &Registers, after: &Registers) {
    let zeros = outcome.invalid | outcome.missing;
    assert_eq!((outcome.lanes & !active, zeros & !outcome.lanes), (0, 0));
    assert_eq!(outcome.invalid & outcome.missing, 0);
    let first = txd.get(&RD) as usize;
    let to = first..first + txd.get(&MASK).count_ones() as usize;
    for (number, (old, new)) in before.0.iter().zip(&after.0).enumerate() {
        let may = if to.contains(&number) { outcome.lanes } else { 0 };
        assert!(lanes(!may).all(|lane| old[lane] == new[lane]), "R{number}");
        assert!(lanes(may & zeros).all(|lane| new[lane] == 0), "R{number}");
    }
    for (number, (old, new)) in before.1.iter().zip(after.1).enumerate() {
        let is_ps = txd.get(&PS) != PT && txd.get(&PS) == number as u64;
        let wanted = if is_ps { old & !outcome.lanes | outcome.missing } else { *old };
        assert_eq!(wanted, new, "P{number}");
    }
}

fn file(text: &str) {
    let comment = text.lines().next().and_then(|line| line.strip_prefix('#'));
    let txd = comment.and_then(|text| parse::parse(text).ok()).map_or(Txd::PLAIN, |p| p.txd);
    match state_file::parse(text) {
        Ok(mut state) => {
            let bytes: usize = state.memory.regions().map(|(_, bytes)| bytes.len()).sum();
            // The limit is exceeded by at most two descriptor pools of 20 bits.
            assert!(bytes as u64 <= state_file::MAX_BYTES + (64 << 20), "{bytes}");
            run(&txd, &mut state);
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            if let Some(span) = error.span.clone() {
                assert!(text.get(span).is_some(), "{error}");
            }
        }
    }
}

/// Flips bits of a pool of descriptors.
fn turn(bits: &mut Choices<'_>, state: &mut State, pool: Pool) {
    let mut bytes = vec![0; 32 * (pool.max_index as usize + 1)];
    state.memory.read(pool.address, &mut bytes).expect("the pool is there");
    bytes.iter_mut().for_each(|byte| *byte ^= bits.byte());
    state.memory.write(pool.address, &bytes).expect("the pool is there");
}

fn turned(bytes: &[u8]) {
    static BASE_STATE: OnceLock<State> = OnceLock::new();
    let base = BASE_STATE.get_or_init(|| state_file::parse(BASE).expect("the seed is a state"));
    let mut state = base.clone();
    let mut bits = Choices::new(bytes);
    let word = Txd::PLAIN.with(&RD, 12).with(&RA, 4).with(&RB, 8).word;
    let word = word ^ u64::from(bits.word()) ^ u64::from(bits.word() & 0x7f_ffff) << 32;
    let txd = Txd { word, control: Control::new(bits.word() & 0x1f_ffff).expect("21 bits") };
    state.active ^= bits.word();
    state.killed ^= bits.word();
    state.arch = Arch::ALL[usize::from(bits.byte() ^ 1) % Arch::ALL.len()];
    if bits.byte() & 1 == 1 {
        state.binding = SamplerBinding::ViaHeader;
    }
    state.constants.iter_mut().for_each(|byte| *byte ^= bits.byte());
    let (headers, samplers) = (state.headers, state.samplers);
    turn(&mut bits, &mut state, headers);
    turn(&mut bits, &mut state, samplers);
    state.headers.max_index ^= u32::from(bits.byte());
    for register in &mut state.registers[..16] {
        let word = bits.word();
        let step = u32::from(bits.byte());
        for (lane, to) in register.iter_mut().enumerate() {
            *to ^= word.wrapping_add(step * lane as u32);
        }
    }
    state.predicates.iter_mut().for_each(|predicate| *predicate ^= bits.word());
    run(&txd, &mut state);
}

fuzz_target!(|bytes: &[u8]| {
    turned(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        file(text);
    }
});
