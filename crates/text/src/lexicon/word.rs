//! What the table knows about a word: four levels of five bits and a flag per list.

/// The sex that a first name is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sex {
    /// Nine of ten bearers are women.
    Female,
    /// Nine of ten bearers are men.
    Male,
}

/// What is known about a word or phrase. The default is a word that no list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Word(pub(super) u64);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        impl Word {
            $($(#[$doc])* pub fn $name(self) -> bool { self.0 >> (20 + $bit) & 1 != 0 })*

            /// The names of the flags that are set; for explanations and tests.
            pub fn flags(self) -> impl Iterator<Item = &'static str> {
                [$((stringify!($name), $bit)),*].into_iter().filter(move |(_, bit)| self.0 >> (20 + bit) & 1 != 0)
                    .map(|(name, _)| name)
            }
        }
    };
}

// The order is that of `FLAGS` in `knowledge/builder/lexicon.py`.
flags! {
    /// Whether at least one of ten bearers of this first name is a man.
    is_male = 0;
    /// Whether at least one of ten bearers of this first name is a woman.
    is_female = 1;
    /// Whether this is a short form of a first name.
    is_nickname = 2;
    /// Whether this is a medical term or abbreviation.
    is_medical = 3;
    /// Whether this is a usual drug or vaccine by substance or brand, or an official name of a
    /// substance.
    is_drug = 4;
    /// Whether this is a person or place that a disease, sign, score or device is named after, or
    /// the whole phrase.
    is_eponym = 5;
    /// Whether this is a state or province.
    is_state = 6;
    /// Whether this is the postal abbreviation of a state.
    is_state_code = 7;
    /// Whether this is a country.
    is_country = 8;
    /// Whether this ends the name of a street.
    is_street_suffix = 9;
    /// Whether this is part of the names of hospitals and practices.
    is_institution_word = 10;
    /// Whether this is a ward, clinic or department.
    is_ward = 11;
    /// Whether this comes before a person's name.
    is_title = 12;
    /// Whether this comes after a person's name: degrees and generations.
    is_credential = 13;
    /// Whether this is an occupation.
    is_occupation = 14;
    /// Whether this is a month or its abbreviation.
    is_month = 15;
    /// Whether this is a weekday or its abbreviation.
    is_weekday = 16;
    /// Whether this is a relative or companion.
    is_relative = 17;
    /// Whether this is clinical shorthand.
    is_shorthand = 18;
    /// Whether this is part of the names of companies.
    is_company_word = 19;
    /// Whether this is part of the names of schools.
    is_school_word = 20;
    /// Whether this is part of the names of teams and clubs.
    is_team_word = 21;
    /// Whether this is a nationality, an ethnic group, a language or a religion.
    is_nationality = 22;
    /// Whether this joins parts of a last name, such as "van" and "de la".
    is_particle = 23;
    /// Whether this is a holiday.
    is_holiday = 24;
    /// Whether phrases of several words start with this one.
    starts_phrase = 25;
    /// Whether this is a word of section headings and of keys in forms.
    is_heading = 26;
    /// Whether this is an article, pronoun, preposition, conjunction or auxiliary verb.
    is_function = 27;
    /// Whether a sign, test, score, classification, instrument or disease is named after somebody
    /// of this name. Most are last names as well.
    is_eponym_name = 28;
    /// Whether this is a chemical, a plant or a brand that few letters mention. A usual drug is not
    /// one.
    is_substance = 29;
    /// Whether this follows a name in eponyms, such as "sign", "test" and "fracture".
    is_eponym_noun = 30;
    /// Whether this is a product, a brand, or a word of another language that letters mention:
    /// hardly ever a person.
    is_thing = 31;
}

impl Word {
    /// All flags of both. Its levels are at least as high as those of both.
    pub fn or(self, other: Word) -> Word {
        Word(self.0 | other.0)
    }

