import { expect } from 'chai'
import { alertStatus, alertStatusMoves, alertStatusNames, mayMove } from '../../core/domain/alert.ts'

describe('the investigation status of an alert', () => {
  it('has the specified values and names', () => {
    expect(alertStatusNames).to.deep.equal({
      0: 'Created',
      5: 'Submitted',
      10: 'InProgress',
      15: 'Completed',
      20: 'Failed',
    })
    expect(Object.values(alertStatus).map(String)).to.deep.equal(Object.keys(alertStatusNames))
  })

  it('advances step by step, and returns to Submitted only for a retry', () => {
    const moves = Object.values(alertStatus).flatMap((from) =>
      Object.values(alertStatus)
        .filter((to) => mayMove(from, to))
        .map((to) => `${from} → ${to}`),
    )
    expect(moves).to.deep.equal(['0 → 5', '5 → 10', '10 → 15', '10 → 20', '15 → 5', '20 → 5'])
  })

  it('can reach an end from every status', () => {
    for (const moves of Object.values(alertStatusMoves)) expect(moves).to.not.be.empty
  })
})
