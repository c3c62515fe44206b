//! Fetches through the Rust API: coordinates are read from arrays, results written to arrays.
//! Results of each batch overwrite those of the previous one, as if the caller had consumed them.

use crate::workload::{Effort, Failure, Workload, samples};
use std::ops::Range;
use std::sync::Arc;
use texunit_unit::{
    Coordinates, FetchArrays, FetchKind, FetchOperands, FetchPlan, Lod, Scratch, Texture,
};

/// A prepared workload.
pub struct Arrays {
    workload: Workload,
    texture: Arc<Texture>,
    plan: FetchPlan,
    operands: Operands,
    /// Number of fetches per call.
    batch: usize,
    workers: Vec<Worker>,
}

/// The buffers that a thread writes.
struct Worker {
    /// The results of a batch.
    out: [Vec<u32>; 4],
    scratch: Scratch,
}

/// The operands of all fetches; arrays of operands that the instruction lacks are empty.
#[derive(Default)]
struct Operands {
    coords: Coordinates<Vec<u32>>,
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
        for &element in form.geometry.elements() {
            *made.coords.get_mut(element) = all.iter().map(|o| *o.coords.get(element)).collect();
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
    /// Creates the texture, the plan and the arrays.
    pub fn new(workload: &Workload, effort: Effort) -> Result<Self, Failure> {
        let texture = workload.texture()?;
        let plan = FetchPlan::new(workload.form, &texture, &workload.sampler)
            .map_err(|e| e.to_string())?;
        let operands = Operands::new(workload, effort.fetches);
        let batch = effort.batch.min(effort.fetches) as usize;
        let wanted = |c: usize| workload.components >> c & 1 == 1;
        let worker = || Worker {
            out: std::array::from_fn(|c| vec![0; if wanted(c) { batch } else { 0 }]),
            scratch: Scratch::new(),
        };
        let workers = (0..effort.threads).map(|_| worker()).collect();
        Ok(Self { workload: workload.clone(), texture, plan, operands, batch, workers })
    }

    /// Makes all fetches once, with an equal part on each thread.
    pub fn run(&mut self) {
        let Self { workload, plan, operands, batch, workers, .. } = self;
        let fetches = operands.coords.point[0].len();
        // Rounded up to whole warps.
        let part = fetches.div_ceil(workers.len()).next_multiple_of(32);
        let job = Job { plan, operands, batch: *batch, components: workload.components };
        let (first, others) = workers.split_first_mut().expect("a thread at least");
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..)
                .zip(others)
                .map(|(i, worker)| {
                    let range = (i * part).min(fetches)..((i + 1) * part).min(fetches);
                    scope.spawn(move || job.run(range, worker))
                })
                .collect();
            job.run(0..part.min(fetches), first);
            for other in others {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
        });
    }

    /// Compares a few hundred results with the reference sampler.
    pub fn verify(&mut self) -> Result<(), Failure> {
        let Self { workload, texture, plan, operands, batch, workers } = self;
        let fetches = operands.coords.point[0].len();
        let job = Job { plan, operands, batch: *batch, components: workload.components };
        for fetch in samples(fetches as u32) {
            // A warp in which the fetch is neither the first nor the last.
            let first = (fetch as usize).saturating_sub(5).min(fetches - 32);
            job.run(first..first + 32, &mut workers[0]);
            let expected = workload.expected(texture, fetch)?;
            for (c, array) in workers[0].out.iter().enumerate() {
                if let Some(&got) = array.get(fetch as usize - first) {
                    workload.demand(fetch, c, got, expected[c]);
                }
            }
        }
        Ok(())
    }
}

/// The work that all threads share.
#[derive(Clone, Copy)]
struct Job<'a> {
    plan: &'a FetchPlan,
    operands: &'a Operands,
    batch: usize,
    components: u8,
}

impl Job<'_> {
    /// Makes the fetches of a range in batches.
    fn run(&self, mut range: Range<usize>, worker: &mut Worker) {
        while !range.is_empty() {
            let len = range.len().min(self.batch);
            let arrays = self.operands.part(range.start..range.start + len, self.components);
            let out = worker.out.each_mut().map(|array| {
                let len = len.min(array.len());
                &mut array[..len]
            });
            self.plan.fetch_arrays(&arrays, out, &mut worker.scratch).expect("equal lengths");
            range.start += len;
        }
    }
}

/// A part of an array; empty if the array is empty.
fn slice<'a>(array: &'a [u32], range: &Range<usize>) -> &'a [u32] {
    array.get(range.clone()).unwrap_or(&[])
}
