//! Kinds of faults of a running kernel, and their messages.

use texunit_forms::Count;
use texunit_memory::{End, FreedBlock, SpaceKind};
use texunit_unit::{GeometryError, PlanError};

/// Description of an object that a fault concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Name, size and address; for an allocation also its number.
    pub text: String,
    /// Number of the allocation ([`texunit_memory::Block::number`]), if the object is one.
    pub allocation: Option<u64>,
}

impl std::ops::Deref for Described {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Display for Described {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T: Into<String>> From<T> for Described {
    /// Describes an object that is not an allocation.
    fn from(text: T) -> Self {
        Self { text: text.into(), allocation: None }
    }
}

/// Reason why a handle is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BadHandle {
    /// The handle was never created, or nothing was bound to the reference.
    Unknown,
    /// The object of the handle was destroyed.
    Destroyed,
    /// A surface handle was used as a texture handle.
    Surface,
    /// The handle refers to an object of another kind.
    Other,
}

/// Kinds of faults. Each is formatted as one sentence without a final full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// A load, store or atomic outside every allocation, variable, stack frame or parameter.
    #[error("{}, {}", Self::access(access, *space, *address, *size), out_of_bounds(nearest))]
    OutOfBounds {
        /// Kind of the access: `load`, `store` or `atomic`.
        access: &'static str,
        /// State space of the access.
        space: SpaceKind,
        /// Address in that space (generic address for global).
        address: u64,
        /// Bytes accessed.
        size: u32,
        /// The nearest object, with its size.
        nearest: Described,
        /// Whether the address is within the rounding of an allocation's size, so that a GPU would
        /// not detect it ([`crate::Bounds::Hardware`]).
        unnoticed: bool,
    },
    /// A use of memory that was freed, destroyed or unregistered before the launch.
    #[error("{user}: {memory}")]
    Freed {
        /// The user: an access, or a texture or surface bound to the memory.
        user: String,
        /// The memory, with its allocation number and size, and how it was released.
        memory: Described,
    },
    /// A use of memory or reserved addresses that exist but are not accessible to this device.
    #[error("{user}: {memory}")]
    Unreachable {
        /// The user of the memory, as in [`Self::Freed`].
        user: String,
        /// The memory or reservation, with its number and size, and the reason.
        memory: Described,
        /// The reason as a value for which [`End::still_exists`] holds.
        how: End,
    },
    /// An address that is not a multiple of the access size.
    #[error(
        "{}, which is not a multiple of {size}{}",
        Self::access(access, *space, *address, *size),
        lies_in(resource)
    )]
    Misaligned {
        /// Kind of the access: `load`, `store` or `atomic`.
        access: &'static str,
        /// State space of the access.
        space: SpaceKind,
        /// Address of the access.
        address: u64,
        /// Bytes accessed, which is the required alignment.
        size: u32,
        /// The object that contains the address, with its size, if there is one.
        resource: Option<Described>,
    },
    /// A store or atomic to constant memory, to parameters, or to read-only memory of the program.
    #[error("store to read-only {} address {address:#x}{}", space.name(), lies_in(resource))]
    ReadOnly {
        /// State space of the access.
        space: SpaceKind,
        /// Address of the access.
        address: u64,
        /// The object that contains the address in global memory, with its size.
        resource: Option<Described>,
    },
    /// A surface access that is out of bounds or misaligned; the message names coordinate, surface
    /// and size.
    #[error("{0}")]
    Surface(String),
    /// A handle that was never created, was destroyed or is of another kind.
    #[error("{handle:#018x} is not a {wanted} handle: {why}")]
    Handle {
        /// The 64-bit value used as a handle.
        handle: u64,
        /// The required kind: `texture`, `sampler` or `surface`.
        wanted: &'static str,
        /// Reason why the handle is invalid.
        is: BadHandle,
        /// The reason in words.
        why: String,
    },
    /// A fetch whose form is incompatible with its texture.
    #[error("{0}")]
    Texture(String),
    /// A fetch with `.f32` coordinates from linear memory.
    #[error("{}", PlanError::Floats { resource: resource.clone() })]
    Floats {
        /// Description of the texture.
        resource: String,
    },
    /// A fetch or surface access whose geometry is incompatible with its texture or surface.
    #[error("{error}")]
    Geometry {
        /// Whether the access is a surface access.
        surface: bool,
        /// The instruction's geometry and that of the object.
        error: GeometryError,
    },
    /// All remaining threads wait for each other.
    #[error("deadlock: no thread can continue; {waiting}")]
    Deadlock {
        /// The waiting threads and their locations.
        waiting: String,
    },
    /// A warp has executed more instructions than the step limit allows.
    #[error(
        "a warp has executed {}: the kernel appears to be in an infinite loop",
        Count(limit, "instruction")
    )]
    StepLimit {
        /// Warp instructions that the warp may execute (`--max-steps`).
        limit: u64,
    },
    /// A thread exceeded its local memory or call depth.
    #[error("stack overflow: the thread has {} for local memory and calls", Count(limit, "byte"))]
    StackOverflow {
        /// Maximum number of bytes that a thread may use.
        limit: u64,
    },
    /// A failed `assert` in device code (`__assertfail`).
    #[error("{file}:{line}: {function}: assertion `{message}` failed")]
    Assert {
        /// The condition of the assertion, as written in the source.
        message: String,
        /// Source file of the assertion.
        file: String,
        /// Line in the source file, from 1.
        line: u32,
        /// Function that contains the assertion.
        function: String,
    },
    /// `free` of a pointer that is not a live allocation of the device heap.
    #[error("free: {0}")]
    Heap(String),
    /// A thread has executed `trap`, or a breakpoint.
    #[error("{}", trap(message.as_deref()))]
    Trap {
        /// The program's message before the `trap`, if there is one.
        message: Option<String>,
    },
    /// An invalid register operand of a branch, call or barrier: `brx` index out of range, call of
    /// an address that is not a function, barrier number above 15.
    #[error("{0}")]
    BadOperand(String),
    /// The launch was cancelled by the host.
    #[error("the launch was cancelled")]
    Cancelled,
}

