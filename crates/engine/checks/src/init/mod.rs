//! Check `init`: uses of uninitialised data, on the device. What a kernel computes with undefined bytes stays
//! undefined, as shadows that the simulator computes beside all registers say (`texunit_simt::observe`); told is where it
//! matters, and where it came from.

mod origins;

use crate::callers::Callers;
use crate::object;
use crate::rules;
use crate::sink::{Found, Other, OtherAt, Sink, Spot};
use origins::{Brought, Origins, Source};
use std::sync::Arc;
use texunit_report::CheckRule;
use texunit_simt::SpaceKind;
use texunit_simt::observe::{
    At, Called, CtaInfo, Events, LaunchInfo, Observer, Origin, Probe, Sink as Use, Undefined,
};

/// Where a use is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitWhen {
    /// Where it matters.
    #[default]
    Use,
    /// At the load of undefined bytes, as compute-sanitizer's initcheck does.
    Load,
}

impl InitWhen {
    /// What `--init` takes.
    pub fn parse(word: &str) -> Result<Self, String> {
        [Self::Use, Self::Load].into_iter().find(|when| when.name() == word).ok_or_else(|| {
            format!("expected `use` or `load`, found `{}`", texunit_report::visible(word))
        })
    }

    /// Its name there.
    pub fn name(self) -> &'static str {
        match self {
            Self::Use => "use",
            Self::Load => "load",
        }
    }
}

/// The check of a launch.
#[derive(Debug)]
pub(crate) struct Init {
    sink: Arc<Sink>,
    when: InitWhen,
}

impl Init {
    pub(crate) fn new(sink: &Arc<Sink>, when: InitWhen) -> Self {
        Self { sink: Arc::clone(sink), when }
    }
}

impl Observer for Init {
    fn wants(&self) -> Events {
        Events::DEFINED | Events::ENTERS
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        let (sink, when) = (&*self.sink, self.when);
        let callers = Callers::new(launch.listing);
        Box::new(Worker { sink, when, launch: *launch, callers, origins: Origins::default() })
    }
}

/// The check of the CTAs of a worker.
struct Worker<'a> {
    sink: &'a Sink,
    when: InitWhen,
    launch: LaunchInfo<'a>,
    callers: Callers<'a>,
    origins: Origins,
}

/// What a use is: its rule, and how its message begins.
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
        Use::Store => (rules::INIT_STORE, "what is stored was computed from"),
        Use::Operand => (rules::INIT_ATOMIC, "the operand of an atomic depends on"),
        Use::Atomic => (rules::INIT_ATOMIC, "an atomic computes with"),
    }
}

impl Worker<'_> {
    fn spot(&self, at: &At, lane: usize, op: u32) -> Spot {
        Spot { op, ..Spot::new(at, lane as u32, self.launch.config.block) }
    }

    /// Bytes in memory or a texel, in words, and the object that they lie in.
    fn memory(&self, brought: &Brought, lane: usize) -> (String, String) {
        let bits = brought.bits[lane];
        let (space, address) = match &brought.from {
            Source::Memory { space, addresses } => (*space, addresses[lane]),
            Source::Texels { of, shape, at } => {
                let texel = shape.words(&at[lane]);
                return (format!("{texel} of the {of}, never written"), of.clone());
            }
        };
        let is_undefined = |i: &u32| bits >> (8 * (i & 7)) & 0xff != 0;
        let first = (0..brought.size).find(is_undefined).unwrap_or(0);
        let count = (0..brought.size).filter(is_undefined).count().max(1);
        let name = match space {
            SpaceKind::Local => "local memory".to_owned(),
            space => object::name(&self.launch, space, address.wrapping_add(first.into())),
        };
        let bytes = if count == 1 { "a byte".to_owned() } else { format!("{count} bytes") };
        (format!("{bytes} of {name} that were never written"), name)
    }

    /// Where an undefined value of a lane came from: in words, the object, the operation.
    fn origin(&self, at: &At, lane: usize, what: &Undefined<'_>) -> (String, Option<String>, u32) {
        let all = match what.register {
            Some(register) => self.launch.listing.origins(at.op, register),
            None => Vec::new(),
        };
        if let Some((op, brought)) = self.origins.latest(at.warp, lane, &all) {
            let (words, object) = self.memory(brought, lane);
            return (words, Some(object), op);
        }
        let unwritten = all.iter().find_map(|origin| match origin {
            Origin::Unwritten(op) => Some(*op),
            _ => None,
        });
        let call = all.iter().find_map(|origin| match origin {
            Origin::Call(op) => Some(*op),
            _ => None,
        });
        match (unwritten, call) {
            (_, Some(op)) => ("what a function has returned, undefined".to_owned(), None, op),
            (Some(op), _) => ("a register that was never written".to_owned(), None, op),
            (None, None) => ("uninitialised data".to_owned(), None, at.op),
        }
    }

    fn tell(&mut self, at: &At, what: &Undefined<'_>) {
        let place = self.callers.place(at).op;
        let lane = (at.lanes.trailing_zeros() & 31) as usize;
        let (rule, begin) = kind(what.sink);
        let own = matches!(what.sink, Use::Origin | Use::Atomic);
        let (words, object, op) = match Brought::of(at, what) {
            Some(brought) if own => {
                let (words, object) = self.memory(&brought, lane);
                (words, Some(object), at.op)
            }
            _ => self.origin(at, lane, what),
        };
        let mut found = Found::new(rule, self.spot(at, lane, place), format!("{begin} {words}"));
        if op != at.op && op != place {
            let verb = if object.is_some() { "loads it here" } else { "it comes from here" };
            let at = OtherAt::Here(self.spot(at, lane, op));
            found.other = Some(Other { what: verb.to_owned(), at });
        }
        found.object = object;
        found.count = at.lanes.count_ones().into();
        self.sink.found(found);
    }
}

impl Probe for Worker<'_> {
    fn cta_begins(&mut self, _: &CtaInfo) {
        self.callers.clear();
        self.origins.clear();
    }

    fn call(&mut self, at: &At, called: &Called<'_>) {
        self.callers.call(at, called);
    }

    fn undefined(&mut self, at: &At, what: &Undefined<'_>) {
        match (what.sink, self.when) {
            (Use::Origin, InitWhen::Use) => self.origins.note(at, what),
            (Use::Origin, InitWhen::Load) | (_, InitWhen::Use) => self.tell(at, what),
            // An atomic loads, too.
            (Use::Atomic, InitWhen::Load) => self.tell(at, what),
            (_, InitWhen::Load) => {}
        }
    }
}
