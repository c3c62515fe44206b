//! serde's traits for the types of this crate. Its derive macro takes longer to compile than the
//! whole crate, and a first build of the program would need it for nothing else.

use serde_core::de::{DeserializeOwned, Error};
use serde_json::{Map, Value};

/// Implements serde's traits for a structure: an object of its fields. A field with a mark may be
/// missing, and is then its type's default; with `[?]`, a default is not written.
macro_rules! record {
    ($name:ident { $($field:ident $([$mark:tt])?),* $(,)? }) => {
        impl serde_core::Serialize for $name {
            fn serialize<S: serde_core::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                use serde_core::ser::SerializeMap as _;
                let mut object = to.serialize_map(None)?;
                $(if $crate::record::record!(@is_written $($mark)? self.$field) {
                    object.serialize_entry(stringify!($field), &self.$field)?;
                })*
                object.end()
            }
        }

        impl<'de> serde_core::Deserialize<'de> for $name {
            fn deserialize<D: serde_core::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let mut object = <_>::deserialize(from)?;
                Ok(Self {
                    $($field: match $crate::record::field(&mut object, stringify!($field))? {
                        Some(value) => value,
                        None => $crate::record::record!(@missing $field $($mark)?),
                    },)*
                })
            }
        }
    };
    (@is_written ? $value:expr) => { !$crate::record::is_default(&$value) };
    (@is_written $(=)? $value:expr) => { true };
    (@missing $field:ident) => {
        return Err(serde_core::de::Error::missing_field(stringify!($field)))
    };
    (@missing $field:ident $mark:tt) => { Default::default() };
}
pub(crate) use record;

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The value of a field, or `None` if the object lacks it.
pub(crate) fn field<T: DeserializeOwned, E: Error>(
    object: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<T>, E> {
    object.remove(name).map(T::deserialize).transpose().map_err(E::custom)
}

#[cfg(test)]
mod tests {
    use crate::place::Frame;

    #[test]
    fn marked_fields_may_be_missing() {
        let read = |text: &str| serde_json::from_str::<Frame>(text);
        let text = r#"{"via":"inlined","file":"a.cu","line":3}"#;
        let mut frame = read(text).unwrap();
        assert_eq!(serde_json::to_string(&frame).unwrap(), text);
        frame.column = Some(7);
        assert_eq!(read(&serde_json::to_string(&frame).unwrap()).unwrap(), frame);
        for (text, error) in [
            (r#"{"via":"called","file":"a.cu"}"#, "missing field `line`"),
            (r#"{"via":"near","file":"a.cu","line":3}"#, "unknown variant `near`"),
        ] {
            let said = read(text).unwrap_err().to_string();
            assert!(said.starts_with(error), "{said}");
        }
    }
}
