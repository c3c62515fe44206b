//! Generates the constants of `texunit.h` and a table of the names of status codes, from
//! `data/constants.txt`.

include!("../../cuda/cuda-abi/lists.rs");

fn main() {
    let list = read("data/constants.txt");
    let names = list.lines().filter_map(|line| {
        let (name, rest) = line.split_once(' ')?;
        rest.starts_with("texunit_status ").then(|| format!("({name}, c{name:?}), "))
    });
    let names: String = names.collect();
    let names =
        format!("pub(crate) const NAMES: &[(texunit_status, &std::ffi::CStr)] = &[{names}];");
    write(
        "constants.rs",
        &format!("{}\n/// The statuses with their names.\n{names}\n", constants(&list, "pub")),
    );
}