impl FaultKind {
    /// The fault of a fetch or surface access that the unit refused to plan.
    pub(crate) fn unplanned(error: PlanError, surface: bool) -> Self {
        match error {
            PlanError::Geometry(error) => FaultKind::Geometry { surface, error },
            PlanError::Floats { resource } => FaultKind::Floats { resource },
            error if surface => FaultKind::Surface(error.to_string()),
            error => FaultKind::Texture(error.to_string()),
        }
    }

    /// Whether a card has a defined result for such a fetch or access
    /// ([`BadFetch::Zero`](crate::BadFetch::Zero)).
    pub(crate) fn is_answered(&self) -> bool {
        match self {
            FaultKind::Geometry { .. } | FaultKind::Floats { .. } => true,
            FaultKind::Handle { is, .. } => matches!(is, BadHandle::Unknown | BadHandle::Surface),
            _ => false,
        }
    }

    /// Description of the incompatible texture or surface, or the handle of an object of another
    /// kind.
    pub fn object(&self) -> Option<String> {
        match self {
            FaultKind::Geometry { error: GeometryError { resource, .. }, .. }
            | FaultKind::Floats { resource } => Some(resource.clone()),
            FaultKind::Handle { is: BadHandle::Unknown, .. } => None,
            FaultKind::Handle { handle, .. } => Some(format!("{handle:#018x}")),
            _ => None,
        }
    }

    /// Number of the allocation that the fault concerns, if any.
    pub fn allocation(&self) -> Option<u64> {
        match self {
            FaultKind::OutOfBounds { nearest, .. } => nearest.allocation,
            FaultKind::Freed { memory, .. } | FaultKind::Unreachable { memory, .. } => {
                memory.allocation
            }
            FaultKind::Misaligned { resource, .. } | FaultKind::ReadOnly { resource, .. } => {
                resource.as_ref()?.allocation
            }
            _ => None,
        }
    }

    /// The fault of using freed memory, or memory that is not accessible to this device.
    pub(crate) fn of_gone(user: String, gone: &FreedBlock) -> Self {
        let memory = Described { text: gone.to_string(), allocation: Some(gone.number) };
        match gone.how {
            how if how.still_exists() => Self::Unreachable { user, memory, how },
            _ => Self::Freed { user, memory },
        }
    }

    /// Description of an access: `load of 4 bytes at .global address 0x700000000000`.
    pub(crate) fn access(access: &str, space: SpaceKind, address: u64, size: u32) -> String {
        let (space, bytes) = (space.name(), Count(size, "byte"));
        format!("{access} of {bytes} at {space} address {address:#x}")
    }
}

/// Defines the names of the kinds, and the list of all names.
macro_rules! names {
    ($($kind:pat => $name:literal,)*) => {
        /// All names ([`Self::name`]).
        pub const NAMES: &[&str] = &[$($name),*];

        /// Stable identifier for programs that read reports.
        pub fn name(&self) -> &'static str {
            match self {
                $($kind => $name,)*
            }
        }
    };
}

impl FaultKind {
    names! {
        Self::OutOfBounds { .. } => "out-of-bounds",
        Self::Freed { .. } => "freed",
        Self::Unreachable { how: End::Reserved, .. } => "not-mapped",
        Self::Unreachable { how: End::Peer, .. } => "peer-access",
        Self::Unreachable { .. } => "no-access",
        Self::Misaligned { .. } => "misaligned",
        Self::ReadOnly { .. } => "read-only",
        Self::Surface(_) | Self::Geometry { surface: true, .. } => "surface",
        Self::Handle { .. } => "handle",
        Self::Texture(_) | Self::Floats { .. } | Self::Geometry { .. } => "texture",
        Self::Deadlock { .. } => "deadlock",
        Self::StepLimit { .. } => "step-limit",
        Self::StackOverflow { .. } => "stack-overflow",
        Self::Assert { .. } => "assert",
        Self::Heap(_) => "heap",
        Self::Trap { .. } => "trap",
        Self::BadOperand(_) => "bad-operand",
        Self::Cancelled => "cancelled",
    }
}

/// The end of the message about an access that is out of bounds.
fn out_of_bounds(nearest: &str) -> String {
    let is_object = nearest.starts_with('`');
    let link = if is_object { "; the nearest object is" } else { ":" };
    format!("out of bounds{link} {nearest}")
}

/// The end of a message that names the object at the address.
fn lies_in(resource: &Option<Described>) -> String {
    resource.as_ref().map_or_else(String::new, |object| format!("; it lies in {object}"))
}

fn trap(message: Option<&str>) -> String {
    message.map_or("the kernel has executed `trap`".to_owned(), |text| format!("trap: {text}"))
}
