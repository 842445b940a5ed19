#!/bin/sh
# Runs the example's unchanged tests on Bun: scripts/test-bun.sh [arguments of bun test]
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
cd "$scripts/../examples/members"
FW_ENV=test exec "$scripts/with-bun.sh" bun test --conditions=fwjs-source "$@"
