//! Dependencies across streams: events, events of whole contexts, and streams that wait for each
//! other.

use super::*;
use crate::ipc::event::SharedEvent;
use crate::stream::Event;

fn lines(state: &State, context: &Context) -> Vec<StreamKey> {
    let number = context.handle.number();
    state.tails.keys().copied().filter(|line| line.context == number).collect()
}

/// Dependencies of the next items of several streams, without those that are done.
fn tails(state: &State, lines: &[StreamKey]) -> Vec<Id> {
    let ids: BTreeSet<Id> = lines.iter().flat_map(|&line| state.before(line)).collect();
    ids.into_iter().collect()
}

/// Records an event after all work submitted to a context.
pub(crate) fn recorded_in_context(event: usize, context: &Context) {
    if has_any() {
        with(|state| {
            let ids = tails(state, &lines(state, context));
            state.events.insert(event, ids);
        });
    }
}

/// Makes all later work of a context depend on an event.
pub(crate) fn context_waits(event: usize, order: &Order) {
    if has_any() {
        with(|state| {
            let ids = state.of_event(event);
            for line in lines(state, &order.context).into_iter().chain([order.line()]) {
                state.wait(line, &ids);
            }
        });
    }
}

/// Makes later work of several streams depend on all their preceding work.
pub(crate) fn joined(orders: &[Order]) {
    if has_any() {
        with(|state| {
            let lines: Vec<StreamKey> = orders.iter().map(Order::line).collect();
            let ids = tails(state, &lines);
            for line in lines {
                state.tails.insert(line, ids.clone());
            }
        });
    }
}

/// Records a valid event: it completes when the preceding work of the stream is done.
pub(crate) fn record_event(event: Handle<Event>, order: &Order) {
    let Some(object) = Event::registry().find(event) else { return };
    capture::recorded_outside(event.number());
    crate::check_log::with_race(|race| race.streams().record(event.number() as u64, order.queue));
    let time = object.shared.as_ref().map(SharedEvent::recorded);
    let is_shared = time.is_some();
    record(event.number(), order, move || {
        object.record();
        if let (Some(shared), Some(time)) = (&object.shared, time) {
            shared.happens(time);
        }
    });
    // The process that waits for an interprocess event cannot request the work before it.
    if is_shared && is_on() {
        wait_for_event(event.number());
    }
}
