import { expect } from 'chai'
import { join } from 'node:path'
import { createDryRunCaller } from '../../core/dry-run/dry-run-caller.ts'
import { dryRun, type DryRunOptions } from '../../core/dry-run/dry-run.ts'
import type { SkillCall, SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import { RetryableError } from '../../core/plugin/index.ts'
import { parseWorld } from '../../core/playbook-test/read/parse.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { catalogue, playbookOf, playbookSource } from '../playbook-test/support.ts'

const playbook = playbookOf(
  playbookSource(
    `
  - { id: who, uses: people.find, with: { email: "\${{ alert.data.email }}" }, retry: { max: 3, backoff: 1h } }
  - { wait: 2d }
  - { id: cut, uses: people.isolate, with: { id: "\${{ steps.who.output.name }}" } }
  - { id: told, uses: people.post, with: { text: "\${{ steps.cut.output.id }} is \${{ steps.cut.output.state }}" } }
  - { uses: case.update, with: { summary: "told as \${{ steps.told.output.id }}" } }`,
    'timeout: 5d\noutputs: { dry: "${{ run.dry_run }}", told: "${{ steps.told.output.id }}" }\n',
  ),
)

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Runs it; `read` answers real reads. Also returns all reads. */
async function dry(read: (call: SkillCall) => Promise<unknown>, world = '{}') {
  const asked: string[] = []
  const live: SkillCaller = (call) => {
    asked.push(`${call.purpose} ${call.skill}`)
    return read(call)
  }
  const parsed = parseWorld(world, playbook, { catalogue })
  expect(parsed.problems).to.deep.equal([])
  const { fixtures, mocks } = parsed.world!
  const alert = { body: { data: { email: 'kim@example.com' } } }
  const options: DryRunOptions = {
    playbook,
    catalogue,
    fixtures: fixtures({ alert }),
    mocks,
    live,
    log: silent,
  }
  return { ...(await dryRun(options)), asked }
}

const kim = async () => ({ name: 'Kim', risk: 1 })

describe('dryRun', () => {
  it('calls reads, reports writes, and skips waits', async () => {
    const run = await dry(kim)
    expect(run.asked).to.deep.equal(['run people.find'])
    expect(run.wouldDo).to.deep.equal([
      {
        path: 'cut',
        skill: 'people.isolate',
        connection: undefined,
        input: { id: 'Kim', comment: 'by Tocsin' },
        output: { id: 'Kim', state: 'isolated' },
        from: 'schema',
      },
      {
        path: 'told',
        skill: 'people.post',
        connection: undefined,
        input: { text: 'Kim is isolated' },
        output: { id: 'm-1' },
        from: 'example',
      },
      {
        path: '4',
        skill: 'case.update',
        connection: undefined,
        input: { summary: 'told as m-1' },
        output: { id: 'DEMO-1' },
        from: 'example',
      },
    ])
    expect(run.outcome).to.deep.include({ status: 'completed', output: { dry: true, told: 'm-1' } })
    expect(run.durationMs).to.equal(2 * 86_400_000)
  })

  it('says when a containment would be undone', async () => {
    const contains = playbookOf(
      playbookSource(
        '  - { uses: edr.isolate, with: { machine: x }, undo: { after: 4h, unless: case.verdict == "malicious" } }',
      ),
    )
    const { world } = parseWorld('{}', contains, { catalogue })
    const { fixtures, mocks } = world!
    const alert = { body: { data: {} } }
    const given = { catalogue, fixtures: fixtures({ alert }), mocks, live: kim, log: silent }
    const { wouldDo } = await dryRun({ playbook: contains, ...given })
    expect(wouldDo.map(({ skill, undo }) => [skill, undo])).to.deep.equal([
      ['edr.isolate', { afterMs: 14_400_000, unless: 'case.verdict == "malicious"' }],
    ])
  })

  it('calls only skills that declare to read, of all installed ones', async () => {
    const pluginsDir = join(import.meta.dirname, '../../plugins')
    const installed = await discoverPlugins({ pluginsDir, packages: [] })
    const called: string[] = []
    const told: string[] = []
    const call = createDryRunCaller({
      catalogue: installed,
      read: async ({ skill }) => void called.push(skill),
      hasFixture: () => false,
      onWouldDo: ({ skill }) => told.push(skill),
    })
    const attempt = {
      number: 1,
      idempotencyKey: 'run/step',
      deadlineMs: Infinity,
      signal: new AbortController().signal,
    }
    const run = {
      uuid: 'run',
      organizationUuid: 'organization',
      playbookName: 'x',
      openCase: async () => undefined,
    }
    for (const { name, skill } of installed.skills) {
      for (const purpose of skill.effect === 'write' ? (['run', 'verify'] as const) : (['run'] as const)) {
        await call({
          purpose,
          skill: name,
          connection: undefined,
          input: skill.examples[0]!.input,
          run,
          attempt,
        })
      }
    }
    const of = (effect: string) =>
      installed.skills.filter(({ skill }) => skill.effect === effect).map(({ name }) => name)
    expect(of('write')).to.include('case.update')
    expect(called).to.deep.equal(of('read'))
    expect([...new Set(told)]).to.deep.equal(of('write'))
    const unknown = call({
      purpose: 'run',
      skill: 'not.installed',
      connection: undefined,
      input: {},
      run,
      attempt,
    })
    expect(await unknown.catch((error: Error) => error.message)).to.contain('is not installed')
    expect(called).to.deep.equal(of('read'))
  })

  it('continues with the fixtures for reads and writes', async () => {
    const run = await dry(
      () => Promise.reject(new Error('nothing is asked in earnest')),
      `mocks:
  people.find: { example: Nobody, output: { name: Bo } }
  steps.cut: { output: { id: other, state: pending } }
`,
    )
    expect(run.asked).to.deep.equal([])
    expect(run.wouldDo[0]).to.deep.include({ from: 'fixtures', output: { id: 'other', state: 'pending' } })
    expect(run.wouldDo[1]!.input).to.deep.equal({ text: 'other is pending' })
  })

  it('replaces a called playbook by a fixture', async () => {
    const called = new Map([
      [
        'asked',
        playbookOf('apiVersion: tocsin/v1\nname: asked\non: { call: true }\nsteps: [{ return: { n: 1 } }]\n'),
      ],
    ])
    const caller = playbookOf(
      playbookSource('  - { id: sub, call: asked }', 'outputs: { n: "${{ steps.sub.output.n }}" }\n'),
    )
    const { world } = parseWorld('mocks: { steps.sub: { output: { n: 7 } } }', caller, { catalogue, called })
    const { fixtures, mocks } = world!
    const live = () => Promise.reject(new Error('nothing is asked in earnest'))
    const run = await dryRun({
      playbook: caller,
      called,
      catalogue,
      mocks,
      live,
      log: silent,
      fixtures: fixtures({ alert: { body: { data: {} } } }),
    })
    expect(run.outcome).to.deep.include({ status: 'completed', output: { n: 7 } })
    expect(run.wouldDo).to.deep.equal([])
  })

  it('fails like a run if a fixture fails a write', async () => {
    const run = await dry(kim, 'mocks: { people.isolate: { error: { code: http_403 } } }\n')
    expect(run.outcome).to.deep.include({ status: 'failed' })
    expect(run.outcome?.error?.code).to.equal('http_403')
    expect(run.wouldDo).to.deep.equal([])
  })

  it('makes one attempt, because no time passes before the next', async () => {
    const run = await dry(() => Promise.reject(new RetryableError('http_503', 'busy')))
    expect(run.asked).to.deep.equal(['run people.find'])
    expect(run.outcome?.error).to.deep.include({
      code: 'http_503',
      hint: 'a dry run tries once; a real run would retry',
    })
  })

  it('refuses a write with an invalid input', async () => {
    const run = await dry(async () => ({ name: 5, risk: 1 }))
    expect(run.outcome?.error?.code).to.equal('value_invalid')
    expect(run.wouldDo).to.deep.equal([])
  })
})
