//! Arms of the inner loop for the operations of the ALU table, which store their results in `n` or
//! `w`.

/// Expands to the arm of an operation; the section of the table gives the operand widths. `$c` are
/// the loop's variables: registers, instruction, mask, both results, predicates.
macro_rules! arm {
    (b32 $c:tt |$a:ident| $e:expr) => { apply!($c n one [n 0 $a u32] => $e) };
    (b32 $c:tt |$a:ident, $b:ident| $e:expr) => {
        apply!($c n two [n 0 $a u32] [n 1 $b u32] => $e)
    };
    (b32 $c:tt |$a:ident, $b:ident, $d:ident| $e:expr) => {
        apply!($c n three [n 0 $a u32] [n 1 $b u32] [n 2 $d u32] => $e)
    };
    (b64 $c:tt |$a:ident, $b:ident| $e:expr) => {
        apply!($c w two [w 0 $a u64] [w 1 $b u64] => $e)
    };
    (extend $c:tt |$a:ident| $e:expr) => { apply!($c w one [n 0 $a u32] => $e) };
    (extend $c:tt |$a:ident, $b:ident| $e:expr) => {
        apply!($c w two [n 0 $a u32] [n 1 $b u32] => $e)
    };
    (extend $c:tt |$a:ident, $b:ident, $d:ident| $e:expr) => {
        apply!($c w three [n 0 $a u32] [n 1 $b u32] [w 2 $d u64] => $e)
    };
    (truncate $c:tt |$a:ident| $e:expr) => { apply!($c n one [w 0 $a u64] => $e) };
    (shift $c:tt |$a:ident, $b:ident| $e:expr) => {
        apply!($c w two [w 0 $a u64] [n 1 $b u32] => $e)
    };
    (compare64 $c:tt |$a:ident, $b:ident| $e:expr) => {
        apply!($c p holds [w 0 $a u64] [w 1 $b u64] => $e)
    };
    (compare $c:tt |$a:ident, $b:ident| $e:expr) => {
        apply!($c p holds [n 0 $a u32] [n 1 $b u32] => $e)
    };
}

/// Applies a function of `each` to sources, of each of which the file, number, name and type are
/// given, for a result of the file that comes first.
macro_rules! apply {
    (($l:ident $i:ident $m:ident $n:ident $w:ident $p:ident) p holds
     $([$file:ident $at:literal $name:ident $int:ty])* => $e:expr) => {{
        let holds = each::holds(
            $($l.$file($i.s[$at]),)*
            #[inline(always)]
            |$($name: $int),*| $e,
        );
        let to = &mut $p[$i.d.predicate_index()];
        *to = (*to & !$m) | (holds & $m);
        ArmResult::Done
    }};
    (($l:ident $i:ident $m:ident $n:ident $w:ident $p:ident) n $($of:tt)*) => {
        apply!(($l $i $n) Narrow $($of)*)
    };
    (($l:ident $i:ident $m:ident $n:ident $w:ident $p:ident) w $($of:tt)*) => {
        apply!(($l $i $w) Wide $($of)*)
    };
    (($l:ident $i:ident $to:ident) $result:ident $each:ident
     $([$file:ident $at:literal $name:ident $int:ty])* => $e:expr) => {{
        each::$each(
            &mut $to,
            $($l.$file($i.s[$at]),)*
            #[inline(always)]
            |$($name: $int),*| $e,
        );
        ArmResult::$result
    }};
}
pub(super) use {apply, arm};
