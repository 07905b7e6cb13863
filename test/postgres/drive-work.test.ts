import { expect } from 'chai'
import { Skipped } from '../../server/postgres/driver/batch.ts'
import { driveWork } from '../../server/postgres/driver/drive-work.ts'
import { together, type Statement, type Told, type Work } from '../../server/sql/database/work.ts'

type Tell = (answer: Told | undefined, error: unknown) => void

/** Drives a work whose statements are answered when the test says so. */
function drive<T>(work: Work<T>) {
  const asked: { readonly sql: string; readonly tell: Tell }[] = []
  const ended: { done?: T; failed?: unknown } = {}
  driveWork(work, {
    done: (value) => (ended.done = value),
    fail: (error) => (ended.failed ??= error),
    isOver: () => 'failed' in ended,
    ask: ({ sql }, tell) => asked.push({ sql, tell }),
  })
  return {
    ended,
    /** Statements that wait for an answer, in the order in which they were asked for. */
    waiting: () => asked.map(({ sql }) => sql),
    /** Answers all of them with their own text. */
    answer: () => {
      for (const { sql, tell } of asked.splice(0)) tell({ rows: [sql], count: 1 }, undefined)
    },
    fail: (error: unknown) => {
      const [first, ...others] = asked.splice(0)
      first?.tell(undefined, error)
      for (const { tell } of others)
        tell(undefined, new Skipped('a statement before it failed', { cause: error }))
    },
  }
}

const statement = (sql: string): Statement => ({ sql, values: [] })
function* asks(...sqls: readonly string[]): Work<readonly unknown[]> {
  const rows: unknown[] = []
  for (const sql of sqls) rows.push(...(yield statement(sql)).rows)
  return rows
}
function* sends(...sqls: readonly string[]): Work<void> {
  for (const sql of sqls) yield { ...statement(sql), isSent: true }
}

describe('a work on a database that answers later', () => {
  it('waits for each statement that it asks for', () => {
    const driven = drive(asks('a', 'b'))
    expect(driven.waiting()).to.deep.equal(['a'])
    driven.answer()
    expect(driven.waiting()).to.deep.equal(['b'])
    driven.answer()
    expect(driven.ended).to.deep.equal({ done: ['a', 'b'] })
  })

  it('does not wait for statements that it sends, and is done when they are answered', () => {
    const driven = drive(
      (function* () {
        yield* sends('a', 'b')
        const rows = yield* asks('c')
        yield* sends('d')
        return rows
      })(),
    )
    expect(driven.waiting()).to.deep.equal(['a', 'b', 'c'])
    driven.answer()
    expect(driven.waiting()).to.deep.equal(['d'])
    expect(driven.ended).to.deep.equal({})
    driven.answer()
    expect(driven.ended).to.deep.equal({ done: ['c'] })
  })

  it('fails with the error of a statement that it sent, also after its end', () => {
    const error = new Error('refused')
    const goesOn = drive(
      (function* () {
        yield* sends('a')
        yield* asks('b')
      })(),
    )
    goesOn.fail(error)
    expect(goesOn.ended).to.deep.equal({ failed: error })
    const atItsEnd = drive(sends('a', 'b'))
    atItsEnd.fail(error)
    expect(atItsEnd.ended).to.deep.equal({ failed: error })
  })

  it('asks for the statements of independent works together, as long as each has some', () => {
    const told: unknown[] = []
    function* keeps(work: Work<readonly unknown[]>): Work<number> {
      return told.push(yield* work)
    }
    const driven = drive(together([keeps(asks('a1', 'a2')), sends('b'), keeps(asks('c1')), keeps(asks())]))
    expect(driven.waiting()).to.deep.equal(['b', 'a1', 'c1'])
    driven.answer()
    expect(driven.waiting()).to.deep.equal(['a2'])
    driven.answer()
    expect(driven.ended).to.deep.equal({ done: [3, undefined, 2, 1] })
    expect(told).to.deep.equal([[], ['c1'], ['a1', 'a2']])
  })

  it('fails with the first error of works that it does together', () => {
    const error = new Error('refused')
    const driven = drive(together([asks('a'), asks('b')]))
    driven.fail(error)
    expect(driven.ended).to.deep.equal({ failed: error })
  })
})
