import { expect } from 'chai'
import type { Checkpoint } from '../../server/web/checkpoints/checkpoint.ts'
import { keepShown } from '../../server/web/checkpoints/keep-shown.ts'

const question = (id: string, path = id) => ({ checkpoint_id: id, path }) as Checkpoint
const ids = (checkpoints: readonly Checkpoint[]) => checkpoints.map(({ checkpoint_id: id }) => id)

describe('questions in view', () => {
  const shown = ['a', 'b', 'c'].map((id) => question(id))

  it('keep their places when one ends; new ones go below', () => {
    const kept = keepShown(
      shown,
      ['x', 'b', 'c', 'd'].map((id) => question(id)),
    )
    expect(ids(kept)).to.deep.equal(['a', 'b', 'c', 'x', 'd'])
    expect(ids(keepShown(kept, []))).to.deep.equal(['a', 'b', 'c', 'x', 'd'])
  })

  it('are as they are now, those that ended as they were', () => {
    const [a, b] = keepShown(shown, [question('b', 'otherwise')])
    expect([a!.path, b!.path]).to.deep.equal(['a', 'otherwise'])
  })
})
