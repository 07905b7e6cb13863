import { expect } from 'chai'
import type { ApiKey } from '../../core/domain/api-key.ts'
import type { Author } from '../../core/domain/audit.ts'
import type { Checkpoint } from '../../core/domain/checkpoint.ts'
import { requireAnother } from '../../core/engine/turns/approved-by-another.ts'
import { approvalPath } from '../../core/engine/journal/paths.ts'
import { approvingAnswers } from '../../core/transitions/question.ts'

const [anna, bo] = ['0197f0a4-0c52-7d0b-8a57-5d3b6c1e7f22', '0197f0a4-0c52-7d0b-8a57-5d3b6c1e7f23']
const account = (id: string): Author => ({ kind: 'account', id, name: id })

describe('approvals by people with keys', () => {
  const knownBy = (author: Author) => ({ secretKnownBy: [author] })
  /** A run that this key started, and a person who approves. */
  const approve = async (
    key: Partial<ApiKey>,
    by: string | Author,
    requester = 'k1',
    accountsBy: Author | null = null,
    before: Partial<ApiKey> = {},
  ) => {
    const listed = (...parts: readonly Partial<ApiKey>[]) =>
      [Object.assign({ id: 'k1', role: 'analyst', ownerUuid: null, secretKnownBy: [] }, ...parts)] as never
    const stores = {
      runs: { requesters: async () => [{ id: requester, at: 5 }], find: async () => undefined },
      keys: {
        list: async () => listed(key),
        listBefore: async () => listed(key, before),
      },
      accounts: { find: async () => ({ createdBy: accountsBy }) as never },
    }
    const asked = [{ path: approvalPath('a'), runUuid: 'r', question: {} }] as unknown as Checkpoint[]
    const given = {
      value: approvingAnswers.once,
      by: { ...(typeof by === 'string' ? account(by) : by), requestId: null },
      text: null,
    }
    return await requireAnother(stores, asked, given, 'never').then(
      () => 'allowed',
      (error: { code?: string }) => error.code,
    )
  }

  it('count the people behind the key that requested the run: its owner, and whoever knows its secret', async () => {
    expect(await approve({ ownerUuid: anna }, anna)).to.equal('approval_by_requester')
    expect(await approve(knownBy(account(anna)), anna)).to.equal('approval_by_requester')
    expect(await approve({ ownerUuid: bo, ...knownBy(account(anna)) }, anna)).to.equal(
      'approval_by_requester',
    )
    expect(await approve({ ownerUuid: anna }, bo)).to.equal('allowed')
  })

  it('leave keys to an owner who alone knows the secret, whoever created them', async () => {
    const accepted = { ownerUuid: bo, createdBy: account(anna), ...knownBy(account(bo)) }
    expect(await approve(accepted, anna)).to.equal('allowed')
    expect(await approve(accepted, bo)).to.equal('approval_by_requester')
  })

  it('are refused to whoever had the key when it requested the run, whoever has it now', async () => {
    const accepted = { ownerUuid: bo, ...knownBy(account(bo)) }
    const approveLater = (before: Partial<ApiKey>) => approve(accepted, anna, 'k1', null, before)
    expect(await approveLater(knownBy(account(anna)))).to.equal('approval_by_requester')
    expect(await approveLater({ ownerUuid: anna })).to.equal('approval_by_requester')
    expect(await approveLater({ role: 'intake', ownerUuid: anna })).to.equal('approval_by_requester')
    const machine = { ...accepted, role: 'intake' } as const
    expect(await approve(machine, anna, 'k1', null, { ownerUuid: anna })).to.equal('allowed')
  })

  it('are refused to the requester with a key that the requester created for somebody else', async () => {
    const k1: Author = { kind: 'api_key', id: 'k1', name: 'k1' }
    const key = { ownerUuid: bo, ...knownBy(account(anna)) }
    expect(await approve(key, k1, anna)).to.equal('approval_by_requester')
    const byKey = { kind: 'api_key', id: 'k0', name: 'k0' } as const
    expect(await approve({ ownerUuid: bo, ...knownBy(byKey) }, k1, 'k0')).to.equal('approval_by_requester')
    expect(await approve(key, account(bo), anna)).to.equal('allowed')
  })

  it('are refused to accounts and their keys that the key of the requester created', async () => {
    const k0 = { kind: 'api_key', id: 'k0', name: 'k0' } as const
    const k1: Author = { kind: 'api_key', id: 'k1', name: 'k1' }
    expect(await approve({}, bo, 'k0', k0)).to.equal('approval_by_requester')
    expect(await approve({ ownerUuid: bo, ...knownBy(account(bo)) }, k1, 'k0', k0)).to.equal(
      'approval_by_requester',
    )
    expect(await approve({}, bo, 'k0', account(anna))).to.equal('allowed')
  })

  it('do not count who answers for a key that posts alerts', async () => {
    expect(await approve({ role: 'intake', ownerUuid: anna }, anna)).to.equal('allowed')
    expect(await approve({ role: 'intake', ...knownBy(account(anna)) }, anna)).to.equal('allowed')
  })
})
