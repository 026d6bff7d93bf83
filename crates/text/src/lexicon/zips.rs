//! American postal codes and their cities: a sorted array, searched by halving.

use std::sync::OnceLock;

use super::table;

static BYTES: &[u8] = include_bytes!("../../knowledge/zips.bin.zst");

/// The post office of a postal code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The city as the post office writes it.
    pub city: &'static str,
    /// The two letters of the state.
    pub state: &'static str,
}

struct Zips {
    codes: Vec<u32>,
    towns: Vec<u16>,
    places: Vec<Place>,
}

/// Returns the place of a postal code of five digits, also with four more ("02151-1234").
pub fn zip(code: &str) -> Option<Place> {
    let digits = code.get(..5).filter(|head| head.bytes().all(|byte| byte.is_ascii_digit()))?;
    if !matches!(code.as_bytes().get(5), None | Some(b'-' | b' ')) {
        return None;
    }
    let zips = zips();
    let at = zips.codes.binary_search(&digits.parse().ok()?).ok()?;
    zips.places.get(usize::from(*zips.towns.get(at)?)).copied()
}

fn zips() -> &'static Zips {
    static ZIPS: OnceLock<Zips> = OnceLock::new();
    ZIPS.get_or_init(|| decode().expect("the embedded postal codes are intact, as tests check"))
}

fn decode() -> Option<Zips> {
    // The names of places are used for as long as the program runs.
    let bytes: &'static [u8] = zstd::decode_all(BYTES).ok()?.leak();
    let bytes = bytes.strip_prefix(b"TZP1")?;
    let (count, bytes) = table::number(bytes)?;
    let (towns, mut bytes) = table::number(bytes)?;
    let mut places = Vec::with_capacity(towns);
    for _ in 0..towns {
        let end = memchr::memchr(b'\n', bytes)?;
        let (city, state) = std::str::from_utf8(&bytes[..end]).ok()?.split_once(", ")?;
        places.push(Place { city, state });
        bytes = &bytes[end + 1..];
    }
    let (numbers, _) = bytes.as_chunks::<2>();
    let (steps, towns) = numbers.split_at_checked(count)?;
    let codes = steps.iter().scan(0, |code, &step| {
        *code += u32::from(u16::from_le_bytes(step));
        Some(*code)
    });
    Some(Zips {
        codes: codes.collect(),
        towns: towns.iter().map(|&town| u16::from_le_bytes(town)).collect(),
        places,
    })
}
