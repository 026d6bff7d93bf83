//! The model that guides a method or measures a release: the columns of a problem as its features,
//! and the model fitted to the table.
//!
//! Fitting costs the model's time on the distinct rows; reading costs one look-up per cell.

use super::Problem;
use crate::error::{Fault, Kind, Result};
use crate::hierarchy::Spec;
use crate::policy::{GuideSpec, Policy};
use crate::predict::{Fitted, Known, Labels, Reader};
use crate::table::{Code, Dictionary};

/// What a model predicts.
#[derive(Debug, Clone)]
pub struct Predicted {
    /// The measured column.
    pub column: usize,
    /// Its codes as numbers.
    pub labels: Labels,
}

impl Problem {
    /// The columns that a model reads: as the policy names them, or all quasi-identifiers.
    pub fn features(&self, spec: &GuideSpec) -> Vec<String> {
        spec.features.clone().unwrap_or_else(|| self.names.clone())
    }

    /// What reads released cells of some columns as features.
    ///
    /// # Errors
    /// A column that is not a quasi-identifier.
    pub fn reader(&self, policy: &Policy, features: &[String]) -> Result<Reader> {
        let mut values = Vec::new();
        for name in features {
            let column = self.names.iter().position(|n| n == name);
            let column = column.ok_or_else(|| Fault::bug(format!("`{name}` is not a quasi-identifier")))?;
            let hierarchy = &self.hierarchies[column];
            let mut rows = vec![0; hierarchy.leaf_count()];
            for (class, &count) in self.classes.counts().iter().enumerate() {
                rows[self.classes.code(class, column) as usize] += u64::from(count);
            }
            let mut dictionary = Dictionary::new();
            rows.iter().enumerate().for_each(|(leaf, &rows)| {
                dictionary.add(hierarchy.leaf_value(leaf as Code), rows);
            });
            let spec = policy.columns.get(name).map(|column| column.hierarchy());
            // What looks like a number there is a code.
            let codes = matches!(
                spec,
                Some(Spec::Icd9 | Spec::Icd10 | Spec::Postal(_) | Spec::Zip3(_) | Spec::Mask(_))
            );
            values.push((dictionary, hierarchy, codes));
        }
        let known: Vec<Known<'_>> = values
            .iter()
            .map(|(values, hierarchy, codes)| Known { values, hierarchy: Some(hierarchy), codes: *codes })
            .collect();
        Ok(Reader::new(&known))
    }

    /// What is to be predicted.
    ///
    /// # Errors
    /// A column that is not a target, or that holds neither numbers nor two classes.
    pub fn predicted(&self, spec: &GuideSpec) -> Result<Predicted> {
        let targets = &self.measured[..self.classes.targets()];
        let column = targets.iter().position(|(name, _)| *name == spec.target);
        let column = column.ok_or_else(|| Fault::bug(format!("`{}` is not a target", spec.target)))?;
        let texts = &targets[column].1;
        let texts: Vec<&str> =
            (0..texts.len() as Code).map(|code| texts.value(code).unwrap_or_default()).collect();
        let labels =
            Labels::new(&texts, spec.predicts).map_err(|e| e.map(|fault| fault.column(&spec.target)))?;
        Ok(Predicted { column, labels })
    }

    /// The model of a name, fitted to the table.
    ///
    /// # Errors
    /// What [`Fitted::new`] says.
    pub fn fitted(
        &self,
        policy: &Policy,
        name: &str,
        features: Vec<String>,
        predicted: &Predicted,
    ) -> Result<Fitted> {
        let reader = self.reader(policy, &features)?;
        let columns: Vec<usize> =
            features.iter().filter_map(|name| self.names.iter().position(|n| n == name)).collect();
        let histogram = &self.classes.histograms()[predicted.column];
        let mut rows = Vec::new();
        for class in 0..self.classes.len() {
            let cell =
                |&column: &usize| self.hierarchies[column].leaf_value(self.classes.code(class, column));
            let cells: Vec<Option<&str>> = columns.iter().map(cell).collect();
            let (codes, counts) = histogram.class(class);
            for (&code, &count) in codes.iter().zip(counts) {
                rows.push((cells.clone(), predicted.labels.numbers[code as usize], u64::from(count)));
            }
        }
        Fitted::new(name, features, reader, predicted.labels.target, rows, self.profile.seed).map_err(|e| {
            e.map(|fault| match fault.kind {
                Kind::Input => fault.key("search.model.builtin"),
                _ => fault,
            })
        })
    }
}
