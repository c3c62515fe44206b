//! What goes wrong in a running kernel.

use texunit_forms::Count;
use texunit_memory::{End, EndedMemory, SpaceKind};
use texunit_unit::{GeometryError, PlanError};

/// An object that a fault is about, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Name, size and address; of an allocation its number, too.
    pub text: String,
    /// Number of the allocation ([`texunit_memory::Block::number`]), if it is one.
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
    /// What is no allocation.
    fn from(text: T) -> Self {
        Self { text: text.into(), allocation: None }
    }
}

/// What is wrong with a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BadHandle {
    /// It was never returned, or nothing was bound to the reference.
    Unknown,
    /// Its object was destroyed.
    Destroyed,
    /// It is a surface's, in place of a texture's.
    Surface,
    /// It is of another kind.
    Other,
}

/// Kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A load, store or atomic outside every allocation, variable, stack frame or parameter.
    OutOfBounds {
        /// `load`, `store`, `atomic`.
        access: &'static str,
        /// Space accessed.
        space: SpaceKind,
        /// Address in that space (generic address for global).
        address: u64,
        /// Bytes accessed.
        size: u32,
        /// What is near, and its size.
        nearest: Described,
        /// Whether it is so little past the end of an allocation that a GPU would not notice
        /// ([`crate::Bounds::Hardware`]).
        unnoticed: bool,
    },
    /// A use of memory that was freed, destroyed or unregistered before the launch.
    Freed {
        /// Who uses it: an access, or a texture or surface that is bound to it.
        user: String,
        /// The memory, with the number of the allocation and its size, and what became of it.
        memory: Described,
    },
    /// A use of memory, or of addresses, that are there, but not for this device.
    Unreachable {
        /// Who uses it, as of [`Self::Freed`].
        user: String,
        /// The memory or reservation, with its number and size, and why it cannot be used.
        memory: Described,
        /// Why: [`End::is_there`].
        how: End,
    },
    /// An address that is not a multiple of the access size.
    Misaligned {
        /// `load`, `store`, `atomic`.
        access: &'static str,
        /// Space accessed.
        space: SpaceKind,
        /// Address.
        address: u64,
        /// Bytes accessed: the alignment wanted.
        size: u32,
        /// The object that holds the address, and its size; `None` if none does.
        resource: Option<Described>,
    },
    /// A store or atomic to constant memory, parameters, or memory of the program that may only be read.
    ReadOnly {
        /// Space accessed.
        space: SpaceKind,
        /// Address.
        address: u64,
        /// The object that holds the address, and its size, in global memory.
        resource: Option<Described>,
    },
    /// A surface access outside or misaligned; the message has coordinate, resource and size.
    Surface(String),
    /// A handle that was never given out, was destroyed or is of another kind.
    Handle {
        /// The 64 bits.
        handle: u64,
        /// `texture`, `sampler`, `surface`.
        wanted: &'static str,
        /// What is wrong with it.
        is: BadHandle,
        /// Why it is not one.
        why: String,
    },
    /// A fetch whose form does not fit its texture.
    Texture(String),
    /// A fetch with `.f32` coordinates from linear memory.
    Floats {
        /// The texture, in words.
        resource: String,
    },
    /// A fetch or surface access whose geometry does not fit its texture or surface.
    Geometry {
        /// Whether it is one of a surface.
        surface: bool,
        /// What does not fit.
        error: GeometryError,
    },
    /// Threads wait for each other and none can go on.
    Deadlock {
        /// Who waits where.
        waiting: String,
    },
    /// The step limit.
    StepLimit {
        /// Warp instructions that the warp may execute (`--max-steps`).
        limit: u64,
    },
    /// More local memory or call depth than a thread has.
    StackOverflow {
        /// Bytes a thread may use.
        limit: u64,
    },
    /// A failed `assert` of device code (`__assertfail`).
    Assert {
        /// The condition as written.
        message: String,
        /// Source file of the assertion.
        file: String,
        /// Line in it, from 1.
        line: u32,
        /// The function around it.
        function: String,
    },
    /// `free` of something that is no live allocation of the device heap.
    Heap(String),
    /// `trap`, or a breakpoint.
    Trap {
        /// What the program said, if anything.
        message: Option<String>,
    },
    /// A branch, call or barrier whose register operand has no sense: brx index out of range, a
    /// call of something that is no function, a barrier number past 15.
    BadOperand(String),
    /// The launch was cancelled by the host.
    Cancelled,
}

impl FaultKind {
    /// A fetch, or an access of a surface, that cannot be planned.
    pub(crate) fn unplanned(error: PlanError, surface: bool) -> Self {
        match error {
            PlanError::Geometry(error) => FaultKind::Geometry { surface, error },
            PlanError::Floats { resource } => FaultKind::Floats { resource },
            error if surface => FaultKind::Surface(error.to_string()),
            error => FaultKind::Texture(error.to_string()),
        }
    }

    /// Whether a card answers such a fetch or access and goes on
    /// ([`BadFetch::Zero`](crate::BadFetch::Zero)).
    pub(crate) fn is_answered(&self) -> bool {
        match self {
            FaultKind::Geometry { .. } | FaultKind::Floats { .. } => true,
            FaultKind::Handle { is, .. } => matches!(is, BadHandle::Unknown | BadHandle::Surface),
            _ => false,
        }
    }

