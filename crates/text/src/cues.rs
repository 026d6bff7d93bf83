//! Words that say what stands beside them: titles, relatives, months, keys of a form, heads of
//! names of institutions.
//!
//! A word has a set of classes and, for months, weekdays and numbers, a value. The table is made
//! once, by the hashes of the lexicon, so that a word is hashed once for both. Foreign words are
//! those of German, French, Spanish, Italian and Dutch letters.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::lexicon::{self, Word};

/// Classes of a word, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Classes(pub u64);

impl Classes {
    /// No class.
    pub const NONE: Classes = Classes(0);

    /// Whether any of some classes is set.
    pub fn any(self, other: Classes) -> bool {
        self.0 & other.0 != 0
    }

    /// All of both.
    pub const fn or(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }
}

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident $bit:literal,)*) => {
        $($(#[$doc])* pub const $name: Classes = Classes(1 << $bit);)*
    };
}

classes! {
    /// Before a name: "Dr", "Mrs", "Herr".
    TITLE 0,
    /// After a name: "MD", "RN", "PhD", "Jr".
    CREDENTIAL 1,
    /// A member of the family or household.
    RELATIVE 2,
    /// A profession in health care.
    ROLE 3,
    /// A word after which a person is named: "by", "Dear", "cc".
    BEFORE_PERSON 4,
    /// A word that follows its subject: "reports", "underwent".
    AFTER_PERSON 5,
    /// A month, with its number.
    MONTH 6,
    /// A day of the week.
    WEEKDAY 7,
    /// A holiday.
    HOLIDAY 8,
    /// A season.
    SEASON 9,
    /// A number in words, with its value.
    NUMBER 10,
    /// An ordinal in words, with its value.
    ORDINAL 11,
    /// Day, week, month, year, hour.
    TIME_UNIT 12,
    /// Age, aged, yo.
    AGE 13,
    /// A key of a person in a form: "Patient", "Attending".
    KEY_PERSON 14,
    /// A key of a date in a form: "DOB", "Admitted".
    KEY_DATE 15,
    /// A key of a number of a record.
    KEY_RECORD 16,
    /// A key of a number of an account or policy.
    KEY_ACCOUNT 17,
    /// A key of a phone, fax or pager.
    KEY_PHONE 18,
    /// A key of a licence or certificate.
    KEY_LICENCE 19,
    /// A key of a device.
    KEY_DEVICE 20,
    /// A key of a vehicle.
    KEY_VEHICLE 21,
    /// A key of a national number.
    KEY_NATIONAL 22,
    /// A key of an address.
    KEY_ADDRESS 23,
    /// A key of an institution.
    KEY_INSTITUTION 24,
    /// A key of an employer.
    KEY_EMPLOYER 25,
    /// A key of an occupation.
    KEY_OCCUPATION 26,
    /// "No", "number", "#", "ID": turns a word before it into a key of a number.
    NUMBER_WORD 27,
    /// Last word of a street: "Street", "Ave", "Rd".
    STREET_SUFFIX 28,
    /// First word of a street: "Rue", "Calle", "Via".
    STREET_PREFIX 29,
    /// A part of a building: "Apt", "Suite".
    BUILDING_PART 30,
    /// Head of an institution's name.
    INSTITUTION_HEAD 31,
    /// Head of a ward's name.
    WARD_HEAD 32,
    /// Head of a school's name.
    SCHOOL_HEAD 33,
    /// Last word of a company's name.
    COMPANY_SUFFIX 34,
    /// Employed, works.
    WORK 35,
    /// Head of a team's name.
    TEAM_HEAD 36,
    /// A preposition before places: "in", "from".
    BEFORE_PLACE 37,
    /// Lives, moved, born: with a preposition, a place follows.
    LIVING 38,
    /// A unit of measurement.
    UNIT 39,
    /// An office that one person holds at a time: "mayor".
    OFFICE 40,
    /// A lower-case part of a family name: "van", "de".
    PARTICLE 41,
    /// After an eponym: "disease", "syndrome", "catheter".
    EPONYM_HEAD 42,
    /// Ordinary word at the start of a letter's last lines: "Sincerely".
    CLOSING 43,
    /// A direction in an address: "N", "West".
    DIRECTION 44,
    /// A form of a drug: "tablet", "daily".
    DOSE 45,
    /// "Before", "after", "since", "on", "until": a date follows.
    BEFORE_DATE 46,
    /// A word in names of institutions and streets beside the head: "General", "Saint".
    NAME_FILLER 47,
    /// A county, province or the like.
    REGION_HEAD 48,
    /// A key of a city or town.
    KEY_CITY 49,
    /// A key of a state or country.
    KEY_STATE 50,
    /// A key of a postal code.
    KEY_POSTAL 51,
    /// A key of an age.
    KEY_AGE 52,
    /// Ordinary parts of a name of a team or sport: "soccer", "junior".
    SPORT 53,
    /// A key of a school.
    KEY_SCHOOL 54,
    /// A key of a ward, bed or room.
    KEY_WARD 55,
    /// A section or heading of a note, or an ordinary word of one.
    HEADING 56,
    /// A word that is written with a capital in notes and names nobody: "Patient", "I", "He".
    NOBODY 57,
    /// A greeting: "Dear".
    GREETING 59,
    /// A chain of pharmacies or shops.
    CHAIN 61,
    /// "Corner", as in "corner of Beecher St and 14th".
    CORNER 60,
    /// First word of a day with a name of several words: "Boxing".
    NAMED_DAY 58,
}

/// What a word is a cue for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cue {
    /// Its classes.
    pub classes: Classes,
    /// The first of the sets of words that have it. A cue has 16 bytes, and every token has one.
    pub(crate) first_sets: u32,
    /// The other ones.
    pub(crate) more_sets: u16,
    /// A number: of a month (1 to 12), a weekday (1 to 7) or a numeral.
    pub value: u8,
    /// What indexes of a document ask about the word, set by the tokenizer.
    pub traits: Traits,
}

