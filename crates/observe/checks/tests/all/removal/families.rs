//! Generators of correct kernels. Every named barrier, fence and wait is necessary: without it the
//! result can change.

use super::kernel::Kernel;
use texunit_testkit::Random;

/// A kernel of a family, selected by `number`.
pub(crate) fn kernel(number: u64, random: &mut Random) -> Kernel {
    let families: [fn(&mut Random) -> Kernel; 14] = [
        tiles, scan, tree, stencil, lanes, half_warps, named, pipeline, copies, flag, lock,
        last_block, look_back, words,
    ];
    families[(number % families.len() as u64) as usize](random)
}

fn block(random: &mut Random) -> u32 {
    random.of(&[64, 96, 128, 256])
}

/// Tiles that threads store and others load, several in succession at the same addresses.
fn tiles(random: &mut Random) -> Kernel {
    let n = block(random);
    let mut k = Kernel::new("tiles", random.within(1..=3), n, 4 * n);
    let shift = random.within(32..=n - 1);
    let tiles = random.within(2..=4);
    k.add(&format!("add.u32 %v0, %t, {shift};\nrem.u32 %v0, %v0, %n;"));
    k.add("mov.u32 %v1, tile;\nmad.lo.u32 %v1, %v0, 4, %v1;\nmov.u32 %v9, 0;");
    for i in 0..tiles {
        k.access("in", "ld.global.u32 %v2, [%my];");
        k.access(&format!("st{i}"), "st.shared.u32 [%s], %v2;");
        k.item(&format!("full {i}"), "bar.sync 0;", &[(&format!("st{i}"), &format!("ld{i}"))]);
        k.access(&format!("ld{i}"), "ld.shared.u32 %v3, [%v1];");
        k.add("add.u32 %v9, %v9, %v3;");
        if i + 1 < tiles {
            let pair = (format!("ld{i}"), format!("st{}", i + 1));
            k.item(&format!("empty {i}"), "barrier.sync 0;", &[(&pair.0, &pair.1)]);
        }
    }
    k.access("out", "st.global.u32 [%to], %v9;");
    k
}

/// Hillis and Steele's scan, with two barriers per step.
fn scan(random: &mut Random) -> Kernel {
    let n = block(random);
    let mut k = Kernel::new("scan", random.within(1..=2), n, 4 * n);
    k.access("in", "ld.global.u32 %v0, [%my];");
    k.access("st", "st.shared.u32 [%s], %v0;");
    k.item("begin", "bar.sync 0;", &[("st", "ld 1"), ("st", "own 1")]);
    let mut step = 1;
    while step < n {
        let next = if step * 2 < n { step * 2 } else { 0 };
        k.add(&format!("setp.lt.u32 %p1, %t, {step};\nmov.u32 %v1, 0;"));
        k.access(&format!("ld {step}"), &format!("@!%p1 ld.shared.u32 %v1, [%s+-{}];", 4 * step));
        k.access(&format!("own {step}"), "ld.shared.u32 %v0, [%s];");
        k.add("add.u32 %v0, %v0, %v1;");
        let pair = (format!("ld {step}"), format!("st {step}"));
        k.item(&format!("loaded {step}"), "bar.sync 0;", &[(&pair.0, &pair.1)]);
        k.access(&format!("st {step}"), "st.shared.u32 [%s], %v0;");
        if next != 0 {
            let pair = (format!("st {step}"), format!("ld {next}"));
            k.item(&format!("stored {step}"), "bar.sync 0;", &[(&pair.0, &pair.1)]);
        }
        step *= 2;
    }
    k.access("out", "st.global.u32 [%to], %v0;");
    k
}

