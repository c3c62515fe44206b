//! Conversion of modifiers to the fields of [`Modifiers`].

use super::Class;
use crate::Modifiers;

/// Sets the field of `mods` for the modifier `word`, which fills a slot of `class`.
pub(crate) fn apply(class: Class, word: &'static str, mods: &mut Modifiers) {
    use crate::types::*;
    let base = word.split("::").next().unwrap_or(word);
    match class {
        Class::Type => mods.types.extend(ScalarType::from_name(word)),
        Class::Vector => mods.vector = word[1..].parse().unwrap_or(0),
        Class::Rounding => mods.rounding = Rounding::from_name(word),
        Class::Part => mods.part = crate::MulPart::from_name(word),
        Class::Compare => mods.cmp = CmpOp::from_name(word),
        Class::Bool => {
            mods.bool_op = BoolOp::from_name(word);
            mods.red_op = mods.bool_op.filter(|_| mods.red);
        }
        Class::Space => mods.space = Space::from_name(base),
        Class::Atom => mods.atom = AtomOp::from_name(word),
        Class::Reduce => mods.reduce = ReduceOp::from_name(word),
        Class::Redux => mods.redux = AtomOp::from_name(word),
        Class::Prmt => mods.prmt = PrmtMode::from_name(word),
        Class::Test => mods.test = TestOp::from_name(word),
        Class::Shfl => mods.shfl = ShflMode::from_name(word),
        Class::Vote => mods.vote = VoteMode::from_name(word),
        Class::Match => mods.matching = MatchMode::from_name(word),
        Class::ShfDirection => mods.shf_right = word == "r",
        Class::Wrap => mods.wrap = word == "wrap",
        Class::Geometry => mods.geometry = Geometry::from_name(word),
        Class::Mip => mods.mip = MipMode::from_name(word),
        Class::Component => mods.component = Component::from_name(word),
        Class::Query => mods.query = Attribute::from_name(word),
        Class::Clamp => mods.clamp = ClampMode::from_name(word),
        Class::Surface => mods.formatted = word == "p",
        Class::Pack => {
            mods.pack = word[1..].parse().ok().map(|bits| (bits, word.starts_with('s')));
        }
        Class::Hint => {}
        Class::Policy => mods.policy = true,
        Class::Action => mods.actions.push(word),
        Class::Unexecuted => mods.unexecuted = Some(word),
        Class::Flag => set_flag(word, mods),
    }
}

macro_rules! flags {
    ($($flag:ident)*) => {
        fn set_flag(word: &str, mods: &mut Modifiers) {
            *match word {
                "NaN" => &mut mods.nan,
                $(stringify!($flag) => &mut mods.$flag,)*
                other => panic!("instruction table: no flag {other}"),
            } = true;
        }
    };
}

flags! {
    approx full ftz sat satfinite relu oob xorsign abs cc to nc noftz shiftamt sync warp arrive po
    shr7 shr15 red uni
}
