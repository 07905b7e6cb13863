import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { approvalTexts, approveText, itemText } from '../../server/web/checkpoints/approval.ts'
import { errorsOfRule, movedUp, namedOf, withNamed } from '../../server/web/directory/approval-rule.ts'

const plugin = `import { definePlugin, defineSkill } from 'tocsin/plugin'
const object = { type: 'object', additionalProperties: false }
export default definePlugin({
  name: 'dns', title: 'DNS', description: 'For tests.',
  skills: [
    defineSkill({
      name: 'block', title: 'Block Domain', description: 'Blocks a domain.', effect: 'write', repeat: 'safe', destructive: 'blocking',
      undoneBy: { skill: 'allow', input: ({ domain }) => ({ domain }) },
      input: { ...object, required: ['domain'], properties: { domain: { type: 'string' } } },
      output: { ...object, required: ['domain'], properties: { domain: { type: 'string' } } },
      examples: [{ title: 'One', input: { domain: 'a.example' }, output: { domain: 'a.example' } }],
      run: async ({ domain }) => ({ domain }),
    }),
    defineSkill({
      name: 'allow', title: 'Allow Domain', description: 'Allows a domain.', effect: 'write', repeat: 'safe', destructive: 'blocking', restores: true,
      input: { ...object, required: ['domain'], properties: { domain: { type: 'string' } } },
      output: { ...object, properties: {} }, examples: [{ title: 'One', input: { domain: 'a.example' }, output: {} }],
      run: async () => ({}),
    }),
  ],
})`

const blockAll = `apiVersion: tocsin/v1
name: block-all
on: { alert: { type: domains } }
alert: { type: object, required: [domains], properties: { domains: { type: array, items: { type: string } } } }
steps:
  - id: block
    foreach: \${{ alert.data.domains }}
    as: domain
    on_item_error: continue
    uses: dns.block
    with: { domain: '\${{ domain }}' }
  - return: { blocked: '\${{ steps.block.output.map(each, each.domain) }}' }
`

