//! Tests events of processes: written, read again, and reported.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use texunit_evidence::{
    Accesses, Api, Event, Finding, Format, Interpreted, Kernel, Process, Record, Run, Running,
    Totals, Writer, files, own_file, processes, read,
};
use texunit_report::{CodeLocation, Instruction, Severity};
use texunit_testkit::TempDir;

fn process(pid: u32, started: f64) -> Event {
    let command = vec![format!("./p{pid}"), "a<b".to_owned()];
    Event::Process(Process { pid, command, started, ..Process::default() })
}

fn kernel(name: &str, launches: u64) -> Kernel {
    let count = |geometry: &str, count| Accesses {
        kind: "texture".into(),
        geometry: geometry.into(),
        format: "unorm8".into(),
        count,
    };
    Kernel {
        name: name.to_owned(),
        launches,
        milliseconds: 1.5 * launches as f64,
        accesses: vec![count(".2d", launches), count(&format!(".{name}"), 1)],
        interpreted: (0..20).map(|i| interpreted(i, 100 - i + launches)).collect(),
        ..Kernel::default()
    }
}

/// A place as it is after reading a file.
fn place() -> CodeLocation {
    serde_json::from_str(
        r#"{"frames": [
            {"via": "instruction", "file": "/srv/ä b,c.cu", "line": 7, "column": 5, "function": "put(int*)", "text": "ää = x;"},
            {"via": "inlined", "file": "/srv/d.cu", "line": 9}
        ], "ptx": {"file": "m.ptx", "line": 40, "column": 2, "text": "st.u32 [%r1], %r2;"}}"#,
    )
    .unwrap()
}

/// One of many interpreted instructions.
fn interpreted(line: u64, count: u64) -> Interpreted {
    let mut place = place();
    place.ptx.line = 40 + line as u32;
    Interpreted { place, instruction: "mov.u32 %r<1>, %clock;".into(), count }
}

fn finding(number: u64, count: u64) -> Finding {
    Finding {
        number,
        count,
        kind: "out-of-bounds".into(),
        message: "a \"store\" of <4> bytes & more, 100%\nbehind".into(),
        kernel: "_Z4fillPi".into(),
        place: Some(place()),
        ..Finding::default()
    }
}

#[test]
fn the_last_event_of_a_thing_counts() {
    let folder = TempDir::new("evidence");
    assert!(read(&folder.join("nowhere")).is_empty());
    let writer = Writer::new(&folder);
    let running = |launch| Event::Running(Running { launch, ..Running::default() });
    let api = |count| Event::Api(Api { function: "cuInit".into(), count, ..Api::default() });
    for event in [
        process(7, 1.0),
        Event::Devices { names: vec!["sm_86".into()] },
        Event::Kernel(kernel("k", 1)),
        running(1),
        running(2),
        Event::Finding(finding(1, 1)),
        api(1),
        Event::Kernel(kernel("k", 3)),
        Event::Ended { launch: 1 },
        Event::Finding(finding(1, 5)),
        api(8),
        Event::Totals(Totals { more_findings: 2, has_ended: true, ..Totals::default() }),
    ] {
        writer.append(&event).unwrap();
    }
    let records = read(&folder);
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!((record.process.pid, &*record.devices), (7, &["sm_86".to_owned()][..]));
    assert_eq!(record.kernels["k"], kernel("k", 3));
    assert_eq!(record.running.keys().collect::<Vec<_>>(), [&2]);
    assert_eq!(record.findings[&1], finding(1, 5));
    assert_eq!(record.api.values().map(|api| api.count).collect::<Vec<_>>(), [8]);
    assert_eq!((record.faults(), record.checked(Severity::Note)), (7, 0));
    assert_eq!(processes(&folder), [std::process::id()]);
}

/// A file's size stays limited however long the process runs: intervals between reports grow.
#[test]
fn who_tells_much_waits_longer() {
    let folder = TempDir::new("evidence");
    let writer = Writer::new(&folder);
    let before = writer.period();
    let event = Event::Devices { names: vec!["x".repeat(1 << 20)] };
    for _ in 0..9 {
        writer.append(&event).unwrap();
    }
    assert_eq!((before.as_millis(), writer.period().as_millis()), (100, 200));
}

