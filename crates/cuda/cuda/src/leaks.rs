//! Leak check: reports objects that are alive when their context or the program ends, with the
//! places where the program created them.

use crate::array::{ArrayObject, MipmapObject};
use crate::check_log::of_leaks;
use crate::checks::report_new;
use crate::context::Context;
use crate::graph::Graph;
use crate::graph::exec::Exec;
use crate::memory::pool::Pool;
use crate::module::Module;
use crate::prelude::*;
use crate::stream::{Event, Stream};
use crate::texture::{Surface, Texture};
use crate::{allocation_trace, memory};
use texunit_checks::rules::{self, CheckRule};
use texunit_checks::{Finding, Log};

/// Objects of one kind that were created at one place.
#[derive(Default)]
struct Group {
    count: u64,
    bytes: u64,
    /// Call site of the first of the leaked objects.
    places: Vec<String>,
}

/// Key: rule, kind of object, and the program's line, or without one all that is known of the
/// place.
type Groups = BTreeMap<(&'static str, String, Vec<String>), Group>;

/// Reports the objects that are alive when a context ends.
pub(crate) fn context_ended(context: &Context) {
    let Some(log) = of_leaks() else { return };
    // After a fault every call is refused, also those that free memory, so that leaks are not
    // reported.
    let is_told = context.check().is_ok();
    if is_told {
        report(log, context);
    }
    log.heap_ends(context.handle.number() as u64, is_told);
    report_new(None, (0, None));
}

/// Reports the objects that are alive when the program ends. Memory pools belong to no context and
/// live until then.
pub(crate) fn at_end() {
    let Some(log) = of_leaks() else { return };
    if Context::registry().all(|context| context.check().is_err()).is_empty() {
        let mut groups = Groups::new();
        // Graphs belong to no context; inner graphs are destroyed with their outer graph.
        add_objects(
            &mut groups,
            [
                ("memory pool", alive::<Pool>(|_| true)),
                ("graph", alive::<Graph>(|graph| graph.owner.get().is_none())),
            ],
        );
        for memory in crate::memory::virtual_memory::memories() {
            let (rule, what) = (rules::LEAK_ALLOCATION, "allocation of cuMemCreate");
            add(&mut groups, rule, what, memory.number, memory.size);
        }
        for number in crate::memory::virtual_memory::reservations() {
            add(&mut groups, rules::LEAK_OBJECT, "reservation of addresses", number, 0);
        }
        report_groups(log, groups);
    }
    for context in Context::registry().all(|context| context.check().is_ok()) {
        report(log, &context);
        log.heap_ends(context.handle.number() as u64, true);
    }
}

fn report(log: &Log, context: &Context) {
    let (mut groups, handle) = (Groups::new(), context.handle);
    memory_of(log, context, &mut groups);
    add_objects(
        &mut groups,
        [
            ("texture object", alive::<Texture>(|object| object.context == handle)),
            ("surface object", alive::<Surface>(|object| object.context == handle)),
            ("stream", alive::<Stream>(|object| object.context == handle)),
            ("event", alive::<Event>(|object| object.context == handle)),
            ("module", alive::<Module>(|object| object.context == handle)),
            ("instantiated graph", alive::<Exec>(|object| object.context == handle)),
        ],
    );
    report_groups(log, groups);
}

fn report_groups(log: &Log, groups: Groups) {
    for ((code, what, _), group) in groups {
        if let Some(rule) = texunit_report::check_rule(code) {
            log.found(finding(rule, &what, group));
        }
    }
}

fn add(groups: &mut Groups, rule: &CheckRule, what: &str, number: u64, bytes: u64) {
    let places = allocation_trace::allocation_frames(number);
    let line = places.first().filter(|place| texunit_checks::has_line(place));
    let key = line.map_or_else(|| places.clone(), |line| vec![line.clone()]);
    let new = || Group { places, ..Group::default() };
    let group = groups.entry((rule.code, what.to_owned(), key)).or_insert_with(new);
    group.count += 1;
    group.bytes = group.bytes.saturating_add(bytes);
}

/// Adds allocations and arrays. Blocks of the memory pools of CuPy and PyTorch are not reported.
fn memory_of(log: &Log, context: &Context, groups: &mut Groups) {
    let (rule, handle) = (rules::LEAK_ALLOCATION, context.handle);
    for allocation in memory::all(|allocation| allocation.context == handle) {
        if allocation_trace::is_of_pool(allocation.id) {
            log.suppress(1);
            continue;
        }
        let what = format!("allocation of {}", allocation.made_by());
        add(groups, rule, &what, allocation.id, allocation.size);
    }
    let whole = |array: &ArrayObject| array.context == handle && array.level_of.is_none();
    for (_, array) in ArrayObject::registry().all_with_handles(whole) {
        add(groups, rule, "array", array.array.number(), array.array.size());
    }
    for (_, array) in MipmapObject::registry().all_with_handles(|array| array.context == handle) {
        add(groups, rule, "mipmapped array", array.array.number(), array.array.size());
    }
}

/// Adds objects with a name of their kind, without those that were not created by the program:
/// default pools, and objects that the runtime created for itself.
fn add_objects<const N: usize>(groups: &mut Groups, objects: [(&str, Vec<u64>); N]) {
    for (what, numbers) in objects {
        for number in numbers.into_iter().filter(|&number| allocation_trace::is_recorded(number)) {
            add(groups, rules::LEAK_OBJECT, what, number, 0);
        }
    }
}

/// Handles of the live objects of one kind.
fn alive<T: Object>(of_context: impl Fn(&T) -> bool) -> Vec<u64> {
    let all = T::registry().all_with_handles(of_context);
    all.into_iter().map(|(number, _)| number as u64).collect()
}

fn finding(rule: &'static CheckRule, what: &str, group: Group) -> Finding {
    let Group { count, bytes, places } = group;
    let plural = match what.split_once(" of ") {
        Some((first, rest)) => format!("{first}s of {rest}"),
        None => format!("{what}s"),
    };
    let (number, were) = match count {
        1 => (format!("1 {what}"), "was"),
        _ => (format!("{count} {plural}"), "were"),
    };
    let bytes = match (bytes, count) {
        (0, _) => String::new(),
        (bytes, 1) => format!(" ({})", Count(bytes, "byte")),
        (bytes, _) => format!(" ({} in all)", Count(bytes, "byte")),
    };
    let end = if rule == rules::LEAK_ALLOCATION { "freed" } else { "destroyed" };
    let host = places.first().cloned();
    let notes = allocation_trace::notes("made at", places).collect();
    let message = format!("{number}{bytes} {were} not {end}");
    Finding { count, host, ..Finding::of_process(rule, message, notes) }
}
