import { expect } from 'chai'
import type { Checkpoint } from '../../core/domain/checkpoint.ts'
import type { Run } from '../../core/domain/run.ts'
import { requireAnother, type SelfApproval } from '../../core/engine/turns/approved-by-another.ts'
import { somebody } from '../support/somebody.ts'

describe('approval by the requester', () => {
  const by = somebody()
  const runs = {
    find: async () => ({ createdAt: 100 }) as Run,
    requesters: async () => [{ id: by.id, at: 100 }],
  }
  const asked = [{ path: 'i/@approval', runUuid: 'r', question: {} }] as Checkpoint[]
  /** The creator of each key. */
  let makers: Record<string, string> = {}
  const list = async () =>
    Object.entries(makers).map(([id, maker]) => ({
      id,
      ownerUuid: null,
      secretKnownBy: [{ kind: maker === 'root' ? 'command' : 'api_key', id: maker }],
    })) as never
  const keys = { list, listBefore: list }
  beforeEach(() => (makers = {}))
  const outcome = (
    selfApproval: SelfApproval,
    signedInAt: number | undefined,
    value = 'approve',
    id = by.id,
  ) =>
    requireAnother(
      { runs, keys, accounts: { find: async () => undefined } },
      asked,
      { by: { ...by, id }, value, text: null, signedInAt },
      selfApproval,
    ).then(
      () => 'taken',
      (error: { code: string; hint: string }) => [
        error.code,
        /in a session from before the run/.test(error.hint),
      ],
    )

  it('is refused to the key and all its sessions by default', async () => {
    for (const signedInAt of [undefined, 99, 100, 101])
      expect(await outcome('never', signedInAt)).to.deep.equal(['approval_by_requester', false])
    expect(await outcome('never', undefined, 'refuse')).to.equal('taken')
  })

  it('is accepted with `signed_in` only from sessions that are older than the run', async () => {
    expect(await outcome('signed_in', 99)).to.equal('taken')
    for (const signedInAt of [undefined, 100, 101])
      expect(await outcome('signed_in', signedInAt)).to.deep.equal(['approval_by_requester', true])
  })

  it('is refused to keys that the requester created, directly or indirectly', async () => {
    makers = { child: by.id, grandchild: 'child', stranger: 'other', 'made-by-command': 'root' }
    for (const id of ['child', 'grandchild'])
      expect(await outcome('never', undefined, 'approve', id)).to.deep.equal(['approval_by_requester', false])
    const rest = await outcome('never', undefined, 'approve_rest', 'child')
    expect(rest).to.deep.equal(['approval_by_requester', false])
    for (const id of ['stranger', 'other', 'made-by-command', 'unknown'])
      expect(await outcome('never', undefined, 'approve', id), id).to.equal('taken')
    expect(await outcome('never', undefined, 'refuse', 'grandchild')).to.equal('taken')
    expect(await outcome('signed_in', 99, 'approve', 'grandchild')).to.equal('taken')
    expect(await outcome('signed_in', 100, 'approve', 'grandchild')).to.deep.equal([
      'approval_by_requester',
      true,
    ])
  })

  it('ends its search in a cycle of keys', async () => {
    makers = { a: 'b', b: 'a' }
    expect(await outcome('never', undefined, 'approve', 'a')).to.equal('taken')
  })
})
