import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const parts = [
  'core',
  'plugins',
  'server',
  'cli',
  'schemas',
  'package.json',
  'tsconfig.json',
  'tsconfig.base.json',
]

/** Forbidden imports, each with the file that would contain it. `by` names the tool that must report it. */
const planted: readonly { file: string; code: string; by: ('compiler' | 'linter')[]; says: string }[] = [
  {
    file: 'core/domain/planted.ts',
    code: `import { roles } from '../../server/http/planted-target.ts'\nexport const planted = roles\n`,
    by: ['compiler'],
    says: 'core imports server',
  },
  {
    file: 'core/plugin/planted.ts',
    code: `import { roles } from '../domain/api-key.ts'\nexport const planted = roles\n`,
    by: ['compiler'],
    says: 'the plugin contract imports the rest of core',
  },
  {
    file: 'plugins/planted/skills/planted.ts',
    // An import that the test kit does not reach: the compiler reports a file only once, where it is first
    // imported.
    code: `import { toStepGraph } from '../../../core/playbook/step-graph.ts'\nexport const planted = toStepGraph\n`,
    by: ['compiler', 'linter'],
    says: 'a plugin reaches into core',
  },
  {
    file: 'plugins/planted/testing.ts',
    code: `import * as testing from 'tocsin/plugin/testing'\nexport const planted = testing\n`,
    by: ['compiler'],
    says: 'a plugin uses the test kit outside its tests and sandbox',
  },
  {
    file: 'plugins/planted/neighbour.ts',
    code: `import plugin from '../../plugins/http/plugin.ts'\nexport const planted = plugin\n`,
    by: ['linter'],
    says: 'a plugin imports another plugin',
  },
  {
    file: 'server/planted.ts',
    code: `import plugin from '../plugins/http/plugin.ts'\nexport const planted = plugin\n`,
    by: ['compiler', 'linter'],
    says: 'server imports a plugin',
  },
  {
    file: 'server/planted-cli.ts',
    code: `import * as cli from '../cli/main.ts'\nexport const planted = cli\n`,
    by: ['compiler', 'linter'],
    says: 'server imports cli',
  },
  {
    file: 'core/engine/planted.ts',
    code: `import got from 'got'\nexport const planted = got\n`,
    by: ['linter'],
    says: 'a package outside its one place',
  },
  {
    file: 'server/sqlite/planted.ts',
    code: `import Koa from 'koa'\nexport const planted = new Koa()\n`,
    by: ['linter'],
    says: 'koa outside server/http',
  },
  {
    file: 'plugins/planted/way-out.ts',
    code: `export const planted = await fetch('https://example.com')\n`,
    by: ['linter'],
    says: 'a way out that is not the egress',
  },
  {
    file: 'core/domain/cycle-a.ts',
    code: `import { b } from './cycle-b.ts'\nexport const a = (): unknown => b\n`,
    by: ['linter'],
    says: 'a cycle',
  },
  {
    file: 'core/domain/type-cycle-a.ts',
    code: `import type { B } from './type-cycle-b.ts'\nexport interface A {\n  readonly b: B\n}\n`,
    by: ['linter'],
    says: 'a cycle of types',
  },
  {
    file: 'core/domain/long.ts',
    code: `export function long(): number[] {\n  return [\n${'    1,\n'.repeat(77)}  ]\n}\n`,
    by: ['linter'],
    says: 'a function of 81 lines',
  },
  {
    file: 'core/domain/long-file.ts',
    code: Array.from({ length: 301 }, (_, n) => `export const n${n} = ${n}\n`).join(''),
    by: ['linter'],
    says: 'a file of 301 lines',
  },
]

describe('direction of imports', function () {
  this.timeout(600_000)
  let copy: string
  let compiler: string
  let linter: string

  before(async () => {
    copy = await mkdtemp(join(tmpdir(), 'tocsin-imports-'))
    for (const part of [...parts, 'oxlint.config.ts']) {
      await cp(join(root, part), join(copy, part), { recursive: true })
    }
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
    await plant('server/http/planted-target.ts', 'export const roles = []\n')
    await plant(
      'core/domain/cycle-b.ts',
      `import { a } from './cycle-a.ts'\nexport const b = (): unknown => a\n`,
    )
    await plant(
      'core/domain/type-cycle-b.ts',
      `import type { A } from './type-cycle-a.ts'\nexport interface B {\n  readonly a: A\n}\n`,
    )
    for (const { file, code } of planted) await plant(file, code)
    const projects = ['core', 'plugins', 'server', 'cli']
    compiler = await run('typescript/bin/tsc', ['--build', '--pretty', 'false', 'core/plugin', ...projects])
    linter = await run('oxlint/bin/oxlint', ['--format', 'unix', ...projects])
  })

  after(() => rm(copy, { recursive: true, force: true }))

  for (const { file, by, says } of planted) {
    for (const who of by) {
      it(`is enforced by the ${who}, which refuses that ${says} (${file})`, () => {
        const complaints = (who === 'compiler' ? compiler : linter).split('\n')
        expect(
          complaints.some((line) => line.startsWith(file)),
          `what the ${who} said:\n${complaints.slice(0, 20).join('\n')}`,
        ).to.equal(true)
      })
    }
  }

  async function plant(file: string, code: string): Promise<void> {
    await mkdir(dirname(join(copy, file)), { recursive: true })
    await writeFile(join(copy, file), code)
  }

  /** The output of the tool, which must not be empty, since forbidden imports were planted. */
  async function run(tool: string, args: string[]): Promise<string> {
    try {
      await promisify(execFile)(process.execPath, [join(root, 'node_modules', tool), ...args], {
        cwd: copy,
        maxBuffer: 1e8,
      })
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
    throw new Error(`${tool} found nothing wrong with the planted imports`)
  }
})
