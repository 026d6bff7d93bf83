//! Writes a letter: expands the grammar, fills in the world, and notes what it wrote where.

use std::fmt::Write as _;
use std::ops::Range;

use super::chance::Chance;
use super::grammar::{Grammar, Piece};
use super::slot::{Form, Pronoun, Role, Slot};
use super::world::{self, Person, World};
use super::{Truth, dates, numbers, words};
use crate::span::Kind;

/// A letter in the making.
pub(super) struct Writer<'a> {
    pub grammar: &'a Grammar,
    pub world: &'a World,
    pub chance: &'a mut Chance,
    pub text: String,
    pub truth: Vec<Truth>,
    pub medical: Vec<Range<usize>>,
    pub optional: Vec<Range<usize>>,
    /// Whether names are written in lower case.
    pub lower_names: bool,
    open: usize,
}

impl<'a> Writer<'a> {
    /// A writer with an empty text.
    pub fn new(grammar: &'a Grammar, world: &'a World, chance: &'a mut Chance) -> Self {
        Writer {
            grammar,
            world,
            chance,
            text: String::with_capacity(2048),
            truth: Vec::with_capacity(32),
            medical: Vec::with_capacity(16),
            optional: Vec::new(),
            lower_names: false,
            open: 0,
        }
    }

    /// Writes a rule.
    pub fn rule(&mut self, number: usize) {
        let grammar = self.grammar;
        let rule = &grammar.rules[number];
        let draw = self.chance.below(rule.draws.len());
        for piece in rule.alternative(draw) {
            self.piece(piece);
        }
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Text(text) => self.text.push_str(text),
            Piece::Choice(choices) => self.text.push_str(&choices[self.chance.below(choices.len())]),
            Piece::Rule(rule, low, high) => {
                for number in 0..self.chance.within(*low as i64, *high as i64) {
                    if number > 0 {
                        self.text.push(' ');
                    }
                    self.rule(*rule);
                }
            }
            Piece::Number { low, high, decimals, width } => {
                let value = self.chance.within(*low, *high);
                let _ = match decimals {
                    0 => write!(self.text, "{value:0width$}"),
                    _ => write!(self.text, "{}.{}", value / 10, value % 10),
                };
            }
            Piece::Slot(slot) => self.slot(*slot),
            Piece::Open => self.open = self.text.len(),
            Piece::Close => self.medical.push(self.open..self.text.len()),
        }
    }

    fn mark(&mut self, kind: Kind, value: &str) {
        let start = self.text.len();
        self.text.push_str(value);
        self.truth.push(Truth { start, end: self.text.len(), kind });
    }

    fn may(&mut self, value: &str) {
        let start = self.text.len();
        self.text.push_str(value);
        self.optional.push(start..self.text.len());
    }

    fn slot(&mut self, slot: Slot) {
        let european = self.world.european;
        let chance = &mut *self.chance;
        let (kind, value) = match slot {
            Slot::Person(role, form, capitals) => return self.person(role, form, capitals),
            Slot::Pronoun(pronoun) => return self.pronoun(pronoun),
            Slot::Holiday => return self.holiday(),
            Slot::MonthYear | Slot::Year | Slot::Weekday | Slot::Room => return self.not_identifying(slot),
            Slot::Hospital => (Kind::Institution, self.world.hospital.0.clone()),
            Slot::HospitalCapitals => (Kind::Institution, self.world.hospital.0.to_uppercase()),
            Slot::HospitalShort => (Kind::Institution, self.world.hospital.1.clone()),
            Slot::OtherHospital => (Kind::Institution, world::hospital(&self.world.city, chance).0),
            Slot::Clinic => (Kind::Institution, self.world.clinic.clone()),
            Slot::OtherClinic => (Kind::Institution, world::clinic(chance)),
            Slot::Ward => (Kind::Ward, world::ward(chance)),
            Slot::Employer => (Kind::Employer, world::employer(chance)),
            Slot::School => (Kind::School, world::school(chance)),
            Slot::Team => (Kind::Team, world::team(chance)),
            Slot::Street => (Kind::Street, world::street(european, chance)),
            Slot::City if chance.permille(400) => (Kind::City, self.world.city.clone()),
            Slot::City => (Kind::City, words::city(chance)),
            Slot::State => (Kind::State, chance.pick(&world::STATES).0.to_owned()),
            Slot::StateShort => (Kind::State, chance.pick(&world::STATES).1.to_owned()),
            Slot::Postal => (Kind::PostalCode, numbers::postal(false, chance)),
            Slot::EuropeanPostal => (Kind::PostalCode, numbers::postal(true, chance)),
            Slot::Country => (Kind::Country, chance.pick(&world::COUNTRIES).to_owned()),
            Slot::Phone => (Kind::Phone, numbers::phone(european, chance)),
            Slot::Url => (Kind::Url, url(&self.world.domain, chance)),
            Slot::Ip => (Kind::Ip, numbers::ip(chance)),
            Slot::Record => (Kind::RecordNumber, self.world.record.clone()),
            Slot::National => (Kind::NationalId, self.world.national.clone()),
            Slot::Account => (Kind::Account, numbers::account(chance)),
            Slot::Job => (Kind::RecordNumber, numbers::digits(6, chance)),
            Slot::Accession => (Kind::RecordNumber, numbers::accession(chance)),
            Slot::Dea => (Kind::Licence, numbers::dea(chance)),
            Slot::Npi => (Kind::Licence, numbers::npi(chance)),
            Slot::Licence => (Kind::Licence, numbers::licence(chance)),
            Slot::Serial => (Kind::Device, numbers::serial(chance)),
            Slot::Vehicle => (Kind::Vehicle, numbers::vehicle(chance)),
            Slot::Occupation => (Kind::Occupation, world::occupation(chance)),
            Slot::Age => (Kind::Age, age(self.world.patient.age, chance)),
            Slot::Today | Slot::Birth | Slot::Admitted | Slot::Date | Slot::Day | Slot::ShortDay => {
                (Kind::Date, self.date(slot))
            }
        };
        self.mark(kind, &value);
    }

    fn date(&mut self, slot: Slot) -> String {
        let (world, chance) = (self.world, &mut *self.chance);
        let past = dates::before(world.today, 400, chance);
        match slot {
            Slot::Birth => dates::whole(world.birth, world.style, chance),
            Slot::Admitted => dates::whole(world.admitted, world.style, chance),
            Slot::Day => dates::day(past, world.style, chance),
            Slot::ShortDay => dates::short(past, world.style),
            Slot::Date => dates::whole(past, world.style, chance),
            _ => dates::whole(world.today, world.style, chance),
        }
    }

    fn holiday(&mut self) {
        let value = dates::holiday(self.chance);
        let rest = value.strip_prefix("the ");
        self.text.push_str(match rest {
            Some(_) => "the ",
            None if value.contains(" before ") || value.contains(" after ") => "",
            None => "on ",
        });
        self.mark(Kind::Date, rest.unwrap_or(&value));
    }

    fn not_identifying(&mut self, slot: Slot) {
        let past = dates::before(self.world.today, 4000, self.chance);
        let value = match slot {
            Slot::MonthYear => format!("{} {}", dates::month(past), past.format("%Y")),
            Slot::Year => past.format("%Y").to_string(),
            Slot::Weekday => dates::weekday(self.world.today).to_owned(),
            _ => format!("{}{:02}", self.chance.within(2, 9), self.chance.within(1, 40)),
        };
        self.may(&value);
    }

    fn pronoun(&mut self, pronoun: Pronoun) {
        let patient = &self.world.patient;
        let (female, male) = match pronoun {
            Pronoun::She => ("she", "he"),
            Pronoun::CapitalShe => ("She", "He"),
            Pronoun::Him => ("her", "him"),
            Pronoun::His => ("her", "his"),
            Pronoun::CapitalHis => ("Her", "His"),
            Pronoun::Woman if patient.age < 16 => ("girl", "boy"),
            Pronoun::Woman => ("woman", "man"),
            Pronoun::Lady if patient.age < 16 => ("girl", "boy"),
            Pronoun::Lady => ("lady", "gentleman"),
            Pronoun::Letter => ("F", "M"),
        };
        self.text.push_str(if patient.female { female } else { male });
    }

    fn person(&mut self, role: Role, form: Form, capitals: bool) {
        let world = self.world;
        let person = match role {
            Role::Patient => &world.patient,
            Role::Author => &world.author,
            Role::Recipient => &world.recipient,
            Role::Doctor(number) => &world.doctors[number],
            Role::Relative(number) => &world.relatives[number],
            Role::Nurse => &world.nurse,
            Role::Staff => &world.staff,
        };
        let kind = match form {
            Form::Relation => return self.text.push_str(person.relation),
            Form::Title => return self.text.push_str(self.title(person)),
            Form::She => return self.text.push_str(if person.female { "she" } else { "he" }),
            Form::Age => Kind::Age,
            Form::Email => Kind::Email,
            _ => Kind::Person,
        };
        let mut value = self.name(person, form);
        if capitals {
            value = value.to_uppercase();
        } else if self.lower_names && kind == Kind::Person {
            value = value.to_lowercase();
        }
        self.mark(kind, &value);
    }

    fn title(&self, person: &Person) -> &'static str {
        match (person.female, self.world.european) {
            (true, false) => "Mrs.",
            (true, true) => "Mrs",
            (false, false) => "Mr.",
            (false, true) => "Mr",
        }
    }

    fn name(&mut self, person: &Person, form: Form) -> String {
        let Person { first, last, .. } = person;
        let (f, l) = (Person::initial(first), Person::initial(last).to_ascii_uppercase());
        match form {
            Form::First => first.clone(),
            Form::Last => last.clone(),
            Form::FullMiddle => format!("{first} {}. {last}", person.middle),
            Form::LastFirst => format!("{last}, {first}"),
            Form::InitialLast => format!("{f}. {last}"),
            Form::Initials if self.chance.permille(500) => format!("{f}{l}"),
            Form::Initials => format!("{f}.{l}."),
            Form::Nick => person.nick.clone(),
            Form::Typo => super::odd::typo(last, self.chance),
            Form::Age => person.age.to_string(),
            Form::Email => self.email(person),
            _ if self.chance.permille(100) => format!("{first} {}. {last}", person.middle),
            _ => format!("{first} {last}"),
        }
    }

    fn email(&mut self, person: &Person) -> String {
        let plain = |name: &str| -> String {
            name.to_lowercase().chars().filter(char::is_ascii_alphabetic).collect()
        };
        let (first, last) = (plain(&person.first), plain(&person.last));
        let initial: String = first.chars().take(1).collect();
        let domain = &self.world.domain;
        match self.chance.below(4) {
            0 => format!("{first}.{last}@{domain}"),
            1 => format!("{initial}{last}@{domain}"),
            2 => format!("{first}_{}@{domain}", self.chance.within(1, 99)),
            _ => format!("{last}{initial}@mail.{domain}"),
        }
    }
}

fn url(domain: &str, chance: &mut Chance) -> String {
    match chance.below(4) {
        0 => format!("www.{domain}"),
        1 => format!("https://{domain}/results/{}", numbers::digits(5, chance)),
        2 => format!("http://www.{domain}/p?id={}", numbers::digits(6, chance)),
        _ => format!("https://portal.{domain}"),
    }
}

/// An age as figures; those of children some with months.
fn age(years: u32, chance: &mut Chance) -> String {
    if years < 10 && chance.permille(200) {
        return format!("{years} and {}/12", 1 + chance.below(11));
    }
    years.to_string()
}