    fn level(self, shift: u32) -> u8 {
        (self.0 >> shift & 31) as u8
    }

    /// Whether any list has this word.
    pub fn is_known(self) -> bool {
        self.0 & !(1 << (20 + 25)) != 0
    }

    /// Whether this is an ordinary word, a medical term, a drug or a heading that text uses often
    /// and rarely as a name: what an unknown word may be a misspelling of.
    pub fn is_usual(self) -> bool {
        let listed = self.is_medical() || self.is_drug() || self.is_heading();
        (listed || self.common_level() >= USUAL) && self.name_odds() <= 0.0
    }

    /// Whether people have this as first name.
    pub fn is_first_name(self) -> bool {
        self.first_level() > 0
    }

    /// Whether people have this as last name.
    pub fn is_last_name(self) -> bool {
        self.last_level() > 0
    }

    /// Whether this is an ordinary English word.
    pub fn is_common(self) -> bool {
        self.common_level() > 0
    }

    /// Whether this is an English word that text hardly uses, and nothing else.
    pub fn is_rare(self) -> bool {
        const FLAGS: u64 = !((1 << 20) - 1) & !(1 << (20 + 25));
        self.is_common() && self.common_level() <= 2 && self.0 & FLAGS == 0 && !self.is_city()
    }

    /// Whether this is a city or village.
    pub fn is_city(self) -> bool {
        self.level(15) > 0
    }

    /// Whether this is a city of some size that texts mention more than they use the word: "Geelong" is in
    /// lists of words because of the city, "Reading" is not.
    pub fn is_mostly_city(self) -> bool {
        self.population() > 50_000 && self.common_level() <= 13
    }

    /// The sex that a first name is given to, unless it is given to both.
    pub fn sex(self) -> Option<Sex> {
        match (self.is_female(), self.is_male()) {
            (true, false) => Some(Sex::Female),
            (false, true) => Some(Sex::Male),
            _ => None,
        }
    }

    /// How usual a first name is, from 0 to 31. A step is a factor of 1.74.
    pub fn first_level(self) -> u8 {
        self.level(0)
    }

    /// How usual a last name is, from 0 to 31.
    pub fn last_level(self) -> u8 {
        self.level(5)
    }

    /// How usual an ordinary word is, from 0 to 31; uses as a name do not count.
    pub fn common_level(self) -> u8 {
        self.level(10)
    }

    /// The share of people who have this first name.
    pub fn first_name_weight(self) -> f32 {
        share(self.first_level())
    }

    /// The share of people who have this last name.
    pub fn last_name_weight(self) -> f32 {
        share(self.last_level())
    }

    /// The share in English text of this word; uses as a name do not count.
    pub fn common_weight(self) -> f32 {
        share(self.common_level())
    }

    /// The population of the largest city of this name, up to a factor of two; 1 where unknown.
    pub fn population(self) -> u32 {
        match self.level(15) {
            0 => 0,
            level => 1 << (level - 1),
        }
    }

    /// How much more often text means the name than the word, in powers of ten: above 1 for
    /// "Margaret", below -1 for "Will" and "Bath". 0 if it is neither.
    pub fn name_odds(self) -> f32 {
        let (name, word) = (self.first_level().max(self.last_level()), self.common_level());
        match (name, word) {
            (0, 0) => 0.0,
            _ => (f32::from(name) - MENTIONS - f32::from(word)) * 0.8 * std::f32::consts::LOG10_2,
        }
    }
}

/// The level of words that make up ordinary text: from one in four million words on.
const USUAL: u8 = 13;

/// Text mentions a name 0.0114 times as often as people have it, the median of names that are not
/// words: 8 levels less.
const MENTIONS: f32 = 8.0;

/// What a level stands for.
fn share(level: u8) -> f32 {
    match level {
        0 => 0.0,
        _ => (-4.0 - 0.8 * (31.0 - f32::from(level))).exp2(),
    }
}
