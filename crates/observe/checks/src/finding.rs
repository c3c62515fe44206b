//! A finding of a check: how findings are grouped, the text of a finding, and its conversion to a
//! diagnostic, an event of the log and JSON.

use crate::check::Check;
use crate::end::{End, Spot};
use crate::rules;
use crate::sink::{LaunchFinding, Other, OtherAt};
use texunit_forms::Count;
use texunit_report::place::{function_name, shown_file};
use texunit_report::{CheckRule, CodeLocation, Host, Severity, grouped};
use texunit_simt::observe::LaunchInfo;
use texunit_simt::{Described, Fault};
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// Findings of one kind at one pair of source lines, grouped with a count.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The kind of finding.
    pub rule: &'static CheckRule,
    /// The worst severity in the group.
    pub severity: Severity,
    /// A sentence that says what is wrong, without the full stop.
    pub message: String,
    /// Number of the launch among the checked launches, from 1; 0 if the finding belongs to no
    /// launch.
    pub launch: u64,
    /// How often the finding occurred.
    pub count: u64,
    /// Number of different PTX instructions at which the finding occurred.
    pub places: u64,
    /// The calling line of the host program, for a finding that belongs to no launch.
    pub host: Option<String>,
    /// Whether the finding is about padding between members of structures, which suppressions
    /// select by the rule `padding`.
    pub is_padding: bool,
    /// The thread and its instruction; `None` for a leak of host memory, which no thread causes.
    pub at: Option<End>,
    /// The other thread of the finding, for example that of the racing access, with a description
    /// of what it did.
    pub other: Option<(String, End)>,
    /// The variable or allocation that the finding is about.
    pub object: Option<Described>,
    /// Advice, if it differs from the rule's general advice.
    pub help: Option<String>,
    /// Further remarks, one per line.
    pub notes: Vec<String>,
    /// The finding of the same two source lines in the other order: without a barrier a load may
    /// come before or after the store.
    pub also: Option<Box<Finding>>,
}

/// The key by which findings are grouped: rule and source lines, or rule and message if the finding
/// has no line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    code: &'static str,
    lines: [Option<(String, u32)>; 2],
    host: Option<String>,
    message: Option<(String, Vec<String>)>,
}

