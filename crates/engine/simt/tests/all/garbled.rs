//! Tests that forms which ptxas miscompiles pass a permissive check but are not executed.

use texunit_check::{Options, check_with};
use texunit_simt::{Symbols, lower};
use texunit_syntax::{SourceFile, parse};

#[test]
fn forms_without_a_meaning_are_refused() {
    #[rustfmt::skip]
    let rows = [
        ("E0401", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %f1];"),
        ("E0401", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}], %s1;"),
        ("E0401", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd1, {%s1, %s1}];"),
        ("E0401", "tex.grad.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2, %f3, %f4}], {%f1, %f2}, {%f1, %f2};"),
        ("E0401", "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}], 3;"),
        ("E0402", "suld.b.2d.b32.trap {%s1}, [%rd1, %s1];"),
        ("E0402", "sust.b.1d.b32.trap [%rd1, {%s1}], {%s1, %s1};"),
        ("E0402", "sust.p.1d.v2.b32.trap [%rd1, {%s1}], %s1;"),
    ];
    for (code, inst) in rows {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {{ .reg .u64 %rd<2>; \
             .reg .s32 %s<2>; .reg .f32 %f<5>; {inst} ret; }}"
        );
        let source = SourceFile::new("t.ptx", &text);
        let parsed = parse(&source);
        let module = |options| check_with(&source, &parsed.module, options);
        assert!(module(Options::default()).diagnostics.iter().any(|d| d.is_error()), "{inst}");
        let checked = module(Options::PTXAS);
        assert!(!checked.diagnostics.iter().any(|d| d.is_error()), "{inst}");
        let program = lower(checked.module, Symbols::default(), source.clone());
        let unsupported = program.unsupported(program.kernel("k").unwrap());
        let codes: Vec<_> = unsupported.iter().map(|d| d.code).collect();
        assert_eq!(codes, [code], "{inst}");
        assert!(unsupported[0].help.as_ref().unwrap().contains("miscompiles"));
    }
}
