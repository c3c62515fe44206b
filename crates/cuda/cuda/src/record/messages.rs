//! Messages about launches that are recorded, or that cannot be.

use super::*;
use std::fmt::Write as _;
use std::io::Write as _;

/// Reports a recorded launch.
pub(super) fn recorded(
    wanted: &RecordSettings,
    function: &Function,
    number: u64,
    written: &Written,
) {
    let mut progress = progress();
    progress.written += 1;
    progress.bytes += written.bytes;
    drop(progress);
    if !wanted.quiet {
        let Written { job, files, bytes } = written;
        let name = texunit_report::place::function_name(function.kernel.name());
        say(format_args!(
            "launch {number}, of {name}, is recorded: {} ({}, {})",
            job.display(),
            Count(files, "file"),
            size(*bytes)
        ));
    }
}

/// Formats a size: `12.3 KiB`.
fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    units.into_iter().find(|(shift, _)| bytes >> shift > 0).map_or_else(
        || Count(bytes, "byte").to_string(),
        |(shift, name)| format!("{:.1} {name}", bytes as f64 / (1_u64 << shift) as f64),
    )
}

/// Reports why a launch cannot be recorded; once for each kernel if all launches are recorded.
pub(super) fn refused(wanted: &RecordSettings, function: &Function, number: u64, why: &Refused) {
    let kernel = function.kernel.name();
    let name = texunit_report::place::function_name(kernel);
    let mut text = format!("launch {number}, of {name}, is not recorded: {why}");
    if matches!(why, Refused::Limit { .. }) {
        text += " (--record-limit)";
    }
    let first = progress().told.insert(kernel.to_owned());
    if first || wanted.kernel.is_some() {
        print(wanted, &text);
    }
}

/// Reports that work of a library is not recorded, once for each function.
pub(super) fn library_work(wanted: &RecordSettings, function: &str) {
    let first = progress().libraries.insert(function.to_owned());
    if first && wanted.kernel.is_none() {
        let text = format!(
            "{function} is work of a library, which is not recorded; launches after it are, with the memory that it has written"
        );
        print(wanted, &text);
    }
}

fn print(wanted: &RecordSettings, text: &str) {
    if !wanted.quiet {
        say(format_args!("{text}"));
        return;
    }
    // The reader of the file has created the folder.
    let file = wanted.folder.join("why.txt");
    let open = std::fs::OpenOptions::new().create(true).append(true).open(file);
    let _ = open.and_then(|mut file| file.write_all(format!("{text}\n").as_bytes()));
}

/// Maximum number of kernels that the report at the end of the process names, if the selected
/// launch has not occurred.
const MAX_NAMES: usize = 20;

/// Reports at the end of the process if the selected launch has not occurred.
pub(super) fn end() {
    let Some((wanted, chosen)) =
        settings().record.as_ref().and_then(|w| Some((w, w.kernel.as_ref()?)))
    else {
        return;
    };
    // A forked child without launches prints nothing.
    if !OWNER.is_this_process() {
        return;
    }
    let progress = progress();
    let count = progress.chosen;
    if count >= chosen.number {
        return;
    }
    let (number, name) = (chosen.number, &chosen.name);
    let mut text = match count {
        0 => format!("no launch of `{name}` is recorded: the program launched"),
        1 => format!("launch {number} of `{name}` is not recorded: it was launched once"),
        _ => format!(
            "launch {number} of `{name}` is not recorded: it was launched {}",
            Count(count, "time")
        ),
    };
    if count == 0 {
        let names = progress.of_kernel.keys().take(MAX_NAMES);
        let names: Vec<String> =
            names.map(|kernel| texunit_report::place::function_name(kernel)).collect();
        let _ = write!(text, " {}", names.join("; "));
        if progress.of_kernel.len() > MAX_NAMES {
            let _ = write!(text, " and {} more", progress.of_kernel.len() - MAX_NAMES);
        }
    }
    print(wanted, &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!([size(5), size(1536), size(3 << 30)], ["5 bytes", "1.5 KiB", "3.0 GiB"]);
    }
}
