import { expect } from 'chai'
import { seriesOf, startsOf } from '../../server/web/numbers/series.ts'
import { picture, seriousFaults, settled } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

describe('series of numbers', () => {
  it('have a value for each period, also without rows', () => {
    const starts = startsOf({ from: 0, to: 30, period_ms: 10 })
    expect(starts).to.deep.equal([0, 10, 20])
    const points = [
      { at: 0, name: 'a', value: 1 },
      { at: 20, name: 'a', value: 2 },
      { at: 10, name: 'b', value: 5 },
    ]
    expect(seriesOf(starts, points, { blank: 0 })).to.deep.equal([
      { name: 'b', values: [0, 5, 0] },
      { name: 'a', values: [1, 0, 2] },
    ])
  })

  it('join the names beyond the most frequent', () => {
    const points = ['a', 'b', 'c', 'd'].map((name, at) => ({ at: 0, name, value: 10 - at }))
    expect(seriesOf([0], points, { most: 3 })).to.deep.equal([
      { name: 'a', values: [10] },
      { name: 'b', values: [9] },
      { name: '(other)', values: [15] },
    ])
  })
})

const quiet = `
apiVersion: tocsin/v1
name: quiet
on: { alert: { type: sign_in } }
steps: [{ return: 1 }]
`
const broken = `
apiVersion: tocsin/v1
name: broken
on: { alert: { type: broken } }
steps: [{ fail: The other system said no }]
`

describe('numbers in the page', function () {
  this.timeout(90_000)
  const house = openPage({ quiet, broken })

  before(async () => {
    for (let n = 0; n < 4; n++) await house.postAlert('sign_in', `{"n":${n}}`)
    await house.postAlert('broken')
    await house.postAlert('<img src=x onerror=alert(1)>')
    const { body } = await house.server.call('/cases?limit=1')
    await house.server.call(`/cases/${body.data[0].case_id}`, {
      method: 'PATCH',
      headers: { 'if-match': '*' },
      body: { verdict: 'benign' },
    })
  })

  it('are drawn, and shown as tables for people who cannot see the charts', async () => {
    const { page } = house
    await house.visit('/numbers?days=1')
    await page.getByRole('img', { name: 'Alerts' }).waitFor()
    await page.getByRole('table', { name: 'Failures by cause' }).getByText('broken').waitFor()
    await page.getByRole('table', { name: 'Times' }).getByText('Decision').waitFor()
    await page.getByRole('table', { name: 'Noisiest alert types' }).getByText('<img src=x').waitFor()
    expect(await page.locator('.number-tiles').innerText()).to.match(
      /^Alerts\s+6\s+Repeats\s+0\s+Runs\s+6\s+Failed runs\s+1/,
    )
    await page.getByText('Show as table').first().click()
    await page.getByRole('table', { name: 'Alerts, as a table' }).getByText('sign_in').waitFor()
    await settled(page)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'numbers')
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'CSV' }).first().click()
    expect((await saving).suggestedFilename()).to.equal('alerts.csv')
  })

  it('load the charts only where they are shown', async () => {
    const { page } = house
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await house.visit('/alerts')
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
    await settled(page)
    expect(loaded.filter((url) => /\/chart-/.test(url))).to.deep.equal([])
  })
})
