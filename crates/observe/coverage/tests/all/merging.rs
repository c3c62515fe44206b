//! Tests how coverage of several processes is stored and merged.

use crate::common::{Arg, How, kernel, load_text};
use std::path::PathBuf;
use std::sync::Arc;
use texunit_coverage::{Coverage, EXTENSION, Module, Recorder, Target, lcov};
use texunit_simt::observe::Listing;
use texunit_testkit::TempDir;

fn parsed(text: &str) -> Coverage {
    lcov::parse(text).unwrap()
}

#[test]
fn counts_add_up() {
    let mut sum = parsed(
        "SF:a.cu\nFN:3,k(int)\nFNDA:5,k(int)\nBRDA:4,0,0,5\nBRDA:4,0,1,0\nDA:3,5\nDA:4,0\nend_of_record\n",
    );
    sum.add(&parsed(
        "SF:a.cu\nFN:2,9,k(int)\nFNDA:1,k(int)\nFN:8,f\nBRDA:4,0,0,-\nBRDA:4,0,1,2\nDA:4,7,abc\nDA:9,0\nend_of_record\n\
         SF:b.cu\nDA:1,18446744073709551615\nend_of_record\n",
    ));
    sum.add(&parsed("TN:\nSF:b.cu\nDA:1,1\nVER:7\nend_of_record\n"));
    let expected = "TN:\nSF:a.cu\nFN:8,f\nFN:2,k(int)\nFNDA:0,f\nFNDA:6,k(int)\nFNF:2\nFNH:1\nBRDA:4,0,0,5\nBRDA:4,0,1,2\n\
         BRF:2\nBRH:2\nDA:3,5\nDA:4,7\nDA:9,0\nLF:3\nLH:2\nend_of_record\n\
         TN:\nSF:b.cu\nFNF:0\nFNH:0\nDA:1,18446744073709551615\nLF:1\nLH:1\nend_of_record\n";
    assert_eq!(lcov::text(&sum), expected);
    assert_eq!(parsed(expected), sum);
}

#[test]
fn what_is_no_tracefile_is_refused() {
    for (text, line) in [
        ("hello", 1),
        ("SF:a\nDA:x,1\nend_of_record", 2),
        ("SF:a\nDA:1", 2),
        ("SF:a\nDA:1,-3", 2),
        ("SF:a\nDA:4294967296,1", 2),
        ("SF:a\nDA:1,1\nFN:one,k", 3),
        ("SF:a\nBRDA:1,0,4000000000,1", 2),
        ("SF:a\nBRDA:1,0,0", 2),
        ("SF:a\nFNDA:k", 2),
    ] {
        let wrong = format!("line {line} is not a record of lcov");
        assert_eq!(lcov::parse(text), Err(wrong), "{text:?}");
    }
    assert!(lcov::parse("").unwrap().is_empty());
}

fn module(recorder: &Arc<Recorder>, loaded: &crate::common::Loaded) -> Arc<Module> {
    let ptx = || Some(PathBuf::from("/saved/k.ptx"));
    recorder
        .module(Listing::of(&loaded.program, texunit_simt::Arithmetic::default()), ptx, || {
            panic!("it is full")
        })
        .unwrap()
}

/// Modules that are loaded, unloaded and loaded again, in a process that continues and in a second
/// process.
#[test]
fn a_process_leaves_a_file() {
    let folder = TempDir::new("coverage");
    let run = folder.path().join("run");
    std::fs::create_dir(&run).unwrap();
    let loaded = load_text(&kernel("", "ret;"));
    let launch = |module: &Module| {
        let (out, _) = loaded.buffer(32);
        loaded.run_observed("k", How::default(), &[Arg::U64(out)], Some(module)).unwrap();
    };
    let recorder = Recorder::new(Target::Run(run.clone()));
    let first = module(&recorder, &loaded);
    let files = || texunit_evidence::files(&run, EXTENSION);
    let left = || Coverage::merged(&files());
    let lanes = |coverage: &Coverage| coverage.files["/saved/k.ptx"].functions["k"].lanes;
    assert_eq!(lanes(&left()), 0, "what is never launched is shown");
    // The file is complete however the process ends.
    for launches in 1..3 {
        launch(&first);
        assert_eq!(lanes(&left()), 32 * launches);
    }
    drop(first);
    let again = module(&recorder, &loaded);
    launch(&again);
    assert_eq!((lanes(&left()), files().len()), (96, 1), "it goes on with the file");
    launch(&module(&recorder, &loaded));
    recorder.write().unwrap();
    assert_eq!((lanes(&left()), files().len()), (128, 2), "two at a time have two");

    let file = folder.path().join("%p.info");
    let other = Recorder::new(Target::File(file, false));
    launch(&module(&other, &loaded));
    other.write().unwrap();
    let own = folder.path().join(format!("{}.info", std::process::id()));
    let own = parsed(&std::fs::read_to_string(own).unwrap());
    assert_eq!(lanes(&own), 32);

    // Files of other processes: one truncated in its header, and one in its counts.
    let bytes = std::fs::read(&files()[0]).unwrap();
    let head = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    std::fs::write(run.join(format!("7-1.1.{EXTENSION}")), &bytes).unwrap();
    std::fs::write(run.join(format!("8-1.1.{EXTENSION}")), &bytes[..head / 2]).unwrap();
    std::fs::write(run.join(format!("9-1.1.{EXTENSION}")), &bytes[..head]).unwrap();
    let mut sum = left();
    assert_eq!(lanes(&sum), 128 + 96);
    sum.clear();
    assert_eq!((lanes(&sum), sum.len()), (0, own.len()));
}

