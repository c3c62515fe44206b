//! Launches in streams: which race with each other, and which are ordered.
#![allow(missing_docs)]

use texunit_checks::race::{HostRace, Queue, Touched};
use texunit_checks::{Check, Log, Options};
use texunit_device::{Arg, Buffer, Device, Kernel, LaunchOptions, Module};

const A: Queue = Queue::Own { id: 16, is_blocking: false };
const B: Queue = Queue::Own { id: 32, is_blocking: false };
const C: Queue = Queue::Own { id: 48, is_blocking: true };

struct Program {
    log: Log,
    write: Kernel,
    read: Kernel,
    buffers: [Buffer; 2],
}

impl Program {
    fn new() -> Self {
        let device = Device::default();
        let entry = |name: &str, body: &str| {
            format!(
                ".visible .entry {name}(.param .u64 p, .param .u64 q)\n{{\n.reg .u32 %t, %v;\n.reg .u64 %p, %q, %o;\n\
                 ld.param.u64 %p, [p];\nld.param.u64 %q, [q];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\n\
                 add.u64 %p, %p, %o;\nadd.u64 %q, %q, %o;\n{body}\nret;\n}}\n"
            )
        };
        let text = texunit_testkit::ptx::SM_80.to_owned()
            + &entry("write", "st.global.u32 [%p], %t;")
            + &entry("read", "ld.global.u32 %v, [%p];\nst.global.u32 [%q], %v;");
        let module = Module::load(&device, "streams.ptx", &text).expect("it is right");
        let [write, read] = ["write", "read"].map(|name| module.kernel(name).expect("there"));
        let buffers = [0, 1].map(|_| device.alloc(4096, "buffer").expect("there is room"));
        let log = Log::new(Options { checks: Check::Race.into(), ..Options::default() });
        Self { log, write, read, buffers }
    }

    fn launch(&self, kernel: &Kernel, queue: Queue) {
        let checks = self.log.launch_in(kernel.name(), queue, 0).expect("it is checked");
        let options = LaunchOptions::default().with_block([64, 1, 1]).with_observer(Some(&checks));
        let [p, q] = &self.buffers;
        kernel.launch(&options, &[Arg::Buffer(p), Arg::Buffer(q)]).expect("it ends");
    }

    /// Kinds and both kernels of what is found.
    fn found(&self) -> Vec<(&'static str, String, String)> {
        let ends = |f: texunit_checks::Finding| {
            let other = f.other.as_ref().map_or_else(String::new, |(_, end)| end.kernel.clone());
            (f.code(), f.kernel().to_owned(), other)
        };
        self.log.findings().into_iter().map(ends).collect()
    }
}

/// A launch that writes in one stream, then one that reads in another.
fn two(first: Queue, between: impl Fn(&texunit_checks::race::Memory), second: Queue) -> usize {
    let program = Program::new();
    // Streams are known from their first use on.
    program.launch(&program.read, second);
    program.log.race().expect("it is asked for").all_synchronized();
    program.launch(&program.write, first);
    between(program.log.race().expect("it is asked for"));
    program.launch(&program.read, second);
    let found = program.found();
    let race = ("race-read-after-write", "read".to_owned(), "write".to_owned());
    assert!(found.iter().all(|f| *f == race), "{found:?}");
    found.len()
}

#[test]
fn launches_of_two_streams_race_unless_something_orders_them() {
    assert_eq!(two(A, |_| {}, B), 1);
    assert_eq!(two(A, |_| {}, A), 0);
    assert_eq!(two(A, |race| race.synchronized(A), B), 0);
    assert_eq!(two(A, |race| race.synchronized(B), B), 1);
    assert_eq!(two(A, |race| race.all_synchronized(), B), 0);
    let event = |race: &texunit_checks::race::Memory| {
        race.event_recorded(7, A);
        race.event_waited(7, Some(B));
    };
    assert_eq!(two(A, event, B), 0);
    assert_eq!(two(A, |race| race.event_recorded(7, A), B), 1);
    // The default stream waits for blocking streams, and they for it.
    assert_eq!(two(C, |_| {}, Queue::Default), 0);
    assert_eq!(two(Queue::Default, |_| {}, C), 0);
    assert_eq!(two(A, |_| {}, Queue::Default), 1);
    assert_eq!(two(Queue::Default, |_| {}, A), 1);
}

#[test]
fn the_host_has_to_wait() {
    let program = Program::new();
    let race = program.log.race().expect("it is asked for");
    program.launch(&program.read, B);
    program.launch(&program.write, A);
    let (at, len) = (program.buffers[0].address(), 256);
    let who = race.accessed(None, (at, len), false).map(|(end, stores)| (end.kernel, stores));
    assert_eq!(who, Some(("write".to_owned(), true)));
    assert!(race.accessed(None, (at + 256, len), false).is_none(), "bytes behind it");
    assert!(race.accessed(Some(A), (at, len), true).is_none(), "a copy of the same stream");
    assert!(race.accessed(Some(B), (at, len), true).is_some());
    race.synchronized(A);
    assert!(race.accessed(None, (at, len), true).is_none());
    // The other one has stored, too.
    let at = program.buffers[1].address();
    assert!(race.accessed(None, (at, len), false).is_some());
    race.synchronized(B);
    assert!(race.accessed(None, (at, len), true).is_none());
}

