//! The names of illnesses and states of health: one list, so that all of them are treated alike.
//!
//! The phrases follow the rules of `words`. They are looked up in column names (`asthma`,
//! `hx_diabetes`) and in the values of columns whose name gives no clue. What strangers see, such as
//! blindness or an amputation, is not here but among the quasi-identifiers.

/// How a sentence names them.
pub(super) const CONDITION: &str = "an illness or a state of health";

/// The phrases: illnesses by organ system, then habits, infections, mental health and reproduction.
pub(super) const CONDITIONS: &str = "\
     cancer|tumor|tumour|carcinoma|melanoma|leukemia|leukaemia|lymphoma|metastasis|neoplasm|malignancy|krebs|\
     diabetes|diabetic|diabetes mellitus|prediabetes|obesity|obese|overweight|thyroid|hypothyroidism|gout|metabolic syndrome|\
     zuckerkrankheit|diabete|adipositas|\
     hypertension|hypertensive|high blood pressure|hbp|htn|heart disease|heart attack|heart failure|chf|chd|cvd|angina|\
     arrhythmia|atrial fibrillation|myocardial infarction|infarction|stroke|thrombosis|embolism|anemia|anaemia|\
     bluthochdruck|hypertonie|herzinfarkt|herzinsuffizienz|schlaganfall|infarctus|hipertension|\
     asthma|asthme|asma|copd|emphysema|bronchitis|pneumonia|tuberculosis|=tb|apnea|apnoea|cystic fibrosis|lung disease|\
     lungenentzundung|arthritis|rheumatism|rheuma|osteoporosis|fracture|back pain|chronic pain|migraine|epilepsy|seizure|\
     seizures|dementia|alzheimer|alzheimers|parkinson|multiple sclerosis|neuropathy|demenz|epilepsie|\
     kidney disease|renal failure|renal disease|ckd|dialysis|liver disease|cirrhosis|ulcer|colitis|crohn|reflux|\
     eczema|psoriasis|allergy|allergies|allergie|hay fever|injury|injuries|wound|burn|trauma|concussion|verletzung|\
     infection|infected|infectious disease|sepsis|hiv|hiv status|aids|=std|=sti|syphilis|gonorrhea|chlamydia|hepatitis|hbv|hcv|\
     polio|measles|malaria|influenza|flu|covid|covid 19|sars|ebola|cholera|infektion|grippe|\
     mental health|mental|mental illness|mental disorder|depression|depressed|depressive|dysthymia|cesd|phq|phq9|gad7|\
     psychiatric|psychosis|schizophrenia|bipolar|anxiety|panic|ptsd|adhd|autism|eating disorder|anorexia|suicide|suicidal|\
     insomnia|depressionen|angststorung|psychisch|depresion|ansiedad|\
     substance use|substance abuse|drug use|drug abuse|addiction|addicted|heroin|cocaine|cannabis|marijuana|opiate|\
     alcohol|alcohol use|alcoholism|alcoholic|drinking|drinker|alkohol|sucht|\
     smoking|smoker|smoking status|smoke|smokes|smoked|ever smoked|quit smoking|cigarette|cigarettes|cigs|tobacco|vaping|\
     nicotine|rauchen|raucher|tabac|tabaco|fumeur|fumador|\
     pregnant|pregnancy|gestation|abortion|miscarriage|stillbirth|fertility|infertility|menopause|preeclampsia|schwanger|\
     schwangerschaft|grossesse|embarazo|\
     genetic|genotype|mutation|gene variant|brca|disease history|comorbid|frailty|general health|self rated health|health status|\
     gesundheit|gesundheitszustand|sante|salud";
