import { expect } from 'chai'
import type { Checkpoint } from '../../core/domain/checkpoint.ts'
import type { Run } from '../../core/domain/run.ts'
import { requireAnother, type SelfApproval } from '../../core/engine/approved-by-another.ts'
import { somebody } from '../support/somebody.ts'

describe('approval of what a key asked for', () => {
  const by = somebody()
  const runs = { find: async () => ({ createdAt: 100 }) as Run, requesters: async () => [by.id] }
  const asked = [{ path: 'i/@approval', runUuid: 'r' }] as Checkpoint[]
  const outcome = (selfApproval: SelfApproval, signedInAt: number | undefined, value = 'approve') =>
    requireAnother(runs, asked, { by, value, text: null, signedInAt }, selfApproval).then(
      () => 'taken',
      (error: { code: string; hint: string }) => [error.code, /signed in/.test(error.hint)],
    )

  it('is refused to the key and all its sessions, unless the setting says otherwise', async () => {
    for (const signedInAt of [undefined, 99, 100, 101])
      expect(await outcome('never', signedInAt)).to.deep.equal(['approval_by_requester', false])
    expect(await outcome('never', undefined, 'refuse')).to.equal('taken')
  })

  it('is taken with `signed_in` from sessions that were there before the run, and from no others', async () => {
    expect(await outcome('signed_in', 99)).to.equal('taken')
    for (const signedInAt of [undefined, 100, 101])
      expect(await outcome('signed_in', signedInAt)).to.deep.equal(['approval_by_requester', true])
  })
})
