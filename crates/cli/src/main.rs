//! cli
fn main() {
    let _ = throng_engine::t("x");
}
