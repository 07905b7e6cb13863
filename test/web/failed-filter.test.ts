import { expect } from 'chai'
import { failedFilter } from '../../server/web/runs/list/failed-filter.ts'

const now = 100 * 86_400_000

describe('all failed runs that a list shows', () => {
  it('are those of a playbook, as far as the API can be told what narrows them', () => {
    const listed = { status: 'failed', playbook: 'p' }
    expect(failedFilter({ ...listed, sort: 'created_at' }, now)).to.deep.equal({ playbook: 'p' })
    expect(
      failedFilter({ ...listed, error: 'x', created_after: '5', created_before: '9' }, now),
    ).to.deep.equal({
      playbook: 'p',
      error: 'x',
      created_after: 5,
      created_before: 9,
    })
    expect(failedFilter({ ...listed, since: '24h' }, now)).to.deep.equal({
      playbook: 'p',
      created_after: 99 * 86_400_000,
    })
  })

  it('are not retried where the list shows fewer, or others', () => {
    for (const others of [
      { status: 'failed' },
      { status: 'completed', playbook: 'p' },
      { status: 'failed', playbook: 'p', organization: 'main' },
      { status: 'failed', playbook: 'p', alert: 'main-custom-1' },
      { status: 'failed', playbook: 'p', since: 'ever' },
      { status: 'failed', playbook: 'p', created_before: 'noon' },
    ])
      expect(failedFilter(others, now), JSON.stringify(others)).to.equal(undefined)
  })
})
