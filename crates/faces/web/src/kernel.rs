//! Runs the kernel of a job, a range of CTAs at a time, and explains the fetches of one of its
//! threads.

use crate::access::texture;
use crate::picture;
use crate::refusal::{BytesResult, MethodResult, Refusal};
use crate::session::{Run, Session};
use crate::writers::Writers;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use texunit_device::{
    CtaRange, Device, DeviceOptions, Diagnostic, Kernel, LaunchError, LaunchStats, Module,
    Observer, SourceFile, Watch, Watched, WatchedAccess, observe::Several,
};
use texunit_explain::{Explanation, SurfaceExplanation};
use texunit_files::MemoryFiles;
use texunit_job::load::{self, read_job, read_ptx, wrong_shape};
use texunit_job::{Bound, InText, Job, Problem, Problems, bind};
use texunit_report::{Host, Located, Object, fault_diagnostic};
use texunit_texel::Format;

/// The folder of the job's virtual files.
const FOLDER: &str = "examples/example";

/// Number of instructions after which a warp counts as looping forever. It is lower than on the
/// command line, because users wait less long for a page.
const MAX_STEPS: u64 = 20_000_000;
/// Maximum size in bytes of a kernel's memory.
const MEMORY: u64 = 512 << 20;
/// Maximum number of accesses of a thread that are explained.
const MAX_ACCESSES: usize = 100;

/// Parameters of the method `hold`: the path of a file relative to the job's folder; `fresh`
/// removes earlier files.
#[derive(Debug, Deserialize)]
pub(crate) struct Hold {
    name: String,
    fresh: bool,
}

/// The method `hold`: keeps a file that the job names, such as an image, in memory.
pub(crate) fn hold(
    session: &mut Session,
    Hold { name, fresh }: Hold,
    bytes: Vec<u8>,
) -> MethodResult {
    if fresh {
        session.files = MemoryFiles::default();
        session.run = None;
    }
    session.files.hold(Path::new(FOLDER).join(name), bytes);
    Ok(json!({}))
}

/// Parameters of the method `start`: the texts of the job and the PTX.
#[derive(Debug, Deserialize)]
pub(crate) struct Start {
    job: String,
    ptx: String,
}

/// Problems of the job as JSON.
fn of_job(source: &SourceFile, problems: &[Problem]) -> Vec<Value> {
    let one = |p: &Problem| diagnostic("job", Some(Located::from(source)), &p.diagnostic());
    problems.iter().map(one).collect()
}

/// The method `start`: loads the job and the PTX, and creates the job's objects.
pub(crate) fn start(session: &mut Session, Start { job, ptx }: &Start) -> MethodResult {
    session.run = None;
    session.subjects.clear();
    let mut held = MemoryFiles::new();
    let path = Path::new(FOLDER).join("job.toml");
    held.hold(&path, job.as_bytes());
    match prepare(&path, &mut held, ptx) {
        Err(problems) => Ok(json!({ "problems": problems })),
        Ok((run, warnings)) => {
            let outputs = run.bound.outputs();
            let answer = json!({
                "kernel": run.kernel.name(),
                "grid": run.job.grid.value,
                "block": run.job.block.value,
                "ctas": run.total,
                "cooperative": run.job.cooperative,
                "outputs": outputs.iter().map(|output| json!({
                    "param": output.param,
                    "file": output.file.display().to_string(),
                    "format": output.texels.map(|(format, _)| format.name()),
                    "extent": output.texels.map(|(_, extent)| extent),
                    "bytes": output.size,
                })).collect::<Vec<_>>(),
                "warnings": warnings,
            });
            session.run = Some(run);
            Ok(answer)
        }
    }
}

/// The kernel of a job, and warnings; or the problems that prevent it from starting.
fn prepare(
    path: &Path,
    held: &mut MemoryFiles,
    ptx: &str,
) -> Result<(Run, Vec<Value>), Vec<Value>> {
    let read = read_job(path)
        .map_err(|e| vec![json!({ "file": "job", "severity": "error", "message": e.message })])?;
    let source = read.source;
    let job = read.job.filter(|_| read.problems.is_empty());
    let job = job.ok_or_else(|| of_job(&source, &read.problems))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    held.hold(folder.join(&job.ptx.value), ptx.as_bytes());
    let (name, text) = read_ptx(&job, folder).map_err(|p| of_job(&source, &[p]))?;
    let device = Device::new(
        &DeviceOptions::default()
            .with_architecture(job.settings.arch.unwrap_or(DeviceOptions::default().architecture))
            .with_memory_limit(job.settings.memory_limit.unwrap_or(MEMORY).min(MEMORY)),
    );
    let module = Module::load_at(&device, &name, &text, &load::places(&job)).map_err(|error| {
        let located = Located { text: &error.source, sources: Some(&error.sources) };
        error.diagnostics.iter().map(|d| diagnostic("ptx", Some(located), d)).collect::<Vec<_>>()
    })?;
    let kernel = load::kernel(&job, &module).map_err(|p| of_job(&source, &[p]))?;
    let located = Located { text: module.source(), sources: Some(module.sources()) };
    let unsupported = kernel.unsupported();
    if !unsupported.is_empty() {
        return Err(unsupported.iter().map(|d| diagnostic("ptx", Some(located), d)).collect());
    }
    let bound = bound(&job, folder, &device, &kernel).map_err(|found| of_job(&source, &found))?;
    let mut warnings = of_job(&source, &job.notes);
    warnings.extend(module.warnings().iter().map(|d| diagnostic("ptx", Some(located), d)));
    let warning = |text| json!({ "file": "job", "severity": "warning", "message": text });
    warnings.extend(bound.warnings.iter().map(warning));
    let writers = Arc::new(Writers::new(&bound.outputs()));
    let total = CtaRange::of_grid(job.grid.value).len();
    Ok((Run { job, job_source: source, kernel, device, bound, writers, total, done: 0 }, warnings))
}

