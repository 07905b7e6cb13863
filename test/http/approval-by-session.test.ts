import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

describe('an approval by the requester', () => {
  let api: Api
  let own: string
  before(async () => {
    api = await startApi()
    own = await api.newKey('analyst', ['acme'])
  })
  after(() => api.close())

  async function signIn(key: string): Promise<Readonly<Record<string, string>>> {
    const { headers } = await api.call('POST', '/api/session', { key: null, body: { api_key: key } })
    return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' }
  }

  /** A question as asked by the destructive limit, about a run of an alert sent with the key. */
  async function hold(): Promise<string> {
    const body = {
      alert_provider: 'SIEM',
      organization_code: 'acme',
      alert_type: 't',
      alert_content: `x ${api.submitted.length}`,
    }
    await api.call('POST', '/api/alerts', { key: own, body })
    const { uuid: alertUuid, organizationUuid } = api.submitted.at(-1) as Alert
    const queued = { organizationUuid, playbookName: 'p', playbookHash: 'h', alertUuid }
    const { uuid } = await api.stores.runs.queue(queued)
    await api.stores.runs.start(uuid, { title: 'A case' })
    const question = { via: 'operator', input: {}, answers: ['approve', 'refuse'], form: null }
    const asked = { path: 'i/@approval', stepId: 'i', question, timeoutAt: api.clock.time + 60_000 }
    return (await api.stores.checkpoints.open(uuid, asked)).id
  }
  const approve = (id: string, headers: Readonly<Record<string, string>>, key: string | null = null) =>
    api.call('POST', `/api/checkpoints/${id}/answer`, { key, headers, body: { answer: 'approve' } })
  const details = async (id: string) =>
    (await api.call('GET', `/api/audit?subject=${id}`)).json.data[0].details

  it('is refused with the same key and with any of its sessions', async () => {
    const early = await signIn(own)
    api.clock.time += 1
    const id = await hold()
    api.clock.time += 1
    for (const session of [early, await signIn(own)])
      expectProblem(await approve(id, session), 403, 'approval_by_requester')
    expectProblem(await approve(id, {}, own), 403, 'approval_by_requester')
    expect((await approve(id, {}, await api.newKey('analyst'))).json.outcome).to.equal('accepted')
    expect(await details(id)).to.not.have.property('session')
  })

  it('is accepted from a session of another key, and recorded with that session in the audit log', async () => {
    const session = await signIn(await api.newKey('analyst'))
    const id = await hold()
    expect((await approve(id, session)).json.outcome).to.equal('accepted')
    expect(await details(id)).to.include({ answer: 'approve', session: true })
  })
})
