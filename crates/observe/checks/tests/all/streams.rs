//! Tests which launches in streams race with each other, and which are ordered.

use texunit_checks::race::{HostRace, PendingAccess, Queue};
use texunit_checks::{Check, Log, Options};
use texunit_device::{
    Arg, Array, ArrayDescriptor, Buffer, Device, Extent, Format, Geometry, Kernel, LaunchOptions,
    Module, SurfaceObject, TextureDescriptor, TextureObject, TextureResource,
};

const A: Queue = Queue::new(16, false);
const B: Queue = Queue::new(32, false);
const C: Queue = Queue::new(48, true);

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
        let checks =
            self.log.launch_submitted(kernel.name(), (queue, None), 0).expect("it is checked");
        let options = LaunchOptions::default().with_block([64, 1, 1]).with_observer(Some(&checks));
        let [p, q] = &self.buffers;
        kernel.launch(&options, &[Arg::Buffer(p), Arg::Buffer(q)]).expect("it ends");
    }

    /// The kinds of findings, each with both kernels.
    fn found(&self) -> Vec<(&'static str, String, String)> {
        let ends = |f: &texunit_checks::Finding| {
            let other = f.other.as_ref().map_or_else(String::new, |(_, end)| end.kernel.clone());
            (f.code(), f.kernel().to_owned(), other)
        };
        self.log.findings().iter().flat_map(texunit_checks::Finding::kinds).map(ends).collect()
    }
}

/// Launches a kernel that writes in one stream, then one that reads in another.
fn two(first: Queue, between: impl Fn(&texunit_checks::race::Memory), second: Queue) -> usize {
    let program = Program::new();
    // A stream is known from its first use on.
    program.launch(&program.read, second);
    program.log.race().expect("it is asked for").streams().synchronize(second);
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
    assert_eq!(two(A, |race| race.streams().synchronize(A), B), 0);
    assert_eq!(two(A, |race| race.streams().synchronize(B), B), 1);
    assert_eq!(two(A, |race| race.streams().synchronize_device(0), B), 0);
    let event = |race: &texunit_checks::race::Memory| {
        race.streams().record(7, A);
        race.streams().wait(7, Some(B));
    };
    assert_eq!(two(A, event, B), 0);
    assert_eq!(two(A, |race| race.streams().record(7, A), B), 1);
    // The default stream waits for blocking streams, and blocking streams for it.
    assert_eq!(two(C, |_| {}, Queue::DEFAULT), 0);
    assert_eq!(two(Queue::DEFAULT, |_| {}, C), 0);
    // Default streams of two devices wait neither for each other nor for streams of the other
    // device.
    let (other, blocking) =
        (Queue { device: 1, own: None }, Queue { device: 1, own: Some((64, true)) });
    assert_eq!(two(other, |_| {}, Queue::DEFAULT), 1);
    assert_eq!(two(Queue::DEFAULT, |_| {}, blocking), 1);
    assert_eq!(two(other, |_| {}, blocking), 0);
    assert_eq!(two(C, |_| {}, other), 1);
    assert_eq!(two(other, |race| race.streams().synchronize_device(1), Queue::DEFAULT), 0);
    assert_eq!(two(other, |race| race.streams().synchronize_device(0), Queue::DEFAULT), 1);
    assert_eq!(two(A, |_| {}, Queue::DEFAULT), 1);
    assert_eq!(two(Queue::DEFAULT, |_| {}, A), 1);
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
    assert!(race.accessed(Some((A, None)), (at, len), true).is_none(), "a copy of the same stream");
    assert!(race.accessed(Some((B, None)), (at, len), true).is_some());
    race.streams().synchronize(A);
    assert!(race.accessed(None, (at, len), true).is_none());
    // The other launch stores at the same address.
    let at = program.buffers[1].address();
    assert!(race.accessed(None, (at, len), false).is_some());
    race.streams().synchronize(B);
    assert!(race.accessed(None, (at, len), true).is_none());
}

