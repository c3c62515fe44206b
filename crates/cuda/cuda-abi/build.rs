//! Generates `driver_functions!` from `data/driver-functions.txt`.

fn main() {
    let file = "data/driver-functions.txt";
    println!("cargo::rerun-if-changed={file}");
    let list = std::fs::read_to_string(file).expect("the list of functions");
    let (mut safe, mut not_safe) = (String::new(), String::new());
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let (of, function) = match line.strip_prefix("unsafe ") {
            Some(function) => (&mut not_safe, function),
            None => (&mut safe, line),
        };
        *of += &format!("            {function};\n");
    }
    let text = format!(
        "/// Passes the signatures of the driver's functions to a macro, as `$with! {{ safe {{ fn ...; }} unsafe
/// {{ fn ...; }} }}`, in the types of `cuda.h`. All functions return a `CUresult`.
///
/// Functions under `safe` can be called by Rust code that passes pointers valid for one value each,
/// as they check everything else. Functions under `unsafe` take a host address as a number or
/// within a structure, or memory whose length follows from other data, or change who may use or
/// free host memory.
#[macro_export]
macro_rules! driver_functions {{
    ($($with:ident)::+) => {{
        $($with)::+! {{
        safe {{
{safe}        }}
        unsafe {{
{not_safe}        }}
        }}
    }};
}}
"
    );
    let to = std::env::var_os("OUT_DIR").expect("cargo sets it");
    let to = std::path::Path::new(&to).join("driver_functions.rs");
    std::fs::write(to, text).expect("a file in OUT_DIR");
}
