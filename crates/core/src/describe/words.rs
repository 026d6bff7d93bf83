//! The words that identify columns: the 18 identifiers of HIPAA Safe Harbor (45 CFR 164.514(b)(2)),
//! the usual quasi-identifiers and sensitive attributes of tables about people, and names of text,
//! weights and targets; English with its abbreviations, some German, French and Spanish.
//!
//! Phrases are separated by `|`, in lower case and without accents. `=` means that the whole name
//! must be the phrase: a column `patient` names patients, a column `patient_sex` does not. `~`
//! means that the phrase counts only if no other does: in `county_name` the county is more specific
//! than the name.

/// What a phrase says that a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// Names a person outright.
    Identifier,
    /// A number of something; it names a person if it is unique.
    Number,
    /// Something that others may know of a person.
    Quasi,
    /// An age.
    Age,
    /// A day, or a time on it.
    Date,
    /// A year.
    Year,
    /// A month of the year.
    Month,
    /// A postal code.
    Postal,
    /// What an adversary wants to learn.
    Sensitive,
    /// A diagnosis, which may be an ICD code; sensitive too.
    Diagnosis,
    /// An amount of money as a figure; sensitive too.
    Money,
    /// A measured or computed figure, which outsiders cannot know; sensitive too.
    Measure,
    /// An opinion or an answer in a survey, which outsiders cannot know; sensitive too.
    Opinion,
    /// Free text.
    Text,
    /// A survey weight.
    Weight,
    /// What a model will predict.
    Target,
}

/// Phrases that say the same.
#[derive(Debug)]
pub(super) struct Word {
    /// What they say.
    pub says: Says,
    /// How a sentence names it.
    pub label: &'static str,
    /// The phrases.
    pub phrases: &'static str,
}

const fn word(says: Says, label: &'static str, phrases: &'static str) -> Word {
    Word { says, label, phrases }
}

use super::conditions::{CONDITION, CONDITIONS};
use Says::*;