fn bound(
    job: &Job,
    folder: &Path,
    device: &Device,
    kernel: &Kernel,
) -> Result<Bound, Vec<Problem>> {
    let problems = Problems::default();
    let bound = bind(job, folder, device, kernel, &problems);
    let mut problems = problems.take();
    problems.sort_by_key(|p| p.span.start);
    if problems.is_empty() { Ok(bound) } else { Err(problems) }
}

/// A diagnostic as JSON, with the name of its file.
fn diagnostic(file: &str, located: Option<Located<'_>>, found: &Diagnostic) -> Value {
    let mut value = serde_json::to_value(Object::new(located, found)).unwrap_or_default();
    value["file"] = file.into();
    value
}

/// Parameters of the method `run`: the number of further CTAs to run.
#[derive(Debug, Deserialize)]
pub(crate) struct More {
    ctas: u64,
}

/// The method `run`: runs further CTAs. A cooperative launch, or a launch with clusters, runs
/// completely.
pub(crate) fn run(session: &mut Session, More { ctas }: &More) -> MethodResult {
    let run = session.run.as_mut().ok_or_else(not_started)?;
    let is_whole =
        run.job.cooperative || run.job.cluster.is_some() || run.kernel.required_cluster().is_some();
    let end = if is_whole { run.total } else { run.total.min(run.done.saturating_add(*ctas)) };
    let range = CtaRange { begin: run.done, end };
    let writers = Arc::clone(&run.writers);
    let outcome = run.launch(&run.bound, range, &*writers);
    run.done = end;
    let module = run.kernel.module();
    let located = Located { text: module.source(), sources: Some(module.sources()) };
    let (stats, problem) = match outcome {
        Ok(stats) => (Some(stats), None),
        Err(LaunchError::Fault(mut fault)) => {
            let found = diagnostic("ptx", Some(located), &fault_diagnostic(&fault, Host::Job));
            let [cta, block, tid] =
                [fault.cta, run.job.block.value, fault.thread].map(|of| of.map(u64::from));
            let thread = [0, 1, 2].map(|n| cta[n] * block[n] + tid[n]);
            let problem = json!({ "problems": [found], "thread": thread });
            (Some(std::mem::take(&mut fault.stats)), Some(problem))
        }
        Err(LaunchError::Unsupported(list)) => {
            let all: Vec<Value> =
                list.iter().map(|d| diagnostic("ptx", Some(located), d)).collect();
            (None, Some(json!({ "problems": all })))
        }
        Err(LaunchError::Args(error)) => {
            let problems = of_job(&run.job_source, &[wrong_shape(&run.job, &error)]);
            (None, Some(json!({ "problems": problems })))
        }
    };
    let stats = stats.map(|stats| {
        json!({
            "warp_instructions": stats.warp_instructions,
            "thread_instructions": stats.thread_instructions,
            "fetches": stats.fetches,
            "surface_accesses": stats.surface_accesses,
            "printf": String::from_utf8_lossy(&stats.printf),
        })
    });
    Ok(json!({ "done": end, "total": run.total, "stats": stats, "fault": problem }))
}

fn not_started() -> Refusal {
    Refusal::new("no kernel has been started")
}

impl Run {
    fn launch(
        &self,
        bound: &Bound,
        ctas: CtaRange,
        observer: &dyn Observer,
    ) -> Result<LaunchStats, LaunchError> {
        let Some(values) = bound.args() else { return Ok(LaunchStats::default()) };
        let options = load::launch_options(&self.job)
            .with_ctas(ctas)
            .with_threads(1)
            .with_max_steps(self.job.settings.max_steps.unwrap_or(MAX_STEPS).min(MAX_STEPS))
            .with_printf_limit(64 << 10)
            .with_observer(Some(observer));
        self.kernel.launch(&options, &values)
    }

    /// The coordinates of a thread in the grid, `%ctaid * %ntid + %tid` for each axis, given its
    /// number.
    fn thread(&self, number: u64) -> [u32; 3] {
        let (grid, block) =
            (self.job.grid.value.map(u64::from), self.job.block.value.map(u64::from));
        let threads: u64 = block.iter().product();
        let (cta, tid) = (number / threads.max(1), number % threads.max(1));
        let split = |n: u64, of: [u64; 3]| [n % of[0], n / of[0] % of[1], n / of[0] / of[1]];
        let (cta, tid) = (split(cta, grid), split(tid, block));
        std::array::from_fn(|n| (cta[n] * block[n] + tid[n]) as u32)
    }
}

