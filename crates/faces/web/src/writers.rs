//! Records which thread has written each texel of an output, as an observer of the launch.

use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_device::observe::{
    Access, At, CtaInfo, Events, ExecutedSurfaceAccess, LaunchInfo, Observer, Probe,
};
use texunit_job::Output;
use texunit_unit::{SurfaceKind, lanes};

/// Maximum size of a recorded output in texels.
const MAX_TEXELS: u64 = 4 << 20;

/// The threads that have written each texel of a launch's outputs.
#[derive(Debug)]
pub(crate) struct Writers {
    outputs: Vec<Written>,
    /// For each output and texel, the number of the last writing thread in the grid, from 1; 0 if
    /// no thread has written it.
    found: Mutex<Vec<Vec<u64>>>,
}

/// The location of an output in memory.
#[derive(Debug)]
struct Written {
    /// The generic address of a buffer's first byte.
    address: Option<u64>,
    /// An array's allocation number and first plane.
    array: Option<(u64, u32)>,
    texel: u64,
    extent: [u64; 3],
    bytes: u64,
}

impl Written {
    fn texels(&self) -> u64 {
        self.bytes.div_ceil(self.texel.max(1))
    }
}

impl Writers {
    pub(crate) fn new(outputs: &[Output]) -> Self {
        let outputs: Vec<Written> = outputs
            .iter()
            .map(|output| {
                let (texel, extent) = match output.texels {
                    Some((format, extent)) => (format.texel_size().into(), extent.map(u64::from)),
                    None => (1, [output.size, 1, 1]),
                };
                Written {
                    address: output.address,
                    array: output.array,
                    texel,
                    extent,
                    bytes: output.size,
                }
            })
            .collect();
        let room = |output: &Written| match output.texels() {
            texels if texels <= MAX_TEXELS => vec![0; texels as usize],
            _ => Vec::new(),
        };
        let found = Mutex::new(outputs.iter().map(room).collect());
        Self { outputs, found }
    }

    fn found(&self) -> MutexGuard<'_, Vec<Vec<u64>>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number, from 0 in the grid, of the thread that has written a texel of an output last.
    pub(crate) fn of(&self, output: usize, [x, y, z]: [u64; 3]) -> Option<u64> {
        let [width, height, _] = self.outputs.get(output)?.extent;
        let texel = usize::try_from((z * height + y) * width + x).ok()?;
        self.found().get(output)?.get(texel)?.checked_sub(1)
    }

    fn note(&self, output: usize, from: u64, bytes: u64, thread: u64) {
        let texel = self.outputs[output].texel.max(1);
        let (first, last) = (from / texel, (from + bytes.max(1) - 1) / texel);
        let mut found = self.found();
        for texel in first..=last {
            if let Some(to) =
                usize::try_from(texel).ok().and_then(|texel| found[output].get_mut(texel))
            {
                *to = thread + 1;
            }
        }
    }
}

impl Observer for Writers {
    fn wants(&self) -> Events {
        let mut events = Events::NONE;
        if self.outputs.iter().any(|output| output.address.is_some()) {
            events |= Events::ACCESSES;
        }
        if self.outputs.iter().any(|output| output.array.is_some()) {
            events |= Events::ANSWERS;
        }
        events
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Writing {
            writers: self,
            threads: launch.config.block.iter().map(|&n| u64::from(n)).product(),
            cta: 0,
        })
    }
}

struct Writing<'a> {
    writers: &'a Writers,
    /// Number of threads in a CTA.
    threads: u64,
    cta: u64,
}

impl Writing<'_> {
    fn thread(&self, at: &At, lane: u32) -> u64 {
        self.cta * self.threads + u64::from(at.warp * 32 + lane)
    }
}

impl Probe for Writing<'_> {
    fn cta_begins(&mut self, cta: &CtaInfo) {
        self.cta = cta.index;
    }

    fn access(&mut self, at: &At, access: &Access<'_>) {
        if !access.operation.writes() {
            return;
        }
        for (n, output) in self.writers.outputs.iter().enumerate() {
            let Some(base) = output.address else { continue };
            for lane in lanes(at.lanes) {
                let offset = access.addresses[lane].wrapping_sub(base);
                if offset < output.bytes {
                    let thread = self.thread(at, lane as u32);
                    self.writers.note(n, offset, access.bytes().into(), thread);
                }
            }
        }
    }

    fn answer_lanes(&mut self, at: &At) -> u32 {
        at.lanes
    }

    fn surface_answer(&mut self, at: &At, access: &ExecutedSurfaceAccess<'_>) {
        if matches!(access.form.kind, SurfaceKind::Load { .. }) {
            return;
        }
        let resource = &access.plan.surface().resource;
        let (_, first) = resource.first();
        let number = resource.block().number();
        for (n, output) in self.writers.outputs.iter().enumerate() {
            let Some((allocation, plane)) = output.array else { continue };
            if allocation != number {
                continue;
            }
            for lane in lanes(at.lanes) {
                let coords = access.request.coords.map(|c| c[lane]);
                let Some((place, bytes)) = access.plan.place(coords) else { continue };
                let [width, height, depth] = output.extent;
                let row = place.y
                    + height
                        * (place.z + depth * u64::from((place.layer + first).wrapping_sub(plane)));
                let thread = self.thread(at, lane as u32);
                self.writers.note(n, row * width * output.texel + place.x, bytes.into(), thread);
            }
        }
    }
}
