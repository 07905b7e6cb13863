import { expect } from 'chai'
import { valueAt, type AnySkill, type JsonObject, type SkillContext } from 'tocsin/plugin'
import {
  loopbackEgress,
  runSkill,
  type CannedReply,
  type RunSkillOptions,
  type ServedSandbox,
} from 'tocsin/plugin/testing'
import { referenceOf } from './actions/action-reference.ts'
import { workstation } from './examples/machine.ts'
import sandbox, { settingsFor } from './sandbox.ts'
import { failure } from './sandbox/answer.ts'
import { clients } from './sandbox/data/clients.ts'
import { endpointFaults } from './sandbox/faults.ts'
import { endpointFixture } from './sandbox/data/fixture.ts'
import { linuxHost } from './sandbox/data/machines.ts'
import type { Controls } from './sandbox/commands.ts'
import { collectInvestigationPackage } from './skills/collect-investigation-package.ts'
import { getMachineAction } from './skills/get-machine-action.ts'
import { isolateMachine } from './skills/isolate-machine.ts'
import { runAntivirusScan } from './skills/run-antivirus-scan.ts'
import { unisolateMachine } from './skills/unisolate-machine.ts'

const { id } = workstation
const comment = 'Case ACME-7'
const mark = referenceOf('test-run/step')
const otherMark = referenceOf('other-run/step')

const caught = async (work: Promise<unknown>): Promise<object> =>
  work.then(
    () => ({ code: 'none' }),
    (error: unknown) => error as object,
  )

