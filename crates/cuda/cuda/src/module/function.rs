//! Kernels of modules, and their attributes.

use super::*;
use texunit_cuda_abi::function_attribute as attribute;
use texunit_device::Kernel;
use texunit_link::fewest_registers;

/// A kernel of a module.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) module: Handle<Module>,
    pub(crate) context: Handle<Context>,
    /// The device's kernel.
    pub(crate) kernel: Kernel,
    /// Name as a C string.
    pub(crate) name: CString,
    /// Version and target of the PTX.
    pub(super) heading: Heading,
    /// Whether a GPU would use machine code for a later architecture instead of the PTX.
    pub(crate) has_later_code: bool,
    pub(super) device: &'static Card,
    /// Attributes that were set.
    pub(super) set: Mutex<HashMap<u32, i32>>,
    /// Whether its instructions have been added to the report.
    pub(crate) is_told: AtomicBool,
    /// State of a deprecated launch (`cuFuncSetBlockShape` and similar functions).
    pub(crate) prepared: Mutex<Prepared>,
}

object!(Function, "a function");

/// A deprecated launch, prepared call by call (`cuFuncSetBlockShape`, `cuParamSet*`).
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared {
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) params: Vec<u8>,
}

/// Maximum dynamic shared memory in bytes without opting in to more.
const DEFAULT_SHARED: i32 = 48 * 1024;

impl Function {
    /// Reported registers per thread. They are not allocated here: the number is the kernel's
    /// maximum need or `.maxnreg` (which `CU_JIT_MAX_REGISTERS` sets), limited so that its largest
    /// block can run, as an assembler ensures.
    pub(crate) fn registers(&self) -> i32 {
        let most = |name: &str| {
            let found = self.kernel.directives().iter().find(|(n, _)| n == name);
            found.and_then(|(_, values)| values.first()).copied()
        };
        let file = u64::from(65536 / self.kernel.max_threads().max(1).next_multiple_of(32));
        let fewest = u64::from(fewest_registers(self.device.capability.number()));
        let limit = file.min(most("maxnreg").unwrap_or(255)).clamp(fewest, 255);
        self.kernel.resources().registers.clamp(16, limit as u32) as i32
    }

    /// The target of the PTX and the architecture of the device, if the target is older, so that
    /// code for newer devices (`__CUDA_ARCH__`) is missing from the PTX.
    pub(crate) fn older(&self) -> Option<(u32, u32)> {
        let (target, _) = self.heading.target?;
        let device = self.device.capability.number();
        (target < device).then_some((target, device))
    }

    /// Static shared memory in bytes.
    pub(crate) fn static_shared(&self) -> i32 {
        i32::try_from(self.kernel.static_shared()).unwrap_or(i32::MAX)
    }

    /// Maximum shared memory of a block in bytes, for kernels that opt in.
    pub(crate) fn optin(&self) -> i32 {
        self.device.shared_optin * 1024
    }

    /// Maximum dynamic shared memory of a launch in bytes.
    pub(crate) fn max_dynamic_shared(&self) -> i32 {
        let set = lock(&self.set).get(&attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES).copied();
        set.unwrap_or_else(|| (DEFAULT_SHARED - self.static_shared()).max(0))
    }