/// A sum, with barriers while several warps take part and `__syncwarp` afterwards.
fn tree(random: &mut Random) -> Kernel {
    let n = random.of(&[64, 128, 256]);
    let mut k = Kernel::new("tree", random.within(1..=3), n, 4 * n);
    k.access("in", "ld.global.u32 %v0, [%my];");
    k.access("st", "st.shared.u32 [%s], %v0;");
    let mut before = "st".to_owned();
    let mut half = n / 2;
    while half > 0 {
        let (far, own, to) = (format!("far {half}"), format!("own {half}"), format!("to {half}"));
        let barrier = if half >= 32 { "bar.sync 0;" } else { "bar.warp.sync 0xffffffff;" };
        k.item(&format!("before {half}"), barrier, &[(&before, &far)]);
        k.add(&format!("setp.ge.u32 %p1, %t, {half};"));
        k.access(&far, &format!("@!%p1 ld.shared.u32 %v1, [%s+{}];", 4 * half));
        k.access(&own, "@!%p1 ld.shared.u32 %v0, [%s];");
        k.add("add.u32 %v0, %v0, %v1;");
        k.access(&to, "@!%p1 st.shared.u32 [%s], %v0;");
        before = to;
        half /= 2;
    }
    k.add("setp.ne.u32 %p1, %t, 0;\nmul.wide.u32 %a0, %cta, 4;\nadd.u64 %a0, %a0, %out;");
    k.access("out", "@!%p1 st.global.u32 [%a0], %v0;");
    k
}

/// A stencil with two alternating buffers and a halo, with one barrier per step.
fn stencil(random: &mut Random) -> Kernel {
    let n = block(random);
    let size = 4 * (n + 2);
    let steps = random.within(2..=5);
    let mut k = Kernel::new("stencil", random.within(1..=2), n, 2 * size);
    k.access("in", "ld.global.u32 %v0, [%my];");
    k.add("mov.u32 %v5, 0;\nsetp.ne.u32 %p2, %t, 0;");
    for i in 0..2 {
        // The halo does not change: thread 0 stores both ends.
        k.access("halo", &format!("@!%p2 st.shared.u32 [tile+{}], %v5;", i * size));
        k.access("halo", &format!("@!%p2 st.shared.u32 [tile+{}], %v5;", i * size + 4 * (n + 1)));
    }
    k.access("st 0", "st.shared.u32 [%s+4], %v0;");
    for i in 0..steps {
        let (from, to) = (i % 2 * size, (i + 1) % 2 * size);
        let (ld, st) = (format!("ld {i}"), format!("st {}", i + 1));
        let mut pairs = vec![(format!("st {i}"), ld.clone()), ("halo".to_owned(), ld.clone())];
        if i > 0 {
            pairs.push((format!("ld {}", i - 1), st.clone()));
        }
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (&a[..], &b[..])).collect();
        k.item(&format!("step {i}"), "bar.sync 0;", &pairs);
        k.access(&ld, &format!("ld.shared.u32 %v1, [%s+{from}];"));
        k.access(&ld, &format!("ld.shared.u32 %v2, [%s+{}];", from + 8));
        k.add("add.u32 %v0, %v1, %v2;");
        k.access(&st, &format!("st.shared.u32 [%s+{}], %v0;", to + 4));
    }
    k.access("out", "st.global.u32 [%to], %v0;");
    k
}

/// Lanes of a warp that exchange words in shared memory.
fn lanes(random: &mut Random) -> Kernel {
    let n = random.of(&[32, 64, 128]);
    let mut k = Kernel::new("lanes", random.within(1..=2), n, 4 * n);
    let turns = random.within(1..=4);
    k.add("mov.u32 %v9, 0;\nmov.u32 %v8, %t;");
    for i in 0..turns {
        let mask = random.within(1..=31);
        k.access(&format!("st{i}"), "st.shared.u32 [%s], %v8;");
        let pair = (format!("st{i}"), format!("ld{i}"));
        k.item(&format!("full {i}"), "bar.warp.sync 0xffffffff;", &[(&pair.0, &pair.1)]);
        k.add(&format!("mov.u32 %v1, {mask};\nxor.b32 %v0, %t, %v1;"));
        k.add("mov.u32 %v1, tile;\nmad.lo.u32 %v1, %v0, 4, %v1;");
        k.access(&format!("ld{i}"), "ld.shared.u32 %v8, [%v1];");
        k.add("add.u32 %v9, %v9, %v8;");
        if i + 1 < turns {
            let pair = (format!("ld{i}"), format!("st{}", i + 1));
            k.item(&format!("empty {i}"), "bar.warp.sync 0xffffffff;", &[(&pair.0, &pair.1)]);
        }
    }
    k.access("out", "st.global.u32 [%to], %v9;");
    k
}

