//! Green contexts: contexts with some of the multiprocessors of a device.
//!
//! A kernel in a green context runs on all host threads, as any kernel does: a program could tell
//! the multiprocessor of a CTA only by `%smid`. Implemented are the visible effects: splits of
//! resources, the resources of a context and its streams, and the limit of a cooperative grid to
//! what the context's multiprocessors hold.
//!
//! The `CUcontext` of a green context (`cuCtxFromGreenCtx`) is an additional handle of the primary
//! context in its registry.

use crate::context::Context;
use crate::prelude::*;
use crate::state::Gpu;

pub(crate) mod split;

#[derive(Debug)]
pub(crate) struct GreenContext {
    /// The primary context of its device.
    pub(crate) primary: Handle<Context>,
    /// Handle of the primary context that represents the green context (`cuCtxFromGreenCtx`).
    pub(crate) alias: Handle<Context>,
    /// Number returned by `cuGreenCtxGetId`.
    pub(crate) id: u64,
    pub(crate) gpu: Arc<Gpu>,
    resources: Vec<CUdevResource>,
}

object!(GreenContext, "a green context", INVALID_CONTEXT);

/// A resource descriptor (`cuDevResourceGenerateDesc`), from which green contexts are created. It
/// is never freed, as in CUDA.
#[derive(Debug)]
pub(crate) struct Descriptor {
    pub(crate) device: u32,
    resources: Vec<CUdevResource>,
}

object!(Descriptor, "a resource descriptor", INVALID_VALUE);

/// The private part of a `CUdevResource`, by which resources forged by a program are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) device: u32,
    /// Number of the split that created the resource; 0 for a resource that was not split off, and
    /// that can be split.
    pub(crate) split: u32,
}

impl Origin {
    const MARK: u32 = 0x7e58_9e11;

    fn of_device(gpu: &Gpu) -> Self {
        Self { device: gpu.ordinal.unsigned_abs(), split: 0 }
    }

    pub(crate) fn words(self) -> [u32; 23] {
        let mut words = [0; 23];
        words[..3].copy_from_slice(&[Self::MARK, self.device, self.split]);
        words
    }

    /// `CUDA_ERROR_INVALID_RESOURCE_TYPE` for a resource that no call has given out.
    pub(crate) fn of(resource: &CUdevResource) -> Answer<Self> {
        match resource.internal {
            [Self::MARK, device, split, ..] => Ok(Self { device, split }),
            _ => Err(CUresult::INVALID_RESOURCE_TYPE.because(format!(
                "a resource of type {} is not one that cuDeviceGetDevResource, cuCtxGetDevResource, cuGreenCtxGetDevResource or \
                 a split has given out",
                resource.r#type
            ))),
        }
    }
}

/// Minimum number of multiprocessors of a part, and the alignment of sizes, by compute capability
/// (CUDA driver API, "Green Contexts").
fn granularity(gpu: &Gpu) -> (u32, u32) {
    match gpu.card.capability.major {
        ..7 => (1, 1),
        7 => (2, 2),
        8 => (4, 2),
        _ => (8, 8),
    }
}

/// The multiprocessors of a device.
fn multiprocessors_of(gpu: &Gpu) -> CUdevResource {
    let (least, alignment) = granularity(gpu);
    let sm = CUdevSmResource {
        smCount: gpu.card.multiprocessors.unsigned_abs(),
        minSmPartitionSize: least,
        smCoscheduledAlignment: alignment,
        flags: 0,
        localityDomainId: 0,
    };
    CUdevResource::of_sms(sm, Origin::of_device(gpu).words())
}

