import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { fieldsOf } from '../../server/web/forms/form-fields.ts'
import { notPrefilledText, prefilled } from '../../server/web/playbooks/run/prefill.ts'
import { picture, seriousFaults, settled } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

/** Neither extracts observables nor looks any up. */
const quiet = `
apiVersion: tocsin/v1
name: quiet
on: { alert: { type: sign_in } }
steps: [{ return: 1 }]
`
const look = `
apiVersion: tocsin/v1
name: look-again
on: { manual: true }
inputs:
  ip: { type: string }
  reason: { type: string, enum: [routine, incident], default: routine }
  times: { type: integer, default: 2 }
steps: [{ return: '\${{ inputs.ip + " " + inputs.reason }}' }]
`
/** A host name from an attacker. */
const hostile = 'ws-7<img src=x onerror=alert(1)>\u202etxt.exe'

describe('observables in the page', function () {
  this.timeout(90_000)
  const house = openPage({ quiet, 'look-again': look })
  let cases: readonly string[]

  before(async () => {
    const contents = [
      { src_ip: '203.0.113.9', n: 1 },
      { src_ip: '203.0.113.9', url: `https://a.example/?q=${encodeURIComponent(hostile)}`, n: 2 },
    ]
    const ids: string[] = []
    for (const content of contents) ids.push(await house.postAlert('sign_in', JSON.stringify(content)))
    const seen = await eventually('the index has both alerts', async () => {
      const { body } = await house.server.call('/observables?observable=ip:203.0.113.9')
      return body.data[0]?.cases === 2 ? body.data[0] : undefined
    })
    expect(seen.alerts).to.equal(2)
    cases = await Promise.all(ids.map(async (id) => (await house.server.call(`/alerts/${id}`)).body.case_id))
  })

  it('are linked from a case, with the number of cases and the related ones', async () => {
    const { page } = house
    await house.visit(`/cases/${cases[0]}`)
    const table = page.getByRole('table', { name: 'Observables' })
    await table.getByText('Seen in 2 cases').waitFor()
    await page
      .getByRole('table', { name: 'Related cases' })
      .getByRole('link', { name: cases[1]!.toUpperCase() })
      .waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await settled(page)
    await picture(page, 'case-related')
    await table.getByRole('link', { name: '203.0.113.9' }).click()
    await page.getByRole('heading', { level: 1, name: 'ip 203.0.113.9' }).waitFor()
    for (const id of cases)
      await page.getByRole('table', { name: 'Cases' }).getByRole('link', { name: id.toUpperCase() }).waitFor()
    await page.getByText('Not looked up').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'observable')
  })

  it('are shown as text, whatever an attacker writes into them', async () => {
    const { page } = house
    await house.visit('/observables?kind=url')
    await page.getByText('https://a.example/?q=').first().click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.locator('img[src=x]').count()).to.equal(0)
    await house.visit(`/observables?observable=${encodeURIComponent(`host:${hostile}`)}`)
    await page.getByText('Not seen in any alert or run').waitFor()
    await page.getByText('‹U+202E›').first().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
  })

  it('filter the list of alerts', async () => {
    const { page } = house
    await house.visit('/alerts?observable=ip%3A203.0.113.9')
    await page.getByText('MAIN-CUSTOM-2').first().waitFor()
    await house.visit('/alerts?observable=nonsense')
    await page.getByText('must be a kind of observable').first().waitFor()
  })

  it('are given to a playbook that is run from them, from an alert or from a case', async () => {
    const { page, server } = house
    for (const path of [
      `/cases/${cases[0]}`,
      '/alerts/main-custom-1',
      '/observables?observable=ip:203.0.113.9',
    ]) {
      await house.visit(path)
      await page.getByRole('button', { name: 'Run playbook …' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('combobox', { name: 'Playbook' }).click()
      await page.getByRole('option', { name: 'look-again' }).click()
      expect(await dialog.getByLabel('ip').inputValue(), path).to.equal('203.0.113.9')
      expect(await seriousFaults(page)).to.deep.equal([])
      await picture(page, 'run-playbook')
      await dialog.getByRole('button', { name: 'Run', exact: true }).click()
      await page.waitForURL(/runs/)
      const uuid = page.url().split('/').at(-1) ?? ''
      const run = await eventually('the run has ended', async () => {
        const { body } = await server.call(`/runs/${uuid}`)
        return body.status === 'completed' ? body : undefined
      })
      expect(run.output).to.equal('203.0.113.9 routine')
      expect(run.case_id).to.equal(path.startsWith('/observables') ? null : cases[0])
    }
  })
})

describe('inputs that are filled in', () => {
  const fields = fieldsOf({ properties: { ip: { type: 'string' }, note: { type: 'string' } } })
  const text = (subject: Parameters<typeof prefilled>[1]) =>
    notPrefilledText(fields, subject, prefilled(fields, subject))
  const ip = (value: string) => ({ kind: 'ip', value })

  it('are explained if there are none', () => {
    expect(text({ caseId: 'main-1', observables: [] })).to.equal(
      'No input is filled in: the case has no observables.',
    )
    expect(text({ caseId: 'main-1', alertId: 'main-custom-1', observables: [] })).to.include('the alert has')
    expect(text({ caseId: 'main-1', observables: [ip('203.0.113.1'), ip('203.0.113.2')] })).to.include(
      'of which the case has exactly one',
    )
  })

  it('need no explanation if there is one, and without a subject or inputs', () => {
    expect(text({ caseId: 'main-1', observables: [ip('203.0.113.1')] })).to.equal(undefined)
    expect(text({})).to.equal(undefined)
    expect(text({ observables: [ip('203.0.113.1')] })).to.equal(undefined)
    expect(notPrefilledText([], { caseId: 'main-1', observables: [] }, {})).to.equal(undefined)
  })
})
