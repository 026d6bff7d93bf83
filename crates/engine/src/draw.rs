//! Samples rows for differential privacy while a table is read: reads the secret that a policy
//! names, and passes only the sampled rows of every batch on.
//!
//! One more pass over the bytes of the table, because the sample depends on all of them; then one
//! HMAC per 8 rows. [`throng::sampling`] decides which rows are sampled.

use datafusion::arrow::array::BooleanArray;
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::record_batch::RecordBatch;
use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::Format;
use throng::pseudonym::Key;
use throng::sampling::{Draw, Sampling};
use throng::watch::Watch;

use crate::Engine;
use crate::digest::digest_files;
use crate::policy_file::PolicyFile;
use crate::source::Source;
use crate::substitute::secret;

impl PolicyFile {
    /// The secret by which rows are drawn, if the policy requests differential privacy.
    ///
    /// # Errors
    /// A secret that is not there.
    pub(crate) fn secret(&self) -> Result<Option<Vec<u8>>> {
        let Some(asked) = self.policy.differential_privacy() else { return Ok(None) };
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

    /// The draw of a table, if the policy requests differential privacy.
    ///
    /// # Errors
    /// A secret that is not there or too short, a table that cannot be read or is JSON.
    pub(crate) fn draw(&self, source: &Source, seed: u64, watch: &Watch) -> Result<Option<Draw>> {
        let (Some(asked), Some(secret)) = (self.policy.differential_privacy(), self.secret()?) else {
            return Ok(None);
        };
        if source.format == Format::Json {
            return Err(fault!(Input, "sampling.json-types", "what type a column of JSON has follows from all of its rows, which differential privacy does not allow")
                .key("input.path")
                .help("convert the table to CSV or Parquet first")
                .into());
        }
        let sampling = Sampling::new(asked.epsilon, asked.delta)?;
        let key = Key::new(&secret).map_err(|e| e.map(|fault| fault.key(self.secret_key())))?;
        let digest = digest_files(&source.files, watch)?;
        Ok(Some(Draw::new(&sampling, &key, seed, &self.sha256, &digest)))
    }
}

impl Engine {
    /// As [`scan`](Self::scan), with the rows alone that are drawn.
    pub(crate) fn scan_drawn(
        &self,
        source: &Source,
        columns: &[String],
        mut draw: Option<&mut Draw>,
        watch: &Watch,
        mut each: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        self.scan(source, columns, watch, |batch| {
            let Some(draw) = &mut draw else { return each(batch) };
            let drawn: BooleanArray = (0..batch.num_rows()).map(|_| Some(draw.next_row())).collect();
            each(filter_record_batch(&batch, &drawn).map_err(|e| Fault::bug(e.to_string()))?)
        })
    }
}
