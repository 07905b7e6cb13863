import { expect } from 'chai'
import * as fc from 'fast-check'
import { cursorText, startCursor, readCursor, MutableRunCursor } from '../../server/http/events/run-cursor.ts'
import { tries } from '../support/random.ts'

interface Step {
  version: number
  isOver: boolean
}

/** A growing journal: a step begins, changes or ends; the run changes. */
const moves = fc.array(
  fc.record({ kind: fc.constantFrom('begin', 'change', 'end', 'run'), at: fc.nat({ max: 300 }) }),
  { maxLength: 60 },
)

describe('the position of a reader in a run', () => {
  /** Reads like the server: the run, unended lines, then new lines; each event, then the cursor. */
  function* newsSince(told: MutableRunCursor, run: number, steps: readonly Step[]) {
    if (told.advanceRun(`r${run}`)) yield { of: 'run', version: `r${run}` }
    const following = Array.from(steps.keys()).slice(told.steps)
    for (const at of [...told.open.keys(), ...following]) {
      const { version, isOver } = steps[at]!
      if (told.advanceStep(at, `v${version}`, isOver)) yield { of: String(at), version: `v${version}` }
    }
  }

  it('delivers each event once, wherever the stream is cut', () => {
    fc.assert(
      fc.property(moves, fc.infiniteStream(fc.nat({ max: 5 })), (happens, cuts) => {
        const steps: Step[] = []
        let run = 0
        const told = new Map<string, string>()
        let cursor = readCursor(undefined)

        function read(most: number): void {
          const telling = new MutableRunCursor(cursor)
          for (const { of, version } of newsSince(telling, run, steps)) {
            if (most-- === 0) return
            expect(told.get(of), `${of} again`).to.not.equal(version)
            told.set(of, version)
            // The cursor passes through a header each time.
            cursor = readCursor(cursorText(telling))
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
        const expected = [['run', `r${run}`], ...steps.map(({ version }, at) => [String(at), `v${version}`])]
        expect([...told]).to.have.deep.members(expected)
      }),
      tries(300),
    )
  })

  it('fits into a header, at the cost of some repeated events', () => {
    const many = Array.from({ length: 5_000 }, () => ({ version: 1, isOver: false }))
    const told = new MutableRunCursor(startCursor)
    expect([...newsSince(told, 1, many)]).to.have.length(5_001)
    const text = cursorText(told)
    expect(text.length).to.be.below(4_000)
    const again = [...newsSince(new MutableRunCursor(readCursor(text)), 1, many)].map(({ of }) => of)
    expect(again).to.deep.equal(Array.from({ length: 4_800 }, (_, n) => String(n + 200)))
  })

  it('is reset by a malformed cursor', () => {
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
      expect(readCursor(text), text).to.deep.equal(startCursor)
  })
})
