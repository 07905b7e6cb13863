import { expect } from 'chai'
import {
  collectPages,
  numberAt,
  readable,
  readRecords,
  SkillError,
  type JsonObject,
  type PageRequest,
} from '../../core/plugin/index.ts'
import { idOf } from './paged-system.ts'

describe('unreadable records', () => {
  const decode = (record: JsonObject): number => {
    const number = numberAt(record, 'n')
    if (number === null) throw new SkillError('bad_response', 'a record without a number')
    if (number === 13) throw new SkillError('unlucky', 'not this one')
    return number
  }
  const bad = { secret: 'x' }
  const pagesOf = (...pages: readonly (readonly unknown[])[]) => {
    const asked: number[] = []
    const fetch = async ({ number }: PageRequest) => {
      asked.push(number)
      return { items: (pages[number - 1] ?? []).map(readable(decode)), more: number < pages.length }
    }
    return { asked, fetch }
  }
  const options = { limit: 10, pageSize: 2, idOf }

  it('are skipped and counted, with each reason once', async () => {
    const { fetch } = pagesOf([{ n: 1 }, bad], [bad, 'no object'], [{ n: 2 }])
    expect(await collectPages({ ...options, fetch })).to.deep.equal({
      items: [1, 2],
      complete: true,
      read: 5,
      total: null,
      leftOut: {
        unreadable: 3,
        unreadable_why: ['a record without a number', 'a record of the list is not an object'],
      },
    })
  })

  it('do not count twice if a system repeats a page endlessly', async () => {
    const { asked, fetch } = pagesOf(...Array.from({ length: 9 }, () => [{ n: 1 }, bad]))
    const { leftOut, complete } = await collectPages({ ...options, fetch })
    expect({ complete, ...leftOut }).to.include({ complete: false, unreadable: 1 })
    expect(asked).to.deep.equal([1, 2])
  })

  it('do not hide a readable one behind them at a limit of one', async () => {
    const { fetch } = pagesOf([bad], [{ n: 2 }])
    expect(await collectPages({ ...options, limit: 1, fetch })).to.deep.include({ items: [2] })
  })

  it('fail the list if there are no others', async () => {
    const { asked, fetch } = pagesOf([bad, bad], [{ n: 1 }])
    expect(await collectPages({ ...options, fetch }).catch(String)).to.include('a record without a number')
    expect(asked).to.deep.equal([1])
    expect(() => readRecords([bad], decode)).to.throw('a record without a number')
    expect(readRecords([], decode)).to.deep.equal({ items: [], leftOut: {} })
  })

  it('do not mask errors of another kind', () => {
    expect(() => readRecords([{ n: 1 }, { n: 13 }], decode)).to.throw('not this one')
  })
})
