//! Diagnoses of synthetic patients: ICD-10 codes by age and sex, and their costs.
//!
//! One line per code. Frequencies are invented but ordered as in hospital statistics: births among
//! women of 15 to 49, asthma among children, heart failure among the old. A table of weights is
//! prepared once per age band and sex; a draw then costs one look-up.

use super::draw::{Draw, Weights};
use super::exact;

/// A code, how often it occurs, and what goes with it.
pub(super) struct Diagnosis {
    /// ICD-10 code.
    pub(super) code: &'static str,
    /// How a clinician would name it within a sentence.
    pub(super) words: &'static str,
    /// Frequency by age band: below 1, 1–14, 15–29, 30–39, 40–49, 50–64, 65–79, 80 and over.
    ages: [u16; 8],
    /// How much more or less often men and women have it, in per cent.
    sexes: [u16; 2],
    /// The middle of the charges at 40, in dollars.
    dollars: u32,
}

/// The age from which each band starts.
const BANDS: [u32; 8] = [0, 1, 15, 30, 40, 50, 65, 80];

const fn d(
    code: &'static str,
    words: &'static str,
    ages: [u16; 8],
    sexes: [u16; 2],
    dollars: u32,
) -> Diagnosis {
    Diagnosis { code, words, ages, sexes, dollars }
}

