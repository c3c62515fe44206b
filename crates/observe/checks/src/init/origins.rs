//! Records which loads of a CTA returned undefined bytes, so that the report of a later use can
//! name the load.

use std::collections::HashMap;
use texunit_simt::observe::{At, Origin, Register, Undefined};
use texunit_simt::{Described, SpaceKind};
use texunit_unit::{Resource, TexelIndex};

/// Maximum number of recorded loads in a CTA. If the load of a value is not recorded, its use is
/// reported without an origin.
const MAX: usize = 1 << 14;

/// A load that returned undefined bytes.
#[derive(Clone, Debug)]
pub(super) struct UndefinedLoad {
    lanes: u32,
    /// Sequence number of the load in the CTA.
    number: u64,
    pub(super) bits: [u64; 32],
    pub(super) size: u32,
    pub(super) from: Source,
}

/// What was loaded: memory or texels.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Memory {
        space: SpaceKind,
        addresses: Box<[u64; 32]>,
    },
    /// The first unwritten texel of each lane.
    Texels {
        /// The texture or surface as text.
        of: Described,
        /// Which indices a texel of the resource has.
        shape: Shape,
        at: Box<[TexelIndex; 32]>,
    },
}

/// Which indices a texel of the resource has: the number of axes, and whether there are levels,
/// layers and samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    axes: usize,
    has_levels: bool,
    has_planes: bool,
    is_cube: bool,
    has_samples: bool,
    is_block: bool,
}

impl Shape {
    fn of(resource: &Resource) -> Self {
        let (geometry, shape) = (resource.geometry(), resource.shape());
        Self {
            axes: if geometry.is_cube() { 2 } else { geometry.axes().clamp(1, 3) },
            has_levels: resource.is_mipmapped(),
            has_planes: shape.planes() > 1,
            is_cube: geometry.is_cube(),
            has_samples: shape.samples > 1,
            is_block: resource.format().is_block(),
        }
    }

    /// A texel as text: `texel (3, 0) of layer 2 of level 1`.
    pub(super) fn words(self, at: &TexelIndex) -> String {
        let axes: Vec<String> = at.at[..self.axes].iter().map(u32::to_string).collect();
        let mut words = match (self.axes, self.is_block) {
            (_, true) => format!("the block of texel ({})", axes.join(", ")),
            (1, false) => format!("texel {}", axes[0]),
            (_, false) => format!("texel ({})", axes.join(", ")),
        };
        let mut add = |has: bool, what: &str, number: u32| {
            if has {
                words += &format!(" of {what} {number}");
            }
        };
        add(self.has_samples, "sample", at.sample);
        if self.is_cube {
            add(true, "face", at.plane % 6);
            add(self.has_planes && at.plane >= 6, "cube", at.plane / 6);
        } else {
            add(self.has_planes, "layer", at.plane);
        }
        add(self.has_levels, "level", at.level);
        words
    }
}

impl UndefinedLoad {
    /// The load of an event that the simulator reports; `None` if the event is no load.
    pub(super) fn of(at: &At, what: &Undefined<'_>) -> Option<Self> {
        let from = match (what.memory, what.texels) {
            (Some((space, addresses)), _) => {
                Source::Memory { space, addresses: Box::new(*addresses) }
            }
            (None, Some(texels)) => Source::Texels {
                of: Described {
                    text: format!("{} `{}`", texels.resource.kind(), texels.resource.name()),
                    allocation: Some(texels.resource.block().number()),
                },
                shape: Shape::of(texels.resource),
                at: Box::new(*texels.at),
            },
            (None, None) => return None,
        };
        let size = what.size.min(8);
        Some(Self { lanes: at.lanes, number: 0, bits: *what.bits, size, from })
    }

    /// Merges the lanes of another execution of the load; returns false if it read another
    /// resource.
    fn take(&mut self, other: &Self) -> bool {
        let lanes = || (0..32).filter(|lane| other.lanes >> lane & 1 == 1);
        use Source::{Memory, Texels};
        match (&mut self.from, &other.from) {
            (Memory { space, addresses }, Memory { space: same, addresses: new })
                if space == same =>
            {
                lanes().for_each(|lane| addresses[lane] = new[lane]);
            }
            (Texels { of, shape, at }, Texels { of: other, shape: same, at: new })
                if of == other && shape == same =>
            {
                lanes().for_each(|lane| at[lane] = new[lane]);
            }
            _ => return false,
        }
        lanes().for_each(|lane| self.bits[lane] = other.bits[lane]);
        self.lanes |= other.lanes;
        true
    }
}

/// Loads that returned undefined bytes, by warp, operation and destination register.
#[derive(Debug, Default)]
pub(super) struct Origins {
    loads: HashMap<(u32, u32, Register), UndefinedLoad>,
    number: u64,
}

impl Origins {
    pub(super) fn clear(&mut self) {
        if !self.loads.is_empty() {
            self.loads.clear();
        }
    }

    /// Records a load that returned undefined bytes to some lanes.
    pub(super) fn note(&mut self, at: &At, what: &Undefined<'_>) {
        let brought = what.register.zip(UndefinedLoad::of(at, what));
        let Some((register, brought)) = brought else { return };
        let key = (at.warp, at.op, register);
        if self.loads.len() >= MAX && !self.loads.contains_key(&key) {
            return;
        }
        self.number += 1;
        let number = self.number;
        if let Some(known) = self.loads.get_mut(&key)
            && known.take(&brought)
        {
            known.number = number;
        } else {
            self.loads.insert(key, UndefinedLoad { number, ..brought });
        }
    }

    /// The latest recorded load by this operation and lane number, in any warp of the CTA.
    pub(super) fn of(&self, op: u32, lane: usize) -> Option<&UndefinedLoad> {
        let all = self.loads.iter().filter(|((_, at, _), _)| *at == op);
        let there = all.map(|(_, brought)| brought).filter(|of| of.lanes >> lane & 1 == 1);
        there.max_by_key(|brought| brought.number)
    }

    /// Among the given origins of a value, the latest recorded load that returned undefined bytes
    /// to a lane.
    pub(super) fn latest(
        &self,
        warp: u32,
        lane: usize,
        all: &[Origin],
    ) -> Option<(u32, &UndefinedLoad)> {
        let brought = all.iter().filter_map(|origin| match *origin {
            Origin::Memory(op, register) => Some((op, self.loads.get(&(warp, op, register))?)),
            _ => None,
        });
        let there = brought.filter(|(_, brought)| brought.lanes >> lane & 1 == 1);
        there.max_by_key(|(_, brought)| brought.number)
    }
}