    /// An attribute (`CUfunction_attribute`).
    pub(crate) fn attribute(&self, number: u32) -> Answer<i32> {
        let int = |n: u64| i32::try_from(n).unwrap_or(i32::MAX);
        let resources = self.kernel.resources();
        let capability = self.device.capability;
        Ok(match number {
            attribute::MAX_THREADS_PER_BLOCK => int(self.kernel.max_threads().into()),
            attribute::SHARED_SIZE_BYTES => self.static_shared(),
            attribute::CONST_SIZE_BYTES => int(resources.constant),
            attribute::LOCAL_SIZE_BYTES => int(resources.local.into()),
            attribute::NUM_REGS => self.registers(),
            attribute::PTX_VERSION => match self.heading.target {
                Some((target, _)) => int(target.into()),
                None => 0,
            },
            attribute::BINARY_VERSION => int(capability.number().into()),
            attribute::CACHE_MODE_CA => 0,
            attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES => self.max_dynamic_shared(),
            attribute::PREFERRED_SHARED_MEMORY_CARVEOUT => {
                lock(&self.set).get(&number).copied().unwrap_or(-1)
            }
            attribute::CLUSTER_SIZE_MUST_BE_SET => i32::from(self.kernel.must_have_clusters()),
            attribute::REQUIRED_CLUSTER_WIDTH..=attribute::REQUIRED_CLUSTER_DEPTH => {
                let axis = (number - attribute::REQUIRED_CLUSTER_WIDTH) as usize;
                int(self.required_cluster().map_or(0, |of| of[axis].into()))
            }
            attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            | attribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                lock(&self.set).get(&number).copied().unwrap_or(0)
            }
            _ => bail!("attrib {number} is not a CUfunction_attribute that texunit has"),
        })
    }

    /// CTAs of a cluster along x, y, z that the kernel was compiled for, or that an attribute sets.
    pub(crate) fn required_cluster(&self) -> Option<[u32; 3]> {
        self.kernel.required_cluster().or_else(|| {
            let set = lock(&self.set);
            let of = [0, 1, 2].map(|axis| set.get(&(attribute::REQUIRED_CLUSTER_WIDTH + axis)));
            let of = of.map(|n| n.map_or(0, |&n| n.unsigned_abs()));
            (of != [0; 3]).then_some(of)
        })
    }

    /// Maximum cluster size of the kernel on its device, with `non_portable` sizes if it allows
    /// them.
    pub(crate) fn most_in_cluster(&self, non_portable: bool) -> i32 {
        let most = match (self.device.capability.major, non_portable) {
            (..9, _) => 1,
            (_, true) => texunit_device::MAX_CLUSTER,
            (_, false) => texunit_device::PORTABLE_CLUSTER,
        };
        most as i32
    }

    /// Whether the kernel allows cluster sizes that not every device supports.
    pub(crate) fn takes_non_portable(&self) -> bool {
        lock(&self.set).get(&attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED).is_some_and(|&n| n != 0)
    }

    /// Sets an attribute, if it is settable.
    pub(crate) fn set_attribute(&self, number: u32, value: i32) -> Answer {
        let (name, fine) = match number {
            attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                ("MAX_DYNAMIC_SHARED_SIZE_BYTES", 0..=self.optin() - self.static_shared())
            }
            attribute::PREFERRED_SHARED_MEMORY_CARVEOUT => {
                ("PREFERRED_SHARED_MEMORY_CARVEOUT", -1..=100)
            }
            attribute::REQUIRED_CLUSTER_WIDTH..=attribute::REQUIRED_CLUSTER_DEPTH => {
                ensure!(
                    self.kernel.required_cluster().is_none(),
                    CUresult::NOT_PERMITTED,
                    "kernel `{}` has been compiled for clusters of a size (.reqnctapercluster), which cannot be set",
                    kernel_name(self)
                );
                ("REQUIRED_CLUSTER_WIDTH, _HEIGHT or _DEPTH", 0..=self.most_in_cluster(true))
            }
            attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED => {
                ("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 0..=1)
            }
            attribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                ("CLUSTER_SCHEDULING_POLICY_PREFERENCE", 0..=2)
            }
            _ => bail!("attrib {number} is not a CUfunction_attribute that can be set"),
        };
        ensure!(
            fine.contains(&value),
            "value {value} of CU_FUNC_ATTRIBUTE_{name} is not from {} to {}, the values that kernel `{}` can have on \
             this device",
            fine.start(),
            fine.end(),
            kernel_name(self)
        );
        lock(&self.set).insert(number, value);
        Ok(())
    }

    /// Offset and size of a parameter; `CUDA_ERROR_INVALID_VALUE` if the index is out of range.
    pub(crate) fn parameter(&self, index: usize) -> Answer<(usize, usize)> {
        let params = self.kernel.params();
        let param = params.get(index).ok_or_else(|| {
            invalid!(
                "paramIndex {index}: kernel `{}` has {}, numbered from 0",
                kernel_name(self),
                Count(params.len(), "parameter")
            )
        })?;
        Ok((param.offset as usize, param.size as usize))
    }
}
