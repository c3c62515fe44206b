//! Thread block clusters of a launch, by its options and by the kernel's directives
//! (`__cluster_dims__`).

use crate::kernel::Kernel;
use crate::launch_error::ArgError;
use crate::launch_options::LaunchOptions;
use texunit_forms::Count;

/// Maximum size of a cluster that every kernel may have (`cudaDevAttrClusterLaunch`).
/// [`MAX_CLUSTER`] is the maximum for kernels that allow it
/// (`CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`).
pub const PORTABLE_CLUSTER: u32 = 8;
/// Maximum size of a cluster for kernels that allow nonportable sizes; see [`PORTABLE_CLUSTER`].
pub const MAX_CLUSTER: u32 = 16;

impl Kernel {
    fn directive(&self, name: &str) -> Option<&[u64]> {
        let found = self.directives().iter().find(|(other, _)| other == name);
        found.map(|(_, values)| &values[..])
    }

    /// The cluster dimensions that the kernel is compiled for (`.reqnctapercluster`).
    pub fn required_cluster(&self) -> Option<[u32; 3]> {
        let values = self.directive("reqnctapercluster")?;
        let at = |i: usize| values.get(i).map_or(1, |&n| u32::try_from(n).unwrap_or(u32::MAX));
        Some([0, 1, 2].map(at))
    }

    /// Whether the kernel must be launched with clusters (`.explicitcluster`).
    pub fn must_have_clusters(&self) -> bool {
        self.directive("explicitcluster").is_some()
    }
}

/// The cluster dimensions of a launch.
pub(crate) fn of(kernel: &Kernel, options: &LaunchOptions<'_>) -> Option<[u32; 3]> {
    options.cluster.or_else(|| kernel.required_cluster())
}

/// The grid in CTAs. A kernel with `.blocksareclusters` is launched with a grid in clusters.
pub(crate) fn grid(kernel: &Kernel, options: &LaunchOptions<'_>) -> [u32; 3] {
    match (kernel.directive("blocksareclusters"), kernel.required_cluster()) {
        (Some(_), Some(of)) => [0, 1, 2].map(|axis| options.grid[axis].saturating_mul(of[axis])),
        _ => options.grid,
    }
}

/// Checks the cluster dimensions of a launch whose grid is not empty.
pub(crate) fn check(kernel: &Kernel, options: &LaunchOptions<'_>) -> Result<(), ArgError> {
    let wrong = |why: String| Err(ArgError::Cluster(why));
    let Some(cluster) = of(kernel, options) else {
        return match kernel.must_have_clusters() {
            true => wrong("the kernel must be launched in clusters (.explicitcluster)".to_owned()),
            false => Ok(()),
        };
    };
    let [x, y, z] = cluster;
    if let Some([a, b, c]) = kernel.required_cluster().filter(|wanted| *wanted != cluster) {
        return wrong(format!(
            "the kernel requires clusters of {a} x {b} x {c} CTAs (.reqnctapercluster), not {x} x {y} x {z}"
        ));
    }
    let size = cluster.iter().fold(1_u32, |all, &n| all.saturating_mul(n));
    if size == 0 {
        return wrong(format!("a cluster of {x} x {y} x {z} CTAs is empty"));
    }
    let most = kernel.directive("maxclusterrank").and_then(|values| values.first().copied());
    let most =
        most.map_or(MAX_CLUSTER, |most| u32::try_from(most).unwrap_or(u32::MAX)).min(MAX_CLUSTER);
    if size > most {
        let size = Count(size, "CTA");
        return wrong(format!("a cluster of {x} x {y} x {z} is {size}, more than {most}"));
    }
    let grid = grid(kernel, options);
    for (axis, (ctas, of)) in ['x', 'y', 'z'].into_iter().zip(grid.into_iter().zip(cluster)) {
        if ctas % of != 0 {
            let (ctas, of) = (Count(ctas, "CTA"), format!("{of}, the side of a cluster"));
            return wrong(format!("{ctas} of the grid along {axis} are not a multiple of {of}"));
        }
    }
    Ok(())
}
