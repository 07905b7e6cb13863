import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { noteUntested } from '../support/untested.ts'
import { findBreaches, readSources } from './house-rules.ts'

const root = join(import.meta.dirname, '../..')

const lines = (count: number): string => '// filler\n'.repeat(count)
const files = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`core/a/f${n}.ts`, `export const f${n} = ${n}\n`]),
  )

/** A small tree that breaks one rule, and what the rule reports. */
const planted: readonly { rule: string; files: Readonly<Record<string, string>>; reports: string[] }[] = [
  {
    rule: 'more than 15 source files in a folder',
    files: { ...files(16), 'core/a/README.md': '# A\n' },
    reports: ['core/a has 16 source files, 15 are allowed'],
  },
  {
    rule: 'an unexplained folder of more than 8 source files',
    files: files(9),
    reports: ['core/a has 9 source files: it needs a README.md or a comment at the top of index.ts'],
  },
  {
    rule: 'an index without a comment in a large folder',
    files: { ...files(8), 'core/a/index.ts': '// exports\nexport const index = 1\n' },
    reports: ['core/a has 9 source files: it needs a README.md or a comment at the top of index.ts'],
  },
  {
    rule: 'an index comment in a large folder',
    files: { ...files(8), 'core/a/index.ts': '/** The parts of a. */\nexport const index = 1\n' },
    reports: [],
  },
  {
    rule: 'a file of more than 300 lines',
    files: { 'core/a.ts': lines(300), 'core/b.ts': lines(301) },
    reports: ['core/b.ts has 301 lines, 300 are allowed'],
  },
  {
    rule: 'a small file with one importer',
    files: {
      'core/a.ts': "import { b } from './b.ts'\nimport { c } from './c.ts'\nimport { d } from './d.ts'\n",
      'core/b.ts': `export const b = 1\n${lines(38)}`,
      'core/c.ts': `export const c = 1\n${lines(39)}`,
      'core/d.ts': 'export const d = 1\n',
      'test/d.test.ts': "import { d } from '../core/d.ts'\n",
    },
    reports: ['core/b.ts has 39 lines and one importer: move it into core/a.ts'],
  },
  {
    rule: 'a small file with one importer and a test helper',
    files: {
      'core/a.ts': "import { b } from './b.ts'\n",
      'core/b.ts': 'export const b = 1\n',
      'test/support/b.ts': "import { b } from '../../core/b.ts'\n",
    },
    reports: ['core/b.ts has 1 lines and one importer: move it into core/a.ts'],
  },
  {
    rule: 'small files in a folder that is not listed for units',
    files: {
      'core/a/b.ts': "import { c } from './skills/c.ts'\nimport { d } from './migrations/d.ts'\n",
      'core/a/skills/c.ts': 'export const c = 1\n',
      'core/a/migrations/d.ts': 'export const d = 1\n',
      'plugins/x/list.ts': "import { e } from './inner/skills/e.ts'\n",
      'plugins/x/inner/skills/e.ts': 'export const e = 1\n',
    },
    reports: [
      'core/a/migrations/d.ts has 1 lines and one importer: move it into core/a/b.ts',
      'core/a/skills/c.ts has 1 lines and one importer: move it into core/a/b.ts',
      'plugins/x/inner/skills/e.ts has 1 lines and one importer: move it into plugins/x/list.ts',
    ],
  },
  {
    rule: 'small declared units',
    files: {
      'plugins/x/plugin.ts': "import { y } from './skills/y.ts'\nexport default y\n",
      'plugins/x/skills/y.ts': 'export const y = 1\n',
    },
    reports: [],
  },
  {
    rule: 'an import past a facade',
    files: {
      'core/a/index.ts': "export { inner } from './inner.ts'\n",
      'core/a/inner.ts': `export const inner = 1\n${lines(40)}`,
      'core/b.ts': "import { inner } from './a/inner.ts'\nexport const b = inner\n",
    },
    reports: ['core/b.ts imports core/a/inner.ts past core/a/index.ts'],
  },
  {
    rule: 'a name exported twice',
    files: {
      'core/a.ts': 'export interface Scope {}\nexport { b } from "./b.ts"\n',
      'core/b.ts': 'export const b = 1\n',
      'server/c.ts': 'export abstract class Scope {}\nexport async function* other() {}\n',
    },
    reports: ['Scope is exported 2 times: core/a.ts, server/c.ts'],
  },
  ...[
    'interface Scope {}\nexport type { Scope }\n',
    'const Local = 1\nexport { Local as Scope }\n',
    "import { other } from 'x'\nexport {\n  type other,\n  other as Scope,\n}\n",
    'export const { Scope } = make()\n',
    'export const { a: Scope, ...rest } = make()\n',
    'export const {\n  a: { inner: Scope = 1 },\n} = make()\n',
    'export const [first, Scope] = make()\n',
    'export default class Scope {}\n',
    'export default async function Scope() {}\n',
    'export default abstract class Scope {}\n',
    'export declare const Scope: number\n',
    'export var Scope = 1\n',
  ].map((text) => ({
    rule: `a name exported twice: ${text.replaceAll('\n', ' ')}`,
    files: { 'core/a.ts': 'export interface Scope {}\n', 'core/b.ts': text },
    reports: ['Scope is exported 2 times: core/a.ts, core/b.ts'],
  })),
  {
    rule: 'a name that is reexported or not exported',
    files: {
      'core/a.ts': 'export interface Scope {}\n',
      'core/b.ts':
        "import type { Scope } from './a.ts'\nexport type { Scope }\nexport default class extends Base {}\n",
      'core/c.ts': "export type { Scope } from './a.ts'\nexport { Scope as default } from './a.ts'\n",
      'core/d.ts':
        "import { type Scope } from './a.ts'\nexport { Scope }\nexport const { Scope: other } = make()\n",
    },
    reports: [],
  },
  {
    rule: 'a name exported by two plugins',
    files: { 'plugins/a/x.ts': 'export const x = 1\n', 'plugins/b/x.ts': 'export const x = 1\n' },
    reports: [],
  },
  {
    rule: 'a name exported twice by a plugin',
    files: { 'plugins/a/x.ts': 'export const x = 1\n', 'plugins/a/y.ts': 'export const x = 1\n' },
    reports: ['x is exported 2 times: plugins/a/x.ts, plugins/a/y.ts'],
  },
  {
    rule: 'a name exported by a plugin and the project',
    files: { 'core/x.ts': 'export const x = 1\n', 'plugins/a/x.ts': 'export const x = 1\n' },
    reports: ['x is exported 2 times: core/x.ts, plugins/a/x.ts'],
  },
  {
    rule: 'a missing file in a README',
    files: {
      'core/a/x.ts': 'export const x = 1\n',
      'core/a/README.md': '# A\n\n| file | contents |\n| --- | --- |\n| `x.ts`, `y.ts` | x |\n',
    },
    reports: ['core/a/README.md lists y.ts, which does not exist'],
  },
]

