//! Stream memory operations, in streams and as graph nodes: writes of values, and waits for values
//! that others write.
//!
//! Operations are executed during the call up to the first wait whose value has not been written.
//! The rest continues concurrently with the program, as a waiting kernel does
//! ([`deferred::launch`]): later work of the stream is stored, and if nothing is left that could
//! write the value, that is reported as a deadlock. A write happens before later waits at the same
//! address, which the race detector sees as an event of that address.

use crate::context::{Context, context_or_current};
use crate::deferred::{self, Order, WaitMonitor};
use crate::memory;
use crate::prelude::stream_mem_op::*;
use crate::prelude::*;
use texunit_device::{ExternalWriters, Linear, PolledMemory, Verdict, WaitingLoop};

/// Maximum number of operations in a call or node.
const MAX_OPERATIONS: u32 = 256;
/// Pause between two reads of a value.
const PAUSE: Duration = Duration::from_micros(20);

/// Stream memory operations (waits and writes) that are executed in order.
#[derive(Debug)]
pub(crate) struct BatchOp {
    params: CUDA_BATCH_MEM_OP_NODE_PARAMS,
    operations: Box<[CUstreamBatchMemOpParams]>,
    context: Arc<Context>,
}

/// The parts of a structure: kind, address, value, flags.
fn parts(operation: &CUstreamBatchMemOpParams) -> (u32, u64, u64, u32) {
    let [first, address, value, flags, ..] = operation.words;
    (first as u32, address, value, flags as u32)
}

/// Size in bytes of an operation's value; `None` for operations without one.
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
        // Flushes and barriers need no action, as all preceding work is done.
        ensure!(
            matches!(kind, FLUSH | BARRIER),
            "operation {kind} of paramArray[{i}] is not a CUstreamBatchMemOpType"
        );
        return Ok(());
    };
    ensure!(
        address.is_multiple_of(size as u64),
        "paramArray[{i}]: address {address:#x} is not a multiple of {size}"
    );
    let (most, what) = match kind {
        WAIT_32 | WAIT_64 => (3, "CUstreamWaitValue_flags: 0 (>=), 1 (==), 2 (&) or 3 (nor)"),
        _ => (1, "CUstreamWriteValue_flags: 0 or 1 (no memory barrier)"),
    };
    let known = flags & !(u32::from(most == 3) << 30);
    ensure!(known <= most, "paramArray[{i}]: flags {flags:#x} are not {what}");
    Ok(())
}

impl BatchOp {
    /// The operations of a parameter structure.
    ///
    /// # Safety
    /// `paramArray` points to as many operations as the structure counts.
    pub(crate) unsafe fn new(params: &CUDA_BATCH_MEM_OP_NODE_PARAMS) -> Answer<Self> {
        ensure!(
            params.count <= MAX_OPERATIONS && params.flags == 0,
            "count {} is more than {MAX_OPERATIONS}, or flags {:#x} is not 0",
            params.count,
            params.flags
        );
        let context = context_or_current(params.ctx)?;
        // SAFETY: the caller upholds this function's safety contract.
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

    /// Whether both have the same operations.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let words = |op: &Self| op.operations.iter().map(parts).collect::<Vec<_>>();
        self.params.ctx == other.params.ctx && words(self) == words(other)
    }

    /// Executes the operations in a stream, immediately or deferred.
    pub(crate) fn submit(self, order: &Order) -> Answer {
        let op = Arc::new(self);
        for operation in &op.operations {
            op.find(operation)?;
        }
        let queue = order.queue;
        if deferred::must_defer(order) {
            return deferred::submit(order, move |works| {
                works?;
                op.run(queue)
            });
        }
        let done = op.go_on(0, queue)?;
        if done == op.operations.len() {
            return Ok(());
        }
        deferred::launch(order, move |works| {
            works?;
            op.run_from(done, queue)
        })
    }

    /// Whether an operation may wait.
    pub(crate) fn may_wait(&self) -> bool {
        self.operations.iter().any(|one| matches!(parts(one).0, WAIT_32 | WAIT_64))
    }

    /// Executes all operations.
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

    /// Executes operations from one on; returns the index of the first that must wait, or their
    /// number.
    fn go_on(&self, first: usize, queue: Queue) -> Answer<usize> {
        for (i, operation) in self.operations.iter().enumerate().skip(first) {
            let (kind, address, value, _) = parts(operation);
            let Some(word) = self.find(operation)? else { continue };
            // The highest bit distinguishes addresses from handles of events.
            let event = address | 1 << 63;
            if matches!(kind, WRITE_32 | WRITE_64) {
                let bytes = value.to_le_bytes();
                let len = if kind == WRITE_32 { 4 } else { 8 };
                word.write(0, &bytes[..len]).map_err(refusal)?;
                crate::check_log::with_race(|race| race.streams().record(event, queue));
            } else if holds(&word, operation)? {
                crate::check_log::with_race(|race| race.streams().wait(event, Some(queue)));
            } else {
                return Ok(i);
            }
        }
        Ok(self.operations.len())
    }

    /// The memory of an operation's value.
    fn find(&self, operation: &CUstreamBatchMemOpParams) -> Answer<Option<Linear>> {
        let (kind, address, ..) = parts(operation);
        let Some(size) = size_of(kind) else { return Ok(None) };
        let word = memory::linear(&self.context.gpu, address, size as u64);
        word.map(Some).ok_or_else(|| {
            invalid!("address {address:#x} of an operation is not memory that the device reaches")
        })
    }

    /// Waits until an operation can be executed.
    fn wait(&self, operation: &CUstreamBatchMemOpParams) -> Answer {
        let (kind, address, ..) = parts(operation);
        let endless = |why: &str| {
            let reason = format!(
                "a stream waits for a value at {address:#x} that nobody writes (cuStreamWaitValue): {why}"
            );
            say(format_args!("{reason}"));
            CUresult::LAUNCH_TIMEOUT.because(reason)
        };
        if !deferred::may_outlive_call() {
            let why = "with `--schedule` and `--record` a stream cannot wait for what comes later";
            return Err(endless(why));
        }
        let size = if kind == WAIT_32 { 4 } else { 8 };
        let place = WaitingLoop {
            kernel: "cuStreamWaitValue".to_owned(),
            cta: [0; 3],
            span: Default::default(),
            threads: 0,
            polls: vec![PolledMemory { address, size, value: None, object: None }],
        };
        let others = WaitMonitor::new(false);
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

/// Whether the condition of a wait is satisfied.
fn holds(word: &Linear, operation: &CUstreamBatchMemOpParams) -> Answer<bool> {
    let (kind, _, value, flags) = parts(operation);
    let mut bytes = [0; 8];
    let (size, shift) = if kind == WAIT_32 { (4, 32) } else { (8, 0) };
    word.read_at(0, &mut bytes[..size]).map_err(refusal)?;
    let found = u64::from_le_bytes(bytes);
    // 32-bit values are shifted to the upper half, so that signs and differences modulo their size
    // are those of 64 bits.
    let (found, value) = (found << shift, value << shift);
    Ok(match flags & 3 {
        0 => found.wrapping_sub(value).cast_signed() >= 0,
        1 => found == value,
        2 => found & value != 0,
        _ => !(found | value) >> shift != 0,
    })
}
