//! Checks decoded or parsed instructions against the restrictions of the instruction's page, and
//! reports each violation at its text position.

use texunit_forms::{Count, sort_by_key};
use texunit_syntax::Diagnostic;

use crate::Arch;
use crate::control::{PHASE, READ, WRITE};
use crate::field::Field;
use crate::parse::FieldPositions;
use crate::txd::{COORDINATES, LC, PARAM, PS, RA, RB, RD, RZ, Txd};

/// An error for every restriction that the instruction violates, at the part of the text that
/// violates it.
pub fn check(txd: &Txd, places: &FieldPositions, arch: Arch) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for field in [&LC, &PS] {
        if arch < field.since && txd.get(field) != field.absent() {
            let message = format!("{arch} has no {}", field.name);
            found.push(
                Diagnostic::error("E0614", places.of(field), message)
                    .help(format!("leave it out, or assemble for {} or later", field.since)),
            );
        }
    }
    if txd.control.phase_t() && txd.control.phase_p() {
        found.push(
            Diagnostic::error("E0615", places.of(&PHASE), "both .T and .P are given")
                .help("keep one of them"),
        );
    }
    for field in [&READ, &WRITE].into_iter().filter(|field| txd.control.get(field) == 6) {
        found.push(
            Diagnostic::error("E0616", places.of(field), "barrier 6 does not exist")
                .help("barriers are 0 to 5; 7 means none"),
        );
    }
    if txd.is_reserved() {
        let name = COORDINATES[txd.get(&PARAM) as usize];
        found.push(
            Diagnostic::error("E0613", places.of(&PARAM), format!("TXD has no {name} coordinates"))
                .help("use 1D, ARRAY_1D, 2D or ARRAY_2D; others are emulated with SHFL and TEX"),
        );
    }
    found.extend(group(txd, places, &RD, txd.rd_count(), "bits of the write mask"));
    found.extend(group(txd, places, &RA, txd.ra_count().min(4), "values in Ra"));
    found.extend(group(txd, places, &RB, txd.rb_count().min(4), "derivatives in Rb"));
    sort_by_key(&mut found, |d| d.primary.span.start);
    found
}

/// Checks the alignment and range of a group of consecutive registers.
fn group(
    txd: &Txd,
    places: &FieldPositions,
    field: &Field,
    count: u32,
    what: &str,
) -> Option<Diagnostic> {
    let first = txd.get(field);
    let (name, span) = (field.name, places.of(field));
    let error = |code, message: String| Diagnostic::error(code, span, message);
    if first == RZ {
        // Only a destination may be RZ, which discards the result.
        return (*field != RD).then(|| {
            error("E0611", format!("{name} is RZ, but it holds {}", Count(count, "value")))
                .help(format!("give {name} a register"))
        });
    }
    let align = u64::from(count.next_power_of_two());
    if !first.is_multiple_of(align) {
        let down = first - first % align;
        return Some(
            error("E0610", format!("{name} is R{first}, which is not a multiple of {align}"))
                .label(format!("{count} {what}"))
                .help(format!("use R{down} or another multiple of {align}")),
        );
    }
    (first + u64::from(count) > RZ).then(|| {
        error("E0612", format!("{name} needs {} from R{first} on", Count(count, "register")))
            .label("R254 is the last one")
            .help("use a lower register")
    })
}
