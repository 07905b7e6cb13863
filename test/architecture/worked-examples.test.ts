import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
const [, section = ''] =
  /^## Worked examples$([^]*?)^## /m.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? []

/** A file of an example with its changes. */
interface Change {
  readonly path: string
  readonly kind: 'new' | 'generated' | 'edited'
  readonly blocks: readonly { readonly language: string; readonly code: string }[]
}

function examples(): ReadonlyMap<string, readonly Change[]> {
  const parts = section.split(/^### /m).slice(1)
  return new Map(
    parts.map((part) => {
      const items = part.split(/^\d+\. (?=`)/m).slice(1)
      return [part.split('\n', 1)[0] ?? '', items.map(readChange)]
    }),
  )
}

function readChange(item: string): Change {
  const [, path = '', kind = 'edited'] = /^`([^`]+)`(?: \((new|generated)\))?/.exec(item) ?? []
  const blocks = [...item.matchAll(/^ {3}(`{3,})(\w+)\n([^]*?)^ {3}\1$/gm)].map(
    ([, , language = '', code = '']) => ({ language, code: code.replaceAll(/^ {3}/gm, '') }),
  )
  return { path, kind: kind as Change['kind'], blocks }
}

/** Applies a diff, whose old lines must occur exactly once. Other changes that followed the same example do not matter. */
function patched(text: string, diff: string, path: string): string {
  const marked = diff.split('\n').slice(0, -1)
  const [removed, added, ...more] = marked.filter((line) => !line.startsWith(' '))
  if (removed?.startsWith('-') && added !== undefined && more.length === 0)
    return withListItem(text, removed.slice(1), added.slice(1), path)
  const lines = text.split('\n')
  const before = marked.filter((line) => line.startsWith(' ')).map((line) => line.slice(1))
  expect(marked.length - before.length, `added lines in\n${diff}`).to.be.above(0)
  const starts = lines
    .keys()
    .filter((at) => before.every((line, n) => comparable(lines[at + n] ?? '') === comparable(line)))
    .toArray()
  expect(starts.length, `times that ${path} contains:\n${before.join('\n')}`).to.equal(1)
  let next = starts[0]!
  const after = marked.map((line) => (line.startsWith('+') ? line.slice(1) : lines[next++]))
  return lines.toSpliced(starts[0]!, before.length, ...after.map((line) => line ?? '')).join('\n')
}

/** A longer cell widens its column in all rows of a table. */
const comparable = (line: string): string =>
  line.startsWith('|') ? line.replaceAll(/-{3,}/g, '---').replaceAll(/ {2,}/g, ' ') : line

/** Adds the new items to a list on one or more lines, which may contain more items than the example shows. */
function withListItem(text: string, removed: string, added: string, path: string): string {
  const [head, given, tail] = partsOf(removed)
  const [newHead, wanted, newTail] = partsOf(added)
  expect([newHead, newTail]).to.deep.equal([head, tail])
  const lists = [...text.matchAll(new RegExp(`^${escaped(head)}([^\\]}]*)${escaped(tail)}$`, 'gm'))]
  expect(lists.length, `times that ${path} contains:\n${removed}`).to.equal(1)
  const present = itemsOf(lists[0]![1]!)
  expect(present, path).to.include.members(given)
  const items = [...present, ...wanted.filter((item) => !present.includes(item))]
  const at = lists[0]!.index
  return `${text.slice(0, at)}${head} ${items.join(', ')} ${tail}${text.slice(at + lists[0]![0].length)}`
}

const escaped = (text: string): string => text.replaceAll(/[^\w\s]/g, String.raw`\$&`)

const itemsOf = (list: string): readonly string[] => list.split(/[\s,]+/).filter((item) => item !== '')

function partsOf(line: string): readonly [string, readonly string[], string] {
  const [, head = '', list = '', tail = ''] = /^(.*(?:\[|\{))([^\]}]*)([\]}].*)$/.exec(line) ?? []
  expect(head, `a list in: ${line}`).to.not.equal('')
  return [head, itemsOf(list), tail]
}

interface Check {
  /** How many files the example may touch. */
  readonly files: number
  /** Must print `true` in the changed copy. */
  readonly program: string
  /** A test file that must pass in the changed copy, because it writes generated files. */
  readonly test?: string
}

const checks: Readonly<Record<string, Check>> = {
  'Add a skill': {
    files: 3,
    program: `
      const { default: plugin } = await import('./plugins/indicators/plugin.ts')
      const { checkPlugin } = await import('./core/registry/check-plugin.ts')
      const { runSkill } = await import('./core/plugin/testing/index.ts')
      const skill = plugin.skills.find(({ name }) => name === 'defang')
      const problems = checkPlugin(plugin, 'indicators')
      if (problems.length > 0) throw new Error(JSON.stringify(problems))
      const [{ input, output }] = skill.examples
      console.log((await runSkill(skill, input)).output.text === output.text)`,
  },
  'Add a skill to a declarative plugin': {
    files: 3,
    program: `
      const { loadPlugin } = await import('./core/declarative/index.ts')
      const { runSkill } = await import('./core/plugin/testing/index.ts')
      const { declared, definition, problems } = loadPlugin({ path: './plugins/greynoise/plugin.yaml' })
      if (problems.length > 0) throw new Error(JSON.stringify(problems))
      const skill = definition.skills.find(({ name }) => name === 'get_plan')
      const [{ input, output, responses }] = declared.skills.find(({ name }) => name === 'get_plan').examples
      const replies = responses.map(({ body }) => ({ json: body }))
      const run = await runSkill(skill, input, { settings: { api_key: 'a-long-key' }, replies })
      console.log(run.output.plan === output.plan)`,
  },
  'Add a route': {
    files: 3,
    program: `
      const { routes } = await import('./server/http/routing/routes.ts')
      const { accessTable } = await import('./test/http/support/access-table.ts')
      const { readFileSync } = await import('node:fs')
      const route = routes.find(({ path }) => path === '/alerts/{alert}/preview')
      const stores = { alerts: { find: async () => ({ content: 'a\\nb' }) } }
      const answer = await route.handle({ params: { alert: 'acme-x-1' }, caller: { scope: 'all' } }, { stores })
      const documented = readFileSync('docs/api.md', 'utf8').includes('### \`GET /alerts/{alert}/preview\`')
      const roles = accessTable['GET /alerts/{alert}/preview'].roles
      const { rolesWith } = await import('./core/access/permissions.ts')
      const isAllowed = roles.every((role) => rolesWith(route.access).includes(role))
      console.log(answer.body.preview === 'a b' && documented && isAllowed)`,
  },
  'Add a column to the alerts table': {
    files: 6,
    program: `
      const { openTemporaryStores } = await import('./test/support/stores.ts')
      const { investigatedAlertView } = await import('./server/http/resources/alerts/alert-view.ts')
      const { apiAlertSchema } = await import('./server/http/schemas/alert.ts')
      const { somebody } = await import('./test/support/somebody.ts')
      const { stores, dispose } = await openTemporaryStores()
      const { uuid } = await stores.organizations.create({ code: 'acme', name: 'Acme' }, somebody())
      await stores.providers.create({ code: 'siem', name: 'SIEM' }, somebody())
      const given = { content: 'x', provider: 'siem', organizationUuid: uuid, type: null, createdAtSource: null, createdBy: 'k' }
      const created = await stores.alerts.create(given)
      const read = await stores.alerts.find('all', created.id)
      await dispose()
      console.log(investigatedAlertView(read).severity_note === null && 'severity_note' in apiAlertSchema.properties)`,
  },
  'Add a step key': {
    files: 8,
    test: 'test/playbook/reference.test.ts',
    program: `
      const { parsePlaybook } = await import('./core/playbook/read/parse.ts')
      const { buildCatalogue } = await import('./core/registry/catalogue.ts')
      const { parseTests } = await import('./core/playbook-test/read/parse.ts')
      const { runTests } = await import('./core/playbook-test/run/run-tests.ts')
      const { playbookSchema } = await import('./core/playbook/language/playbook-schema.ts')
      const catalogue = buildCatalogue([])
      const steps = (step) => 'apiVersion: tocsin/v1\\nname: p\\non: { manual: true }\\ninputs: { n: { type: integer } }\\nsteps: [' + step + ']\\n'
      const codes = parsePlaybook(steps('{ wait: 1s, unless: inputs.n > 1 }'), { catalogue }).problems.map(({ code }) => code)
      const tests = parseTests('playbook: p.yaml\\ntests:\\n' +
        '  - { name: a, inputs: { n: 1 }, expect: { path: [a] } }\\n' +
        '  - { name: b, inputs: { n: 2 }, expect: { skipped: [a] } }\\n',
        { catalogue, loadPlaybook: () => steps('{ id: a, set: { x: 1 }, unless: inputs.n > 1 }') })
      if (tests.tests === undefined) throw new Error(JSON.stringify(tests.problems))
      const { tests: results } = await runTests(tests.tests, { catalogue })
      const schema = JSON.stringify(playbookSchema)
      console.log(codes.includes('E112') && results.every(({ failures }) => failures.length === 0) && schema.includes('"unless"'))`,
  },
}

describe('the worked examples of CONTRIBUTING.md', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  before(async () => {
    folder = await makeTemporaryFolder()
    for (const part of [
      'core',
      'server',
      'plugins',
      'schemas',
      'test',
      'docs',
      'package.json',
      '.mocharc.json',
      '.prettierrc.json',
    ])
      await cp(join(root, part), join(folder.path, part), {
        recursive: true,
        filter: (source) => !/\/(web|dist|fixtures|recorded-answers|node_modules)$/.test(source),
      })
    await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  })
  after(() => folder.remove())

  const all = examples()
  it('are all tested here', () => {
    expect([...all.keys()]).to.deep.equal(Object.keys(checks))
  })

  for (const [title, changes] of all) {
    it(`work as the page says: ${title}`, async () => {
      const { files, program, test } = checks[title]!
      expect(changes.length).to.be.within(1, files)
      for (const { path, kind, blocks } of changes) {
        const file = join(folder.path, path)
        expect(existsSync(join(root, path)), path).to.equal(kind !== 'new')
        if (kind === 'new') {
          await mkdir(dirname(file), { recursive: true })
          await writeFile(file, blocks[0]!.code)
        }
        if (kind !== 'edited') continue
        expect(blocks, path).to.not.be.empty
        let text = await readFile(file, 'utf8')
        for (const { code } of blocks) text = patched(text, code, path)
        await writeFile(file, text)
      }
      const options = { cwd: folder.path, env: { ...process.env, UPDATE: '1' } }
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], options)
      expect(stdout).to.equal('true\n')
      if (test === undefined) return
      const tested = run(process.execPath, [mocha, '--no-parallel', test], options)
      await tested.catch(({ stdout: shown }: { stdout: string }) => expect.fail(shown))
    })
  }
})