    /// The texture or surface that does not fit, in words, or the handle of another object.
    pub fn object(&self) -> Option<String> {
        match self {
            FaultKind::Geometry { error: GeometryError { resource, .. }, .. }
            | FaultKind::Floats { resource } => Some(resource.clone()),
            FaultKind::Handle { is: BadHandle::Unknown, .. } => None,
            FaultKind::Handle { handle, .. } => Some(format!("{handle:#018x}")),
            _ => None,
        }
    }

    /// Number of the allocation that it is about, if it is about one.
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

    /// A use of memory that is not to be used, or not by this device.
    pub(crate) fn of_gone(user: String, gone: &EndedMemory) -> Self {
        let memory = Described { text: gone.to_string(), allocation: Some(gone.number) };
        match gone.how {
            how if how.still_exists() => Self::Unreachable { user, memory, how },
            _ => Self::Freed { user, memory },
        }
    }

    /// An access in words: `load of 4 bytes at .global address 0x700000000000`.
    pub(crate) fn access(access: &str, space: SpaceKind, address: u64, size: u32) -> String {
        let (space, bytes) = (space.name(), Count(size, "byte"));
        format!("{access} of {bytes} at {space} address {address:#x}")
    }

    /// Stable name for programs that read reports.
    pub fn name(&self) -> &'static str {
        match self {
            FaultKind::OutOfBounds { .. } => "out-of-bounds",
            FaultKind::Freed { .. } => "freed",
            FaultKind::Unreachable { how: End::Reserved, .. } => "not-mapped",
            FaultKind::Unreachable { how: End::Peer, .. } => "peer-access",
            FaultKind::Unreachable { .. } => "no-access",
            FaultKind::Misaligned { .. } => "misaligned",
            FaultKind::ReadOnly { .. } => "read-only",
            FaultKind::Surface(_) | FaultKind::Geometry { surface: true, .. } => "surface",
            FaultKind::Handle { .. } => "handle",
            FaultKind::Texture(_) | FaultKind::Floats { .. } | FaultKind::Geometry { .. } => {
                "texture"
            }
            FaultKind::Deadlock { .. } => "deadlock",
            FaultKind::StepLimit { .. } => "step-limit",
            FaultKind::StackOverflow { .. } => "stack-overflow",
            FaultKind::Assert { .. } => "assert",
            FaultKind::Heap(_) => "heap",
            FaultKind::Trap { .. } => "trap",
            FaultKind::BadOperand(_) => "bad-operand",
            FaultKind::Cancelled => "cancelled",
        }
    }
}

impl std::fmt::Display for FaultKind {
    /// One sentence without a final stop.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FaultKind::OutOfBounds { access, space, address, size, nearest, .. } => {
                write!(f, "{}, ", Self::access(access, *space, *address, *size))?;
                match nearest.starts_with('`') {
                    true => write!(f, "out of bounds; the nearest object is {nearest}"),
                    false => write!(f, "out of bounds: {nearest}"),
                }
            }
            FaultKind::Misaligned { access, space, address, size, resource } => {
                let space = space.name();
                write!(f, "{access} of {} at {space} address {address:#x}, ", Count(size, "byte"))?;
                write!(f, "which is not a multiple of {size}")?;
                match resource {
                    Some(resource) => write!(f, "; it lies in {resource}"),
                    None => Ok(()),
                }
            }
            FaultKind::Freed { user, memory } | FaultKind::Unreachable { user, memory, .. } => {
                write!(f, "{user}: {memory}")
            }
            FaultKind::ReadOnly { space, address, resource } => {
                write!(f, "store to read-only {} address {address:#x}", space.name())?;
                match resource {
                    Some(resource) => write!(f, "; it lies in {resource}"),
                    None => Ok(()),
                }
            }
            FaultKind::Surface(text) | FaultKind::Texture(text) | FaultKind::BadOperand(text) => {
                f.write_str(text)
            }
            FaultKind::Geometry { error, .. } => write!(f, "{error}"),
            FaultKind::Floats { resource } => {
                write!(f, "{}", PlanError::Floats { resource: resource.clone() })
            }
            FaultKind::Handle { handle, wanted, why, .. } => {
                write!(f, "{handle:#018x} is not a {wanted} handle: {why}")
            }
            FaultKind::Deadlock { waiting } => {
                write!(f, "deadlock: no thread can continue; {waiting}")
            }
            FaultKind::StepLimit { limit } => {
                write!(
                    f,
                    "a warp has executed {}: the kernel appears to be in an infinite loop",
                    Count(limit, "instruction")
                )
            }
            FaultKind::StackOverflow { limit } => {
                write!(
                    f,
                    "stack overflow: the thread has {} for local memory and calls",
                    Count(limit, "byte")
                )
            }
            FaultKind::Assert { message, file, line, function } => {
                write!(f, "{file}:{line}: {function}: assertion `{message}` failed")
            }
            FaultKind::Heap(text) => write!(f, "free: {text}"),
            FaultKind::Trap { message: Some(message) } => write!(f, "trap: {message}"),
            FaultKind::Trap { message: None } => f.write_str("the kernel has executed `trap`"),
            FaultKind::Cancelled => f.write_str("the launch was cancelled"),
        }
    }
}
