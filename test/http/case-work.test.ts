import { expect } from 'chai'
import { theRun } from '../../core/domain/audit.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import { startApi, type Api, type CallOptions } from './support/api.ts'
import { expectFits, expectProblem } from './support/schemas.ts'

const minuteMs = 60_000
const run = theRun('00000000-0000-4000-8000-000000000001', 'triage')

describe('work on cases over HTTP', () => {
  let api: Api
  let analyst: string
  let organizationUuid: string

  beforeEach(async () => {
    api = await startApi()
    analyst = await api.newKey('analyst')
    organizationUuid = api.organizations['acme'] ?? ''
  })
  afterEach(() => api.close())

  const call = (method: string, path: string, options: CallOptions = {}) =>
    api.call(method, `/api/${path}`, { key: analyst, ...options })
  const patch = (id: string, body: object) =>
    call('PATCH', `cases/${id}`, { body, headers: { 'if-match': '*' } })
  let opened = 0
  /** A case that a run opened. */
  const open = async (severity: 'low' | 'high' | 'critical' = 'high', title = 'Phishing') =>
    (await api.stores.cases.create(organizationUuid, { title, severity }, run, `open/${opened++}`)).id
  const found = async (query: string): Promise<readonly string[]> => {
    const { status, text, json } = await call('GET', `cases?${query}`)
    expect(status, text).to.equal(200)
    return (json.data as { case_id: string }[]).map((each) => each.case_id)
  }

  describe('a closing reason and a resolution', () => {
    it('are kept with the case, in its timeline, report and export', async () => {
      const id = await open()
      api.clock.time += 1_000
      const closed = {
        status: 'closed',
        closing_reason: 'false_positive',
        resolution: 'The rule was too wide.',
      }
      const { json } = await patch(id, closed)
      expect(json).to.include({ ...closed, closed_at: api.clock.time })
      expectFits('case', json)
      const whole = (await call('GET', `cases/${id}`)).json
      expectFits('case', whole)
      const last = whole.timeline.at(-1)
      expect(last.text).to.equal(
        'status is now closed (was open), closing reason is now false_positive (was none), new resolution',
      )
      expect(last.changes).to.deep.equal(closed)
      const report = (await call('GET', `cases/${id}/export?format=markdown`)).text
      expect(report).to.include('- **Closing reason:** false positive\n')
      expect(report).to.include('## Resolution\n\n```text\nThe rule was too wide.\n```')
      expect((await call('GET', `cases/${id}/export`)).json.case).to.include(closed)
      expect(await found('closing_reason=false_positive')).to.deep.equal([id])
      expect(await found('closing_reason=duplicate')).to.deep.equal([])
    })

    it('are removed when the case is reopened, and stay in the timeline', async () => {
      const id = await open()
      await patch(id, { status: 'closed', closing_reason: 'duplicate', resolution: 'See the other.' })
      const { json } = await patch(id, { status: 'open' })
      expect(json).to.include({ status: 'open', closing_reason: null, resolution: '', closed_at: null })
      const { timeline } = (await call('GET', `cases/${id}`)).json
      expect(timeline.at(-1).text).to.equal(
        'status is now open (was closed), closing reason is now none (was duplicate), no resolution',
      )
      expect(timeline.at(-2).changes.resolution).to.equal('See the other.')
    })

    it('are refused for a case that is not closed, and unknown reasons are refused', async () => {
      const id = await open()
      const refused = await patch(id, { resolution: 'x' })
      expectProblem(refused, 400, 'case_not_closed')
      expect(refused.json.errors).to.deep.equal([
        { pointer: '/resolution', message: 'only a closed case can have it' },
      ])
      expectProblem(await patch(id, { status: 'closed', closing_reason: 'boredom' }), 400, 'value_invalid')
      expect((await call('GET', `cases/${id}`)).json).to.include({ status: 'open', revision: 1 })
    })

    it('are optional', async () => {
      const id = await open()
      expect((await patch(id, { status: 'closed' })).json).to.include({
        status: 'closed',
        closing_reason: null,
      })
      expect((await patch(id, { closing_reason: 'other' })).json.closing_reason).to.equal('other')
    })
  })

  describe('targets of response times', () => {
    const targets = {
      critical: { respond_minutes: 15, resolve_minutes: 240 },
      high: { respond_minutes: 60 },
    }
    const path = 'organizations/acme/case-targets'
    const put = (body: object, ifMatch = '*') =>
      api.call('PUT', `/api/${path}`, { body, headers: { 'if-match': ifMatch } })

    it('are set by an administrator, with the revision of the organization, and audited', async () => {
      const read = await call('GET', path)
      expect(read.json.targets).to.deep.include({
        severity: 'high',
        respond_minutes: null,
        resolve_minutes: null,
      })
      const reply = await put(targets, read.headers.get('etag') ?? '')
      expect(reply.status, reply.text).to.equal(200)
      expect(reply.json.targets).to.deep.equal([
        { severity: 'critical', respond_minutes: 15, resolve_minutes: 240 },
        { severity: 'high', respond_minutes: 60, resolve_minutes: null },
        { severity: 'medium', respond_minutes: null, resolve_minutes: null },
        { severity: 'low', respond_minutes: null, resolve_minutes: null },
        { severity: 'informational', respond_minutes: null, resolve_minutes: null },
      ])
      expectProblem(await put({}, read.headers.get('etag') ?? ''), 412, 'precondition_failed')
      expectProblem(
        await call('PUT', path, { body: targets, headers: { 'if-match': '*' } }),
        403,
        'role_insufficient',
      )
      const [entry] = (await api.call('GET', '/api/audit?action=organization.changed')).json.data
      expect(entry.details.case_targets.critical).to.deep.equal({ respondMs: 900_000, resolveMs: 14_400_000 })
    })

    it('are refused if they are not minutes, or the response may be later than the end', async () => {
      for (const minutes of [0, -1, 1.5, 525_601, '15'])
        expectProblem(await put({ low: { respond_minutes: minutes } }), 400, 'value_invalid')
      expectProblem(await put({ urgent: {} }), 400, 'value_invalid')
      const refused = await put({ low: { respond_minutes: 11, resolve_minutes: 10 } })
      expectProblem(refused, 400, 'value_invalid')
      expect(refused.json.errors).to.deep.equal([
        { pointer: '/low/respond_minutes', message: 'is longer than resolve_minutes' },
      ])
    })

    it('give a case its times, which the acts of people meet', async () => {
      await put(targets)
      const at = api.clock.time
      const id = await open('critical')
      const read = async () => (await call('GET', `cases/${id}`)).json
      expect(await read()).to.include({
        responded_at: null,
        respond_due_at: at + 15 * minuteMs,
        resolve_due_at: at + 240 * minuteMs,
      })
      api.clock.time = at + 5 * minuteMs
      await api.stores.cases.update(organizationUuid, id, { verdict: 'malicious' }, run, 'u')
      expect((await read()).responded_at).to.equal(null)
      await call('POST', `cases/${id}/notes`, { body: { text: 'looking' } })
      expect((await read()).responded_at).to.equal(api.clock.time)
      expect((await call('GET', `cases/${id}/export?format=markdown`)).text).to.match(
        /- \*\*Response due:\*\* \S+ \S+, met on .*\n- \*\*Closing due:\*\* .*, not yet done\n/,
      )
    })

    it('find overdue cases and missed targets, also of closed cases, and count them', async () => {
      await put(targets)
      const at = api.clock.time
      const [late, onTime, other] = [await open('critical'), await open('high'), await open('low')]
      expect(await found('sla=overdue')).to.deep.equal([])
      expect(await found('sort=due_at')).to.deep.equal([late, onTime, other])
      api.clock.time = at + 15 * minuteMs
      expect(await found('sla=overdue')).to.deep.equal([late])
      expect((await api.call('GET', '/metrics')).text).to.match(/^tocsin_cases_overdue 1$/m)
      api.clock.time += 1
      await patch(late, { status: 'closed', closing_reason: 'true_positive' })
      await patch(onTime, { assignee: 'kim' })
      expect(await found('sla=overdue')).to.deep.equal([])
      expect(await found('sla=missed')).to.deep.equal([late])
      expect((await api.call('GET', '/metrics')).text).to.match(/^tocsin_cases_overdue 0$/m)
    })

    it('stay as they were for open cases when they are changed', async () => {
      await put(targets)
      const id = await open('high')
      const before = (await call('GET', `cases/${id}`)).json
      await put({})
      expect((await call('GET', `cases/${id}`)).json.respond_due_at).to.equal(before.respond_due_at)
      expect((await call('GET', `cases/${await open('high')}`)).json.respond_due_at).to.equal(null)
    })
  })

  describe('the queue', () => {
    it('has active cases without an assignee: the most severe first, and the oldest of them', async () => {
      const first = await open('high')
      const low = await open('low')
      const critical = await open('critical')
      const second = await open('high')
      const taken = await open('critical')
      await patch(taken, { assignee: 'kim' })
      await patch(await open('critical'), { status: 'closed' })
      const queue = 'active=true&unassigned=true&sort=queue'
      expect(await found(queue)).to.deep.equal([critical, first, second, low])
      const { json } = await call('GET', `cases?${queue}&limit=2`)
      expect(await found(`${queue}&limit=2&cursor=${json.next_cursor}`)).to.deep.equal([second, low])
    })
  })

  describe('a change of many cases', () => {
    interface Result {
      readonly case_id: string
      readonly outcome: string
      readonly revision: number | null
      readonly before: object | null
      readonly error: { readonly code: string } | null
    }
    const bulk = (body: object, headers: Readonly<Record<string, string>> = {}) =>
      call('POST', 'cases/bulk', { body, headers })
    const results = async (body: object): Promise<readonly Result[]> => {
      const { status, text, json } = await bulk(body)
      expect(status, text).to.equal(200)
      return json.data
    }
    const seen = (ids: readonly string[], revision = 1) => ids.map((case_id) => ({ case_id, revision }))
    const closing = { status: 'closed', closing_reason: 'false_positive', resolution: 'Tuned.' } as const

    it('closes named cases, and tells how to undo it', async () => {
      const ids = [await open(), await open('low')]
      const data = await results({ cases: seen(ids), changes: closing })
      expect(data).to.deep.equal(
        ids.map((case_id) => ({
          case_id,
          outcome: 'changed',
          revision: 2,
          before: { status: 'open', closing_reason: null, resolution: '' },
          error: null,
        })),
      )
      for (const id of ids) expect((await call('GET', `cases/${id}`)).json).to.include(closing)
      const undone = await results({ cases: seen(ids, 2), changes: { status: 'open' } })
      expect(undone.map(({ outcome }) => outcome)).to.deep.equal(['changed', 'changed'])
      expect((await call('GET', `cases/${ids[0]}`)).json).to.include({ status: 'open', closing_reason: null })
    })

    it('has a result for each case, whatever happened to the others', async () => {
      const [fine, changed, done, gone, merged] = [
        await open(),
        await open(),
        await open(),
        'acme-999',
        await open(),
      ]
      await patch(changed, { severity: 'critical' })
      await patch(done, closing)
      const target = await open()
      await call('POST', `cases/${target}/merge`, {
        body: { cases: [{ case_id: merged, revision: 1 }] },
        headers: { 'if-match': '*' },
      })
      const foreign = await api.stores.cases.create(
        api.organizations['globex'] ?? '',
        { title: 'x' },
        run,
        'g',
      )
      const scoped = await api.newKey('analyst', ['acme'])
      const cases = seen([fine, changed, done, gone, merged, foreign.id])
      const { json } = await api.call('POST', '/api/cases/bulk', {
        key: scoped,
        body: { cases, changes: closing },
      })
      expect((json.data as Result[]).map(({ outcome, error }) => error?.code ?? outcome)).to.deep.equal([
        'changed',
        'revision_changed',
        'unchanged',
        'case_not_found',
        'case_merged',
        'case_not_found',
      ])
      expect((await call('GET', `cases/${changed}`)).json.status).to.equal('open')
      expect((await api.call('GET', `/api/cases/${foreign.id}`)).json.status).to.equal('open')
    })

    it('does nothing twice: a repeated request finds the cases unchanged', async () => {
      const ids = [await open(), await open()]
      await results({ cases: seen(ids), changes: closing })
      const again = await results({ cases: seen(ids), changes: closing })
      expect(again.map(({ outcome, revision }) => [outcome, revision])).to.deep.equal([
        ['unchanged', 2],
        ['unchanged', 2],
      ])
      const body = { cases: seen(ids, 2), changes: { verdict: 'benign' } }
      const first = await bulk(body, { 'idempotency-key': 'k' })
      const replayed = await bulk(body, { 'idempotency-key': 'k' })
      expect(replayed.headers.get('idempotency-replayed')).to.equal('true')
      expect(replayed.json).to.deep.equal(first.json)
      expect((await call('GET', `cases/${ids[0]}`)).json.revision).to.equal(3)
    })

    it('reports what it changed before it was interrupted, also if that happened twice', async () => {
      const ids = [await open(), await open('low'), await open(), await open(), await open()]
      const [, , done] = ids
      await patch(done!, closing)
      const cases = seen(ids).map((each) => (each.case_id === done ? { ...each, revision: 2 } : each))
      const send = () => bulk({ cases, changes: closing }, { 'idempotency-key': 'cut' })
      const { stores } = api
      const edit = stores.cases.edit.bind(stores.cases)
      const failAt = (...failing: readonly string[]) => {
        stores.cases.edit = async (organization, at, ...others) => {
          if (failing.includes(at))
            throw new UnavailableError('storage_unavailable', 'the node stops', { retryAfterMs: 1 })
          return await edit(organization, at, ...others)
        }
      }
      for (const left of [2, 1]) {
        failAt(...ids.slice(-left))
        expect((await send()).status).to.equal(503)
        await patch(ids[0]!, { severity: 'critical' })
      }
      failAt()
      const { json } = await send()
      const before = { status: 'open', closing_reason: null, resolution: '' }
      const changed = (case_id: string | undefined) => ({
        case_id,
        outcome: 'changed',
        revision: 2,
        before,
        error: null,
      })
      expect(json.data).to.deep.equal([
        changed(ids[0]),
        changed(ids[1]),
        { case_id: done, outcome: 'unchanged', revision: 2, before: null, error: null },
        changed(ids[3]),
        changed(ids[4]),
      ])
      expect((await send()).json).to.deep.equal(json)
    })

    it('lets one of two simultaneous requests win each case', async () => {
      const ids = await Promise.all(Array.from({ length: 20 }, () => open()))
      const [a, b] = await Promise.all([
        results({ cases: seen(ids), changes: { assignee: 'kim' } }),
        results({ cases: seen(ids), changes: { assignee: 'bo' } }),
      ])
      for (const [index, id] of ids.entries()) {
        const won = [a[index]!, b[index]!].filter(({ outcome }) => outcome === 'changed')
        expect(won, id).to.have.length(1)
        expect((await call('GET', `cases/${id}`)).json.revision).to.equal(2)
      }
    })

    it('follows a filter in pieces of 200, and leaves out what changed or was opened meanwhile', async () => {
      const ids: string[] = []
      for (let n = 0; n < 450; n++) ids.push(await open('low'))
      const since = api.clock.time
      api.clock.time += 1_000
      const [touched] = [ids[300]!]
      await patch(touched, { verdict: 'suspicious' })
      const later = await open('low')
      const outcomes: Record<string, string> = {}
      let cursor: string | null = null
      let requests = 0
      do {
        const body = {
          filter: { severity: 'low', active: 'true' },
          unchanged_since: since,
          changes: closing,
          ...(cursor !== null && { cursor }),
        }
        const { json, status, text } = await bulk(body)
        expect(status, text).to.equal(200)
        for (const { case_id, outcome, error } of json.data as Result[])
          outcomes[case_id] = error?.code ?? outcome
        cursor = json.next_cursor
        requests++
      } while (cursor !== null)
      expect(requests).to.equal(3)
      expect(Object.keys(outcomes)).to.have.members(ids)
      expect(Object.values(outcomes).filter((each) => each === 'changed')).to.have.length(449)
      expect(outcomes[touched]).to.equal('revision_changed')
      expect((await found('active=true')).toSorted()).to.deep.equal([later, touched].toSorted())
    })

    it('is refused if it names no cases, too many, or nothing to change', async () => {
      const id = await open()
      for (const body of [
        { changes: closing },
        { cases: [], changes: closing },
        { cases: seen([id]), filter: {}, changes: closing },
        { filter: {}, changes: closing },
        { cases: seen([id]), changes: {} },
        { cases: seen([id]) },
        { cases: seen([id]), changes: { title: 'x' } },
        { cases: seen([id]), changes: { status: 'gone' } },
        { cases: seen(Array.from({ length: 201 }, (_, n) => `acme-${n}`)), changes: closing },
        { filter: { colour: 'red' }, unchanged_since: 1, changes: closing },
      ])
        expectProblem(await bulk(body), 400, 'value_invalid')
      expectProblem(
        await bulk({ filter: {}, unchanged_since: 1, cursor: 'x', changes: closing }),
        400,
        'invalid_cursor',
      )
      const unknown = { filter: { organization: 'nobody' }, unchanged_since: 1, changes: closing }
      const reply = await bulk(unknown)
      expect(reply.json.errors[0].pointer).to.equal('/filter/organization')
      expect((await call('GET', `cases/${id}`)).json.revision).to.equal(1)
      const reader = await api.newKey('reader')
      const refused = await api.call('POST', '/api/cases/bulk', {
        key: reader,
        body: { cases: seen([id]), changes: closing },
      })
      expectProblem(refused, 403, 'role_insufficient')
    })

    it('refuses a closing reason for each open case that stays open', async () => {
      const id = await open()
      const [one] = await results({ cases: seen([id]), changes: { closing_reason: 'other' } })
      expect(one?.error?.code).to.equal('case_not_closed')
    })
  })

  describe('tasks and links', () => {
    it('are part of the case, its export and its report', async () => {
      const [id, other] = [await open(), await open('low', 'The other')]
      const dueAt = api.clock.time - 1
      const task = await call('POST', `cases/${id}/tasks`, {
        body: { title: 'Call `Kim`', owner: 'bo', due_at: dueAt },
      })
      expect(task.status, task.text).to.equal(201)
      expect(task.headers.get('etag')).to.equal('"1"')
      await call('POST', `cases/${id}/tasks`, { body: { title: 'Block it' } })
      const [, second] = (await call('GET', `cases/${id}`)).json.tasks
      const done = await call('PATCH', `cases/${id}/tasks/${second.task_id}`, {
        body: { done: true },
        headers: { 'if-match': '"1"' },
      })
      expect(done.json).to.include({ title: 'Block it', done_at: api.clock.time, revision: 2 })
      const link = await call('POST', `cases/${id}/links`, { body: { case_id: other, kind: 'duplicate_of' } })
      expect(link.json).to.include({ case_id: other, title: 'The other', kind: 'duplicate_of' })
      const read = (await call('GET', `cases/${id}`)).json
      expectFits('case', read)
      expect(read.tasks).to.have.length(2)
      expect(read.links).to.deep.equal([link.json])
      expect((await call('GET', `cases/${other}`)).json.links[0]).to.include({
        case_id: id,
        kind: 'duplicated_by',
      })
      expect((await call('GET', `cases/${id}/export`)).json.case.tasks).to.deep.equal(read.tasks)
      const report = (await call('GET', `cases/${id}/export?format=markdown`)).text
      expect(report).to.match(
        /## Tasks\n\n- \[ \] `` Call `Kim` ``, for `bo`, due \S+ \S+ \(overdue\)\n- \[x\] `Block it`, finished by/,
      )
      expect(report).to.include(`## Linked cases\n\n- duplicate of \`${other}\` \`The other\`, open`)
      expect((await call('DELETE', `cases/${other}/links/${id}`)).status).to.equal(200)
      expect((await call('GET', `cases/${id}`)).json.links).to.deep.equal([])
      expectProblem(await call('DELETE', `cases/${other}/links/${id}`), 404, 'link_not_found')
    })

    it('are refused with the reason', async () => {
      const id = await open()
      for (const body of [
        {},
        { title: '' },
        { title: 'a\nb' },
        { title: 'x'.repeat(501) },
        { title: 'x', due_at: -1 },
        { title: 'x', owner: '\u202e' },
        { title: 'x', done: true },
      ])
        expectProblem(await call('POST', `cases/${id}/tasks`, { body }), 400, 'value_invalid')
      const missing = `cases/${id}/tasks/00000000-0000-4000-8000-000000000000`
      expectProblem(await call('PATCH', missing, { body: { done: true } }), 404, 'task_not_found')
      expectProblem(await call('PATCH', missing, { body: {} }), 400, 'value_invalid')
      for (const body of [{ case_id: id }, { case_id: id, kind: 'enemy' }])
        expectProblem(await call('POST', `cases/${id}/links`, { body }), 400, 'value_invalid')
      expectProblem(
        await call('POST', `cases/${id}/links`, { body: { case_id: id, kind: 'related' } }),
        400,
        'same_case',
      )
    })
  })

  describe('mentions', () => {
    it('are stored with the note, for people of the organization only', async () => {
      const roles = (organizationUuid: string | null) => [{ role: 'analyst', organizationUuid }]
      const make = async (name: string, of: string | null) => {
        const given = { name, email: `${name.toLowerCase()}@example.com`, roles: roles(of) }
        const { uuid } = await api.stores.accounts.create(given, run)
        return await api.stores.accounts.join(uuid, run)
      }
      const kim = await make('Kim', organizationUuid)
      const elsewhere = await make('Bo', api.organizations['globex'] ?? '')
      const id = await open()
      const text = '**@Kim** and @bo@example.com, look'
      const { json } = await call('POST', `cases/${id}/notes`, { body: { text } })
      const mentions = [{ account_id: kim.uuid, name: 'Kim' }]
      expect(json).to.deep.include({ text, mentions })
      const read = (await call('GET', `cases/${id}`)).json
      expectFits('case', read)
      expect(read.timeline.at(-1).mentions).to.deep.equal(mentions)
      expect((await call('GET', 'organizations/acme/people')).json.data).to.deep.equal([
        { account_id: kim.uuid, name: 'Kim', email: 'kim@example.com' },
      ])
      await api.stores.accounts.disable(kim.uuid, run)
      expect((await call('GET', 'organizations/acme/people')).json.data).to.deep.equal([])
      expect((await call('GET', `cases/${id}`)).json.timeline.at(-1).mentions).to.deep.equal(mentions)
      expect(elsewhere.disabledAt).to.equal(null)
    })
  })
})
