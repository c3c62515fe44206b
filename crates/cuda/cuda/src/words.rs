//! Operations on words of memory, in streams and as nodes of graphs: writes, and waits for a value that somebody else writes.
//!
//! Operations are done in the call up to the first wait whose value is not there yet. From there on they go on beside the program, as a
//! kernel does that waits ([`late::launch`]): what comes behind them in the stream is kept, and if nobody is left who could write the
//! value, this is a deadlock, and told as one. A write happens before the waits at the same address that come later: that is an
//! order for the race check, which knows it as an event of this address.

use crate::args::{Answer, In};
use crate::call::say;
use crate::checks;
use crate::context::Context;
use crate::error::refusal;
use crate::graph::op::Op;
use crate::late::{self, Company, Order};
use crate::memory;
use std::sync::Arc;
use std::time::Duration;
use texunit_checks::race::Queue;
use texunit_cuda_abi::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS, CUresult, CUstreamBatchMemOpParams, Refusal,
};
use texunit_device::{ExternalWriters, Linear, PolledMemory, Verdict, WaitingLoop};

/// Most operations of a call or a node.
const MAX_OPERATIONS: u32 = 256;
/// Between two looks at a word.
const PAUSE: Duration = Duration::from_micros(20);

/// `CUstreamBatchMemOpType`
const WAIT_32: u32 = 1;
const WRITE_32: u32 = 2;
const FLUSH: u32 = 3;
const WAIT_64: u32 = 4;
const WRITE_64: u32 = 5;
const BARRIER: u32 = 6;

fn invalid(reason: String) -> Refusal {
    CUresult::INVALID_VALUE.because(reason)
}

/// Operations on words of memory, one after the other.
#[derive(Debug)]
pub(crate) struct BatchOp {
    params: CUDA_BATCH_MEM_OP_NODE_PARAMS,
    operations: Box<[CUstreamBatchMemOpParams]>,
    context: Arc<Context>,
}

/// A structure of one operation.
pub(crate) fn operation(
    is_wait: bool,
    size: usize,
    (address, value): (u64, u64),
    flags: u32,
) -> CUstreamBatchMemOpParams {
    let kind = match (is_wait, size) {
        (true, 4) => WAIT_32,
        (true, _) => WAIT_64,
        (false, 4) => WRITE_32,
        (false, _) => WRITE_64,
    };
    CUstreamBatchMemOpParams { words: [kind.into(), address, value, flags.into(), 0, 0] }
}

/// What a structure says: what is done, where, the value, and flags.
fn parts(operation: &CUstreamBatchMemOpParams) -> (u32, u64, u64, u32) {
    let [first, address, value, flags, ..] = operation.words;
    (first as u32, address, value, flags as u32)
}

/// Bytes of the word of an operation; `None` for one without a word.
fn size_of(kind: u32) -> Option<usize> {
    match kind {
        WAIT_32 | WRITE_32 => Some(4),
        WAIT_64 | WRITE_64 => Some(8),
        _ => None,
    }
}

fn check(i: usize, operation: &CUstreamBatchMemOpParams) -> Answer {
    let (kind, address, _, flags) = parts(operation);
    let Some(size) = size_of(kind) else {
        // Flushes and barriers: everything before is done by then.
        return match kind {
            FLUSH | BARRIER => Ok(()),
            _ => Err(invalid(format!(
                "operation {kind} of paramArray[{i}] is not a CUstreamBatchMemOpType"
            ))),
        };
    };
    if !address.is_multiple_of(size as u64) {
        return Err(invalid(format!(
            "paramArray[{i}]: address {address:#x} is not a multiple of {size}"
        )));
    }
    let (most, what) = match kind {
        WAIT_32 | WAIT_64 => (3, "CUstreamWaitValue_flags: 0 (>=), 1 (==), 2 (&) or 3 (nor)"),
        _ => (1, "CUstreamWriteValue_flags: 0 or 1 (no memory barrier)"),
    };
    match flags & !(u32::from(most == 3) << 30) {
        known if known <= most => Ok(()),
        _ => Err(invalid(format!("paramArray[{i}]: flags {flags:#x} are not {what}"))),
    }
}