describe('layout of the source', () => {
  it('follows the rules of CONTRIBUTING.md', () => {
    expect(findBreaches(readSources(root))).to.deep.equal([])
  })

  it('has no empty files and no file names that some systems cannot store', function () {
    if (!existsSync(join(root, '.git'))) {
      noteUntested('names and sizes of files: this is no git checkout')
      return this.skip()
    }
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
    const paths = listed.filter((path) => path !== '' && existsSync(join(root, path)))
    expect(paths).to.include('package.json')
    expect(
      paths.filter((path) => !/^[\w./@ -]+$/.test(path) || statSync(join(root, path)).size === 0),
    ).to.deep.equal([])
  })

  it('has no test with a shorter time limit than the default, which a busy machine exceeds', () => {
    const { timeout } = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8')) as { timeout: number }
    const short = globSync(['test/**/*.ts', 'plugins/**/*.ts'], { cwd: root }).flatMap((path) =>
      Array.from(
        readFileSync(join(root, path), 'utf8').matchAll(/(?:this|\}\))\.timeout\((?:times\()?([\d_]+)\)/g),
        ([written, number = '']) => ({ path, written, limit: Number(number.replaceAll('_', '')) }),
      ).filter(({ limit }) => limit < timeout),
    )
    expect(short).to.deep.equal([])
  })

  for (const { rule, files, reports } of planted) {
    it(`${reports.length > 0 ? 'reports' : 'accepts'} ${rule}`, async () => {
      const folder = await makeTemporaryFolder()
      try {
        for (const [path, content] of Object.entries(files)) {
          await mkdir(join(folder.path, dirname(path)), { recursive: true })
          await writeFile(join(folder.path, path), content)
        }
        const messages = findBreaches(readSources(folder.path))
        expect(messages).to.deep.equal(reports)
      } finally {
        await folder.remove()
      }
    })
  }
})