/// Lanes of half a warp that exchange words in global memory.
fn half_warps(random: &mut Random) -> Kernel {
    let n = random.of(&[32, 64]);
    let mut k = Kernel::new("half warps", 1, n, 16);
    let mask = random.within(1..=15);
    k.add("and.b32 %v0, %t, 16;\nsetp.eq.u32 %p0, %v0, 0;");
    k.add("selp.b32 %v3, 0xffff, 0xffff0000, %p0;");
    k.add("mul.wide.u32 %a0, %g, 4;\nadd.u64 %a0, %a0, %work;");
    k.add(&format!(
        "xor.b32 %v1, %g, {mask};\nmul.wide.u32 %a1, %v1, 4;\nadd.u64 %a1, %a1, %work;"
    ));
    k.access("st", "st.global.u32 [%a0], %t;");
    k.item("full", "bar.warp.sync %v3;", &[("st", "ld")]);
    k.access("ld", "ld.global.u32 %v2, [%a1];");
    k.item("empty", "bar.warp.sync %v3;", &[("ld", "again")]);
    k.access("again", "st.global.u32 [%a0], %v2;");
    k
}

/// Producers and consumers with named barriers.
fn named(random: &mut Random) -> Kernel {
    let n = random.of(&[64, 128, 192]);
    let half = n / 2;
    let turns = random.within(1..=3);
    let mut k = Kernel::new("named barriers", random.within(1..=2), n, 4 * n);
    k.add(&format!("setp.ge.u32 %p1, %t, {half};\n@%p1 bra CONSUMER;"));
    for i in 0..turns {
        let (full, empty) = (format!("full {i}"), format!("empty {}", i.max(1) - 1));
        if i > 0 {
            let pair = (format!("ld{}", i - 1), format!("st{i}"));
            k.item(&empty, &format!("bar.sync {}, {n};", 7 + i), &[(&pair.0, &pair.1)]);
        }
        k.access("in", "ld.global.u32 %v0, [%my];");
        k.access(&format!("st{i}"), "st.shared.u32 [%s], %v0;");
        k.item(&full, &format!("bar.arrive {}, {n};", 1 + i), &[]);
    }
    k.add("bra END;\nCONSUMER:\nmov.u32 %v9, 0;");
    for i in 0..turns {
        let pair = (format!("st{i}"), format!("ld{i}"));
        k.item(&format!("full {i}"), &format!("bar.sync {}, {n};", 1 + i), &[(&pair.0, &pair.1)]);
        k.access(&format!("ld{i}"), &format!("ld.shared.u32 %v0, [%s+-{}];", 4 * half));
        k.add("add.u32 %v9, %v9, %v0;");
        if i + 1 < turns {
            k.item(&format!("empty {i}"), &format!("bar.arrive {}, {n};", 8 + i), &[]);
        }
    }
    k.access("out", "st.global.u32 [%to], %v9;");
    k.add("END:");
    k
}