/// Parameters of the method `output`: an output of the job, and what to return of it.
#[derive(Debug, Deserialize)]
pub(crate) struct WhichOutput {
    output: usize,
    /// The slice of the output along z.
    z: u32,
    /// Whether to return the output file instead of the colours of a slice.
    file: bool,
}

/// The method `output`: returns the current contents of an output, as colours (RGBA) or as the file
/// that the job would write.
pub(crate) fn output(session: &mut Session, asked: &WhichOutput) -> BytesResult {
    let outputs = session.run.as_ref().ok_or_else(not_started)?.bound.outputs();
    let output =
        outputs.get(asked.output).ok_or_else(|| Refusal::new("there is no such output"))?;
    if asked.file {
        let bytes = output.file_bytes().map_err(Refusal::new)?;
        return Ok((json!({ "name": output.file.display().to_string() }), bytes));
    }
    let bytes = output.bytes().map_err(Refusal::new)?;
    let (format, extent) = match output.texels {
        Some(texels) => texels,
        // An output without a format is shown as raw bytes in rows.
        None => {
            let size = bytes.len() as u32;
            let extent = [size.clamp(1, 256), size.div_ceil(256).max(1), 1];
            ("u8".parse::<Format>().map_err(Refusal::new)?, extent)
        }
    };
    let seen = picture::of_bytes(format, extent, &bytes, asked.z)?;
    Ok((seen.json, seen.bytes))
}

/// Parameters of the method `pixel`: a texel of an output.
#[derive(Debug, Deserialize)]
pub(crate) struct Pixel {
    output: usize,
    at: [u64; 3],
}

/// The method `pixel`: returns the thread that has written a texel, and the thread's fetches in
/// order.
pub(crate) fn pixel(session: &mut Session, Pixel { output, at }: &Pixel) -> MethodResult {
    let run = session.run.as_ref().ok_or_else(not_started)?;
    let Some(number) = run.writers.of(*output, *at) else {
        return Ok(json!({ "thread": null, "accesses": [], "more": 0 }));
    };
    let thread = run.thread(number);
    let path = Path::new(FOLDER);
    // The job's objects are created again, because the kernel may have changed its inputs. A
    // cooperative launch, or a launch whose CTAs wait for each other, is repeated completely.
    let fresh = bound(&run.job, path, &run.device, &run.kernel);
    let fresh = fresh.map_err(|found| {
        Refusal::new(found.first().map_or_else(String::new, |p| p.message.clone()))
    })?;
    let threads: u64 = run.job.block.value.iter().map(|&n| u64::from(n)).product();
    let cta = number / threads.max(1);
    let watch = Watch::new(thread);
    let observer = Several(vec![&watch as &dyn Observer]);
    let ended = run.launch(&fresh, CtaRange { begin: cta, end: cta + 1 }, &observer);
    let (mut accesses, mut more) = watch.take();
    more += accesses.len().saturating_sub(MAX_ACCESSES) as u64;
    accesses.truncate(MAX_ACCESSES);
    let module = run.kernel.module();
    let located = Located { text: module.source(), sources: Some(module.sources()) };
    let mut subjects = Vec::new();
    let list: Vec<Value> =
        accesses.iter().map(|access| explained(access, located, &mut subjects)).collect();
    session.subjects = subjects;
    Ok(json!({
        "thread": thread,
        "cta": cta,
        "accesses": list,
        "more": more,
        "fault": ended.is_err(),
    }))
}

/// The explanation of a thread's access, with its source line.
fn explained(
    access: &WatchedAccess,
    located: Located<'_>,
    subjects: &mut Vec<Arc<texunit_unit::Texture>>,
) -> Value {
    let place = located.place_of(access.span);
    let (line, text) = (place.ptx.line, place.ptx.text.trim().to_owned());
    let source =
        place.frames.first().map(|frame| json!({ "file": frame.file, "line": frame.line }));
    let what = match &access.what {
        Watched::Fetch(f) => {
            Explanation::new(f.form, &f.texture, &f.sampler, &f.operands).map(|explanation| {
                let explanation = explanation.with_launch(f.values, f.resident);
                subjects.push(Arc::clone(&f.texture));
                json!({
                    "kind": "fetch",
                    "subject": subjects.len() - 1,
                    "texture": texture(&f.texture),
                    "explanation": explanation.json(),
                })
            })
        }
        Watched::Surface(s) => {
            SurfaceExplanation::of_made(s.form, &s.surface, s.coords, s.outcome.clone())
                .map(|explanation| json!({ "kind": "surface", "explanation": explanation.json() }))
        }
    };
    let what = what.unwrap_or_else(|error| json!({ "kind": "none", "error": error.to_string() }));
    json!({ "line": line, "text": text, "source": source, "what": what })
}