/// Launches of `k`, with a texture and a surface over an array of 8 x 4 floats, where each of four
/// threads fetches or stores a texel of row 1.
struct Texels {
    log: Log,
    kernel: Kernel,
    array: Array,
    texture: TextureObject,
    surface: SurfaceObject,
}

impl Texels {
    fn new(body: &str) -> Self {
        let device = Device::default();
        let text = texunit_testkit::ptx::SM_80.to_owned()
            + ".visible .entry k(.param .u64 t, .param .u64 s)\n{\n.reg .u32 %x, %y, %b;\n.reg .f32 %f<4>;\n\
               .reg .u64 %t, %s;\nld.param.u64 %t, [t];\nld.param.u64 %s, [s];\nmov.u32 %x, %tid.x;\n\
               shl.b32 %b, %x, 2;\nmov.u32 %y, 1;\n"
            + body
            + "\nret;\n}\n";
        let module = Module::load(&device, "texels.ptx", &text).expect("it is right");
        let kernel = module.kernel("k").expect("there");
        let format = Format::from_name("f32").expect("there is one");
        let extent = Extent { width: 8, height: 4, depth: 1 };
        let descriptor = ArrayDescriptor::new(format, Geometry::D2, extent, "array");
        let array = device.create_array(&descriptor).expect("there is room");
        let how = TextureDescriptor::default();
        let texture = device.create_texture(&TextureResource::Array(&array), &how);
        let texture = texture.expect("it is right");
        let surface = device.create_surface(&array).expect("it is right");
        let log = Log::new(Options { checks: Check::Race.into(), ..Options::default() });
        Self { log, kernel, array, texture, surface }
    }

    fn launch(&self, queue: Queue) {
        let checks = self.log.launch_submitted("k", (queue, None), 0).expect("it is checked");
        let options = LaunchOptions::new(1, 4).with_observer(Some(&checks));
        let args = [Arg::Texture(&self.texture), Arg::Surface(&self.surface)];
        self.kernel.launch(&options, &args).expect("it ends");
    }

    /// Copies some texels of a row in a stream; if that races, whether the other access stores.
    fn copied(&self, queue: Queue, (row, texels): (u64, [u64; 2]), writes: bool) -> Option<bool> {
        let [first, end] = texels.map(|x| 4 * x);
        let (array, offset) = self.array.row_place([first, row, 0], end - first).expect("inside");
        let race = self.log.race().expect("it is asked for");
        let found = race.array_accessed((queue, None), (array, offset, end - first), writes);
        found.map(|(end, stores)| {
            assert_eq!(end.kernel, "k");
            stores
        })
    }
}

#[test]
fn a_copy_of_an_array_races_with_fetches_of_another_stream() {
    let fetch = "tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%t, {%x, %y}];";
    let texels = Texels::new(fetch);
    texels.launch(A);
    assert_eq!(texels.copied(B, (1, [0, 8]), true), Some(false));
    assert_eq!(texels.copied(B, (1, [3, 4]), true), Some(false));
    assert_eq!(texels.copied(B, (1, [4, 8]), true), None, "texels beside them");
    assert_eq!(texels.copied(B, (0, [0, 8]), true), None, "another row");
    assert_eq!(texels.copied(B, (1, [0, 8]), false), None, "both read");
    assert_eq!(texels.copied(A, (1, [0, 8]), true), None, "the same stream");
    let race = texels.log.race().expect("it is asked for");
    race.streams().record(1, A);
    race.streams().wait(1, Some(B));
    assert_eq!(texels.copied(B, (1, [0, 8]), true), None, "it has waited");
    texels.launch(A);
    race.streams().synchronize(A);
    assert_eq!(texels.copied(B, (1, [0, 8]), true), None, "the host has waited");
    // With only one stream, nothing can be concurrent.
    let texels = Texels::new(fetch);
    texels.launch(Queue::DEFAULT);
    assert_eq!(texels.copied(Queue::DEFAULT, (1, [0, 8]), true), None);
}

