import type { Account } from '../../core/access/account.ts'
import type { CustomRole } from '../../core/access/permissions.ts'
import { expect } from 'chai'
import {
  approversText,
  countPeople,
  higherSeverity,
  mayApprove,
  ruleFor,
  type UseFacts,
} from '../../core/destructive/approval-rules.ts'
import {
  approversIn,
  approvingRoles,
  ruleProblems,
  ruleWarnings,
} from '../../core/destructive/approval-rule-problems.ts'
import { boundConnection, inputHash } from '../../core/destructive/input-hash.ts'
import { heldUses } from '../../core/destructive/policy.ts'
import type { ApiKey } from '../../core/domain/api-key.ts'
import { anyApprover, type ApprovalRule } from '../../core/domain/destructive-use.ts'
import { catalogue } from '../playbook/support.ts'
import { ruleOf } from '../support/approval-rule.ts'

const isolation: UseFacts = {
  class: 'containment',
  skill: 'edr.isolate',
  implements: ['isolate_machine'],
  playbook: 'contain',
  severity: 'high',
}

describe('approval rules', () => {
  it('apply the first rule that matches', () => {
    const rules = [
      ruleOf({ match: { classes: ['blocking'] } }),
      ruleOf({ approvals: 2 }),
      ruleOf({ approvals: 3 }),
    ]
    expect(ruleFor(rules, isolation)).to.include({ place: 2, approvals: 2 })
    expect(ruleFor(rules, { ...isolation, class: 'blocking' })).to.include({ place: 1 })
    expect(ruleFor(rules.slice(0, 1), isolation)).to.equal(undefined)
  })

  for (const [name, match, applies] of [
    ['the name of the skill', { skills: ['edr.isolate'] }, true],
    ['another skill', { skills: ['edr.isolate_all'] }, false],
    ['the plugin of the skill', { skills: ['edr.*'] }, true],
    ['a plugin whose name begins alike', { skills: ['ed.*'] }, false],
    ['an interface of the skill', { skills: ['interface.isolate_machine'] }, true],
    ['another interface', { skills: ['interface.block_indicator'] }, false],
    ['the playbook', { playbooks: ['other', 'contain'] }, true],
    ['another playbook', { playbooks: ['Contain'] }, false],
    ['a lower bound of the severity', { severityAtLeast: 'high' }, true],
    ['a lower bound above the severity', { severityAtLeast: 'critical' }, false],
    ['an upper bound of the severity', { severityAtMost: 'high' }, true],
    ['an upper bound below the severity', { severityAtMost: 'medium' }, false],
    ['all conditions', { classes: ['containment'], skills: ['edr.*'], severityAtLeast: 'low' }, true],
    ['only some conditions', { classes: ['blocking'], skills: ['edr.*'] }, false],
  ] as const)
    it(`${applies ? 'match' : 'do not match'} ${name}`, () => {
      expect(ruleFor([ruleOf({ match })], isolation) !== undefined).to.equal(applies)
    })

  it('treat an unknown severity as outside of every bound', () => {
    const unknown = { ...isolation, severity: null }
    for (const match of [{ severityAtLeast: 'informational' }, { severityAtMost: 'critical' }] as const)
      expect(ruleFor([ruleOf({ match })], unknown)).to.equal(undefined)
    expect(higherSeverity('low', 'critical')).to.equal('critical')
    expect(higherSeverity('high', null)).to.equal('high')
  })

  it('hold back uses within the limit, and the limit holds back uses without an approval in the rule', () => {
    const held = (approvals: number, uses: number, isRestApproved = false) =>
      heldUses(isolation, { uses, wanted: 1 }, { rules: [ruleOf({ approvals })], limit: 2, isRestApproved })
    expect(held(1, 0)).to.include({ isExceeded: false })
    expect(held(0, 0)).to.equal(undefined)
    expect(held(0, 2)).to.include({ isExceeded: true })
    expect(held(0, 2, true)).to.equal(undefined)
    expect(held(1, 2, true), 'the rest of a loop is approved, but not by the rule').to.include({
      isExceeded: false,
    })
  })

  it('let the people of the escalation approve only after its time', () => {
    const admins = { roles: ['admin'], keys: [], accounts: [] } as const
    const terms = { by: { roles: [], keys: ['k1'], accounts: [] }, escalation: { atMs: 100, by: admins } }
    const may = (id: string, role: 'analyst' | 'admin', now: number) =>
      mayApprove(terms, { id, roles: [role] }, now)
    expect([may('k1', 'analyst', 0), may('k2', 'admin', 99), may('k2', 'admin', 100)]).to.deep.equal([
      true,
      false,
      true,
    ])
    expect(may('k2', 'analyst', 100)).to.equal(false)
    expect(mayApprove({ by: anyApprover, escalation: null }, { id: 'x', roles: ['analyst'] }, 0)).to.equal(
      true,
    )
    expect(approversText({ roles: ['admin'], keys: ['k1', 'k2'], accounts: [] })).to.equal(
      'anyone with the role admin, or the key k1 or k2',
    )
  })

  it('count keys with a common creator as one person', () => {
    const approver = (id: string, ...makers: string[]) => ({
      id,
      roles: ['admin'],
      sameAs: [id, ...makers],
    })
    expect(countPeople([approver('a', 'root'), approver('b', 'root'), approver('root')])).to.equal(1)
    expect(countPeople([approver('a', 'root'), approver('b', 'other')])).to.equal(2)
  })
})

