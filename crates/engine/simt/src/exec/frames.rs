//! Call frames of a warp. Lanes that execute the same call from the same frame share a frame, even
//! if they execute it at different times, so that they can reconverge within the function.

use crate::code::{Func, NONE};

/// An activation of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub(crate) parent: u32,
    /// Instruction at which the caller continues.
    pub(crate) return_pc: u32,
    pub(crate) function: u32,
    /// Index of the frame's first register of each kind.
    pub(crate) narrow: usize,
    pub(crate) wide: usize,
    pub(crate) predicates: usize,
    /// First byte of the frame in local memory, and its end.
    pub(crate) local: u64,
    pub(crate) local_end: u64,
    /// Bytes of results and parameters in this frame and those of its callers.
    pub(crate) passed: u64,
    pub(crate) depth: u32,
    /// Number of splits, groups and child frames that use this frame.
    references: u32,
}

/// The call frames of a warp; frame 0 is the kernel's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    free: Vec<u32>,
}

impl Frames {
    /// Resets to the kernel's frame.
    pub(crate) fn start(&mut self, function: u32, frame: u32, passed: u32) {
        self.frames.clear();
        self.free.clear();
        self.frames.push(Frame {
            parent: NONE,
            return_pc: NONE,
            function,
            local_end: frame.into(),
            passed: passed.into(),
            // One of the two references keeps the frame forever; the other is that of the first
            // split.
            references: 2,
            ..Frame::default()
        });
    }

    /// Whether no function was called since the start.
    #[inline(always)]
    pub(crate) fn is_one(&self) -> bool {
        self.frames.len() == 1
    }

    pub(crate) fn get(&self, frame: u32) -> &Frame {
        &self.frames[frame as usize]
    }

    /// Extends a frame in local memory.
    pub(crate) fn extend(&mut self, frame: u32, local_end: u64) {
        let f = &mut self.frames[frame as usize];
        f.local_end = f.local_end.max(local_end);
    }

    pub(crate) fn retain(&mut self, frame: u32) {
        self.frames[frame as usize].references += 1;
    }

    pub(crate) fn release(&mut self, mut frame: u32) {
        loop {
            let f = &mut self.frames[frame as usize];
            f.references -= 1;
            if f.references != 0 || f.parent == NONE {
                return;
            }
            self.free.push(frame);
            frame = f.parent;
        }
    }

    /// The frame for a call of `callee` from `parent`. The caller's reference to `parent` becomes a
    /// reference to the new frame.
    pub(crate) fn call(&mut self, parent: u32, return_pc: u32, funcs: &[Func], callee: u32) -> u32 {
        // The caller may have extended its stack since other lanes executed the same call.
        let end = self.frames[parent as usize].local_end;
        let Func { frame, passed, frame_align, .. } = funcs[callee as usize];
        let local = end.next_multiple_of(u64::from(frame_align.max(16)));
        let is_same = |f: &Frame| {
            (f.parent, f.return_pc, f.function, f.local) == (parent, return_pc, callee, local)
        };
        // Nested calls have the highest numbers.
        let found = self.frames.iter().rposition(|f| f.references != 0 && is_same(f));
        if let Some(at) = found {
            self.frames[at].references += 1;
            // The child keeps the parent alive.
            self.frames[parent as usize].references -= 1;
            return at as u32;
        }
        let p = self.frames[parent as usize];
        let caller = &funcs[p.function as usize];
        let frame = Frame {
            parent,
            return_pc,
            function: callee,
            narrow: p.narrow + caller.narrow as usize,
            wide: p.wide + caller.wide as usize,
            predicates: p.predicates + caller.predicates as usize,
            local,
            local_end: local + u64::from(frame),
            passed: p.passed + u64::from(passed),
            depth: p.depth + 1,
            references: 1,
        };
        if let Some(id) = self.free.pop() {
            self.frames[id as usize] = frame;
            return id;
        }
        self.frames.push(frame);
        self.frames.len() as u32 - 1
    }
}
