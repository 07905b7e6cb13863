import { expect } from 'chai'
import fc from 'fast-check'
import { TurnQueue } from '../../core/engine/turns/turn-queue.ts'
import type { RunKey } from '../../core/ports/runs/run-store.ts'
import { tries } from '../support/random.ts'
import { settle } from './support/manual-clock.ts'

describe('the turn queue', () => {
  const key = (organizationUuid: string, number: number): RunKey => ({
    organizationUuid,
    uuid: `${organizationUuid}${number}`,
  })
  const active = new Map<string, unknown>()
  /** Due runs in the order of the store. */
  let stored: RunKey[]
  let asked: number
  let refusals: number
  beforeEach(() => {
    active.clear()
    stored = []
    asked = 0
    refusals = 0
  })

  const makeQueue = (maxInMemory: number) =>
    new TurnQueue({
      active,
      maxInMemory,
      onFilled: () => {},
      onStoreError: () => Promise.resolve(),
      async due(organization, limit) {
        asked++
        if (refusals-- > 0) throw new Error('the disk is away')
        const found = stored.filter((each) => each.organizationUuid === organization).slice(0, limit)
        await Promise.resolve()
        return found
      },
    })
  const push = (queue: TurnQueue, one: RunKey) => {
    stored.push(one)
    queue.push(one)
  }
  /** The store learns of it only when the run has started. */
  const take = (queue: TurnQueue): string | undefined => {
    const taken = queue.take()?.key.uuid
    if (taken !== undefined) active.set(taken, {})
    return taken
  }
  const endTurns = () => {
    stored = stored.filter(({ uuid }) => !active.has(uuid))
    active.clear()
  }

  it('alternates between organizations, each with its runs in order', () => {
    const queue = makeQueue(100)
    for (const one of [key('a', 1), key('a', 2), key('a', 3), key('b', 1), key('a', 4), key('b', 2)])
      push(queue, one)
    const taken = Array.from({ length: 7 }, () => take(queue))
    expect(taken).to.deep.equal(['a1', 'b1', 'a2', 'b2', 'a3', 'a4', undefined])
    expect(asked).to.equal(0)
  })

  it('yields a run once, however often it is pushed', () => {
    const queue = makeQueue(100)
    for (let n = 0; n < 3; n++) queue.push(key('a', 1))
    expect([take(queue), take(queue)]).to.deep.equal(['a1', undefined])
  })

  it('holds a limited number per organization in memory, and loads the rest in order', async () => {
    const queue = makeQueue(10)
    for (let n = 0; n < 500; n++) push(queue, key('a', n))
    push(queue, key('b', 1))
    const taken: (string | undefined)[] = []
    for (let n = 0; n < 501; n++) {
      expect(queue.size).to.be.at.most(22)
      taken.push(take(queue))
      if (n % 3 === 0) endTurns()
      await settle()
    }
    expect(taken.filter((uuid) => uuid !== 'b1')).to.deep.equal(
      Array.from({ length: 500 }, (_, n) => `a${n}`),
    )
    expect(taken.indexOf('b1')).to.be.at.most(1)
    expect(take(queue)).to.equal(undefined)
  })

  it('polls for work that was not pushed, and retries if the store cannot be read', async () => {
    const queue = makeQueue(10)
    stored = [key('a', 1), key('a', 2), key('a', 3)]
    active.set('a2', {})
    refusals = 2
    queue.loadDue('a')
    await settle()
    expect([take(queue), take(queue), take(queue)]).to.deep.equal(['a1', 'a3', undefined])
  })

  it('loses and duplicates no run that arrives while it loads', async () => {
    const steps = fc.array(fc.constantFrom('push', 'push', 'take', 'look', 'turn', 'end'), { maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (moves, maxInMemory) => {
        active.clear()
        stored = []
        const queue = makeQueue(maxInMemory)
        const taken: string[] = []
        let pushed = 0
        const takeOne = (): boolean => {
          const uuid = take(queue)
          // The turn of a run that ended meanwhile is over at once.
          if (stored.some((one) => one.uuid === uuid)) taken.push(uuid!)
          return uuid !== undefined
        }
        for (const move of moves) {
          if (move === 'push') push(queue, key('a', pushed++))
          else if (move === 'take') takeOne()
          else if (move === 'look') queue.loadDue('a')
          else if (move === 'end') endTurns()
          else await Promise.resolve()
        }
        for (;;) {
          await settle()
          endTurns()
          if (!takeOne()) break
        }
        expect(taken).to.deep.equal(Array.from({ length: pushed }, (_, n) => `a${n}`))
      }),
      tries(60),
    )
  })
})
