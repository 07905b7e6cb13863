import { expect } from 'chai'
import { addSample, type EngineSample } from '../../server/web/health/engine-history.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const failing = `apiVersion: tocsin/v1
name: failing
on: { alert: { type: broken } }
steps:
  - fail: The other system said no
`

describe('history of the engine', () => {
  const sample = (at: number): EngineSample => ({ at, queued: 1, received: 2, ended: 3 })
  const minutes = (count: number): number => count * 60_000

  it('keeps ten minutes without duplicates', () => {
    const before = [sample(minutes(1)), sample(minutes(5))]
    expect(addSample(before, sample(minutes(5)))).to.equal(before)
    expect(addSample(before, sample(minutes(11) + 1)).map(({ at }) => at)).to.deep.equal([
      minutes(5),
      minutes(11) + 1,
    ])
  })
})

describe('health in the page', function () {
  this.timeout(60_000)
  const house = openPage({ failing })

  it('shows received alerts and errors of runs', async () => {
    const { page } = house
    await house.postAlert('broken')
    await house.visit('/health')
    await page.getByRole('table', { name: 'Last errors' }).getByText('The other system said no').waitFor()
    await page.getByRole('row', { name: /^main/ }).getByText('0 of 100,000').waitFor()
    await page.getByText('Failed in the last hour').locator('..').getByText('1').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'health')
  })

  it('pauses runs with a reason, shows it in every view, and resumes them', async () => {
    const { page, server } = house
    await page.getByRole('button', { name: 'Pause all runs' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pause all runs' })
    await dialog.getByLabel('Reason').fill('a playbook <b>isolates</b> too much')
    expect(await seriousFaults(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('a playbook <b>isolates</b> too much').waitFor()
    expect((await server.call('/engine')).body.state).to.equal('paused')
    await page.getByRole('link', { name: 'Cases' }).click()
    await page.getByRole('link', { name: 'Runs are paused' }).click()
    await page.getByRole('button', { name: 'Resume runs' }).click()
    await page.getByText('Running', { exact: true }).waitFor()
    expect((await server.call('/engine')).body.state).to.equal('running')
  })
})
