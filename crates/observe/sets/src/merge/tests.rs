//! Tests of merging, with sets written by hand.

use super::*;
use crate::fold::Fold;
use std::sync::Arc;
use texunit_device::{Device, DeviceOptions};
use texunit_memory::Block;

const SIZE: u64 = 100;
/// Addition, and the unsigned maximum, of 4 bytes.
const ADD: Fold = Fold(1);
const MAX: Fold = Fold(5);

fn run(first: u64, end: u64) -> Run {
    assert_eq!(first / 32, (end - 1) / 32);
    let mask = (first % 32..=(end - 1) % 32).fold(0, |mask, i| mask | 1 << i);
    Run { first: first / 32, count: 1, mask }
}

fn part(line: u32, (first, end): (u64, u64), fold: Option<Fold>, values: &[u8]) -> AccessedBytes {
    let span = Span { start: line, end: line + 1 };
    AccessedBytes { span, fold, runs: vec![run(first, end)], values: values.to_vec() }
}

fn read(line: u32, bytes: (u64, u64)) -> ObjectSets {
    ObjectSets { size: SIZE, reads: vec![part(line, bytes, None, &[])], ..ObjectSets::default() }
}

fn write(line: u32, first: u64, values: &[u8]) -> ObjectSets {
    let bytes = (first, first + values.len() as u64);
    ObjectSets {
        size: SIZE,
        writes: vec![part(line, bytes, None, values)],
        ..ObjectSets::default()
    }
}

fn fold(line: u32, first: u64, fold: Fold, value: u32) -> ObjectSets {
    let folds = vec![part(line, (first, first + 4), Some(fold), &value.to_le_bytes())];
    ObjectSets { size: SIZE, folds, ..ObjectSets::default() }
}

fn sets(ctas: (u64, u64), objects: Vec<ObjectSets>) -> Sets {
    Sets { grid: [4, 2, 1], ctas, objects, ..Sets::default() }
}

/// Objects with one of [`SIZE`] bytes: 0, 1, 2 and so on.
fn objects() -> (Objects, Arc<Block>) {
    let device = Device::new(&DeviceOptions::default());
    let buffer = device.alloc(SIZE, "b").unwrap();
    buffer.write(0, &(0..SIZE as u8).collect::<Vec<u8>>()).unwrap();
    let objects = Objects::of(&device.state());
    let block = Arc::clone(&objects.list()[0].block);
    (objects, block)
}