describe('approvals on the web page', function () {
  this.timeout(90_000)
  const house = openPage({ 'block-all': blockAll }, { plugin })
  const domains = [
    ...Array.from({ length: 29 }, (_, index) => `bad${index}.example`),
    '<b>evil</b>\u202Emoc.elgoog',
  ]

  it('edit the rules of an organization in a form, and show what is wrong at the rule', async () => {
    const { page } = house
    await house.visit('/organizations')
    await page.getByRole('row', { name: 'main' }).getByRole('button', { name: 'Approvals' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('No rules', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    const rule = dialog.getByRole('group', { name: 'Rule 1' })
    await rule.getByLabel('Name').fill('Blocks')
    await rule.getByLabel('Classes').click()
    await page.getByRole('option', { name: 'blocking' }).click()
    await page.keyboard.press('Escape')
    await rule.getByLabel('Approvers: people and keys', { exact: true }).first().click()
    await page.getByRole('option', { name: /^API key bootstrap/ }).waitFor()
    await page.keyboard.press('Escape')
    await rule.getByLabel('People who must approve').fill('5')
    await dialog.getByRole('button', { name: 'Save rules' }).click()
    await rule.getByText('approvals: nobody could satisfy the rule').waitFor()
    await rule.getByLabel('People who must approve').fill('1')
    await rule.getByLabel('Expires after (minutes)').fill('240')
    await rule.getByLabel('Escalates after (minutes)').fill('60')
    await picture(page, 'approval-rules')
    expect(await seriousFaults(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Save rules' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { body } = await house.server.call('/organizations/main/approval-rules')
    expect(body.rules[0]).to.deep.include({
      name: 'Blocks',
      approvals: 1,
      expires_minutes: 240,
      escalate: { after_minutes: 60, by: { roles: [], keys: [], accounts: [] } },
    })
    expect(body.rules[0].match.classes).to.deep.equal(['blocking'])
  })

  it('show all actions of a question selected, and approve those that stay selected', async () => {
    const { page, server } = house
    // The administrator cannot approve what the administrator requests.
    const { body: intake } = await server.call('/keys', { body: { name: 'alerts', role: 'intake' } })
    await server.call('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'domains',
        alert_content: JSON.stringify({ domains }),
      },
      key: intake.key,
    })
    await house.visit('/checkpoints')
    const card = page.getByRole('article')
    await card.getByText('Approval rule 1: Blocks').waitFor()
    await card.getByText('1 person must approve.').waitFor()
    await card.getByText('30 of 30 selected').waitFor()
    expect(await card.innerText())
      .to.include('Block Domain (dns.block).')
      .and.include('Allow Domain (dns.allow) undoes it.')
    expect(await card.innerText(), 'text of an alert')
      .to.include('<b>evil</b>')
      .and.not.include('\u202E')
    await card.getByLabel('Approve domain: bad1.example', { exact: true }).uncheck()
    await card.getByLabel(/Approve domain: <b>evil/).uncheck()
    await card.getByText('28 of 30 selected').waitFor()
    await picture(page, 'approval-of-many')
    expect(await seriousFaults(page)).to.deep.equal([])
    await card.getByRole('button', { name: 'Select none' }).click()
    expect(await card.getByRole('button', { name: 'Approve 0 of 30' }).isDisabled()).to.equal(true)
    await card.getByRole('button', { name: 'Select all' }).click()
    await card.getByLabel('Approve domain: bad1.example', { exact: true }).uncheck()
    await card.getByLabel(/Approve domain: <b>evil/).uncheck()
    await card.getByRole('button', { name: 'Approve 28 of 30' }).click()
    await page.getByRole('button', { name: 'Yes, answer “Approve 28 of 30”' }).click()
    await card.getByText('except 2').waitFor()
    await card.getByText('Approve 28 of 30, answered by').waitFor()
    expect(await card.getByLabel(/Approve domain: <b>evil/).isChecked()).to.equal(false)
    await picture(page, 'approval-answered')
    const blocked = await eventually('the end of the run', async () => {
      const { body } = await server.call('/runs?limit=1')
      const { body: run } = await server.call(`/runs/${body.data[0].run_uuid}`)
      return run.output?.blocked as readonly string[] | undefined
    })
    expect(blocked).to.deep.equal(
      domains.filter((domain) => domain !== 'bad1.example' && !domain.startsWith('<b>')),
    )
  })
})

describe('the texts of approvals', () => {
  const by = { roles: [], keys: [], accounts: [] }
  const terms = {
    rule: null,
    needed: 1,
    missing: 1,
    approved: [],
    by,
    escalation: null,
    connection: null,
    input_hash: 'f',
  }

  it('say who must approve, and how many are missing', () => {
    expect(approvalTexts(terms)).to.deep.equal([
      '1 person must approve. Anyone with the permission to approve may approve. Anyone who can answer may refuse.',
    ])
    const two = {
      ...terms,
      rule: { place: 2, name: 'Containment' },
      needed: 2,
      by: { roles: ['admin' as const], keys: ['k1'], accounts: ['a', 'b'] },
      escalation: { at: 1, by: { ...by, roles: ['analyst' as const] } },
    }
    expect(approvalTexts(two)).to.deep.equal([
      'Approval rule 2: Containment',
      '2 different people must approve, 1 missing. Anyone with the role admin, 2 named people, 1 named API key may approve; after the escalation also anyone with the role analyst. Anyone who can answer may refuse.',
    ])
    expect(approveText({ inputs: [], count: 30 }, 0)).to.equal('Approve all 30')
    expect(approveText({ inputs: [], count: 30 }, 2)).to.equal('Approve 28 of 30')
    expect(itemText({ domain: 'a.example', tags: ['x'] })).to.equal('domain: a.example, tags: ["x"]')
  })

  it('show errors at their rule', () => {
    const errors = [
      { pointer: '/rules/1/match/skills/0', message: 'is unknown' },
      { pointer: '/rules/10/approvals', message: 'no' },
    ]
    expect(errorsOfRule(errors, 1)).to.deep.equal(['skills: is unknown'])
    expect(errorsOfRule(errors, 10)).to.deep.equal(['approvals: no'])
    expect(movedUp(['a', 'b', 'c'], 2)).to.deep.equal(['a', 'c', 'b'])
    expect(movedUp(['a'], 0)).to.deep.equal(['a'])
    expect(namedOf(withNamed({ roles: [] }, ['key k', 'account u']))).to.deep.equal(['account u', 'key k'])
  })
})
