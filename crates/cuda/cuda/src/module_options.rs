//! Options of loading and linking (`CUjit_option`): reads them, and writes messages to their log
//! buffers.

use crate::prelude::*;
use texunit_cuda_abi::jit_option as option;
use texunit_device::Diagnostic;
use texunit_report::Located;

/// The options that have an effect. Values are passed in place of pointers, and some are written
/// back.
///
/// Other options concern the generation of machine code, so that they are accepted without effect.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JitOptions<'a> {
    /// Log of informational messages.
    info: Log<'a>,
    /// Log of errors.
    error: Log<'a>,
    /// Receives the loading time, in milliseconds as a float.
    wall_time: Option<Out<'a, usize>>,
    verbose: bool,
    /// Maximum number of registers per thread (`CU_JIT_MAX_REGISTERS`), if set.
    pub(crate) registers: Option<u32>,
}

// SAFETY: the pointers are used by one thread at a time: the one that passed the options, or one
// that uses the same link state, which C callers must not share between threads.
unsafe impl Send for JitOptions<'_> {}
// SAFETY: the pointers are used by one thread at a time, as for `Send`.
unsafe impl Sync for JitOptions<'_> {}

/// A caller's buffer for messages.
#[derive(Clone, Copy, Debug, Default)]
struct Log<'a> {
    /// The buffer; `None` if it is null or empty.
    buffer: Option<OutBytes<'a>>,
    /// Receives the number of written bytes.
    written: Option<Out<'a, usize>>,
}

impl<'a> Log<'a> {
    /// A log, if both the buffer option and the size option are given. The size is an unsigned int
    /// in place of a pointer.
    ///
    /// # Safety
    /// The buffer is null, or has this size.
    unsafe fn new(buffer: Option<Raw<'a>>, size: Option<InOut<'a, usize>>) -> Answer<Self> {
        let bytes = size.map_or(Ok(0), InOut::get)? as u32 as usize;
        let buffer = buffer.filter(|buffer| !buffer.is_null() && bytes > 0);
        // SAFETY: the caller upholds this function's safety contract.
        let buffer = buffer.map(|buffer| unsafe { buffer.room(bytes) });
        Ok(Self { buffer, written: size.map(InOut::out) })
    }

    fn is_there(&self) -> bool {
        self.buffer.is_some()
    }

    /// Fills the buffer with a text and a terminating zero.
    fn write(&self, text: &str) {
        let Some(buffer) = self.buffer else { return };
        let end = text.floor_char_boundary(buffer.len() - 1);
        // The writes cannot fail, as the buffer is not null.
        let _ = buffer.write(0, &text.as_bytes()[..end]);
        let _ = buffer.write(end, &[0]);
        if let Some(written) = self.written {
            written.set_if(end);
        }
    }
}

/// The options of a call as passed: their count, numbers, and values.
pub(crate) type RawOptions<'a> = (c_uint, In<'a, c_uint>, InOut<'a, usize>);

impl<'a> JitOptions<'a> {
    /// Reads the options of a call.
    ///
    /// # Safety
    /// Options and values have `count` elements, and buffers have the sizes that their options
    /// state, for the lifetime.
    pub(crate) unsafe fn read((count, options, values): RawOptions<'a>) -> Answer<Self> {
        let mut jit = Self::default();
        let (mut buffers, mut sizes) = ([None; 2], [None; 2]);
        let count = count as usize;
        // SAFETY: the caller upholds this function's safety contract.
        let options = unsafe { options.elements(count) };
        for i in 0..count {
            // SAFETY: the caller upholds this function's safety contract.
            let slot = unsafe { values.nth(i) };
            let value = slot.get()?;
            // SAFETY: the option's value is a pointer to the caller's buffer.
            let buffer = || Some(unsafe { Raw::of(value as u64) });
            match options.at(i)? {
                option::WALL_TIME => jit.wall_time = Some(slot.out()),
                option::INFO_LOG_BUFFER => buffers[0] = buffer(),
                option::ERROR_LOG_BUFFER => buffers[1] = buffer(),
                option::INFO_LOG_BUFFER_SIZE_BYTES => sizes[0] = Some(slot),
                option::ERROR_LOG_BUFFER_SIZE_BYTES => sizes[1] = Some(slot),
                option::MAX_REGISTERS => jit.registers = Some(value as u32),
                option::LOG_VERBOSE => jit.verbose = value as u32 != 0,
                option::GLOBAL_SYMBOL_COUNT if value as u32 != 0 => bail!(
                    CUresult::NOT_SUPPORTED,
                    "options[{i}] is CU_JIT_GLOBAL_SYMBOL_COUNT: texunit gives variables no addresses of the \
                         caller's"
                ),
                other if other < option::NUM_OPTIONS => {}
                _ => bail!(
                    "options[{i}] is not a CUjit_option: those are less than {}",
                    option::NUM_OPTIONS
                ),
            }
        }
        // SAFETY: the caller upholds this function's safety contract.
        jit.info = unsafe { Log::new(buffers[0], sizes[0])? };
        // SAFETY: the caller upholds this function's safety contract.
        jit.error = unsafe { Log::new(buffers[1], sizes[1])? };
        jit.info.write("");
        jit.error.write("");
        Ok(jit)
    }

    /// The options that apply to a library in all contexts, without the logs, which belong to one
    /// call.
    pub(crate) fn lasting(&self) -> JitOptions<'static> {
        JitOptions { registers: self.registers, ..JitOptions::default() }
    }

    /// Whether the caller has a log buffer.
    pub(crate) fn has_log(&self) -> bool {
        self.error.is_there() || self.info.is_there()
    }

    /// Writes the loading time to the option's value, if the caller asks for it.
    pub(crate) fn took(&self, time: Duration) {
        if let Some(slot) = self.wall_time {
            slot.set_if((time.as_secs_f32() * 1000.0).to_bits() as usize);
        }
    }

    /// Writes diagnostics to the logs; false if there is no log for errors.
    pub(crate) fn report<'b>(
        &self,
        located: impl Into<Located<'b>>,
        diagnostics: &[Diagnostic],
    ) -> bool {
        let located = located.into();
        let source = located.text;
        let (errors, warnings): (Vec<_>, Vec<_>) =
            diagnostics.iter().cloned().partition(Diagnostic::is_error);
        let mut info = texunit_report::human(located, &warnings, false);
        if self.verbose && errors.is_empty() {
            let size = Count(source.text().len(), "byte");
            info += &format!("{}: loaded, {size} of PTX\n", source.name());
        }
        self.info.write(&info);
        self.fail(&texunit_report::human(located, &errors, false))
    }

    /// Writes an error to the log; false if there is none.
    pub(crate) fn fail(&self, text: &str) -> bool {
        self.error.write(text);
        self.error.is_there()
    }
}