/// A buffer with an mbarrier for each time that it becomes full, and for each time that it becomes
/// empty.
fn pipeline(random: &mut Random) -> Kernel {
    let n = 64;
    let turns = random.within(2..=4);
    let mut k = Kernel::new("mbarriers", random.within(1..=2), n, 4 * 32 + 64);
    k.add("setp.ne.u32 %p0, %t, 0;\n@%p0 bra MADE;");
    for i in 0..2 * turns {
        k.access("init", &format!("mbarrier.init.shared.b64 [tile+{}], 32;", 128 + 8 * i));
    }
    k.add("MADE:");
    k.item("made", "bar.sync 0;", &[("init", "arrive full"), ("init", "look"), ("init", "empty")]);
    k.add("setp.ge.u32 %p1, %t, 32;\n@%p1 bra CONSUMER;");
    for i in 0..turns {
        if i > 0 {
            let name = k.fresh();
            let wait = format!(
                "{name}:\nmbarrier.test_wait.parity.shared.b64 %p2, [tile+{}], 0;\n@!%p2 bra {name};",
                128 + 8 * (turns + i - 1)
            );
            k.mark("look", 1);
            let later = (0..i).flat_map(|a| (i..turns).map(move |b| (a, b)));
            let pairs: Vec<_> = later.map(|(a, b)| (format!("ld{a}"), format!("st{b}"))).collect();
            let pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (&a[..], &b[..])).collect();
            k.item(&format!("empty {i}"), &wait, &pairs);
        }
        k.access(&format!("st{i}"), "st.shared.u32 [%s], %t;");
        k.access(
            "arrive full",
            &format!("mbarrier.arrive.shared.b64 %a0, [tile+{}];", 128 + 8 * i),
        );
    }
    k.add("bra END;\nCONSUMER:\nmov.u32 %v9, 0;");
    for i in 0..turns {
        let name = k.fresh();
        let wait = format!(
            "{name}:\nmbarrier.test_wait.parity.shared.b64 %p2, [tile+{}], 0;\n@!%p2 bra {name};",
            128 + 8 * i
        );
        let mut pairs = vec![(format!("st{i}"), format!("ld{i}"))];
        k.mark("look", 1);
        // Without the wait, the thread arrives too early.
        pairs.push((format!("ld{i}"), format!("st{}", (i + 1).min(turns - 1))));
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (&a[..], &b[..])).collect();
        k.item(&format!("full {i}"), &wait, &pairs);
        k.access(&format!("ld{i}"), "ld.shared.u32 %v0, [%s+-128];");
        k.add("add.u32 %v9, %v9, %v0;");
        if i + 1 < turns {
            k.access(
                "empty",
                &format!("mbarrier.arrive.shared.b64 %a0, [tile+{}];", 128 + 8 * (turns + i)),
            );
        }
    }
    k.access("out", "st.global.u32 [%to], %v9;");
    k.add("END:");
    k
}

/// `cp.async` into two alternating buffers.
fn copies(random: &mut Random) -> Kernel {
    let n = block(random);
    let turns = random.within(2..=4);
    let mut k = Kernel::new("cp.async", random.within(1..=2), n, 2 * 16 * n);
    k.add("mul.wide.u32 %a0, %t, 16;\nadd.u64 %a0, %a0, %in;\nmov.u32 %v1, tile;");
    k.add("mad.lo.u32 %v2, %t, 16, %v1;\nsub.u32 %v3, %n, %t;\nsub.u32 %v3, %v3, 1;");
    k.add("mad.lo.u32 %v3, %v3, 16, %v1;\nmov.u32 %v9, 0;");
    let copy = |k: &mut Kernel, i: u32| {
        let to = i % 2 * 16 * n;
        k.access(
            &format!("cp{i}"),
            &format!("cp.async.cg.shared.global [%v2+{to}], [%a0+{}], 16;", i * 16 * n),
        );
        k.add("cp.async.commit_group;");
    };
    copy(&mut k, 0);
    for i in 0..turns {
        if i + 1 < turns {
            copy(&mut k, i + 1);
        }
        let left = u32::from(i + 1 < turns);
        let (cp, ld) = (format!("cp{i}"), format!("ld{i}"));
        k.item(&format!("wait {i}"), &format!("cp.async.wait_group {left};"), &[(&cp, &ld)]);
        k.item(&format!("full {i}"), "bar.sync 0;", &[(&cp, &ld)]);
        k.access(&ld, &format!("ld.shared.u32 %v4, [%v3+{}];", i % 2 * 16 * n));
        k.add("add.u32 %v9, %v9, %v4;");
        if i + 2 < turns {
            let pair = (ld, format!("cp{}", i + 2));
            k.item(&format!("empty {i}"), "bar.sync 0;", &[(&pair.0, &pair.1)]);
        }
    }
    k.access("out", "st.global.u32 [%to], %v9;");
    k
}

