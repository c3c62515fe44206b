//! Tests that values survive writing and reading, that earlier names are accepted with a note, and
//! that docs/resources.md describes every key.

#![allow(clippy::unwrap_used)]

use texunit_spec::{
    Context, Problem, SamplerSpec, ShapeSpec, Table, Texels, keys, per_axis, write,
};
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ArrayShape, CompareFunction, Extent, Filter, Geometry, Layout, Sampler,
};
use toml::de::DeTable;

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/resources.md");
    std::fs::read_to_string(path).unwrap()
}

/// Parses a text with `read`, and returns its result with the collected mistakes and notes.
fn read<T>(
    text: &str,
    context: Context,
    read: impl FnOnce(&Table<'_>) -> T,
) -> (T, Vec<Problem>, Vec<Problem>) {
    let document = DeTable::parse(text).unwrap();
    let table = Table::root(document.get_ref(), &context);
    let value = read(&table);
    table.finish();
    (value, context.problems.take(), context.take_notes())
}

/// A sampler in which each setting differs from its default and from the other settings.
fn unusual() -> Sampler {
    Sampler::default()
        .with_filter(Filter::Linear)
        .with_mip_filter(Filter::Linear)
        .with_address_modes([AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border])
        .with_border_bits([0x3f80_0000, 0x7fc0_1234, 0x0000_0001, 0x8000_0000])
        .with_min_level_clamp(0.1)
        .with_max_level_clamp(1e-20)
        .with_level_bias(-1.5)
        .with_max_anisotropy(16)
        .with_force_unnormalized_coords(true)
        .with_srgb(true)
        .with_seamless_cube(true)
        .with_compare(Some(CompareFunction::GreaterEqual))
}

#[test]
fn samplers_are_read_as_they_are_written() {
    let usual = Sampler::default();
    for sampler in [usual, unusual()] {
        for entries in [write::independent_sampler(&sampler), write::changed_sampler(&sampler)] {
            let text = toml::to_string(&write::table(entries)).unwrap();
            let (spec, problems, notes) = read(&text, Context::default(), SamplerSpec::read);
            assert_eq!((problems, notes), (vec![], vec![]), "{text}");
            assert_eq!(spec.build(), sampler, "{text}");
        }
    }
    assert_eq!(write::changed_sampler(&usual), []);
    // The writer writes every key, under its present name.
    let names: Vec<_> = write::independent_sampler(&usual).iter().map(|entry| entry.0).collect();
    let given = keys::RENAMED.iter().filter(|key| names.contains(&key.name)).count();
    assert_eq!((given, names.len()), (9, 12));
}

#[test]
fn inline_tables_are_toml() {
    let entries = write::texture(texunit_unit::ReadMode::NormalizedFloat, true, &unusual());
    let text = format!("a = {{ {} }}", write::inline(&entries));
    let table: toml::Table = text.parse().unwrap();
    assert_eq!(table["a"].as_table(), Some(&write::table(entries)));
}

/// An earlier name of a key gives the same value as the present name, and one note with the
/// replacement.
#[test]
fn earlier_names() {
    let values = [
        ("filter_mode", "'linear'"),
        ("mipmap_filter_mode", "'linear'"),
        ("address_mode", "'wrap'"),
        ("border_color", "[1, 0, 0, 0.5]"),
        ("min_mipmap_level_clamp", "1"),
        ("max_mipmap_level_clamp", "2"),
        ("mipmap_level_bias", "0.5"),
        ("seamless_cubemap", "true"),
        ("force_unnormalized_coords", "true"),
    ];
    let page = page();
    for (name, value) in values {
        let key = keys::RENAMED.iter().find(|key| key.name == name).unwrap();
        let text = format!("{name} = {value}");
        let (new, problems, notes) = read(&text, Context::default(), SamplerSpec::read);
        assert_eq!((problems, notes), (vec![], vec![]), "{text}");
        assert_ne!(new, SamplerSpec::default());
        for old in key.old {
            let written = format!("{old} = {value}");
            let (spec, problems, mut notes) = read(&written, Context::default(), SamplerSpec::read);
            assert_eq!((spec, problems), (new, vec![]), "{written}");
            let note = notes.pop().unwrap();
            assert_eq!((note.key.as_str(), notes), (*old, vec![]));
            assert_eq!(note.message, format!("`{old}` is called `{name}`"));
            let (range, replacement) = &note.edits[0];
            let mut mended = written.clone();
            mended.replace_range(range.clone(), replacement);
            assert_eq!(mended, text);
            // A table with both names has a mistake, and a message about a wrong value uses the
            // name that the file has.
            let (_, problems, _) =
                read(&format!("{written}\n{text}"), Context::default(), SamplerSpec::read);
            let both = format!("`{old}` and `{name}` are the same key");
            assert_eq!(problems[0].message, both);
            let wrong = format!("{old} = {{}}");
            let (_, problems, _) = read(&wrong, Context::default(), SamplerSpec::read);
            assert_eq!(problems[0].key, *old);
        }
    }
    for key in keys::RENAMED {
        for name in key.old.iter().chain([&key.name]) {
            assert!(page.contains(&format!("`{name}")), "docs/resources.md lacks `{name}`");
        }
    }
}

/// Several occurrences of an outdated name give one note, whose replacements correct all of them.
#[test]
fn one_note_for_a_name() {
    let text = "a = { filter = 'point' }\nb = { filter = 'linear' }\nc = { srgb = true }";
    let (_, problems, notes) = read(text, Context::default(), |root| {
        for (_, value) in root.entries() {
            SamplerSpec::read(&value.table().unwrap());
        }
        ["a", "b", "c"].iter().for_each(|key| root.allow(key));
    });
    assert_eq!((problems, notes.len()), (vec![], 1));
    assert_eq!((notes[0].key.as_str(), notes[0].edits.len()), ("a.filter", 2));
    assert_eq!(notes[0].help.as_deref(), Some("it is there 2 times"));
}

#[test]
fn the_last_mode_is_that_of_the_axes_after_it() {
    assert_eq!(per_axis(&[1]), Some([1, 1, 1]));
    assert_eq!(per_axis(&[1, 2]), Some([1, 2, 2]));
    assert_eq!(per_axis(&[1, 2, 3]), Some([1, 2, 3]));
    assert_eq!(per_axis::<u8>(&[]), None);
    assert_eq!(per_axis(&[1, 2, 3, 4]), None);
}

#[test]
fn shapes_are_read_as_they_are_written() {
    let format = Format::from_name("u8x4").unwrap();
    for &geometry in Geometry::ALL {
        let extent = Extent { width: 8, height: 8, depth: 4 };
        let shape = ArrayShape::new(format, geometry, extent);
        let shape = ArrayShape { layers: 3, levels: Some(2), samples: 4, ..shape };
        let text = toml::to_string(&write::table(write::shape(&shape))).unwrap();
        let (spec, problems, notes) = read(&text, Context::default(), ShapeSpec::read);
        assert_eq!((problems, notes), (vec![], vec![]), "{text}");
        assert_eq!(spec.geometry.unwrap().value, geometry);
        assert_eq!(usize::from(spec.extent.dims), geometry.axes(), "{text}");
        assert_eq!(spec.layers.map(|v| v.value), geometry.is_array().then_some(3));
        assert_eq!(spec.samples.map(|v| v.value), geometry.is_multisample().then_some(4));
        assert_eq!(spec.levels.unwrap().value, 2);
    }
    for layout in [Layout::Array, Layout::Linear, Layout::Pitched] {
        let text = write::layout(layout).map_or(String::new(), |(key, v)| format!("{key} = {v}"));
        let (spec, ..) = read(&text, Context::default(), ShapeSpec::read);
        assert_eq!(spec.layout.unwrap_or(Layout::Array), layout);
    }
}

#[test]
fn texels_are_read_as_they_are_written() {
    let format = Format::from_name("u16x2").unwrap();
    let sizes = [8, 4];
    for texels in [
        Texels::Bytes((0..12).collect()),
        Texels::Bytes(vec![1, 2, 3]),
        Texels::Fill(vec![1, 2, 3, 4]),
        Texels::Ramp { first: -1, step: i64::MIN },
        Texels::ByLevel { first: 7, step: 1 },
        Texels::Random(u32::MAX),
        Texels::Published(9),
    ] {
        let (key, value) = texels.entry(format, &sizes);
        let text = format!("texels = {{ {key} = {value} }}");
        assert!(page().contains(&format!("| `{key}` |")), "{key}");
        let (again, problems, notes) = read(&text, Context::default(), |table| {
            Texels::read(&table.get("texels").unwrap(), Some(format))
        });
        assert_eq!((problems, notes), (vec![], vec![]), "{text}");
        assert_eq!(again.unwrap().value, texels, "{text}");
    }
    let ramp = Texels::Ramp { first: 65_534, step: 1 };
    let packed = ramp.packed(format, &sizes).unwrap();
    assert_eq!(packed, [0xfe, 0xff, 0xff, 0xff, 0, 0, 1, 0, 2, 0, 3, 0]);
    assert_eq!(
        Texels::ByLevel { first: 1, step: 2 }.packed(format, &sizes).unwrap(),
        [1, 0, 1, 0, 1, 0, 1, 0, 3, 0, 3, 0]
    );
    assert_eq!(
        Texels::Bytes(vec![0]).packed(format, &sizes).unwrap_err(),
        "there is 1 byte of texels, not 12"
    );
    let block = Format::from_name("bc1").unwrap();
    assert!(ramp.packed(block, &[8]).unwrap_err().contains("whole numbers of bytes"));
}
