import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

describe('first run', function () {
  this.timeout(60_000)
  const house = openPage()

  it('leads to the case of the first alert with a command that works unchanged', async () => {
    const { page } = house
    await page.getByText('No alerts yet').waitFor()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('it is not shown again').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'first-run')
    const command = await page.getByRole('region', { name: 'Command' }).innerText()
    const { stdout } = await promisify(execFile)('sh', ['-c', command])
    expect(JSON.parse(stdout)).to.include({ alert_id: 'main-custom-1', investigation_status: 15 })
    await page.getByRole('row', { name: 'MAIN-CUSTOM-1' }).getByText('Completed').waitFor()
    await page.getByRole('link', { name: 'MAIN-1', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'MAIN-1' }).waitFor()
  })

  it('creates keys that can only post alerts', async () => {
    const { body } = await house.server.call('/keys')
    expect(body.data).to.have.lengthOf(2)
    expect(body.data.find(({ role }: { role: string }) => role !== 'admin').role).to.equal('intake')
  })
})