/// A CTA signals by a flag that the next CTA can load its stores.
fn flag(random: &mut Random) -> Kernel {
    let n = block(random);
    let mut k = Kernel::new("flag", 2, n, 16);
    let fence = random.of(&["membar.gl;", "fence.acq_rel.gpu;", "fence.sc.gpu;", "membar.sys;"]);
    let (store, load) = random.of(&[
        ("st.volatile.global.u32", "ld.volatile.global.u32"),
        ("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32"),
        ("atom.global.exch.b32 %v5,", "ld.relaxed.sys.global.u32"),
    ]);
    k.add("mul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %work;\nadd.u64 %a0, %a0, 64;");
    k.add("sub.u32 %v1, %n, %t;\nmul.wide.u32 %a1, %v1, 4;\nadd.u64 %a1, %a1, %work;");
    k.add("add.u64 %a1, %a1, 60;\nsetp.ne.u32 %p0, %t, 0;\nsetp.ne.u32 %p1, %cta, 0;");
    k.add("@%p1 bra CONSUMER;");
    k.access("st", "st.global.u32 [%a0], %t;");
    k.item("all stored", "bar.sync 0;", &[("st", "ld")]);
    k.add("@%p0 bra END;");
    k.item("release", fence, &[("st", "ld")]);
    k.access("flag", &format!("{store} [%work], 1;"));
    k.add("bra END;\nCONSUMER:\n@%p0 bra SEEN;");
    k.spin("look", load, "%work", 1);
    k.item("acquire", fence, &[("st", "ld")]);
    k.add("SEEN:");
    k.item("all wait", "bar.sync 0;", &[("st", "ld")]);
    k.access("ld", "ld.global.u32 %v2, [%a1];");
    k.access("out", "st.global.u32 [%to], %v2;");
    k.add("END:");
    k
}

/// A lock around a sum.
fn lock(random: &mut Random) -> Kernel {
    let mut k = Kernel::new("lock", random.within(2..=4), 32, 16);
    let fence = random.of(&["membar.gl;", "fence.acq_rel.gpu;"]);
    k.add("setp.ne.u32 %p0, %t, 0;\n@%p0 bra END;\nLOCKED:");
    k.access("lock", "atom.global.cas.b32 %v0, [%work], 0, 1;");
    k.add("setp.ne.u32 %p1, %v0, 0;\n@%p1 bra LOCKED;");
    let pairs = [("st", "ld"), ("st", "st"), ("ld", "st")];
    k.item("acquire", fence, &pairs);
    k.access("ld", "ld.global.u32 %v1, [%work+64];");
    k.add("add.u32 %v1, %v1, 1;");
    k.access("st", "st.global.u32 [%work+64], %v1;");
    k.item("release", fence, &pairs);
    let unlock =
        random.of(&["atom.global.exch.b32 %v2, [%work], 0;", "st.volatile.global.u32 [%work], 0;"]);
    k.access("unlock", unlock);
    k.add("END:");
    k
}

