//! Breakpoints where checks have found something (`--check`).
//!
//! A launch runs once, as fast as a checked launch does, before it is stepped through; then memory is what it was before. What
//! was found has an instruction and a thread, and becomes a breakpoint there: so it is met forwards and backwards, is listed, disabled and
//! deleted like others. It is gone when the launch ends.

use super::Live;
use super::breaks::What;
use texunit_checks::{Finding, Log};
use texunit_report::Severity;

/// The breakpoints of an editor that are replaced together have groups; so have those of findings.
const GROUP: &str = "finding";

impl Live<'_, '_> {
    /// Looks for findings, and sets breakpoints there.
    pub(super) fn rehearse(&mut self, log: &Log) {
        if !self.history.is_on() {
            return self.say("[Findings are not looked for: --checkpoint-memory is too small for this launch.]\n");
        }
        let known = log.all().len();
        if !self.machine.rehearse() {
            return self.say("[Findings are not looked for: the kernel may launch others.]\n");
        }
        self.history.restore(self.machine, 0);
        for finding in log.all().iter().skip(known) {
            self.breaks_at(finding);
        }
    }

    fn breaks_at(&mut self, finding: &Finding) {
        let Some(at) = &finding.at else { return };
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let text = format!("{severity}[{}]: {}", finding.code(), finding.message);
        let is = |name: &str, [x, y, z]: [u32; 3]| {
            format!("{name}.x == {x} && {name}.y == {y} && {name}.z == {z}")
        };
        let condition = format!("{} && {}", is("blockIdx", at.cta), is("threadIdx", at.thread));
        let place = format!("*0x{:x}", at.span.start);
        let breakpoint = self.session.settings.add(What::Finding(text), &place);
        breakpoint.condition = Some(condition);
        breakpoint.group = GROUP.to_owned();
    }

    /// The launch has ended, and what was found in it is behind.
    pub(super) fn forget_findings(&mut self) {
        self.session.settings.breakpoints.retain(|b| b.group != GROUP);
    }
}