impl Cue {
    /// The sets of words that have it.
    #[inline(always)]
    pub fn sets(&self) -> Sets {
        Sets(u64::from(self.first_sets) | u64::from(self.more_sets) << 32)
    }

    fn add(&mut self, sets: Sets) {
        self.first_sets |= sets.0 as u32;
        self.more_sets |= (sets.0 >> 32) as u16;
    }
}

/// Sets of words that many tokens are asked for, one of 48 bits each: which ones have a word is looked up
/// with its classes, and says nothing about names. Words that differ in accents alone share bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sets(pub u64);

impl Sets {
    /// Whether some set has the word.
    #[inline(always)]
    pub fn any(self, other: Sets) -> bool {
        self.0 & other.0 != 0
    }

    /// The sets of both.
    #[inline(always)]
    pub const fn or(self, other: Sets) -> Sets {
        Sets(self.0 | other.0)
    }
}

/// What indexes ask about a word, one bit each: answered once for a word, not for every token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits(pub u8);

impl Traits {
    /// A head of a name or a part of an address.
    pub const HEAD: u8 = 1 << 2;
    /// A word of a date or an age.
    pub const TIME: u8 = 1 << 3;
    /// A word that people are named behind.
    pub const PEOPLE: u8 = 1 << 4;
    /// A preposition before places.
    pub const BEFORE_PLACE: u8 = 1 << 5;
    /// Worth a look in small letters behind such a preposition.
    pub const PLACE: u8 = 1 << 6;
    /// Worth a look in small letters anywhere: no list has it, or it is mostly a name.
    pub const LOWER: u8 = 1 << 7;

    /// The traits of a word with these facts.
    pub fn new(word: Word, classes: Classes) -> Traits {
        let unknown = !word.is_known() && classes == Classes::NONE;
        let usual = !word.is_common() && (word.first_level() >= 9 || word.last_level() >= 11);
        let given = word.first_level() >= 8 && word.name_odds() >= 1.0;
        let place = !word.is_function() || !word.is_common();
        let traits = [
            (classes.any(HEADS), Traits::HEAD),
            (classes.any(TIMES), Traits::TIME),
            (classes.any(PEOPLE), Traits::PEOPLE),
            (classes.any(BEFORE_PLACE), Traits::BEFORE_PLACE),
            (place, Traits::PLACE),
            (unknown || usual || given, Traits::LOWER),
        ];
        Traits(traits.into_iter().filter(|(holds, _)| *holds).fold(0, |all, (_, bit)| all | bit))
    }
}

/// Classes of words that are heads of names or parts of addresses.
const HEADS: Classes = INSTITUTION_HEAD
    .or(WARD_HEAD)
    .or(SCHOOL_HEAD)
    .or(COMPANY_SUFFIX)
    .or(TEAM_HEAD)
    .or(STREET_SUFFIX)
    .or(STREET_PREFIX)
    .or(BUILDING_PART)
    .or(OFFICE)
    .or(CORNER)
    .or(DIRECTION);
/// Classes of words of dates and ages.
const TIMES: Classes = MONTH.or(HOLIDAY).or(NAMED_DAY).or(SEASON).or(NUMBER).or(AGE).or(ORDINAL);
/// Classes of words that people are named behind.
const PEOPLE: Classes = TITLE.or(RELATIVE).or(ROLE).or(GREETING).or(BEFORE_PERSON).or(CREDENTIAL);