describe('the digest of what an approval allows', () => {
  const use = { skill: 'edr.block', connection: undefined, inputs: [{ domain: 'a', pin: '1' }] }
  it('depends on skill, inputs, their order and the connection, not on the order of fields', () => {
    const edr = boundConnection({ uuid: 'u', name: 'edr', settings: { url: 'https://a.example' } })
    const moved = boundConnection({ uuid: 'u', name: 'edr', settings: { url: 'https://b.example' } })
    const hashes = [
      use,
      { ...use, skill: 'edr.allow' },
      { ...use, inputs: [{ domain: 'b', pin: '1' }] },
      { ...use, inputs: [...use.inputs, ...use.inputs] },
      { ...use, connection: edr },
      { ...use, connection: moved },
    ].map((each) => inputHash(each))
    expect(new Set(hashes).size).to.equal(hashes.length)
    expect(inputHash({ ...use, inputs: [{ pin: '1', domain: 'a' }] })).to.equal(hashes[0])
    expect(inputHash(use, 'salt')).to.not.equal(hashes[0])
  })
})

describe('the check of approval rules', () => {
  const key = (id: string, more: Partial<ApiKey> = {}): ApiKey => ({
    uuid: id,
    id,
    name: id,
    ownerUuid: null,
    isOwnerDisabled: false,
    allowedAddresses: null,
    rotatedAt: null,
    revision: 1,
    role: 'analyst',
    organizationUuids: null,
    createdAt: 0,
    createdBy: { kind: 'command', id: 'root', name: 'root' },
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    secretKnownBy: [],
    ...more,
  })
  const madeBy = (id: string) => ({ secretKnownBy: [{ kind: 'api_key', id }] as const })
  const keys = [
    key('ana'),
    key('ben', { role: 'admin' }),
    key('bot', { role: 'admin', ...madeBy('ben') }),
    key('reads', { role: 'reader' }),
    key('gone', { revokedAt: 5 }),
    key('late', { expiresAt: 10 }),
    key('else', { organizationUuids: ['other'] }),
    key('loop', madeBy('loop')),
  ]
  const custom = [
    ['desk', ['questions:write', 'approvals:write']],
    ['asks', ['questions:write']],
    ['others', ['approvals:write'], 'other'],
  ].map(
    ([name, permissions, organizationUuid = null]) =>
      ({ name, permissions, organizationUuid }) as unknown as CustomRole,
  )
  const roles = approvingRoles(custom, 'acme')
  const approvers = approversIn(keys, [], custom, 'acme', 10)
  const problems = (...rules: readonly ApprovalRule[]) =>
    ruleProblems(rules, { catalogue, approvers, roles }).map(({ pointer }) => pointer)

  it('knows who may answer in the organization now', () => {
    expect(approvers.map(({ id }) => id)).to.deep.equal(['ana', 'ben', 'bot', 'loop'])
    expect(approvers.find(({ id }) => id === 'bot')?.sameAs).to.deep.equal(['bot', 'ben'])
  })

  it('knows the people whose own or custom roles may approve in the organization', () => {
    const person = (uuid: string, role: string, organizationUuid: string | null = null) =>
      ({ uuid, joinedAt: 1, disabledAt: null, roles: [{ role, organizationUuid }] }) as unknown as Account
    const people = [
      person('p1', 'desk', 'acme'),
      person('p2', 'responder'),
      person('p3', 'asks'),
      person('p4', 'desk', 'other'),
      person('p5', 'author'),
    ]
    expect(approversIn([], people, custom, 'acme', 10)).to.deep.equal([
      { id: 'p1', roles: ['desk'], sameAs: ['p1'] },
      { id: 'p2', roles: ['responder'], sameAs: ['p2'] },
    ])
    expect(roles).to.deep.equal(['analyst', 'responder', 'admin', 'desk'])
  })

  it('counts a person and the keys that the person owns once', () => {
    const owned = approversIn(
      [key('k1', { ownerUuid: 'p1' }), key('k2', { ownerUuid: 'p1' })],
      [],
      [],
      'acme',
      10,
    )
    expect(owned.map(({ sameAs }) => sameAs)).to.deep.equal([
      ['k1', 'p1'],
      ['k2', 'p1'],
    ])
    expect(countPeople([...owned, { id: 'p1', roles: ['admin'], sameAs: ['p1'] }])).to.equal(1)
  })

  it('counts a key also as whoever knows its secret, until only the owner does', () => {
    const both = (knows: string) => [
      ...approversIn(
        [key('k1', { ownerUuid: 'p1', secretKnownBy: [{ kind: 'account', id: knows }] })],
        [],
        [],
        'acme',
        10,
      ),
      { id: 'p2', roles: ['admin'], sameAs: ['p2'] },
    ]
    expect([countPeople(both('p2')), countPeople(both('p1'))]).to.deep.equal([1, 2])
  })

  it('accepts custom roles that may approve, and refuses and points to all other names', () => {
    expect(
      problems(ruleOf({ approvals: 0, by: { roles: ['desk', 'responder'], keys: [], accounts: [] } })),
    ).to.deep.equal([])
    for (const role of ['asks', 'others', 'reader', 'Admin', 'nothing'])
      expect(
        problems(ruleOf({ by: { roles: ['admin', role], keys: [], accounts: [] } })),
        role,
      ).to.deep.equal(['/0/by/roles/1'])
    const [gone] = ruleWarnings([ruleOf({ by: { roles: ['admin', 'gone'], keys: [], accounts: [] } })], {
      catalogue,
      approvers,
      roles,
    })
    expect(gone?.message).to.equal('the role gone can no longer approve')
  })

  it('refuses keys that cannot answer, and points to each', () => {
    for (const id of ['reads', 'gone', 'late', 'else', 'nobody'])
      expect(problems(ruleOf({ by: { roles: [], keys: ['ana', id], accounts: [] } }))).to.deep.equal([
        '/0/by/keys/1',
      ])
    const escalate = { afterMinutes: 5, by: { roles: [], keys: ['gone'], accounts: [] } }
    expect(problems(ruleOf(), ruleOf({ escalate }))).to.deep.equal(['/1/escalate/by/keys/0'])
  })

  it('refuses rules that nobody can satisfy', () => {
    const three = ruleOf({ approvals: 3, by: { roles: [], keys: ['ana', 'ben'], accounts: [] } })
    expect(ruleProblems([three], { catalogue, approvers, roles })).to.deep.equal([
      {
        pointer: '/0/approvals',
        message:
          'nobody could satisfy the rule: it needs 3 different people, and 2 can approve; keys with a common creator count as one person',
      },
    ])
    expect(
      problems(ruleOf({ approvals: 2, by: { roles: ['admin'], keys: [], accounts: [] } })),
    ).to.deep.equal(['/0/approvals'])
    expect(
      problems(ruleOf({ approvals: 2, by: { roles: ['admin'], keys: ['ana'], accounts: [] } })),
    ).to.deep.equal([])
  })

  it('refuses names that match nothing, because the rule would never apply', () => {
    for (const name of ['edr.isolat', 'edrr.*', 'interface.nothing', 'edr', '*', 'case.update'])
      expect(problems(ruleOf({ match: { skills: ['edr.isolate', name] } })), name).to.deep.equal([
        '/0/match/skills/1',
      ])
    expect(problems(ruleOf({ match: { classes: ['deletion'], skills: ['edr.isolate'] } }))).to.deep.equal([
      '/0/match/skills/0',
    ])
    expect(problems(ruleOf({ match: { skills: ['edr.*', 'interface.isolate_machine'] } }))).to.deep.equal([])
  })

  it('refuses bounds and times that contradict each other', () => {
    expect(problems(ruleOf({ match: { severityAtLeast: 'high', severityAtMost: 'low' } }))).to.deep.equal([
      '/0/match/severity_at_most',
    ])
    const escalate = { afterMinutes: 60, by: anyApprover }
    expect(problems(ruleOf({ expiresMinutes: 60, escalate }))).to.deep.equal(['/0/escalate/after_minutes'])
  })

  it('warns about stored rules that never apply or that nobody can satisfy any more', () => {
    const rules = [
      ruleOf({
        approvals: 2,
        by: { roles: [], keys: ['ana', 'gone'], accounts: [] },
        match: { playbooks: ['lost'] },
      }),
      ruleOf(),
      ruleOf({ approvals: 1 }),
    ]
    const warned = ruleWarnings(rules, { catalogue, approvers, roles, playbooks: new Set() })
    expect(warned.map(({ place }) => place)).to.deep.equal([1, 1, 1, 3])
    expect(warned[1]?.message).to.equal('the key gone can no longer approve')
    expect(warned[3]?.message).to.equal('rule 2 matches everything, so this rule never applies')
  })
})
