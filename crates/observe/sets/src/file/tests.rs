//! Tests of files of sets: round trips, and rejection of damaged files.

use super::*;
use proptest::prelude::*;

fn part(
    random: &mut texunit_testkit::Random,
    size: u64,
    fold: Option<Fold>,
    valued: bool,
) -> AccessedBytes {
    let (mut runs, mut at) = (Vec::new(), random.below(4_u64));
    while at + 8 < size / SECTOR {
        let count = 1 + random.below(5_u64);
        let mask = match (fold, random.one_in(2)) {
            (_, true) => u32::MAX,
            (Some(fold), _) if fold.is_wide() => 0xff00_00ff,
            (Some(_), _) => 0x0000_f0f0,
            _ => random.u32() | 1,
        };
        runs.push(Run { first: at, count, mask });
        at += count + random.below(9_u64);
    }
    let bytes = runs.iter().map(|run| run.bytes()).sum::<u64>() as usize;
    let values = if valued { random.bytes(bytes) } else { Vec::new() };
    let start = random.below(1000_u32);
    AccessedBytes { span: Span { start, end: start + random.below(80_u32) }, fold, runs, values }
}

fn sets(seed: u64) -> Sets {
    let random = &mut texunit_testkit::Random::new(seed);
    let object = |number, random: &mut texunit_testkit::Random| {
        let size = 512 + random.below(4096_u64);
        // The signed maximum.
        let fold = Fold(9 + u8::from(random.one_in(2)));
        ObjectSets {
            number,
            size,
            reads: (0..random.below(3)).map(|_| part(random, size, None, false)).collect(),
            writes: (0..random.below(3)).map(|_| part(random, size, None, true)).collect(),
            folds: (0..random.below(3)).map(|_| part(random, size, Some(fold), true)).collect(),
        }
    };
    let objects = (0..random.below(4_u32)).map(|n| object(n * 3, random)).collect();
    let stats = LaunchStats {
        warp_instructions: random.u64(),
        fetches: random.below(1000),
        printf: random.bytes(20),
        ..LaunchStats::default()
    };
    let mut identity = [0; 32];
    identity.copy_from_slice(&random.bytes(32));
    Sets { identity, grid: [7, 5, 3], ctas: (3, 90), stats, objects }
}

#[test]
fn what_is_written_is_read() {
    for seed in 0..200 {
        let sets = sets(seed);
        assert_eq!(Sets::from_bytes(&sets.to_bytes()).unwrap(), sets, "seed {seed}");
    }
}

#[test]
fn other_files_are_none() {
    let good = sets(5).to_bytes();
    assert_eq!(Sets::from_bytes(b""), Err(Unreadable::Other));
    assert_eq!(Sets::from_bytes(b"ptx = \"a.ptx\"\nkernel = \"k\"\n"), Err(Unreadable::Other));
    let mut newer = good.clone();
    newer[14] = b'3';
    assert_eq!(Sets::from_bytes(&newer), Err(Unreadable::Version));
    for len in MAGIC.len()..good.len() {
        assert_eq!(Sets::from_bytes(&good[..len]), Err(Unreadable::Damaged), "{len} bytes");
    }
    for at in MAGIC.len()..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        assert_eq!(Sets::from_bytes(&bad), Err(Unreadable::Damaged), "byte {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Bodies of random bytes, or valid ones with random edits, are either read or rejected without
    /// a panic; a body that is read is written back identically.
    #[test]
    fn garbage_is_an_error(seed in 0_u64..500, edits in prop::collection::vec((any::<u16>(), any::<u8>()), 0..6)) {
        let good = sets(seed).to_bytes();
        let mut body = good[MAGIC.len()..good.len() - 32].to_vec();
        for (at, byte) in edits {
            let at = usize::from(at) % body.len();
            body[at] = byte;
        }
        if let Ok(sets) = Sets::from_body(&body) {
            let again = sets.to_bytes();
            prop_assert_eq!(Sets::from_bytes(&again).unwrap(), sets);
        }
    }

    #[test]
    fn noise_is_an_error(body in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Sets::from_body(&body);
    }
}
