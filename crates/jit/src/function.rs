//! Code that can be called.

#![allow(unsafe_code, reason = "code is mapped and called here")]

use crate::machine::Level;
use crate::straight::{Frame, PREDICATES, emit};
use crate::{Block, Error, Inputs, Lanes, Limits, Registers};
use memmap2::{Mmap, MmapMut};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Code of a block.
#[derive(Debug)]
pub struct Function {
    code: Mmap,
    some: usize,
    pool: Box<[u64]>,
    limits: Limits,
}

/// What the code is: the count of lanes that have taken guarded steps.
type Entry = unsafe extern "sysv64" fn(*mut Frame) -> u64;

/// Makes code of a block.
pub fn compile(block: &Block, level: Level) -> Result<Function, Error> {
    if !level.is_available() {
        return Err(Error::Processor);
    }
    let code = emit(block, level)?;
    let memory = |e: std::io::Error| Error::Memory(e.to_string());
    let mut map = MmapMut::map_anon(code.bytes.len()).map_err(memory)?;
    map[..code.bytes.len()].copy_from_slice(&code.bytes);
    // From here on it cannot be written.
    let map = map.make_exec().map_err(memory)?;
    Ok(Function {
        code: map,
        some: code.some,
        pool: code.pool.into_boxed_slice(),
        limits: code.limits,
    })
}

impl Function {
    /// Bytes of code.
    pub fn code_size(&self) -> usize {
        self.code.len()
    }

    /// The code, and the numbers that it reads: what tests compare.
    pub fn parts(&self) -> (&[u8], &[u64]) {
        (&self.code, &self.pool)
    }

    /// Makes ready to run the block with these inputs. None: one is shorter than what the block looks at.
    #[inline]
    pub fn with<'a>(&'a self, inputs: Inputs<'a>) -> Option<Call<'a>> {
        if !self.limits.hold(&inputs) {
            return None;
        }
        let frame = Frame {
            narrow: std::ptr::null_mut(),
            wide: std::ptr::null_mut(),
            predicates: std::ptr::null_mut(),
            pool: self.pool.as_ptr(),
            constants: inputs.constants.as_ptr(),
            wide_constants: inputs.wide_constants.as_ptr(),
            rows: std::ptr::null(),
            words: inputs.words.as_ptr(),
            bytes: inputs.bytes.as_ptr(),
            mask: 0,
            rooms: [const { MaybeUninit::uninit() }; PREDICATES],
        };
        Some(Call { function: self, frame, inputs: PhantomData })
    }
}

/// A function with its inputs.
#[derive(Debug)]
pub struct Call<'a> {
    function: &'a Function,
    frame: Frame,
    inputs: PhantomData<Inputs<'a>>,
}

impl Call<'_> {
    /// Runs the block for these lanes of a warp: the sum of the lanes that have taken each counted step with
    /// a guard. None: a file is shorter than what the block looks at, and nothing has been done.
    #[inline]
    pub fn run(&mut self, registers: Registers<'_>, lanes: Lanes) -> Option<u64> {
        let Self { function, frame, .. } = self;
        if !function.limits.hold_registers(&registers) {
            return None;
        }
        let (entry, mask) = match lanes {
            Lanes::Live(mask) => (0, mask),
            Lanes::Some(mask) => (function.some, mask),
        };
        frame.narrow = registers.narrow.as_mut_ptr();
        frame.wide = registers.wide.as_mut_ptr();
        frame.predicates = registers.predicates.as_mut_ptr();
        frame.rows = registers.rows.as_ptr();
        frame.mask = mask;
        let address = function.code[entry..].as_ptr();
        // SAFETY: `emit` has made a function of this signature begin there: the map has its bytes,
        // nobody has written to it since, and it is executable.
        let function = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        // SAFETY: the processor has the instructions (`compile` has asked it). The code reads and
        // writes registers and inputs of the frame's files below the lengths of `limits`, which have
        // been compared, its own pool and the frame's rooms, all of which live until it returns; it
        // changes no register that a caller relies on, and always returns: there are no jumps in it.
        Some(unsafe { function(&raw mut *frame) })
    }
}
