//! Splits of multiprocessors (`cuDevSmResourceSplitByCount`, `cuDevSmResourceSplit`). A part has a
//! number of multiprocessors, which are not assigned individually.

use super::*;

/// `CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID`, `..._SUPPLEMENTAL_SMS`
const LOCALITY: u32 = 6;
/// Alignment of parts that need not hold a cluster.
const ALONE: u32 = 2;
/// Maximum number of multiprocessors for one cluster, from compute capability 9.0.
const MAX_COSCHEDULED: u32 = 32;

/// The parts of a split, and the remainder (an invalid resource if it is empty).
pub(crate) struct Split {
    pub(crate) parts: Vec<CUdevResource>,
    pub(crate) rest: CUdevResource,
}

/// Resource to split.
struct Input {
    sm: CUdevSmResource,
    /// Origin of the parts.
    parts: Origin,
}

impl Input {
    fn of(resource: &CUdevResource) -> Answer<Self> {
        static SPLITS: AtomicU32 = AtomicU32::new(1);
        let origin = Origin::of(resource)?;
        let sm = resource.sms().ok_or_else(|| {
            super::wrong_type(resource.r#type, "input is not of multiprocessors (1)")
        })?;
        if origin.split != 0 {
            return Err(invalid(
                "input is a part of a split: it can be split again as a resource of a green context that was made of it"
                    .to_owned(),
            ));
        }
        Ok(Self { sm, parts: Origin { split: SPLITS.fetch_add(1, Relaxed), ..origin } })
    }

    fn part(&self, count: u32, alignment: u32, flags: u32) -> CUdevResource {
        let sm =
            CUdevSmResource { smCount: count, smCoscheduledAlignment: alignment, flags, ..self.sm };
        CUdevResource::of_sms(sm, self.parts.words())
    }

    fn rest(&self, count: u32, alignment: u32) -> CUdevResource {
        if count == 0 { CUdevResource::default() } else { self.part(count, alignment, 0) }
    }
}

fn invalid(why: String) -> Refusal {
    CUresult::INVALID_RESOURCE_CONFIGURATION.because(why)
}

/// Splits into parts of equal size: at most `most` parts, each of at least `least` multiprocessors.
pub(crate) fn by_count(
    input: &CUdevResource,
    most: u32,
    (flags, least): (u32, u32),
) -> Answer<Split> {
    ensure!(
        flags
            & !(CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING
                | CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE)
            == 0,
        "flags {flags:#x} has bits that are not CUdevSmResourceSplitByCount_flags (3)"
    );
    let input = Input::of(input)?;
    let all = input.sm.smCount;
    ensure!(
        least <= all,
        "minCount {least} is more than the {} of input",
        Count(all, "multiprocessor")
    );
    let (fewest, alignment) = match flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING {
        0 => (input.sm.minSmPartitionSize, input.sm.smCoscheduledAlignment),
        _ => (input.sm.minSmPartitionSize.min(ALONE), input.sm.smCoscheduledAlignment.min(ALONE)),
    };
    let size = least.max(fewest).next_multiple_of(alignment.max(1));
    let count = most.min(all / size.max(1));
    if count == 0 {
        return Err(invalid(format!(
            "a part of {size} is more than the {} of input",
            Count(all, "multiprocessor")
        )));
    }
    Ok(Split {
        parts: vec![input.part(size, alignment, 0); count as usize],
        rest: input.rest(all - count * size, alignment),
    })
}

/// Splits multiprocessors into one part for each group; a requested number of 0 becomes the number
/// that is left. With `makes`, a part without multiprocessors is an error.
pub(crate) fn by_groups(
    input: &CUdevResource,
    groups: &mut [CU_DEV_SM_RESOURCE_GROUP_PARAMS],
    makes: bool,
) -> Answer<Split> {
    let input = Input::of(input)?;
    let (mut left, mut parts) = (input.sm.smCount, Vec::new());
    let default = input.sm.smCoscheduledAlignment;
    let most = if default > ALONE { MAX_COSCHEDULED } else { ALONE };
    for (i, group) in groups.iter_mut().enumerate() {
        let wrong = |why: String| Err(invalid(format!("groupParams[{i}]: {why}")));
        ensure!(
            group.reserved == [0; 11]
                && group.flags & !(CU_DEV_SM_RESOURCE_GROUP_BACKFILL | LOCALITY) == 0,
            "groupParams[{i}] has flags {:#x} or reserved words that are not 0",
            group.flags
        );
        if group.flags & LOCALITY != 0 {
            return wrong("the device has no locality domains".to_owned());
        }
        let together = match group.coscheduledSmCount {
            0 => default,
            n if n <= most && (n == 1 || n.is_multiple_of(2)) => n,
            n => {
                return wrong(format!("coscheduledSmCount {n} is not an even number up to {most}"));
            }
        };
        let backfills = group.flags & CU_DEV_SM_RESOURCE_GROUP_BACKFILL != 0;
        let count = match group.smCount {
            0 if backfills => left,
            0 => left - left % together,
            n if n > left => {
                return wrong(format!(
                    "smCount {n} is more than the {} that are left",
                    Count(left, "multiprocessor")
                ));
            }
            n if !n.is_multiple_of(ALONE.min(default)) => {
                return wrong(format!("smCount {n} is not a multiple of {}", ALONE.min(default)));
            }
            n if !backfills && !n.is_multiple_of(together) => {
                return wrong(format!(
                    "smCount {n} is not a multiple of coscheduledSmCount {together}"
                ));
            }
            n => n,
        };
        if makes && count < together.max(1) {
            return wrong(format!(
                "the part would have {}, less than the {together} of coscheduledSmCount",
                Count(count, "multiprocessor")
            ));
        }
        group.smCount = count;
        left -= count;
        parts.push(input.part(count, together, group.flags));
    }
    Ok(Split { rest: input.rest(left, default), parts })
}
