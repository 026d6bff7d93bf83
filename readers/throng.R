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
