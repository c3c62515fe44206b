//! Setters for structures that may gain fields, so that callers cannot build them field by field.

/// Defines one setter per line. For example, `with_filter(filter: Filter)` sets the field `filter`
/// from any value that converts to its type.
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
