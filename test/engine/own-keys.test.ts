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
  /** A run that this key started, and a person who approves. */
  const approve = async (key: Partial<ApiKey>, by: string | Author, requester = 'k1') => {
    const stores = {
      runs: { requesters: async () => [requester], find: async () => undefined },
      keys: {
        find: async (id: string) =>
          id === 'k1' ? ({ key: { id, role: 'analyst', ...key } } as never) : undefined,
      },
      accounts: { find: async () => undefined },
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

  it('count the person behind the key that requested the run: its owner, or else its creator', async () => {
    expect(await approve({ ownerUuid: anna }, anna)).to.equal('approval_by_requester')
    expect(await approve({ createdBy: account(anna) }, anna)).to.equal('approval_by_requester')
    expect(await approve({ ownerUuid: anna }, bo)).to.equal('allowed')
  })

  it('leave keys to their owner, whoever created them', async () => {
    expect(await approve({ ownerUuid: bo, createdBy: account(anna) }, anna)).to.equal('allowed')
  })

  it('are refused to the requester with a key that the requester created for somebody else', async () => {
    const k1: Author = { kind: 'api_key', id: 'k1', name: 'k1' }
    expect(await approve({ ownerUuid: bo, createdBy: account(anna) }, k1, anna)).to.equal(
      'approval_by_requester',
    )
    const byKey = { kind: 'api_key', id: 'k0', name: 'k0' } as const
    expect(await approve({ ownerUuid: bo, createdBy: byKey }, k1, 'k0')).to.equal('approval_by_requester')
    expect(await approve({ ownerUuid: bo, createdBy: account(anna) }, account(bo), anna)).to.equal('allowed')
  })

  it('do not count who answers for a key that posts alerts', async () => {
    expect(await approve({ role: 'intake', ownerUuid: anna }, anna)).to.equal('allowed')
    expect(await approve({ role: 'intake', createdBy: account(anna) }, anna)).to.equal('allowed')
  })
})
