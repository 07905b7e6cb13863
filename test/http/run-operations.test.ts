import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const question = { via: 'operator', input: { message: 'Was it you?' }, answers: ['yes', 'no'], form: null }

describe('operations on runs', () => {
  let api: Api
  let analyst: string
  let analystKey: { readonly kind: string; readonly id: string; readonly name: string }
  let stranger: string
  let run: Run

  before(async () => {
    api = await startApi()
    analyst = await api.newKey('analyst', ['acme'])
    analystKey = { kind: 'api_key', id: analyst.split('_')[1]!, name: 'analyst' }
    stranger = await api.newKey('analyst', ['globex'])
  })
  after(() => api.close())
  beforeEach(async () => {
    const { uuid } = await api.stores.runs.queue({
      organizationUuid: api.organizations['acme'] ?? '',
      playbookName: 'p',
      playbookHash: 'h',
      alertUuid: null,
    })
    run = (await api.stores.runs.start(uuid, { title: 'A case' }))!
  })

  describe('a checkpoint', () => {
    const open = (path = 'confirm', timeoutAt = api.clock.time + 1_000) =>
      api.stores.checkpoints.open(run.uuid, { path, stepId: null, question, timeoutAt })
    const answer = (id: string, body: object, key = analyst) =>
      api.call('POST', `/api/checkpoints/${id}/answer`, { key, body })

    it('is listed while it waits, for keys of its organization', async () => {
      const { id } = await open()
      const idsOf = async (key: string) =>
        (await api.call('GET', '/api/checkpoints', { key })).json.data.map(
          (row: { checkpoint_id: string }) => row.checkpoint_id,
        )
      expect(await idsOf(analyst)).to.deep.equal([id])
      expect(await idsOf(stranger)).to.deep.equal([])
      await answer(id, { answer: 'yes' })
      expect(await idsOf(analyst)).to.deep.equal([])
    })

    it('to several people shows who has answered, and counts a key once', async () => {
      const group = { path: 'all', people: 3, needed: 2, agree: true, veto: ['no'] }
      const ask = (place: number) =>
        api.stores.checkpoints.open(run.uuid, {
          path: `all/@person[${place}]`,
          stepId: 'all',
          question,
          group: { ...group, place },
          timeoutAt: api.clock.time + 1_000,
        })
      const [first, second, third] = [await ask(0), await ask(1), await ask(2)]
      expect((await answer(first.id, { answer: 'yes' })).json.outcome).to.equal('accepted')
      const { json } = await answer(second.id, { answer: 'yes' })
      expect(json.outcome).to.equal('same_person')
      expect(json.checkpoint.group).to.deep.equal({
        path: 'all',
        people: 3,
        quorum: 2,
        veto: ['no'],
        answered: [
          { checkpoint_id: first.id, label: 'yes', by: 'analyst', by_name: null, at: api.clock.time },
        ],
      })
      const other = await api.newKey('analyst', ['acme'])
      expect((await answer(second.id, { answer: 'yes' }, other)).json.outcome).to.equal('accepted')
      expect((await answer(third.id, { answer: 'yes' }, other)).json).to.nested.include({
        outcome: 'decided',
        'checkpoint.state': 'decided',
      })
    })

    it('shows labels of its answers, who may answer, the default on timeout, and its subject', async () => {
      const input = { message: 'You?', labels: { yes: 'Yes, me', perhaps: 'x' } }
      const asked = { ...question, input }
      const onTimeout = { fails: false, answer: 'no' } as const
      const timeoutAt = api.clock.time + 1_000
      const at = { path: 'labelled', stepId: null, question: asked, timeoutAt, onTimeout }
      const { id } = await api.stores.checkpoints.open(run.uuid, at)
      await api.stores.checkpoints.asked(run.uuid, 'labelled', { asked: 'U1', asked_name: 'ana@x.example' })
      const get = async () => (await api.call('GET', `/api/checkpoints/${id}`)).json
      expect((await get()).checkpoint).to.deep.include({
        playbook: 'p',
        alert_id: null,
        case_id: run.caseId,
        asked: 'U1',
        asked_name: 'ana@x.example',
        answers: [
          { value: 'yes', label: 'Yes, me' },
          { value: 'no', label: 'no' },
        ],
        timeout_at: timeoutAt,
        on_timeout: { fails: false, answer: 'no' },
      })
      await answer(id, { answer: 'yes' })
      const { checkpoint, given } = await get()
      expect([checkpoint.answer.label, given[0].label]).to.deep.equal(['Yes, me', 'Yes, me'])
      expect(
        (await api.call('GET', `/api/checkpoints/${(await open()).id}`)).json.checkpoint,
      ).to.deep.include({ asked: null, asked_name: null, on_timeout: null })
    })

    it('is listed by state', async () => {
      const idsOf = async (state: string) =>
        (await api.call('GET', `/api/checkpoints?state=${state}&run=${run.uuid}`)).json.data.map(
          (row: { checkpoint_id: string }) => row.checkpoint_id,
        )
      const [answered, late, left] = [await open('a'), await open('b'), await open('c')]
      await answer(answered.id, { answer: 'no' })
      await api.stores.checkpoints.close(run.uuid, 'b', 'timed_out')
      await api.stores.checkpoints.close(run.uuid, 'c', 'withdrawn')
      const waiting = await open('d')
      for (const [state, { id }] of Object.entries({ waiting, answered, timed_out: late, withdrawn: left }))
        expect(await idsOf(state), state).to.deep.equal([id])
      expectProblem(await api.call('GET', '/api/checkpoints?state=over'), 400, 'query_invalid')
    })

    it('accepts one answer, attributed to the key, and records a second without effect', async () => {
      const { id } = await open()
      const first = await answer(id, { answer: 'no', text: 'I was in bed' })
      expect(first.json).to.nested.include({ outcome: 'accepted', 'checkpoint.state': 'answered' })
      expect(first.json.checkpoint.answer).to.deep.equal({
        value: 'no',
        label: 'no',
        by: 'analyst',
        by_name: null,
        actor: analystKey,
        text: 'I was in bed',
        refused_items: [],
        at: api.clock.time,
      })
      const second = await answer(id, { answer: 'yes' }, api.adminKey)
      expect(second.json).to.nested.include({ outcome: 'second', 'checkpoint.answer.value': 'no' })
      const all = await api.stores.checkpoints.answers(id)
      expect(all.map(({ value, by, outcome }) => [value, by.name, outcome])).to.deep.equal([
        ['no', 'analyst', 'accepted'],
        ['yes', 'admin', 'second'],
      ])
    })

    it('accepts no answer after its timeout', async () => {
      const { id } = await open('late', api.clock.time)
      expect((await answer(id, { answer: 'yes' })).json).to.nested.include({
        outcome: 'late',
        'checkpoint.state': 'waiting',
      })
    })

    it('accepts only the offered answers', async () => {
      const { id } = await open()
      const reply = await answer(id, { answer: 'perhaps' })
      expectProblem(reply, 400, 'answer_invalid')
      expect(reply.json.errors[0].pointer).to.equal('/answer')
      expect(reply.json.detail).to.equal('the answer must be one of yes, no')
      expect(await api.stores.checkpoints.answers(id)).to.deep.equal([])
    })

    it('answers 404 to keys of other organizations', async () => {
      const { id } = await open()
      expectProblem(await answer(id, { answer: 'yes' }, stranger), 404, 'checkpoint_not_found')
      const get = (key: string) => api.call('GET', `/api/checkpoints/${id}`, { key })
      expectProblem(await get(stranger), 404, 'checkpoint_not_found')
      expect((await get(api.adminKey)).json.given).to.deep.equal([])
      expect((await api.stores.checkpoints.find('all', id))?.state).to.equal('waiting')
    })
  })

  describe('a step with unknown outcome', () => {
    const resolve = (body: object, key = analyst) =>
      api.call('POST', `/api/runs/${run.uuid}/resolve`, { key, body })

    beforeEach(async () => {
      const begun = { path: 'scan', stepId: 'scan', kind: 'x.scan', input: 1, startedAt: 1, attempt: 1 }
      await api.stores.journal.begin(run.uuid, begun)
      await api.stores.journal.park(run.uuid, 'scan')
    })

    it('makes its run wait', async () => {
      const { json } = await api.call('GET', `/api/runs/${run.uuid}`)
      expect(json).to.nested.include({ status: 'waiting', 'steps[0].state': 'unknown' })
    })

    it('is found by what its run waits for, until it is resolved', async () => {
      const waiting = async (reason: string) =>
        (await api.call('GET', `/api/runs?waits_for=${reason}`)).json.data.map((each: any) => each.run_uuid)
      expect(await waiting('decision')).to.include(run.uuid)
      expect(await waiting('answer')).to.not.include(run.uuid)
      await resolve({ path: 'scan', decision: 'skip' })
      expect(await waiting('decision')).to.not.include(run.uuid)
      expectProblem(await api.call('GET', '/api/runs?waits_for=rain'), 400, 'query_invalid')
    })

    it('is resolved once', async () => {
      const { json } = await resolve({ path: 'scan', decision: 'ran', output: { found: 3 } })
      expect(json).to.deep.include({ state: 'completed', output: { found: 3 } })
      expect(json.resolution).to.deep.equal({
        decision: 'ran',
        by: 'analyst',
        actor: analystKey,
        at: api.clock.time,
      })
      expectProblem(await resolve({ path: 'scan', decision: 'skip' }), 409, 'step_not_unknown')
    })

    it('can be resolved as done with unknown output, which rules out an output', async () => {
      const given = { path: 'scan', decision: 'ran_output_unknown' }
      const refused = await resolve({ ...given, output: { found: 3 } })
      expectProblem(refused, 400, 'output_invalid')
      expect(refused.json.detail).to.equal("the decision 'ran_output_unknown' takes no output")
      const { json } = await resolve(given)
      expect(json).to.deep.include({ state: 'completed', output: null, error: null })
      expect(json.resolution).to.deep.include({ decision: 'ran_output_unknown', actor: analystKey })
      const audit = await api.call('GET', '/api/audit?action=step.resolved')
      expect(audit.json.data[0].details).to.deep.equal({
        path: 'scan',
        decision: 'ran_output_unknown',
        skill: 'x.scan',
      })
    })

    it('answers 404 to keys of other organizations', async () => {
      expectProblem(await resolve({ path: 'scan', decision: 'skip' }, stranger), 404, 'run_not_found')
      expectProblem(await resolve({ path: 'other', decision: 'skip' }), 404, 'step_not_found')
    })
  })

  describe('a run', () => {
    const cancel = (key = analyst) => api.call('POST', `/api/runs/${run.uuid}/cancel`, { key })

    it('is cancelled once, by the first request', async () => {
      const first = { by: 'analyst', actor: analystKey, at: api.clock.time }
      expect((await cancel()).json.cancellation).to.deep.equal(first)
      expect((await cancel(api.adminKey)).json.cancellation).to.deep.equal(first)
    })

    it('is not cancelled by keys of other organizations or after its end', async () => {
      expectProblem(await cancel(stranger), 404, 'run_not_found')
      await api.stores.runs.end(run.uuid, { status: 'completed', output: null, error: null })
      expectProblem(await cancel(), 409, 'run_has_ended')
    })

    it('is started manually with valid inputs', async () => {
      const source =
        'apiVersion: tocsin/v1\nname: by-hand\non: { manual: true }\ninputs: { pin: { type: string, sensitive: true } }\nsteps: [{ return: 1 }]'
      api.playbooks.push(parsePlaybook(source).playbook!)
      const start = (inputs: object, key = analyst) =>
        api.call('POST', '/api/playbooks/by-hand/runs', { key, body: { organization_code: 'acme', inputs } })
      const wrong = await start({ pin: 1234, user: 'eve' })
      expectProblem(wrong, 400, 'inputs_invalid')
      expect(wrong.json.errors.map(({ pointer }: { pointer: string }) => pointer)).to.have.members([
        '/inputs/pin',
        '/inputs/user',
      ])
      const started = await start({ pin: 'secret-1234' })
      expect(started.status).to.equal(201)
      const { json, text } = await api.call('GET', `/api/runs/${started.json.run_uuid}`)
      expect(json.inputs).to.deep.equal({ pin: '[redacted]' })
      expect(text).to.not.include('secret-1234')
      expectProblem(await start({ pin: 'x' }, stranger), 400, 'unknown_organization')
    })

    it('hides inputs declared sensitive, however short, and inputs of the same name', async () => {
      const source = `apiVersion: tocsin/v1
name: declared
on: { manual: true }
inputs:
  pin: { type: integer, sensitive: true }
  long: { type: integer, sensitive: true }
  word: { type: string, sensitive: true }
  user: { type: object, properties: { id: { type: string }, code: { type: string, x-sensitive: true } } }
steps: [{ return: { pin: '\${{ inputs.pin }}', text: 'it is \${{ inputs.word }}', open: [queued, 47] } }]`
      api.playbooks.push(parsePlaybook(source).playbook!)
      const inputs = { pin: 47, long: 4_711_815, word: 'queued', user: { id: 'eve', code: 'x7' } }
      const body = { organization_code: 'acme', inputs }
      const { json: started } = await api.call('POST', '/api/playbooks/declared/runs', { key: analyst, body })
      const { json } = await api.call('GET', `/api/runs/${started.run_uuid}`)
      const hidden = '[redacted]'
      expect(json.inputs).to.deep.equal({
        pin: hidden,
        long: hidden,
        word: hidden,
        user: { id: 'eve', code: hidden },
      })
      // Coincidentally the same word.
      expect(json.status).to.equal('queued')
      const output = { pin: 47, text: 'it is queued', open: ['queued', 47] }
      await api.stores.runs.start(started.run_uuid, { title: 'A case' })
      await api.stores.runs.end(started.run_uuid, { status: 'completed', output, error: null })
      expect((await api.call('GET', `/api/runs/${started.run_uuid}`)).json.output).to.deep.equal({
        pin: hidden,
        text: hidden,
        open: ['queued', 47],
      })
    })
  })
})
