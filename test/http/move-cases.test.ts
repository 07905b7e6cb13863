import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectFits, expectProblem } from './support/schemas.ts'
import { thingsOf } from './support/things.ts'

describe('merging and splitting cases over HTTP', () => {
  let api: Api
  let key: string
  let one: string
  let two: string

  before(async () => {
    api = await startApi()
    key = await api.newKey('analyst')
  })
  after(() => api.close())

  beforeEach(async () => {
    const { case: [id = ''] = [], other: [other = ''] = [] } = await thingsOf(api, 'acme').twoCases()
    one = id
    two = other
  })

  const get = async (id: string) => (await api.call('GET', `/api/cases/${id}`, { key })).json
  const post = (path: string, body: object, ifMatch = '*', headers = {}) =>
    api.call('POST', `/api/cases/${path}`, { key, body, headers: { 'if-match': ifMatch, ...headers } })
  const merge = (revision = 1, ifMatch = '"1"') =>
    post(`${one}/merge`, { cases: [{ case_id: two, revision }] }, ifMatch)

  it('merge: answers the case, and each case links the other', async () => {
    const merged = await merge()
    expect(merged.status).to.equal(200)
    expectFits('case', merged.json)
    expect(merged.headers.get('etag')).to.equal('"2"')
    expect(await get(one)).to.include({ merged_into: null, status: 'open' })
    expect((await get(one)).alerts).to.have.length(2)
    const source = await get(two)
    expectFits('case', source)
    expect(source).to.include({ merged_into: one, status: 'closed' })
    expect(source.timeline.at(-1).kind).to.equal('merged')
    expect((await merge()).json, 'a repeat').to.deep.equal(merged.json)
  })

  it('refuses changes and notes of a merged case, and names the other', async () => {
    await merge()
    const body = { severity: 'low' }
    const patched = await api.call('PATCH', `/api/cases/${two}`, { key, body, headers: { 'if-match': '*' } })
    expectProblem(patched, 409, 'case_merged')
    expect(patched.json.hint).to.equal(`use the case ${one}`)
    const noted = await api.call('POST', `/api/cases/${two}/notes`, { key, body: { text: 'x' } })
    expectProblem(noted, 409, 'case_merged')
  })

  it('refuses cases that changed since they were read', async () => {
    expectProblem(await merge(1, '"7"'), 412, 'precondition_failed')
    expectProblem(await merge(7), 412, 'precondition_failed')
    const body = { cases: [{ case_id: two, revision: 1 }] }
    expectProblem(
      await api.call('POST', `/api/cases/${one}/merge`, { key, body }),
      428,
      'precondition_required',
    )
  })

  it('refuses a case of another organization, and the case itself', async () => {
    const foreign = await thingsOf(api, 'globex').case()
    const other = { cases: [{ case_id: foreign['case']?.[0], revision: 1 }] }
    expectProblem(await post(`${one}/merge`, other), 404, 'case_not_found')
    expectProblem(await post(`${one}/merge`, { cases: [{ case_id: one, revision: 1 }] }), 400, 'same_case')
  })

  it('split: opens a case, once for each key of idempotency', async () => {
    await merge()
    const [alert] = (await get(one)).alerts
    const body = { alerts: [alert.alert_id], title: 'Apart' }
    const once = { 'idempotency-key': `split-${one}` }
    const opened = await post(`${one}/split`, body, '"2"', once)
    expect(opened.status).to.equal(201)
    expectFits('case', opened.json)
    expect(opened.json).to.include({ title: 'Apart', split_from: one })
    expect(opened.headers.get('location')).to.match(new RegExp(`/cases/${opened.json.case_id}$`))
    const again = await post(`${one}/split`, body, '"2"', once)
    expect(again.json.case_id).to.equal(opened.json.case_id)
    expectProblem(await post(`${one}/split`, body), 409, 'alert_not_in_case')
    const [left] = (await get(one)).alerts
    expectProblem(await post(`${one}/split`, { alerts: [left.alert_uuid] }), 409, 'nothing_left')
  })
})