describe('the actions of endpoint_security', () => {
  let running: ServedSandbox<Controls>
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const act = (skill: AnySkill, input: object = {}, more: Partial<RunSkillOptions> = {}) =>
    run(skill, { id, comment, ...input }, more)
  const lookAt = (action: string, more?: Partial<RunSkillOptions>) =>
    run(getMachineAction, { id: action }, more)
  const run = async (skill: AnySkill, given: object, more: Partial<RunSkillOptions> = {}) => {
    const options = { settings: running.settings, egress: loopbackEgress, ...more }
    const { output, logs } = await runSkill(skill, given, options)
    return { output: output as JsonObject, logs }
  }
  const posts = () =>
    running.requests.filter(({ method, path }) => method === 'POST' && /\/api\//i.test(path))
  const statusOf = (output: unknown) => valueAt(valueAt(output, 'action'), 'status')

  for (const [skill, input, path, body] of [
    [isolateMachine, {}, 'isolate', { IsolationType: 'Full' }],
    [isolateMachine, { isolationType: 'Selective' }, 'isolate', { IsolationType: 'Selective' }],
    [unisolateMachine, {}, 'unisolate', {}],
    [runAntivirusScan, { scanType: 'Full' }, 'runAntiVirusScan', { ScanType: 'Full' }],
    [collectInvestigationPackage, {}, 'collectInvestigationPackage', {}],
  ] as const) {
    it(`${skill.name} looks for a pending action, then sends ${JSON.stringify(body)} with the comment`, async () => {
      const { output } = await act(skill, { ...input, id: id.toUpperCase() })
      const [, look, post] = running.requests
      expect(decodeURIComponent(look?.path ?? '')).to.match(
        path.endsWith('isolate')
          ? /^\/api\/machineactions\?\$filter=machineId eq '[0-9a-f]{40}' and \(type eq '\w+' or type eq '\w+'\)&/
          : /^\/api\/machineactions\?\$filter=machineId eq '[0-9a-f]{40}' and type eq '\w+' and \(status eq 'Pending' or status eq 'InProgress'\)/,
      )
      expect(post).to.include({ method: 'POST', path: `/api/machines/${id}/${path}` })
      expect(JSON.parse(post?.body ?? '')).to.deep.equal({ Comment: `${comment} ${mark}`, ...body })
      expect(running.requests).to.have.length(3)
      expect(output).to.deep.include({ adopted: false, finished: false })
    })
  }

  it('reuses a pending action instead of queueing another', async () => {
    const first = await act(isolateMachine)
    const second = await act(isolateMachine, { comment: 'by another run' }, { run: { id: 'other-run' } })
    expect(second.output).to.deep.include({ adopted: true, action: first.output['action'] })
    expect(posts()).to.have.length(1)
  })

  /** Polls the action until it ends. */
  const finish = async (output: unknown) => {
    const action = valueAt(valueAt(output, 'action'), 'id')
    const look = { ...isolateMachine, run: follow } as AnySkill
    async function follow(_: unknown, { http }: SkillContext) {
      for (let times = 0; times < 3; times++) await http.get(`/api/machineactions/${String(action)}`)
      return output
    }
    await act(look)
  }

  it('does not isolate an isolated machine again, nor release a released one', async () => {
    const first = await act(isolateMachine)
    await finish(first.output)
    const second = await act(isolateMachine, {}, { run: { id: 'other-run' } })
    expect(second.output).to.deep.include({ adopted: true, finished: true })
    expect(valueAt(second.output['action'], 'id')).to.equal(valueAt(first.output['action'], 'id'))
    const release = await act(unisolateMachine)
    expect(release.output).to.deep.include({ adopted: false, finished: false })
    await finish(release.output)
    expect((await act(unisolateMachine)).output).to.deep.include({ adopted: true, finished: true })
    expect((await act(isolateMachine)).output).to.deep.include({ adopted: false, finished: false })
    expect(posts().map(({ path }) => path.split('/').at(-1))).to.deep.equal([
      'isolate',
      'unisolate',
      'isolate',
    ])
  })

  it('return the progress of an action without touching the machine', async () => {
    const { output } = await act(isolateMachine)
    const action = String(valueAt(output['action'], 'id'))
    const seen = []
    for (let times = 0; times < 3; times++) {
      const look = await lookAt(action)
      seen.push([statusOf(look.output), look.output['ended'], look.output['finished']])
    }
    expect(seen).to.deep.equal([
      ['InProgress', false, false],
      ['Succeeded', true, true],
      ['Succeeded', true, true],
    ])
    expect(posts()).to.have.length(1)
    expect(await caught(lookAt('unknown')))
      .to.have.property('code')
      .that.matches(/not_found$/)
    for (const bad of ['', '../machines', 'a/b', 'a?b'])
      expect(await caught(lookAt(bad))).to.include({
        code: 'value_invalid',
      })
  })

  it('return a failed action as ended but not succeeded', async () => {
    for (const status of ['Failed', 'TimeOut', 'Cancelled']) {
      const json = { ...(endpointFixture('machine-action-poll-succeeded') as object), status }
      const { output } = await runSkill(
        getMachineAction,
        { id: 'a1' },
        { settings: running.settings, replies: [{ json }] },
      )
      expect(output).to.include({ ended: true, finished: false })
    }
  })

  it('do not isolate a machine as another kind before its release', async () => {
    const kindOf = (output: JsonObject) => valueAt(output['action'], 'scope')
    const partly = await act(isolateMachine, { isolationType: 'Selective' })
    const error = await caught(act(isolateMachine))
    expect(error).to.include({ name: 'SkillError', code: 'already_isolated' })
    expect(error).to.have.property('message').that.includes('is being isolated as Selective')
    await finish(partly.output)
    const refusal = await caught(act(isolateMachine))
    expect(refusal).to.include({ name: 'SkillError', code: 'already_isolated' })
    expect(refusal).to.have.property('message').that.includes('is already isolated as Selective')
    expect(valueAt(refusal, 'hint')).to.match(/^release it with unisolate_machine/)
    expect(valueAt(refusal, 'details')).to.deep.equal({
      machine_id: id,
      action_id: valueAt(partly.output['action'], 'id'),
      scope: 'Selective',
    })
    const release = await act(unisolateMachine)
    await finish(release.output)
    expect((await act(unisolateMachine)).output).to.deep.include({ adopted: true, finished: true })
    expect(kindOf((await act(isolateMachine)).output)).to.equal('Full')
    expect(posts()).to.have.length(3)
  })

  for (const [skill, other] of [
    [isolateMachine, unisolateMachine],
    [unisolateMachine, isolateMachine],
  ] as const) {
    it(`${skill.name} waits for a pending ${other.name}`, async () => {
      const { output } = await act(other)
      const error = await caught(act(skill))
      expect(error).to.include({ name: 'RetryableError', code: 'machine_busy' })
      expect(valueAt(error, 'details')).to.deep.include({ action_id: valueAt(output['action'], 'id') })
      await finish(output)
      expect((await act(skill)).output).to.deep.include({ adopted: false })
      expect(posts()).to.have.length(2)
    })
  }

  it('queue another scan after the last one ended, and a package beside a pending one', async () => {
    await finish((await act(runAntivirusScan, { scanType: 'Quick' })).output)
    expect((await act(runAntivirusScan, { scanType: 'Quick' })).output['adopted']).to.equal(false)
    expect((await act(collectInvestigationPackage)).output['adopted']).to.equal(false)
    expect(posts()).to.have.length(3)
  })

  describe('with several actions in the list', () => {
    const at = (minute: number, fields: object) => ({
      ...(endpointFixture('machine-action-isolate') as object),
      id: `at-${minute}`,
      status: 'Pending',
      scope: 'Full',
      creationDateTimeUtc: `2026-01-12T08:0${minute}:00.0000000Z`,
      lastUpdateDateTimeUtc: `2026-01-12T08:0${minute}:30.0000000Z`,
      ...fields,
    })
    const isolate = async (...listed: readonly object[]) => {
      const queued = { status: 201, json: at(9, { id: 'new' }) }
      const replies = [{ json: { value: listed } }, queued]
      const { output } = await runSkill(
        isolateMachine,
        { id, comment },
        { settings: running.settings, replies },
      )
      return output.action.id
    }
    const succeeded = { status: 'Succeeded' }
    const release = { type: 'Unisolate', scope: null }

    it('reuses any pending equivalent action, not only the newest', async () => {
      expect(await isolate(at(1, {}), at(2, { scope: 'Selective' }))).to.equal('at-1')
    })

    it('uses the last successful action, regardless of the order of queueing', async () => {
      expect(await isolate(at(1, succeeded), at(2, { ...release, ...succeeded }))).to.equal('new')
      const waited = { ...succeeded, lastUpdateDateTimeUtc: '2026-01-12T08:05:00.0000000Z' }
      expect(await isolate(at(1, waited), at(2, { ...release, ...succeeded }))).to.equal('at-1')
    })

    it('reuses an isolation that waits for a finished release', async () => {
      const over = at(3, { ...release, ...succeeded })
      expect(await isolate(at(1, succeeded), at(2, {}), over)).to.equal('at-2')
    })

    it('returns the isolation in effect, not one that waits for its release', async () => {
      expect(await isolate(at(1, succeeded), at(2, {}))).to.equal('at-1')
      const error = await caught(isolate(at(1, { ...succeeded, scope: 'Selective' }), at(2, {})))
      expect(error).to.include({ name: 'SkillError', code: 'already_isolated' })
      expect(valueAt(error, 'details')).to.deep.include({ action_id: 'at-1', scope: 'Selective' })
    })

    it('releases no machine with a waiting second isolation, and reports it', async () => {
      const replies = [{ json: { value: [at(1, succeeded), at(2, { scope: 'Selective' })] } }]
      const error = await caught(
        runSkill(unisolateMachine, { id, comment }, { settings: running.settings, replies }),
      )
      expect(error).to.include({ name: 'RetryableError', code: 'machine_busy' })
      expect(error).to.have.property('message').that.includes('a second Isolate as Selective is waiting')
      expect(valueAt(error, 'hint')).to.include('cancel the action at-2 in the portal')
    })

    it('does nothing if one of the actions cannot be read', async () => {
      const error = await caught(isolate(at(1, {}), { type: 'Isolate' }))
      expect(error).to.include({ name: 'SkillError', code: 'bad_response' })
    })

    it('ignores failed actions', async () => {
      expect(await isolate(at(1, succeeded), at(2, { ...release, status: 'Failed' }))).to.equal('at-1')
      expect(await isolate(at(1, { status: 'Cancelled' }))).to.equal('new')
    })
  })

  it('report a busy machine instead of reusing a scan of another kind', async () => {
    await act(runAntivirusScan, { scanType: 'Quick' })
    const error = await caught(act(runAntivirusScan, { scanType: 'Full' }))
    expect(error).to.include({ name: 'RetryableError', code: 'machine_busy' })
    expect(valueAt(error, 'details')).to.deep.include({ scope: 'Quick' })
  })

  it('reuse an action queued in the meantime', async () => {
    const action = { ...(endpointFixture('machine-action-isolate') as object), scope: 'Full' }
    const { output } = await runSkill(
      isolateMachine,
      { id, comment },
      {
        settings: running.settings,
        replies: [
          { json: { value: [] } },
          failure(400, 'ActiveRequestAlreadyExists', 'Action is already in progress'),
          { json: { value: [action] } },
        ],
      },
    )
    expect(output).to.deep.include({ adopted: true })
    expect(output.action.id).to.equal('action-isolate-123')
  })

  it('isolate without permission to read actions, and log a warning', async () => {
    const settings = settingsFor(running.url, clients.isolator)
    const { output, logs } = await act(isolateMachine, {}, { settings })
    expect(output).to.deep.include({ adopted: false })
    expect(logs.map(({ level, message }) => `${level} ${message}`)).to.deep.equal([
      'warn could not check for a running action: the permission Machine.Read.All is missing',
    ])
  })

  for (const status of ['Failed', 'TimeOut', 'Cancelled']) {
    it(`fail at once if the action is ${status}, even without wait_seconds`, async () => {
      const action = { ...(endpointFixture('machine-action-isolate') as object), status }
      const replies = [{ json: { value: [] } }, { status: 201, json: action }]
      const error = await caught(
        runSkill(isolateMachine, { id, comment }, { settings: running.settings, replies }),
      )
      expect(error).to.include({ name: 'SkillError', code: 'action_failed' })
      expect(valueAt(error, 'details')).to.deep.include({ status })
    })
  }

  it('name the missing permission', async () => {
    const settings = settingsFor(running.url, clients.reader)
    const error = await caught(act(isolateMachine, {}, { settings }))
    expect(error).to.include({ name: 'ConnectionError', code: 'http_403' })
    expect(valueAt(error, 'hint')).to.include('Machine.Isolate')
  })

  it('fail if the machine is unknown or its system is not supported', async () => {
    expect(await caught(act(isolateMachine, { id: '0'.repeat(40) }))).to.include({
      code: 'resource_not_found',
    })
    const error = await caught(act(collectInvestigationPackage, { id: linuxHost.id }))
    expect(error).to.include({ name: 'SkillError', code: 'os_platform_not_supported' })
  })

  it('mark links as sensitive', () => {
    const { package_url } = collectInvestigationPackage.output.properties
    expect(package_url).to.have.property('x-sensitive', true)
  })

  for (const machine of ['desk-042', 'desk-042.example.com', '', `${id}0`, `${id}/isolate`]) {
    it(`refuse the machine id ${JSON.stringify(machine)}`, async () => {
      expect(await caught(act(isolateMachine, { id: machine }))).to.include({ code: 'value_invalid' })
      expect(running.requests).to.have.length(0)
    })
  }

  describe('after an attempt with unknown outcome', () => {
    const verify = (replies: readonly CannedReply[]) =>
      runSkill(isolateMachine, { id, comment }, { settings: running.settings, purpose: 'verify', replies })
    const listed = (...actions: readonly object[]) => ({ json: { value: actions } })
    const base = endpointFixture('machine-action-poll-succeeded') as object
    const own = { ...base, id: 'own', requestorComment: `${comment} ${mark}` }

    it('finds its own action, even an ended one', async () => {
      const { output, requests } = await verify([listed({ ...base, id: 'older' }, own)])
      expect(output).to.deep.include({ adopted: false, finished: true })
      expect(output.action.id).to.equal('own')
      expect(requests).to.have.length(1)
    })

    it('reuses a pending action of others, or the current state of the machine', async () => {
      const others = { ...base, id: 'others', requestorComment: `x ${otherMark}`, status: 'InProgress' }
      expect((await verify([listed(others)])).output).to.deep.include({ adopted: true })
      const isolated = { ...others, status: 'Succeeded' }
      expect((await verify([listed(isolated)])).output).to.deep.include({ adopted: true, finished: true })
      const released = { ...isolated, type: 'Unisolate', lastUpdateDateTimeUtc: '2021-01-02T00:00:00Z' }
      expect((await verify([listed(released, isolated)])).output, 'released since').to.equal(undefined)
      const isBeingReleased = { ...released, status: 'Pending' }
      expect((await verify([listed(isBeingReleased, isolated)])).output, 'being released').to.equal(undefined)
      expect((await verify([listed({ ...others, status: 'Failed' })])).output, 'failed').to.equal(undefined)
      expect((await verify([listed({ ...others, scope: 'Selective' })])).output).to.equal(undefined)
    })

    it('fails if its queued action failed, even without wait_seconds', async () => {
      for (const status of ['Failed', 'TimeOut', 'Cancelled']) {
        const error = await caught(verify([listed({ ...own, status })]))
        expect(error).to.include({ name: 'SkillError', code: 'action_failed' })
        expect(valueAt(error, 'details')).to.deep.equal({ action_id: 'own', status })
      }
    })

    it('reports that nothing happened if there is no action', async () => {
      expect((await verify([listed()])).output).to.equal(undefined)
    })

    it('does not guess without permission to read actions', async () => {
      expect(await caught(verify([endpointFaults.emptyForbidden]))).to.include({
        name: 'ConnectionError',
        code: 'http_403',
      })
    })

    it('finds a queued action whose response was lost', async () => {
      running.controls.loseNextAnswer()
      expect(await caught(act(isolateMachine))).to.include({ name: 'RetryableError', code: 'http_504' })
      const { output } = await act(isolateMachine, {}, { purpose: 'verify' })
      expect(output).to.deep.include({ adopted: false })
      expect(statusOf(output)).to.equal('Pending')
      expect(posts()).to.have.length(1)
    })

    for (const text of ['', '<html>', '{"status":"Pending"}']) {
      it(`looks for the action after the response ${JSON.stringify(text)}`, async () => {
        const replies = [listed(), { status: 201, text }, listed(own)]
        const { output } = await runSkill(
          isolateMachine,
          { id, comment },
          { settings: running.settings, replies },
        )
        expect(output.action.id).to.equal('own')
        const lost = [listed(), { status: 201, text }, listed()]
        const error = await caught(
          runSkill(isolateMachine, { id, comment }, { settings: running.settings, replies: lost }),
        )
        expect(error).to.include({ name: 'RetryableError', code: 'unreadable_answer' })
      })
    }
  })

  describe('with wait_seconds', () => {
    it('returns pending without failing at the end of the wait', async () => {
      const { output } = await act(isolateMachine, { wait_seconds: 1 })
      expect(output).to.deep.include({ finished: false })
      expect(statusOf(output)).to.equal('InProgress')
    })

    it("returns pending without failing if the step's time ends first", async () => {
      const deadlineMs = Date.now() + 11_000
      const { output } = await act(isolateMachine, { wait_seconds: 3600 }, { deadlineMs })
      expect(output).to.deep.include({ finished: false })
      expect(valueAt(output['action'], 'id')).to.be.a('string')
    })

    it('returns the link to the package once it is ready, and marks it sensitive', async () => {
      const action = { ...(endpointFixture('machine-action-collect-package') as object), status: 'Succeeded' }
      const link = 'https://downloads.example/p.zip?token=abcdefghijkl'
      const replies = [
        { json: { value: [] } },
        { status: 201, json: action },
        { json: { value: `"${link}"` } },
      ]
      const { output, logs, requests } = await runSkill(
        collectInvestigationPackage,
        { id, comment, wait_seconds: 60 },
        { settings: running.settings, replies },
      )
      expect(output).to.include({ finished: true, package_url: link })
      expect(requests.at(-1)?.path).to.equal('/api/machineactions/action-collect-123/getPackageUri')
      expect(JSON.stringify(logs)).to.not.include('token=')
    })

    for (const [about, reply, words] of [
      ['is not ready yet', failure(404, 'NotFound', 'not there'), /find it with a list skill/],
      ['is rate-limited', endpointFaults.tooManyRequests, /too many requests/i],
      ['is forbidden', endpointFaults.emptyForbidden, /Machine\.Read\.All/],
      ['is refused with a token error', endpointFaults.tokenRefused, /Unauthorized|401/],
      ['is malformed', { json: { value: 'javascript:alert(1)' } }, /lacks a link/],
    ] as const) {
      it(`collects the package even if its link ${about}`, async () => {
        const action = {
          ...(endpointFixture('machine-action-collect-package') as object),
          status: 'Succeeded',
        }
        // A refused token is replaced once.
        const replies = [{ json: { value: [] } }, { status: 201, json: action }, reply, reply]
        const { output, logs } = await runSkill(
          collectInvestigationPackage,
          { id, comment, wait_seconds: 60 },
          { settings: running.settings, replies },
        )
        expect(output).to.include({ finished: true, package_url: null })
        expect(logs[0]).to.include({ level: 'warn' })
        expect(JSON.stringify(logs[0])).to.match(words)
      })
    }
  })
})
