import { expect } from 'chai'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const playbook = `apiVersion: tocsin/v1
name: booked
on:
  alert: { type: odd_country }
steps:
  - id: trips
    uses: travel.search_user_travel
    with: { email: '\${{ alert.data.user }}', at: '\${{ alert.data.at }}' }
  - if: steps.trips.output.trips.exists(t, t.country == alert.data.country)
    uses: case.update
    with: { verdict: benign }
`

describe('travel bookings, end to end', function () {
  let tocsin: TestTocsin

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, sandbox: 'travel', playbooks: { booked: playbook } })
    expect((await tocsin.connect('trips')).status).to.equal(201)
  })
  after(() => tocsin?.close())

  async function verdict(data: object) {
    const { body: alert } = await tocsin.investigate({ type: 'odd_country', content: JSON.stringify(data) })
    expect(alert.status_name ?? alert.investigation_status, JSON.stringify(alert)).to.be.oneOf([
      15,
      'Completed',
    ])
    return (await tocsin.call(`/cases/${alert.case_id}`)).body.verdict
  }
  const ana = { user: 'Ana@example.com', at: '2026-01-22T09:00:00Z' }

  it('explain a sign-in by its country, time and traveler', async () => {
    expect(await verdict({ ...ana, country: 'GB' })).to.equal('benign')
    expect(await verdict({ ...ana, country: 'DE' })).to.equal('unknown')
    expect(await verdict({ ...ana, country: 'GB', at: '2026-02-22T09:00:00Z' })).to.equal('unknown')
    expect(await verdict({ ...ana, country: 'GB', user: 'cy@example.com' })).to.equal('unknown')
  })

  it('are requested with one token', () => {
    const tokens = tocsin.sandbox.requests.filter(({ path }) => path === '/ta-auth/oauth/token')
    expect(tokens).to.have.length(1)
  })
})
