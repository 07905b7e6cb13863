import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  cursorText,
  newsSince,
  nothingTold,
  readCursor,
  type RunVersions,
} from '../../server/http/events/run-cursor.ts'
import { tries } from '../support/random.ts'

interface Step {
  version: number
  isOver: boolean
}

/** A journal as it grows: a step begins, changes, or ends; the run changes. */
const moves = fc.array(
  fc.record({ kind: fc.constantFrom('begin', 'change', 'end', 'run'), at: fc.nat({ max: 300 }) }),
  { maxLength: 60 },
)

describe('what a reader of a run has been told', () => {
  const versions = (run: number, steps: readonly Step[]): RunVersions => ({
    run: `r${run}`,
    steps: steps.map(({ version, isOver }) => ({ version: `v${version}`, isOver })),
  })

  it('is told once, and nothing is left out, wherever it is cut off', () => {
    fc.assert(
      fc.property(moves, fc.infiniteStream(fc.nat({ max: 5 })), (happens, cuts) => {
        const steps: Step[] = []
        let run = 0
        const told = new Map<string, string>()
        let cursor = readCursor(undefined)

        function read(most: number): void {
          const now = versions(run, steps)
          for (const { of, cursor: next } of newsSince(cursor, now)) {
            if (most-- === 0) return
            const version = of === 'run' ? now.run : (now.steps[of]?.version ?? '')
            expect(told.get(String(of)), `${of} again`).to.not.equal(version)
            told.set(String(of), version)
            // It goes through a header each time.
            cursor = readCursor(cursorText(next))
          }
        }

        for (const { kind, at } of happens) {
          const step = steps[at % Math.max(1, steps.length)]
          if (kind === 'begin') steps.push({ version: 0, isOver: false })
          else if (kind === 'run') run++
          else if (step !== undefined && !step.isOver) {
            step.version++
            step.isOver = kind === 'end'
          }
          read(cuts.next().value)
        }
        read(Infinity)
        const now = versions(run, steps)
        const expected = [['run', now.run], ...now.steps.map(({ version }, at) => [String(at), version])]
        expect([...told]).to.have.deep.members(expected)
      }),
      tries(300),
    )
  })

  it('fits into a header however much is under way, at the price of saying some of it twice', () => {
    const many = versions(
      1,
      Array.from({ length: 5_000 }, () => ({ version: 1, isOver: false })),
    )
    const last = [...newsSince(nothingTold, many)].at(-1)
    const text = cursorText(last?.cursor ?? nothingTold)
    expect(text.length).to.be.below(4_000)
    const again = [...newsSince(readCursor(text), many)].map(({ of }) => of)
    expect(again).to.deep.equal(Array.from({ length: 4_800 }, (_, n) => n + 200))
  })

  it('is nothing where what came back is no cursor, or one of more than there is', () => {
    for (const text of [
      undefined,
      '',
      'end',
      '1',
      'a.b',
      'a.1.x',
      'a.1.1-',
      `a.${'9'.repeat(40)}`,
      '.1',
      'ü.1',
    ])
      expect(readCursor(text), text).to.deep.equal(nothingTold)
    const now = versions(1, [{ version: 1, isOver: true }])
    expect([...newsSince(readCursor('r1.2'), now)].map(({ of }) => of)).to.deep.equal(['run', 0])
    expect([...newsSince(readCursor('r1.1'), now)]).to.deep.equal([])
  })
})
