# Tests throng.R with the cases that all readers share.

arguments <- commandArgs(FALSE)
folder <- dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE)[1]))
source(file.path(folder, "throng.R"), encoding = "UTF-8")

# strsplit drops an empty text at the end unless something follows it.
split <- function(text, by) strsplit(paste0(text, by), by, fixed = TRUE)[[1]]

expected <- function(kind, low, high, has_low, has_high, parts) {
  switch(kind,
    anything = list(kind = kind),
    value = list(kind = kind, value = parts),
    interval = list(
      kind = kind, low = as.numeric(low), high = as.numeric(high),
      has_low = has_low == "true", has_high = has_high == "true"
    ),
    set = list(kind = kind, values = split(parts, "|")),
    range = {
      parts <- split(parts, "|")
      list(kind = kind, first = parts[1], last = parts[2])
    },
    masked = {
      parts <- split(parts, "|")
      list(kind = kind, shown = parts[1], hidden = as.integer(parts[2]), begins = parts[3] == "true")
    },
    stop("no such kind: ", kind)
  )
}

lines <- readLines(file.path(folder, "cases.csv"), encoding = "UTF-8")[-1]
stopifnot(length(lines) > 30)
for (line in lines) {
  fields <- split(line, ";")
  stopifnot(length(fields) == 7)
  found <- throng_parse(fields[1])
  wanted <- do.call(expected, as.list(fields[-1]))
  if (!isTRUE(all.equal(found, wanted, tolerance = 0))) {
    stop("`", fields[1], "` is read as ", deparse(found), " and not as ", deparse(wanted))
  }
}

table <- data.frame(age = c("[20, 35)", "7", "*", "", "{3, 1}", "< 5", "old", "2*", "3 - 5"), stringsAsFactors = FALSE)
table <- throng_bounds(table, "age")
stopifnot(identical(table$age_low, c(20, 7, -Inf, NA, 1, -Inf, NA, NA, NA)))
stopifnot(identical(table$age_high, c(35, 7, Inf, NA, 3, 5, NA, NA, NA)))
cat("readers/throng.R: ", length(lines), " cases\n", sep = "")

lines <- readLines(file.path(folder, "statistics.csv"), encoding = "UTF-8")[-1]
for (line in lines) {
  fields <- split(line, ";")
  spans <- throng_spans(split(fields[1], "|"), c(-10, 20))
  found <- list(throng_mean(spans), throng_median(spans), throng_quantile(spans, 0.25), throng_variance(spans))
  ends <- unlist(lapply(found, function(bounds) c(bounds$low, bounds$high)))
  if (!isTRUE(all.equal(ends, as.numeric(fields[2:9]), tolerance = 1e-9))) stop(line, ": ", deparse(ends))
  stopifnot(found[[4]]$exact == (fields[10] == "true"))
}
spans <- throng_spans(c("*", "< 5", ""), c(0, 120))
stopifnot(identical(unname(spans), matrix(c(0, 0, 120, 5), 2)))
stopifnot(inherits(try(throng_spans("old"), silent = TRUE), "try-error"))

# Bounds of the variance of few cells are those of all corners.
set.seed(1)
for (step in 1:100) {
  low <- sample(0:20, sample(2:6, 1), replace = TRUE)
  spans <- cbind(low, low + sample(0:12, length(low), replace = TRUE))
  corners <- as.matrix(expand.grid(lapply(seq_along(low), function(i) spans[i, ])))
  most <- max(apply(corners, 1, function(values) mean((values - mean(values))^2)))
  stopifnot(isTRUE(all.equal(throng_variance(spans, FALSE)$high, most)))
}
cat("readers/throng.R: ", length(lines), " cases of statistics\n", sep = "")
