import { expect } from 'chai'
import { theRun } from '../../core/domain/audit.ts'
import { somebody } from '../support/somebody.ts'
import { startApi, type Api, type Reply } from './support/api.ts'
import { newPerson, type TestPerson } from './support/people.ts'
import { expectFits, expectProblem } from './support/schemas.ts'

const run = theRun('00000000-0000-4000-8000-000000000001', 'triage')

describe('people to whom cases and tasks are assigned', () => {
  let api: Api
  let organizationUuid: string
  let anna: TestPerson
  let opened = 0

  beforeEach(async () => {
    api = await startApi()
    organizationUuid = api.organizations['acme'] ?? ''
    anna = await newPerson(api, 'Anna', ['analyst', 'acme'])
  })
  afterEach(() => api.close())

  const open = async (assignee?: string) =>
    (
      await api.stores.cases.create(
        organizationUuid,
        { title: 'Phishing', ...(assignee !== undefined && { assignee }) },
        run,
        `open/${opened++}`,
      )
    ).id
  const patch = (id: string, body: object, by: Pick<TestPerson, 'call'> = anna) =>
    by.call('PATCH', `/api/cases/${id}`, { body, headers: { 'if-match': '*' } })
  const assigned = ({ json }: Reply) => [json.assignee, json.assignee_id, json.assignee_state]
  const found = async (query: string, by: Pick<TestPerson, 'call'> = anna) => {
    const { json, status, text } = await by.call('GET', `/api/cases?${query}`)
    expect(status, text).to.equal(200)
    return (json.data as { case_id: string }[]).map((each) => each.case_id)
  }
  const rename = (uuid: string, name: string) =>
    api.stores.accounts.change(uuid, { name }, undefined, somebody())

  it('are found by name, e-mail address, id and `me`', async () => {
    const id = await open()
    const bert = await newPerson(api, 'Bert', ['analyst'])
    const wanted: readonly (readonly [object, string, string])[] = [
      [{ assignee: 'bert' }, 'Bert', bert.uuid],
      [{ assignee: 'me' }, 'Anna', anna.uuid],
      [{ assignee: bert.email.toUpperCase() }, 'Bert', bert.uuid],
      [{ assignee_id: anna.uuid }, 'Anna', anna.uuid],
    ]
    for (const [body, name, uuid] of wanted) {
      const reply = await patch(id, body)
      expect(assigned(reply), JSON.stringify(body)).to.deep.equal([name, uuid, 'active'])
      expectFits('case', reply.json)
    }
    const { timeline } = (await anna.call('GET', `/api/cases/${id}`)).json
    expect(timeline.at(-1).text).to.equal('assignee is now Anna (was Bert)')
    expect(timeline.at(-1).changes).to.deep.equal({ assignee: 'Anna', assignee_id: anna.uuid })
    expect(assigned(await patch(id, { assignee: null }))).to.deep.equal([null, null, null])
    expect(assigned(await patch(id, { assignee_id: null }))).to.deep.equal([null, null, null])
  })

  it('are texts if several people have the name, or nobody, or one without access', async () => {
    const id = await open()
    const other = await newPerson(api, 'Anna', ['analyst', 'acme'])
    await newPerson(api, 'Gil', ['analyst', 'globex'])
    for (const name of ['Anna', 'SOC level 2', 'Gil'])
      expect(assigned(await patch(id, { assignee: name }))).to.deep.equal([name, null, null])
    expect(assigned(await patch(id, { assignee: other.email }))).to.deep.equal(['Anna', other.uuid, 'active'])
    expect(await found('assignee=Anna'), 'either Anna').to.deep.equal([id])
    expect(await found('assignee=me')).to.deep.equal([])
    expect(await found('assignee=me', other)).to.deep.equal([id])
  })

  it('are refused as ids of nobody who may act on the case', async () => {
    const id = await open()
    const gil = await newPerson(api, 'Gil', ['analyst', 'globex'])
    await api.stores.accounts.disable(anna.uuid, somebody())
    const bert = await newPerson(api, 'Bert', ['analyst'])
    for (const uuid of [gil.uuid, anna.uuid, 'x']) {
      const refused = await patch(id, { assignee_id: uuid }, bert)
      expectProblem(refused, 400, 'person_unknown')
      expect(refused.json.hint).to.include('GET organizations/<code>/people')
    }
  })

  it('have their present name, and are found by it and not by an earlier one', async () => {
    const id = await open('Anna')
    await rename(anna.uuid, 'Anna Berg')
    const reply = await anna.call('GET', `/api/cases/${id}`)
    expect(assigned(reply)).to.deep.equal(['Anna Berg', anna.uuid, 'active'])
    expect(await found(`assignee=${encodeURIComponent('Anna Berg')}`)).to.deep.equal([id])
    expect(await found('assignee=Anna')).to.deep.equal([])
    expect(await found('assignee=me')).to.deep.equal([id])
    const same = await patch(id, { assignee: 'Anna Berg' })
    expect(same.json.revision, 'nothing changed').to.equal(reply.json.revision)
  })

  it('are shown as disabled, with a filter for what they left behind', async () => {
    const [id, text] = [await open('Anna'), await open('Somebody')]
    const bert = await newPerson(api, 'Bert', ['analyst'])
    expect(await found('assignee_state=disabled', bert)).to.deep.equal([])
    await api.stores.accounts.disable(anna.uuid, somebody())
    expect(assigned(await bert.call('GET', `/api/cases/${id}`))).to.deep.equal([
      'Anna',
      anna.uuid,
      'disabled',
    ])
    expect(await found('assignee_state=disabled&active=true', bert)).to.deep.equal([id])
    expect(await found('assignee=Somebody', bert)).to.deep.equal([text])
  })

  it('can be API keys, by `me` and by their own name', async () => {
    const key = await api.newKey('analyst')
    const call: TestPerson['call'] = (method, path, options) => api.call(method, path, { ...options, key })
    const id = await open()
    const reply = await patch(id, { assignee: 'me' }, { call })
    expect(reply.json.assignee_state).to.equal('active')
    expect(await found('assignee=me', { call })).to.deep.equal([id])
    expect(await found(`assignee=${encodeURIComponent(reply.json.assignee)}`)).to.deep.equal([id])
  })

  it('are found for playbooks, and the timeline says if there is no such person', async () => {
    const id = await open(anna.email)
    const read = async (caseId: string) => (await anna.call('GET', `/api/cases/${caseId}`)).json
    expect((await read(id)).assignee_id).to.equal(anna.uuid)
    const { cases } = api.stores
    await cases.update(organizationUuid, id, { assignee: 'Nobody' }, run, 'update/1')
    const after = await read(id)
    expect([after.assignee, after.assignee_id]).to.deep.equal(['Nobody', null])
    expect(after.timeline.at(-1).text).to.equal(
      'assignee is now Nobody (was Anna); no single person who may act on the case has the name “Nobody”',
    )
    const unknown = await read(await open('Night shift'))
    expect(unknown.timeline.at(-1).text).to.include('has the name “Night shift”')
  })

  it('are assigned in bulk by name per organization, and the earlier person comes back with an undo', async () => {
    const [one, two] = [await open('Anna'), await open()]
    const bert = await newPerson(api, 'Bert', ['analyst'])
    const bulk = async (changes: object, revision: (id: string) => number) =>
      (
        await anna.call('POST', '/api/cases/bulk', {
          body: { cases: [one, two].map((id) => ({ case_id: id, revision: revision(id) })), changes },
        })
      ).json.data
    const first = await bulk({ assignee: bert.email }, () => 1)
    expect(first.map(({ outcome }: any) => outcome)).to.deep.equal(['changed', 'changed'])
    expect(first[0].before).to.deep.equal({ assignee: 'Anna', assignee_id: anna.uuid })
    const again = await bulk({ assignee: 'Bert' }, () => 1)
    expect(
      again.map(({ outcome }: any) => outcome),
      'an interrupted request',
    ).to.deep.equal(['unchanged', 'unchanged'])
    await patch(one, first[0].before)
    expect(await found('assignee=me')).to.deep.equal([one])
    const filtered = await anna.call('POST', '/api/cases/bulk', {
      body: { filter: { assignee: 'me' }, unchanged_since: api.clock.time, changes: { verdict: 'benign' } },
    })
    expect(filtered.json.data.map((each: any) => each.case_id)).to.deep.equal([one])
  })

  describe('tasks', () => {
    const add = async (id: string, body: object) => {
      const reply = await anna.call('POST', `/api/cases/${id}/tasks`, { body })
      expect(reply.status, reply.text).to.equal(201)
      return reply.json
    }
    const list = async (query: string, by: Pick<TestPerson, 'call'> = anna) => {
      const { json, status, text } = await by.call('GET', `/api/tasks?${query}`)
      expect(status, text).to.equal(200)
      return json
    }
    const titles = ({ data }: { data: { title: string }[] }) => data.map(({ title }) => title)

    it('are listed over all cases, due soonest first and in pages, with their case', async () => {
      const [one, two] = [await open(), await open()]
      const { time: now } = api.clock
      await add(one, { title: 'any time', owner: 'me' })
      await add(two, { title: 'tomorrow', owner: 'me', due_at: now + 86_400_000 })
      await add(one, { title: 'overdue', owner: 'me', due_at: now - 1 })
      await add(two, { title: 'of Bert', owner: 'Bert' })
      const done = await add(two, { title: 'done', owner: 'me' })
      await anna.call('PATCH', `/api/cases/${two}/tasks/${done.task_id}`, {
        body: { done: true },
        headers: { 'if-match': '*' },
      })
      const mine = await list('owner=me&state=open&limit=2')
      expect([mine.total, ...titles(mine)]).to.deep.equal([3, 'overdue', 'tomorrow'])
      expect(mine.data[0]).to.deep.include({ owner: 'Anna', owner_id: anna.uuid, owner_state: 'active' })
      expect(mine.data[1].case).to.deep.equal({
        case_id: two,
        organization_code: 'acme',
        title: 'Phishing',
        status: 'open',
        severity: 'medium',
      })
      const rest = await list(`owner=me&state=open&limit=2&cursor=${mine.next_cursor}`)
      expect(titles(rest)).to.deep.equal(['any time'])
      expect(titles(await list('due=overdue'))).to.deep.equal(['overdue'])
      expect(titles(await list('owner=Bert'))).to.deep.equal(['of Bert'])
      expect(titles(await list('state=done'))).to.deep.equal(['done'])
      expect((await list('organization=acme')).total).to.equal(5)
    })

    it('are only those of the organizations that the person sees', async () => {
      await add(await open(), { title: 'secret', owner: 'me' })
      const gil = await newPerson(api, 'Gil', ['analyst', 'globex'])
      expect((await list('', gil)).data).to.deep.equal([])
      expectProblem(await gil.call('GET', '/api/tasks?organization=acme'), 400, 'unknown_organization')
    })

    it('move with a merge, and keep their person under a new name', async () => {
      const [one, two] = [await open(), await open()]
      const task = await add(one, { title: 'call', owner: 'me' })
      const merged = await anna.call('POST', `/api/cases/${two}/merge`, {
        body: { cases: [{ case_id: one, revision: 1 }] },
        headers: { 'if-match': '*' },
      })
      expect(merged.status, merged.text).to.equal(200)
      await rename(anna.uuid, 'Anna Berg')
      const { data } = await list('owner=me')
      expect([data[0].case.case_id, data[0].owner]).to.deep.equal([two, 'Anna Berg'])
      const changed = await anna.call('PATCH', `/api/cases/${two}/tasks/${task.task_id}`, {
        body: { due_at: 5 },
        headers: { 'if-match': '*' },
      })
      expect(changed.json).to.include({ owner: 'Anna Berg', owner_id: anna.uuid })
      await api.stores.accounts.disable(anna.uuid, somebody())
      const bert = await newPerson(api, 'Bert', ['analyst'])
      expect((await list('owner_state=disabled', bert)).data[0].owner_state).to.equal('disabled')
    })
  })
})