/// A killed process leaves a truncated line, and other programs may write into the file.
#[test]
fn files_are_taken_for_what_they_are_worth() {
    let folder = TempDir::new("evidence");
    let mut file = std::fs::File::create(own_file(&folder, "jsonl")).unwrap();
    let line = |event: &Event| serde_json::to_string(event).unwrap();
    // Events before a process event belong to a process without a name.
    writeln!(file, "{}", line(&Event::Kernel(kernel("early", 1)))).unwrap();
    writeln!(file, "{}", line(&process(1, 2.0))).unwrap();
    file.write_all(b"\0\xff garbage\n\n{}\n[[[[[[\n{\"event\":\"kernel\",\"launches\":-1}\n")
        .unwrap();
    writeln!(file, "{}", "[".repeat(1 << 20)).unwrap();
    writeln!(file, "{}", line(&Event::Kernel(kernel("k", 2)))).unwrap();
    // The same process identifier with another program (after `exec`).
    writeln!(file, "{}", line(&process(1, 3.0))).unwrap();
    file.write_all(&vec![b'x'; 9 << 20]).unwrap();
    writeln!(file, "\n{}", line(&Event::Kernel(kernel("k", 1)))).unwrap();
    let cut = line(&Event::Kernel(kernel("cut", 1)));
    write!(file, "{}", &cut[..cut.len() / 2]).unwrap();
    // A nested run, and files of other kinds.
    std::fs::create_dir(folder.join("inner")).unwrap();
    folder.file("inner/9-1.jsonl", line(&process(9, 0.5)));
    folder.file("inner/9-1.lcov", "TN:");
    folder.file("inner/x.jsonl", "");
    let records = read(&folder);
    let told =
        |record: &Record| (record.process.pid, record.kernels.keys().cloned().collect::<String>());
    let told: Vec<_> = records.iter().map(told).collect();
    let expected =
        [(0, "early"), (9, ""), (1, "k"), (1, "k")].map(|(pid, kernels)| (pid, kernels.to_owned()));
    assert_eq!(told, expected);
    assert_eq!(files(&folder, "lcov"), [folder.join("inner/9-1.lcov")]);
}

/// A run of two processes, one of which was killed.
fn run() -> Run {
    let mut one = Record::default();
    let mut other = Record::default();
    for event in [process(1, 1.0), Event::Devices { names: vec!["sm_86".into(), "sm_86".into()] }] {
        one.add(event);
    }
    one.add(Event::Kernel(kernel("_Z4fillPi", 2)));
    one.add(Event::Finding(finding(1, 3)));
    let found = [("sync-barrier-missed", Severity::Warning), ("texture-outside", Severity::Note)];
    for (number, (kind, severity)) in (2..).zip(found) {
        let check = kind.split('-').next().map(str::to_owned);
        let (kind, count, places) = (kind.into(), 1088, 44);
        one.add(Event::Finding(Finding {
            number,
            kind,
            check,
            severity,
            count,
            places,
            ..Finding::default()
        }));
    }
    for event in [process(2, 2.0), Event::Devices { names: vec!["sm_75".into()] }] {
        other.add(event);
    }
    other.add(Event::Kernel(kernel("_Z4fillPi", 3)));
    other.add(Event::Kernel(kernel("other", 1)));
    other.add(Event::Running(Running {
        launch: 1,
        kernel: "other".into(),
        grid: [4, 2, 1],
        ..Running::default()
    }));
    let command = vec!["sh".to_owned(), "-c".to_owned(), "./a; ./b".to_owned()];
    let (exit_code, signal) = (Some(137), Some(9));
    Run {
        texunit: "0.1.0".into(),
        command,
        records: vec![one, other],
        exit_code,
        signal,
        ..Run::default()
    }
}

#[test]
fn processes_are_added_up() {
    let run = run();
    // Three occurrences of a fault, and one warning, which counts once.
    for (fail_on, failures) in [(Severity::Note, 5), (Severity::Warning, 4), (Severity::Error, 3)] {
        assert_eq!(Run { fail_on, ..run.clone() }.failures(), failures);
    }
    assert_eq!(run.findings().words(), "1 warning, 1 note");
    assert_eq!(run.devices(), ["sm_86", "sm_86", "sm_75"]);
    let kernels = run.kernels();
    let names: Vec<_> = kernels.iter().map(|kernel| (&*kernel.name, kernel.launches)).collect();
    assert_eq!(names, [("_Z4fillPi", 5), ("other", 1)]);
    assert_eq!(kernels[0].milliseconds, 7.5);
    let counts: Vec<_> = kernels[0].accesses.iter().map(|a| (&*a.geometry, a.count)).collect();
    assert_eq!(counts, [(".2d", 5), ("._Z4fillPi", 2)]);
    let all: Vec<_> = run.accesses(&kernels).iter().map(|a| a.count).collect();
    assert_eq!(all, [6, 2, 1]);
    let counts: Vec<_> = kernels[0].interpreted.iter().map(|row| row.count).collect();
    assert_eq!(counts, (0..20).map(|i| 2 * (100 - i) + 5).collect::<Vec<_>>());
    let of_one = run.of_process(2);
    assert_eq!((of_one.failures(), of_one.devices().len()), (0, 1));
}

