import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'

const source = `apiVersion: tocsin/v1
name: keeps
on: { manual: true }
inputs: { mail: { type: string } }
state:
  seen: { kind: set, expires: 7d }
  polls: { kind: counter }
steps:
  - state: { add: seen, key: '\${{ inputs.mail }}' }
  - state: { increment: polls }
`

describe('the state of a playbook in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({ keeps: source })
    if (found === undefined) return this.skip()
    opened = found
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  const call = (path: string, body?: object) => opened.server.call(path, { ...(body && { body }) })
  async function run(mail: string): Promise<void> {
    const started = await call('/playbooks/keeps/runs', { organization_code: 'main', inputs: { mail } })
    await opened.server.call(`/runs/${started.body.run_uuid}`, { headers: { prefer: 'wait=10' } })
  }
  const stored = async () => (await call('/playbooks/keeps/state/seen')).body.data.length

  it('is shown with its entries, which can be deleted', async () => {
    const page = await opened.visit('/playbooks/keeps')
    await page.getByText('Nothing stored yet').waitFor()
    await run('mail-1')
    await run('<b>mail-2</b>')
    while ((await stored()) < 2) await new Promise((resolve) => setTimeout(resolve, 50))
    await page.reload()
    await page.getByText('2 entries').waitFor()
    await page.getByRole('button', { name: 'Show entries' }).click()
    await page.getByText('<b>mail-2</b>').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'playbook-state')
    await page
      .getByRole('row', { name: /mail-1/ })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByRole('button', { name: 'Delete entry' }).click()
    await page.getByText('1 entry').waitFor()
    expect(await stored()).to.equal(1)
    await page.getByRole('row', { name: /seen/ }).getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('button', { name: 'Reset state' }).click()
    await page.getByText('2 entries').waitFor({ state: 'detached' })
    expect(await stored()).to.equal(0)
  })
})
