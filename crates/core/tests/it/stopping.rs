//! A release that is stopped at any question is complete or cancelled: a verdict that was cut short
//! is never taken for one that holds, nor for one that does not.

use throng::error::{Error, Result};
use throng::memory::{Released, Table, release};
use throng::policy::PolicyBundle;
use throng::watch::{Cancel, Request, Watch};

/// Enough distinct rows that a count of compatible ones asks whether to stop.
const ROWS: usize = 130;

/// People of whom a tenth of the cells are missing.
fn table() -> Table {
    let columns = ["age", "zip", "sex", "illness"].map(String::from).to_vec();
    let row = |i: usize| {
        let mixed = (i * 31 + 7) % 211;
        let cell = |every: usize, text: String| (!mixed.is_multiple_of(every)).then_some(text);
        vec![
            cell(7, (20 + mixed * 7 % 40).to_string()),
            cell(5, format!("021{:02}", mixed * 13 % 30)),
            cell(11, ["f", "m"][mixed % 2].into()),
            Some(["flu", "asthma", "angina"][i % 3].into()),
        ]
    };
    Table::new(columns, (0..ROWS).map(row).collect()).unwrap()
}

fn policy(privacy: &str, search: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"people\"\nmissing = \"wildcard\"\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = {{ widths = [10, 20] }} }}\n\
         [columns.zip]\nrole = \"quasi\"\nhierarchy = {{ mask = {{}} }}\n\
         [columns.sex]\nrole = \"quasi\"\n[columns.illness]\nrole = \"sensitive\"\n\
         [privacy]\n{privacy}\n[search]\n{search}\n"
    )
}

fn run(policy: &str, cancel: Cancel) -> Result<Released> {
    let bundle = PolicyBundle::new(policy, &|_| unreachable!()).unwrap();
    release(policy, &table(), &|path| bundle.load(path), &Watch::new(cancel))
}

/// The most questions of a release that was not stopped.
fn questions(policy: &str) -> u64 {
    const MANY: u64 = 1 << 40;
    let cancel = Cancel::at_question(MANY, Request::Abort);
    let _ = run(policy, cancel.clone());
    MANY - cancel.questions_left().unwrap()
}

/// What is released, or why nothing is.
fn said(result: &Result<Released>) -> std::result::Result<String, &Error> {
    result.as_ref().map(|released| format!("{:?} {:?}", released.table, released.certificate))
}

/// Stops a release at every question.
fn stop_everywhere(name: &str, policy: &str) {
    let complete = run(policy, Cancel::new());
    let questions = questions(policy);
    let mut cancelled = 0;
    for n in 1..=questions {
        let stopped = run(policy, Cancel::at_question(n, Request::Abort));
        match &stopped {
            Err(error) if error.is_cancelled() => cancelled += 1,
            _ => {
                assert_eq!(said(&stopped), said(&complete), "{name}: stopped at question {n} of {questions}")
            }
        }
        let finished = run(policy, Cancel::at_question(n, Request::Finish));
        match &finished {
            Err(error) if error.is_cancelled() => {}
            Err(_) => assert_eq!(said(&finished), said(&complete), "{name}: finished at question {n}"),
            Ok(released) => assert!(released.verdict.holds(), "{name}: finished at question {n}"),
        }
    }
    assert!(cancelled > questions / 2, "{name}: {cancelled} of {questions}");
}

/// Runs on one thread, so that the n-th question is the same one every time.
fn on_one_thread(work: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(work);
}

#[test]
fn a_stop_at_any_question_is_a_complete_answer_or_cancelled() {
    on_one_thread(|| {
        for algorithm in ["auto", "ola", "samarati", "datafly", "incognito", "mingen"] {
            let policy = policy("k = 6\nsuppression = 0.1", &format!("algorithm = \"{algorithm}\""));
            stop_everywhere(algorithm, &policy);
        }
    });
}

#[test]
fn so_it_is_with_rounds_starred_cells_other_models_and_groups_of_columns() {
    let few = "k = 6\nsuppression = 0.1";
    on_one_thread(|| {
        stop_everywhere("local", &policy(few, "local = true"));
        stop_everywhere("cells", &policy(few, "[output]\nsuppressed = \"cells\""));
        let models = "models = [{ l_diversity = { column = \"illness\", l = 2 } }]";
        stop_everywhere("models", &policy(&format!("{few}\n{models}"), ""));
        let group = "k = 2\nsuppression = 0.1\n[privacy.quasi.place]\ncolumns = [\"age\", \"zip\"]\nk = 9";
        stop_everywhere("group", &policy(group, ""));
        // Nothing is safe: a stop must not change why, nor what would help.
        stop_everywhere("infeasible", &policy("k = 131\nsuppression = 0.0", "algorithm = \"ola\""));
    });
}
