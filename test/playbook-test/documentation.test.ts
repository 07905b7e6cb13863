import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import { createWorld, resultOf, startProcess } from '../../core/playbook-test/run/run-test.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { loadSchemaFolder } from '../../core/schema/index.ts'
import { parse } from 'yaml'
import { readBlocks, runCommands, trialsOf, writeFiles } from '../support/guide-page.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/testing-playbooks.md'), 'utf8')

const blocks = readBlocks('docs/testing-playbooks.md')
const trials = trialsOf(blocks)
const fileNamed = (name: string): string => {
  const found = blocks.find(({ file }) => file === name)
  if (found === undefined) throw new Error(`the page has no ${name}`)
  return found.text
}

describe('docs/testing-playbooks.md', function () {
  let folder: TemporaryFolder
  let catalogue: Catalogue
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins'), packages: [] })
    folder = await makeTemporaryFolder()
    await writeFiles(
      folder.path,
      blocks.filter(({ file }) => file !== undefined),
    )
    await writeFile(join(folder.path, 'run.json'), JSON.stringify(await finishedRun()))
  })
  after(() => folder.remove())

  it('has only files, fragments and commands that are tested here', () => {
    const kinds = Map.groupBy(blocks, ({ kind }) => kind.split(' ')[0])
    expect([...kinds.keys()]).to.have.members(['json', 'sh', 'text', 'yaml'])
    expect(trials.length).to.be.greaterThan(4)
    for (const { commands, prints } of trials) expect(prints, commands.join()).to.not.equal(undefined)
    expect(kinds.get('text')).to.have.length(trials.length)
  })

  for (const { kind, commands, prints } of trials) {
    it(`shows the actual output: ${commands.join(' ; ')} ${kind}`, async () => {
      const tests = fileNamed('suspicious-host.test.yaml')
      const planted = tests.replace('severity: high', 'severity: critical')
      await writeFile(join(folder.path, 'suspicious-host.test.yaml'), kind === 'sh planted' ? planted : tests)
      expect(await runCommands(folder.path, commands)).to.equal(prints?.text)
    })
  }

  const fragments = blocks.filter(({ kind, file }) => kind === 'yaml' && file === undefined)
  for (const { text } of fragments) {
    it(`has a valid test file fragment: ${text.split('\n').slice(0, 2).join(' ')} …`, () => {
      const source = text.startsWith('expect:')
        ? `playbook: suspicious-host.yaml\ntests:\n  - name: a\n${text.replaceAll(/^/gm, '    ').trimEnd()}\n`
        : `playbook: suspicious-host.yaml\n${text}tests: [{ name: a, expect: {} }]\n`
      const { problems } = parsed(source)
      expect(problems.map((problem) => formatProblem(problem, source))).to.deep.equal([])
      const schema = loadSchemaFolder(join(root, 'schemas')).get('playbook-test')!
      expect(schema.problems(parse(source))).to.deep.equal([])
    })
  }

  it('shows every key of a test file', () => {
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

  /** The first test of the example, as the API would return its run. */
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
