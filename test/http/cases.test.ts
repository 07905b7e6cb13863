import { somebody } from '../support/somebody.ts'
import { personOf, theRun } from '../../core/domain/audit.ts'
import { expect } from 'chai'
import { inPieces } from '../contract/retention-store.ts'
import { startApi, type Api, type CallOptions } from './support/api.ts'
import { newPerson } from './support/people.ts'
import { expectFits, expectProblem } from './support/schemas.ts'

const hostile =
  'a ` tick </code><script>alert(1)</script> ``` `x` [click](https://evil.example) ![i](http://evil.example/i.png) @everyone <!channel> www.evil.example\n```\n# Owned\n````\n| a |'

/** A title as a person may type it. */
const hostileLine = hostile.replaceAll('\n', ' ')

const dayMs = 86_400_000

describe('cases over HTTP', () => {
  let api: Api
  let analyst: string
  let caseId: string
  let runUuid: string
  let organizationUuid: string

  beforeEach(async () => {
    api = await startApi()
    analyst = await api.newKey('analyst')
    organizationUuid = api.organizations['acme'] ?? ''
    ;({ caseId, runUuid } = await investigated())
  })
  afterEach(() => api.close())

  /** An alert whose investigation has begun. */
  async function investigated(content = 'x', title = 'Phishing') {
    const body = {
      alert_content: content,
      alert_provider: 'SIEM',
      organization_code: 'acme',
      alert_type: 'phishing',
    }
    const { json } = await api.call('POST', '/api/alerts', { body })
    const given = {
      organizationUuid,
      playbookName: 'phishing',
      playbookHash: 'aa',
      alertUuid: json.alert_uuid,
    }
    const run = await api.stores.runs.queue(given)
    const started = await api.stores.runs.start(run.uuid, { title })
    return { caseId: started?.caseId ?? '', runUuid: run.uuid }
  }

  const call = (method: string, path: string, options: CallOptions = {}) =>
    api.call(method, `/api/cases/${path}`, { key: analyst, ...options })
  const get = async (path: string) => (await call('GET', path)).json
  const patch = (body: object, ifMatch: string | null, id = caseId) =>
    call('PATCH', id, { body, headers: ifMatch === null ? {} : { 'if-match': ifMatch } })
  const note = (text: string, key?: string, id = caseId) =>
    call('POST', `${id}/notes`, {
      body: { text },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    })

  async function step(path: string, kind: string, input: unknown, output: unknown, failed = false) {
    const begun = { path, stepId: path, kind, input, attempt: 1, startedAt: api.clock.time }
    const error = failed ? { code: 'http_503', message: 'busy, said keeper-of-the-bells' } : null
    const state = failed ? 'failed' : 'completed'
    const ended = { state, output, error, attempt: 1, endedAt: api.clock.time } as const
    await api.stores.journal.record(runUuid, begun, ended)
  }

  describe('PATCH', () => {
    it('changes only the given fields, records actor and time, and returns the next ETag', async () => {
      const read = await call('GET', caseId)
      expect(read.headers.get('etag')).to.equal(`"${read.json.revision}"`)
      api.clock.time += 1_000
      const body = { severity: 'high', verdict: 'malicious', assignee: 'kim', title: hostileLine }
      const reply = await patch(body, read.headers.get('etag'))
      expect(reply.status, reply.text).to.equal(200)
      expect(reply.json).to.include({ ...body, status: 'open', modified_at: api.clock.time })
      expect(reply.headers.get('etag')).to.equal(`"${read.json.revision + 1}"`)
      expectFits('case', reply.json)
      const { timeline } = await get(caseId)
      expect(timeline.at(-1)).to.deep.include({
        kind: 'changed',
        actor: { kind: 'api_key', id: analyst.split('_')[1], name: 'analyst' },
        at: api.clock.time,
        request_id: reply.headers.get('x-request-id'),
      })
      expect(timeline.at(-1).changes).to.deep.equal(body)
    })

    it('keeps the previous title in the timeline', async () => {
      await patch({ title: 'Another' }, '*')
      expect((await get(caseId)).timeline.at(-1).text).to.equal('title is now Another (was Phishing)')
      const report = (await call('GET', `${caseId}/export?format=markdown`)).text
      expect(report).to.include('`title is now Another (was Phishing)`')
    })

    it('removes the assignee', async () => {
      await patch({ assignee: 'kim' }, '*')
      const { json } = await patch({ assignee: null }, '*')
      expect(json.assignee).to.equal(null)
      const found = await get(caseId)
      expect(found.timeline.at(-1)).to.deep.include({
        text: 'assignee is now none (was kim)',
        changes: { assignee: null },
      })
      expectFits('case', found)
    })

    it('answers 412 if the ETag is stale, and changes nothing', async () => {
      const tag = (await call('GET', caseId)).headers.get('etag')
      expect((await patch({ severity: 'low' }, tag)).status).to.equal(200)
      expectProblem(await patch({ severity: 'critical' }, tag), 412, 'precondition_failed')
      for (const other of ['"99"', 'W/"1"', '"x"', '"98", "99"'])
        expectProblem(await patch({ severity: 'critical' }, other), 412, 'precondition_failed')
      expect((await get(caseId)).severity).to.equal('low')
    })

    it('lets one of two concurrent changes win', async () => {
      const tag = (await call('GET', caseId)).headers.get('etag')
      const both = await Promise.all([patch({ title: 'a' }, tag), patch({ title: 'b' }, tag)])
      expect(both.map(({ status }) => status)).to.have.members([200, 412])
    })

    it('detects a change by a playbook', async () => {
      const tag = (await call('GET', caseId)).headers.get('etag')
      await api.stores.cases.update(organizationUuid, caseId, { severity: 'high' }, theRun(runUuid, 'x'), 'k')
      expectProblem(await patch({ severity: 'low' }, tag), 412, 'precondition_failed')
    })

    it('does not conflict with a new note', async () => {
      const tag = (await call('GET', caseId)).headers.get('etag')
      await note('seen')
      expect((await patch({ status: 'in_progress' }, tag)).status).to.equal(200)
    })

    it('answers 428 without If-Match', async () => {
      expectProblem(await patch({ severity: 'low' }, null), 428, 'precondition_required')
    })

    it('records nothing if all values are already set', async () => {
      const before = await get(caseId)
      const { json } = await patch({ severity: before.severity, title: before.title }, '*')
      expect(json.revision).to.equal(before.revision)
      expect((await get(caseId)).timeline_total).to.equal(before.timeline_total)
    })

    for (const [what, body] of Object.entries({
      'an empty change': {},
      'an unknown field': { case_id: 'acme-9' },
      'an unknown severity': { severity: 'bad' },
      'an empty title': { title: '' },
      'a title of two lines': { title: 'a\nb' },
      'a title with NUL': { title: 'a\u0000' },
      'a title with a direction override': { title: 'a\u202eb' },
      'a list': { status: ['open'] },
    })) {
      it(`refuses ${what}`, async () => {
        expectProblem(await patch(body, '*'), 400, 'value_invalid')
      })
    }

    it('answers 404 to other organizations', async () => {
      const key = await api.newKey('analyst', ['globex'])
      const options = { key, body: { status: 'closed' }, headers: { 'if-match': '*' } }
      expectProblem(await api.call('PATCH', `/api/cases/${caseId}`, options), 404, 'case_not_found')
      const noteOptions = { key, body: { text: 'x' } }
      expectProblem(await api.call('POST', `/api/cases/${caseId}/notes`, noteOptions), 404, 'case_not_found')
      expect((await get(caseId)).status).to.equal('open')
    })
  })

  describe('notes', () => {
    it('keep their text unchanged', async () => {
      const { status, json, headers } = await note(hostile)
      expect(status).to.equal(201)
      expect(json).to.deep.equal({
        at: api.clock.time,
        actor: { kind: 'api_key', id: analyst.split('_')[1], name: 'analyst' },
        request_id: headers.get('x-request-id'),
        kind: 'note',
        text: hostile,
        changes: null,
        action: null,
        mentions: [],
      })
      expect((await get(`${caseId}/timeline?limit=1`)).data).to.deep.equal([json])
    })

    for (const name of ['the playbook', 'grouping of repeats', 'Tocsin'])
      it(`are attributed to the key, even if it is named '${name}' or like a run`, async () => {
        const own: { name: string; key: string }[] = []
        for (const one of [name, `run ${runUuid}`]) {
          const body = { name: one, role: 'analyst', organization_codes: ['acme'] }
          own.push({ name: one, key: (await api.call('POST', '/api/keys', { body })).json.key })
        }
        for (const { key } of own)
          await api.call('POST', `/api/cases/${caseId}/notes`, { key, body: { text: 'verified benign' } })
        const actors = own.map(({ name: one, key }) => ({
          kind: 'api_key',
          id: key.split('_')[1],
          name: one,
        }))
        const { data } = await get(`${caseId}/timeline?limit=2&sort=-at`)
        expect(data.map(({ actor }: { actor: object }) => actor)).to.have.deep.members(actors)
        const report = (await call('GET', `${caseId}/export?format=markdown`)).text
        for (const { id, name: one } of actors)
          expect(report).to.include(`, \`${one}\` (API key \`${id}\`): noted \`verified benign\``)
        expect(report.match(/the playbook `phishing`: noted/g)).to.equal(null)
      })

    it('must not be blank, nor may titles', async () => {
      for (const blank of ['   \n', '\u200b', '\u00a0\t\r\n']) {
        const reply = await note(blank)
        expectProblem(reply, 400, 'value_invalid')
        expect(reply.json.errors[0].message).to.equal('must contain a visible character')
        expectProblem(await patch({ title: blank }, '*'), 400, 'value_invalid')
      }
      expect((await note(' first\n\nsecond ')).json.text).to.equal(' first\n\nsecond ')
    })

    it('are added once per Idempotency-Key', async () => {
      const first = await note('looked at', 'k-1')
      api.clock.time += 1
      const again = await note('looked at', 'k-1')
      expect(again.status).to.equal(201)
      expect(again.headers.get('idempotency-replayed')).to.equal('true')
      expect(first.headers.get('idempotency-replayed')).to.equal(null)
      expect(again.json).to.deep.equal(first.json)
      const { data } = await get(`${caseId}/timeline`)
      expect(data.filter(({ kind }: { kind: string }) => kind === 'note')).to.have.length(1)
    })

    it('refuse an Idempotency-Key that was used with another note or case', async () => {
      const other = await investigated()
      await note('looked at', 'k-1')
      expectProblem(await note('looked away', 'k-1'), 422, 'idempotency_key_reused')
      expectProblem(await note('looked at', 'k-1', other.caseId), 422, 'idempotency_key_reused')
    })

    it('are distinct for two API keys with the same Idempotency-Key', async () => {
      await note('looked at', 'k-1')
      const key = await api.newKey('admin')
      const options = { key, body: { text: 'looked at' }, headers: { 'idempotency-key': 'k-1' } }
      const reply = await api.call('POST', `/api/cases/${caseId}/notes`, options)
      expect(reply.headers.get('idempotency-replayed')).to.equal(null)
    })

    it('are added each time without an Idempotency-Key', async () => {
      await note('seen')
      await note('seen')
      expect((await get(caseId)).timeline.map(({ text }: { text: string }) => text)).to.include.members([
        'seen',
      ])
      expect(
        (await get(`${caseId}/timeline`)).data.slice(0, 2).map(({ text }: { text: string }) => text),
      ).to.deep.equal(['seen', 'seen'])
    })
  })

  describe('lists', () => {
    beforeEach(async () => {
      const { caseId: second } = await investigated('y', '100% sure_thing')
      await patch(
        { severity: 'critical', status: 'in_progress', assignee: 'kim', verdict: 'malicious' },
        '*',
        second,
      )
      const { caseId: third } = await investigated('z', 'Third')
      api.clock.time += 1_000
      await patch({ severity: 'low', summary: 'Nothing to SEE' }, '*', third)
    })

    const ids = async (query: string) => {
      const { status, json, text } = await api.call('GET', `/api/cases?${query}`)
      expect(status, text).to.equal(200)
      return (json.data as { case_id: string }[]).map((row) => row.case_id)
    }

    for (const [query, expected] of Object.entries({
      'status=in_progress': ['acme-2'],
      'severity=low': ['acme-3'],
      'verdict=malicious': ['acme-2'],
      'assignee=kim': ['acme-2'],
      'assignee=': ['acme-3', 'acme-1'],
      'q=sure_': ['acme-2'],
      'q=_': ['acme-2'],
      'q=%25': ['acme-2'],
      'q=to%20see': ['acme-3'],
      'organization=ACME&severity=critical': ['acme-2'],
      'organization=globex': [],
      'sort=created_at': ['acme-1', 'acme-2', 'acme-3'],
      'sort=-severity': ['acme-2', 'acme-1', 'acme-3'],
      'sort=-modified_at': ['acme-3', 'acme-2', 'acme-1'],
      'created_after=0&created_before=1': [],
    })) {
      it(`find cases by ?${query}`, async () => {
        expect(await ids(query)).to.deep.equal(expected)
      })
    }

    it('return pages in the requested order', async () => {
      const seen: string[] = []
      let cursor = ''
      do {
        const { json } = await api.call('GET', `/api/cases?sort=severity&limit=1${cursor}`)
        seen.push(json.data[0].case_id)
        expect(json.total).to.equal(3)
        cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`
      } while (cursor !== '')
      expect(seen).to.deep.equal(['acme-3', 'acme-1', 'acme-2'])
    })

    it('refuse unknown values and fields', async () => {
      expectProblem(await api.call('GET', '/api/cases?severity=bad'), 400, 'query_invalid')
      expectProblem(await api.call('GET', '/api/cases?sort=title'), 400, 'query_invalid')
      expectProblem(await api.call('GET', '/api/cases?organization=none'), 400, 'unknown_organization')
    })
  })

  describe('observables', () => {
    it('have the findings of each lookup: source, time, rating or error', async () => {
      const all = ['198.51.100.7', '198.51.100.8', '203.0.113.9'].map((value) => ({
        kind: 'ip',
        value,
        places: [''],
      }))
      await step('found', 'indicators.extract', { text: 'x' }, { all })
      await step('looked[0]', 'tower.look_up', { kind: 'ip', value: '198.51.100.8' }, null, true)
      const risk = { score: 95, level: 'critical', summary: hostile }
      await step('looked[1]', 'tower.look_up', { kind: 'ip', value: '203.0.113.9' }, { risk, raw: 'much' })
      const found = await get(caseId)
      expectFits('case', found)
      const learned = { source: 'tower.look_up', run_uuid: runUuid, at: api.clock.time }
      expect(found.observables).to.deep.equal([
        {
          kind: 'ip',
          value: '203.0.113.9',
          cases: 0,
          learned: [{ ...learned, path: 'looked[1]', ...risk, error: null }],
          used: [],
        },
        {
          kind: 'ip',
          value: '198.51.100.8',
          cases: 0,
          learned: [
            {
              ...learned,
              path: 'looked[0]',
              score: null,
              level: null,
              summary: null,
              error: { code: 'http_503', message: 'busy, said keeper-of-the-bells' },
            },
          ],
          used: [],
        },
        { kind: 'ip', value: '198.51.100.7', cases: 0, learned: [], used: [] },
      ])
    })

    it('name the other steps that used them', async () => {
      const all = ['kim@example.com', 'lee@example.com'].map((value) => ({
        kind: 'user',
        value,
        places: [''],
      }))
      await step('found', 'indicators.extract', { text: 'x' }, { all })
      await step('rung', 'tower.ring_bell', { times: 1, who: ['Kim@example.com'] }, {})
      const found = await get(caseId)
      expectFits('case', found)
      const use = { source: 'tower.ring_bell', run_uuid: runUuid, path: 'rung', at: api.clock.time }
      expect(found.observables.map(({ used }: { readonly used: unknown }) => used)).to.deep.equal([
        [{ ...use, state: 'completed', is_question: false }],
        [],
      ])
    })

    it('leave out values that a skill declares sensitive', async () => {
      await step(
        'a',
        'tower.look_up',
        { kind: 'user', value: 'x' },
        { keeper: 'keeper-of-the-bells', risk: {} },
      )
      const { text } = await call('GET', caseId)
      expect(text).to.not.include('keeper-of-the-bells')
      expect((await call('GET', `${caseId}/export?format=markdown`)).text).to.not.include(
        'keeper-of-the-bells',
      )
    })

    it('leave out the output of a step that was too large', async () => {
      const much = 'x'.repeat(1_100_000)
      const output = { keeper: 'keeper-of-the-bells', risk: { score: 1 }, raw: much }
      await step('a', 'tower.look_up', { kind: 'ip', value: '192.0.2.1' }, output)
      await step('b', 'tower.look_up', { kind: 'user', value: 'x' }, {})
      const { json, text } = await call('GET', caseId)
      expect(json.observables).to.have.length(1)
      expect(text).to.not.include('keeper-of-the-bells')
    })

    it('leave out results that are not a known lookup', async () => {
      await step('a', 'tower.look_up', { kind: '<b>', value: 'x' }, null, true)
      await step('b', 'tower.ring_bell', { kind: 'ip', value: '192.0.2.1' }, {})
      await step('c', 'tower.look_up', 7, null, true)
      expect((await get(caseId)).observables).to.deep.equal([])
    })
  })

  describe('exports', () => {
    beforeEach(async () => {
      await api.stores.runs.end(runUuid, { status: 'completed', output: null, error: null })
      // A title set by a playbook may contain line breaks.
      const by = { ...somebody('analyst'), id: analyst.split('_')[1]! }
      const changes = { title: hostile, summary: hostile, assignee: '@everyone' }
      await api.stores.cases.edit(organizationUuid, caseId, changes, by, undefined)
      await note(hostile)
      await step(
        'a',
        'tower.look_up',
        { kind: 'url', value: 'https://evil.example/`' },
        { risk: { score: 7 } },
      )
    })

    const exported = (options: CallOptions = {}, query = '') =>
      call('GET', `${caseId}/export${query}`, options)

    it('as JSON contain the case, its alerts with content, its runs and the whole timeline', async () => {
      for (let count = 0; count < 250; count++)
        await api.stores.cases.comment(organizationUuid, caseId, `note ${count}`, personOf('kim'), `${count}`)
      const { status, json, headers } = await exported()
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.equal('application/json')
      expect(headers.get('content-disposition')).to.equal('attachment; filename="acme-1.json"')
      expect(json).to.deep.include({
        exported_at: api.clock.time,
        left_out: { alerts: 0, runs: 0, actions: 0, containments: 0, observables: 0, timeline: 0 },
      })
      expectFits('case', json.case)
      expect(json.case.alerts[0]).to.include({ alert_content: 'x' })
      expect(json.case.runs).to.have.length(1)
      expect(json.case.timeline[0]).to.include({ kind: 'opened' })
      expect(json.case.timeline.length).to.be.above(250)
    })

    it('have no contents of alerts without the permission to read alerts', async () => {
      const by = somebody()
      const role = { name: 'case_desk', description: '', organizationUuid: null }
      await api.stores.roles.create({ ...role, permissions: ['cases:read'] }, by)
      const desk = await newPerson(api, 'Desk', ['case_desk', 'acme'], ['reader', 'globex'])
      const { status, json, text } = await desk.call('GET', `/api/cases/${caseId}/export`)
      expect([status, json.case.alerts.length]).to.deep.equal([200, 1])
      expect(text).to.not.include('alert_content')
      const both = await newPerson(api, 'Both', ['case_desk', 'acme'], ['reader', 'acme'])
      expect((await both.call('GET', `/api/cases/${caseId}/export`)).text).to.include('alert_content')
    })

    it('are reports if requested, with `format` taking precedence over `Accept`', async () => {
      const accept = (value: string, query = '') => exported({ headers: { accept: value } }, query)
      const types = await Promise.all([
        exported({}, '?format=markdown'),
        accept('text/markdown'),
        accept('application/json;q=0.5, text/markdown'),
        accept('text/markdown;q=0.5, application/json'),
        accept('*/*'),
        accept('text/markdown', '?format=json'),
      ])
      expect(types.map(({ headers }) => headers.get('content-type')?.split(';')[0])).to.deep.equal([
        'text/markdown',
        'text/markdown',
        'text/markdown',
        'application/json',
        'application/json',
        'application/json',
      ])
      expectProblem(await exported({}, '?format=pdf'), 400, 'query_invalid')
    })

    it('and the organization audit log count the deleted alerts and runs', async () => {
      await patch({ status: 'closed' }, '*')
      await investigated('the newest')
      await api.stores.alerts.list('all', { words: 'x' }, { limit: 1 })
      api.clock.time += 2 * dayMs
      const rule = { before: api.clock.time - dayMs, setting: 'TOCSIN_KEEP_ALERTS_DAYS=1' }
      await inPieces((from) => api.stores.retention.pruneAlerts(rule, from))
      const { json } = await exported()
      expect(json.case).to.deep.include({ alerts: [], runs: [], alerts_deleted: 1, runs_deleted: 1 })
      expectFits('case', json.case)
      expect(json.case.revision, 'nobody changed it').to.equal((await get(caseId)).revision)
      const { text } = await exported({}, '?format=markdown')
      expect(text).to.include('- **Alerts:** 0 (deleted by the retention policy: 1)')
      expect(text).to.include('- **Runs:** 0 (deleted by the retention policy: 1)')
      const auditOf = async (code: string) => {
        const key = await api.newKey('admin', [code])
        return (await api.call('GET', '/api/audit?action=data.pruned', { key })).json.data
      }
      const [entry, ...more] = await auditOf('acme')
      expect(entry).to.deep.include({
        organization_code: 'acme',
        details: { runs: 1, alerts: 1, files: 0, ...rule },
      })
      expect([...more, ...(await auditOf('globex'))]).to.deep.equal([])
    })

    it('as a report mark runs whose steps were deleted', async () => {
      await patch({ status: 'closed' }, '*')
      api.clock.time += 2 * dayMs
      await investigated('the newest')
      const rule = { before: api.clock.time - dayMs, setting: 'TOCSIN_KEEP_RUNS_DAYS=1' }
      await inPieces((from) => api.stores.retention.pruneRuns(rule, from))
      const { text } = await exported({}, '?format=markdown')
      expect(text).to.match(/^- `phishing` completed, from .*, its steps deleted on \d{4}-/m)
      expect(text).to.include('- **Runs:** 1\n')
    })

    it('as a report show the actors, and all foreign text inside code', async () => {
      const { text, headers } = await exported({}, '?format=markdown')
      expect(headers.get('content-disposition')).to.equal('attachment; filename="acme-1.md"')
      expect(text).to.include('- **Severity:** medium').and.to.include('risk 7 of 100')
      expect(text).to.include('the playbook `phishing`')
      const own = outsideOfCode(text)
      expect(own).to.not.match(/evil|script|everyone|channel|click|Owned/)
      expect(own).to.not.match(/[<>[\]@|]|:\/\//)
      expect(text.match(/^#{1,6} .*$/gm)?.map((line) => line.replace(/`.*`/, '…'))).to.include.members([
        '# Case …',
        '## Summary',
        '## What happened',
      ])
    })
  })
})

/** Text that CommonMark reads as markup: without fenced blocks and code spans. */
function outsideOfCode(markdown: string): string {
  const kept: string[] = []
  let fence: string | undefined
  for (const line of markdown.split('\n')) {
    const [mark] = /^`{3,}/.exec(line) ?? []
    if (fence === undefined && mark !== undefined && !line.slice(mark.length).includes('`')) fence = mark
    else if (fence !== undefined) {
      if (/^`{3,} *$/.test(line) && (mark?.length ?? 0) >= fence.length) fence = undefined
    } else kept.push(line.replaceAll(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, ''))
  }
  expect(fence, 'every block ends').to.equal(undefined)
  return kept.join('\n')
}
