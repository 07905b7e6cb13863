import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { parseTests } from '../../core/playbook-test/index.ts'
import { createWorld, resultOf, startProcess } from '../../core/playbook-test/run-test.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/index.ts'
import { loadSchemaFolder } from '../../core/schema/index.ts'
import { parse } from 'yaml'
import { runTocsin } from '../cli/support/run-tocsin.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/testing-playbooks.md'), 'utf8')

interface Block {
  readonly kind: string
  /** From `# name` in its first line, where it is a whole file. */
  readonly file: string | undefined
  readonly text: string
}

const blocks: readonly Block[] = [...page.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(
  ([, kind = '', text = '']) => ({
    kind,
    file: /^# (\S+\.(?:yaml|json))$/m.exec(text.split('\n')[0]!)?.[1],
    text,
  }),
)

const fileNamed = (name: string): string => {
  const found = blocks.find(({ file }) => file === name)
  if (found === undefined) throw new Error(`the page has no ${name}`)
  return name.endsWith('.json') ? found.text.slice(found.text.indexOf('\n') + 1) : found.text
}

/** Commands with what the next block says that they print. */
const commands = blocks.flatMap((block, index) =>
  block.kind.startsWith('sh') ? [{ kind: block.kind, lines: block.text, prints: blocks[index + 1]! }] : [],
)

describe('docs/testing-playbooks.md', function () {
  this.timeout(30_000)
  let folder: TemporaryFolder
  let catalogue: Catalogue
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins'), packages: [] })
    folder = await makeTemporaryFolder()
    for (const { file } of blocks) if (file) await writeFile(join(folder.path, file), fileNamed(file))
    await writeFile(join(folder.path, 'run.json'), JSON.stringify(await finishedRun()))
  })
  after(() => folder.remove())

  it('has files, fragments and commands, each of a kind that is tried here', () => {
    const kinds = Map.groupBy(blocks, ({ kind }) => kind.split(' ')[0])
    expect([...kinds.keys()]).to.have.members(['json', 'sh', 'text', 'yaml'])
    expect(commands.length).to.be.greaterThan(4)
    for (const { prints } of commands) expect(prints.kind).to.equal('text')
    expect(kinds.get('text')).to.have.length(commands.length)
  })

  for (const { kind, lines, prints } of commands) {
    it(`prints what it says: ${lines.trim().split('\n').join(' ; ')} ${kind}`, async () => {
      const tests = fileNamed('suspicious-host.test.yaml')
      const planted = tests.replace('severity: high', 'severity: critical')
      await writeFile(join(folder.path, 'suspicious-host.test.yaml'), kind === 'sh planted' ? planted : tests)
      expect(await shell(lines)).to.equal(prints.text)
    })
  }

  const fragments = blocks.filter(({ kind, file }) => kind === 'yaml' && file === undefined)
  for (const { text } of fragments) {
    it(`has a fragment that can stand in a file of tests: ${text.split('\n').slice(0, 2).join(' ')} …`, () => {
      const source = text.startsWith('expect:')
        ? `playbook: suspicious-host.yaml\ntests:\n  - name: a\n${text.replaceAll(/^/gm, '    ').trimEnd()}\n`
        : `playbook: suspicious-host.yaml\n${text}tests: [{ name: a, expect: {} }]\n`
      const { problems } = parsed(source)
      expect(problems.map((problem) => formatProblem(problem, source))).to.deep.equal([])
      const schema = loadSchemaFolder(join(root, 'schemas')).get('playbook-test')!
      expect(schema.problems(parse(source))).to.deep.equal([])
    })
  }

  it('shows every key of a file of tests', () => {
    const schema = JSON.parse(readFileSync(join(root, 'schemas/playbook-test.schema.json'), 'utf8'))
    const { fixtures, expect: expectation, call, reply, error } = schema.$defs
    const keys = [schema, fixtures, expectation, call, reply.anyOf[1], error].flatMap(({ properties }) =>
      Object.keys(properties),
    )
    const yaml = blocks.filter(({ kind }) => kind === 'yaml').map(({ text }) => text)
    const all = `${yaml.join('\n')}\n${page}`
    for (const key of keys) expect(all, key).to.match(new RegExp(`\\b${key}\\b`))
  })

  function parsed(source: string) {
    return parseTests(source, { catalogue, loadPlaybook: (name) => fileNamed(name) })
  }

  /** Runs the lines in the folder, each `tocsin …`, maybe with `> file`; what they print, together. */
  async function shell(lines: string): Promise<string> {
    let printed = ''
    for (const line of lines.trim().split('\n')) {
      const [, args = '', target] = /^tocsin (.*?)(?: > (\S+))?$/.exec(line)!
      const env = { TOCSIN_DATA_DIR: 'nowhere', TOCSIN_PLAYBOOKS_DIR: '.' }
      const { stdout, stderr } = await runTocsin(args.split(' '), { cwd: folder.path, env })
      expect(stderr).to.equal('')
      if (target === undefined) printed += stdout
      else await writeFile(join(folder.path, target), stdout)
    }
    return printed
  }

  /** The first test of the example as the API would answer it, had it been a run. */
  async function finishedRun(): Promise<unknown> {
    const { tests } = parsed(fileNamed('suspicious-host.test.yaml'))
    const { playbook } = tests!
    const world = createWorld({ playbook, ...tests!.tests[0]! }, catalogue)
    const run = resultOf(world, await startProcess(world, world.journal.store))
    return {
      run_uuid: '4b1f6f3c-4c57-4a4a-9d0c-1f5f7d1f0a11',
      organization_code: 'main',
      playbook: playbook.name,
      playbook_hash: playbook.hash,
      status: run.status,
      started_at: run.startedAtMs,
      output: run.outcome!.output,
      error: null,
      steps: run.entries.map(({ stepId, ...entry }) => ({ ...entry, step_id: stepId, failed_attempts: [] })),
    }
  }
})