/// Files that refer to unknown modules are skipped.
#[test]
fn damaged_files_do_no_harm() {
    let folder = TempDir::new("coverage-damaged");
    let recorder = Recorder::new(Target::Run(folder.path().to_owned()));
    let _module = module(&recorder, &load_text(&kernel("", "ret;")));
    let file = texunit_evidence::files(&folder, EXTENSION).remove(0);
    let bytes = std::fs::read(&file).unwrap();
    assert!(Coverage::read(&file).is_ok());
    // Each digit of the table is replaced by another one.
    let mut refused = 0;
    for at in (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()) {
        let mut damaged = bytes.clone();
        damaged[at] = b'9';
        std::fs::write(&file, &damaged).unwrap();
        refused += u32::from(Coverage::read(&file).is_err());
    }
    assert!(refused > 0);
    std::fs::write(&file, "{}\n").unwrap();
    assert!(Coverage::read(&file).is_err());
}

/// Counts that could not be written are written the next time, and a deleted file is created again.
#[test]
fn nothing_counted_is_lost() {
    let folder = TempDir::new("coverage-again");
    let run = folder.path().join("run");
    let loaded = load_text(&kernel("", "ret;"));
    let recorder = Recorder::new(Target::Run(run.clone()));
    let first = module(&recorder, &loaded);
    let launch = || {
        let (out, _) = loaded.buffer(32);
        loaded.run_observed("k", How::default(), &[Arg::U64(out)], Some(&*first)).unwrap();
    };
    // The folder does not exist yet, so the first launch is not written.
    launch();
    assert!(recorder.write().is_err());
    std::fs::create_dir(&run).unwrap();
    let files = || texunit_evidence::files(&run, EXTENSION);
    let written = || {
        recorder.write().unwrap();
        let lanes = Coverage::merged(&files()).files["/saved/k.ptx"].functions["k"].lanes;
        files().iter().for_each(|file| std::fs::remove_file(file).unwrap());
        lanes
    };
    assert_eq!(written(), 32);
    recorder.write().unwrap();
    assert!(files().is_empty(), "nothing has changed");
    launch();
    assert_eq!(written(), 64);
}

/// The last thread to write waits for one that is writing, whose older snapshot would otherwise
/// replace the newer one.
#[cfg(target_os = "linux")]
#[test]
fn one_thread_writes_at_a_time() {
    let folder = TempDir::new("coverage-pipe");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut reader = std::fs::File::options().read(true).write(true).open(&pipe).unwrap();
    // More than a pipe holds, so that the writer blocks until the pipe is read.
    let names: String =
        (0..1000).map(|n| format!(".visible .entry k{n}_{:060}() {{ ret; }}\n", 0)).collect();
    let loaded = load_text(&format!("{}{names}", kernel("", "ret;")));
    let recorder = Recorder::new(Target::File(pipe, false));
    let _module = module(&recorder, &loaded);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| recorder.write());
        std::thread::sleep(std::time::Duration::from_millis(200));
        let second = scope.spawn(|| recorder.write());
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!first.is_finished() && !second.is_finished());
        // Both threads finish when the pipe is read; the reader then waits for more.
        std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
        first.join().unwrap().unwrap();
        second.join().unwrap().unwrap();
    });
}
