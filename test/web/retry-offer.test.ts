import { expect } from 'chai'
import type { RunStatus } from '../../server/web/api/types.ts'
import { retryOffer } from '../../server/web/runs/retry/retry-offer.ts'

const run = (status: RunStatus) => ({ status, pruned_at: null, retried_by: null, playbook_hash: 'ran' })

describe('retryOffer', () => {
  it('is a newer playbook for a run that completed, only where a newer version is in force', () => {
    const offered = (hash: string, isInForce: boolean) =>
      retryOffer(run('completed'), { hash, in_force: isInForce })
    expect(offered('newer', true)).to.equal('newer')
    expect(offered('ran', true), 'the version that ran').to.equal(null)
    expect(offered('newer', false), 'a version that nothing starts').to.equal(null)
    expect(retryOffer(run('completed'), undefined), 'not known yet').to.equal(null)
  })

  it('is from where it failed for one that failed or was cancelled, whatever is in force', () => {
    expect(retryOffer(run('failed'), undefined)).to.equal('failed')
    expect(retryOffer(run('cancelled'), { hash: 'ran', in_force: true })).to.equal('failed')
  })

  it('is nothing for a run that has not ended, that something has gone on from, or whose steps are gone', () => {
    const newest = { hash: 'newer', in_force: true }
    for (const status of ['queued', 'running', 'waiting'] as const)
      expect(retryOffer(run(status), newest), status).to.equal(null)
    for (const status of ['failed', 'completed'] as const) {
      expect(retryOffer({ ...run(status), retried_by: 'next' }, newest), status).to.equal(null)
      expect(retryOffer({ ...run(status), pruned_at: 1 }, newest), status).to.equal(null)
    }
  })
})
