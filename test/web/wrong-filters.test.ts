import { expect } from 'chai'
import { ApiError } from '../../server/web/api/problem.ts'
import { invalidFilters } from '../../server/web/lists/use-filters.ts'

const refused = (code: string, ...pointers: string[]) =>
  new ApiError({
    title: 'Bad request',
    status: 400,
    code,
    errors: pointers.map((pointer) => ({ pointer, message: 'must be a whole number' })),
  })

describe('filters that the API does not understand', () => {
  it('are reported once each', () => {
    const params = new URLSearchParams('status=abc&created_after=x&type=malware')
    expect(
      invalidFilters(refused('query_invalid', '/status', '/status', '/created_after'), params),
    ).to.deep.equal(['status: invalid value “abc”', 'created after: invalid value “x”'])
    const [long] = invalidFilters(refused('query_invalid', '/q'), new URLSearchParams({ q: 'a'.repeat(300) }))
    expect(long).to.equal(`q: invalid value “${'a'.repeat(60)}…”`)
  })

  it('are not reported for other errors', () => {
    const params = new URLSearchParams('status=abc')
    expect(invalidFilters(refused('query_invalid', '/status', '/cursor'), params)).to.deep.equal([])
    expect(invalidFilters(refused('forbidden', '/status'), params)).to.deep.equal([])
    expect(invalidFilters(new Error('offline'), params)).to.deep.equal([])
  })
})
