import { expect } from 'chai'
import type { ApiPlaybookFolder } from '../../server/web/api/types.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const source = (name: string, more = '') =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true }\nsteps:\n  - return: 1\n${more}`

describe('a refused change of the playbooks folder in the page', function () {
  this.timeout(60_000)
  const house = openPage({ one: source('one') }, { env: { TOCSIN_PLAYBOOKS_RELOAD_SECONDS: '0' } })

  it('is shown with its errors in the list of playbooks and on the health view, until it is corrected', async () => {
    const { page, server } = house
    await house.writePlaybook('one', source('one', '<b>: 1\n'))
    await server.call('/playbook-folder/reload', { method: 'POST' })
    const title = page.getByText('Changes in the playbooks folder are not live')
    for (const path of ['/playbooks', '/health']) {
      await house.visit(path)
      await title.waitFor()
      await page.getByText(/one\.yaml:6:\d+ E\d+ .*<b>/).waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await seriousFaults(page)).to.deep.equal([])
        for (const width of [375, 768, 1440]) {
          await page.setViewportSize({ width, height: 900 })
          await picture(page, `playbook-folder${path.replace('/', '-')}-${colorScheme}-${width}`)
        }
      }
    }
    await house.writePlaybook('one', source('one'))
    await server.call('/playbook-folder/reload', { method: 'POST' })
    await house.visit('/playbooks')
    await page.getByRole('row', { name: /one/ }).waitFor()
    expect(await title.count()).to.equal(0)
  })

  it('names files that are older than what people published on another node', async () => {
    const { page } = house
    await page.route('**/api/playbook-folder', async (route) => {
      const answer = (await (await route.fetch()).json()) as ApiPlaybookFolder
      const outdated = [{ file: 'team/one.yaml', playbook: 'one', changed_by: '<b>Kim' }]
      await route.fulfill({ json: { ...answer, outdated } })
    })
    for (const path of ['/playbooks', '/health']) {
      await house.visit(path)
      await page.getByText('Files in the playbooks folder are outdated').waitFor()
      await page.getByText('team/one.yaml: one, changed by <b>Kim').waitFor()
      expect(await seriousFaults(page)).to.deep.equal([])
    }
    await page.unroute('**/api/playbook-folder')
  })

  it('marks a playbook whose file was deleted in the list', async () => {
    const { page, server } = house
    await house.writePlaybook('gone', source('gone'))
    await server.call('/playbook-folder/reload', { method: 'POST' })
    await house.deletePlaybook('gone')
    await server.call('/playbook-folder/reload', { method: 'POST' })
    await house.visit('/playbooks')
    await page.getByRole('row', { name: /gone.*Not live/ }).waitFor()
    expect(await page.getByRole('row', { name: /one.*Not live/ }).count()).to.equal(1)
    expect(await seriousFaults(page)).to.deep.equal([])
    await house.visit('/playbooks/gone')
    await page.getByRole('cell', { name: 'playbooks folder', exact: true }).waitFor()
  })
})
