// The build scripts of the crates with lists of CUDA's functions and types include this file.

/// The text of a file without comments.
#[allow(dead_code)]
fn read(file: &str) -> String {
    println!("cargo::rerun-if-changed={file}");
    let text = std::fs::read_to_string(file).expect(file);
    text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

/// The `N` columns of a line, separated by spaces; only the last column may contain spaces.
#[allow(dead_code)]
fn columns<const N: usize>(line: &str) -> [&str; N] {
    line.splitn(N, ' ').collect::<Vec<_>>().try_into().expect(line)
}

/// The Rust source of the constants in a list, with this visibility. A line has a constant's name,
/// type, value and meaning.
#[allow(dead_code)]
fn constants(list: &str, visible: &str) -> String {
    let row = |line: &str| {
        let [name, of, value, doc] = columns(line);
        format!("/// {doc}\n{visible} const {name}: {of} = {value};\n")
    };
    list.lines().filter(|line| !line.is_empty()).map(row).collect()
}

/// A function that `cuda-abi/data/driver-functions.txt` declares.
#[allow(dead_code)]
struct Function<'a> {
    /// The keyword before `fn`: `own`, `unsafe`, or none.
    kind: &'a str,
    name: &'a str,
    /// Names and types of the function's parameters.
    parameters: Vec<(&'a str, &'a str)>,
}

#[allow(dead_code)]
fn function(line: &str) -> Function<'_> {
    let (kind, function) = line.split_once("fn ").expect(line);
    let (name, parameters) = function.split_once('(').expect(line);
    let parameters = parameters.strip_suffix(')').expect(line).split(", ");
    let parameters = parameters.filter(|parameter| !parameter.is_empty());
    let parameters = parameters.map(|parameter| parameter.split_once(": ").expect(line));
    Function { kind: kind.trim_end(), name, parameters: parameters.collect() }
}

/// The source of the macro `typed!`, which looks up the parameter types of a listed function:
/// `typed!(cuMemFree_v2 with ...)` expands to `with!(@ [CUdeviceptr] cuMemFree_v2 ...)`. `own`
/// converts each type of the list to the type that the macro passes on.
#[allow(dead_code)]
fn typed<'a>(lines: impl Iterator<Item = &'a str>, own: impl Fn(&str) -> String) -> String {
    let arms = lines.map(|line| {
        let Function { name, parameters, .. } = function(line);
        let types: Vec<String> = parameters.iter().map(|(_, of)| own(of)).collect();
        let types = types.join(", ");
        format!("({name} $with:ident $($more:tt)*) => {{ $with! {{ @ [{types}] {name} $($more)* }} }};\n")
    });
    format!("macro_rules! typed {{\n{}}}\n", arms.collect::<String>())
}

/// The line without a prefix `12:` or `13:`; `None` if the prefix is a major version of CUDA other
/// than `major`.
#[allow(dead_code)]
fn in_version<'a>(line: &'a str, major: &str) -> Option<&'a str> {
    match line.split_once(':') {
        Some((version @ ("12" | "13"), line)) => (version == major).then_some(line),
        _ => Some(line),
    }
}

/// Writes a file into the output folder of the build.
fn write(name: &str, text: &str) {
    let to = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(std::path::Path::new(&to).join(name), text).expect("a file in OUT_DIR");
}

/// Writes `functions.rs`: a call of the macro `not_provided!` with the status type `code` and the
/// names of all functions that these lists mark with `no`.
#[allow(dead_code)]
fn write_not_provided(code: &str, lists: &[&str]) {
    let lists: String = lists.iter().map(|file| read(file)).collect();
    let name = |line: &str| Some(format!(" {}", line.strip_suffix(" no")?.split(' ').next()?));
    let names: String = lists.lines().filter_map(name).collect();
    write("functions.rs", &format!("texunit_client::not_provided! {{ {code}{names} }}\n"));
}

/// The Rust source of the structures in a list (`data/structures.txt`), with this visibility. A
/// name after `12:` or `13:` exists in that major version of CUDA only.
#[allow(dead_code)]
fn structures(list: &str, visible: &str, major: &str) -> String {
    let member = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (name, of) = (words.next().expect("a name"), words.next().expect(line));
        let doc = words.next().map(|doc| format!("/// {doc}\n")).unwrap_or_default();
        format!("{doc}{visible} {name}: {of},\n")
    };
    let structure = |paragraph: &str| {
        let mut lines = paragraph.lines();
        let head = in_version(lines.next()?, major)?;
        let (name, doc) = head.split_once(' ').expect("what the structure is");
        let members: String = lines.filter_map(|line| in_version(line, major)).map(member).collect();
        let eq = if members.contains("f32") { "" } else { ", Eq" };
        Some(format!(
            "/// {doc}\n#[allow(missing_docs)]\n#[derive(Clone, Copy, Debug, Default, PartialEq{eq})]\n\
             #[repr(C)]\n{visible} struct {name} {{\n{members}}}\n"
        ))
    };
    list.trim().split("\n\n").filter_map(structure).collect()
}
