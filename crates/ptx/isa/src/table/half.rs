//! Table rows of half precision instructions (9.7.4): f16, bf16 and their pairs.

super::rows! { ROWS:
    Add "rnd:rn? ftz? sat? ty:HALF", "d:0 s:0 s:0", 42, 53, "9.7.4.1", "sum";
    Add "rnd:rn? ty:BHALF", "d:0 s:0 s:0", 78, 90, "9.7.4.1", "sum";
    Sub "rnd:rn? ftz? sat? ty:HALF", "d:0 s:0 s:0", 42, 53, "9.7.4.2", "difference";
    Sub "rnd:rn? ty:BHALF", "d:0 s:0 s:0", 78, 90, "9.7.4.2", "difference";
    Mul "rnd:rn? ftz? sat? ty:HALF", "d:0 s:0 s:0", 42, 53, "9.7.4.3", "product";
    Mul "rnd:rn? ty:BHALF", "d:0 s:0 s:0", 78, 90, "9.7.4.3", "product";
    Fma "rnd:rn ftz? sat? ty:HALF", "d:0 s:0 s:0 s:0", 42, 53, "9.7.4.4", "fused multiply-add";
    Fma "rnd:rn ftz? relu ty:HALF", "d:0 s:0 s:0 s:0", 70, 80, "9.7.4.4", "fused multiply-add, at least 0";
    Fma "rnd:rn relu? ty:BHALF", "d:0 s:0 s:0 s:0", 70, 80, "9.7.4.4", "fused multiply-add";
    Fma "rnd:rn oob relu? ty:f16|f16x2|bf16|bf16x2", "d:0 s:0 s:0 s:0", 81, 90, "9.7.4.4", "fused multiply-add, 0 for out-of-bounds NaN";
    Neg "ftz? ty:HALF", "d:0 s:0", 60, 53, "9.7.4.5", "negation";
    Neg "ty:BHALF", "d:0 s:0", 70, 80, "9.7.4.5", "negation";
    Abs "ftz? ty:HALF", "d:0 s:0", 65, 53, "9.7.4.6", "absolute value";
    Abs "ty:BHALF", "d:0 s:0", 70, 80, "9.7.4.6", "absolute value";
    Min "ftz? NaN? ty:HALF", "d:0 s:0 s:0", 70, 80, "9.7.4.7", "smaller of two";
    Min "ftz? NaN? xorsign abs ty:HALF", "d:0 s:0 s:0", 72, 86, "9.7.4.7", "smaller of two magnitudes";
    Min "NaN? ty:BHALF", "d:0 s:0 s:0", 70, 80, "9.7.4.7", "smaller of two";
    Min "NaN? xorsign abs ty:BHALF", "d:0 s:0 s:0", 72, 86, "9.7.4.7", "smaller of two magnitudes";
    Max "ftz? NaN? ty:HALF", "d:0 s:0 s:0", 70, 80, "9.7.4.8", "greater of two";
    Max "ftz? NaN? xorsign abs ty:HALF", "d:0 s:0 s:0", 72, 86, "9.7.4.8", "greater of two magnitudes";
    Max "NaN? ty:BHALF", "d:0 s:0 s:0", 70, 80, "9.7.4.8", "greater of two";
    Max "NaN? xorsign abs ty:BHALF", "d:0 s:0 s:0", 72, 86, "9.7.4.8", "greater of two magnitudes";
    Tanh "approx ty:f16|f16x2", "d:0 s:0", 70, 75, "9.7.4.9", "hyperbolic tangent";
    Tanh "approx ty:bf16|bf16x2", "d:0 s:0", 78, 90, "9.7.4.9", "hyperbolic tangent";
    Ex2 "approx ty:f16|f16x2", "d:0 s:0", 70, 75, "9.7.4.10", "power of 2";
    Ex2 "approx ftz ty:bf16|bf16x2", "d:0 s:0", 78, 90, "9.7.4.10", "power of 2";
}
