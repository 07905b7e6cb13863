import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld } from '../../core/playbook-test/run/run-test.ts'
import { loadTests } from '../../core/playbook-test/read/load-tests.ts'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import { recordPassingTests } from '../../core/playbook-test/record/verify.ts'
import { runTests } from '../../core/playbook-test/run/run-tests.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { seed, times } from '../support/random.ts'
import { generatedRun, generatedCatalogue } from './generated-runs.ts'
import { alertView, realRun } from './real-run.ts'

const folder = join(import.meta.dirname, '../../playbooks')

/** Problems of a recorded file and failures of its test. */
async function mistakes(
  text: string,
  catalogue: Catalogue,
  loadPlaybook: (name: string) => string | undefined,
): Promise<readonly string[]> {
  const { tests, problems } = parseTests(text, { catalogue, loadPlaybook })
  if (tests === undefined) return problems.map(({ code, message }) => `${code} ${message}`)
  const result = await runTests(tests, { catalogue })
  return result.tests.flatMap(({ failures }) => failures.map(({ code, message }) => `${code}: ${message}`))
}

/** The runs of this file have no connections to choose from: recording interfaces is tested in test/interface. */
const isRecordable = (name: string): boolean =>
  name.endsWith('.test.yaml') &&
  !/(?:uses|via): interface\./.test(readFileSync(join(folder, name.replace('.test', '')), 'utf8'))

describe('a test recorded from a run', function () {
  this.timeout(times(60_000))
  let catalogue: Catalogue
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(folder, '../plugins'), packages: [] })
  })

  for (const file of readdirSync(folder).filter(isRecordable)) {
    it(`passes immediately for each test in ${file}`, async () => {
      const { tests } = await loadTests(join(folder, file), catalogue)
      const { playbook, called } = tests!
      for (const test of tests!.tests) {
        const uuid = randomUUID()
        const fixtures = { ...test.fixtures, run: { id: uuid }, caseId: 'ACME-17' }
        const { clock, skills, checkpoints, wakeUps } = createWorld(
          { ...test, playbook, called, fixtures },
          catalogue,
        )
        if (test.expect.status.value === 'not_started') continue
        const run = await realRun({
          uuid,
          playbook,
          called,
          fixtures,
          catalogue,
          clock,
          checkpoints,
          wakeUps,
          call: skills.call,
        })
        const loadPlaybook = (name: string) => readFileSync(join(folder, name), 'utf8')
        const text = await recordPassingTests(run, {
          catalogue,
          playbook,
          playbookFile: `${playbook.name}.yaml`,
          loadPlaybook,
          alert: alertView(fixtures),
        })
        expect(await mistakes(text, catalogue, loadPlaybook), `${test.name}\n${text}`).to.deep.equal([])
        expect(text, test.name).to.include(`status: ${run.status}`)
      }
    })
  }

  it('passes immediately for generated playbooks', async () => {
    const kinds = new Set<string>()
    const texts: string[] = []
    // The first ones are fixed, so that every kind is included.
    for (const from of [...Array(25).keys(), ...Array.from({ length: times(15) }, (_, n) => seed + n)]) {
      const { run, options, source } = await generatedRun(from)
      for (const { kind, state } of run.steps) kinds.add(`${kind} ${state}`)
      const text = await recordPassingTests(run, options)
      const shown = `seed ${from}\n${source}\n${text}`
      expect(await mistakes(text, generatedCatalogue, options.loadPlaybook), shown).to.deep.equal([])
      expect(text, shown).to.include(`status: ${run.status}`)
      texts.push(text)
    }
    expect([...kinds]).to.include.members([
      'people.find failed',
      'people.ask failed',
      'people.isolate completed',
      'people.secret completed',
      'checkpoint completed',
      'checkpoint failed',
      'call completed',
      'own.mood completed',
      'case.create completed',
    ])
    expect(texts.join('\n'))
      .to.match(/code: use_refused/)
      .and.match(/url: https:\/\/tocsin.example\/runs\//)
  })

  it('lists what it leaves out, with reasons', async () => {
    const texts = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const { run, options } = await generatedRun(n)
        return recordPassingTests(run, options)
      }),
    )
    expect(texts.join('\n')).to.match(/^# Not expected, since it differs in a test .*outputs\.at/m)
  })

  it('passes if redacted inputs and outputs are not strings', async () => {
    let answers = 0
    for (let from = 0; from < 25; from++) {
      const { run, options } = await generatedRun(from)
      const steps = run.steps.map((step) => {
        const { output } = step as { readonly output?: { readonly answer?: unknown } | null }
        if (step.kind !== 'checkpoint' || typeof output?.answer !== 'object') return step
        answers++
        return { ...step, output: { ...output, answer: { n: '[redacted]' } } }
      })
      const inputs = { pin: '[redacted]', code: '[redacted]' }
      const text = await recordPassingTests({ ...run, steps, inputs }, options)
      expect(await mistakes(text, generatedCatalogue, options.loadPlaybook), text).to.deep.equal([])
    }
    expect(answers).to.be.above(0)
  })

  it('is refused for a response without all steps', async () => {
    const { run, options } = await generatedRun(1)
    const refusal = (given: unknown) =>
      recordPassingTests(given, options).then(
        () => 'none',
        (error: Error) => error.message,
      )
    expect(await refusal({ ...run, steps_total: 5_000 })).to.match(/the answer contains \d+ of 5000 steps/)
    const [first, ...rest] = run.steps
    const emptied = { ...first, input: '[left out]', output: '[left out]' }
    expect(await refusal({ ...run, steps: [emptied, ...rest] })).to.match(/omits inputs and outputs of steps/)
  })
})
