import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

/** `release` refuses other names of machines than `isolate`. */
const plugin = `
const machine = { type: 'object', additionalProperties: false, required: ['machine'], properties: { machine: { type: 'string' } } }
const write = {
  title: 'T', description: 'For tests.', effect: 'write', repeat: 'safe', destructive: 'containment',
  input: machine, output: { type: 'object' }, examples: [{ title: 'One', input: { machine: 'a' }, output: {} }],
}
export default {
  name: 'edr', title: 'EDR', description: 'For tests.',
  skills: [
    { ...write, name: 'isolate', run: async () => ({}), undoneBy: { skill: 'release', input: ({ machine }) => ({ machine }) } },
    {
      ...write, name: 'release', restores: true, run: async () => ({}),
      input: { ...machine, properties: { machine: { type: 'string', pattern: '^WS-[0-9]+$' } } },
      examples: [{ title: 'One', input: { machine: 'WS-1' }, output: {} }],
    },
  ],
}
`
const isolating = (name: string, machine: string, unless = '') => `
apiVersion: tocsin/v1
name: ${name}
on: { alert: { type: ${name} } }
steps:
  - uses: edr.isolate
    with: { machine: ${machine} }
    undo: { after: 4h${unless} }
`
const hour = 3_600_000

describe('containments on the page', function () {
  this.timeout(60_000)
  const house = openPage(
    {
      infected: isolating('infected', 'WS-1', ', unless: case.verdict == "malicious"'),
      spreading: isolating('spreading', 'WS-2-offline'),
    },
    { plugin },
  )

  async function contained(type: string) {
    const id = await house.postAlert(type)
    const { body } = await house.server.call(`/alerts/${id}`)
    return (await house.server.call(`/containments?case=${body.case_id}`)).body.data[0]
  }
  const now = async (id: string) =>
    (await house.server.call('/containments?state=all')).body.data.find(
      (one: { containment_id: string }) => one.containment_id === id,
    )
  const extend = (id: string, body: object) =>
    house.server.call(`/containments/${id}/extend`, { method: 'POST', body })

  it('show when they expire, and are extended', async () => {
    const { page } = house
    const one = await contained('infected')
    expect(one.expires_at - one.created_at).to.equal(4 * hour)
    await house.visit('/containments')
    await page.getByRole('button', { name: 'Extend' }).first().waitFor()
    await picture(page, 'containments')
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Extend' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('edr.isolate expires').waitFor()
    await dialog.getByLabel('1 day longer').check()
    await picture(page, 'containment-extend')
    expect(await seriousFaults(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Extend' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await now(one.containment_id)).expires_at).to.equal(one.expires_at + 24 * hour)
  })

  it('show their condition and owner in the case, and are left to people', async () => {
    const { page } = house
    const one = await contained('infected')
    await house.visit(`/cases/${one.case_id}`)
    await page.getByText('unless case.verdict == "malicious"').first().waitFor()
    await page.getByText('owner infected').first().waitFor()
    await page.getByRole('button', { name: 'Extend' }).first().click()
    await page.getByLabel('Until people undo it').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).click()
    await page.getByText('Only people undo it').first().waitFor()
    await picture(page, 'case-containment')
    expect((await now(one.containment_id)).expires_at).to.equal(null)
  })

  it('are undone at their expiry by the running server', async () => {
    const { containment_id: id, case_id: caseId } = await contained('infected')
    await extend(id, { until: Date.now() + 500 })
    await eventually('the undo', async () => ((await now(id)).state === 'undone' ? true : undefined))
    const { body } = await house.server.call(`/cases/${caseId}`)
    const texts = body.timeline.map(({ text }: { text: string }) => text)
    expect(texts.some((text: string) => text.includes('has expired: the run'))).to.equal(true)
  })

  it('stay, and say why, if the condition is true by then', async () => {
    const { containment_id: id, case_id: caseId } = await contained('infected')
    await house.server.call(`/cases/${caseId}`, {
      method: 'PATCH',
      body: { verdict: 'malicious' },
      headers: { 'if-match': '*' },
    })
    await extend(id, { until: Date.now() + 500 })
    await eventually('the decision', async () => ((await now(id)).note === null ? undefined : true))
    expect(await now(id)).to.include({ state: 'active', expires_at: null })
    await house.visit(`/cases/${caseId}`)
    await house.page.getByText('Case.verdict == "malicious" is true').first().waitFor()
  })

  it('are overdue with the reason if the undo fails', async () => {
    const { containment_id: id, case_id: caseId } = await contained('spreading')
    await extend(id, { until: Date.now() + 500 })
    await eventually('the failure', async () => ((await now(id)).state === 'overdue' ? true : undefined))
    await house.visit(`/cases/${caseId}`)
    await house.page.getByText('Overdue').first().waitFor()
    await house.page
      .getByText(/The run that was to undo it failed/)
      .first()
      .waitFor()
    await picture(house.page, 'containment-overdue')
    expect(await seriousFaults(house.page)).to.deep.equal([])
  })
})
