import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, resultOf, startProcess } from '../../core/playbook-test/run/run-test.ts'
import { loadTests } from '../../core/playbook-test/read/load-tests.ts'
import { namedSteps } from '../../core/playbook-test/read/named-steps.ts'
import type { AnswerChoice } from '../../core/playbook-test/run/checkpoint-answers.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'

const root = join(import.meta.dirname, '../..')
const recorded = join(root, 'test/data/alerts')

/** Playbooks whose description says that they accept alerts of any product. */
const playbooks = [
  'brute-force',
  'cloud-finding',
  'compromised-identity',
  'contain-malware',
  'data-protection',
  'intel-alert',
  'leaked-cloud-key',
  'leaked-credential',
  'phishing-report',
  'privilege-change',
  'purge-phishing',
  'suspicious-sign-in',
  'vulnerable-machine',
]

/** The fields of alerts that playbooks read. */
const keys = (
  'actor client content control data event issue metadata outcome panel_status panel_evidence_summary protoPayload resource ' +
  'resourcesAffected review service Service Severity severity sourceRule target title Title type action eventName status'
).split(' ')
const withEvery = (value: unknown): string =>
  JSON.stringify(Object.fromEntries(keys.map((key) => [key, value])))

const made: Readonly<Record<string, string>> = {
  'no JSON': 'Failed password for root from 203.0.113.5',
  'nothing but white space': ' ',
  null: 'null',
  'a number': '5',
  'a list': '[1, {"actor": "kim@example.com"}]',
  'null everywhere': withEvery(null),
  'text everywhere': withEvery('kim@example.com ${{ secrets }} <!channel> \u202e 203.0.113.5 CVE-2021-44228'),
  'numbers everywhere': withEvery(1e308),
  'lists everywhere': withEvery([['kim@example.com']]),
  'objects everywhere': withEvery({
    name: {},
    title: [],
    status: 7,
    alternateId: { a: 1 },
    description: null,
  }),
  'a long title': JSON.stringify({ title: 'x'.repeat(100_000), actor: { alternateId: 'kim@example.com' } }),
  'many of everything': JSON.stringify({
    list: Array.from(
      { length: 300 },
      (_, n) => `u${n}@x${n}.example 203.0.113.${n % 256} CVE-2021-${10_000 + n}`,
    ),
  }),
}

describe('shipped playbooks with alerts of any product', function () {
  this.timeout(60_000)
  const alerts = new Map(Object.entries(made))
  let catalogue: Catalogue
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins'), packages: [] })
    for (const file of readdirSync(recorded).filter((name) => name.endsWith('.json')))
      alerts.set(file, readFileSync(join(recorded, file), 'utf8'))
  })

  for (const playbook of playbooks) {
    it(`${playbook} completes for any alert and writes to its case`, async () => {
      const { tests } = await loadTests(join(root, 'playbooks', `${playbook}.test.yaml`), catalogue)
      const { called, playbook: program } = tests!
      const { mocks, fixtures } = tests!.tests[0]!
      const questions = namedSteps(program, called).filter(({ step }) => step.action === 'checkpoint')
      const choices = new Map<string, AnswerChoice>(questions.map(({ name }) => [name, 'timeout']))
      for (const [name, content] of alerts) {
        const alert = { ...fixtures.alert!, content }
        const world = createWorld(
          { playbook: program, called, fixtures: { ...fixtures, alert }, mocks, choices },
          catalogue,
        )
        const run = resultOf(world, await startProcess(world, world.journal.store))
        expect(run.outcome?.error?.message, name).to.equal(undefined)
        expect(run, name).to.deep.include({ status: 'completed', bugs: [] })
        expect(run.case?.summary, name).to.be.a('string').and.not.equal('')
      }
    })
  }
})
