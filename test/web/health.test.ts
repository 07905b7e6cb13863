import { expect } from 'chai'
import { addSample, type EngineSample } from '../../server/web/health/engine-history.ts'
import { picture, seriousFaults, settled } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const failing = `apiVersion: tocsin/v1
name: failing
on: { alert: { type: broken } }
steps:
  - fail: The other system said no
`

const noisy = `apiVersion: tocsin/v1
name: noisy
on: { alert: { type: noisy-and-repeated, group: { by: [alert.data.user] } } }
steps:
  - set: { n: 1 }
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
  const house = openPage({ failing, noisy })

  it('shows received alerts and errors of runs', async () => {
    const { page } = house
    await house.postAlert('broken')
    await house.visit('/health')
    await page.getByRole('table', { name: 'Last errors' }).getByText('The other system said no').waitFor()
    await page.getByRole('row', { name: /^main/ }).getByText('0 of 100,000').waitFor()
    await page.getByText('Failed in the last hour').locator('..').getByText('1').waitFor()
    await page.getByRole('table', { name: 'Nodes' }).getByText('Active', { exact: true }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'health')
  })

  it('fits a phone without sideways scrolling, with problems first and what repeats have in common', async () => {
    const { page, server } = house
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'noisy-and-repeated',
      alert_content: '{"user":"ana"}',
    }
    for (let n = 0; n < 3; n++) await server.call('/alerts', { body, headers: { prefer: 'wait=10' } })
    await page.setViewportSize({ width: 375, height: 740 })
    await house.visit('/health')
    const repeats = page.getByRole('table', { name: 'Repeated alerts' })
    await repeats.getByText('noisy-and-repeated').waitFor()
    await repeats.getByText(/alert\.data\.user \(ana\) are the same/).waitFor()
    await settled(page)
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(375)
    const sideways = `[...document.querySelectorAll('#view *')].filter((element) =>
      element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible' && element.clientWidth > 40)
      .map((element) => element.className)`
    expect(await page.evaluate(sideways)).to.deep.equal([])
    const [errors, queued] = [page.getByText('Last errors'), page.getByText('Queued runs')]
    const topOf = async (one: typeof errors) => (await one.boundingBox())?.y ?? Infinity
    expect(await topOf(errors)).to.be.below(await topOf(queued))
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'health-phone')
  })

  it('marks nodes that are late or were lost', async () => {
    const { page } = house
    const node = {
      name: 'web-1:17',
      version: '1.2.3',
      role: 'active',
      state: 'late',
      started_at: 0,
      lease_ms: 0,
      runs: 3,
      queued: 2,
      cpu_percent: 41,
      memory_bytes: 300 * 1_048_576,
      last_error: { at: Date.now(), message: 'the disk is full' },
      gone_at: null,
      gone_reason: null,
      other_settings: ['TOCSIN_APPROVALS', 'the installed plugins'],
    }
    const lost = { ...node, node_id: 'b', state: 'gone', gone_at: Date.now(), gone_reason: 'lost' }
    const waiting = [{ version: '2.1.0', runs: 3 }]
    await page.route('**/api/nodes', (route) =>
      route.fulfill({ json: { data: [{ ...node, node_id: 'a' }, lost], waiting_for_newer: waiting } }),
    )
    await house.visit('/health')
    const rows = page.getByRole('table', { name: 'Nodes' }).getByRole('row')
    await rows.filter({ hasText: 'Late' }).getByText('300 MB').waitFor()
    await rows.filter({ hasText: 'Lost' }).getByText('the disk is full').waitFor()
    const newer = page.getByRole('alert').filter({ hasText: 'Runs wait for a newer Tocsin' })
    await newer.getByText('3 runs cannot continue on these nodes').waitFor()
    await newer.getByText('Start a node with Tocsin 2.1.0 or later').waitFor()
    const differing = page.getByRole('alert').filter({ hasText: 'Nodes have different settings' })
    await differing.getByText('web-1:17: TOCSIN_APPROVALS, the installed plugins').first().waitFor()
    await page.unroute('**/api/nodes')
  })

  afterEach(() => house.page.setViewportSize({ width: 1280, height: 860 }))

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
