//! The error for a kernel name that a module does not have, with a suggestion.

/// A kernel that the module does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownKernel {
    /// The requested name.
    pub name: String,
    /// The module's name.
    pub module: String,
    /// The names of the module's kernels, in source order.
    pub kernels: Vec<String>,
    /// The most similar name, if one is similar enough.
    pub nearest: Option<String>,
}

/// Maximum number of names that a message lists.
const MAX_LISTED: usize = 8;
/// Maximum number of letters of a name that are compared.
const MAX_LETTERS: usize = 200;

impl UnknownKernel {
    pub(crate) fn new(name: &str, module: &str, kernels: Vec<String>) -> Self {
        let nearest = nearest(name, &kernels).cloned();
        Self { name: name.to_owned(), module: module.to_owned(), kernels, nearest }
    }
}

/// The name with the fewest differences, which must be at most a third of its letters.
fn nearest<'a>(name: &str, kernels: &'a [String]) -> Option<&'a String> {
    let most = name.chars().count() / 3;
    let is_short = |text: &str| text.len() <= MAX_LETTERS;
    let near = kernels.iter().filter(|known| is_short(known) && is_short(name));
    // If no name is similar: the only kernel whose mangled C++ name contains the given name,
    // preceded by its length as in the mangling.
    let inside = || {
        let mangled = format!("{}{name}", name.len());
        let mut all = kernels.iter().filter(|known| known.contains(&mangled));
        all.next().filter(|_| all.next().is_none())
    };
    near.map(|known| (strsim::osa_distance(known, name), known))
        .filter(|(distance, _)| *distance <= most.max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
        .or_else(inside)
}

impl std::fmt::Display for UnknownKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` has no kernel `{}`", self.module, self.name)?;
        if let Some(near) = &self.nearest {
            return write!(f, "; did you mean `{near}`?");
        }
        let list: Vec<_> = self.kernels.iter().take(MAX_LISTED).map(|k| format!("`{k}`")).collect();
        match self.kernels.len() {
            0 => write!(f, ": it has no `.entry` at all"),
            n if n > MAX_LISTED => {
                write!(f, "; it has {} and {} more", list.join(", "), n - MAX_LISTED)
            }
            _ => write!(f, "; it has {}", list.join(", ")),
        }
    }
}

impl std::error::Error for UnknownKernel {}
