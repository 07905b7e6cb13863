import { expect } from 'chai'
import { theRun } from '../../core/domain/audit.ts'
import { notificationKindNames } from '../../core/notification/notification.ts'
import { startApi, type Api } from './support/api.ts'
import { newPerson, type TestPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'

const run = theRun('00000000-0000-4000-8000-000000000001', 'triage')

describe('notifications over HTTP', () => {
  let api: Api
  let anna: TestPerson

  beforeEach(async () => {
    api = await startApi()
    anna = await newPerson(api, 'Anna', ['analyst'])
    api.clock.time += 1_000
  })
  afterEach(() => api.close())

  let opened = 0
  const assign = (title = 'Phishing', of = 'acme') =>
    api.stores.cases.create(
      api.organizations[of] ?? '',
      { title, assignee: anna.email },
      run,
      `assigned/${opened++}`,
    )
  const list = async (query = '', person = anna) => {
    const { status, text, json } = await person.call('GET', `/api/notifications${query}`)
    expect(status, text).to.equal(200)
    return json as { data: Record<string, unknown>[]; unread: number; next_cursor: string | null }
  }

  it('are listed with a text and their subject, and are read once', async () => {
    const { id } = await assign('<img src=x onerror=alert(1)>\u202Egpj')
    const { data, unread } = await list()
    expect(unread).to.equal(1)
    expect(data[0]).to.include({
      organization_code: 'acme',
      kind: 'case_assigned',
      text: `triage assigned ${id} to you: “<img src=x onerror=alert(1)>\u202Egpj”`,
      subject_kind: 'case',
      subject_id: id,
      case_id: id,
      is_read: false,
      is_for_browser: true,
    })
    const body = { notification_ids: [data[0]!['notification_id'], run.id] }
    expect((await anna.call('POST', '/api/notifications/read', { body })).json).to.deep.equal({ unread: 0 })
    expect((await list()).data[0]).to.include({ is_read: true })
    expect((await list('?unread=true')).data).to.deep.equal([])
  })

  it('are paged, and read up to the newest that was seen', async () => {
    for (let n = 0; n < 3; n++) {
      await assign(`Case ${n}`)
      api.clock.time += 10
    }
    const first = await list('?limit=2')
    const second = await list(`?limit=2&cursor=${first.next_cursor}`)
    expect(second.data).to.have.length(1)
    const until = first.data[0]!['at']
    await assign('after the look')
    const { json } = await anna.call('POST', '/api/notifications/read', { body: { until } })
    expect(json).to.deep.equal({ unread: 1 })
  })

  it('follow the choices of the person, by kind and organization', async () => {
    const choice = { kind: 'case_assigned', organization_code: 'acme', page: false, browser: false }
    const put = await anna.call('PUT', '/api/notifications/choices', { body: { choices: [choice] } })
    expect(put.status, put.text).to.equal(200)
    expect(put.json.choices).to.deep.equal([choice])
    const got = (await anna.call('GET', '/api/notifications/choices')).json
    expect(got).to.deep.equal(put.json)
    expect(got.kinds.map(({ kind }: { kind: string }) => kind)).to.deep.equal([...notificationKindNames])
    await assign('here')
    await assign('there', 'globex')
    expect((await list()).data.map(({ organization_code }) => organization_code)).to.deep.equal(['globex'])
  })

  it('are hidden when the role is taken away, and in other organizations', async () => {
    const bert = await newPerson(api, 'Bert', ['analyst', 'globex'])
    await api.stores.cases.create(
      api.organizations['acme'] ?? '',
      { title: 'x', assignee: bert.email },
      run,
      'b',
    )
    expect((await list('', bert)).data).to.deep.equal([])
    await assign()
    const { revision } = (await api.stores.accounts.find(anna.uuid))!
    const { roles } = { roles: [{ role: 'reader', organizationUuid: api.organizations['globex'] ?? null }] }
    await api.stores.accounts.change(anna.uuid, { roles }, revision, { ...run, kind: 'server' })
    expect((await list()).data).to.deep.equal([])
  })

  it('are for people: API keys are refused', async () => {
    const requests = [
      ['GET', 'notifications'],
      ['POST', 'notifications/read', { until: 1 }],
      ['GET', 'notifications/choices'],
      ['PUT', 'notifications/choices', { choices: [] }],
    ] as const
    for (const [method, path, body] of requests) {
      const reply = await api.call(method, `/api/${path}`, { body, key: api.adminKey })
      expectProblem(reply, 403, 'account_needed')
    }
  })

  it('refuse what they cannot use, and say where', async () => {
    const read = (body: object) => anna.call('POST', '/api/notifications/read', { body })
    for (const body of [{}, { until: 1, notification_ids: [run.id] }])
      expectProblem(await read(body), 400, 'value_invalid')
    for (const body of [{ until: -1 }, { notification_ids: [] }, { notification_ids: ['x'] }])
      expect((await read(body)).status).to.equal(400)
    const choice = { kind: 'mentioned', organization_code: null, page: true, browser: true }
    const choose = (...choices: object[]) =>
      anna.call('PUT', '/api/notifications/choices', { body: { choices } })
    const twice = await choose(choice, choice)
    expectProblem(twice, 400, 'value_invalid')
    expect(twice.json.errors[0].pointer).to.equal('/choices/1')
    const unknown = await choose({ ...choice, organization_code: 'nowhere' })
    expectProblem(unknown, 400, 'unknown_organization')
    expect((await choose({ ...choice, kind: 'gossip' })).status).to.equal(400)
  })
})
