import { expect } from 'chai'
import { openPage } from './support/open-page.ts'
import { picture, seriousFaults, settled } from './support/browser.ts'
import { hasValue } from './support/has-value.ts'

const telling = `apiVersion: tocsin/v1
name: telling
on: { alert: { type: told }, manual: true }
steps:
  - uses: messaging.send_message
    with: { text: hello }
`

describe('a run without its connection', function () {
  this.timeout(60_000)
  const opened = openPage({ telling })

  it('links to the new connection of its plugin and organization', async () => {
    const { page, server, visit } = opened
    const { body } = await server.call('/playbooks/telling/runs', {
      body: { organization_code: 'main' },
      headers: { prefer: 'wait=10' },
    })
    await visit(`/runs/${body.run_uuid}`)
    await settled(page)
    const step = page.getByRole('region', { name: 'Step', exact: true })
    await step.getByRole('heading', { name: 'send message (messaging.send_message)' }).waitFor()
    await step.getByText('connection_missing').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('link', { name: 'Create a connection of messaging' }).first().click()
    await page.getByRole('heading', { level: 1, name: /^New connection/ }).waitFor()
    await hasValue(page.getByLabel('Name').first(), 'messaging')
    await hasValue(page.getByLabel(/^Organization/).first(), 'main')
  })

  it('links to its connection on the health view', async () => {
    const { page, server, visit } = opened
    await server.call('/playbooks/telling/runs', {
      body: { organization_code: 'main' },
      headers: { prefer: 'wait=10' },
    })
    await visit('/health')
    const errors = page.getByRole('table', { name: 'Last errors' })
    await errors.getByRole('link', { name: 'Create a connection of messaging' }).first().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'health-missing-connection')
    await errors.getByRole('link', { name: 'Create a connection of messaging' }).first().click()
    await page.getByRole('heading', { level: 1, name: /^New connection/ }).waitFor()
  })
})

const wrong = `apiVersion: tocsin/v1
name: wrong
organization: main
on: { alert: { type: t, provider: nobody } }
steps:
  - uses: messaging.send_message
    connection: soc-chat
    with: { text: hello }
`

describe('a playbook with missing names in the editor', function () {
  this.timeout(60_000)
  const opened = openPage({ telling })

  it('links to what creates them, and keeps what was typed', async () => {
    const { page, visit } = opened
    await visit('/playbooks/new')
    const editor = page.getByLabel('Playbook source')
    await editor.click()
    await page.keyboard.press('Control+A')
    // Text inserted over a selection keeps its style in an attribute, which the security policy refuses.
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(wrong)
    const problems = page.getByRole('region', { name: 'Problems' })
    const connect = problems.getByRole('link', { name: 'Create a connection of messaging' })
    await connect.waitFor()
    await problems.getByRole('link', { name: 'Go to providers' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'playbook-missing-names')
    await connect.press('Enter')
    await page.getByRole('heading', { level: 1, name: /^New connection/ }).waitFor()
    await hasValue(page.getByLabel('Name').first(), 'soc-chat')
    expect(new URL(page.url()).searchParams.get('organization')).to.equal('main')
    await visit('/playbooks/new')
    await editor.getByText('soc-chat').waitFor()
  })
})