const TABLE: &[(Classes, &str)] = &[
    (
        TITLE,
        "dr drs mr mrs ms mx miss mister madam prof professor doctor dame rev reverend fr rabbi imam pastor \
        deacon capt captain sgt sergeant lt lieutenant col colonel maj cpl cmdr officer detective \
        herr herrn frau fraulein fräulein hr hrn fr prof.dr mme mlle monsieur madame mademoiselle señor señora senor senora sr sra \
        srta dott dott.ssa sig signor signora mevr dhr mevrouw meneer doktor docteur doctora dra nurse sen gov hon judge justice \
        lady atty coach chief tpr trooper mag prim univ doz oa priv dipl ing cand matron brother sister father \
        smt shri shrimati alhaji alhaja mallam hajiya otunba encik puan datuk dato datin mdm whaea mnr mev oom tannie aunty",
    ),
    (
        CREDENTIAL,
        "md m.d rn phd ph.d np pa pac pa-c dds dmd lpn lvn cnm cnp crna facs facp facc facog fccp frcp frcs mph msw lcsw \
        dnp aprn arnp msn bsn mbbs mbchb mrcp mrcs jd esq do dpm dvm od psyd edd pharmd rph dpt pt otr slp rd cde \
        jr sr ii iii iv mba ms bs ma ba ccrn cns lmft lmhc lpc rrt cma fnp-c fnp rt pta cota msc mrcgp frca frcr \
        franzco fracs fracp frcpa franzcr fanzca facem franzcog frcog mrcog frcpath mrcpath frcsi frcpi mrcpi micgp frnzcgp racgp fracgp \
        facrrm cicm ranzcp franzcp frcpsych mrcpsych mrcpch frcpch frcem mrcem frcophth dch drcog dgm dfsrh dipobs mfom ffom afom \
        frcpc frcsc ccfp fccmg fmc ma(psych) mmed mdch mbbch mbchb mch m.ch m.s mds bds mfds mjdf dgdp bchd bdsc dnb mrcpuk fcp fcps fcs facog \
        fcs(sa) fwacs fwacp fmcp fmcs mwacs mbbs bmbs bmed bams bhms dm mcem fams fams(singapore) abpp acnp apn pgdip rmn rgn rnm rscn nnp",
    ),
    (
        RELATIVE,
        "mother father mom mum dad mommy daddy parent parents wife husband spouse partner son daughter child children brother \
        sister sibling siblings twin aunt uncle cousin niece nephew grandmother grandfather grandma grandpa granddaughter \
        grandson grandparent stepmother stepfather stepson stepdaughter stepbrother stepsister fiancé fiancée fiance fiancee \
        boyfriend girlfriend friend neighbor neighbour roommate caregiver caretaker guardian babysitter nanny colleague coworker \
        landlord landlady widow widower in-law godmother godfather baby sitter teammate classmate ex-husband ex-wife ex \
        abuela abuelo grandad granddad granny nan nana gran grandson great-grandson stepdad stepmum mummy hubby missus bestie carer warden host \
        mutter vater ehefrau ehemann sohn tochter bruder schwester mère père épouse fils fille frère soeur madre padre esposa \
        esposo hijo hija hermano hermana brothers sisters sons daughters friends boss supervisor manager teacher tutor \
        gogo oom tannie aunty auntie auntii koro nain taid mamgu ammi chacha bhai didi dadi nani akka yaya tita tito kuya nonna nonno \
        yiayia pappou babcia oma opa bubbe zayde abuelita dtr dau gdtr mammy mam stepgran foster-mother foster-father housemate flatmate",
    ),
    (
        ROLE,
        "physician surgeon therapist psychologist psychiatrist attending resident intern fellow cardiologist neurologist \
        oncologist radiologist pathologist pediatrician paediatrician nephrologist urologist dermatologist gastroenterologist \
        endocrinologist rheumatologist pulmonologist ophthalmologist obstetrician gynecologist gynaecologist anesthesiologist \
        anaesthetist hematologist haematologist hepatologist orthopedist podiatrist dentist midwife pharmacist dietitian \
        nutritionist consultant registrar practitioner internist hospitalist intensivist neurosurgeon specialist paramedic \
        technician technologist sonographer social worker case counselor counsellor audiologist optometrist chiropractor \
        geneticist allergist immunologist psychotherapist physiotherapist gp pcp provider hausarzt hausärztin oberarzt chefarzt \
        assistant scribe transcriptionist interpreter chaplain lawyer attorney nurse rns crna anesthetist phlebotomist \
        endoscopist histopathologist microbiologist anaesthesiologist orthoptist psychometrist attender bystander rep locum sonologist intensivist \
        coroner neonatologist electrophysiologist perfusionist orderly ambo paramedics chaperone matron housekeeper volunteer agent caseworker adjuster dispatcher",
    ),
    (
        BEFORE_PERSON,
        "by dear hi hello cc bcc attn attention re hey thanks thank via signed cosigned dictated transcribed named called \
        nicknamed aka contacted contact phoned called telephoned saw seeing met meeting known contacting calling asked asking told \
        telling informed notified notify paged emailed texted visited consulted consult spoke discussed per tel signature \
        typed dictation liebe lieber geehrte geehrter cher chère estimado estimada patient pt client regarding and with für betreff betr concerning \
        accompanied referred helping examined reviewed evaluated greeted welcomed admitted discharged treated ask remind tell call \
        meet page help husband's advise advised updated inform assisted consented counselled counseled educated encouraged \
        reassured urged interviewed wished alias née nee born formerly about for from to initials",
    ),
    (
        AFTER_PERSON,
        "is was has had reports reported denies denied states stated presented presents underwent returned returns came \
        complains complained lives lived works worked will said says tells told feels felt looks looked appears appeared does did \
        developed took takes tolerated continues continued remained remains went seems seemed had've started stopped called calls \
        phoned asked asks agreed agrees understands understood declined declines requested requests wants wanted needs needed \
        may can could should would who whose visited moved explained noted mentioned mentions describes described recalls \
        experiences experienced arrived arrives left fell died walks walked sleeps slept weighs weighed smokes smoked drinks \
        drank enjoys plays played attends attended tolerates received receives used uses gave gives brought brings drove noticed \
        saw sees got gets made makes responded recovered recovering endorses endorsed admits verbalized verbalizes refuses refused \
        expressed ambulated ate eats voided tolerating resting presenting has been stays stayed thinks thought believes ran stood \
        mentioned accompanied hopes hoped struggled struggles rang rings texted emailed consented complained insisted \
        apologised apologized cried slept managed lived retired works manages teaches taught cares keeps farms farmed drives owns",
    ),
    (
        WEEKDAY,
        "=1 monday mondays mon montag lundi lunes lunedì =2 tuesday tuesdays tue tues dienstag mardi martes =3 wednesday wednesdays wed mittwoch mercredi \
        miércoles miercoles =4 thursday thursdays thu thur thurs donnerstag jeudi jueves =5 friday fridays fri freitag vendredi viernes =6 saturday saturdays \
        sat samstag sonnabend samedi sábado sabado =7 sunday sundays sun sonntag dimanche domingo",
    ),
    (
        MONTH,
        "=1 january jan janvier januar jänner enero janv gennaio januari =2 february feb février fevrier februar febrero febr \
        febbraio februari =3 march mar mars märz maerz marzo mrz maart =4 april apr avril abril aprile avr =5 may mai mayo \
        maggio mei =6 june jun juin juni junio giugno =7 july jul juillet juli julio luglio juil =8 august aug août aout agosto \
        augustus =9 september sep sept septembre septiembre settembre =10 october oct octobre oktober okt octubre ottobre =11 \
        november nov novembre noviembre =12 december dec décembre decembre dezember dez diciembre dicembre",
    ),
    (
        HOLIDAY,
        "christmas xmas thanksgiving easter halloween hanukkah chanukah passover ramadan eid diwali juneteenth kwanzaa \
        weihnachten ostern pfingsten silvester heiligabend noël pâques navidad yom rosh purim mardi-gras newyear valentine's \
        valentines pentecost advent epiphany ascension",
    ),
    (
        GREETING,
        "dear hi hello hey liebe lieber geehrte geehrter cher chère estimado estimada morning greetings hallo bonjour beste",
    ),
    (CORNER, "corner"),
    (
        CHAIN,
        "walmart walgreens cvs costco kroger publix safeway boots superdrug tesco asda sainsbury sainsburys morrisons lloyds \
        wegmans meijer vee eb chemmart priceline shoppers rexall duane rite longs",
    ),
    (
        NAMED_DAY,
        "new boxing memorial labor labour independence veterans columbus presidents martin mlk mother mothers father fathers \
        valentine valentines patrick good ash palm easter christmas thanksgiving groundhog canada australia bastille guy bonfire bank all \
        election cinco mardi super yom rosh fourth july heilig st midsummer whit pancake burns flag patriots remembrance armistice \
        anzac hogmanay queen king maundy shrove holy saint waitangi victoria chinese lunar black",
    ),
    (SEASON, "spring summer fall autumn winter frühjahr frühling sommer herbst printemps été automne hiver"),
    (
        NUMBER,
        "=1 one ein eine un une =2 two zwei deux =3 three drei trois =4 four vier quatre =5 five fünf cinq =6 six sechs =7 seven \
        sieben sept =8 eight acht huit =9 nine neun neuf =10 ten zehn dix =11 eleven elf onze =12 twelve zwölf douze =13 thirteen \
        =14 fourteen =15 fifteen =16 sixteen =17 seventeen =18 eighteen =19 nineteen =20 twenty =30 thirty =40 forty fourty =50 \
        fifty =60 sixty =70 seventy =80 eighty =90 ninety =100 hundred",
    ),
    (
        ORDINAL,
        "=1 first =2 second =3 third =4 fourth =5 fifth =6 sixth =7 seventh =8 eighth =9 ninth =10 tenth =11 eleventh =12 twelfth \
        =13 thirteenth =14 fourteenth =15 fifteenth =16 sixteenth =17 seventeenth =18 eighteenth =19 nineteenth =20 twentieth =30 \
        thirtieth",
    ),
    (
        TIME_UNIT,
        "day days week weeks month months year years hour hours yr yrs wk wks mo mos d tage tag wochen woche monate monat jahre \
        jahr jours semaines mois ans année fortnight weekend minutes mins min morning night evening afternoon eve",
    ),
    (
        AGE,
        "twenties thirties forties fifties sixties seventies eighties nineties teens age aged yo y/o yr-old year-old years-old jährige jähriger alt ans old y.o ages aetatis alter âgé âgée jährigen",
    ),
    (
        KEY_PERSON,
        "patient name pt client subject attending provider physician surgeon doctor referring pcp guardian spouse contact \
        kin signed author dictated dictating transcribed transcriber transcriptionist cosigned cosigner cc attn to from re nurse \
        resident mother father husband wife son daughter parent caregiver insured subscriber policyholder guarantor sender recipient \
        interpreter witness proxy radiologist technologist technician pathologist consultant anesthesiologist assistant intern \
        fellow requesting ordering ordered reviewed prepared reported verified approved completed entered user operator scribe \
        patientin patient:in hausarzt arzt ärztin behandelnder vorname nachname geburtsname nom prénom prenom nombre apellido \
        apellidos surname forename firstname lastname clinician therapist gp practitioner donor member relative friend sister \
        brother partner case-manager signature by consultants examiner nok poa seen registrar midwife employee student family \
        performed collected received accepting admitting covering primary supervising discharging applicant first last middle \
        maiden preferred alias aka nickname full legal given betreff betr concerne patiente beneficiary holder payer escort \
        reader interpreted interpreting dictator carer keyworker nurse-practitioner rn md dr counselor social-worker worker \
        emergency dentist pharmacist neurologist cardiologist oncologist regarding hcp appointee attorney responsible party \
        telephone-contact visitor name(s) names informant historian hpi-by obstetrician pediatrician visitors coordinator liaison advocate owner handler rider driver trainer caller speaker teacher tutor boss supervisor manager foreman crew pilot chaplain priest pastor rabbi \
        endoscopist histopathologist microbiologist anaesthetist operator chair deceased infant baby scrub odp crew charge sho attg attender informant \
        chaperone psychometrist coroner locum rep minutes apologies present staffing travellers travelers partner keeper psychologist psychiatrist \
        urologist nephrologist gastroenterologist dermatologist surgeons theatre-nurse runner circulator hookup reader rmo hmo fy1 fy2 st1 st3",
    ),
    (
        KEY_DATE,
        "dob d.o.b date dates admitted discharged admission discharge birthdate birthday born birth geb geboren geburtsdatum \
        datum seen visit dod doa dos dictated transcribed signed expires expiration issued effective collected received \
        né née nacimiento fecha d/t adm dis lmp edd dt service surgery procedure deceased died appointment reported exam examined \
        printed updated created entered completed scheduled onset injury geboortedatum fdn ddn approved due \
        sent faxed when last ordered verified adm/disch",
    ),
    (
        KEY_RECORD,
        "mrn mr mr# chart record case file accession specimen order encounter visit patient pt hospital unit medical csn fin pid \
        ch# ch ref reference req requisition study sample episode fallnummer fallnr patientennummer aktenzeichen dossier lab slide \
        id ids identifier har ur urn hn emr mpi uhid ipp nip nda protocol trial participant doc document report ticket claim \
        invoice referral job transcription confirmation receipt pathology acc exam hosp registration rx prescription barcode \
        our your control index key admission adm fall auftrag histo vorgang tracking batch lot booking voucher confirm casenote badge stud book clock payroll staff personnel employee straw run dispatch incident",
    ),
    (
        KEY_ACCOUNT,
        "account acct acc a/c policy member insurance group subscriber iban card visa mastercard amex medicare medicaid hicn \
        bank grp routing bic swift plan payer konto kontonummer versichertennummer versicherung vers kvnr mutuelle beneficiary \
        guarantor hmo ppo billing payment coverage mbi bcbs cigna aetna humana krankenkasse krankenversicherung sort customer \
        client cheque check statement",
    ),
    (
        KEY_PHONE,
        "phone telephone tel cell mobile fax pager beeper home work office call ph extension ext x handy telefon mobil \
        téléphone teléfono fon telefax telecopy contact p f t m c dial hotline voicemail whatsapp text sms landline line portable \
        fixe gsm direct switchboard bleep beep facsimile after-hours callback reach reached paged",
    ),
    (
        KEY_LICENCE,
        "license licence lic dea npi certificate certification upin permit registration reg gmc nmc passport driver's \
        driver drivers dl cert provider board lanr bsnr approbation physician medical-license nursing state clia ncpdp hcpc ahpra \
        rpps adeli big prescriber bar regn regd goc gphc hpc imc nmbi coru mcnz nzmc nzdc mci tnmc kmc mmc dmc pmc apmc \
        wbmc abn mdcn nmcn hpcsa sanc cpso cpsbc cpsa cpsm cpss cpsns cmq mcr pmdc pin colegiado badge",
    ),
    (
        KEY_DEVICE,
        "serial device model implant pacemaker sn s/n ser udi lot pump icd lead generator stent imei mac ventilator gtin \
        hearing seriennummer prosthesis implantable stimulator monitor meter glucometer cgm tag asset equipment",
    ),
    (
        KEY_VEHICLE,
        "vin plate plates tag vehicle registration car kennzeichen license-plate truck motorcycle licensed immatriculation \
        plaque van reg",
    ),
    (
        KEY_NATIONAL,
        "ssn ss ss# social security nhs nino sin nin bsn nir insee passport national tax itin taxpayer steuer-id steuerid \
        svnr svnummer sozialversicherungsnummer rvnr dni nie curp cpf aadhaar tin ssn# id# medicare identity personnummer idnr \
        steueridentifikationsnummer rentenversicherungsnummer ppsn hkid nric ssnr codice fiscale green-card alien",
    ),
    (
        KEY_ADDRESS,
        "address addr residence home street adresse anschrift wohnhaft wohnort direccion domicilio straße str mailing residing \
        lives location resides domicile adres",
    ),
    (
        KEY_INSTITUTION,
        "hospital facility clinic site institution practice pharmacy laboratory lab organization organisation center centre \
        location from department dept referred klinik praxis krankenhaus hôpital agency church sender nursing home insurer \
        insurance payer carrier health plan company",
    ),
    (
        KEY_EMPLOYER,
        "employer company employed works workplace arbeitgeber employeur firma business work employment occupation/employer",
    ),
    (KEY_OCCUPATION, "occupation job profession beruf occup works trade title position role métier"),
    (NUMBER_WORD, "no nr num number numbers # id code nummer numéro numero número n° № identifier ids key"),
    (
        STREET_SUFFIX,
        "street st avenue ave av road rd drive dr lane ln boulevard blvd court ct place pl terrace ter way highway hwy \
        parkway pkwy circle cir square sq crescent cres close alley aly row turnpike tpke trail trl plaza loop path pike walk mews \
        gardens grove heights hill gate quay embankment straße strasse str weg platz allee gasse ring ufer damm straat laan plein \
        gracht esplanade bypass expressway freeway route causeway bend crossing xing point ridge run landing cove hollow green \
        park view vista meadow mall yard wharf promenade cottages parade loan brae vale rise chase croft garth mead ride strand broadway avda chaussee steig stieg kade dijk singel commons junction spur fork tce pde cct crt gdns wynd vennel",
    ),
    (
        STREET_PREFIX,
        "rue calle via avenue avenida boulevard place piazza plaza chemin allée allee impasse carrer paseo camino viale \
        corso quai cours am an im auf unter alte alter neue zum zur route strada vicolo ronda rua jalan jln lorong persiaran heol ffordd bóthar bothar sráid stryd",
    ),
    (
        BUILDING_PART,
        "apt apartment suite ste unit floor fl room rm bldg building box flat lot trailer po p.o pob postfach level tower \
        wing penthouse basement block house shop trlr spc bldng appt étage bp mailstop postbus piso wohnung etage",
    ),
    (
        INSTITUTION_HEAD,
        "hospital hospitals clinic clinics infirmary hospice pharmacy pharmacies institute laboratory laboratories labs \
        church parish chapel temple synagogue mosque cathedral monastery convent abbey sanatorium sanitarium klinikum klinik kliniken krankenhaus \
        spital praxis hôpital hopital clinique ospedale clínica ziekenhuis center centre centres centers \
        associates physicians surgery dispensary polyclinic foundation trust rehabilitation rehab healthcare specialists imaging \
        radiology diagnostics hospiz ministries ministry shelter orphanage jail prison penitentiary \
        festival living fair fertility apothecary er union hospitalier drug drugs drugstore chemist medical health care nursing hospitalists group partners home homes manor village lodge villa court residence \
        apotheke pharmacie mission society association library museum theater theatre casino hotel motel inn gym spa \
        hostel pub tavern bar lounge nightclub lab barracks precinct powwow cemetery \
        universitätsklinikum universitätsklinik uniklinik pflegeheim altenheim seniorenheim chu umc surgicenter cliniques \
        pediatrics cardiology oncology orthopedics orthopaedics dermatology neurology gastroenterology urology family practice medicine dental dentistry",
    ),
    (
        WARD_HEAD,
        "ward wing unit floor bed room icu micu sicu nicu picu ccu pacu clinic station bay pod tower pavilion theatre suite annex \
        annexe stepdown telemetry step-down station zimmer bett salle chambre oncology neuro cubicle desk dept department theater rm resus tele itu hdu amu mau sau cdu eau asu aau endo opd cticu cvicu nsicu csicu ticu bicu ccu",
    ),
    (
        SCHOOL_HEAD,
        "school university college academy elementary kindergarten preschool daycare high middle seminary polytechnic \
        conservatory universität hochschule schule gymnasium grundschule lycée lycee collège université universidad escuela colegio \
        nursery infants juniors playgroup montessori prep preparatory univ schools secondary primary institute realschule kita université universiteit realgymnasium hauptschule",
    ),
    (
        COMPANY_SUFFIX,
        "inc incorporated corp corporation ltd limited llc llp lp gmbh ag kg ohg ug se plc co company companies bros brothers \
        sons industries holdings group partners bank motors airlines systems technologies technology enterprises solutions services \
        consulting construction logistics manufacturing foods insurance associates works plant factory mills bakery brewery steel \
        electric energy oil gas pharmaceuticals software media press publishing studios trucking hauling gazette herald times tribune post courier chronicle examiner freight transport railway \
        supply stores store supermarket market restaurant diner cafe café farms farm ranch dairy shipping ventures capital realty \
        properties contractors builders plumbing roofing landscaping auto automotive aviation aerospace labs networks telecom \
        communications textiles mining mines mine quarry transit mutual credit lumber garage salon agency bv nv sa sas sarl spa srl oy ab as aps pty fabrik werke hotel hotels \
        firm catering solicitors haulage cabs taxis couriers florists plumbers joinery scaffolding roofers outfitters utilities cleaners laundry warehouse depot printing paper packaging chemicals plastics tools",
    ),
    (
        WORK,
        "works worked employed employer employee working job employs hired retired laid fired employment interned volunteers \
        volunteered arbeitet travaille owns owner co-owner founder founded cofounder manages runs",
    ),
    (
        TEAM_HEAD,
        "team club league fc squad united rovers athletic verein choir band orchestra troupe crew association society rugby \
        sv tsv teams lodge chapter guild legion ensemble chorus",
    ),
    (
        SPORT,
        "junior senior soccer football baseball basketball hockey gymnastics swimming swim track tennis volleyball lacrosse \
        softball rowing cricket rugby wrestling fencing ski skiing cycling running bowling varsity little youth girls boys women's \
        men's national olympic u.s masters rotary scout scouts chess drama dance cheer cheerleading marching golf karate judo \
        handball fußball water polo curling triathlon",
    ),
    (
        BEFORE_PLACE,
        "in from near at to of outside around through toward towards within visiting leaving via into aus nach bei à en \
        throughout between across north south east west upstate downtown greater",
    ),
    (
        LIVING,
        "lives lived living moved moving relocated resides residing resided born raised grew native resident residents traveled \
        travelled traveling travelling returned flew emigrated immigrated visited trip stayed vacation vacationed vacationing drove \
        drives commutes originally hails deployed stationed transferred wohnhaft wohnt aus geboren settled home town visiting \
        birthplace farm",
    ),
    (
        UNIT,
        "mg mcg µg ug g gm kg ml l dl cc mm cm m km in inch inches ft feet lb lbs oz iu units unit meq mmol mol mmhg bpm hz mcl \
        % percent cal kcal kg/m2 w/v tsp tbsp drops puffs tabs tab tablets tablet caps capsules capsule msec ms sec seconds \
        minutes min hours hour hr hrs hz khz mhz gray gy cgy msv weeks days months years pounds grams milligrams liters litres \
        ng pg fl cells beats breaths degrees f c mg/dl g/dl mmol/l u iu/l french fr gauge ga pack packs joules j watts volts ma kv kvp \
        meters metres mets copies x10 dollars euros miles steps stitches sutures vials doses ppd kpa cmh2o torr mcg/ml rpm lpm mph kph kmh knots",
    ),
    (
        OFFICE,
        "mayor senator ambassador governor president congressman congresswoman ceo bishop sheriff principal astronaut chancellor \
        minister secretary chairman chairwoman superintendent commissioner archbishop cardinal king queen prince princess duke \
        organist councillor cllr headteacher vicar postmaster postmistress harbourmaster medallist \
        councilman councilwoman alderman dean provost coroner champion medalist quarterback anchorman anchorwoman anchor conductor \
        goalkeeper bürgermeister bürgermeisterin maire alcalde consul attorney-general treasurer rabbi imam speaker representative \
        comptroller cfo coo cto chief judge magistrate justice marshal laureate novelist actress actor admiral general pope abbot \
        premier celebrity skipper violinist cellist soloist ballerina winner founder curator headmaster headmistress director editor captain coach goalie pitcher host",
    ),
    (
        PARTICLE,
        "van von der den de del della di da dos das du la le las los el al bin ibn ben abu ter ten zu zur zum y e und af av \
        mac mc st o d' vom d san santa do op 't in't bint abd ur bte binte binti ap ferch",
    ),
    (
        EPONYM_HEAD,
        "disease syndrome sign test catheter score scale stain reflex procedure maneuver manoeuvre criteria classification \
        disorder fracture palsy tumor tumour lymphoma sarcoma carcinoma cyst node nodes tube drain filter ring bodies body cell \
        cells fasciitis thyroiditis contracture deformity phenomenon triad law formula index grade stage staging position \
        incision clamp forceps retractor pouch loop graft flap method technique operation repair esophagus oesophagus duct \
        gland glands tubules tubule canal ligament fascia space angle point line lines plexus nerve ganglion reaction antigen \
        antibody virus bacillus agar protocol regimen questionnaire inventory exam equation curve rule blister ulcer granuloma \
        nodule nodules plaque spots rash fever anemia anaemia jaundice chorea ataxia dystrophy neuropathy dementia encephalopathy \
        arthritis hernia aneurysm murmur pulse breathing respiration respirations attack ear pupil lens implant prosthesis pin rod \
        wire screw plate nail hook brace splint collar bandage dressing bag mask valve gastrectomy shunt stent device sling swab \
        smear granules crisis nystagmus effect response rigidity cataract defect anomaly malformation complex osteotomy \
        gangrene vasculitis esotropia tetralogy transit lesion lesions apnea amputation arthroplasty approach sclerosis \
        hormone needle cannula kit machine lamp chart drops solution gel cream ointment powder balm patch insulin vaccine \
        inhaler supplement formula tea stockings stocking boot boots orthosis wound scan elbow knee hip finger toe contractures \
        assay screen panel tests scores signs reflexes maneuvers catheters drains tubes syndromes diseases 's trial study studies \
        glasgow paradox maneuvre view projection series cuff frame bed hoist lift walker crutches pump monitor medium \
        chemotherapy therapy treatment diet exercises exercise",
    ),
    (
        CLOSING,
        "sincerely regards yours respectfully cordially thanks truly faithfully best warmly gruß grüße grüßen cordialement mahalo aloha groete groetnis slán slan salut ciao namaste cordially greetings ngā mihi yrs rgds kr bw thx tks ta hamba totsiens saludos abrazos danke \
        hochachtungsvoll atentamente saludos love cheers gywir cofion meas",
    ),
    (
        DIRECTION,
        "n s e w ne nw se sw north south east west northeast northwest southeast southwest upper lower old new",
    ),
    (
        DOSE,
        "tablet tablets capsule capsules daily bid tid qid qhs prn qd inhaler injection injections cream ointment drops solution \
        suspension patch patches spray syrup er xr sr xl cr la ir po iv im sq subq sublingual twice once nightly weekly pill pills \
        dose doses dosage infusion drip gtt units therapy supplement vaccine insulin pen vial ampoule tabs caps hfa diskus",
    ),
    (
        BEFORE_DATE,
        "on since until till before after by from through dated starting beginning ending effective between around circa \
        due by of am vom bis seit le du au the for thru to and at ab every last next this",
    ),
    (
        NAME_FILLER,
        "general saint sankt st st. st.'s memorial community regional university children's childrens children women men women's womens veterans va \
        county city state national royal holy sacred our good mount mt new north south east west central first united medical health \
        mercy sinai baptist methodist presbyterian lutheran catholic jewish christian adventist valley river lake bay ocean park \
        hill hills heights view grove creek springs wood woods oak pine cedar maple elm sun golden silver green red blue white black \
        family primary advanced integrated premier allied associated american european urban rural public private the of and for \
        & de la los las san santa da do cancer heart eye surgical orthopedic pediatric psychiatric behavioral mental rehabilitation \
        nursing care home village house hope peace grace trinity lady lord christ mary john joseph luke francis teaching district \
        metropolitan metro federal military army navy naval air force base summit pinnacle crescent harbor harbour island \
        beach shore coast port fort old great grand big little upper lower middle high low long short",
    ),
    (
        REGION_HEAD,
        "county province region district parish canton prefecture bezirk landkreis kreis département borough township shire",
    ),
    (
        KEY_CITY,
        "city town village municipality ort stadt ville ciudad hometown birthplace place pob cityofbirth",
    ),
    (
        KEY_STATE,
        "state country province county nationality citizenship bundesland land pays país région region staat",
    ),
    (KEY_POSTAL, "zip zipcode postcode postal plz cp postleitzahl zip-code"),
    (KEY_AGE, "age alter âge edad age/sex sex/age"),
    (KEY_SCHOOL, "school college university schule école"),
    (KEY_WARD, "ward unit room bed floor location station dept department clinic service zimmer"),
    (
        NOBODY,
        "i he she it we they you his her its our their your my the a an this that these those there here patient pt pts dear \
        sincerely no yes not if when while as at in on of for to from by with and or but so then thus also he's she's who what why \
        encl encls enc encs dispo regn adv adx cons orth disp mx ix images how one all any both each few more most other some such only own same too very can will just should now",
    ),
    (
        HEADING,
        "history physical examination exam assessment plan impression findings diagnosis diagnoses medications medication \
        allergies allergy procedure procedures indication indications technique comparison conclusion recommendation \
        recommendations subjective objective social family past medical surgical review systems vital signs labs laboratory \
        data course hospital discharge admission summary instructions condition disposition followup follow-up chief complaint \
        present illness hpi pmh psh ros pe cc meds note progress consultation report letter referral operative clinical \
        information reason request result results specimen comment comments",
    ),
];