#[test]
fn a_copy_of_an_array_races_with_surface_accesses_of_another_stream() {
    let stores = Texels::new("sust.b.2d.b32.trap [%s, {%b, %y}], {%x};");
    stores.launch(A);
    assert_eq!(stores.copied(B, (1, [2, 8]), true), Some(true));
    assert_eq!(stores.copied(B, (1, [2, 8]), false), Some(true));
    assert_eq!(stores.copied(B, (2, [0, 8]), false), None);
    let loads = Texels::new("suld.b.2d.b32.trap {%x}, [%s, {%b, %y}];");
    loads.launch(A);
    assert_eq!(loads.copied(B, (1, [2, 8]), true), Some(false));
    assert_eq!(loads.copied(B, (1, [2, 8]), false), None);
}

#[test]
fn a_stream_for_each_job_is_forgotten() {
    let program = Program::new();
    let race = program.log.race().expect("it is asked for");
    let own = Queue::new;
    let mut kept = 0;
    for job in 0..40 {
        let queue = own(100 + job, job % 2 == 0);
        race.streams().record(1 << 20, A);
        race.streams().wait(1 << 20, Some(queue));
        program.launch(&program.write, queue);
        race.streams().record(job, queue);
        race.streams().wait(job, Some(A));
        program.launch(&program.read, A);
        race.streams().end_stream(queue);
        race.streams().end_event(job);
        if job % 4 == 3 {
            race.streams().synchronize_device(0);
            program.launch(&program.read, A);
        }
        match job {
            7 => kept = race.streams().state_count(),
            _ if job % 4 == 3 && job > 7 => {
                assert_eq!(race.streams().state_count(), kept, "after job {job}")
            }
            _ => {}
        }
    }
    assert!(program.found().is_empty(), "{:?}", program.found());
    // Work in a destroyed stream continues.
    let last = own(1000, false);
    race.streams().record(1 << 20, A);
    race.streams().wait(1 << 20, Some(last));
    program.launch(&program.write, last);
    race.streams().end_stream(last);
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
    assert_eq!((all, race.pending().is_empty()), (vec![PendingAccess::No], true));
    // The kernel reads `p` and writes the first 64 words of `q`.
    program.launch(&program.read, A);
    let pages = |at| race.pending().pages((at, 4096), 4096)[0];
    assert_eq!((pages(p), pages(q)), (PendingAccess::Read, PendingAccess::Written));
    assert!(race.host_accessed(p, false).is_none() && race.host_accessed(q + 256, true).is_none());
    for (at, writes, stores) in [(p + 4, true, false), (q, false, true), (q + 255, true, true)] {
        let Some(HostRace::Kernel(Some(end), found)) = race.host_accessed(at, writes) else {
            panic!("nothing is found at {at:#x}");
        };
        assert_eq!((end.kernel.as_str(), found), ("read", stores));
    }
    race.streams().synchronize(B);
    assert!(race.host_accessed(q, false).is_some());
    // A copy in another stream.
    race.streams().copies(B, "a copy".to_owned(), &[(p + 8, 8, false), (p + 4096, 1, true)]);
    assert_eq!(
        race.pending().pages((p, 8192), 4096),
        [PendingAccess::Read, PendingAccess::Written]
    );
    race.streams().synchronize(A);
    assert!(race.host_accessed(q, false).is_none() && race.host_accessed(p + 4, true).is_none());
    assert!(race.host_accessed(p + 8, false).is_none());
    let copy = race.host_accessed(p + 15, true);
    assert!(matches!(copy, Some(HostRace::Copy(text, false)) if text == "a copy"));
    race.streams().synchronize_device(0);
    assert!(race.pending().is_empty() && race.host_accessed(p + 8, true).is_none());
}

#[test]
fn what_is_done_late_has_the_order_of_when_it_was_submitted() {
    for is_ordered in [true, false] {
        let program = Program::new();
        let race = program.log.race().expect("it is asked for");
        program.launch(&program.write, B);
        race.streams().synchronize_device(0);
        let write = race.streams().submit(A);
        race.streams().record(7, A);
        if is_ordered {
            race.streams().wait(7, Some(B));
        }
        let read = race.streams().submit(B);
        // The event is recorded again, and no longer stands for the earlier work.
        race.streams().record(7, B);
        race.streams().wait(7, Some(A));
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
