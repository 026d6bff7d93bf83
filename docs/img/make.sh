#!/usr/bin/env bash
# Takes the pictures of pages again: docs/img/make.sh PROGRAM. Needs chromium. One section of a page
# per picture: all others are hidden in a copy.
set -eu
throng=$(realpath "$1") here=$(cd "$(dirname "$0")" && pwd) folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$throng" demo "$folder" --quiet > /dev/null
"$throng" explore "$folder/policy.toml" --out "$folder/lattice.html" --quiet > /dev/null

# picture FILE WIDTH HEIGHT PAGE HIDDEN
picture() {
  sed "s|</head>|<style>$5 {display: none} body, main, main > * {margin-top: 0 !important; padding-top: 4px !important}</style></head>|" "$folder/$4" > "$folder/page.html"
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --screenshot="$folder/$1" \
    --window-size="$2,$3" "file://$folder/page.html" 2> /dev/null
  mv "$folder/$1" "$here/$1"
}

picture report-risk.png 1200 590 report.html 'header, footer, main > :not(#risk), .warnings'
picture lattice.png 1200 780 lattice.html 'header, footer, main > :not(#nodes), #nodes > .head'
