import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const source = (name: string, head: string, steps: string) =>
  `apiVersion: tocsin/v1\nname: ${name}\n${head}on: { alert: { type: login } }\nsteps:\n${steps}`
const verdictIf = (condition: string) =>
  `  - uses: case.update\n    with: { verdict: '\${{ ${condition} ? "malicious" : "benign" }}' }\n`
const playbooks = {
  login: source('login', '', verdictIf('alert.data.country == "KP"')),
  'login-shadow': source(
    'login-shadow',
    'mode: shadow\nbeside: login\n',
    `${verdictIf('alert.data.country != "DE"')}  - if: alert.data.country == "RU"
    checkpoint: { via: operator, with: { message: Was it you? }, answers: [yes, no], timeout: 1h, on_timeout: no }
`,
  ),
}

describe('a playbook in shadow in the page', function () {
  this.timeout(60_000)
  const house = openPage(playbooks)

  const judged = async (alerts: number) =>
    await eventually('the end of judging', async () => {
      const { body } = await house.server.call('/playbooks/login-shadow/shadow')
      return body.alerts === alerts ? true : undefined
    })

  it('shows the report, and both decisions of an alert', async () => {
    const { page } = house
    await house.postAlert('login', '{"country":"DE"}')
    await house.postAlert('login', '{"country":"KP"}')
    const id = await house.postAlert('login', '{"country":"RU"}')
    await judged(3)
    const { case_id: caseId } = (await house.server.call(`/alerts/${id}`)).body
    await house.server.call(`/cases/${caseId}`, { method: 'PATCH', body: { verdict: 'malicious' } })
    await house.visit('/playbooks')
    await page.getByRole('row', { name: /login-shadow.*In shadow/ }).waitFor()
    await house.visit('/playbooks/login')
    await page.getByRole('link', { name: 'login-shadow' }).click()
    await page.getByText('3 alerts: 2 agree, 1 differs, 0 not judged.').waitFor()
    await page.getByText('In shadow', { exact: true }).waitFor()
    await page.getByText('Same verdict for 2 of 3.').waitFor()
    await page.getByText('Same verdict for 1 of 1. Live run: Same verdict for 0 of 1.').waitFor()
    const row = page.getByRole('region', { name: id.toUpperCase() })
    await row.getByText('verdict benign → malicious').waitFor()
    await row.getByText('analysts: malicious').waitFor()
    await row.getByRole('button', { name: id.toUpperCase() }).click()
    await row.getByText('would have asked over operator').waitFor()
    await row.getByText('completed, verdict malicious, severity not set').waitFor()
    await row.getByRole('group', { name: 'Steps live' }).getByRole('button').first().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'shadow')
  })

  it('lists the alerts by outcome', async () => {
    const { page } = house
    await page.getByText('Agree', { exact: true }).click()
    await page.getByRole('region', { name: 'MAIN-CUSTOM-1' }).waitFor()
    await page.getByText('Not judged', { exact: true }).click()
    await page.getByText('None in this time.').waitFor()
  })

  it('promotes the shadow after a confirmation', async () => {
    const { page } = house
    await page.getByRole('button', { name: 'Promote' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Replace login by login-shadow?').waitFor()
    await dialog.getByRole('button', { name: 'Promote' }).click()
    await page.getByRole('heading', { level: 1, name: 'login', exact: true }).waitFor()
    await page.getByText('Live', { exact: true }).first().waitFor()
    const { body } = await house.server.call('/playbooks/login')
    expect(body.source).to.contain('alert.data.country != "DE"').and.not.contain('mode: shadow')
    expect((await house.server.call('/playbooks/login-shadow/shadow')).status).to.equal(404)
  })
})