/// The table, made when it is first used.
fn table() -> &'static FxHashMap<u64, Cue> {
    static CUES: OnceLock<FxHashMap<u64, Cue>> = OnceLock::new();
    CUES.get_or_init(|| {
        let mut cues: FxHashMap<u64, Cue> = FxHashMap::default();
        for (classes, words) in TABLE {
            let mut value = 0;
            for word in words.split_ascii_whitespace() {
                if let Some(number) = word.strip_prefix('=').and_then(|number| number.parse().ok()) {
                    value = number;
                    continue;
                }
                let cue = cues.entry(lexicon::hash(word)).or_default();
                cue.classes = cue.classes.or(*classes);
                // Months come after weekdays and before numbers, so "sept" stays September.
                if value > 0 && cue.value == 0 {
                    cue.value = value;
                }
            }
        }
        for (set, words) in crate::detect::SETS {
            // Signs have no cue.
            for hash in words.hashes().iter().filter(|hash| **hash != 0) {
                let cue = cues.entry(*hash).or_default();
                cue.add(*set);
            }
        }
        cues
    })
}

/// The cue of a word, by its hash in the lexicon.
pub fn hashed(hash: u64) -> Cue {
    table().get(&hash).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cue(word: &str) -> Cue {
        hashed(lexicon::hash(word))
    }

    #[test]
    fn words_have_classes_and_values() {
        assert!(cue("mrs").classes.any(TITLE) && !cue("mrs").classes.any(RELATIVE));
        assert_eq!((cue("sept").value, cue("märz").value, cue("seven").value), (9, 3, 7));
        assert!(cue("sun").classes.any(WEEKDAY) && cue("sun").classes.any(NAME_FILLER));
        assert_eq!(cue("zyzzyva"), Cue::default());
    }

    #[test]
    fn every_month_weekday_and_numeral_has_a_value() {
        for (word, cue) in table() {
            if cue.classes.any(MONTH.or(WEEKDAY).or(NUMBER).or(ORDINAL)) {
                assert!(cue.value > 0, "{word}");
            }
            assert!(!cue.classes.any(MONTH) || cue.value <= 12, "{word}");
        }
    }
}
