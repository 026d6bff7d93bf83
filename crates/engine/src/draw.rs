//! Sampling for differential privacy: reads the secret that a policy names, and passes only the
//! sampled rows of a table on.
//!
//! [`throng::sampling`] decides how many rows of every tuple are sampled, when the table is grouped.
//! Rows have no other released cells, so it does not matter which of them these are: the first ones.

use arrow::array::BooleanArray;
use arrow::compute::filter_record_batch;
use arrow::record_batch::RecordBatch;
use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::Format;
use throng::pseudonym::Key;
use throng::rows::Counted;
use throng::sampling::{Sample, Sampling};
use throng::table::Code;

use crate::cells::Cells;
use crate::policy_file::PolicyFile;
use crate::source::Source;
use crate::substitute::secret;

/// A table that was grouped, and how many rows of every tuple are sampled.
#[derive(Debug)]
pub(crate) struct SampledTable {
    /// The whole table.
    counted: Counted,
    pub(crate) sample: Sample,
}

/// The rows of each tuple that are still to be passed on.
pub(crate) struct SampledRows<'a> {
    table: &'a SampledTable,
    left: Vec<u32>,
    codes: Vec<Vec<Code>>,
}

impl PolicyFile {
    /// The secret by which rows are drawn, if the policy requests differential privacy.
    ///
    /// # Errors
    /// A secret that is not there.
    pub(crate) fn secret(&self) -> Result<Option<Vec<u8>>> {
        let Some(asked) = self.policy.differential_privacy() else { return self.shift_secret() };
        let place = (asked.key_file.as_deref(), asked.key_env.as_deref());
        secret(place, self.folder()).map(Some).map_err(|e| e.map(|fault| fault.key(self.secret_key())))
    }

    /// Where the policy names the secret.
    fn secret_key(&self) -> String {
        let part = match self.policy.differential_privacy().is_some_and(|asked| asked.key_env.is_some()) {
            true => "key_env",
            false => "key_file",
        };
        format!("privacy.models.0.differential_privacy.{part}")
    }

    /// How rows are sampled, if the policy requests differential privacy.
    ///
    /// # Errors
    /// A secret that is not there or too short, a table that is JSON.
    pub(crate) fn sampling(&self, source: &Source) -> Result<Option<(Sampling, Key)>> {
        // Only then: another secret that the policy names is not needed to group a table.
        let Some(asked) = self.policy.differential_privacy() else { return Ok(None) };
        let Some(secret) = self.secret()? else { return Ok(None) };
        if source.format == Format::Json {
            return Err(fault!(Input, "sampling.json-types", "what type a column of JSON has follows from all of its rows, which differential privacy does not allow")
                .key("input.path")
                .help("convert the table to CSV or Parquet first")
                .into());
        }
        let sampling = Sampling::new(asked.epsilon, asked.delta)?;
        let key = Key::new(&secret).map_err(|e| e.map(|fault| fault.key(self.secret_key())))?;
        Ok(Some((sampling, key)))
    }
}

impl SampledTable {
    /// Samples a table that was counted by its quasi-identifiers; returns it and the sampled part.
    pub(crate) fn new(
        (sampling, key): (Sampling, Key),
        (seed, policy_sha256): (u64, &str),
        names: &[String],
        counted: Counted,
    ) -> (Self, Counted) {
        let sample = Sample::new(&sampling, &key, (seed, policy_sha256), names, &counted);
        let sampled = sample.of(&counted);
        (SampledTable { counted, sample }, sampled)
    }

    /// A pass over the sampled rows.
    pub(crate) fn rows(&self) -> SampledRows<'_> {
        let codes = vec![Vec::new(); self.counted.dictionaries.len()];
        SampledRows { table: self, left: self.sample.counts.clone(), codes }
    }
}

impl SampledRows<'_> {
    /// The sampled rows of a batch; `quasi` has the places of the quasi-identifiers, as the table was
    /// counted.
    pub(crate) fn filter(&mut self, batch: &RecordBatch, quasi: &[(usize, String)]) -> Result<RecordBatch> {
        let counted = &self.table.counted;
        for ((column, name), (dictionary, codes)) in
            quasi.iter().zip(counted.dictionaries.iter().zip(&mut self.codes))
        {
            Cells::new(name, batch.column(*column))?.look_up(name, dictionary, codes)?;
        }
        let mut tuple = vec![0; quasi.len()];
        let mut sampled = |row: usize| {
            tuple.iter_mut().zip(&self.codes).for_each(|(cell, codes)| *cell = codes[row]);
            let left = counted.tuples.find(&tuple).and_then(|at| self.left.get_mut(at as usize));
            left.is_some_and(|left| {
                let one = *left > 0;
                *left = left.saturating_sub(1);
                one
            })
        };
        let sampled: BooleanArray = (0..batch.num_rows()).map(|row| Some(sampled(row))).collect();
        filter_record_batch(batch, &sampled).map_err(|e| Fault::bug(e.to_string()).into())
    }
}
