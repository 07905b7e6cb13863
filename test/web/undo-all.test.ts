import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { loseAnswer } from './support/lose-answer.ts'
import { openPage } from './support/open-page.ts'

const plugin = `
const machine = { type: 'object', additionalProperties: false, required: ['machine'], properties: { machine: { type: 'string' } } }
const base = { title: 'T', description: 'For tests.', input: machine, output: { type: 'object' }, examples: [{ title: 'One', input: { machine: 'a' }, output: {} }] }
const write = { ...base, effect: 'write', repeat: 'safe', destructive: 'containment', run: async () => ({}) }
const given = ({ machine }) => ({ machine })
export default {
  name: 'edr', title: 'EDR', description: 'For tests.',
  skills: [
    {
      ...write, name: 'isolate', undoneBy: { skill: 'release', input: given },
      stateBy: { skill: 'get_state', input: given, contained: () => true, released: () => false },
    },
    { ...write, name: 'block', undoneBy: { skill: 'release', input: given }, stateUnreadable: 'the vendor has no list' },
    { ...write, name: 'release', restores: true },
    { ...base, name: 'get_state', effect: 'read', run: async () => ({}) },
  ],
}
`
const spreading = `
apiVersion: tocsin/v1
name: spreading
on: { alert: { type: spreading } }
steps:
  - { id: one, uses: edr.isolate, with: { machine: WS-1 } }
  - { id: two, uses: edr.isolate, with: { machine: "\\u202EWS-2" } }
  - { id: three, uses: edr.block, with: { machine: WS-3 } }
`

describe('the containments of a case or a run on the page', function () {
  this.timeout(60_000)
  const house = openPage({ spreading }, { plugin, env: { TOCSIN_DESTRUCTIVE_PER_HOUR: '100' } })

  async function contained() {
    const id = await house.postAlert('spreading')
    const { body } = await house.server.call(`/alerts/${id}`)
    const caseId = body.case_id as string
    const { data } = (await house.server.call(`/containments?case=${caseId}`)).body
    return { caseId, runUuid: data[0].action.run_uuid as string }
  }
  const standing = async (caseId: string): Promise<number> =>
    (await house.server.call(`/containments?case=${caseId}`)).body.data.length

  async function undoAll(): Promise<string> {
    const { page } = house
    await page.getByRole('button', { name: 'Undo all' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('edr.release for machine: WS-1').waitFor()
    const text = await dialog.innerText()
    await picture(page, 'undo-all')
    expect(await seriousFaults(page)).to.deep.equal([])
    await loseAnswer(page, '**/containments/undo')
    await dialog.getByRole('button', { name: 'Undo 3' }).click()
    await page.getByText('Undoing 3 of 3 containments').first().waitFor()
    await dialog.waitFor({ state: 'detached' })
    return text
  }

  it('are undone together after a confirmation that lists them, and the case follows', async () => {
    const { caseId } = await contained()
    await house.visit(`/cases/${caseId}`)
    await house.page.getByText('State cannot be read: the vendor has no list').waitFor()
    const text = await undoAll()
    for (const machine of ['WS-1', 'WS-2', 'WS-3']) expect(text).to.include(machine)
    expect(text, 'a hidden character').to.not.include('\u202E')
    await eventually('the undo', async () => (await standing(caseId)) === 0 || undefined)
    // Without a reload.
    await house.page.getByText('Undone', { exact: true }).nth(2).waitFor()
    await picture(house.page, 'undone-all')
    expect(await house.page.getByRole('button', { name: 'Undo all' }).count()).to.equal(0)
  })

  it('are on the page of the run that made them', async () => {
    const { caseId, runUuid } = await contained()
    await house.visit(`/runs/${runUuid}`)
    await undoAll()
    await eventually('the undo', async () => (await standing(caseId)) === 0 || undefined)
  })
})
