import { expect } from 'chai'
import type { Query } from '../../server/web/api/call.ts'
import { loadTogether } from '../../server/web/checkpoints/answer/load-together.ts'

const question = (id: string) => ({ checkpoint_id: id })

/** An API that has some questions in the list of those answered, and others by themselves; what it was asked for. */
function apiWith(listed: readonly string[], alone: readonly string[]) {
  const asked: string[] = []
  const answer = (path: string, state: Query[string]): unknown => {
    asked.push(state === undefined ? path : `${path} ${String(state)}`)
    const id = path.split('/')[2]
    if (id === undefined) return { data: state === 'answered' ? listed.map(question) : [] }
    if (!alone.includes(id)) throw new Error(`no ${id}`)
    return { checkpoint: question(id) }
  }
  const load = loadTogether(async <T>(path: string, query?: Query) => answer(path, query?.['state']) as T)
  return { asked, load }
}

describe('questions that ended', () => {
  it('come from one list where many end at once', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `q${n}`)
    const { asked, load } = apiWith(ids, [])
    const found = await Promise.all([...ids, 'q0'].map(load))
    expect(found.map(({ checkpoint_id: id }) => id)).to.deep.equal([...ids, 'q0'])
    expect(asked).to.deep.equal(['/checkpoints answered'])
  })

  it('are asked for by themselves where it is one, or where no list begins with them', async () => {
    const { asked, load } = apiWith(['b'], ['a', 'old'])
    await load('a')
    expect(asked.splice(0)).to.deep.equal(['/checkpoints/a'])
    const found = await Promise.allSettled(['b', 'old', 'gone'].map(load))
    expect(found.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected'])
    expect(asked).to.deep.equal([
      '/checkpoints answered',
      '/checkpoints timed_out',
      '/checkpoints withdrawn',
      '/checkpoints/old',
      '/checkpoints/gone',
    ])
  })
})
