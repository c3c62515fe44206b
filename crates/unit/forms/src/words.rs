//! A macro for enums whose variants have spellings.

/// Declares an enum whose variants have PTX spellings (without the dot).
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $variant:ident = $text:literal),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum $name { $($(#[$about])* $variant),* }

        impl $name {
            /// All variants, in the order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The spelling without the dot.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The variant with this spelling.
            pub fn from_name(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
