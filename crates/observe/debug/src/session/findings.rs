//! Breakpoints at the findings of checks (`--check`).
//!
//! Before a launch is stepped through, it runs once at the speed of a checked launch, and then
//! memory is restored. Each finding has an instruction and a thread, and becomes a breakpoint
//! there, which stops in both directions and can be listed, disabled and deleted like others. It is
//! removed when the launch ends.

use super::Live;
use super::breaks::BreakpointKind;
use texunit_checks::{Finding, Log};

/// The group of these breakpoints; an editor's breakpoints have groups that are replaced as a
/// whole.
const GROUP: &str = "finding";

impl Live<'_, '_> {
    /// Runs the launch with checks, and sets breakpoints at their findings.
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
        let severity = finding.severity.name();
        let text = format!("{severity}[{}]: {}", finding.code(), finding.message);
        let is = |name: &str, [x, y, z]: [u32; 3]| {
            format!("{name}.x == {x} && {name}.y == {y} && {name}.z == {z}")
        };
        let condition = format!("{} && {}", is("blockIdx", at.cta), is("threadIdx", at.thread));
        let place = format!("*0x{:x}", at.span.start);
        let breakpoint = self.session.settings.add(BreakpointKind::Finding(text), &place);
        breakpoint.condition = Some(condition);
        breakpoint.group = GROUP.to_owned();
    }

    /// Removes the breakpoints at the end of the launch.
    pub(super) fn forget_findings(&mut self) {
        self.session.settings.breakpoints.retain(|b| b.group != GROUP);
    }
}
