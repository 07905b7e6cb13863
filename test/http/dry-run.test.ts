import { expect } from 'chai'
import { once } from 'node:events'
import type { SkillCall } from '../../core/engine/skills/skill-caller.ts'
import { createDryRunGate } from '../../server/http/limits/dry-run-gate.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'
import { thingsOf } from './support/things.ts'

const head = (name: string) => `apiVersion: tocsin/v1\nname: ${name}\n`
const lookUp = '  - { id: look, uses: tower.look_up, with: { kind: ip, value: "192.0.2.1" } }\n'
const ring = '  - { id: ring, uses: tower.ring_bell, with: { times: 3 } }\n'
const source = `${head('rings')}on: { alert: { type: t }, manual: true }\nsteps:\n${lookUp}${ring}  - { id: end, return: rung }\n`
const asking =
  `${head('asks')}on: { manual: true }\nsteps:\n` +
  '  - id: sure\n    checkpoint: { via: operator, with: { message: "Sure?" }, answers: [yes, no], timeout: 1h, on_timeout: "no" }\n' +
  '  - { id: ring, if: steps.sure.output.answer == "yes", uses: tower.ring_bell, with: { times: 1 } }\n'

type Event = { readonly step?: { readonly path: string }; readonly would_do?: { readonly skill: string } }

/** A summary of the events. */
const told = (events: readonly Event[]) => events.map(({ step, would_do }) => step?.path ?? would_do?.skill)