#[test]
fn texts_stay_whole_in_every_form() {
    let mut run = run();
    let assumed = Instruction {
        kernel: "_Z4fillPi".into(),
        opcode: "rsqrt.approx.f64".into(),
        line: 12,
        count: 1,
        class: "assumed".into(),
        register: None,
        reaches: vec!["address".into(), "output".into()],
    };
    for record in &mut run.records {
        record.add(Event::Instructions { rows: vec![assumed.clone()] });
    }
    let parse = |format: Format| -> serde_json::Value {
        serde_json::from_str(&format.render(&run)).unwrap()
    };
    let report = parse(Format::Json);
    assert_eq!(report["faults"][0]["line"], 7);
    assert_eq!(report["kernels"][0]["interpreted"][0]["place"]["frames"][0]["line"], 7);
    let mut shown = serde_json::json!(assumed);
    shown["function"] = "fill(int*)".into();
    assert_eq!(report["fidelity"]["instructions"], serde_json::json!([shown]));
    assert_eq!(report["faults"][0]["function"], "fill(int*)");
    assert_eq!(report["faults"].as_array().unwrap().len(), 1);
    let found = &report["findings"];
    assert_eq!([&found[0]["severity"], &found[1]["severity"]], ["warning", "note"]);
    assert_eq!(
        [&found[0]["level"], &found[0]["places"]],
        [&serde_json::json!("warning"), &serde_json::json!(44)]
    );
    assert_eq!(report["running"][0]["process"], 2);
    let sarif = parse(Format::Sarif);
    let result = &sarif["runs"][0]["results"][0];
    let physical = &result["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "file:///srv/%C3%A4%20b%2Cc.cu");
    // Byte 5 follows two characters of two bytes each.
    assert_eq!(physical["region"]["startColumn"], 3);
    assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 2);
    assert_eq!(result["ruleIndex"], 0);
    assert_eq!(sarif["runs"][0]["results"][2]["level"], "note");
    let properties = &sarif["runs"][0]["properties"];
    assert_eq!(
        properties["fidelity"]["instructions"][0]["reaches"],
        serde_json::json!(["address", "output"])
    );
    assert_eq!(properties["fidelitySummary"], "1 assumed (reaching address, output)");
    assert_eq!(sarif["runs"][0]["results"][2]["occurrenceCount"], 1088);
    let junit = Format::Junit.render(&run);
    for part in [
        "<testsuites name=\"texunit\" tests=\"6\" failures=\"2\" errors=\"2\">",
        "<testsuite name=\"p1 (1)\" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\" time=\"0.003\">",
        "type=\"sync-barrier-missed\">&#10;at 44 places in PTX, 1,088 times in all</failure>",
        "<system-out>note: &#10;at 44 places in PTX, 1,088 times in all&#10;</system-out>",
        "<system-out>interpreted in the middle of machine code:&#10;         102  mov.u32 %r&lt;1&gt;, %clock;",
        "&#10;1 instruction is assumed: rsqrt.approx.f64 (line 12, reaches address, output)&#10;</system-out>",
        "a &quot;store&quot; of &lt;4&gt; bytes &amp; more, 100%&#10;behind",
        "<error message=\"other was running when the process ended, for 0.0 s or longer; 0 of 8 CTAs had ended\"",
        "<error message=\"the program was ended by signal 9\" type=\"run\"/>",
    ] {
        assert!(junit.contains(part), "no {part} in {junit}");
    }
    let github = Format::Github.render(&run);
    let begin = "::error file=/srv/ä b%2Cc.cu,line=7,col=5,title=texunit%3A out-of-bounds::\
                 a \"store\" of <4> bytes & more, 100%25%0Abehind%0A";
    assert!(github.starts_with(begin), "{github}");
    let levels: Vec<_> = github.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(levels, ["::error", "::warning", "::notice", "::error", "::error"]);
}

#[test]
fn endings_say_the_form() {
    for (name, format) in [
        ("a.json", Format::Json),
        ("a.SARIF", Format::Sarif),
        ("a.sarif.json", Format::Sarif),
        ("b.c/a.xml", Format::Junit),
        ("a.github", Format::Github),
        ("sarif", Format::Json),
    ] {
        assert_eq!(Format::of(name.as_ref()), format, "{name}");
    }
    assert_eq!(Format::from_name("junit"), Some(Format::Junit));
    assert_eq!(Format::from_name("html"), None);
}