/// A resource of a whole device. Its work queues are those of no context, number 0.
pub(crate) fn of_device(gpu: &Gpu, kind: u32) -> Answer<CUdevResource> {
    let origin = Origin::of_device(gpu);
    match kind {
        CU_DEV_RESOURCE_TYPE_SM => Ok(multiprocessors_of(gpu)),
        CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG => {
            let mut value = [0; 10];
            value[..2].copy_from_slice(&[origin.device, connections()]);
            Ok(CUdevResource { r#type: kind, internal: origin.words(), value, nextResource: 0 })
        }
        CU_DEV_RESOURCE_TYPE_WORKQUEUE => Ok(workqueues(gpu, 0)),
        _ => Err(wrong_type(
            kind,
            "a device has multiprocessors (1), a workqueue configuration (1000), workqueues (10000)",
        )),
    }
}

/// The work queues of a device's context; `number` tells contexts apart.
fn workqueues(gpu: &Gpu, number: u32) -> CUdevResource {
    let mut value = [0; 10];
    value[0] = number;
    let internal = Origin::of_device(gpu).words();
    CUdevResource { r#type: CU_DEV_RESOURCE_TYPE_WORKQUEUE, internal, value, nextResource: 0 }
}

/// A resource of a context: one of its device, or its work queues.
fn of_context(gpu: &Gpu, kind: u32, context: Handle<Context>) -> Answer<CUdevResource> {
    match kind {
        CU_DEV_RESOURCE_TYPE_WORKQUEUE => Ok(workqueues(gpu, context.number() as u32)),
        _ => of_device(gpu, kind),
    }
}

pub(crate) fn wrong_type(kind: u32, there_are: &str) -> texunit_cuda_abi::Refusal {
    CUresult::INVALID_RESOURCE_TYPE.because(format!("type {kind}: {there_are}"))
}

/// Work queues of a device, as many as `CUDA_DEVICE_MAX_CONNECTIONS` says; 8 by default.
fn connections() -> u32 {
    let asked = std::env::var("CUDA_DEVICE_MAX_CONNECTIONS").ok();
    asked.and_then(|n| n.parse::<u32>().ok()).filter(|n| (1..=32).contains(n)).unwrap_or(8)
}

/// Creates a descriptor. All resources are of one device, and all multiprocessor resources come
/// from one split.
pub(crate) fn describe(resources: &[CUdevResource]) -> Answer<Handle<Descriptor>> {
    let wrong = |why: String| Err(CUresult::INVALID_RESOURCE_CONFIGURATION.because(why));
    let [first, ..] = resources else {
        bail!("nbResources is 0");
    };
    let device = Origin::of(first)?.device;
    let mut parts: Option<(u32, CUdevSmResource)> = None;
    for (i, resource) in resources.iter().enumerate() {
        let origin = Origin::of(resource)?;
        if origin.device != device {
            return wrong(format!(
                "resources[{i}] is of device {}, and resources[0] of device {device}",
                origin.device
            ));
        }
        let sm = match (resource.r#type, resource.sms()) {
            (_, Some(sm)) => sm,
            (CU_DEV_RESOURCE_TYPE_WORKQUEUE | CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG, _) => continue,
            (kind, None) => {
                let there_are = "a descriptor is made of multiprocessors and workqueues";
                return Err(wrong_type(kind, there_are));
            }
        };
        if sm.smCount == 0 {
            return wrong(format!("resources[{i}] has no multiprocessors"));
        }
        match &parts {
            None => parts = Some((origin.split, sm)),
            Some((split, _)) if *split != origin.split || origin.split == 0 => {
                return wrong(format!(
                    "resources[{i}] and the multiprocessors before it are not parts of one split"
                ));
            }
            Some((_, other))
                if (sm.smCoscheduledAlignment, sm.localityDomainId)
                    != (other.smCoscheduledAlignment, other.localityDomainId) =>
            {
                return wrong(format!(
                    "resources[{i}] has smCoscheduledAlignment {}, and the multiprocessors before it {}",
                    sm.smCoscheduledAlignment, other.smCoscheduledAlignment
                ));
            }
            Some(_) => {}
        }
    }
    Ok(Descriptor::registry().insert(Descriptor { device, resources: resources.to_vec() }))
}

impl GreenContext {
    /// A green context of a device, with its primary context and the handle that represents it.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        (primary, alias): (Handle<Context>, Handle<Context>),
        descriptor: &Descriptor,
    ) -> Self {
        static IDS: AtomicU64 = AtomicU64::new(1);
        let (id, gpu) = (IDS.fetch_add(1, Relaxed), Arc::clone(gpu));
        Self { primary, alias, id, gpu, resources: descriptor.resources.clone() }
    }

    /// Multiprocessors of the context: those of its descriptor, or all of the device.
    pub(crate) fn multiprocessors(&self) -> u32 {
        let own: u32 =
            self.resources.iter().filter_map(CUdevResource::sms).map(|sm| sm.smCount).sum();
        if own == 0 { self.gpu.card.multiprocessors.unsigned_abs() } else { own }
    }

    /// A resource of the context. Its multiprocessors can be split again.
    pub(crate) fn resource(&self, kind: u32) -> Answer<CUdevResource> {
        let own = self.resources.iter().find(|resource| resource.r#type == kind);
        match (kind, own) {
            (CU_DEV_RESOURCE_TYPE_INVALID, _) | (_, None) => {
                of_context(&self.gpu, kind, self.alias)
            }
            (CU_DEV_RESOURCE_TYPE_SM, Some(first)) => {
                let mut resource = *first;
                resource.internal = Origin::of_device(&self.gpu).words();
                resource.value[0] = self.multiprocessors();
                Ok(resource)
            }
            (_, Some(own)) => Ok(*own),
        }
    }
}

/// The green context that a context handle represents; null if it represents none.
pub(crate) fn find(context: Handle<Context>) -> Handle<GreenContext> {
    let all = GreenContext::registry().all_with_handles(|green| green.alias == context);
    all.first().map_or(Handle::NULL, |&(number, _)| Handle::of(number))
}

/// A resource of a green context, or of a context that has none.
pub(crate) fn resource(
    green: Handle<GreenContext>,
    context: &Context,
    kind: u32,
) -> Answer<CUdevResource> {
    match green.is_null() {
        true => of_context(&context.gpu, kind, context.handle),
        false => green.get()?.resource(kind),
    }
}

/// Destroys the green contexts of a primary context.
pub(crate) fn release_context(context: &Context) {
    for green in GreenContext::registry().remove_all(|green| green.primary == context.handle) {
        Context::registry().remove(green.alias);
    }
}
