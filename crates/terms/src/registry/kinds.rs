//! The macro that makes an enum of a registry: its variants, their list, their entries, and how a
//! policy writes them.

/// Makes a kind: one line per variant with its entry, in the order in which lists and messages show
/// them.
macro_rules! kinds {
    (
        $(#[$about:meta])*
        $Kind:ident($family:expr) => $Entry:ident;
        $($Variant:ident = $entry:expr,)*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Kind {
            $(
                #[doc = concat!("See its [entry](", stringify!($Kind), "::entry).")]
                $Variant,
            )*
        }

        impl $Kind {
            /// All of them, in the order in which lists show them.
            pub const ALL: &'static [$Kind] = &[$($Kind::$Variant,)*];

            /// Their keys, in the same order.
            const KEYS: &'static [&'static str] = &[$($Kind::$Variant.key(),)*];

            /// The entry in the registry.
            pub const fn entry(self) -> &'static $Entry {
                match self {
                    $($Kind::$Variant => {
                        const ENTRY: $Entry = $entry;
                        &ENTRY
                    })*
                }
            }

            /// How policies, certificates and results write it.
            pub const fn key(self) -> &'static str {
                self.entry().key
            }

            /// The one with a key.
            pub fn from_key(key: &str) -> Option<$Kind> {
                $Kind::ALL.iter().copied().find(|kind| kind.key() == key)
            }
        }

        impl std::fmt::Display for $Kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.key())
            }
        }

        impl std::str::FromStr for $Kind {
            type Err = crate::error::Fault;

            /// # Errors
            /// An unknown key, with the nearest and all known ones.
            fn from_str(key: &str) -> Result<Self, Self::Err> {
                $Kind::from_key(key).ok_or_else(|| crate::registry::unknown($family, key))
            }
        }

        impl serde::Serialize for $Kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.key())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Key;

                impl serde::de::Visitor<'_> for Key {
                    type Value = $Kind;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a string")
                    }

                    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<$Kind, E> {
                        $Kind::from_key(key).ok_or_else(|| E::unknown_variant(key, $Kind::KEYS))
                    }
                }

                // Within the reader, so that a fault has the place of the key.
                deserializer.deserialize_str(Key)
            }
        }
    };
}

pub(crate) use kinds;
