//! Arms of the inner loop for the operations of the ALU table, which store their results in `n` or
//! `w`.

/// Expands to the arm of an operation; the section of the table gives the operand widths.
macro_rules! arm {
    (b32 $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident| $e:expr) => {{
        each::one(
            &mut $n,
            $l.n($i.s[0]),
            #[inline(always)]
            |$a: u32| $e,
        );
        ArmResult::Narrow
    }};
    (b32 $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.n($i.s[0]), $l.n($i.s[1]));
        each::two(
            &mut $n,
            a,
            b,
            #[inline(always)]
            |$a: u32, $b: u32| $e,
        );
        ArmResult::Narrow
    }};
    (b32 $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident, $c:ident| $e:expr) => {{
        let sources = ($l.n($i.s[0]), $l.n($i.s[1]), $l.n($i.s[2]));
        each::three(
            &mut $n,
            sources,
            #[inline(always)]
            |$a: u32, $b: u32, $c: u32| $e,
        );
        ArmResult::Narrow
    }};
    (b64 $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.w($i.s[0]), $l.w($i.s[1]));
        each::two(
            &mut $w,
            a,
            b,
            #[inline(always)]
            |$a: u64, $b: u64| $e,
        );
        ArmResult::Wide
    }};
    (extend $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident| $e:expr) => {{
        each::one(
            &mut $w,
            $l.n($i.s[0]),
            #[inline(always)]
            |$a: u32| $e,
        );
        ArmResult::Wide
    }};
    (extend $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.n($i.s[0]), $l.n($i.s[1]));
        each::two(
            &mut $w,
            a,
            b,
            #[inline(always)]
            |$a: u32, $b: u32| $e,
        );
        ArmResult::Wide
    }};
    (extend $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident, $c:ident| $e:expr) => {{
        let sources = ($l.n($i.s[0]), $l.n($i.s[1]), $l.w($i.s[2]));
        each::three(
            &mut $w,
            sources,
            #[inline(always)]
            |$a: u32, $b: u32, $c: u64| $e,
        );
        ArmResult::Wide
    }};
    (truncate $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident| $e:expr) => {{
        each::one(
            &mut $n,
            $l.w($i.s[0]),
            #[inline(always)]
            |$a: u64| $e,
        );
        ArmResult::Narrow
    }};
    (shift $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.w($i.s[0]), $l.n($i.s[1]));
        each::two(
            &mut $w,
            a,
            b,
            #[inline(always)]
            |$a: u64, $b: u32| $e,
        );
        ArmResult::Wide
    }};
    (compare64 $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.w($i.s[0]), $l.w($i.s[1]));
        let holds = each::holds(
            a,
            b,
            #[inline(always)]
            |$a: u64, $b: u64| $e,
        );
        let to = &mut $p[$i.d.predicate_index()];
        *to = (*to & !$m) | (holds & $m);
        ArmResult::Executed
    }};
    (compare $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.n($i.s[0]), $l.n($i.s[1]));
        let holds = each::holds(
            a,
            b,
            #[inline(always)]
            |$a: u32, $b: u32| $e,
        );
        let to = &mut $p[$i.d.predicate_index()];
        *to = (*to & !$m) | (holds & $m);
        ArmResult::Executed
    }};
}
pub(super) use arm;
