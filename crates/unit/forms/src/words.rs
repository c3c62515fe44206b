//! A macro for enums whose variants have names.

/// Declares an enum whose variants have names: PTX spellings without the dot, or words of files
/// that texunit reads and writes. A variant can have a number: `Clamp(3) = "clamp"`.
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $variant:ident $(($number:literal))? = $text:literal),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum $name { $($(#[$about])* $variant $(= $number)?),* }

        impl $name {
            /// All variants, in the order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// All names with their variants, in the order of declaration.
            pub const NAMES: &'static [(&'static str, $name)] =
                &[$(($text, $name::$variant)),*];

            /// The name of the variant.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The variant with this name.
            pub fn from_name(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
