//! Sets of words that rules ask for, as bits of cues: which sets have a word is looked up once.

use super::super::{
    address, age, body, club, employer, famous, institution, licence, lower, national, occupation,
    organization, phone, record, room, school, state, street, tails, team, town, vehicle,
};
use crate::cues::Sets;
use crate::words::WordSet;

macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident $bit:literal = $($words:expr),+;)*) => {
        impl Sets {
            $($(#[$doc])* pub const $name: Sets = Sets(1 << $bit);)*
        }

        /// The words of the sets.
        pub(crate) const SETS: &[(Sets, WordSet)] = &[$($((Sets::$name, $words)),+),*];
    };
}

sets! {
    /// A last word of an organization or business.
    TAIL 0 = tails::STRONG, tails::WEAK, tails::TRADES, words!["co"];
    /// A last word of a small street or house.
    ENDING 1 = address::ENDINGS, address::HOUSES, address::SHORT;
    /// A role of a person in a place.
    ROLE 2 = occupation::ROLES;
    /// A state with dots, or a region that no list of states has.
    REGION 3 = state::ONE, state::SEVERAL, state::DOTTED;
    /// A first word of a school, fort or coloured team.
    FIRST 4 = school::FIRST, town::FORTS, club::COLOURS, words!["pact", "team"];
    /// Before a city, as `city` reads them.
    BEFORE_CITY 5 = words![
        "in", "from", "near", "outside", "to", "of", "around", "aus", "nach", "toward", "visiting",
        "through", "leaving", "into", "en", "à", "downtown", "for",
    ];
    /// Before an employer.
    BEFORE_WORK 6 = words!["at", "for", "by", "with", "in", "from"];
    /// Before a team.
    BEFORE_PLAY 7 = words!["for", "with", "against", "of", "in"];
    /// Before a named house.
    BEFORE_HOUSE 8 = words![
        "at", "outside", "near", "past", "behind", "opposite", "from", "in", "to", "inside", "by",
    ];
    /// Where something is.
    AT 9 = words!["at", "bei"];
    /// Where something is, comes from or goes to.
    TO 10 = words!["at", "from", "to"];
    /// An article.
    ARTICLE 11 = words!["the", "a"];
    /// "The".
    THE 12 = words!["the"];
    /// Behind a role.
    AFTER_ROLE 13 = words!["of", "for", "at", "in", "on"];
    /// Behind a name that is introduced.
    VERB 14 = words!["is", "was"];
    /// "Of".
    OF 15 = words!["of"];
    /// Before the other side of a game.
    RIVAL 16 = club::RIVALS;
    /// Before a town.
    WHERE 17 = town::WHERE;
    /// Before a business.
    OWNS 18 = employer::OWNS;
    /// Behind a side that has an age.
    YOUNG 19 = club::YOUNG;
    /// Behind a town on an itinerary.
    TIMES 20 = town::TIMES;
    /// Kinds of businesses.
    BUSINESS 21 = employer::KINDS;
    /// Games of teams.
    GAME 22 = team::GAMES;
    /// Heads that come first.
    FIRST_HEAD 23 = words!["camp", "childminder", "creche"];
    /// Names of national numbers.
    NATIONAL 24 = national::NAMES;
    /// Ranks that have a number.
    RANK 25 = licence::RANKS;
    /// Things that have a number.
    THING 26 = record::THINGS;
    /// A word of a union, congregation or other body.
    BODY 27 = body::WORDS;
    /// A nickname of a team.
    NICKNAME 28 = club::NICKNAMES;
    /// Vehicles, and words of their plates.
    VEHICLE 29 = vehicle::VEHICLES;
    /// Behind a body.
    BODY_BEHIND 30 = body::BEHIND;
    /// Before a body that treats somebody.
    TREATED 31 = body::TREATED;
    /// One of the first two words behind an age.
    AGE_BEHIND 32 =
        age::behind::MONTHS, age::behind::OLD, age::behind::YEARS, age::behind::JOINED, age::behind::LETTERS,
        age::behind::SEXES, age::UNITS, words!["next"];
    /// Directly before an age.
    AGE_BEFORE 33 =
        age::before::CONTRACTED, age::before::SOMEBODY, age::before::BEING, age::before::TURNED, age::before::ABOUT,
        age::family::CHILDREN, words!["now", "of", "at", "and", "or"];
    /// Before the number of a plot or block.
    PLOT 34 = address::PLOTS, address::BLOCKS;
    /// Before the number of a road.
    ROUTE 35 = street::ROUTES;
    /// Kinds of streets that are abbreviated before the name.
    AVENUE 36 = street::KINDS;
    /// Before where somebody was moved.
    MOVED 37 = room::MOVED;
    /// Last words of a practice of a specialty.
    SPECIALTY 38 = institution::KINDS;
    /// What is short for a hospital, as its last word or its first.
    HOSPITAL 39 = institution::SHORT, institution::ROYAL;
    /// Words beside initials of who typed a letter.
    TYPIST 40 = lower::TYPISTS;
    /// Before a call sign.
    CALL 41 = vehicle::CALLS;
    /// Words that a name in small letters is behind.
    CALLED 42 = lower::TITLES, lower::GREETINGS, lower::WORKERS, words!["with"];
    /// Keys of extensions.
    EXTENSION 43 = phone::EXTENSIONS;
    /// A word of the name of a known organization.
    FAMOUS 45 = famous::EMPLOYERS, famous::INSTITUTIONS, famous::FIRST;
    /// A last word of an organization behind certain words, and these words.
    PAIRED 46 = tails::PAIRED;
    /// The words before it.
    FIRSTS 47 = tails::FIRSTS;
    /// Before an organization of no usual kind.
    BEFORE_UNUSUAL 44 = organization::BEFORE;
}
