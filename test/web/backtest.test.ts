import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const downloads = `apiVersion: tocsin/v1
name: downloads
on: { alert: { type: download } }
steps:
  - uses: case.update
    with: { severity: low }
`

describe('a backtest in the page', function () {
  this.timeout(60_000)
  const house = openPage({ downloads })

  it('lists the alerts that unsaved text would decide otherwise, and shows both runs', async () => {
    const { page } = house
    await house.postAlert('download', '{"gigabytes":5}')
    const changed = await house.postAlert('download', '{"gigabytes":80}')
    await house.visit('/playbooks/downloads')
    await page.getByLabel('Playbook source').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText(
      '  - { if: alert.data.gigabytes > 50, uses: case.update, with: { severity: high } }\n',
    )
    await page.getByRole('button', { name: 'Start backtest' }).click()
    await page.getByText('2 alerts of main: 1 same, 1 changed, 0 not judged.').waitFor()
    const group = page.getByRole('region', { name: 'severity low → high' })
    await group.getByText('1 alert').waitFor()
    await group.getByRole('button', { name: changed.toUpperCase() }).click()
    await page.getByText('completed, verdict not set, severity low').waitFor()
    await page.getByText('completed, verdict not set, severity high').waitFor()
    await page.getByRole('group', { name: 'Steps after' }).getByRole('button').nth(1).click()
    await page.getByLabel('Input of 1 (after)').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'backtest')
  })

  it('shows the latest result when the playbook is opened again', async () => {
    const { page } = house
    await house.go('/playbooks')
    await page.getByRole('heading', { level: 1, name: 'Playbooks' }).waitFor()
    await house.go('/playbooks/downloads')
    await page.getByText('2 alerts of main: 1 same, 1 changed, 0 not judged.').waitFor()
  })

  it('shows no progress of a backtest whose node has died', async () => {
    const { page, server } = house
    const [ended] = (await server.call('/playbooks/downloads/backtests')).body.data
    const running = { ...ended, backtest_id: 'lost', status: 'running', done: 1, total: 360 }
    const problem = {
      title: 'Not found',
      status: 404,
      code: 'backtest_not_found',
      detail: 'no such backtest',
    }
    let isLost = false
    await page.route(/\/playbooks\/downloads\/backtests$/, (route) =>
      route.request().method() === 'POST' ? route.fulfill({ json: running }) : route.continue(),
    )
    await page.route(/\/backtests\/lost/, (route) =>
      isLost
        ? route.fulfill({ status: 404, json: problem, contentType: 'application/problem+json' })
        : route.fulfill({ json: running }),
    )
    await page.getByRole('button', { name: 'Start backtest' }).click()
    await page.getByText('1 of 360 alerts').waitFor()
    isLost = true
    await page.getByText('no such backtest').waitFor()
    expect(await page.getByText('1 of 360 alerts').count()).to.equal(0)
    expect(await page.getByRole('button', { name: 'Cancel', exact: true }).count()).to.equal(0)
    expect(await page.getByRole('button', { name: 'Start backtest' }).isEnabled()).to.equal(true)
    await page.unrouteAll()
  })
})
