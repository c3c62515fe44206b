//! Removal tests of the race check: in generated kernels, every barrier, fence and wait is
//! necessary. Each is removed in turn, and the race must be found at the accesses that it ordered;
//! nothing may be found in the complete kernel. `TEXUNIT_LONG_TESTS=1` generates 500 kernels,
//! different ones for each `TEXUNIT_SEED`.

mod families;
mod kernel;

use kernel::Kernel;
use texunit_checks::{Check, Log, Options};
use texunit_device::{Arg, Device, LaunchOptions, Module};
use texunit_testkit::Random;

/// Bytes of each buffer.
const BUFFER: u64 = 64 << 10;

/// The pairs of lines that the check finds in a kernel.
fn found(
    kernel: &Kernel,
    text: &str,
    (how, is_whole): ((usize, Option<u64>), bool),
) -> Vec<(u32, u32, String)> {
    let device = Device::default();
    let module = Module::load(&device, "k.ptx", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let function = module.kernel("k").expect("it is there");
    let buffers: Vec<_> =
        (0..3).map(|_| device.alloc(BUFFER, "buffer").expect("there is room")).collect();
    let log = Log::new(Options { checks: Check::Race.into(), ..Options::default() });
    {
        let checks = log.launch("k").expect("it is checked");
        let options = LaunchOptions::new(kernel.grid, kernel.block)
            .with_threads(how.0)
            .with_schedule(how.1)
            // A complete kernel gets more steps, because another worker may have to wait for a
            // processor.
            .with_max_steps(if is_whole {
                1 << 30
            } else if how.0 > 1 {
                1 << 18
            } else {
                1 << 14
            })
            .with_observer(Some(&checks));
        let args: Vec<_> = buffers.iter().map(Arg::Buffer).collect();
        // With a part removed, threads may wait forever.
        if let (Err(error), true) = (function.launch(&options, &args), is_whole) {
            panic!("{}: {error}\n{text}", kernel.family);
        }
    }
    let line = |end: &texunit_checks::End| end.place.ptx.line;
    let ends = |f: &texunit_checks::Finding| {
        let at = f.at.as_ref().map_or(0, line);
        let other = f.other.as_ref().map_or(0, |(_, end)| line(end));
        (at, other, format!("{} {at} and {other}: {}", f.code(), f.message))
    };
    log.findings().iter().flat_map(texunit_checks::Finding::kinds).map(ends).collect()
}

#[test]
fn every_item_that_is_left_out_is_missed() {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let kernels = if long { 500 } else { 28 };
    let (mut removed, mut missed) = (0, Vec::new());
    for number in 0..kernels {
        let mut random = Random::of_item(Random::for_test(23).u64(), number);
        let kernel = families::kernel(number, &mut random);
        let schedule = random.chance(30).then(|| random.u64());
        let how = (1 + (number / 14 % 2) as usize, schedule);
        let whole = kernel.text(None);
        let none = found(&kernel, &whole, (how, true));
        assert!(none.is_empty(), "{number} {}: {none:#?}\n{whole}", kernel.family);
        for (i, item) in kernel.items.iter().enumerate() {
            let text = kernel.text(Some(i));
            let all = found(&kernel, &text, (how, false));
            removed += 1;
            if !all.iter().any(|(at, other, _)| kernel.is_ordered_by(item, (*at, *other))) {
                missed.push(format!(
                    "{number} {} without {:?} ({how:?}): {all:#?}\n{text}",
                    kernel.family, item.name
                ));
            }
        }
    }
    println!("{removed} items of {kernels} kernels were left out, {} of them unseen", missed.len());
    missed.iter().for_each(|what| println!("unseen: {what}"));
    let most = removed / 100;
    assert!(missed.len() <= most, "{} of {removed}:\n{}", missed.len(), missed[..1].concat());
}