/// All words. Where two phrases of the same length fit, the first in this list is taken.
pub(super) const WORDS: &[Word] = &[
    // The identifiers of HIPAA Safe Harbor, in its order; dates and places are quasi-identifiers
    // below.
    word(
        Identifier,
        "a person's name",
        "~name|~names|~nm|~nom|~nombre|first name|fname|given name|forename|last name|lname|surname|family name|\
         middle name|middle initial|mname|maiden name|full name|patient name|pat name|person name|nickname|initials|\
         =first|=last|=middle|=maiden|mother name|father name|spouse name|next of kin|guardian name|contact name|contact person|\
         emergency contact|doctor name|physician name|provider name|surgeon name|nurse name|author name|=patient|=person|\
         =customer|=client|=employee|=member|=mother|=father|=spouse|nachname|vorname|familienname|geburtsname|\
         patientenname|prenom|nom de famille|nom naissance|apellido|apellidos|apellido paterno|apellido materno|\
         nombre paciente|nombre completo|cognome|sobrenome|alias|username|user name|login|screen name|handle|twitter",
    ),
    word(
        Identifier,
        "a street address",
        "street|street name|street address|address|addr|home address|mailing address|address line|residence address|\
         house number|house no|apartment|apt|apt no|po box|pobox|strasse|hausnummer|anschrift|adresse|rue|calle|\
         direccion|domicilio|endereco",
    ),
    word(
        Identifier,
        "a telephone number",
        "phone|phone number|phone no|telephone|telephone number|tel|tel no|mobile|mobile number|cell|cell phone|home phone|\
         work phone|telefon|telefonnummer|handy|telephone portable|telefono|celular|movil",
    ),
    word(Identifier, "a fax number", "fax|fax number|fax no|telefax|faxnummer"),
    word(
        Identifier,
        "an e-mail address",
        "email|e mail|email address|mail address|e mail address|=mail|courriel|correo|correo electronico",
    ),
    word(
        Identifier,
        "a social security or national identity number",
        "ssn|social security|social security number|soc sec no|sin|national id|national identifier|national insurance|\
         nino|nhs number|nhs no|tax id|tax number|taxpayer id|tin|passport|passport number|passport no|aadhaar|dni|nif|nie|\
         curp|rfc|cpf|pesel|bsn|ahv|svnr|sozialversicherungsnummer|rentenversicherungsnummer|steuernummer|steuer id|\
         ausweisnummer|numero securite sociale|securite sociale|insee|nir|personnummer|fodselsnummer|identity number|\
         identity card|id card|codice fiscale",
    ),
    word(
        Identifier,
        "a medical record number",
        "mrn|medical record|medical record number|med rec no|record number|record no|chart number|chart no|patient id|\
         patient no|patient nbr|patient number|patient identifier|patient key|pat id|pat no|pat nr|patnr|patid|pid|ptid|\
         pt id|patienten id|patientennummer|patnummer|fallnummer|fall id|fall nr|hospital number|hospital no|case number|\
         case no|case id|caseid|encounter id|encounter no|encounter number|visit id|visit number|admission id|hadm id|\
         stay id|icustay id|episode id|specimen id|sample id|accession number|accession no|accession|numero dossier|\
         id paciente|id patient|historia clinica|numero historia",
    ),
    word(
        Identifier,
        "a health plan number",
        "health plan number|health plan id|health plan|beneficiary|beneficiary id|beneficiary number|bene id|member id|\
         member no|member number|subscriber id|subscriber number|subscriber|policy number|policy no|insurance number|\
         insurance no|insurance id|insured id|medicare number|medicare id|medicaid id|medicaid number|hicn|mbi|\
         versichertennummer|versicherungsnummer|kvnr|claim id|claim number|claim no|numero poliza",
    ),
    word(
        Identifier,
        "an account number",
        "account number|account no|account id|acct|acct no|acct id|=account|iban|bic|card number|credit card|cc number|\
         card no|bank account|konto|kontonummer|numero compte|cuenta|numero cuenta|customer id|customer no|\
         customer number|client id|client no|user id|userid|login id",
    ),
    word(
        Identifier,
        "a certificate or licence number",
        "license number|licence number|license no|licence no|license id|drivers license|=drivers|driver license|driver licence|\
         driving licence|certificate number|certificate no|certificate|npi|dea|dea number|fuhrerschein|permis|licencia",
    ),
    word(
        Identifier,
        "a vehicle identifier",
        "vin|license plate|licence plate|plate number|plate no|=plate|number plate|vehicle id|vehicle identification|\
         vehicle number|vehicle no|registration plate|kennzeichen|fahrgestellnummer|immatriculation|matricula",
    ),
    word(
        Identifier,
        "a device identifier",
        "device id|device identifier|device no|device number|device serial|serial number|serial no|serialno|=serial|imei|\
         imsi|mac address|=mac|udi|udid|advertising id|idfa|implant id|implant number|geratenummer|seriennummer|cookie|\
         cookie id|session id",
    ),
    word(
        Identifier,
        "a web address",
        "url|uri|website|web site|homepage|web page|webpage|linkedin|facebook|=link",
    ),
    word(Identifier, "an IP address", "ip|ip address|ip addr|ipaddress|ipv4|ipv6|client ip|remote addr"),
    word(
        Identifier,
        "a biometric identifier",
        "biometric|biometrics|fingerprint|finger print|retina|retina scan|iris scan|voice print|voiceprint|face id|\
         face print|dna|dna sequence|genome|genome sequence|fingerabdruck|empreinte|huella",
    ),
    word(
        Identifier,
        "a picture",
        "photo|photograph|picture|image|portrait|selfie|avatar|headshot|image path|image file|photo url|foto|bild|imagen",
    ),
    word(
        Identifier,
        "an identifying number",
        "=id|=key|=index|=idx|=row|=row id|=rownum|=row number|=unnamed 0|=level 0|=x 1|uuid|guid|\
         record id|recordid|recid|rec id|person id|personid|subject id|subject no|=subject|subjid|subject nr|subject number|=idcode|id code|participant id|\
         participant no|=participant|respondent id|respondent no|=respondent|respid|study id|individual id|=individual|\
         employee id|employee no|employee number|staff id|staff number|emp id|emp no|personnel number|personalnummer|student id|student no|voter id|\
         household id|hhid|hh id|family id|famid|seqn|seqno|sequence number|=seq|transaction id|order id|booking id|\
         ticket|ticket number|ticket no|token|hash|pseudonym|=laufnummer|lfd nr|=identifier|pidp|hhidpn|mergeid|\
         xwaveid|pers id|persnr|personen id|personen nr|personennummer|=proband|probanden id|probanden nr|probandennummer|\
         =teilnehmer|teilnehmer id|teilnehmer nr|teilnehmernummer|versuchsperson|vp nr|vp nummer|=patientin",
    ),
    word(
        Number,
        "a number of something",
        "~id|~ids|~uid|~no|~nr|~num|~number|~nbr|~key|~nummer|~numero|~identifier|~serial|=code",
    ),
    // Dates and ages.
    word(
        Date,
        "a date of birth",
        "birth date|birthdate|date of birth|dob|birthday|bdate|birth dt|=birth|=born|dt of birth|dat of birth|\
         geburtsdatum|geburtstag|gebdat|geb dat|gebdatum|date naissance|date de naissance|naissance|ddn|fecha nacimiento|\
         fecha de nacimiento|fec nac|fecha nac|nacimiento|data nascimento|data di nascita|geboortedatum",
    ),
    word(
        Date,
        "a date of death",
        "death date|date of death|dod|deathdate|deceased date|dt of death|death time|todesdatum|sterbedatum|date deces|\
         fecha defuncion|fecha muerte|autopsy date|date of autopsy",
    ),
    word(
        Date,
        "a date of admission, discharge or service",
        "admission date|adm date|admit date|admission time|admit time|admdate|admittime|date of admission|date admitted|\
         discharge date|disch date|disdate|dischtime|discharge time|date of discharge|visit date|date of visit|chart time|chart date|\
         appointment date|encounter date|service date|date of service|dos|procedure date|surgery date|date of surgery|\
         diagnosis date|date of diagnosis|dx date|onset date|enrollment date|enrolment date|event date|test date|\
         start date|end date|aufnahmedatum|entlassungsdatum|aufnahme|entlassung|date admission|date sortie|date entree|\
         fecha ingreso|fecha alta|fecha de ingreso|fecha visita|hire date|application date",
    ),
    word(
        Date,
        "a date",
        "~date|~dates|~dt|~dat|~datum|~fecha|~data|datetime|date time|timestamp|time stamp|~time|~zeit|~heure|~hora|\
         created at|updated at|created|updated",
    ),
    word(
        Year,
        "a year",
        "birth year|year of birth|yob|birthyr|geburtsjahr|annee naissance|ano nacimiento|death year|year of death|~year|\
         ~yr|~jahr|~annee|~ano",
    ),
    word(
        Month,
        "a month",
        "birth month|month of birth|geburtsmonat|mois naissance|mes nacimiento|~month|~monat|~mois|~mes",
    ),
    word(
        Quasi,
        "an element of a date",
        "day of birth|birth day|weekday|day of week|dow|~day|~hour|~week|wochentag|quarter",
    ),
    word(
        Age,
        "an age",
        "age|ages|agep|age years|age in years|age at admission|age at diagnosis|age at death|patient age|alter|lebensalter|\
         edad|idade|eta|leeftijd|age group|age class|age range|age band|altersgruppe|classe age|grupo edad",
    ),
    // Places.
    word(
        Postal,
        "a postal code",
        "zip|zip code|zipcode|zip5|zip 5|zip4|zip3|zip plus 4|postal code|postal|postcode|post code|pcode|plz|\
         postleitzahl|code postal|codigo postal|cap|cep|postnummer|postnr|pin code|pincode|eircode",
    ),
    word(
        Quasi,
        "a place smaller than a state",
        "city|town|village|municipality|municip|county|district|borough|parish|precinct|neighborhood|neighbourhood|suburb|\
         quarter name|census tract|tract|block group|census block|fips|fips code|county fips|puma|geo|geocode|geo code|\
         geo id|geoid|latitude|lat|longitude|lon|long|lng|coordinates|location|place|=site|hometown|home town|community|\
         ort|wohnort|stadt|gemeinde|landkreis|kreis|bezirk|ville|commune|departement|canton|arrondissement|ciudad|\
         municipio|localidad|poblacion|barrio|comuna|comune|cidade|birthplace|birth place|place of birth|pob|geburtsort|\
         lieu naissance|lugar nacimiento|area code|msa|metro area|urban|rural|residence",
    ),
    word(
        Quasi,
        "a state, region or country",
        "state|=st|province|provincia|prov|region|territory|country|nation|land|bundesland|kanton|pays|pais|paese|estado|\
         native country|country of birth|birth country|citizenship|nationality|staatsangehorigkeit|nationalite|\
         nacionalidad|migration|origin|national origin|herkunft|herkunftsland|immigrant|division|continent",
    ),
    word(
        Quasi,
        "where a person is treated, taught or served",
        "hospital|clinic|facility|ward|unit|department|dept|care unit|station|abteilung|fachabteilung|klinik|krankenhaus|hopital|service|\
         center|centre|study site|site id|provider|physician|doctor|surgeon|attending|attending physician|referring|nurse|arzt|\
         medecin|medico|pharmacy|practice|institution|organization|organisation|school|schule|ecole|escuela|university|\
         college|admission source|admission type|admission location|discharge location|discharge disposition|insurance|\
         insurer|payer|payor|payer code|krankenkasse|kasse|kostentrager|versicherung|medical specialty|specialty",
    ),
    // What others know of a person.
    word(
        Quasi,
        "sex or gender",
        "sex|gender|gender identity|geschlecht|sexe|genre|sexo|genero|sesso|geslacht|male|female|is male|is female",
    ),
    word(
        Quasi,
        "race or ethnicity",
        "race|ethnicity|ethnic|=eth|ethnic group|ethnic origin|ethnie|raza|etnia|hispanic|hispan|hisp|rac1p|latino|tribe|caste|\
         indigenous|skin color|skin colour|rasse|ethnische herkunft",
    ),
    word(
        Quasi,
        "a language",
        "language|mother tongue|native language|sprache|muttersprache|langue|idioma|lengua|english proficiency",
    ),
    word(Quasi, "a religion", "religion|religious|faith|denomination|konfession|glaube|religione"),
    word(
        Quasi,
        "marital or family status",
        "marital status|marital|=mar|maritalstatus|civil status|marstat|married|familienstand|etat civil|situation familiale|\
         estado civil|relationship|relation|children|num children|kids|household size|family size|dependents|dependants|siblings|sibsp|\
         parch|number of children|kinder|enfants|hijos|living arrangement|parity|household",
    ),
    word(
        Quasi,
        "education",
        "education|education level|education num|educational attainment|educ|edu|schl|degree|schooling|qualification|bildung|\
         schulabschluss|ausbildung|niveau etudes|diplome|educacion|escolaridad|estudios|highest grade",
    ),
    word(
        Quasi,
        "work or employer",
        "occupation|occp|occ|occ code|isco|nace|naics|ind code|wkhp|job|job title|profession|employment|employment status|employed|employer|company|workplace|work class|\
         workclass|industry|sector|position|rank|veteran|military|hours per week|hours worked|beruf|tatigkeit|\
         arbeitgeber|branche|metier|employeur|emploi|ocupacion|profesion|trabajo|empleo|empresa|title|=role",
    ),
    word(
        Quasi,
        "an income class",
        "income class|income group|income bracket|income band|income level|income range|income category|salary class|\
         salary group|salary band|salary range|salary bracket|earnings class|wage class|einkommensklasse|\
         tranche revenu|poverty|poverty status|socioeconomic status|ses",
    ),
    word(
        Quasi,
        "a visible body measure",
        "height|body height|body weight|weight kg|weight lb|weight lbs|birth weight|~weight|stature|bmi|body mass index|\
         eye color|eye colour|hair color|hair colour|handedness|shoe size|grosse|gewicht|taille|poids|talla|peso|\
         altura|waist|hip circumference|limp|amputation|disability|disabled|blind|deaf|wheelchair",
    ),
    word(
        Quasi,
        "a course of events",
        "length of stay|los|time in hospital|days in hospital|duration|stay days|liegedauer|verweildauer|num visits|\
         number of visits|deceased|died|dead|expired|death|alive|vital status|hospital expire flag|verstorben|deces|\
         fallecido|twin|multiple birth|home ownership|housing|vehicle|car|pet|hobby|hobbies",
    ),
    // What an adversary wants to learn.
    word(
        Diagnosis,
        "a diagnosis",
        "diagnosis|diagnoses|diagnosis code|primary diagnosis|principal diagnosis|secondary diagnosis|diag|dx|dx code|icd|\
         icd code|icd9|icd9 code|icd 9|icd10|icd10 code|icd 10|disease|illness|disorder|condition|comorbidity|\
         comorbidities|morbidity|diagnose|diagnosen|hauptdiagnose|nebendiagnose|krankheit|erkrankung|befund|diagnostic|\
         maladie|diagnostico|enfermedad|patologia|cause of death|death cause|todesursache",
    ),
    word(Sensitive, CONDITION, CONDITIONS),
    word(
        Sensitive,
        "a symptom or a course of illness",
        "symptom|symptoms|severity|prognosis|stage|tumor stage|tumour stage|histology|morphology|relapse|readmitted|\
         readmission|recovery|complication|complications|triage|acuity|pain score|symptome",
    ),
    word(
        Sensitive,
        "a procedure or treatment",
        "procedure|procedures|procedure code|proc|proc code|cpt|cpt code|hcpcs|ops|drg|treatment|treatment arm|therapy|\
         surgery|operation|intervention|prozedur|behandlung|therapie|traitement|tratamiento|cirugia|vaccine|vaccination|\
         vaccinated|transfusion",
    ),
    word(
        Sensitive,
        "a medication",
        "medication|medications|med name|medicine|drug|drugs|drug name|drug code|prescription|rx|ndc|atc|atc code|dose|\
         dosage|insulin|metformin|opioid|antidepressant|diabetesmed|medikament|medikamente|wirkstoff|medicament|\
         medicamento|farmaco",
    ),
    word(
        Sensitive,
        "a laboratory or test result",
        "lab|labs|lab result|lab value|lab test|test result|result|results|test value|measurement|laborwert|hba1c|a1c|\
         a1cresult|glucose|max glu serum|cholesterol|chol|ldl|hdl|triglycerides|hemoglobin|haemoglobin|hamoglobin|hematocrit|hamatokrit|\
         creatinine|albumin|bilirubin|platelets|leukocytes|wbc|rbc|psa|tsh|crp|troponin|sodium|potassium|cd4|\
         viral load|blood pressure|systolic|diastolic|sbp|dbp|trestbps|blood type|blood group|heart rate|pulse|\
         respiratory rate|temperature|oxygen saturation|spo2|ecg|ekg|restecg|resultat|resultado|blutdruck|biomarker|\
         blutzucker|cholesterin|kreatinin|leukozyten|thrombozyten|herzfrequenz|blutgruppe",
    ),
    word(
        Sensitive,
        "an intimate matter",
        "sexual orientation|sexuality|sexual preference|sexual partners|contraception|abuse|violence|victim|affair|affairs",
    ),
    word(
        Sensitive,
        "belief, offence or performance",
        "political party|political affiliation|politics|vote|voted|union member|trade union|criminal|criminal record|\
         conviction|offense|offence|arrest|sentence|recidivism|gpa|grade|exam score|test score|credit score|credit rating|\
         credit history|delinquency|default",
    ),
    word(
        Money,
        "an amount of money",
        "~amount|~amt|~fee|~tax|~taxes|~premium|~budget|~spending|~savings|~preis|~steuer|~einkommen|\
         charge|charges|total charges|cost|costs|total cost|price|payment|payments|paid|amount paid|billed|bill amount|\
         billing amount|reimbursement|salary|wage|wages|hourly wage|income|household income|annual income|wagp|pincp|hourly rate|pay rate|expense|expenses|earnings|\
         revenue|net worth|debt|balance|loan amount|credit amount|mortgage|rent|capital gain|capital loss|gehalt|lohn|\
         einkommen|kosten|betrag|erlos|umsatz|entgelt|rechnungsbetrag|salaire|revenu|cout|salario|sueldo|ingresos|renta|costo|coste|pension|bonus|tuition",
    ),
    // What is neither.
    word(
        Text,
        "free text",
        "note|notes|clinical note|comment|comments|remark|remarks|narrative|letter|~text|free text|freetext|~description|\
         ~desc|summary|discharge summary|memo|message|=body|report|radiology report|history|medical history|hpi|impression|\
         findings|chief complaint|complaint|reason|reason for visit|anamnese|bemerkung|bemerkungen|kommentar|notiz|\
         notizen|arztbrief|freitext|commentaire|commentaires|remarques|nota|notas|comentario|comentarios|observaciones|\
         review|feedback|biography|=bio|abstract|transcript|answer|verbatim",
    ),
    word(
        Weight,
        "a survey weight",
        "survey weight|sample weight|sampling weight|sample wt|final weight|fnlwgt|fnlwt|person weight|perwt|pweight|\
         pwgtp|pwgt|hhwt|hh weight|household weight|wgtp|design weight|analysis weight|replicate weight|repwt|repwtp|\
         post stratification weight|weight factor|expansion factor|statistical weight|wtmec2yr|wtint2yr|finalwt|llcpwt|\
         gewichtung|hochrechnungsfaktor|ponderation|factor expansion|factor de expansion|asecwt|wtfinl|wtssall",
    ),
    // What outsiders cannot know. Weak phrases: `total_children` is about children.
    word(
        Opinion,
        "an opinion or an answer in a survey",
        "satisfaction|satisfied|opinion|attitude|agreement|~trust|~rating|likert|feeling|happiness|stress|worry|worries|\
         preference|~confidence|approval|importance|concern|belief|beliefs|quality of life|life satisfaction|well being|\
         wellbeing|loneliness|zufriedenheit|meinung|vertrauen|~bewertung|einstellung|lebensqualitat|satisfaccion|opinions|~item|~frage",
    ),
    word(
        Measure,
        "a measured or computed figure",
        "~credit lines|~credit line|~inquiries|~accounts|~collections|~delinq|~delinquent|~installment|~months since|\
         ~failed to pay|~rate|~ratio|~score|~percent|~percentage|~pct|~mean|~avg|~average|~std|~sd|~stddev|~variance|~median|~sum|~total|\
         ~speed|~velocity|~distance|~delay|~voltage|~current|~pressure|~humidity|~temp|~volume|~density|~concentration|~area|\
         ~radius|~diameter|~perimeter|~texture|~smoothness|~compactness|~concavity|~concave|~symmetry|~fractal dimension|\
         ~length|~width|~depth|~thickness|~limit|~utilized|~utilization|~interest|~apr|~quantity|~qty|~latency|~bytes|~power|\
         ~energy|~frequency|~signal|~sensor|~reading|~coefficient|~error|~residual|~log|~index value|~zscore|~percentile|\
         ~messwert|~mittelwert|~anteil|~quote|~dauer|~flache|~menge|~wert|~medida|~promedio|~moyenne|~taux",
    ),
    word(
        Target,
        "what is to be predicted",
        "=target|=label|=labels|=y|=class|=outcome|=outcome class|=response|=ground truth|=target class|=target variable|\
         =class label|=dependent variable|=zielvariable|=zielgrosse",
    ),
];