describe('dry runs over HTTP', () => {
  let api: Api
  let called: string[]
  let answer: (call: SkillCall) => Promise<unknown>
  before(async () => {
    api = await startApi()
    const inEarnest = api.callerOfSkills
    api.callerOfSkills = (cases) => {
      const call = inEarnest(cases)
      return async (asked) => {
        called.push(asked.skill)
        await call(asked)
        return await answer(asked)
      }
    }
  })
  beforeEach(() => {
    called = []
    answer = async () => ({ risk: { score: 1 }, keeper: 'quasimodo of the bells' })
  })
  after(() => api.close())

  const dryRun = (body: object) =>
    api.call('POST', '/api/playbooks/dry-run', { body: { organization_code: 'acme', ...body } })

  it('make reads with the connections of the organization, and no writes', async () => {
    const { alert = [] } = await thingsOf(api, 'acme').alert()
    const before = await api.stores.alerts.find('all', alert[0] ?? '')
    const { total } = await api.stores.cases.list('all', {}, { limit: 1 })
    const { json, text } = await dryRun({ source, alert: alert[0] })
    expect(called, text).to.deep.equal(['tower.look_up'])
    expect(told(json.events)).to.deep.equal(['look', 'tower.ring_bell', 'end'])
    expect(json.events[1].would_do).to.include({ path: 'ring', output_from: 'schema' })
    expect(json.events[1].would_do.input).to.deep.equal({ times: 3 })
    expect(json.end).to.include({ status: 'completed', output: 'rung', writes: 1 })
    expect(json).to.include({ playbook: 'rings', would_not_start: null, question: null })
    expect(await api.stores.alerts.find('all', alert[0] ?? '')).to.deep.equal(before)
    expect((await api.stores.cases.list('all', {}, { limit: 1 })).total).to.equal(total)
    expect((await api.stores.runs.list('all', {}, { limit: 1 })).total).to.equal(0)
  })

  it('take the event of a playbook that starts for one, or an example', async () => {
    const source = `${head('closed')}on: { case: { event: closed, where: 'trigger.case.verdict == "benign"' } }\nsteps: [{ return: '\${{ trigger.case.title }}' }]\n`
    const example = await dryRun({ source })
    expect(example.json).to.deep.include({ would_not_start: '`where` does not hold for this event' })
    const given = await dryRun({ source, trigger: { case: { verdict: 'benign', title: 'Mine' } } })
    expect(given.json).to.deep.include({ would_not_start: null })
    expect(given.json.end).to.include({ status: 'completed', output: 'Mine' })
    const wrong = await dryRun({ source, trigger: { case: { verdict: 'bening' } } })
    expectProblem(wrong, 400, 'trigger_invalid')
    expect(wrong.json.errors[0].pointer).to.equal('/trigger/case/verdict')
    const none = await dryRun({
      source: `${head('none')}on: { manual: true }\nsteps: [{ return: 1 }]\n`,
      trigger: {},
    })
    expectProblem(none, 400, 'trigger_invalid')
  })

  it('are in the audit log even if they fail, but not if they never start', async () => {
    const head = async () => (await api.stores.audit.head())?.sequence
    const stored = await thingsOf(api, 'acme').alert()
    const before = (await head()) ?? 0
    answer = async () => {
      throw new Error('the tower is closed')
    }
    await dryRun({ source, alert: stored['alert']?.[0] })
    expect(await head()).to.equal(before + 1)
    const [entry] = (await api.call('GET', '/api/audit?action=playbook.dry_run')).json.data
    expect(entry).to.deep.include({ organization_code: 'acme', details: { alert: stored['alert']?.[0] } })
    expect(entry.subject).to.include({ kind: 'playbook', name: 'rings' })
    await dryRun({ source: 'name: x' })
    expect(await head()).to.equal(before + 1)
  })

  it('read as the given organization', async () => {
    const organizations: string[] = []
    answer = async ({ run }) => {
      organizations.push(run.organizationUuid)
      return {}
    }
    for (const code of ['globex', 'ACME'])
      await dryRun({ organization_code: code, source, alert_content: 'x' })
    expect(organizations).to.deep.equal([api.organizations['globex'], api.organizations['acme']])
  })

  it('leave out sensitive values', async () => {
    const echo = source.replace('return: rung', 'return: "${{ steps.look.output.?keeper.orValue(1) }}"')
    const { json, text } = await dryRun({ source: echo, alert_content: 'x' })
    expect(json.end?.status, text).to.equal('completed')
    expect(text).to.not.include('quasimodo')
  })

  it('show the result of each answer, or of the given one', async () => {
    const all = await dryRun({ source: asking })
    expect(all.json.question, all.text).to.deep.include({
      path: 'sure',
      via: 'operator',
      answers: ['yes', 'no'],
    })
    const ways = all.json.question.ways as {
      answer: string | null
      timeout: boolean
      end: { writes: number }
    }[]
    expect(ways.map(({ answer: given, timeout, end }) => [given, timeout, end.writes])).to.deep.equal([
      ['yes', false, 1],
      ['no', false, 0],
      [null, true, 0],
    ])
    const one = await dryRun({ source: asking, answers: { sure: 'yes' } })
    expect(one.json.question).to.equal(null)
    expect(told(one.json.events)).to.deep.equal(['sure', 'tower.ring_bell'])
    expectProblem(await dryRun({ source: asking, answers: { sure: 'maybe' } }), 400, 'answer_invalid')
    expectProblem(await dryRun({ source: asking, answers: { shure: 'yes' } }), 404, 'checkpoint_not_found')
  })

  it('accept a stored playbook by name or hash, and say if the alert would not trigger it', async () => {
    const put = await api.call('PUT', '/api/playbooks/rings', { body: { source } })
    for (const playbook of ['rings', put.json.hash]) {
      const { json, text } = await dryRun({
        playbook,
        alert_content: 'x',
        alert_type: 'u',
        alert_provider: 'siem',
      })
      expect(json.would_not_start, text).to.match(/of type 't', not 'u'/)
    }
  })

  it('say why other alerts would share the case, without sensitive values', async () => {
    const correlating = (schema = '') =>
      `apiVersion: tocsin/v1\nname: related\non: { alert: { type: t, correlate: [{ by: { user: alert.data.?user } }, { by: { host: alert.data.?host } }] } }\n${schema}steps: [{ return: 1 }]\n`
    const given = { alert_content: '{"user":"ana"}', alert_type: 't', alert_provider: 'siem' }
    const reason = (user: string) => `${user} is the same as in an alert at most 1d earlier (rule of related)`
    const plain = await dryRun({ source: correlating(), ...given })
    expect(plain.json.correlation, plain.text).to.deep.equal([reason('user (ana)')])
    const schema =
      'alert: { type: object, additionalProperties: true, properties: { user: { type: string, x-sensitive: true } } }\n'
    const hidden = await dryRun({ source: correlating(schema), ...given })
    expect(hidden.json.correlation, hidden.text).to.deep.equal([reason('user')])
  })

  it('refuse invalid requests', async () => {
    const foreign = await thingsOf(api, 'globex').alert()
    expectProblem(await dryRun({ source, alert: foreign['alert']?.[0] }), 404, 'alert_not_found')
    expectProblem(await dryRun({ playbook: 'none' }), 404, 'playbook_not_found')
    expectProblem(await dryRun({ source }), 400, 'alert_missing')
    expectProblem(await dryRun({ source: asking, inputs: { user: 'eve' } }), 400, 'inputs_invalid')
    expectProblem(await dryRun({ source: 'name: x' }), 422, 'playbook_invalid')
    expectProblem(await dryRun({ alert_content: 'x' }), 400, 'value_invalid')
    expectProblem(await dryRun({ source, playbook: 'rings' }), 400, 'value_invalid')
    expectProblem(await dryRun({ source, alert: 'x', alert_content: 'x' }), 400, 'value_invalid')
    expectProblem(await dryRun({ source, alert_type: 't' }), 400, 'value_invalid')
    expect(called).to.deep.equal([])
  })

  /** A dry run with an unanswered read; `stop` ends the connection. */
  async function hanging(organization_code = 'acme') {
    const { promise: reading, resolve: begun } = Promise.withResolvers<AbortSignal>()
    answer = async ({ attempt: { signal } }) => {
      begun(signal)
      await once(signal, 'abort')
      throw signal.reason
    }
    const stop = new AbortController()
    const sent = fetch(`${api.url}/api/playbooks/dry-run`, {
      method: 'POST',
      headers: { cookie: `Session=${api.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ organization_code, source, alert_content: 'x' }),
      signal: stop.signal,
    })
    sent.catch(() => undefined)
    return { sent, read: await reading, stop: () => stop.abort() }
  }

  it('run one at a time per organization and stop if the client disconnects', async () => {
    const first = await hanging()
    const second = await dryRun({ source: asking })
    expectProblem(second, 503, 'dry_runs_full')
    expect(second.headers.get('retry-after')).to.equal('5')
    expect((await dryRun({ organization_code: 'globex', source: asking })).status).to.equal(200)
    const ended = once(first.read, 'abort')
    first.stop()
    await ended
    let reply = second
    for (let tries = 0; tries < 100 && reply.status === 503; tries++) reply = await dryRun({ source: asking })
    expect(reply.status, reply.text).to.equal(200)
  })

  it('end when the server closes', async () => {
    const { sent } = await hanging()
    await api.close()
    const reply = await sent
    expect(reply.status).to.equal(503)
    expect(await reply.json()).to.include({ code: 'not_ready' })
  })
})

describe('createDryRunGate', () => {
  it('admits four organizations at once', async () => {
    const never = new AbortController().signal
    const gate = createDryRunGate(never)
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    const four = ['a', 'b', 'c', 'd'].map((organization) => gate.through(organization, never, () => over))
    const refused: unknown = await gate.through('e', never, () => over).catch((reason: unknown) => reason)
    expect(refused).to.include({ code: 'dry_runs_full' })
    end()
    await Promise.all(four)
    expect(await gate.through('e', never, async () => 'in')).to.equal('in')
  })

  it('aborts a dry run that exceeds its time and admits the next', async () => {
    const never = new AbortController().signal
    const gate = createDryRunGate(never, 1)
    for (let tries = 0; tries < 3; tries++) {
      const error: unknown = await gate
        .through('acme', never, (signal) => once(signal, 'abort').then(() => signal.throwIfAborted()))
        .catch((reason: unknown) => reason)
      expect(error).to.include({ code: 'dry_run_timeout' })
    }
  })
})
