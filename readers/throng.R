# Reads the cells of a release: values, intervals, sets, ranges, masks and `*`.
#
# The forms are those that docs/cells.md explains; cases.csv lists examples that this file, throng.py and the program itself
# are tested with. Needs R 3.5 and nothing else. Costs one pass over a text.
#
#   source("throng.R")
#   release <- read.csv("release.csv", colClasses = "character")
#   release <- throng_bounds(release, "age")     # adds age_low and age_high
#
# Whether a text is meant as a form or is a value that happens to look like one, only the column's hierarchy can say.

# The finite number that a text is, spaces around it aside; NA where it is none.
throng_number <- function(text) {
  text <- trimws(text)
  if (!grepl("^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$", text)) return(NA_real_)
  x <- as.numeric(text) + 0
  if (is.finite(x)) x else NA_real_
}

# Reads a cell: a list of `kind` ("anything", "value", "interval", "set", "range" or "masked") and what that kind has.
throng_parse <- function(text) {
  if (text == "*") return(list(kind = "anything"))
  for (read in list(throng_interval, throng_set, throng_range, throng_masked)) {
    cell <- read(text)
    if (!is.null(cell)) return(cell)
  }
  list(kind = "value", value = text)
}

# Adds COLUMN_low and COLUMN_high to a data frame: the least and the greatest number that can be behind each cell; NA where it
# is no number or missing.
throng_bounds <- function(table, column) {
  bounds <- vapply(as.character(table[[column]]), throng_cell_bounds, numeric(2), USE.NAMES = FALSE)
  table[[paste0(column, "_low")]] <- bounds[1, ]
  table[[paste0(column, "_high")]] <- bounds[2, ]
  table
}

throng_cell_bounds <- function(text) {
  if (is.na(text) || text == "") return(c(NA_real_, NA_real_))
  cell <- throng_parse(text)
  switch(cell$kind,
    anything = c(-Inf, Inf),
    interval = c(cell$low, cell$high),
    masked = c(NA_real_, NA_real_),
    range = c(NA_real_, NA_real_),
    {
      numbers <- vapply(c(cell$value, cell$values), throng_number, numeric(1))
      c(min(numbers), max(numbers))
    }
  )
}

throng_interval <- function(text) {
  interval <- function(low, high, has_low, has_high) {
    if (is.na(low) || is.na(high) || low > high) return(NULL)
    list(kind = "interval", low = low, high = high, has_low = has_low, has_high = has_high)
  }
  if (startsWith(text, ">= ")) return(interval(throng_number(substring(text, 4)), Inf, TRUE, FALSE))
  if (startsWith(text, "< ")) return(interval(-Inf, throng_number(substring(text, 3)), FALSE, FALSE))
  if (!grepl("^[[(].*[])]$", text)) return(NULL)
  inner <- substr(text, 2, nchar(text) - 1)
  comma <- regexpr(", ", inner, fixed = TRUE)
  if (comma < 0) return(NULL)
  low <- throng_number(substr(inner, 1, comma - 1))
  high <- throng_number(substring(inner, comma + 2))
  interval(low, high, startsWith(text, "["), endsWith(text, "]"))
}

# How many characters a value in quotes has, the quotes included; -1 where there is none.
throng_quoted <- function(text) {
  found <- regexpr("^\"([^\"]|\"\")*\"(?!\")", text, perl = TRUE)
  if (found < 0) -1 else attr(found, "match.length")
}

# An end of a range; a value that is written in quotes must not be there without them.
throng_plain_end <- function(value) {
  value != "" && trimws(value) == value && !grepl("[,{}\"*]", value) && !grepl(" - ", value, fixed = TRUE) &&
    !startsWith(value, "- ") && !endsWith(value, " -")
}

throng_range <- function(text) {
  ends <- character(0)
  rest <- text
  for (separator in c(" - ", "")) {
    size <- throng_quoted(rest)
    if (size > 0) {
      value <- gsub("\"\"", "\"", substr(rest, 2, size - 1), fixed = TRUE)
    } else {
      size <- if (separator == "") nchar(rest) else regexpr(separator, rest, fixed = TRUE) - 1
      if (size < 1) return(NULL)
      value <- substr(rest, 1, size)
      if (!throng_plain_end(value)) return(NULL)
    }
    rest <- substring(rest, size + 1)
    if (!startsWith(rest, separator) || (separator == "" && rest != "")) return(NULL)
    rest <- substring(rest, nchar(separator) + 1)
    ends <- c(ends, value)
  }
  if (ends[1] == ends[2]) NULL else list(kind = "range", first = ends[1], last = ends[2])
}

throng_set <- function(text) {
  if (nchar(text) < 2 || !startsWith(text, "{") || !endsWith(text, "}")) return(NULL)
  rest <- substr(text, 2, nchar(text) - 1)
  values <- character(0)
  repeat {
    if (startsWith(rest, "\"")) {
      size <- throng_quoted(rest)
      if (size < 0) return(NULL)
      value <- gsub("\"\"", "\"", substr(rest, 2, size - 1), fixed = TRUE)
    } else {
      comma <- regexpr(", ", rest, fixed = TRUE)
      size <- if (comma < 0) nchar(rest) else comma - 1
      value <- substr(rest, 1, size)
      # A value with a comma, a brace, a quote or a space at an end is written in quotes.
      if (value == "" || trimws(value) != value || grepl("[,{}\"]", value)) return(NULL)
    }
    values <- c(values, value)
    rest <- substring(rest, size + 1)
    if (rest == "") return(list(kind = "set", values = values))
    if (!startsWith(rest, ", ")) return(NULL)
    rest <- substring(rest, 3)
  }
}

