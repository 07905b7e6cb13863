import { expect } from 'chai'
import type { ApiCheckpoint } from '../../server/web/api/types.ts'
import { keepPositions, batchedLoader } from '../../server/web/checkpoints/question-list.ts'
import type { Query } from '../../server/web/api/call.ts'

const question = (id: string, path = id) => ({ checkpoint_id: id, path }) as ApiCheckpoint
const ids = (checkpoints: readonly ApiCheckpoint[]) => checkpoints.map(({ checkpoint_id: id }) => id)

describe('displayed questions', () => {
  const shown = ['a', 'b', 'c'].map((id) => question(id))

  it('keep their places when one ends, with new ones below', () => {
    const kept = keepPositions(
      shown,
      ['x', 'b', 'c', 'd'].map((id) => question(id)),
    )
    expect(ids(kept)).to.deep.equal(['a', 'b', 'c', 'x', 'd'])
    expect(ids(keepPositions(kept, []))).to.deep.equal(['a', 'b', 'c', 'x', 'd'])
  })

  it('drop the oldest ended ones beyond a limit', () => {
    const many = Array.from({ length: 250 }, (_, n) => question(`q${n}`))
    const kept = ids(keepPositions(many, [many[0]!, question('new')]))
    expect(kept).to.have.length(202)
    expect(kept.slice(0, 2)).to.deep.equal(['q0', 'q50'])
    expect(kept.slice(-2)).to.deep.equal(['q249', 'new'])
  })

  it('show open ones as they are now, and ended ones as they were', () => {
    const [a, b] = keepPositions(shown, [question('b', 'otherwise')])
    expect([a!.path, b!.path]).to.deep.equal(['a', 'otherwise'])
  })
})

const ended = (id: string) => ({ checkpoint_id: id })

/**
 * An API that returns some questions in the list of answered ones and others individually; records the
 * requests.
 */
function apiWith(listed: readonly string[], alone: readonly string[]) {
  const asked: string[] = []
  const answer = (path: string, state: Query[string]): unknown => {
    asked.push(state === undefined ? path : `${path} ${String(state)}`)
    const id = path.split('/')[2]
    if (id === undefined) return { data: state === 'answered' ? listed.map(ended) : [] }
    if (!alone.includes(id)) throw new Error(`no ${id}`)
    return { checkpoint: ended(id) }
  }
  const load = batchedLoader(async <T>(path: string, query?: Query) => answer(path, query?.['state']) as T)
  return { asked, load }
}

describe('questions that ended', () => {
  it('are loaded as one list if many end at once', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `q${n}`)
    const { asked, load } = apiWith(ids, [])
    const found = await Promise.all([...ids, 'q0'].map(load))
    expect(found.map(({ checkpoint_id: id }) => id)).to.deep.equal([...ids, 'q0'])
    expect(asked).to.deep.equal(['/checkpoints answered'])
  })

  it('are loaded by id if only one ended or the list lacks them', async () => {
    const { asked, load } = apiWith(['b'], ['a', 'old'])
    await load('a')
    expect(asked.splice(0)).to.deep.equal(['/checkpoints/a'])
    const found = await Promise.allSettled(['b', 'old', 'gone'].map(load))
    expect(found.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected'])
    expect(asked).to.deep.equal([
      '/checkpoints answered',
      '/checkpoints timed_out',
      '/checkpoints decided',
      '/checkpoints withdrawn',
      '/checkpoints/old',
      '/checkpoints/gone',
    ])
  })
})
