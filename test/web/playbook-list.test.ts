import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { publish } from './support/publish.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'

const source = `apiVersion: tocsin/v1
name: counted
on: { alert: { type: counted, group: { by: [alert.content] } }, manual: true }
inputs:
  fails: { type: boolean, default: false }
steps:
  - if: inputs.fails
    fail: As it was asked to
  - return: fine
`

const tests = `playbook: counted.yaml
tests:
  - name: ends well
    alert: { data: {} }
    expect: { status: completed }
`

describe('list of playbooks in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({ counted: source, 'counted.test': tests })
    if (found === undefined) return this.skip()
    opened = found
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  it('shows triggers, investigated alerts and the latest results', async () => {
    const alert = { alert_provider: 'custom', organization_code: 'main', alert_type: 'counted' }
    await opened.server.call('/alerts', {
      body: { ...alert, alert_content: 'x' },
      headers: { prefer: 'wait=10' },
    })
    const body = { organization_code: 'main', inputs: { fails: true } }
    for (let n = 0; n < 2; n++)
      await opened.server.call('/alerts', { body: { ...alert, alert_content: 'x' } })
    await eventually('both repeats', async () => {
      const { body: found } = await opened.server.call('/playbooks/counted/results')
      return found.repeats_7d === 2 || undefined
    })
    const { body: run } = await opened.server.call('/playbooks/counted/runs', {
      body,
      headers: { prefer: 'wait=10' },
    })
    const page = await opened.visit('/playbooks')
    const row = page.getByRole('row', { name: 'counted' })
    await row.getByText('counted, manual').waitFor()
    await row.getByText('1 / 1').waitFor()
    await row.getByText('2 repeats in 7 days').waitFor()
    await row.getByRole('link', { name: '50 %' }).waitFor()
    expect(await row.locator('.result-mark').count()).to.equal(2)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'playbooks')
    await row.getByRole('link', { name: /: Failed$/ }).click()
    await page.getByText('As it was asked to').first().waitFor()
    expect(new URL(page.url()).pathname).to.equal(`/runs/${run.run_uuid}`)
  })

  it('links to its tests, and from an untested step to its line', async () => {
    const page = await opened.visit('/playbooks/counted')
    await page.getByRole('button', { name: 'Run tests' }).click()
    await page.getByRole('listitem').filter({ hasText: 'ends well' }).getByText('Passed').waitFor()
    await page.getByText('2 of 3 branches covered').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: /^line 7/ }).click()
    await page.locator('.cm-activeLine', { hasText: 'if: inputs.fails' }).waitFor()
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('# later')
    await page.getByText('No problems').waitFor()
    await publish(page)
    await page.getByText('2 of 3 branches covered').waitFor({ state: 'detached' })
  })
})
