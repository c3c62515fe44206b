//! Check `init`: uses of uninitialised data on the device. The simulator propagates undefined bytes
//! through registers and memory (`texunit_simt::observe`) and passes their uses to this module. The
//! module reports the uses that affect the result, with the load or store that the undefined bytes
//! came from.

mod moves;
mod origins;

use crate::callers::Callers;
use crate::end::Spot;
use crate::object;
use crate::rules;
use crate::sink::{LaunchFinding, Other, OtherAt, Sink};
pub(crate) use moves::StoredOrigins;
use moves::{CtaStoredOrigins, Root, StoredOrigin};
use origins::{Origins, Source, UndefinedLoad};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_report::CheckRule;
use texunit_report::place::{line_at, shown_file};
use texunit_simt::observe::{
    At, CallEvent, CtaInfo, Events, LaunchInfo, ObjectKind, Observer, Origin, Probe, Register,
    Sink as Use, Undefined,
};
use texunit_simt::{Described, SpaceKind};

/// Which use of undefined data is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitWhen {
    /// A use that affects the result is reported: as a branch condition, an address, or a stored
    /// result.
    #[default]
    Use,
    /// The load of undefined bytes is reported, as by compute-sanitizer's initcheck.
    Load,
}

impl InitWhen {
    /// Parses the argument of `--init`.
    pub fn parse(word: &str) -> Result<Self, String> {
        [Self::Use, Self::Load].into_iter().find(|when| when.name() == word).ok_or_else(|| {
            format!("expected `use` or `load`, found `{}`", texunit_report::visible(word))
        })
    }

    /// The name that `--init` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Use => "use",
            Self::Load => "load",
        }
    }
}

/// The check `init` of one launch.
#[derive(Debug)]
pub(crate) struct Init<'l> {
    sink: Arc<Sink>,
    when: InitWhen,
    moves: &'l StoredOrigins,
}

impl<'l> Init<'l> {
    pub(crate) fn new(sink: &Arc<Sink>, when: InitWhen, moves: &'l StoredOrigins) -> Self {
        Self { sink: Arc::clone(sink), when, moves }
    }
}

impl Observer for Init<'_> {
    fn wants(&self) -> Events {
        Events::DEFINED | Events::ENTERS
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Worker {
            sink: &self.sink,
            when: self.when,
            launch: *launch,
            callers: Callers::new(launch.listing),
            origins: Origins::default(),
            slices: HashMap::new(),
            moves: self.moves,
            own: CtaStoredOrigins::default(),
        })
    }
}

/// The check `init` for the CTAs that one worker thread executes.
struct Worker<'a> {
    sink: &'a Sink,
    when: InitWhen,
    launch: LaunchInfo<'a>,
    callers: Callers<'a>,
    origins: Origins,
    /// For an operation and a register that it reads, the operations that the value can come from
    /// (`Listing::origins`).
    slices: HashMap<(u32, Register), Arc<[Origin]>>,
    /// The origins of undefined bytes that kernels stored in global memory.
    moves: &'a StoredOrigins,
    /// The origins of undefined bytes that the CTA stored in its shared and local memory.
    own: CtaStoredOrigins,
}

/// The rule for a use of undefined data, and the beginning of the finding's message.
fn kind(sink: Use) -> (&'static CheckRule, &'static str) {
    match sink {
        Use::Origin => (rules::INIT_LOAD, "the load brings"),
        Use::Branch => (rules::INIT_BRANCH, "the condition of a branch depends on"),
        Use::Guard => (rules::INIT_BRANCH, "the predicate of an instruction depends on"),
        Use::Address => (rules::INIT_ADDRESS, "an address depends on"),
        Use::Fetch => (rules::INIT_FETCH, "an operand of a texture or surface access depends on"),
        Use::Collective => {
            (rules::INIT_COLLECTIVE, "an operand that lanes or threads share depends on")
        }
        // The copy of undefined bytes is not reported, but a use of the copied bytes is.
        Use::Store | Use::Copy | Use::Keep => {
            (rules::INIT_STORE, "what is stored was computed from")
        }
        Use::Operand => (rules::INIT_ATOMIC, "the operand of an atomic depends on"),
        Use::Atomic => (rules::INIT_ATOMIC, "an atomic computes with"),
    }
}