impl BatchOp {
    /// Operations of a node.
    ///
    /// # Safety
    /// `paramArray` leads to as many as the structure says.
    pub(crate) unsafe fn new(params: &CUDA_BATCH_MEM_OP_NODE_PARAMS) -> Answer<Self> {
        if params.count > MAX_OPERATIONS || params.flags != 0 {
            return Err(invalid(format!(
                "count {} is more than {MAX_OPERATIONS}, or flags {:#x} is not 0",
                params.count, params.flags
            )));
        }
        let context = crate::graph::params::context_or_current(params.ctx)?;
        // SAFETY: as the caller promises.
        let operations = unsafe {
            In::<CUstreamBatchMemOpParams>::of(params.paramArray).elements(params.count as usize)
        };
        let operations = operations.to_vec()?;
        operations.iter().enumerate().try_for_each(|(i, operation)| check(i, operation))?;
        let params = CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx: context.handle.number(), ..*params };
        Ok(Self { params, operations: operations.into(), context })
    }

    pub(crate) fn params(&self) -> CUDA_BATCH_MEM_OP_NODE_PARAMS {
        let array = self.operations.as_ptr().expose_provenance() as u64;
        CUDA_BATCH_MEM_OP_NODE_PARAMS { paramArray: array, ..self.params }
    }

    /// Whether it does the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let words = |op: &Self| op.operations.iter().map(parts).collect::<Vec<_>>();
        self.params.ctx == other.params.ctx && words(self) == words(other)
    }

    /// Does them in a stream, now or later, or makes them a node.
    pub(crate) fn submit(self, order: &Order) -> Answer {
        let op = Arc::new(self);
        if let Some(place) = order.capture {
            return place.add(Op::Batch(op));
        }
        for operation in &op.operations {
            op.find(operation)?;
        }
        let queue = order.queue;
        if late::keeps(order) {
            return late::submit(order, move |works| {
                works?;
                op.run(queue)
            });
        }
        let done = op.go_on(0, queue)?;
        if done == op.operations.len() {
            return Ok(());
        }
        late::launch(order, move |works| {
            works?;
            op.run_from(done, queue)
        })
    }

    /// Whether it may have to wait.
    pub(crate) fn may_wait(&self) -> bool {
        self.operations.iter().any(|one| matches!(parts(one).0, WAIT_32 | WAIT_64))
    }

    /// Does them all.
    pub(crate) fn run(&self, queue: Queue) -> Answer {
        self.run_from(0, queue)
    }

    fn run_from(&self, first: usize, queue: Queue) -> Answer {
        let mut done = self.go_on(first, queue)?;
        while let Some(operation) = self.operations.get(done) {
            self.wait(operation)?;
            done = self.go_on(done, queue)?;
        }
        Ok(())
    }

    /// Does operations from one on; the first that has to wait, or their number.
    fn go_on(&self, first: usize, queue: Queue) -> Answer<usize> {
        for (i, operation) in self.operations.iter().enumerate().skip(first) {
            let (kind, address, value, _) = parts(operation);
            let Some(word) = self.find(operation)? else { continue };
            // Addresses of words are no handles of events: those are small.
            let event = address | 1 << 63;
            if matches!(kind, WRITE_32 | WRITE_64) {
                let bytes = value.to_le_bytes();
                let len = if kind == WRITE_32 { 4 } else { 8 };
                word.write(0, &bytes[..len]).map_err(refusal)?;
                if let Some(race) = checks::race() {
                    race.event_recorded(event, queue);
                }
            } else if holds(&word, operation)? {
                if let Some(race) = checks::race() {
                    race.event_waited(event, Some(queue));
                }
            } else {
                return Ok(i);
            }
        }
        Ok(self.operations.len())
    }

    /// The word of an operation.
    fn find(&self, operation: &CUstreamBatchMemOpParams) -> Answer<Option<Linear>> {
        let (kind, address, ..) = parts(operation);
        let Some(size) = size_of(kind) else { return Ok(None) };
        let word = memory::linear(&self.context.gpu, address, size as u64);
        word.map(Some).ok_or_else(|| {
            invalid(format!(
                "address {address:#x} of an operation is not memory that the device reaches"
            ))
        })
    }

    /// Waits until an operation can go on.
    fn wait(&self, operation: &CUstreamBatchMemOpParams) -> Answer {
        let (kind, address, ..) = parts(operation);
        let endless = |why: &str| {
            let reason = format!(
                "a stream waits for a value at {address:#x} that nobody writes (cuStreamWaitValue): {why}"
            );
            say(format_args!("{reason}"));
            CUresult::LAUNCH_TIMEOUT.because(reason)
        };
        if !late::may_go_on() {
            return Err(endless(
                "with `--schedule` and `--record` a stream cannot wait for what comes later",
            ));
        }
        let size = if kind == WAIT_32 { 4 } else { 8 };
        let place = WaitingLoop {
            kernel: "cuStreamWaitValue".to_owned(),
            cta: [0; 3],
            span: Default::default(),
            threads: 0,
            polls: vec![PolledMemory { address, size, value: None, object: None }],
        };
        let others = Company::new(false);
        for looks in 1_u64.. {
            let Some(word) = self.find(operation)? else { break };
            if holds(&word, operation)? {
                break;
            }
            self.context.check()?;
            match others.wait(looks, std::slice::from_ref(&place)) {
                Verdict::Wait => std::thread::sleep(PAUSE),
                Verdict::End(why) => return Err(endless(&why)),
            }
        }
        others.resumed();
        Ok(())
    }
}

/// Whether a word has what an operation waits for.
fn holds(word: &Linear, operation: &CUstreamBatchMemOpParams) -> Answer<bool> {
    let (kind, _, value, flags) = parts(operation);
    let mut bytes = [0; 8];
    if kind == WAIT_32 {
        word.read(0, &mut bytes[..4]).map_err(refusal)?;
    } else {
        word.read(0, &mut bytes).map_err(refusal)?;
    }
    let found = u64::from_le_bytes(bytes);
    // The word in the upper half, so that signs and differences modulo its size are those of 64 bits.
    let shift = if kind == WAIT_32 { 32 } else { 0 };
    let (found, value) = (found << shift, value << shift);
    Ok(match flags & 3 {
        0 => found.wrapping_sub(value).cast_signed() >= 0,
        1 => found == value,
        2 => found & value != 0,
        _ => !(found | value) >> shift != 0,
    })
}
