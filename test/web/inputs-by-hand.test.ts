import { expect } from 'chai'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'

const source = `apiVersion: tocsin/v1
name: asked
on: { manual: true }
inputs:
  who: { type: string }
steps:
  - return: \${{ inputs.who }}
`

describe('inputs that are typed as JSON in the page', function () {
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
    ['Start by hand', 'Start', /runs/],
    ['Dry run', 'Run it dry', /playbooks/],
  ] as const)
    it(`are said to be none where they are not, and sent once they are: ${open}`, async () => {
      const page = await opened.visit('/playbooks/asked')
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.postData()?.includes('organization_code')) asked.push(request.postData() ?? '')
      })
      await page.getByRole('button', { name: open }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Inputs, by name').fill('{bad')
      await dialog.getByRole('button', { name: go, exact: true }).click()
      await dialog.getByText('This is no JSON: look for').waitFor()
      expect(asked).to.deep.equal([])
      await dialog.getByLabel('Inputs, by name').fill('{"who":"kim"}')
      await dialog.getByRole('button', { name: go, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(asked).to.have.lengthOf(1)
      expect(JSON.parse(asked[0] ?? '')).to.deep.include({ inputs: { who: 'kim' } })
      await page.waitForURL(done)
    })
})