impl Worker<'_> {
    fn spot(&self, at: &At, lane: usize, op: u32) -> Spot {
        Spot { op, ..Spot::new(at, lane as u32, self.launch.config.block) }
    }

    /// The address of the first undefined byte that a load returned to a lane, and the number of
    /// undefined bytes.
    fn bytes(brought: &UndefinedLoad, address: u64, lane: usize) -> (u64, usize) {
        let bits = brought.bits[lane];
        let is_undefined = |i: &u32| bits >> (8 * (i & 7)) & 0xff != 0;
        let first = (0..brought.size).find(is_undefined).unwrap_or(0);
        let count = (0..brought.size).filter(is_undefined).count().max(1);
        (address.wrapping_add(first.into()), count)
    }

    /// The store that wrote the undefined bytes which a load returned to a lane; `None` if they
    /// were never written.
    fn moved(&self, brought: &UndefinedLoad, warp: u32, lane: usize) -> Option<StoredOrigin> {
        let Source::Memory { space, addresses } = &brought.from else { return None };
        let (address, _) = Self::bytes(brought, addresses[lane], lane);
        match space {
            SpaceKind::Global => self.moves.at(address, self.allocation(address)),
            space => self.own.at(*space, (warp * 32 + lane as u32, address)),
        }
    }

    /// The number of the allocation that contains a global address; 0 if there is none.
    fn allocation(&self, address: u64) -> u64 {
        match self.launch.object(SpaceKind::Global, address).map(|object| object.kind) {
            Some(ObjectKind::Allocation(number)) => number,
            _ => 0,
        }
    }

    /// The undefined bytes or texel that a load returned to a lane: as text, and the object that
    /// contains them.
    fn memory(&self, brought: &UndefinedLoad, warp: u32, lane: usize) -> (String, Described) {
        let (space, address) = match &brought.from {
            Source::Memory { space, addresses } => (*space, addresses[lane]),
            Source::Texels { of, shape, at } => {
                let texel = shape.words(&at[lane]);
                return (format!("{texel} of the {of}, never written"), of.clone());
            }
        };
        let (address, count) = Self::bytes(brought, address, lane);
        let name = match space {
            SpaceKind::Local => "local memory".into(),
            space => object::name(&self.launch, space, address),
        };
        let bytes = if count == 1 { "a byte".to_owned() } else { Count(count, "byte").to_string() };
        let words = match self.moved(brought, warp, lane) {
            Some(StoredOrigin { how, from, .. }) => format!("{bytes} of {name}, {how} from {from}"),
            None => format!("{bytes} of {name} that were never written"),
        };
        (words, name)
    }

    /// A remark for a load from shared memory that lies outside the variable from which its address
    /// was computed.
    fn beside(&self, op: u32, lane: usize) -> Option<String> {
        let brought = self.origins.of(op, lane)?;
        let Source::Memory { space: SpaceKind::Shared, addresses } = &brought.from else {
            return None;
        };
        let words = object::beside(&self.launch, op, addresses[lane])?;
        Some(format!("the load is {words}"))
    }

    /// The operations that the value of a register can come from, when an operation reads it.
    fn slice(&mut self, op: u32, register: Register) -> Arc<[Origin]> {
        let listing = &self.launch.listing;
        let all = self.slices.entry((op, register));
        Arc::clone(all.or_insert_with(|| listing.origins(op, register).into()))
    }

    /// The origin of a lane's undefined value: as text, the object that contains the undefined
    /// bytes, and the operation that loaded them.
    fn origin(
        &mut self,
        at: &At,
        lane: usize,
        what: &Undefined<'_>,
    ) -> (String, Option<Described>, u32) {
        let all = what.register.map(|register| self.slice(at.op, register));
        let all = all.as_deref().unwrap_or_default();
        if let Some((op, brought)) = self.origins.latest(at.warp, lane, all) {
            // Unoptimised code keeps all variables in local memory. The load from local memory says
            // little, so that the store to local memory is named as the origin.
            let is_local = matches!(brought.from, Source::Memory { space: SpaceKind::Local, .. });
            if let Some(moved) = self.moved(brought, at.warp, lane).filter(|_| is_local) {
                return (moved.from.to_string(), moved.object.as_deref().cloned(), moved.op);
            }
            let (words, object) = self.memory(brought, at.warp, lane);
            return (words, Some(object), op);
        }
        let call = all.iter().find(|origin| matches!(origin, Origin::Call(_)));
        let (words, op) = match call.or(all.iter().find(|o| matches!(o, Origin::Unwritten(_)))) {
            Some(&Origin::Call(op)) => ("what a function has returned, undefined", op),
            Some(&Origin::Unwritten(op)) => ("a register that was never written", op),
            _ => ("uninitialised data", at.op),
        };
        (words.to_owned(), None, op)
    }

    /// Records the origin of undefined bytes for the memory that lanes store them to.
    fn stores(&mut self, at: &At, what: &Undefined<'_>) {
        let (Some((space, addresses)), Some(register)) = (what.memory, what.register) else {
            return;
        };
        let all = self.slice(at.op, register);
        let does = if what.sink == Use::Copy { "copied" } else { "computed" };
        for lane in crate::lanes(at.lanes).map(|lane| lane as usize) {
            let latest = self.origins.latest(at.warp, lane, &all);
            let load = latest.map_or(at.op, |(op, _)| op);
            let before = latest.and_then(|(_, brought)| self.moved(brought, at.warp, lane));
            let (from, object, op) = match before {
                Some(moved) => (moved.from, moved.object, moved.op),
                // The origin is formatted for the first lane only, because formatting a text for
                // each lane would be slow.
                None => match self.own.words.get(&(at.op, load)) {
                    Some(known) => known.clone(),
                    None => {
                        let (words, object, op) = self.origin(at, lane, what);
                        let known: Root = (words.into(), object.map(Arc::new), op);
                        self.own.words.insert((at.op, load), known.clone());
                        known
                    }
                },
            };
            let how = self.own.how.entry(at.op).or_insert_with(|| {
                let listing = &self.launch.listing;
                let span = listing.span(at.op);
                let (file, line) = line_at(listing.sources(), listing.source(), span);
                format!("{does} at {}:{line}", shown_file(&file)).into()
            });
            let mut moved = StoredOrigin { how: Arc::clone(how), from, object, op, allocation: 0 };
            let bytes = addresses[lane]..addresses[lane].wrapping_add(what.size.into());
            match space {
                SpaceKind::Global => {
                    moved.allocation = self.allocation(bytes.start);
                    self.moves.put(bytes, &moved);
                }
                space => self.own.put(space, (at.warp * 32 + lane as u32, bytes), &moved),
            }
        }
    }

    fn report(&mut self, at: &At, what: &Undefined<'_>) {
        let place = self.callers.place(at).op;
        let lane = (at.lanes.trailing_zeros() & 31) as usize;
        let (rule, begin) = kind(what.sink);
        let own = matches!(what.sink, Use::Origin | Use::Atomic);
        let (words, object, op) = match UndefinedLoad::of(at, what) {
            Some(brought) if own => {
                let (words, object) = self.memory(&brought, at.warp, lane);
                (words, Some(object), at.op)
            }
            _ => self.origin(at, lane, what),
        };
        let mut found =
            LaunchFinding::new(rule, self.spot(at, lane, place), format!("{begin} {words}"));
        // Unoptimised code passes a value by local memory to a function of a CUDA header. Such a
        // value is reported at the call, without the load inside the header.
        let is_handed = self.callers.is_users(place) && !self.callers.is_users(op);
        if op != at.op && op != place && !is_handed {
            let verb = if object.is_some() { "loads it here" } else { "it comes from here" };
            let at = OtherAt::Here(self.spot(at, lane, op));
            found.other = Some(Other { what: verb.to_owned(), at });
        }
        found.notes.extend(self.beside(op, lane));
        found.object = object;
        found.count = at.lanes.count_ones().into();
        self.sink.found(found);
    }
}

impl Probe for Worker<'_> {
    fn cta_begins(&mut self, _: &CtaInfo) {
        self.callers.clear();
        self.origins.clear();
        self.own.clear();
    }

    fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        self.callers.call(at, called);
    }

    fn undefined(&mut self, at: &At, what: &Undefined<'_>) {
        match (what.sink, self.when) {
            (Use::Origin, InitWhen::Use) => self.origins.note(at, what),
            (Use::Copy | Use::Keep, InitWhen::Use) => self.stores(at, what),
            (Use::Origin, InitWhen::Load) | (_, InitWhen::Use) => self.report(at, what),
            // An atomic operation is also a load.
            (Use::Atomic, InitWhen::Load) => self.report(at, what),
            (_, InitWhen::Load) => {}
        }
    }
}
