//! Fetches through the Rust API: coordinates lie in arrays, results go to arrays.

use super::workload::{Trouble, Workload, samples};
use std::ops::Range;
use std::sync::Arc;
use texunit_unit::{FetchArrays, FetchKind, FetchOperands, FetchPlan, Lod, Scratch, Texture};

/// A workload made ready.
pub struct Arrays {
    workload: Workload,
    texture: Arc<Texture>,
    plan: FetchPlan,
    operands: Operands,
    out: [Vec<u32>; 4],
    scratch: Vec<Scratch>,
}

/// The operands of all fetches; arrays that the instruction has no operand for are empty.
#[derive(Default)]
struct Operands {
    coords: [Vec<u32>; 4],
    offset: [Vec<u32>; 3],
    level: Vec<u32>,
    dpdx: [Vec<u32>; 3],
    dpdy: [Vec<u32>; 3],
    compare: Vec<u32>,
}

impl Operands {
    fn new(workload: &Workload, fetches: u32) -> Self {
        let form = workload.form;
        let all: Vec<FetchOperands> = (0..fetches).map(workload.operands).collect();
        let mut made = Self::default();
        for c in 0..form.geometry.coordinates() {
            made.coords[c] = all.iter().map(|o| o.coords[c]).collect();
        }
        if form.offset {
            for c in 0..form.geometry.axes() {
                made.offset[c] = all.iter().map(|o| o.offset[c] as u32).collect();
            }
        }
        if form.kind == FetchKind::Sample(Lod::Level) {
            made.level = all.iter().map(|o| o.level).collect();
        }
        if form.kind == FetchKind::Sample(Lod::Gradient) {
            for c in 0..form.geometry.gradients() {
                made.dpdx[c] = all.iter().map(|o| o.dpdx[c]).collect();
                made.dpdy[c] = all.iter().map(|o| o.dpdy[c]).collect();
            }
        }
        if form.compare {
            made.compare = all.iter().map(|o| o.compare).collect();
        }
        made
    }

    fn part<'a>(&'a self, range: Range<usize>, components: u8) -> FetchArrays<'a> {
        let part = |array: &'a [u32]| slice(array, &range);
        FetchArrays {
            coords: self.coords.each_ref().map(|array| part(array)),
            offset: self.offset.each_ref().map(|array| part(array)),
            level: part(&self.level),
            dpdx: self.dpdx.each_ref().map(|array| part(array)),
            dpdy: self.dpdy.each_ref().map(|array| part(array)),
            compare: part(&self.compare),
            components,
        }
    }
}

impl Arrays {
    /// Makes the texture, the plan and the arrays.
    pub fn new(workload: &Workload, threads: usize, fetches: u32) -> Result<Self, Trouble> {
        let texture = workload.texture()?;
        let plan = FetchPlan::new(workload.form, &texture, &workload.sampler)
            .map_err(|e| e.to_string())?;
        let operands = Operands::new(workload, fetches);
        let wanted = |c: usize| workload.components >> c & 1 == 1;
        let out = std::array::from_fn(|c| vec![0; if wanted(c) { fetches as usize } else { 0 }]);
        let scratch = vec![Scratch::new(); threads];
        Ok(Self { workload: workload.clone(), texture, plan, operands, out, scratch })
    }

    /// Makes all fetches once, an equal part of the arrays on each thread.
    pub fn run(&mut self) {
        let Self { workload, plan, operands, out, scratch, .. } = self;
        let fetches = operands.coords[0].len();
        // Whole warps.
        let part = fetches.div_ceil(scratch.len()).next_multiple_of(32);
        let mut rest = out.each_mut().map(|array| array.as_mut_slice());
        let (plan, components) = (&*plan, workload.components);
        let mut work = Vec::new();
        for (i, scratch) in scratch.iter_mut().enumerate() {
            let range = (i * part).min(fetches)..((i + 1) * part).min(fetches);
            let mine = rest.each_mut().map(|array| take(array, range.len()));
            let arrays = operands.part(range, components);
            work.push(move || plan.fetch_arrays(&arrays, mine, scratch).expect("equal lengths"));
        }
        let first = work.remove(0);
        std::thread::scope(|scope| {
            let others: Vec<_> = work.into_iter().map(|work| scope.spawn(work)).collect();
            first();
            for other in others {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
        });
    }

    /// Compares a few hundred results with the reference.
    pub fn verify(&self) -> Result<(), Trouble> {
        for fetch in samples(self.operands.coords[0].len() as u32) {
            let expected = self.workload.expected(&self.texture, fetch)?;
            for (c, array) in self.out.iter().enumerate() {
                if let Some(&got) = array.get(fetch as usize) {
                    self.workload.demand(fetch, c, got, expected[c]);
                }
            }
        }
        Ok(())
    }
}

/// A part of an array, or nothing of one that is empty.
fn slice<'a>(array: &'a [u32], range: &Range<usize>) -> &'a [u32] {
    array.get(range.clone()).unwrap_or(&[])
}

/// Cuts the first `len` elements off, or all if there are fewer.
fn take<'a>(array: &mut &'a mut [u32], len: usize) -> &'a mut [u32] {
    let whole = std::mem::take(array);
    let (first, rest) = whole.split_at_mut(len.min(whole.len()));
    *array = rest;
    first
}
