import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const skill = 'endpoint_security.isolate_machine'

describe('bulk answers', () => {
  let api: Api
  let analyst: string
  let run: Run
  let count = 0

  before(async () => {
    api = await startApi()
    analyst = await api.newKey('analyst', ['acme'])
    run = await startedRun('acme')
  })
  after(() => api.close())

  async function startedRun(code: string): Promise<Run> {
    const organizationUuid = api.organizations[code] ?? ''
    const alert = { content: 'x', provider: 'SIEM', organizationUuid, type: 't', createdAtSource: null }
    const made = await api.stores.alerts.create({ ...alert, createdBy: organizationUuid })
    const queued = { organizationUuid, playbookName: 'p', playbookHash: 'h', alertUuid: made.uuid }
    const { uuid } = await api.stores.runs.queue(queued)
    return (await api.stores.runs.start(uuid, { title: 'A case' }))!
  }

  /** A question as asked by the destructive limit. */
  async function hold(id: string, { of = run, name = skill } = {}): Promise<string> {
    const input = { message: 'One more?', skill: name, input: { id, comment: `c ${++count}` } }
    const question = { via: 'operator', input, answers: ['approve', 'refuse'], form: null }
    const path = `isolate${count}/@approval`
    const timeoutAt = api.clock.time + 60_000
    return (await api.stores.checkpoints.open(of.uuid, { path, stepId: 'isolate', question, timeoutAt })).id
  }
  const preview = (body: object, key = analyst) =>
    api.call('POST', '/api/checkpoints/answer/preview', { key, body })
  const answer = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    api.call('POST', '/api/checkpoints/answer', { key: analyst, body, headers })
  const stateOf = async (id: string) => (await api.stores.checkpoints.find('all', id))?.state
  const entries = async () => (await api.call('GET', `/api/cases/${run.caseId}`)).json.timeline

  it('have a preview with count, organization, skill and targets', async () => {
    const checkpoints = [await hold('ws-1'), await hold('ws-2'), await hold('ws-1')]
    const { json } = await preview({ checkpoints })
    expect(json).to.deep.include({
      kind: `approval:${skill}`,
      organization_code: 'acme',
      answers: [
        { value: 'approve', label: 'approve' },
        { value: 'refuse', label: 'refuse' },
      ],
      gone: 0,
      left: 0,
    })
    expect(json.targets.map((one: { count: number }) => one.count)).to.deep.equal([1, 1, 1])
    expect(json.data.map((row: { checkpoint_id: string }) => row.checkpoint_id)).to.deep.equal(checkpoints)
    expect(json.data[0]).to.include({ skill, case_id: run.caseId, message: 'One more?' })
    for (const id of checkpoints) expect(await stateOf(id), 'nothing is changed').to.equal('waiting')
  })

  it('apply only to the previewed questions, once, and record the key in the audit log and the case', async () => {
    const checkpoints = [await hold('ws-3'), await hold('ws-4')]
    const { seen } = (await preview({ checkpoints })).json
    const later = await hold('ws-5')
    for (const others of [[...checkpoints, later], checkpoints.slice(1), [checkpoints[0], later]])
      expectProblem(await answer({ checkpoints: others, seen, answer: 'approve' }), 409, 'preview_differs')
    for (const id of checkpoints) expect(await stateOf(id)).to.equal('waiting')

    const body = { checkpoints: checkpoints.toReversed(), seen, answer: 'approve', text: 'the whole floor' }
    const once = { 'idempotency-key': 'k1' }
    const { status, json, text } = await answer(body, once)
    expect(status, text).to.equal(200)
    expect(json.data.map((row: { outcome: string }) => row.outcome)).to.deep.equal(['accepted', 'accepted'])
    expect((await answer(body, once)).json, 'a repeat of the request').to.deep.equal(json)
    expect(await stateOf(later)).to.equal('waiting')
    for (const id of checkpoints) {
      const [entry] = (await api.call('GET', `/api/audit?subject=${id}`)).json.data
      expect(entry).to.deep.include({ action: 'checkpoint.answered', at: api.clock.time })
      expect(entry.actor.name).to.equal('analyst')
      expect(entry.details).to.deep.include({ answer: 'approve', together: { seen, count: 2 } })
      const { answer: kept } = (await api.stores.checkpoints.find('all', id))!
      expect(kept!.by).to.include({ kind: 'api_key', name: 'analyst' })
      expect(kept).to.include({ value: 'approve', text: 'the whole floor' })
    }
    const notes = (await entries()).filter(
      ({ actor }: { actor: { name: string } }) => actor.name === 'analyst',
    )
    for (const { kind } of notes) expect(kind).to.equal('decision')
    expect(notes.map((entry: { text: string }) => entry.text)).to.deep.equal([
      `answered 'approve', with 1 more of its kind, to: One more?`,
      `answered 'approve', with 1 more of its kind, to: One more?`,
    ])
  })

  it('identify playbook questions by their text', async () => {
    const ask = async (path: string, message: string) => {
      const question = { via: 'operator', input: { message }, answers: ['yes'], form: null }
      const timeoutAt = api.clock.time + 60_000
      return (await api.stores.checkpoints.open(run.uuid, { path, stepId: 'sure', question, timeoutAt })).id
    }
    const checkpoints = [
      await ask('a', 'Isolate WS-1?'),
      await ask('b', 'Isolate WS-2?'),
      await ask('c', 'Isolate WS-1?'),
    ]
    const { json } = await preview({ checkpoints })
    expect(json.kind).to.equal('p:sure')
    expect(json.targets).to.deep.equal([
      { target: 'Isolate WS-1?', count: 2 },
      { target: 'Isolate WS-2?', count: 1 },
    ])
  })

  it('skip questions that were answered in the meantime, and report them', async () => {
    const checkpoints = [await hold('ws-6'), await hold('ws-7')]
    const { seen } = (await preview({ checkpoints })).json
    await api.call('POST', `/api/checkpoints/${checkpoints[0]}/answer`, { body: { answer: 'refuse' } })
    const { json } = await answer({ checkpoints, seen, answer: 'approve' })
    expect(json.data.map((row: { outcome: string }) => row.outcome)).to.deep.equal(['second', 'accepted'])
    expect((await api.stores.checkpoints.find('all', checkpoints[0]!))?.answer?.value).to.equal('refuse')
    const { json: again } = await preview({ checkpoints })
    expect(again).to.deep.include({ seen: null, data: [], gone: 2 })
  })

  it('require one kind, one organization and one of the offered answers', async () => {
    const isolate = await hold('ws-8')
    const other = await hold('ws-9', { name: 'endpoint_security.run_live_response' })
    const foreign = await hold('ws-10', { of: await startedRun('globex') })
    const different = await preview({ checkpoints: [isolate, other] })
    expectProblem(different, 400, 'checkpoints_differ')
    expect(different.json.errors[0].pointer).to.equal('/checkpoints/1')
    expectProblem(await preview({ checkpoints: [isolate, foreign] }), 404, 'checkpoint_not_found')
    expectProblem(await preview({ checkpoints: [isolate, foreign] }, api.adminKey), 400, 'checkpoints_differ')
    const form = { type: 'object', properties: { n: { type: 'integer' } } } as const
    const question = { via: 'operator', input: { message: 'n?' }, answers: null, form }
    const timeoutAt = api.clock.time + 1
    const { id } = await api.stores.checkpoints.open(run.uuid, {
      path: 'f',
      stepId: 'f',
      question,
      timeoutAt,
    })
    expectProblem(await preview({ checkpoints: [id] }), 400, 'checkpoint_has_form')
    const { seen } = (await preview({ checkpoints: [isolate] })).json
    expectProblem(await answer({ checkpoints: [isolate], seen, answer: 'yes' }), 400, 'answer_invalid')
    expectProblem(await preview({}), 400, 'value_invalid')
    expect(await stateOf(isolate)).to.equal('waiting')
  })

  it('can be limited to the oldest questions, and report how many are left', async () => {
    const kind = 'approval:endpoint_security.run_antivirus_scan'
    const ids: string[] = []
    for (let n = 0; n < 103; n++)
      ids.push(await hold(`ws-${n % 7}`, { name: 'endpoint_security.run_antivirus_scan' }))
    const { json } = await preview({ filter: { kind, organization_code: 'acme' } })
    expect(json.data.map((row: { checkpoint_id: string }) => row.checkpoint_id)).to.deep.equal(
      ids.slice(0, 100),
    )
    expect(json.left).to.equal(3)
    const listed = await api.call('GET', `/api/checkpoints?kind=${encodeURIComponent(kind)}`)
    expect(listed.json.total).to.equal(103)
    expect(listed.json.data[0].kind).to.equal(kind)
    const foreign = await preview({ filter: { kind, organization_code: 'globex' } })
    expectProblem(foreign, 400, 'unknown_organization')
  })
})
