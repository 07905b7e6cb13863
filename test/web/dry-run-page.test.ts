import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'

const source = `apiVersion: tocsin/v1
name: tried
on: { alert: { type: sign_in } }
steps:
  - id: sure
    checkpoint:
      via: operator
      with: { message: Is this real? }
      answers: [yes, no]
      timeout: 1h
      on_timeout: no
  - id: judged
    if: steps.sure.output.answer == "yes"
    uses: case.update
    with: { verdict: malicious, summary: 'By \${{ alert.data.user }}' }
`

describe('dry run of a past alert in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn
  let alertId: string

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({ tried: source })
    if (found === undefined) return this.skip()
    opened = found
    const body = { alert_provider: 'custom', organization_code: 'main', alert_content: '{"user":"kim"}' }
    await opened.server.call('/alerts', { body: { ...body, alert_type: 'other' } })
    const { body: posted } = await opened.server.call('/alerts', {
      body: { ...body, alert_type: 'sign_in' },
    })
    alertId = posted.alert_id
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  const runs = async (): Promise<number> => (await opened.server.call('/runs?playbook=tried')).body.total

  it('shows the path of each answer on the graph for unsaved text, without writes', async () => {
    await eventually('the run of the alert', async () => ((await runs()) === 1 ? true : undefined))
    const page = await opened.visit('/playbooks/tried')
    await page.getByLabel('Playbook source').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('  - return: not saved yet\n')
    await page.locator('.graph-node', { hasText: 'return' }).waitFor()
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByRole('combobox', { name: 'Alert' }).click()
    const options = page.getByRole('option')
    await options.filter({ hasText: alertId.toUpperCase() }).waitFor()
    expect(await options.count()).to.equal(1)
    await options.click()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Start dry run' }).click()
    await page.getByRole('heading', { name: `Dry run with ${alertId.toUpperCase()}` }).waitFor()
    await page.getByText('No writes made').waitFor()
    await page.locator('.graph-node[data-state=not_done]', { hasText: 'judged' }).click()
    await page.getByRole('region', { name: 'Input of judged' }).getByText('By kim').waitFor()
    await page.getByRole('region', { name: 'Dry run output' }).getByText('not saved yet').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'dry-run')
    await page.getByRole('combobox', { name: 'Answer to sure' }).click()
    await page.getByRole('option', { name: 'no', exact: true }).click()
    await page.locator('.graph-node[data-state=skipped]', { hasText: 'judged' }).waitFor()
    await page.getByText('This path has no writes').waitFor()
    expect(await runs()).to.equal(1)
    const { body: stored } = await opened.server.call('/playbooks/tried')
    expect(stored.source).to.equal(source)
  })

  it('accepts pasted content, keeps it when the dialog closes, and explains why it would not trigger the playbook', async () => {
    const page = await opened.visit('/playbooks/tried')
    await page.getByLabel('Playbook source').click()
    const trigger = page.locator('.cm-line', { hasText: 'type: sign_in' })
    await trigger.click()
    await page.keyboard.press('End')
    for (let back = 0; back < 4; back++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.type(`, where: alert.data.user == "eve"`)
    await page.getByText('No problems').waitFor()
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('Pasted content').click()
    const content = page.getByLabel('Alert content')
    await content.fill('{"user":"kim"}')
    await page.keyboard.press('Escape')
    await content.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Dry run' }).click()
    expect(await content.inputValue(), 'as it was pasted').to.equal('{"user":"kim"}')
    await page.getByRole('button', { name: 'Start dry run' }).click()
    await page.getByText('This alert would not trigger the playbook').waitFor()
  })
})
