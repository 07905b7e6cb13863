import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { changedFieldsText, fieldsOf } from '../../server/web/forms/form-fields.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'
import { hasValue } from './support/has-value.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { alert: { type: questionable } }
steps:
  - id: sure
    checkpoint:
      via: operator
      with: { message: Is it you? }
      answers: ['yes', 'no']
      timeout: 1h
      on_timeout: "no"
`

describe('typedFields', () => {
  const fields = fieldsOf({
    properties: {
      address: { type: 'string', title: 'Address' },
      token: { type: 'string', 'x-secret': true },
    },
  })

  it('lists changed fields, without the values of secrets', () => {
    expect(changedFieldsText(fields, { address: 'https://a.example', token: 'canary-canary' })).to.equal(
      'Address: https://a.example\ntoken: (not shown)',
    )
  })

  it('omits unchanged fields', () => {
    expect(changedFieldsText(fields, { address: 'a', token: '' }, { address: 'a' })).to.equal('')
    expect(changedFieldsText(fields, { address: '' }, { address: 'a' })).to.equal('Address: ')
  })
})

describe('unsaved input of forms', function () {
  this.timeout(90_000)
  let opened: SignedIn

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({ asking })
    if (found === undefined) return this.skip()
    opened = found
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  async function thereAndBack(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Alerts' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
    await page.goBack()
  }
  const isAskedBeforeLeaving = (page: Page): Promise<boolean> =>
    page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))")

  /** Its investigation has ended, unless it waits for a person. */
  async function postAlert(type: string) {
    const { body } = await opened.server.call('/alerts', {
      body: { alert_provider: 'custom', organization_code: 'main', alert_type: type, alert_content: '{}' },
      headers: { prefer: type === 'questionable' ? 'wait=1' : 'wait=10' },
    })
    return (await opened.server.call(`/alerts/${body.alert_id}`)).body
  }

  it('is kept for a case until it is sent or discarded', async () => {
    const { case_id: id } = await postAlert('strange')
    const page = await opened.visit(`/cases/${id}`)
    const note = page.getByRole('textbox', { name: 'Note' })
    await note.fill('half a note')
    await page.getByRole('combobox', { name: 'Assignee' }).fill('kim')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Summary' }).fill('half a summary')
    await thereAndBack(page)
    await hasValue(note, 'half a note')
    await hasValue(page.getByRole('combobox', { name: 'Assignee' }), 'kim')
    await hasValue(page.getByRole('textbox', { name: 'Summary' }), 'half a summary')
    expect(await isAskedBeforeLeaving(page)).to.equal(true)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.locator('.mantine-Timeline-root').getByText('half a note').waitFor()
    await thereAndBack(page)
    await hasValue(note, '')
    await hasValue(page.getByRole('combobox', { name: 'Assignee' }), 'kim')
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    expect(await isAskedBeforeLeaving(page)).to.equal(false)
  })

  it('is kept for a question while it is open', async () => {
    await postAlert('questionable')
    const page = await opened.visit('/checkpoints')
    const remark = page.getByRole('textbox', { name: 'Remark' })
    await remark.fill('I asked them')
    await thereAndBack(page)
    await hasValue(remark, 'I asked them')
    expect(await isAskedBeforeLeaving(page)).to.equal(true)
    await page.getByRole('button', { name: 'yes' }).click()
    await page.getByText('Answer recorded').waitFor()
    expect(await isAskedBeforeLeaving(page)).to.equal(false)
  })

  it('is kept for a new connection, and Back leads to the choice of a system', async () => {
    const page = await opened.visit('/connections')
    await page.getByRole('link', { name: 'New connection' }).click()
    await page.getByRole('link', { name: 'Endpoint security platform' }).click()
    await page.getByLabel('Tenant ID').fill('example.com')
    await page.getByLabel('Client Secret').first().fill('canary-canary')
    await thereAndBack(page)
    await hasValue(page.getByLabel('Tenant ID'), 'example.com')
    await hasValue(page.getByLabel('Client Secret').first(), 'canary-canary')
    const stored = await page.evaluate('JSON.stringify([sessionStorage, localStorage])')
    expect(stored).to.not.contain('canary')
    await page.goBack()
    await page.getByText('Choose a system').waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor()
  })

  it('is kept for connection settings until they are saved', async () => {
    const { body } = await opened.server.call('/connections', {
      body: {
        organization_code: 'main',
        name: 'kept',
        plugin: 'http',
        settings: { base_url: 'https://a.example' },
      },
    })
    const page = await opened.visit(`/connections/${body.connection_uuid}`)
    const address = page.getByRole('textbox', { name: 'Base URL' })
    await address.fill('https://b.example')
    await thereAndBack(page)
    await hasValue(address, 'https://b.example')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await isAskedBeforeLeaving(page)).to.equal(false)
    await thereAndBack(page)
    await hasValue(address, 'https://b.example')
  })
})
