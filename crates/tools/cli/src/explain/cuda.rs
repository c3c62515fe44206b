//! Translates CUDA C++ names of fetches and surface accesses to PTX, for messages.

/// The PTX for a CUDA C++ function, as part of a sentence; `None` for other functions.
pub(super) fn ptx_of(name: &str) -> Option<String> {
    let (function, element) = match name.split_once('<') {
        Some((function, rest)) => (function, rest.trim_end_matches(['>', '(', ')', ' '])),
        None => (name.trim_end_matches(['(', ')']), ""),
    };
    if let Some(form) = surface(function) {
        return Some(form);
    }
    let result = match element.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "int" | "short" | "char" => "s32",
        "uint" | "ushort" | "uchar" | "unsigned int" | "unsigned short" | "unsigned char" => "u32",
        _ => "f32",
    };
    let form = if function == "tex1Dfetch" {
        format!("tex.1d.v4.{result}.s32")
    } else if function == "tex2Dgather" {
        format!("tld4.r.2d.v4.{result}.f32")
    } else {
        format!("{}.v4.{result}.f32", texture(function)?)
    };
    let others = if element.is_empty() {
        "; v4.u32 and v4.s32 are for textures of integers that are read as they are"
    } else {
        ""
    };
    Some(format!("`{form}`{others}"))
}

/// `tex.level.a2d` for `tex2DLayeredLod`.
fn texture(function: &str) -> Option<String> {
    let rest = function.strip_prefix("tex")?;
    let (rest, kind) = match rest.strip_suffix("Lod") {
        Some(rest) => (rest, ".level"),
        None => rest.strip_suffix("Grad").map_or((rest, ""), |rest| (rest, ".grad")),
    };
    Some(format!("tex{kind}.{}", geometry(rest)?))
}

fn geometry(name: &str) -> Option<&'static str> {
    Some(match name {
        "1D" => "1d",
        "2D" => "2d",
        "3D" => "3d",
        "1DLayered" => "a1d",
        "2DLayered" => "a2d",
        "Cubemap" => "cube",
        "CubemapLayered" => "acube",
        _ => return None,
    })
}

/// PTX for `surf2Dread` and its relatives.
fn surface(function: &str) -> Option<String> {
    let rest = function.strip_prefix("surf")?;
    let (rest, op) = match rest.strip_suffix("read") {
        Some(rest) => (rest, "suld"),
        None => (rest.strip_suffix("write")?, "sust"),
    };
    let geometry = geometry(rest)?.replace("acube", "a2d").replace("cube", "a2d");
    Some(format!(
        "`{op}.b.{geometry}.b32.trap`, with the size of the element (b8 to b64, v2 or v4 before it)"
    ))
}
