//! Engine
use datafusion::prelude::*;
/// t
pub async fn t(p: &str) -> datafusion::error::Result<usize> {
    let ctx = SessionContext::new();
    let df = ctx.read_csv(p, CsvReadOptions::new()).await?;
    let n = df.count().await?;
    let df = ctx.read_parquet(p, ParquetReadOptions::new()).await?;
    let m = df.count().await?;
    Ok(n + m)
}
