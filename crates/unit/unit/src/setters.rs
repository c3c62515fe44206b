//! Setters of structures that may grow, and so cannot be made field by field.

/// Writes a setter for each row: `with_filter(filter: Filter)` sets the field `filter`, of what converts into its type.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($name:ident $(<$a:lifetime>)? { $($with:ident($field:ident: $type:ty);)* }) => {
        impl $(<$a>)? $name $(<$a>)? {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                #[allow(clippy::useless_conversion)] // where it is the type itself
                pub fn $with(mut self, $field: $type) -> Self {
                    self.$field = $field.into();
                    self
                }
            )*
        }
    };
}
