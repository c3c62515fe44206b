//! Events at a stop.

use crate::session::Live;
use crate::session::breaks::BreakpointKind;
use crate::session::run::Reason;
use serde_json::json;

impl Live<'_, '_> {
    /// Sends the event for a stop.
    pub(crate) fn tell_stop(&mut self, reason: &Reason) {
        self.session.dap.forget();
        if let Some(note) = self.history.note.take() {
            self.say(&format!("[{note}]\n"));
        }
        let mut hit = Vec::new();
        let mut text = None;
        let word = match reason {
            Reason::Begin => "entry",
            Reason::Breakpoint(numbers) => {
                hit.clone_from(numbers);
                let all = self.session.settings.breakpoints.iter();
                let mut met = all.filter(|b| numbers.contains(&b.number));
                let is_function = met.clone().any(|b| b.group == "function");
                let found = met.find_map(|b| match &b.what {
                    BreakpointKind::Finding(what) => Some(what.clone()),
                    _ => None,
                });
                if let Some(what) = found {
                    self.session.dap.fault = Some(("finding".to_owned(), what.clone()));
                    text = Some(what);
                    "exception"
                } else if is_function {
                    "function breakpoint"
                } else {
                    "breakpoint"
                }
            }
            Reason::Watch(number, old, new) => {
                hit.push(*number);
                let watched = self.session.settings.breakpoint(*number);
                if let Some(ty) = watched.and_then(|b| b.watched.as_ref()).map(|w| w.ty) {
                    let (old, new) = (self.bytes_text(ty, old), self.bytes_text(ty, new));
                    text = Some(format!("{old} -> {new}"));
                }
                "data breakpoint"
            }
            Reason::WatchScope(_) => "data breakpoint",
            Reason::Catch(_, what) => {
                text = Some(what.clone());
                "exception"
            }
            Reason::Step | Reason::Finish | Reason::ThreadEnd => "step",
            Reason::Moved => "goto",
            Reason::NoHistory => {
                text = Some("No more reverse-execution history.".to_owned());
                "entry"
            }
            Reason::Fault(fault) => {
                let message = fault.kind.to_string();
                self.session.dap.fault = Some(("fault".to_owned(), message.clone()));
                text = Some(message);
                "exception"
            }
            Reason::Interrupted => "pause",
            Reason::Ended => {
                self.event("continued", &json!({ "threadId": 1, "allThreadsContinued": true }));
                return;
            }
        };
        if let Reason::Catch(_, what) = reason {
            self.session.dap.fault = Some((what.clone(), what.clone()));
        }
        let mut body = json!({
            "reason": word,
            "threadId": self.thread.1 + 1,
            "allThreadsStopped": true,
            "hitBreakpointIds": hit,
        });
        if let Some(text) = text {
            body["text"] = json!(text);
        }
        self.event("stopped", &body);
    }

    /// Sends the current positions of breakpoints.
    pub(crate) fn tell_breakpoints(&mut self) {
        let all = self.session.settings.breakpoints.iter();
        let numbers: Vec<u32> = all.filter(|b| !b.at.is_empty()).map(|b| b.number).collect();
        for number in numbers {
            let told = self.breakpoint(number);
            self.event("breakpoint", &json!({ "reason": "changed", "breakpoint": told }));
        }
    }
}
