//! Options of loading and linking (`CUjit_option`).

use crate::args::{Answer, In, Out, Raw};
use std::time::Duration;
use texunit_cuda_abi::{CUresult, jit_option as option};
use texunit_device::Diagnostic;
use texunit_report::Located;

/// The options that change something. A value stands in the place of a pointer, and some are
/// written back there.
///
/// The others say how machine code is made. There is none, so that they are accepted and change
/// nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Jit {
    /// What is said besides errors.
    info: Log,
    /// Errors.
    error: Log,
    /// Where the time goes that loading took, in milliseconds as a float.
    wall_time: Option<Out<usize>>,
    verbose: bool,
    /// `CU_JIT_MAX_REGISTERS`.
    pub(crate) registers: Option<u32>,
}

// SAFETY: the pointers are used by the calls of one thread at a time: the one that made the options,
// or one that is given the same link state, which C callers may not share between threads.
unsafe impl Send for Jit {}
// SAFETY: as above.
unsafe impl Sync for Jit {}

/// A buffer of the caller for messages.
#[derive(Clone, Copy, Debug, Default)]
struct Log {
    buffer: Option<Raw>,
    /// Bytes of the buffer.
    size: usize,
    /// Where the number of bytes goes that were written.
    written: Option<Out<usize>>,
}

impl Log {
    fn is_there(&self) -> bool {
        self.buffer.is_some() && self.size > 0
    }

    /// Fills the buffer, with a zero byte at the end.
    fn write(&self, text: &str) {
        let Some(buffer) = self.buffer.filter(|_| self.size > 0) else { return };
        let mut end = text.len().min(self.size - 1);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // SAFETY: the caller has said that it has so many.
        let buffer = unsafe { buffer.bytes(self.size) };
        // The buffer is not null: nothing can fail.
        let _ = buffer.write(0, &text.as_bytes()[..end]);
        let _ = buffer.write(end, &[0]);
        if let Some(written) = self.written {
            written.set_if(end);
        }
    }
}

impl Jit {
    /// Reads the options of a call.
    pub(crate) fn read(count: u32, options: In<u32>, values: Out<usize>) -> Answer<Self> {
        let mut jit = Self::default();
        let mut sizes = [None; 2];
        let count = count as usize;
        // SAFETY: the caller has said that there are so many of both.
        let (options, values) = unsafe { (options.elements(count), values.elements(count)) };
        for i in 0..count {
            let slot = values.nth(i);
            let value = slot.get()?;
            // SAFETY: the option's value is a pointer to a buffer of the caller.
            let buffer = || Some(unsafe { Raw::of(value as u64) }).filter(|b| !b.is_null());
            match options.at(i)? {
                option::WALL_TIME => jit.wall_time = Some(slot),
                option::INFO_LOG_BUFFER => jit.info.buffer = buffer(),
                option::ERROR_LOG_BUFFER => jit.error.buffer = buffer(),
                option::INFO_LOG_BUFFER_SIZE_BYTES => sizes[0] = Some((value, slot)),
                option::ERROR_LOG_BUFFER_SIZE_BYTES => sizes[1] = Some((value, slot)),
                option::MAX_REGISTERS => jit.registers = Some(value as u32),
                option::LOG_VERBOSE => jit.verbose = value as u32 != 0,
                option::GLOBAL_SYMBOL_COUNT if value as u32 != 0 => {
                    return Err(CUresult::NOT_SUPPORTED.because(format!(
                        "options[{i}] is CU_JIT_GLOBAL_SYMBOL_COUNT: texunit gives variables no addresses of the \
                         caller's"
                    )));
                }
                other if other < option::NUM_OPTIONS => {}
                _ => {
                    return Err(CUresult::INVALID_VALUE.because(format!(
                        "options[{i}] is not a CUjit_option: those are less than {}",
                        option::NUM_OPTIONS
                    )));
                }
            }
        }
        for (log, size) in [&mut jit.info, &mut jit.error].into_iter().zip(sizes) {
            // The value is an unsigned int in the place of a pointer.
            let Some((value, slot)) = size else { continue };
            (log.size, log.written) = (value as u32 as usize, Some(slot));
        }
        jit.info.write("");
        jit.error.write("");
        Ok(jit)
    }

    /// What holds for a library wherever it is loaded: without the logs, which belong to a call.
    pub(crate) fn lasting(&self) -> Self {
        Self { registers: self.registers, ..Self::default() }
    }

    /// Whether the caller wants to read what is wrong.
    pub(crate) fn has_log(&self) -> bool {
        self.error.is_there() || self.info.is_there()
    }

    /// Says how long it took.
    pub(crate) fn took(&self, time: Duration) {
        if let Some(slot) = self.wall_time {
            slot.set_if((time.as_secs_f32() * 1000.0).to_bits() as usize);
        }
    }

    /// Writes diagnostics to the logs; false if there is no log for its errors.
    pub(crate) fn report<'a>(
        &self,
        located: impl Into<Located<'a>>,
        diagnostics: &[Diagnostic],
    ) -> bool {
        let located = located.into();
        let source = located.text;
        let (errors, warnings): (Vec<_>, Vec<_>) =
            diagnostics.iter().cloned().partition(Diagnostic::is_error);
        let mut info = texunit_report::human(located, &warnings, false);
        if self.verbose && errors.is_empty() {
            info += &format!("{}: loaded, {} bytes of PTX\n", source.name(), source.text().len());
        }
        self.info.write(&info);
        self.fail(&texunit_report::human(located, &errors, false))
    }

    /// Writes an error; false if there is no log for it.
    pub(crate) fn fail(&self, text: &str) -> bool {
        self.error.write(text);
        self.error.is_there()
    }
}