impl Finding {
    /// A finding that belongs to no launch.
    pub fn of_process(rule: &'static CheckRule, message: String, notes: Vec<String>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            message,
            launch: 0,
            count: 1,
            places: 0,
            host: None,
            is_padding: false,
            at: None,
            other: None,
            object: None,
            help: None,
            notes,
            also: None,
        }
    }

    /// The finding of a fetch or surface access whose handle refers to no matching texture or
    /// surface. The text is that of the corresponding fault; `source` is the module's PTX.
    pub(crate) fn of_bad_fetch(
        fault: &Fault,
        source: &SourceFile,
        host: Host,
        number: u64,
    ) -> Self {
        let (place, kernel) = (CodeLocation::of_fault(fault, source), fault.kernel.clone());
        let (cta, thread, span) = (fault.cta, fault.thread, fault.span);
        let at = End { cta, thread, kernel, place, span, node: None };
        let Diagnostic { message, help, remarks, .. } =
            texunit_report::bad_fetch_diagnostic(fault, host);
        let finding = Self::of_process(rules::TEXTURE_BAD_FETCH, message, remarks);
        Self {
            launch: number,
            places: 1,
            at: Some(at),
            object: fault.kind.object().map(Described::from),
            help,
            ..finding
        }
    }

    /// Converts a check's finding in a launch, by resolving its operations to source lines.
    pub(crate) fn of_launch(found: LaunchFinding, launch: &LaunchInfo<'_>, number: u64) -> Self {
        let end = |spot: &Spot| End::new(launch.kernel, &launch.listing, spot);
        let other = found.other.map(|Other { what, at }| match at {
            OtherAt::Here(spot) => (what, end(&spot)),
            OtherAt::Known(end) => (what, *end),
        });
        let at = end(&found.at);
        // A user cannot change the code of CUDA's headers, so that a finding wholly inside them is
        // at most a warning.
        let is_own = |end: &End| !end.place.is_of_toolkit();
        let is_users = is_own(&at) || other.as_ref().is_some_and(|(_, end)| is_own(end));
        let most = if is_users { Severity::Error } else { Severity::Warning };
        let finding = Self::of_process(found.rule, found.message, found.notes);
        Self {
            severity: found.severity.min(most),
            launch: number,
            count: found.count,
            places: 1,
            at: Some(at),
            other,
            object: found.object,
            ..finding
        }
    }

    /// The code of the finding's rule, for example `race-read-after-write`.
    pub fn code(&self) -> &'static str {
        self.rule.code
    }

    /// The kernel's name in the PTX; empty if no kernel is involved.
    pub fn kernel(&self) -> &str {
        self.at.as_ref().map_or("", |at| &at.kernel)
    }

    /// The key by which findings are grouped.
    pub(crate) fn key(&self) -> Key {
        let line = |end: &End| (end.line().0.to_owned(), end.line().1);
        let mut lines = [self.at.as_ref().map(line), self.other.as_ref().map(|(_, end)| line(end))];
        // Two racing stores have no order, so that their lines are sorted.
        if [rules::RACE_WRITE_AFTER_WRITE, rules::RACE_SAME_VALUE].contains(&self.rule) {
            lines.sort();
        }
        // A load and a store of two lines without a barrier race in either order. Both orders have
        // the same key, in which the load's line comes first.
        let is_war = self.rule == rules::RACE_WRITE_AFTER_READ;
        let code = if is_war { rules::RACE_READ_AFTER_WRITE.code } else { self.code() };
        if is_war {
            lines.swap(0, 1);
        }
        let host = self.host.clone().filter(|host| has_line(host));
        let has_place = lines[0].is_some() || lines[1].is_some() || host.is_some();
        let message = (!has_place).then(|| (self.message.clone(), self.notes.clone()));
        Key { code, lines, host, message }
    }

    /// Merges a finding with the same key. If the group was already reported (`is_told`), its rule
    /// stays the main one. Otherwise the rule of a load after a store becomes the main one.
    pub(crate) fn join(&mut self, mut other: Self, is_told: bool) {
        let count = self.count.saturating_add(other.count);
        if !is_told && self.rule != other.rule && other.rule == rules::RACE_READ_AFTER_WRITE {
            std::mem::swap(self, &mut other);
        }
        self.count = count;
        self.severity = self.severity.max(other.severity);
        if self.rule == other.rule {
            return;
        }
        match &mut self.also {
            Some(also) => also.count = also.count.saturating_add(other.count),
            None => self.also = Some(Box::new(other)),
        }
    }

    /// The finding, followed by the finding of the same lines in the other order, if there is one.
    pub fn kinds(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.also.as_deref())
    }

    /// All remarks of the finding, one per line.
    fn all_notes(&self) -> Vec<String> {
        let also = self.also.iter().map(|also| {
            let times = match also.count {
                1 => "once".to_owned(),
                count => Count(grouped(count), "time").to_string(),
            };
            format!("the other way round, too (`{}`, {times}): {}", also.code(), also.message)
        });
        self.notes.iter().cloned().chain(also).collect()
    }

    /// The source lines as text: `a.cu:12`, `a.cu:12 with line 15`, `a.cu:12 with b.cu:15`, or the
    /// calling line of the host program.
    pub fn lines(&self) -> String {
        let line = |end: &End| {
            let (file, line) = end.line();
            texunit_report::visible(&format!("{}:{line}", shown_file(file)))
        };
        let (at, other) = (&self.at, self.other.as_ref().map(|(_, end)| end));
        match (at.as_ref().or(other).map(line), at.as_ref().and(other).map(line)) {
            (Some(at), Some(other)) if at != other => {
                let (file, line) = other.rsplit_once(':').unwrap_or_default();
                let is_same = at.rsplit_once(':').is_some_and(|(own, _)| own == file);
                if is_same {
                    format!("{at} with line {line}")
                } else {
                    format!("{at} with {other}")
                }
            }
            (Some(at), _) => at,
            (None, _) => self.host.as_deref().map_or_else(String::new, texunit_report::visible),
        }
    }

    /// The count as text: `at 44 places in PTX, 1,088 times, first by CTA (0, 0, 0), thread (32, 0,
    /// 0)`; `None` if the finding occurred once.
    fn times(&self) -> Option<String> {
        // The message of a leak already states how many allocations there are.
        if self.count < 2 || self.check() == Check::Leak.name() {
            return None;
        }
        let mut text = match self.places {
            0 | 1 => String::new(),
            places => format!("at {} in PTX, ", Count(grouped(places), "place")),
        };
        text += &Count(grouped(self.count), "time").to_string();
        if let Some(End { cta: [cx, cy, cz], thread: [tx, ty, tz], .. }) = self.at {
            text += &format!(", first by CTA ({cx}, {cy}, {cz}), thread ({tx}, {ty}, {tz})");
        }
        Some(text)
    }

    /// The advice of the finding; the general advice of its rule if the finding has none.
    fn help(&self) -> &str {
        self.help.as_deref().unwrap_or(self.rule.help())
    }

    /// The remarks that a diagnostic prints below the message and the source lines.
    fn remarks(&self) -> Vec<String> {
        let object = self.object.as_ref().filter(|object| !self.message.contains(&object.text));
        let mut remarks = Vec::from_iter(object.map(|object| format!("it is in {object}")));
        if let Some((what, end)) = self.other.as_ref().filter(|(_, end)| !self.is_beside(end)) {
            remarks.push(format!("{} {what}: {}", end.who(), end.place.with_ptx()));
        }
        remarks.extend(self.all_notes());
        remarks.extend(self.times());
        remarks
    }

    /// Whether a thread's instruction is in the same PTX file as this finding's.
    fn is_beside(&self, end: &End) -> bool {
        let file = |end: &End| end.place.ptx.file.clone();
        self.at.as_ref().is_some_and(|at| file(at) == file(end))
    }

    /// Formats the finding as a diagnostic for the text of its module's PTX.
    pub fn diagnostic(&self) -> Diagnostic {
        let span = self.at.as_ref().map_or(Span { start: 0, end: 0 }, |at| at.span);
        let mut diagnostic = Diagnostic::error(self.code(), span, self.message.clone());
        diagnostic.severity = self.severity;
        if let Some(at) = &self.at {
            diagnostic = diagnostic.label(at.who());
        }
        if let Some((what, end)) = self.other.as_ref().filter(|(_, end)| self.is_beside(end)) {
            let ([cx, cy, cz], [tx, ty, tz]) = (end.cta, end.thread);
            let who = format!("CTA ({cx}, {cy}, {cz}), thread ({tx}, {ty}, {tz})");
            diagnostic = diagnostic.note(end.span, format!("{who} {what}"));
        }
        let diagnostic = diagnostic.help(self.help());
        self.remarks().into_iter().fold(diagnostic, Diagnostic::remark)
    }

    /// Formats the finding as an event of the run's log; `number` is the finding's number in the
    /// process.
    pub fn event(&self, number: u64) -> texunit_evidence::Finding {
        let ([block, thread], place) = match &self.at {
            Some(at) => ([at.cta, at.thread], Some(at.place.clone())),
            None => ([[0; 3]; 2], None),
        };
        let related = self.other.as_ref().map(|(what, end)| texunit_evidence::Related {
            text: format!("{} {what}", end.who()),
            place: end.place.clone(),
        });
        texunit_evidence::Finding {
            number,
            count: self.count,
            kind: self.code().to_owned(),
            check: Some(self.check().to_owned()),
            severity: self.severity,
            places: self.places,
            message: self.message.clone(),
            help: Some(self.help().to_owned()),
            notes: self.all_notes(),
            code: None,
            kernel: self.kernel().to_owned(),
            launch: self.launch,
            block,
            thread,
            place,
            related: related.into_iter().collect(),
            object: self.object.as_ref().map(Described::to_string),
        }
    }

    /// Formats the finding as JSON for other programs: the event, with the file, line, column and
    /// function that a reader should look at first.
    pub fn json(&self, number: u64) -> serde_json::Value {
        let mut value = serde_json::json!(self.event(number));
        let place = self.at.as_ref().map(|at| &at.place);
        value["function"] = serde_json::json!(function_name(self.kernel()));
        value["file"] = serde_json::json!(place.map(CodeLocation::file));
        value["line"] = serde_json::json!(place.map(CodeLocation::line));
        value["column"] = serde_json::json!(place.map(CodeLocation::column));
        value
    }

    /// The name of the finding's check, which is the first word of the rule's code.
    pub fn check(&self) -> &'static str {
        self.code().split('-').next().unwrap_or_default()
    }
}

/// Whether a host position has a line (`main.cu:12:5 in main`), and not only file and function.
pub fn has_line(host: &str) -> bool {
    let place = host.split(" in ").next().unwrap_or_default();
    place.rsplit_once(':').is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}
