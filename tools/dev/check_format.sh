#!/usr/bin/env bash
# Fails on C++ that clang-format would change; `./dev format` mends it.
set -euo pipefail
cd "$(dirname "$0")/../.."
git ls-files -co --exclude-standard -z '*.cpp' '*.h' '*.c' |
  xargs -0 -r clang-format-22 --dry-run --Werror
echo "formatting holds"