#[rustfmt::skip]
static ALL: [Diagnosis; 68] = [
    // Newborns.
    d("Z38.00", "an uncomplicated vaginal birth", [520, 0, 0, 0, 0, 0, 0, 0], [100, 100], 4200),
    d("Z38.01", "a birth by cesarean", [240, 0, 0, 0, 0, 0, 0, 0], [100, 100], 7800),
    d("P07.30", "prematurity", [40, 0, 0, 0, 0, 0, 0, 0], [105, 95], 68000),
    d("P22.0", "respiratory distress of the newborn", [18, 0, 0, 0, 0, 0, 0, 0], [120, 80], 52000),
    d("P59.9", "neonatal jaundice", [45, 0, 0, 0, 0, 0, 0, 0], [110, 90], 6100),
    d("Q21.0", "a ventricular septal defect", [8, 2, 0, 0, 0, 0, 0, 0], [95, 105], 61000),
    // Pregnancy and childbirth.
    d("O80", "a normal delivery", [0, 0, 330, 300, 45, 0, 0, 0], [0, 160], 11800),
    d("O82", "a cesarean delivery", [0, 0, 140, 180, 40, 0, 0, 0], [0, 160], 19500),
    d("O34.211", "a repeat cesarean for a previous scar", [0, 0, 50, 110, 25, 0, 0, 0], [0, 160], 20100),
    d("O14.13", "severe pre-eclampsia", [0, 0, 25, 30, 10, 0, 0, 0], [0, 160], 23000),
    d("O24.410", "gestational diabetes", [0, 0, 18, 30, 10, 0, 0, 0], [0, 160], 12500),
    d("O60.10X0", "preterm labor", [0, 0, 22, 22, 5, 0, 0, 0], [0, 160], 18700),
    d("O03.9", "a miscarriage", [0, 0, 14, 14, 8, 0, 0, 0], [0, 160], 8800),
    // Infections.
    d("A41.9", "sepsis", [12, 14, 35, 45, 60, 120, 190, 230], [105, 95], 46000),
    d("A08.4", "viral gastroenteritis", [25, 60, 14, 10, 8, 10, 12, 16], [90, 110], 9200),
    d("B20", "complications of HIV", [0, 0, 8, 12, 14, 12, 3, 0], [150, 50], 31000),
    d("L03.115", "cellulitis of the right leg", [3, 12, 20, 26, 32, 46, 42, 42], [115, 85], 13500),
    // Cancers.
    d("C18.9", "colon cancer", [0, 0, 1, 4, 12, 34, 42, 32], [105, 95], 56000),
    d("C34.90", "lung cancer", [0, 0, 0, 1, 6, 42, 58, 20], [110, 90], 58000),
    d("C50.919", "breast cancer", [0, 0, 1, 9, 20, 36, 34, 14], [2, 198], 37000),
    d("C61", "prostate cancer", [0, 0, 0, 0, 4, 60, 70, 18], [100, 0], 39000),
    d("C91.00", "acute lymphoblastic leukemia", [1, 14, 3, 1, 1, 2, 2, 1], [115, 85], 96000),
    d("D25.9", "uterine fibroids", [0, 0, 3, 26, 52, 10, 1, 0], [0, 150], 27000),
    // Blood, glands and metabolism.
    d("D57.00", "a sickle-cell crisis", [0, 10, 16, 10, 6, 3, 0, 0], [95, 105], 21000),
    d("E10.10", "diabetic ketoacidosis", [1, 45, 45, 25, 18, 12, 4, 1], [100, 100], 16500),
    d("E11.65", "poorly controlled type 2 diabetes", [0, 2, 14, 26, 40, 65, 50, 32], [110, 90], 14200),
    d("E66.01", "morbid obesity, for surgery", [0, 0, 20, 42, 40, 30, 4, 0], [50, 150], 33000),
    d("E86.0", "dehydration", [20, 24, 10, 8, 8, 14, 24, 50], [85, 115], 9700),
    d("E87.1", "hyponatremia", [1, 1, 4, 6, 10, 24, 38, 60], [75, 125], 13800),
    // Mind and nerves.
    d("F10.239", "alcohol withdrawal", [0, 0, 25, 50, 62, 60, 20, 3], [150, 60], 15800),
    d("F11.20", "opioid dependence", [0, 0, 42, 58, 38, 22, 5, 1], [130, 75], 12900),
    d("F20.9", "schizophrenia", [0, 1, 32, 34, 30, 28, 9, 2], [130, 75], 19400),
    d("F31.9", "bipolar disorder", [0, 3, 40, 40, 35, 30, 10, 3], [85, 115], 17300),
    d("F32.9", "a depressive episode", [0, 18, 70, 50, 48, 45, 25, 12], [75, 125], 14600),
    d("G20", "Parkinson's disease", [0, 0, 0, 0, 0, 5, 18, 20], [130, 75], 18900),
    d("G30.9", "Alzheimer's disease", [0, 0, 0, 0, 0, 6, 28, 85], [80, 120], 17500),
    d("G40.909", "epilepsy", [8, 50, 25, 20, 18, 22, 20, 12], [105, 95], 17800),
    // Heart and vessels.
    d("I10", "uncontrolled hypertension", [0, 0, 4, 8, 14, 24, 28, 30], [90, 110], 9000),
    d("I21.3", "a heart attack with ST elevation", [0, 0, 1, 6, 22, 50, 42, 25], [140, 65], 78000),
    d("I21.4", "a heart attack without ST elevation", [0, 0, 2, 10, 35, 100, 120, 110], [125, 80], 52000),
    d("I25.10", "coronary artery disease", [0, 0, 0, 5, 22, 80, 95, 45], [150, 60], 64000),
    d("I26.99", "a pulmonary embolism", [0, 0, 10, 14, 18, 35, 40, 30], [95, 105], 24000),
    d("I48.91", "atrial fibrillation", [0, 0, 4, 8, 16, 55, 100, 110], [105, 95], 18000),
    d("I50.23", "decompensated heart failure", [0, 1, 4, 10, 28, 95, 170, 230], [105, 95], 29500),
    d("I63.9", "an ischemic stroke", [0, 1, 5, 10, 25, 80, 120, 140], [105, 95], 38500),
    // Lungs.
    d("J10.1", "influenza", [8, 18, 8, 8, 9, 18, 26, 34], [95, 105], 14500),
    d("J18.9", "pneumonia", [20, 45, 20, 24, 32, 75, 120, 170], [105, 95], 22000),
    d("J21.0", "RSV bronchiolitis", [70, 25, 0, 0, 0, 0, 0, 0], [120, 80], 9800),
    d("J35.01", "chronic tonsillitis", [0, 60, 25, 8, 3, 1, 0, 0], [90, 110], 9400),
    d("J44.1", "an exacerbation of COPD", [0, 0, 1, 4, 18, 90, 130, 80], [90, 110], 19500),
    d("J45.901", "an asthma exacerbation", [10, 150, 40, 30, 30, 35, 20, 10], [90, 110], 12500),
    d("J96.01", "acute respiratory failure", [5, 6, 8, 10, 16, 50, 70, 70], [105, 95], 41000),
    // Digestion, kidneys and the rest of the trunk.
    d("K35.80", "acute appendicitis", [0, 95, 70, 35, 22, 18, 8, 3], [115, 85], 21000),
    d("K50.90", "a flare of Crohn's disease", [0, 6, 16, 14, 10, 9, 6, 2], [95, 105], 20500),
    d("K56.609", "intestinal obstruction", [3, 4, 8, 12, 18, 42, 52, 52], [95, 105], 22500),
    d("K57.32", "diverticulitis", [0, 0, 3, 12, 24, 50, 42, 26], [95, 105], 18300),
    d("K70.30", "alcoholic cirrhosis", [0, 0, 1, 8, 18, 34, 12, 1], [140, 60], 33500),
    d("K81.0", "acute cholecystitis", [0, 2, 28, 30, 26, 40, 38, 24], [70, 130], 26000),
    d("K85.90", "acute pancreatitis", [0, 2, 16, 26, 28, 36, 22, 12], [110, 90], 20400),
    d("K92.2", "a gastrointestinal bleed", [1, 2, 8, 12, 18, 50, 75, 95], [110, 90], 19800),
    d("N17.9", "acute kidney injury", [1, 2, 6, 10, 18, 55, 85, 110], [115, 85], 18700),
    d("N20.0", "a kidney stone", [0, 2, 14, 20, 20, 28, 16, 6], [115, 85], 15600),
    d("N39.0", "a urinary tract infection", [14, 12, 18, 14, 14, 28, 60, 120], [50, 150], 12900),
    d("N40.1", "an enlarged prostate", [0, 0, 0, 0, 1, 16, 40, 32], [100, 0], 16900),
    // Bones and injuries.
    d("M17.11", "arthritis of the right knee", [0, 0, 0, 2, 18, 100, 150, 40], [85, 115], 51000),
    d("S06.0X0A", "a concussion", [4, 20, 18, 10, 8, 12, 14, 22], [115, 85], 14000),
    d("S72.001A", "a fracture of the right hip", [0, 3, 3, 3, 5, 22, 70, 210], [70, 130], 47000),
    d("S82.201A", "a fracture of the right tibia", [0, 34, 18, 14, 14, 20, 10, 4], [120, 80], 36000),
];

