//! Breakpoints of an editor, which always sends the complete list for a file, for all functions or
//! for all data.

use crate::session::Settings;
use crate::session::breaks::{Breakpoint, BreakpointKind, number};
use crate::session::editor::Editor;
use dap::requests::{SetFunctionBreakpointsArguments, SetInstructionBreakpointsArguments};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

/// A breakpoint on a line of a file. This structure exists because the crate `dap` gives two of the
/// fields other names than the protocol.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AtLine {
    line: i64,
    condition: Option<String>,
    hit_condition: Option<String>,
    log_message: Option<String>,
}

/// A breakpoint of the editor, whose location is written as in the command `break`.
struct AtPlace {
    place: String,
    condition: Option<String>,
    hits: Option<String>,
    log: Option<String>,
}

pub(super) fn parsed<T: DeserializeOwned>(arguments: &Json) -> Result<T, String> {
    T::deserialize(arguments).map_err(|error| error.to_string())
}

/// One argument of a request; `None` if it is missing, an error if it has another type.
pub fn argument<T: DeserializeOwned>(arguments: &Json, name: &str) -> Result<Option<T>, String> {
    Option::deserialize(&arguments[name]).map_err(|error| format!("`{name}`: {error}"))
}

/// The condition of a breakpoint; `None` if the editor sent an empty text.
pub(super) fn condition(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// The number of hits that a hit condition lets pass: `5`, `>= 5`.
fn passed(hits: Option<&str>) -> u64 {
    let digits: String = hits.unwrap_or("").chars().filter(char::is_ascii_digit).collect();
    let count: u64 = digits.parse().unwrap_or(0);
    let is_more =
        hits.is_some_and(|text| text.trim_start().starts_with('>') && !text.contains('='));
    if is_more { count } else { count.saturating_sub(1) }
}

impl Settings {
    /// The settings of an editor's session.
    pub fn of_editor(editor: Editor) -> Self {
        Self { editor: Some(editor), ..Self::new() }
    }

    /// Applies the settings of a `launch` request, keeping breakpoints.
    pub fn take_launch(&mut self, launch: Self) {
        let at_entry = launch.editor.is_some_and(|editor| editor.stops_at_entry);
        self.editor.get_or_insert_default().stops_at_entry = at_entry;
        (self.kernel, self.checkpoint_memory) = (launch.kernel, launch.checkpoint_memory);
    }

    fn put(&mut self, group: &str, what: BreakpointKind, text: &str) -> &mut Breakpoint {
        let breakpoint = self.add(what, text);
        breakpoint.group = group.to_owned();
        breakpoint
    }

    /// Replaces the breakpoints of a group, and returns their numbers.
    fn replace(&mut self, group: &str, all: impl Iterator<Item = AtPlace>) -> Vec<u32> {
        self.breakpoints.retain(|b| b.group != group);
        let put = |AtPlace { place, condition, hits, log }: AtPlace| {
            let breakpoint = self.put(group, BreakpointKind::Place, &place);
            breakpoint.condition = self::condition(condition);
            breakpoint.ignore = passed(hits.as_deref());
            breakpoint.log = log.filter(|text| !text.is_empty());
            breakpoint.number
        };
        all.map(put).collect()
    }

    /// Applies a breakpoint request; returns the numbers of the breakpoints, or `None` for another
    /// request.
    ///
    /// # Errors
    /// The request is malformed.
    pub fn configure(
        &mut self,
        command: &str,
        arguments: &Json,
    ) -> Option<Result<Vec<u32>, String>> {
        Some(match command {
            "setBreakpoints" => self.set_source(arguments),
            "setFunctionBreakpoints" => self.set_functions(arguments),
            "setInstructionBreakpoints" => self.set_instructions(arguments),
            "setExceptionBreakpoints" => self.set_exceptions(arguments),
            _ => return None,
        })
    }

    fn set_source(&mut self, arguments: &Json) -> Result<Vec<u32>, String> {
        let source: dap::types::Source = parsed(&arguments["source"])?;
        let wanted: Option<Vec<AtLine>> = parsed(&arguments["breakpoints"])?;
        let path = source.path.or(source.name).unwrap_or_default();
        let all = wanted.into_iter().flatten().map(|wanted| AtPlace {
            place: format!("{path}:{}", wanted.line),
            condition: wanted.condition,
            hits: wanted.hit_condition,
            log: wanted.log_message,
        });
        Ok(self.replace(&format!("source:{path}"), all))
    }

    fn set_functions(&mut self, arguments: &Json) -> Result<Vec<u32>, String> {
        let wanted: SetFunctionBreakpointsArguments = parsed(arguments)?;
        let all = wanted.breakpoints.into_iter().map(|wanted| AtPlace {
            place: wanted.name,
            condition: wanted.condition,
            hits: wanted.hit_condition,
            log: None,
        });
        Ok(self.replace("function", all))
    }

    fn set_instructions(&mut self, arguments: &Json) -> Result<Vec<u32>, String> {
        let wanted: SetInstructionBreakpointsArguments = parsed(arguments)?;
        let all = wanted.breakpoints.into_iter().map(|wanted| {
            let at = number(&wanted.instruction_reference).unwrap_or(0);
            let at = at.wrapping_add_signed(wanted.offset.unwrap_or(0));
            let place = format!("*0x{at:x}");
            AtPlace { place, condition: wanted.condition, hits: None, log: None }
        });
        Ok(self.replace("instruction", all))
    }

    fn set_exceptions(&mut self, arguments: &Json) -> Result<Vec<u32>, String> {
        let filters: Vec<String> = argument(arguments, "filters")?.unwrap_or_default();
        let has = |name: &str| filters.iter().any(|filter| filter == name);
        self.editor.get_or_insert_default().passes_faults = !has("fault");
        self.breakpoints.retain(|b| b.group != "exception");
        for name in ["nan", "divergence"].into_iter().filter(|name| has(name)) {
            self.put("exception", BreakpointKind::Catch(name.to_owned()), name);
        }
        Ok(Vec::new())
    }

    /// The answer for breakpoints that cannot be verified yet, because no module is loaded.
    pub fn unverified(numbers: &[u32]) -> Json {
        let all = numbers.iter().map(|number| {
            json!({ "id": number, "verified": false, "message": "no module with this place is loaded yet" })
        });
        json!({ "breakpoints": all.collect::<Vec<_>>() })
    }
}

/// The capabilities that the debug adapter reports to the editor.
pub fn capabilities() -> Json {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsDataBreakpoints": true,
        "supportsInstructionBreakpoints": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsEvaluateForHovers": true,
        "supportsDisassembleRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsTerminateRequest": true,
        "supportsCompletionsRequest": true,
        "exceptionBreakpointFilters": [
            { "filter": "fault", "label": "Faults of kernels", "default": true },
            { "filter": "nan", "label": "NaN made of numbers", "default": false },
            { "filter": "divergence", "label": "Lanes of a warp part", "default": false },
        ],
    })
}
