//! Basic blocks, reconvergence points and live registers of a loop.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_flow::{Access, Cfg, Code, Control, Liveness};

/// `0: i = 0; 1: i = i + step; 2: if (i < n) goto 1; 3: return i`, with registers i, step, n.
struct Loop;

impl Code for Loop {
    fn instructions(&self) -> usize {
        4
    }

    fn registers(&self) -> usize {
        3
    }

    fn control(&self, inst: usize, target: &mut dyn FnMut(usize)) -> Control {
        match inst {
            2 => {
                target(1);
                Control::Branch
            }
            3 => Control::Jump,
            _ => Control::Next,
        }
    }

    fn operands(&self, inst: usize, f: &mut dyn FnMut(u32, Access)) -> bool {
        let (uses, defs): (&[u32], &[u32]) = match inst {
            0 => (&[], &[0]),
            1 => (&[0, 1], &[0]),
            2 => (&[0, 2], &[]),
            _ => (&[0], &[]),
        };
        uses.iter().for_each(|&register| f(register, Access::Use));
        defs.iter().for_each(|&register| f(register, Access::Def));
        true
    }

    fn is_guarded(&self, _inst: usize) -> bool {
        false
    }
}

fn main() {
    let cfg = Cfg::new(&Loop);
    let blocks: Vec<_> = cfg.ranges().collect();
    assert_eq!(blocks, [0..1, 1..3, 3..4]);
    let body = cfg.block_of(1);
    assert_eq!(cfg.back_edges().collect::<Vec<_>>(), [(body, body)]);
    // Lanes that leave the loop at different times meet again after it.
    assert_eq!(cfg.immediate_post_dominators()[body as usize], cfg.block_of(3));
    let live = Liveness::new(&Loop, &cfg, usize::MAX);
    for (block, range) in blocks.iter().enumerate() {
        let registers: Vec<_> =
            (0..3).filter(|&register| live.is_live_in(block as u32, register)).collect();
        println!("instructions {range:?}: live in {registers:?}");
    }
    assert!(live.is_live_in(body, 2) && !live.is_live_in(cfg.block_of(3), 2));
}
