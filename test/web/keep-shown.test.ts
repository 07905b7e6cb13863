import { expect } from 'chai'
import type { Checkpoint } from '../../server/web/checkpoints/checkpoint.ts'
import { keepShown } from '../../server/web/checkpoints/answer/keep-shown.ts'

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

  it('are not kept without end: of very many that ended, the first go', () => {
    const many = Array.from({ length: 250 }, (_, n) => question(`q${n}`))
    const kept = ids(keepShown(many, [many[0]!, question('new')]))
    expect(kept).to.have.length(202)
    expect(kept.slice(0, 2)).to.deep.equal(['q0', 'q50'])
    expect(kept.slice(-2)).to.deep.equal(['q249', 'new'])
  })

  it('are as they are now, those that ended as they were', () => {
    const [a, b] = keepShown(shown, [question('b', 'otherwise')])
    expect([a!.path, b!.path]).to.deep.equal(['a', 'otherwise'])
  })
})
