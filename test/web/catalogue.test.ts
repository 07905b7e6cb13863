import { expect } from 'chai'
import { picture, seriousFaults, settled } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

describe('catalogue in the page', function () {
  this.timeout(60_000)
  const house = openPage()
  const phone = { width: 360, height: 740 }

  afterEach(() => house.page.setViewportSize({ width: 1280, height: 860 }))

  it('finds a skill by words of its title and its vendor, and by its effect', async () => {
    const { page } = house
    await house.visit('/catalogue')
    await page.getByLabel('Search skills').fill('endpoint security unisolate')
    await page.getByRole('row', { name: 'Unisolate Machine' }).waitFor()
    await page.getByRole('row', { name: 'Update Case' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('row').count(), 'the head and two skills').to.equal(3)
    await page.getByRole('combobox', { name: 'Effect' }).click()
    await page.getByRole('option', { name: 'read' }).click()
    await page.getByText('No matching skills').waitFor()
    await house.visit('/catalogue?enriches=ip&plugin=greynoise')
    await page.getByRole('row', { name: 'GreyNoise' }).first().waitFor()
  })

  it('shows an interface with the skills that implement it, and the reverse', async () => {
    const { page } = house
    await house.visit('/catalogue/skills/interface.isolate_machine')
    await page.getByRole('link', { name: 'endpoint_security.isolate_machine' }).click()
    await page.getByRole('heading', { name: 'Isolate Machine' }).first().waitFor()
    await page.getByRole('link', { name: 'interface.isolate_machine' }).click()
    await page.getByText('Implemented by').waitFor()
    expect(await page.getByRole('button', { name: 'Try it' }).count()).to.equal(0)
  })

  it('shows a plugin with its skills, its connections and their set-up', async () => {
    const { page, server } = house
    const body = {
      organization_code: 'main',
      name: 'noise',
      plugin: 'greynoise',
      settings: { api_key: 'canary-key' },
    }
    expect((await server.call('/connections', { body })).status).to.equal(201)
    await house.visit('/catalogue/plugins')
    await page.getByRole('link', { name: 'GreyNoise' }).click()
    await page.getByRole('link', { name: 'noise', exact: true }).waitFor()
    await page.getByText('YAML', { exact: true }).waitFor()
    await page.getByText('plugins/greynoise').waitFor()
    await page.getByRole('link', { name: 'noise', exact: true }).click()
    await page.getByRole('link', { name: 'GreyNoise' }).click()
    await page.getByRole('link', { name: 'New connection' }).click()
    await page.getByLabel('API key').first().waitFor()
    await house.visit('/connections/new')
    await page.getByLabel('Search systems').fill('internet noise')
    await page.getByText('No matching system').waitFor()
    await page.getByLabel('Search systems').fill('greynoise')
    await page.getByRole('link', { name: 'AbuseIPDB' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'GreyNoise' }).waitFor()
  })

  it('shows a skill with its inputs, outputs and examples', async () => {
    const { page } = house
    await house.visit('/catalogue/skills/endpoint_security.isolate_machine')
    const inputs = page.getByRole('table', { name: 'Inputs' })
    await inputs.getByRole('row', { name: 'comment required' }).waitFor()
    await page.getByRole('table', { name: 'Outputs' }).waitFor()
    await page.getByText('of the class “containment”').waitFor()
    await page.getByText('Machine.Isolate', { exact: true }).waitFor()
    await page.getByText('uses: endpoint_security.isolate_machine').first().waitFor()
    await house.visit('/catalogue/skills/no.such')
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
  })

  for (const path of [
    '/catalogue',
    '/catalogue/plugins/endpoint_security',
    '/catalogue/skills/greynoise.get_ip',
  ])
    it(`fits a phone: ${path}`, async () => {
      const { page } = house
      await page.setViewportSize(phone)
      await house.visit(path)
      await settled(page)
      await picture(page, `phone${path.replaceAll('/', '-')}`)
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(phone.width)
      expect(await seriousFaults(page)).to.deep.equal([])
    })
})
