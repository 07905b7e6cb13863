import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import type { ApprovalTerms } from '../../core/domain/destructive-use.ts'
import { makeKey } from '../../server/access/keys.ts'
import { ruleFor, type UseFacts } from '../../core/destructive/approval-rules.ts'
import { readBlocks } from '../support/guide-page.ts'
import { somebody } from '../support/somebody.ts'
import { catalogue, withSteps } from '../playbook/support.ts'
import { startApi, type Api } from './support/api.ts'
import { newPerson, type TestPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'

const path = '/api/organizations/acme/approval-rules'

describe('approval rules over the API', () => {
  let api: Api
  beforeEach(async () => {
    api = await startApi({}, undefined, catalogue)
  })
  afterEach(() => api.close())

  const put = (body: unknown, ifMatch = '*') =>
    api.call('PUT', path, { body, headers: { 'if-match': ifMatch } })
  /** Like a key of `tocsin keys create`: no other key created it. */
  async function ownKey(role: 'analyst' | 'admin'): Promise<string> {
    const { value, id, secretHash } = makeKey()
    const key = { id, secretHash, name: role, role, organizationUuids: null, expiresAt: null }
    await api.stores.keys.create(key, { kind: 'command', id: 'root', name: 'root', requestId: null })
    return value
  }
  const idOf = (key: string): string => key.split('_')[1]!

  const rule = {
    name: 'Two people isolate',
    match: { classes: ['containment'], severity_at_least: 'high' },
    approvals: 2,
    by: { roles: ['admin', 'analyst'] },
    expires_minutes: 240,
    escalate: { after_minutes: 60, by: { roles: ['admin'] } },
  }

  it('are replaced as a whole, need the current ETag, are complete in the answer, and are recorded', async () => {
    await ownKey('analyst')
    const { headers, json } = await api.call('GET', path)
    expect(json).to.deep.include({ organization_code: 'acme', rules: [], warnings: [] })
    const tag = headers.get('etag') ?? ''
    expect((await api.call('PUT', path, { body: { rules: [] } })).status).to.equal(428)
    expect((await put({ rules: [rule] }, tag)).status).to.equal(200)
    expect((await put({ rules: [] }, tag)).status, 'seen before').to.equal(412)
    const stored = (await api.call('GET', path)).json
    expect(stored.rules).to.deep.equal([
      {
        ...rule,
        match: {
          classes: ['containment'],
          skills: [],
          playbooks: [],
          severity_at_least: 'high',
          severity_at_most: null,
        },
        by: { roles: ['admin', 'analyst'], keys: [], accounts: [] },
        escalate: { after_minutes: 60, by: { roles: ['admin'], keys: [], accounts: [] } },
      },
    ])
    const { data } = await api.stores.audit.list('all', { action: 'organization.changed' }, { limit: 5 })
    expect(data[0]?.details).to.have.nested.property('approval_rules[0].approvals', 2)
    expect((await put({ rules: stored.rules })).json.rules, 'as it was read').to.deep.equal(stored.rules)
    expect((await put({ rules: [] })).json.rules).to.deep.equal([])
    const other = await api.call('GET', '/api/organizations/globex/approval-rules')
    expect(other.json.rules).to.deep.equal([])
  })

  for (const [title, wrong, pointer] of [
    ['no list', { rules: {} }, '/rules'],
    ['nothing', {}, '/rules'],
    ['a rule that is a text', { rules: ['two'] }, '/rules/0'],
    ['no number of approvals', { rules: [{}] }, '/rules/0/approvals'],
    ['a negative number', { rules: [{ approvals: -1 }] }, '/rules/0/approvals'],
    ['half an approval', { rules: [{ approvals: 0.5 }] }, '/rules/0/approvals'],
    ['a number as text', { rules: [{ approvals: '2' }] }, '/rules/0/approvals'],
    ['six approvals', { rules: [{ approvals: 6 }] }, '/rules/0/approvals'],
    ['an unknown field', { rules: [{ approvals: 1, who: 'me' }] }, '/rules/0/who'],
    [
      'an unknown class',
      { rules: [{ approvals: 1, match: { classes: ['isolation'] } }] },
      '/rules/0/match/classes/0',
    ],
    [
      'a class that is not in a list',
      { rules: [{ approvals: 1, match: { classes: 'blocking' } }] },
      '/rules/0/match/classes',
    ],
    [
      'an unknown severity',
      { rules: [{ approvals: 1, match: { severity_at_least: 'urgent' } }] },
      '/rules/0/match/severity_at_least',
    ],
    [
      'a misspelled skill',
      { rules: [{ approvals: 1 }, { approvals: 1, match: { skills: ['edr.isolat'] } }] },
      '/rules/1/match/skills/0',
    ],
    [
      'a role that cannot answer',
      { rules: [{ approvals: 1, by: { roles: ['reader'] } }] },
      '/rules/0/by/roles/0',
    ],
    [
      'an unknown key',
      { rules: [{ approvals: 1, by: { keys: ['nobody'], accounts: [] } }] },
      '/rules/0/by/keys/0',
    ],
    [
      'an unknown account',
      { rules: [{ approvals: 1, by: { accounts: ['nobody'] } }] },
      '/rules/0/by/accounts/0',
    ],
    ['no time', { rules: [{ approvals: 1, expires_minutes: 0 }] }, '/rules/0/expires_minutes'],
    [
      'an escalation to nobody',
      { rules: [{ approvals: 1, escalate: { after_minutes: 5 } }] },
      '/rules/0/escalate/by',
    ],
    [
      'an escalation after the end',
      { rules: [{ approvals: 1, expires_minutes: 5, escalate: { after_minutes: 5, by: {} } }] },
      '/rules/0/escalate/after_minutes',
    ],
    ['more people than there are', { rules: [{ approvals: 5 }] }, '/rules/0/approvals'],
    ['51 rules', { rules: Array.from({ length: 51 }, () => ({ approvals: 1 })) }, '/rules'],
    ['a name with a line break', { rules: [{ approvals: 1, name: 'a\nb' }] }, '/rules/0/name'],
  ] as const)
    it(`refuse ${title} at ${pointer} and stay unchanged`, async () => {
      const { status, json } = await put(wrong)
      expect(status).to.equal(400)
      expect(json.errors.map((error: { pointer: string }) => error.pointer)).to.include(pointer)
      expect((await api.call('GET', path)).json.rules).to.deep.equal([])
    })

  it('are accepted as docs/how-to/approval-rules.md shows them, and decide as it says', async () => {
    const page = readBlocks('docs/how-to/approval-rules.md')
    const shown = JSON.parse(page.find(({ kind }) => kind === 'json')?.text ?? '')
    for (const { text } of page)
      for (const [, role] of text.matchAll(/^tocsin keys create \w+ --role (\w+)$/gm))
        await ownKey(role as 'analyst' | 'admin')
    const { status, json, text: reply } = await put(shown)
    expect(status, reply).to.equal(200)
    expect(json.warnings).to.deep.equal([])
    const rules = (await api.stores.organizations.list('all')).find(
      ({ code }) => code === 'acme',
    )?.approvalRules
    const isolation = {
      class: 'containment',
      skill: 'edr.isolate',
      implements: ['isolate_machine'],
      playbook: 'p',
    } as const
    const placeOf = (use: Partial<UseFacts>) =>
      ruleFor(rules ?? [], { ...isolation, severity: 'high', ...use })?.place
    expect([
      placeOf({}),
      placeOf({ severity: 'critical' }),
      placeOf({ class: 'blocking', implements: [] }),
      placeOf({ class: 'deletion', implements: [] }),
    ]).to.deep.equal([1, 2, 3, undefined])
  })

  it('show in a dry run which approvals the playbook would need in the organization', async () => {
    await put({
      rules: [
        { name: 'Isolation', match: { skills: ['edr.isolate'], severity_at_least: 'high' }, approvals: 1 },
      ],
    })
    const source = withSteps('- { uses: edr.isolate, with: { id: m1 } }')
    const asked = async (organization: string, severity: string) => {
      const body = {
        organization_code: organization,
        source,
        alert_content: JSON.stringify({ severity }),
      }
      const { json } = await api.call('POST', '/api/playbooks/dry-run', { body })
      return json.end?.would_ask ?? json
    }
    const text = 'would ask for 1 approval: 1 containment action of edr.isolate, approval rule 1 (Isolation)'
    expect(await asked('acme', 'high')).to.deep.equal([text])
    expect(await asked('acme', 'low')).to.deep.equal([])
    expect(await asked('globex', 'high')).to.deep.equal([])
    await put({ rules: [] })
    expect(await asked('acme', 'high'), 'after a change').to.deep.equal([])
  })

  it('warn when a key that a rule names is revoked', async () => {
    const id = idOf(await ownKey('analyst'))
    expect(
      (await put({ rules: [{ approvals: 1, by: { keys: [id], accounts: [] } }] })).json.warnings,
    ).to.deep.equal([])
    await api.stores.keys.revoke(id, somebody())
    const { warnings } = (await api.call('GET', path)).json
    expect(warnings.map((each: { message: string }) => each.message)).to.deep.equal([
      'nobody could satisfy the rule: it needs 1 person, and nobody can approve; keys with a common creator count as one person',
      `the key ${id} can no longer approve`,
    ])
  })

  describe('of a question', () => {
    let own: string
    beforeEach(async () => {
      own = await api.newKey('analyst', ['acme'])
    })

    /** A question about a run of an alert sent with the key `own`, or by the requester. */
    async function ask(
      terms: Partial<ApprovalTerms> = {},
      count = 1,
      requester?: TestPerson,
    ): Promise<string> {
      const body = { alert_provider: 'SIEM', organization_code: 'acme', alert_type: 't', alert_content: 'x' }
      await (requester?.call('POST', '/api/alerts', { body }) ??
        api.call('POST', '/api/alerts', { key: own, body }))
      const { uuid: alertUuid, organizationUuid } = api.submitted.at(-1) as Alert
      const queued = { organizationUuid, playbookName: 'p', playbookHash: 'h', alertUuid }
      const { uuid } = await api.stores.runs.queue(queued)
      await api.stores.runs.start(uuid, { title: 'A case' })
      const approval: ApprovalTerms = {
        rule: { place: 1, name: 'Two people' },
        needed: 2,
        by: { roles: [], keys: [], accounts: [] },
        escalation: null,
        expiresMs: 60_000,
        inputHash: 'f'.repeat(64),
        connection: 'edr',
        ...terms,
      }
      const inputs = Array.from({ length: count }, (_, item) => ({ domain: `${item}.example` }))
      const question = {
        via: 'operator',
        input: { message: 'Approve?', skill: 'tower.block', class: 'blocking', count, inputs },
        answers: ['approve', 'refuse'],
        form: null,
        approval,
      }
      const asked = { path: 'i/@approval', stepId: 'i', question, timeoutAt: api.clock.time + 3_600_000 }
      return (await api.stores.checkpoints.open(uuid, asked)).id
    }
    const give = (id: string, key: string | undefined, body: object = { answer: 'approve' }) =>
      api.call('POST', `/api/checkpoints/${id}/answer`, { ...(key !== undefined && { key }), body })

    it('tell who approved, how many approvals are missing, who may approve, and what exactly', async () => {
      const id = await ask()
      const first = await ownKey('analyst')
      const { json } = await give(id, first)
      expect(json.outcome).to.equal('counted')
      expect(json.checkpoint).to.include({ state: 'waiting', answer: null })
      expect(json.checkpoint.approval).to.deep.include({
        rule: { place: 1, name: 'Two people' },
        needed: 2,
        missing: 1,
        by: { roles: [], keys: [], accounts: [] },
        escalation: null,
        connection: 'edr',
        input_hash: 'f'.repeat(64),
      })
      expect(json.checkpoint.approval.approved[0].actor.id).to.equal(first.split('_')[1])
      expect((await give(id, first)).json.outcome).to.equal('same_person')
      const second = await give(id, await ownKey('admin'))
      expect(second.json.outcome).to.equal('accepted')
      expect(second.json.checkpoint.approval)
        .to.include({ missing: 0 })
        .and.have.property('approved')
        .with.lengthOf(2)
    })

    it('never let the requester approve, nor a key that it created', async () => {
      const id = await ask({ needed: 1 })
      expectProblem(await give(id, own), 403, 'approval_by_requester')
      expect((await give(id, own, { answer: 'refuse' })).json.outcome).to.equal('accepted')
    })

    it('refuse people outside of the rule, say who may, and let them refuse the action', async () => {
      const allowed = await api.newKey('analyst')
      const other = await api.newKey('analyst')
      const keyId = allowed.split('_')[1]!
      const id = await ask({ needed: 1, by: { roles: ['admin'], keys: [keyId], accounts: [] } })
      const refused = await give(id, other)
      expectProblem(refused, 403, 'approver_not_allowed')
      expect(refused.json.detail).to.equal(
        `the key ${other.split('_')[1]} cannot approve this: approval rule 1 (Two people): anyone with the role admin, or the key ${keyId} may; 1 approval missing`,
      )
      expect((await give(id, allowed)).json.outcome).to.equal('accepted')
      const second = await ask({ needed: 1, by: { roles: ['admin'], keys: [], accounts: [] } })
      expect((await give(second, other, { answer: 'refuse' })).json.outcome).to.equal('accepted')
    })

    it('let people approve with their accounts, by the role in the organization, but never the requester', async () => {
      const requester = await newPerson(api, 'Rita', ['admin'])
      const [ana, ben] = [
        await newPerson(api, 'Ana', ['analyst', 'acme']),
        await newPerson(api, 'Ben', ['admin']),
      ]
      const approve = { body: { answer: 'approve' } }
      const answerOf = (id: string) => `/api/checkpoints/${id}/answer`
      const first = await ask({ needed: 2 }, 1, requester)
      expectProblem(await requester.call('POST', answerOf(first), approve), 403, 'approval_by_requester')
      expect((await ana.call('POST', answerOf(first), approve)).json.outcome).to.equal('counted')
      expect((await ana.call('POST', answerOf(first), approve)).json.outcome).to.equal('same_person')
      expect((await ben.call('POST', answerOf(first), approve)).json.outcome).to.equal('accepted')
      const second = await ask({ needed: 1, by: { roles: ['admin'], keys: [], accounts: [] } })
      expectProblem(await ana.call('POST', answerOf(second), approve), 403, 'approver_not_allowed')
      expect((await ben.call('POST', answerOf(second), approve)).json.outcome).to.equal('accepted')
      const third = await ask({ needed: 1, by: { roles: [], keys: [], accounts: [ana.uuid] } })
      expectProblem(await ben.call('POST', answerOf(third), approve), 403, 'approver_not_allowed')
      expect((await ana.call('POST', answerOf(third), approve)).json.outcome).to.equal('accepted')
    })

    it('count custom roles, and refuse people whose roles only answer questions', async () => {
      await api.call('POST', '/api/roles', {
        body: {
          name: 'desk',
          description: 'For a test',
          permissions: ['runs:read', 'questions:write', 'approvals:write'],
        },
      })
      await api.call('POST', '/api/roles', {
        body: { name: 'asks', description: 'For a test', permissions: ['runs:read', 'questions:write'] },
      })
      const [dora, ada] = [
        await newPerson(api, 'Dora', ['desk', 'acme']),
        await newPerson(api, 'Ada', ['admin']),
      ]
      const asks = await newPerson(api, 'Asa', ['asks'], ['desk', 'globex'])
      const { status, text } = await put({ rules: [{ approvals: 1, by: { roles: ['desk'] } }] })
      expect(status, text).to.equal(200)
      const approve = { body: { answer: 'approve' } }
      const id = await ask({ needed: 1, by: { roles: ['desk'], keys: [], accounts: [] } })
      const refused = await asks.call('POST', `/api/checkpoints/${id}/answer`, approve)
      expectProblem(refused, 403, 'approver_not_allowed')
      expect(refused.json.detail).to.include("no role with the permission 'approvals:write'")
      expectProblem(
        await ada.call('POST', `/api/checkpoints/${id}/answer`, approve),
        403,
        'approver_not_allowed',
      )
      expect((await dora.call('POST', `/api/checkpoints/${id}/answer`, approve)).json.outcome).to.equal(
        'accepted',
      )
    })

    it('do not count the approval of a person whose account was disabled since', async () => {
      const id = await ask({ needed: 2 })
      const [ana, ben] = [await newPerson(api, 'Ana', ['analyst']), await newPerson(api, 'Ben', ['analyst'])]
      await ana.call('POST', `/api/checkpoints/${id}/answer`, { body: { answer: 'approve' } })
      await api.stores.accounts.disable(ana.uuid, somebody())
      const { json } = await ben.call('POST', `/api/checkpoints/${id}/answer`, {
        body: { answer: 'approve' },
      })
      expect(json.outcome).to.equal('counted')
      expect(json.checkpoint.approval.missing).to.equal(1)
    })

    it('do not count the approval with a key whose owner was disabled since', async () => {
      const id = await ask({ needed: 2 })
      const [ana, ben] = [await newPerson(api, 'Ana', ['analyst']), await newPerson(api, 'Ben', ['analyst'])]
      const key = await ownKey('analyst')
      await api.stores.keys.change(idOf(key), { ownerUuid: ana.uuid }, undefined, somebody())
      expect((await give(id, key)).json.outcome).to.equal('counted')
      await api.stores.accounts.disable(ana.uuid, somebody())
      const { json } = await ben.call('POST', `/api/checkpoints/${id}/answer`, {
        body: { answer: 'approve' },
      })
      expect(json.outcome).to.equal('counted')
      expect(json.checkpoint.approval.missing).to.equal(1)
    })

    it('let further people approve after the time of the escalation', async () => {
      const escalation = {
        atMs: api.clock.time + 1_000,
        by: { roles: ['analyst'], keys: [], accounts: [] },
      } as const
      const id = await ask({ needed: 1, by: { roles: ['admin'], keys: [], accounts: [] }, escalation })
      const analyst = await api.newKey('analyst')
      expectProblem(await give(id, analyst), 403, 'approver_not_allowed')
      api.clock.time += 1_000
      expect((await give(id, analyst)).json.outcome).to.equal('accepted')
    })

    it('do not accept a key that was revoked or expired since the question', async () => {
      const id = await ask({ needed: 1 })
      const [revoked, expiring] = [
        await api.newKey('admin'),
        await api.newKey('admin', undefined, api.clock.time + 10),
      ]
      await api.stores.keys.revoke(revoked.split('_')[1]!, somebody())
      api.clock.time += 11
      for (const key of [revoked, expiring]) expectProblem(await give(id, key), 401, 'key_invalid')
    })

    it('tell how many actions all approvers together approved', async () => {
      const id = await ask({ needed: 2 }, 4)
      await give(id, await ownKey('analyst'), { answer: 'approve', refused_items: [1] })
      const { json } = await give(id, await ownKey('admin'), { answer: 'approve', refused_items: [2] })
      expect(json.checkpoint.answer).to.deep.include({ label: 'Approve 2 of 4', refused_items: [2] })
    })

    it('allow to refuse single actions of several', async () => {
      const id = await ask({ needed: 1 }, 3)
      const { json } = await give(id, undefined, { answer: 'approve', refused_items: [2, 0] })
      expect(json.outcome).to.equal('accepted')
      expect(json.checkpoint.answer.refused_items).to.deep.equal([2, 0])
      expect(json.checkpoint.approval.approved[0].refused_items).to.deep.equal([2, 0])
    })

    for (const [title, body, pointer, count] of [
      ['an action that does not exist', { answer: 'approve', refused_items: [0, 3] }, '/refused_items/1', 3],
      ['an action twice', { answer: 'approve', refused_items: [1, 1] }, '/refused_items', 3],
      ['a negative place', { answer: 'approve', refused_items: [-1] }, '/refused_items/0', 3],
      ['a text', { answer: 'approve', refused_items: 'all' }, '/refused_items', 3],
      ['actions while refusing all', { answer: 'refuse', refused_items: [1] }, '/refused_items', 3],
      ['the only action', { answer: 'approve', refused_items: [0] }, '/refused_items', 1],
      ['another answer', { answer: 'yes' }, '/answer', 3],
    ] as const)
      it(`refuse ${title} at ${pointer}, and stay open`, async () => {
        const id = await ask({ needed: 1 }, count)
        const { status, json } = await give(id, undefined, body)
        expect(status).to.equal(400)
        expect(json.errors[0].pointer).to.equal(pointer)
        expect((await api.call('GET', `/api/checkpoints/${id}`)).json.checkpoint.state).to.equal('waiting')
      })
  })
})
