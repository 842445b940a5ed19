#!/usr/bin/env node
/** The executable `fw`. It has no static import and no recent syntax, so that an older Node can run the version check. */

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 18)) await import('./launch.ts')
else {
  process.stderr.write(
    `fw: Node ${process.versions.node} is too old: Fw needs Node 22.18 or newer. Install Node 24 from https://nodejs.org, ` +
      "or run the application's ./fw, which downloads a supported Node once.\n",
  )
  process.exitCode = 1
}
