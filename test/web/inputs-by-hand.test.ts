import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'
import { hasValue } from './support/has-value.ts'

const source = `apiVersion: tocsin/v1
name: asked
on: { manual: true }
inputs:
  who: { type: string }
  more: { type: object, default: {} }
steps:
  - return: \${{ inputs.who }}
`

describe('inputs in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({ asked: source })
    if (found === undefined) return this.skip()
    opened = found
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  for (const [open, go, done] of [
    ['Run manually', 'Run', /runs/],
    ['Dry run', 'Start dry run', /playbooks/],
  ] as const)
    it(`show an error until they are valid, then are sent:  ${open}`, async () => {
      const page = await opened.visit('/playbooks/asked')
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.postData()?.includes('organization_code')) asked.push(request.postData() ?? '')
      })
      await page.getByRole('button', { name: open }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('More: more').click()
      await dialog.getByLabel('more').fill('{bad')
      await dialog.getByRole('button', { name: go, exact: true }).click()
      await dialog.getByText('Invalid JSON').waitFor()
      expect(asked).to.deep.equal([])
      await dialog.getByLabel('more').fill('{"a": 1}')
      await dialog.getByRole('button', { name: go, exact: true }).click()
      await dialog.getByText('Check the highlighted field').waitFor()
      expect(asked.splice(0)).to.have.lengthOf(1)
      await dialog.getByLabel('who').fill('kim')
      await dialog.getByRole('button', { name: go, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(asked).to.have.lengthOf(1)
      expect(JSON.parse(asked[0] ?? '')).to.deep.include({ inputs: { who: 'kim', more: { a: 1 } } })
      await page.waitForURL(done)
    })

  it('are written as JSON, and shown in the form again if it can hold them', async () => {
    const page = await opened.visit('/playbooks/asked')
    await page.getByRole('button', { name: 'Run manually' }).click()
    const dialog = page.getByRole('dialog')
    const show = (view: string) =>
      dialog.getByRole('radiogroup', { name: 'Inputs as' }).getByText(view).click()
    await dialog.getByLabel('who').fill('kim')
    await show('JSON')
    const json = dialog.getByLabel('Inputs', { exact: true })
    expect(JSON.parse(await json.inputValue())).to.deep.equal({ who: 'kim' })
    await json.fill('{"who": "ana", "more": {"id": 1234567890123456789}}')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'inputs-as-json')
    await show('Form')
    await hasValue(dialog.getByLabel('who'), 'ana')
    await dialog.getByText('More: more').click()
    await hasValue(dialog.getByLabel('more'), '{"id":1234567890123456789}')
    await show('JSON')
    for (const [text, error] of [
      ['{"who"', 'Invalid JSON'],
      ['["ana"]', 'Write a JSON object'],
      ['{"who": 7}', 'Fields of the form cannot hold these inputs'],
      ['{"who": "ana", "unknown": 1}', 'Fields of the form cannot hold these inputs'],
    ] as const) {
      await json.fill(text)
      await show('Form')
      await dialog.getByText(error).waitFor()
      await hasValue(json, text)
    }
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    await dialog.getByRole('alert').getByText('/inputs').waitFor()
    await json.fill('{"who": "ana", "more": {"id": 1234567890123456789}}')
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL(/runs/)
    const run = (await opened.server.call(`/runs/${page.url().split('/').at(-1)}`)).body
    expect(run.output).to.equal('ana')
  })

  it('starts one run, even if answers get lost', async () => {
    const page = await opened.visit('/playbooks/asked')
    let isLost = false
    await page.route('**/api/playbooks/asked/runs', async (route) => {
      if (isLost) return await route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    const before = (await opened.server.call('/runs')).body.total
    await page.getByRole('button', { name: 'Run manually' }).click()
    await page.getByLabel('who').fill('kim')
    const start = page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true })
    await start.click()
    await page.getByRole('dialog').getByText('Can’t reach Tocsin').waitFor()
    await start.click()
    await page.waitForURL(/runs/)
    expect((await opened.server.call('/runs')).body.total).to.equal(before + 1)
  })

  it('does not guess among several organizations, and says why none can be loaded', async () => {
    await opened.server.call('/organizations', { body: { code: 'acme', name: 'Acme' } })
    const page = await opened.visit('/playbooks/asked')
    await page.clock.install()
    let isAway = true
    await page.route('**/api/organizations?*', (route) => (isAway ? route.abort() : route.continue()))
    await page.reload()
    for (const [open, go] of [
      ['Run manually', 'Run'],
      ['Dry run', 'Start dry run'],
    ] as const) {
      await page.getByRole('button', { name: open }).click()
      const dialog = page.getByRole('dialog')
      const button = dialog.getByRole('button', { name: go, exact: true })
      const failed = dialog.getByText('Could not load: Can’t reach Tocsin')
      const isShown = async (wanted: boolean): Promise<true | undefined> => {
        // It is requested again, repeatedly.
        await page.clock.runFor(1_000)
        return (await failed.isVisible()) === wanted || undefined
      }
      if (isAway) await eventually('the failure', () => isShown(true))
      isAway = false
      await eventually('what was asked for', () => isShown(false))
      const choice = dialog.getByRole('combobox', { name: 'Organization' })
      await hasValue(choice, '')
      expect(await button.isDisabled()).to.equal(true)
      await choice.click()
      await page.getByRole('option', { name: 'acme' }).click()
      expect(await button.isEnabled()).to.equal(true)
      await page.keyboard.press('Escape')
    }
  })

  it('are kept until the run is started', async () => {
    const page = await opened.visit('/playbooks/asked')
    const inputs = page.getByLabel('who')
    const start = page.getByRole('button', { name: 'Run manually' })
    await start.click()
    await inputs.fill('kim')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Runs' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await page.goBack()
    await start.click()
    await hasValue(inputs, 'kim')
    await page.getByRole('dialog').getByRole('combobox', { name: 'Organization' }).click()
    await page.getByRole('option', { name: 'main' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL(/runs/)
    await page.goBack()
    await start.click()
    await hasValue(inputs, '')
  })
})
