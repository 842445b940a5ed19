#!/bin/sh
# Runs the example's own tests, as they are, under Bun: scripts/test-bun.sh [bun test's arguments]
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
cd "$scripts/../examples/members"
FW_ENV=test exec "$scripts/with-bun.sh" bun test --conditions=fwjs-source "$@"
