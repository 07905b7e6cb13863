import { expect } from 'chai'
import { CorrelationSimulation, type PastAlert } from '../../core/correlation/simulate.ts'

const hourMs = 3_600_000

function simulate(
  given: readonly (Partial<PastAlert> & {
    readonly by?: readonly string[]
    readonly skipped?: readonly string[]
  })[],
  max = 100,
) {
  const simulation = new CorrelationSimulation()
  for (const [at, { by = [], skipped = [], ...alert }] of given.entries()) {
    const past = { id: `A-${at}`, title: null, type: 't', caseId: `C-${at}`, createdAt: at * 1_000, ...alert }
    const keys = by.map((value) => ({
      key: Buffer.from(value),
      reason: `user (${value}) is the same`,
      windowMs: hourMs,
      max,
    }))
    simulation.add(past, { keys, skipped })
  }
  return simulation.outcome()
}

describe('CorrelationSimulation', () => {
  it('counts cases as they are and as they would be', () => {
    const outcome = simulate([
      { by: ['ana'] },
      { by: ['bob'] },
      { by: ['ana'] },
      {},
      { by: ['ana'] },
      { caseId: null },
    ])
    expect(outcome).to.include({ alerts: 6, applicable: 4, joined: 2, casesBefore: 6, casesAfter: 4 })
    expect(outcome.merges).to.have.length(1)
    expect(outcome.merges[0]).to.deep.include({
      alerts: 3,
      casesBefore: 3,
      firstAt: 0,
      lastAt: 4_000,
      isFull: false,
      reasons: [{ text: 'user (ana) is the same', count: 2 }],
    })
    expect(outcome.merges[0]?.samples.map(({ id }) => id)).to.deep.equal(['A-0', 'A-2', 'A-4'])
    expect(outcome.warnings).to.deep.equal([])
  })

  it('joins within the window of the last alert, by the first rule that matches', () => {
    const apart = simulate([{ by: ['ana'] }, { by: ['ana'], createdAt: hourMs }])
    expect(apart).to.include({ joined: 0, casesAfter: 2 })
    const both = simulate([{ by: ['ana'] }, { by: ['ws-7'] }, { by: ['ana', 'ws-7'] }, { by: ['ws-7'] }])
    expect(both.merges.map(({ alerts }) => alerts)).to.deep.equal([2, 2])
  })

  it('opens another case after the maximum, and warns', () => {
    const outcome = simulate(
      Array.from({ length: 7 }, () => ({ by: ['ana'] })),
      3,
    )
    expect(outcome).to.include({ joined: 4, casesAfter: 3 })
    expect(outcome.merges.map(({ alerts, isFull }) => [alerts, isFull])).to.deep.equal([
      [3, true],
      [3, true],
    ])
    expect(outcome.warnings).to.deep.equal([
      '2 cases would reach the maximum of the rule, and further alerts would open other cases',
    ])
  })

  it('warns when one case gets most alerts, or no rule applies', () => {
    expect(simulate(Array.from({ length: 20 }, () => ({ by: ['ana'] }))).warnings).to.deep.equal([
      'one case would get 20 of 20 alerts: the rule may compare a value that unrelated alerts share',
    ])
    expect(simulate([{}, { skipped: ['too common'] }])).to.deep.include({
      skipped: [{ text: 'too common', count: 1 }],
      warnings: ['no rule applies to any of these alerts: their values are missing, empty or too common'],
    })
    expect(simulate([]).warnings).to.deep.equal([])
  })

  it('shows a bounded number of merges and samples, and forgets keys whose window has ended', () => {
    const many = Array.from({ length: 60_000 }, (_, at) => ({
      by: [`user ${Math.floor(at / 2)}`],
      createdAt: at * 10_000,
    }))
    const outcome = simulate(many)
    expect(outcome).to.include({ joined: 30_000, casesAfter: 30_000 })
    expect(outcome.merges).to.have.length(20)
  })
})
