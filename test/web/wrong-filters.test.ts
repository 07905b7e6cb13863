import { expect } from 'chai'
import { ApiError } from '../../server/web/api/problem.ts'
import { wrongFilters } from '../../server/web/lists/filters/wrong-filters.ts'

const refused = (code: string, ...pointers: string[]) =>
  new ApiError({
    title: 'Bad request',
    status: 400,
    code,
    errors: pointers.map((pointer) => ({ pointer, message: 'must be a whole number' })),
  })

describe('filters that the API does not understand', () => {
  it('are each said once, in the words of the page', () => {
    const params = new URLSearchParams('status=abc&created_after=x&type=malware')
    expect(
      wrongFilters(refused('query_invalid', '/status', '/status', '/created_after'), params),
    ).to.deep.equal(['status cannot be “abc”', 'created after cannot be “x”'])
    const [long] = wrongFilters(refused('query_invalid', '/q'), new URLSearchParams({ q: 'a'.repeat(300) }))
    expect(long).to.equal(`q cannot be “${'a'.repeat(60)}…”`)
  })

  it('are none where something else was refused', () => {
    const params = new URLSearchParams('status=abc')
    expect(wrongFilters(refused('query_invalid', '/status', '/cursor'), params)).to.deep.equal([])
    expect(wrongFilters(refused('forbidden', '/status'), params)).to.deep.equal([])
    expect(wrongFilters(new Error('offline'), params)).to.deep.equal([])
  })
})