impl Diagnosis {
    /// Whether it comes with winter.
    pub(super) fn in_winter(&self) -> bool {
        matches!(self.code, "J10.1" | "J18.9" | "J21.0")
    }

    /// Whether it is being born, or an illness of the first day.
    pub(super) fn is_birth(&self) -> bool {
        self.code.starts_with(['P', 'Z'])
    }

    /// What the stay costs, in cents: log-normal around a middle that grows by 4 ‰ per year
    /// over 40.
    ///
    /// Births go by the book and vary less than illness.
    pub(super) fn charges(&self, age: u32, draw: &mut Draw) -> u64 {
        let middle = u64::from(self.dollars) * u64::from(1000 + 4 * age.saturating_sub(40)) / 10;
        let spread = if self.code.starts_with(['O', 'Z']) { 0.3 } else { 0.6 };
        (middle as f64 * exact::exp(spread * draw.bell())).round() as u64
    }
}

/// The diagnoses, ready to be drawn by age and sex.
pub(super) struct Diagnoses(Vec<[Weights; 2]>);

impl Diagnoses {
    pub(super) fn new() -> Self {
        let weights = |band: usize, sex: usize| {
            Weights::new(ALL.iter().map(|d| u64::from(d.ages[band]) * u64::from(d.sexes[sex])))
        };
        Diagnoses((0..BANDS.len()).map(|band| [weights(band, 0), weights(band, 1)]).collect())
    }

    pub(super) fn draw(&self, age: u32, woman: bool, draw: &mut Draw) -> &'static Diagnosis {
        let band = BANDS.iter().filter(|&&start| start <= age).count() - 1;
        &ALL[draw.pick(&self.0[band][usize::from(woman)]) as usize]
    }
}
