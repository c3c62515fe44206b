//! Generates `driver_functions!` from `data/driver-functions.txt`, the structures of
//! `data/structures.txt`, and the numbers of the other lists of `data`.

include!("lists.rs");

fn main() {
    write("codes.rs", &codes(&read("data/codes.txt")));
    write("constants.rs", &constants(&read("data/constants.txt"), "pub"));
    write("enums.rs", &enums(&read("data/enums.txt")));
    write("formats.rs", &formats(&read("data/formats.txt"), &read("data/view-formats.txt")));
    write("types.rs", &types(&read("data/types.txt")));
    write("structures.rs", &structures(&read("data/structures.txt"), "pub", ""));
    write("driver_functions.rs", &driver_functions(&read("data/driver-functions.txt")));
}

/// The source of a call of the macro `codes!` with the rows of `data/codes.txt`.
fn codes(list: &str) -> String {
    let row = |line: &str| {
        let [number, name, runtime, text] = columns(line);
        let prefix = if number == "0" { "CUDA" } else { "CUDA_ERROR" };
        format!("{name} = {number}, \"{prefix}_{name}\", \"{runtime}\", {text:?};\n")
    };
    format!("codes! {{\n{}}}\n", list.lines().map(row).collect::<String>())
}

fn types(list: &str) -> String {
    let row = |line: &str| {
        let [name, of, doc] = columns(line);
        format!("/// {doc}\npub type {name} = {of};\n")
    };
    list.lines().map(row).collect()
}

fn formats(arrays: &str, views: &str) -> String {
    let row = |line: &str| {
        let [name, number, channels] = columns(line);
        format!("({name:?}, {number}, {channels}), ")
    };
    let rows: Vec<String> = arrays.lines().map(row).collect();
    let views: Vec<&str> = views.lines().collect();
    format!(
        "/// Name, `CU_AD_FORMAT_*` and number of channels of each array format.
pub const FORMATS: [(&str, u32, u32); {}] = [{}];
/// Names of the view formats, in the order of `CU_RES_VIEW_FORMAT_*` from 1 on.
pub const VIEW_FORMATS: [&str; {}] = {views:?};\n",
        rows.len(),
        rows.concat(),
        views.len()
    )
}

/// The source of a Rust module for each enumeration that the list has.
fn enums(list: &str) -> String {
    let module = |paragraph: &str| {
        let (head, numbers) = paragraph.split_once('\n').expect("a line of numbers");
        let [name, of, doc] = columns(head);
        let number = |(name, value)| format!("pub const {name}: {of} = {value};\n");
        let numbers = numbers.split_whitespace().map(|word| word.split_once('=').expect(word));
        let numbers: String = numbers.map(number).collect();
        format!("/// {doc}\n#[allow(missing_docs)]\npub mod {name} {{\n{numbers}}}\n")
    };
    list.trim().split("\n\n").map(module).collect()
}

/// The C type, in Rust's spelling, of a parameter type of `data/driver-functions.txt`: `*mut T` for
/// `Out<T>`.
fn in_c(of: &str) -> String {
    match of.split_once('<') {
        Some(("Out" | "InOut", of)) => format!("*mut {}", in_c(&of[..of.len() - 1])),
        Some(("In", of)) => format!("*const {}", in_c(&of[..of.len() - 1])),
        _ => match of {
            "Raw" => "*mut c_void".to_owned(),
            "Text" => "*const c_char".to_owned(),
            _ => of.trim_start_matches("'static,").to_owned(),
        },
    }
}

fn driver_functions(list: &str) -> String {
    let functions: Vec<Function<'_>> = list.lines().map(function).collect();
    let declared = |kind: &str| -> String {
        let of_kind = functions.iter().filter(|function| function.kind == kind);
        let parameter = |(name, of): &(&str, &str)| format!("{name}: {}", in_c(of));
        let declaration = |Function { name, parameters, .. }: &Function<'_>| {
            let parameters: Vec<String> = parameters.iter().map(parameter).collect();
            format!("            fn {name}({});\n", parameters.join(", "))
        };
        of_kind.map(declaration).collect()
    };
    let (safe, not_safe, own) = (declared(""), declared("unsafe"), declared("own"));
    format!(
        "/// Passes the signatures of the driver's functions to a macro, as `$with! {{ safe {{ fn ...; }} unsafe
/// {{ fn ...; }} own {{ fn ...; }} }}`, in the types of `cuda.h`. All functions return a
/// `CUresult`.
///
/// Functions under `safe` can be called by Rust code that passes pointers valid for one value each,
/// as they check everything else. Functions under `unsafe` take a host address as a number or
/// within a structure, or memory whose length follows from other data, or change who may use or
/// free host memory. Those under `own` are called by no other library.
#[macro_export]
macro_rules! driver_functions {{
    ($($with:ident)::+) => {{
        $($with)::+! {{
        safe {{
{safe}        }}
        unsafe {{
{not_safe}        }}
        own {{
{own}        }}
        }}
    }};
}}
"
    )
}