fn merged(first: ObjectSets, second: ObjectSets) -> Result<Vec<u8>, Conflict> {
    let (objects, block) = objects();
    let before = block.to_vec();
    let all = [sets((3, 8), vec![second]), sets((0, 3), vec![first])];
    match merge(&objects, &[0; 32], &all, 100) {
        Ok(_) => Ok(block.to_vec()),
        Err(MergeError::Conflict(conflict)) => {
            assert_eq!(block.to_vec(), before, "nothing is changed");
            Err(conflict)
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn what_ranges_write_beside_each_other_is_merged() {
    let bytes = merged(write(1, 3, &[77, 78]), write(2, 5, &[79])).unwrap();
    assert_eq!(bytes[..7], [0, 1, 2, 77, 78, 79, 6]);
    // Two ranges may write the same value to a byte, including its initial value.
    assert_eq!(merged(write(1, 3, &[7, 8]), write(2, 4, &[8, 9])).unwrap()[2..7], [2, 7, 8, 9, 6]);
    assert_eq!(merged(write(1, 3, &[3]), write(2, 3, &[3])).unwrap()[3], 3);
    // Two ranges may read the same bytes, and bytes that other ranges do not write.
    assert_eq!(merged(read(1, (64, 80)), read(2, (70, 96))).unwrap()[70], 70);
    assert_eq!(merged(read(1, (64, 80)), write(2, 80, &[1])).unwrap()[80], 1);
}

#[test]
fn reductions_are_folded() {
    let initial = u32::from_le_bytes([8, 9, 10, 11]);
    let bytes =
        merged(fold(1, 8, ADD, initial + 5), fold(2, 8, ADD, initial.wrapping_sub(9))).unwrap();
    assert_eq!(bytes[8..12], initial.wrapping_sub(4).to_le_bytes());
    let bytes = merged(fold(1, 8, MAX, initial + 5), fold(2, 8, MAX, initial + 3)).unwrap();
    assert_eq!(bytes[8..12], (initial + 5).to_le_bytes());
}

#[test]
fn what_depends_on_other_ranges_is_refused() {
    let conflict = |first, second| {
        let c = merged(first, second).unwrap_err();
        assert_eq!((c.ends[0].ctas.end, c.ends[1].ctas.begin), (3, 3));
        assert_eq!(c.ends.map(|end| end.span.start), [1, 2]);
        (c.offset, c.ends.map(|end| end.does))
    };
    use Does::*;
    assert_eq!(conflict(write(1, 40, &[1, 2]), read(2, (41, 60))), (41, [Writes, Reads]));
    assert_eq!(conflict(read(1, (40, 60)), write(2, 59, &[1])), (59, [Reads, Writes]));
    // Writing the initial value counts as a write.
    assert_eq!(conflict(read(1, (40, 60)), write(2, 40, &[40])), (40, [Reads, Writes]));
    assert_eq!(conflict(write(1, 40, &[1, 2]), write(2, 40, &[1, 3])), (41, [Writes, Writes]));
    assert_eq!(conflict(fold(1, 44, ADD, 1), read(2, (46, 48))), (46, [Reduces, Reads]));
    assert_eq!(conflict(read(1, (47, 49)), fold(2, 44, ADD, 1)), (47, [Reads, Reduces]));
    assert_eq!(conflict(fold(1, 44, ADD, 1), write(2, 45, &[0])), (45, [Reduces, Writes]));
    assert_eq!(conflict(write(1, 47, &[0]), fold(2, 44, ADD, 1)), (47, [Writes, Reduces]));
    assert_eq!(conflict(fold(1, 44, ADD, 1), fold(2, 44, MAX, 1)), (44, [Reduces, Reduces]));
}

#[test]
fn ranges_must_be_those_of_the_grid() {
    let (objects, _) = objects();
    let error = |ranges: &[(u64, u64)]| {
        let all: Vec<Sets> = ranges.iter().map(|&ctas| sets(ctas, Vec::new())).collect();
        merge(&objects, &[0; 32], &all, 100).unwrap_err()
    };
    let range = |begin, end| CtaRange { begin, end };
    assert_eq!(error(&[]), MergeError::Nothing);
    assert_eq!(error(&[(0, 3), (4, 8)]), MergeError::Missing(range(3, 4)));
    assert_eq!(error(&[(1, 8)]), MergeError::Missing(range(0, 1)));
    assert_eq!(error(&[(0, 7)]), MergeError::Missing(range(7, 8)));
    assert_eq!(error(&[(2, 8), (0, 3)]), MergeError::Twice(range(2, 3), 1, 0));
    assert_eq!(error(&[(0, 8), (0, 8)]), MergeError::Twice(range(0, 8), 0, 1));
    let other = merge(&objects, &[1; 32], &[sets((0, 8), Vec::new())], 100);
    assert_eq!(other.unwrap_err(), MergeError::Other(0));
    let mut wrong = sets((0, 8), vec![read(1, (0, 4))]);
    wrong.objects[0].size = 99;
    assert_eq!(merge(&objects, &[0; 32], &[wrong], 100).unwrap_err(), MergeError::Object(0));
}

#[test]
fn text_is_in_the_order_of_ctas_and_the_newest_is_kept() {
    let stats_of =
        |text: &str| LaunchStats { printf: text.into(), fetches: 2, ..LaunchStats::default() };
    let (a, b) = (stats_of("one\ntwo\n"), stats_of("three\nfour\n"));
    let both = stats([&a, &b].into_iter(), 100);
    assert_eq!(
        (both.fetches, String::from_utf8(both.printf).unwrap()),
        (4, "one\ntwo\nthree\nfour\n".into())
    );
    let some = String::from_utf8(stats([&a, &b].into_iter(), 13).printf).unwrap();
    assert_eq!(some, "[texunit: older printf output was dropped]\nthree\nfour\n");
}
