import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const hostile = '<img src=x onerror=alert(1)>'

const plugin = `
export default {
  name: 'oracle', title: 'Oracle', description: 'Knows addresses.',
  skills: [{
    name: 'look', title: 'Look up', description: 'Looks an address up.', effect: 'read',
    enriches: ['ip'],
    input: {
      type: 'object', additionalProperties: false, required: ['kind', 'value'],
      properties: { kind: { enum: ['ip'], description: 'Kind.' }, value: { type: 'string', description: 'Value.' } },
    },
    output: {
      type: 'object', required: ['risk'],
      properties: {
        risk: {
          type: 'object', required: ['score'],
          properties: { score: { type: ['number', 'null'], minimum: 0, maximum: 100, description: 'From 0 to 100.' } },
        },
      },
    },
    examples: [{ title: 'One', input: { kind: 'ip', value: '203.0.113.7' }, output: { risk: { score: 1 } } }],
    async run({ value }) {
      return {
        verdict: 'malicious', risk: { score: 92 }, about: value, note: '${hostile} '.repeat(40),
        reports: [{ source: '${hostile}' }],
      }
    },
  }],
}
`
const asking = `
apiVersion: tocsin/v1
name: asking
on: { alert: { type: asked } }
steps: [{ uses: oracle.look, with: { kind: ip, value: '203.0.113.77' } }]
`

describe('evidence in a case', function () {
  this.timeout(60_000)
  const house = openPage({ asking }, { plugin })

  it('is a card that links to observables, folds long texts and shows the JSON on request', async () => {
    const { page, server } = house
    const { body } = await server.call(`/alerts/${await house.postAlert('asked')}`)
    await house.visit(`/cases/${body.case_id}`)
    await page.getByRole('button', { name: 'Evidence' }).click()
    const card = page.getByRole('group', { name: 'Output of look (oracle.look)' })
    await card.getByText('Malicious').waitFor()
    await card.getByText('92').waitFor()
    await card.getByRole('link', { name: '203.0.113.77' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    expect(await card.locator('img').count()).to.equal(0)
    const length = (await card.innerText()).length
    await card.getByRole('button', { name: 'Show all' }).click()
    expect((await card.innerText()).length).to.be.above(length + 500)
    await card.getByRole('button', { name: 'Show raw' }).click()
    const raw = card.getByRole('region', { name: 'Output of look (oracle.look), raw' })
    expect(await raw.innerText()).to.contain('"verdict": "malicious"')
    expect(await card.locator('img').count()).to.equal(0)
  })

  it('is the same card on the page of the run', async () => {
    const { page, server } = house
    const { body } = await server.call(`/alerts/${await house.postAlert('asked')}`)
    const [run] = (await server.call(`/runs?alert=${body.alert_id}`)).body.data
    await house.visit(`/runs/${run.run_uuid}`)
    const step = page.getByRole('region', { name: 'Step', exact: true })
    const card = step.getByRole('group', { name: /^Output of/ })
    await card.getByRole('heading', { name: 'Output' }).waitFor()
    await card.getByText('Malicious').waitFor()
    await card.getByRole('link', { name: '203.0.113.77' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'run-evidence')
    expect(await card.locator('img').count()).to.equal(0)
    await card.getByRole('button', { name: 'Show raw' }).click()
    expect(await card.getByRole('region', { name: /, raw$/ }).innerText()).to.contain(
      '"verdict": "malicious"',
    )
  })

  it('fits a phone', async () => {
    const { page } = house
    await page.setViewportSize({ width: 375, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(375)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await seriousFaults(page)).to.deep.equal([])
  })
})