#[test]
fn a_stream_for_each_job_is_forgotten() {
    let program = Program::new();
    let race = program.log.race().expect("it is asked for");
    let own = |id, is_blocking| Queue::Own { id, is_blocking };
    let mut kept = 0;
    for job in 0..40 {
        let queue = own(100 + job, job % 2 == 0);
        race.event_recorded(1 << 20, A);
        race.event_waited(1 << 20, Some(queue));
        program.launch(&program.write, queue);
        race.event_recorded(job, queue);
        race.event_waited(job, Some(A));
        program.launch(&program.read, A);
        race.stream_ended(queue);
        race.event_ended(job);
        if job % 4 == 3 {
            race.all_synchronized();
            program.launch(&program.read, A);
        }
        match job {
            7 => kept = race.kept(),
            _ if job % 4 == 3 && job > 7 => assert_eq!(race.kept(), kept, "after job {job}"),
            _ => {}
        }
    }
    assert!(program.found().is_empty(), "{:?}", program.found());
    // What is in a stream that was destroyed goes on.
    let last = own(1000, false);
    race.event_recorded(1 << 20, A);
    race.event_waited(1 << 20, Some(last));
    program.launch(&program.write, last);
    race.stream_ended(last);
    program.launch(&program.read, A);
    assert_eq!(program.found().len(), 1);
}

#[test]
fn the_host_races_with_what_it_has_not_waited_for() {
    let program = Program::new();
    let race = program.log.race().expect("it is asked for");
    race.watch_host();
    let [p, q] = [0, 1].map(|i| program.buffers[i].address());
    let all = race.pending().pages((p, 4096), 4096);
    assert_eq!((all, race.pending().is_empty()), (vec![Touched::No], true));
    // It reads `p` and writes the first 64 words of `q`.
    program.launch(&program.read, A);
    let pages = |at| race.pending().pages((at, 4096), 4096)[0];
    assert_eq!((pages(p), pages(q)), (Touched::Read, Touched::Written));
    assert!(race.host_accessed(p, false).is_none() && race.host_accessed(q + 256, true).is_none());
    for (at, writes, stores) in [(p + 4, true, false), (q, false, true), (q + 255, true, true)] {
        let Some(HostRace::Kernel(Some(end), found)) = race.host_accessed(at, writes) else {
            panic!("nothing is found at {at:#x}");
        };
        assert_eq!((end.kernel.as_str(), found), ("read", stores));
    }
    race.synchronized(B);
    assert!(race.host_accessed(q, false).is_some());
    // A copy, in another stream.
    race.copies(B, "a copy".to_owned(), &[(p + 8, 8, false), (p + 4096, 1, true)]);
    assert_eq!(race.pending().pages((p, 8192), 4096), [Touched::Read, Touched::Written]);
    race.synchronized(A);
    assert!(race.host_accessed(q, false).is_none() && race.host_accessed(p + 4, true).is_none());
    assert!(race.host_accessed(p + 8, false).is_none());
    let copy = race.host_accessed(p + 15, true);
    assert!(matches!(copy, Some(HostRace::Copy(text, false)) if text == "a copy"));
    race.all_synchronized();
    assert!(race.pending().is_empty() && race.host_accessed(p + 8, true).is_none());
}

#[test]
fn what_is_done_late_has_the_order_of_when_it_was_submitted() {
    for is_ordered in [true, false] {
        let program = Program::new();
        let race = program.log.race().expect("it is asked for");
        program.launch(&program.write, B);
        race.all_synchronized();
        let write = race.submit(A);
        race.event_recorded(7, A);
        if is_ordered {
            race.event_waited(7, Some(B));
        }
        let read = race.submit(B);
        // The event is recorded anew, and says nothing of what was submitted before.
        race.event_recorded(7, B);
        race.event_waited(7, Some(A));
        for (kernel, queue, work) in [(&program.write, A, write), (&program.read, B, read)] {
            let checks = program.log.launch_submitted(kernel.name(), (queue, Some(work)), 0);
            let checks = checks.expect("it is checked");
            let block = [64, 1, 1];
            let options = LaunchOptions::default().with_block(block).with_observer(Some(&checks));
            let [p, q] = &program.buffers;
            kernel.launch(&options, &[Arg::Buffer(p), Arg::Buffer(q)]).expect("it ends");
        }
        assert_eq!(program.found().len(), usize::from(!is_ordered));
    }
}
