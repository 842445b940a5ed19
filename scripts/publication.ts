/**
 * Changes the pages that say how to get Fw, and `published` in package.json, to those of a published package. Run
 * `node scripts/publication.ts` once, before the first release: CONTRIBUTING.md, Release.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Change {
  readonly file: string
  /** The text while an application is created from a clone. */
  readonly clone: string
  readonly published: string
}

const changes: readonly Change[] = [
  { file: 'package.json', clone: '"published": false', published: '"published": true' },
  {
    file: 'README.md',
    clone: `Your own application, from a clone of this repository:

\`\`\`sh
./fw new ../shop
cd ../shop
./fw run
\`\`\``,
    published: `Your own application:

\`\`\`sh
npm create fwjs shop
cd shop
./fw run
\`\`\``,
  },
  {
    file: 'README.md',
    clone: `downloads a supported one once, with npm. The application contains its own copy of Fw, so that it no longer needs the
clone: see [getting started](docs/getting-started.md).`,
    published: `downloads a supported one once, with npm. See [getting started](docs/getting-started.md).`,
  },
  {
    file: 'docs/getting-started.md',
    clone: `In the folder of Fw's repository:

\`\`\`sh
./fw new ../my-app
cd ../my-app
./fw run
\`\`\`

The flags \`--api\`, \`--database\`, \`--language\` and \`--git\` choose an application without pages, a database server, the
language of the texts and a git repository. With \`--ask\`, \`fw new\` asks for each of them.
`,
    published: `\`\`\`sh
npm create fwjs my-app
cd my-app
./fw run
\`\`\`

\`npm create\` asks four questions: pages or only an API, which database, which language, and whether to create a git
repository. The flags \`--api\`, \`--database\`, \`--language\` and \`--git\` answer in advance: \`npm create fwjs my-app -- --api\`.
`,
  },
  {
    file: 'docs/getting-started.md',
    clone: `
The application contains Fw as a tarball in \`vendor/\`. Commit it: the application then installs, tests and deploys on
every machine, without the clone. To upgrade, pack a newer clone with \`./fw package ../my-app/vendor\`, and run
\`npm install ./vendor/fwjs-0.1.0.tgz\` in the application.
`,
    published: '',
  },
  {
    file: 'docs/apis.md',
    clone: `You need npm and curl. In the folder of Fw's repository:

\`\`\`sh
./fw new ../my-api --api
cd ../my-api
\`\`\``,
    published: `You need npm and curl.

\`\`\`sh
npm create fwjs my-api -- --api
cd my-api
\`\`\``,
  },
  {
    file: 'docs/generators.md',
    clone: '| an application |',
    published: '| an application; `npm create fwjs my-app` does the same |',
  },
]

/** Changes the files of the repository in the folder `root`. */
export function publish(root: string): void {
  for (const { file, clone, published } of changes) {
    const path = join(root, file)
    const text = readFileSync(path, 'utf8')
    if (!text.includes(clone)) throw new Error(`${file} does not contain this text:\n${clone}`)
    writeFileSync(
      path,
      text.replace(clone, () => published),
    )
  }
}

if (import.meta.main) publish(join(import.meta.dirname, '..'))