throng_masked <- function(text) {
  for (begins in c(TRUE, FALSE)) {
    shown <- sub(if (begins) "[*]+$" else "^[*]+", "", text)
    if (shown != "" && shown != text && !grepl("*", shown, fixed = TRUE)) {
      return(list(kind = "masked", shown = shown, hidden = nchar(text) - nchar(shown), begins = begins))
    }
  }
  NULL
}

# Statistics of cells: bounds between which the statistic of every original lies, as docs/statistics.md explains. The program
# itself rounds outward and has more statistics; here bounds are floats, and their last digits are rounded.

# The bounds of cells that are not missing: a matrix with columns low and high. `domain` is what `*` and open intervals can be.
throng_spans <- function(cells, domain = c(-Inf, Inf)) {
  cells <- as.character(cells)
  cells <- cells[!is.na(cells) & cells != ""]
  one <- function(text) {
    span <- throng_cell_bounds(text)
    if (is.na(span[1])) span <- throng_digits(throng_parse(text))
    if (is.na(span[1])) stop("`", text, "` is not a number")
    if (!is.finite(span[1])) span[1] <- min(domain[1], span[2])
    if (!is.finite(span[2])) span[2] <- max(domain[2], span[1])
    span
  }
  matrix(vapply(cells, one, numeric(2), USE.NAMES = FALSE), ncol = 2, byrow = TRUE, dimnames = list(NULL, c("low", "high")))
}

# The bounds of a mask whose hidden characters are digits.
throng_digits <- function(cell) {
  if (cell$kind != "masked") return(c(NA_real_, NA_real_))
  ends <- vapply(c("0", "9"), function(digit) {
    hidden <- strrep(digit, cell$hidden)
    throng_number(if (cell$begins) paste0(cell$shown, hidden) else paste0(hidden, cell$shown))
  }, numeric(1), USE.NAMES = FALSE)
  c(min(ends), max(ends))
}

# Bounds of the mean; sharp.
throng_mean <- function(spans) list(low = mean(spans[, 1]), high = mean(spans[, 2]), exact = TRUE)

# Bounds of a quantile, by interpolation between rows (type 7); sharp.
throng_quantile <- function(spans, share) {
  of <- function(values) {
    values <- sort(values)
    place <- (length(values) - 1) * share
    row <- floor(place)
    below <- values[row + 1]
    above <- values[min(row + 2, length(values))]
    if (place == row || below == above) below else below + (place - row) * (above - below)
  }
  list(low = of(spans[, 1]), high = of(spans[, 2]), exact = TRUE)
}

# Bounds of the median; sharp.
throng_median <- function(spans) throng_quantile(spans, 0.5)

# Bounds of the variance. The lower one is sharp for cells without gaps; the upper one is sharp if no cell near the mean lies
# within another, or if few do, and an enclosure otherwise.
throng_variance <- function(spans, sample = TRUE) {
  n <- nrow(spans)
  factor <- if (sample) n / (n - 1) else 1
  greatest <- throng_greatest(spans)
  list(low = max(0, throng_least(spans)) * factor, high = greatest$high * factor, exact = greatest$exact)
}

# The variance of values that are moved as close to one point as they can be: the least over all points.
throng_least <- function(spans) {
  low <- spans[, 1]
  high <- spans[, 2]
  if (max(low) <= min(high)) return(0)
  at <- function(point) mean(pmax(low - point, point - high, 0)^2)
  points <- sort(unique(c(low, high)))
  points <- points[is.finite(points)]
  for (i in seq_len(length(points) - 1)) {
    nearest <- c(high[high <= points[i]], low[low >= points[i + 1]])
    if (length(nearest) > 0 && mean(nearest) >= points[i] && mean(nearest) <= points[i + 1]) {
      points <- mean(nearest)
      break
    }
  }
  min(vapply(points, at, numeric(1)))
}

# The greatest variance, over bounds of cells: the dual bound leaves few cells undecided, which are tried in order or all.
throng_greatest <- function(spans) {
  n <- nrow(spans)
  low <- spans[, 1]
  high <- spans[, 2]
  if (any(!is.finite(spans))) return(list(high = Inf, exact = TRUE))
  farther <- function(point) ifelse(point - low > high - point, low, high)
  of <- function(values) mean((values - mean(values))^2)
  first <- min(low)
  last <- max(high)
  for (step in 1:200) {
    point <- (first + last) / 2
    if (!(first < point && point < last)) break
    if (mean(farther(point)) > point) first <- point else last <- point
  }
  middles <- (low + high) / 2
  nearest <- middles[which.min(abs(middles - first))]
  point <- if (abs(nearest - first) <= 1e-9 * (1 + abs(nearest))) nearest else first
  dual <- mean((farther(point) - point)^2)
  reach <- sqrt(max(0, dual - of(farther(point)))) * (1 + 1e-9) + 1e-9 * (1 + abs(point))
  open <- abs(middles - point) <= reach + (high - low) / 2 / n & low < high
  fixed <- farther(point)[!open]
  order <- order(low[open], high[open])
  low <- low[open][order]
  high <- high[open][order]
  k <- length(low)
  if (k == 0) return(list(high = of(fixed), exact = TRUE))
  if (all(diff(high) >= 0)) {
    best <- max(vapply(0:k, function(at) of(c(fixed, head(low, at), tail(high, k - at))), numeric(1)))
    return(list(high = best, exact = TRUE))
  }
  if (k > 14) return(list(high = dual, exact = FALSE))
  choose <- function(choice) ifelse(bitwAnd(bitwShiftR(choice, seq_len(k) - 1), 1) == 1, high, low)
  best <- max(vapply(seq_len(2^k) - 1, function(choice) of(c(fixed, choose(choice))), numeric(1)))
  list(high = best, exact = TRUE)
}