/// The last CTA adds the stores of all CTAs.
fn last_block(random: &mut Random) -> Kernel {
    let (n, ctas) = (block(random), random.within(2..=5));
    let mut k = Kernel::new("last block", ctas, n, 16);
    k.add("mul.wide.u32 %a0, %g, 4;\nadd.u64 %a0, %a0, %work;\nsetp.ne.u32 %p0, %t, 0;");
    k.access("st", "st.global.u32 [%a0+64], %t;");
    k.item("all stored", "bar.sync 0;", &[("st", "ld")]);
    k.add("@%p0 bra COUNTED;");
    k.item("release", "membar.gl;", &[("st", "ld")]);
    k.access("count", "atom.global.add.u32 %v1, [%work], 1;");
    k.item("acquire", "fence.acq_rel.gpu;", &[("st", "ld")]);
    k.access("said", "st.shared.u32 [tile], %v1;");
    k.add("COUNTED:");
    k.item("said", "bar.sync 0;", &[("said", "asked"), ("st", "ld")]);
    k.access("asked", "ld.shared.u32 %v2, [tile];");
    k.add(&format!("setp.ne.u32 %p1, %v2, {};\n@%p1 bra END;\nmov.u32 %v9, 0;", ctas - 1));
    k.add("mul.wide.u32 %a1, %t, 4;\nadd.u64 %a1, %a1, %work;");
    for i in 0..ctas {
        k.access("ld", &format!("ld.global.u32 %v3, [%a1+{}];", 64 + 4 * i * n));
        k.add("add.u32 %v9, %v9, %v3;");
    }
    k.access("out", "st.global.u32 [%to], %v9;");
    k.add("END:");
    k
}

/// Each CTA adds to the sum of the CTA before it; the sums are passed on by release stores and
/// acquire loads.
fn look_back(random: &mut Random) -> Kernel {
    let ctas = random.within(2..=12);
    let mut k = Kernel::new("look back", ctas, 32, 16);
    let strong = random.chance(50);
    k.add("setp.ne.u32 %p0, %t, 0;\n@%p0 bra END;\nmul.wide.u32 %a0, %cta, 64;");
    k.add("add.u64 %a0, %a0, %work;\nmov.u32 %v0, 0;\nsetp.eq.u32 %p1, %cta, 0;\n@%p1 bra FIRST;");
    let load = if strong { "ld.acquire.gpu.global.u32" } else { "ld.relaxed.gpu.global.u32" };
    k.spin("look", load, "%a0+-64", 1);
    if !strong {
        k.item("acquire", "fence.acq_rel.gpu;", &[("st", "ld")]);
    }
    k.access("ld", "ld.global.u32 %v0, [%a0+-60];");
    k.add("FIRST:\nadd.u32 %v0, %v0, %cta;");
    k.access("st", "st.global.u32 [%a0+4], %v0;");
    if strong {
        k.access("flag", "st.release.gpu.global.u32 [%a0], 1;");
    } else {
        k.item("release", "fence.acq_rel.gpu;", &[("st", "ld")]);
        k.access("flag", "st.relaxed.gpu.global.u32 [%a0], 1;");
    }
    k.add("END:");
    k
}

/// Bytes, halves and pairs of words that threads store and other threads load with another type.
fn words(random: &mut Random) -> Kernel {
    let n = block(random);
    let mut k = Kernel::new("words", random.within(1..=2), n, 8 * n);
    let (size, ty, reg) = random.of(&[(1, "u8", "%v0"), (2, "u16", "%v0"), (8, "u64", "%a5")]);
    k.add(&format!("mov.u32 %v1, tile;\nmad.lo.u32 %v2, %t, {size}, %v1;"));
    k.add("mov.u32 %v0, 1;\nmov.u64 %a5, 1;");
    // The loaded word is stored by four, two or one other threads.
    k.access("st", &format!("st.shared.{ty} [%v2], {reg};"));
    k.item("full", "bar.sync 0;", &[("st", "ld")]);
    k.add("sub.u32 %v4, %n, %t;\nsub.u32 %v4, %v4, 1;\nand.b32 %v4, %v4, 31;");
    k.add("mov.u32 %v1, tile;\nmad.lo.u32 %v5, %v4, 4, %v1;");
    k.access("ld", "ld.shared.u32 %v6, [%v5];");
    k.item("empty", "bar.sync 0;", &[("ld", "again")]);
    k.access("again", &format!("st.shared.{ty} [%v2], {reg};"));
    k.access("out", "st.global.u32 [%to], %v6;");
    k
}
