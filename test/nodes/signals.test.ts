import { expect } from 'chai'
import type { SentSignal, Signal } from '../../core/ports/nodes/signals.ts'
import { NotifiedSignals, type NotifyChannel } from '../../server/nodes/signals/notified-signals.ts'
import { SignalBus } from '../../server/nodes/signals/signal-bus.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'

/** Delivers each text to all its listeners, as PostgreSQL does. */
class Channel implements NotifyChannel {
  readonly sent: string[] = []
  refusal: Error | undefined
  isDeaf = false
  readonly #listeners = new Set<{ readonly onPayload: (text: string) => void; readonly onGap: () => void }>()

  async notify(payload: string): Promise<void> {
    if (this.refusal) throw this.refusal
    this.sent.push(payload)
    if (this.isDeaf) return
    for (const { onPayload } of this.#listeners) onPayload(payload)
  }

  listen(onPayload: (text: string) => void, onGap: () => void): () => void {
    const listener = { onPayload, onGap }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  gap(): void {
    for (const { onGap } of this.#listeners) onGap()
  }
}

const woken = (uuid: string): SentSignal => ({ kind: 'run_woken', run: { uuid, organizationUuid: 'o' } })

describe('signals over a channel', () => {
  let clock: ManualClock
  let channel: Channel
  let warnings: number
  let a: NotifiedSignals
  let b: NotifiedSignals
  let atA: Signal[]
  let atB: Signal[]

  const node = (id: string, seen: Signal[]): NotifiedSignals => {
    const log = { debug() {}, info() {}, warn: () => void warnings++, error() {} }
    const signals = new NotifiedSignals({ node: id, channel, clock, log })
    signals.listen((signal) => seen.push(signal))
    return signals
  }

  beforeEach(() => {
    clock = new ManualClock()
    channel = new Channel()
    ;[warnings, atA, atB] = [0, [], []]
    a = node('a', atA)
    b = node('b', atB)
  })

  it('tells the other nodes once, in one text, what was published within 50 ms', async () => {
    for (const one of ['1', '2', '1']) a.publish(woken(one))
    await clock.advance(49)
    expect(channel.sent).to.have.length(0)
    await clock.advance(1)
    expect(channel.sent).to.have.length(1)
    expect(atB).to.deep.equal([woken('1'), woken('2')])
    expect(atA).to.deep.equal([])
  })

  it('splits what is too long for one text, and says that others missed something that never fits', async () => {
    const many = Array.from({ length: 300 }, (_, n) => woken(`${n}-${'ü'.repeat(20)}`))
    for (const one of many) a.publish(one)
    a.publish({ kind: 'investigation_ended', alertId: 'x'.repeat(9_000) })
    await clock.advance(50)
    expect(channel.sent.length).to.be.greaterThan(3)
    for (const text of channel.sent) expect(Buffer.byteLength(text)).to.be.below(8_000)
    expect(atB).to.deep.equal([...many, { kind: 'missed' }])
  })

  it('says that others missed something instead of gathering without end', async () => {
    for (let n = 0; n < 5_000; n++) a.publish(woken(String(n)))
    await clock.advance(50)
    expect(atB).to.deep.equal([{ kind: 'missed' }])
    a.publish(woken('later'))
    await clock.advance(50)
    expect(atB.at(-1)).to.deep.equal(woken('later'))
  })

  it('passes on that texts may have been missed, ignores unknown kinds, and takes a broken text for a gap', async () => {
    channel.gap()
    expect([atA, atB]).to.deep.equal([[{ kind: 'missed' }], [{ kind: 'missed' }]])
    await channel.notify('{"from":"c","signals":[{"kind":"of_a_newer_version"},{"kind":"pause_changed"}]}')
    expect(atB.slice(1)).to.deep.equal([{ kind: 'pause_changed' }])
    await channel.notify('{"from":')
    expect(atB.slice(2)).to.deep.equal([{ kind: 'missed' }])
  })

  it('sends the rest at its end', async () => {
    a.publish({ kind: 'playbooks_changed' })
    await a.close()
    expect(atB).to.deep.equal([{ kind: 'playbooks_changed' }])
    await b.close()
  })

  it('says after a failure that others missed something', async () => {
    channel.refusal = new Error('no connection')
    a.publish({ kind: 'pause_changed' })
    await clock.advance(50)
    expect(warnings).to.equal(1)
    channel.refusal = undefined
    await clock.advance(10_000)
    expect(atB).to.deep.equal([{ kind: 'missed' }])
    await clock.advance(10_000)
    expect([warnings, atA, atB]).to.deep.equal([1, [], [{ kind: 'missed' }]])
  })

  it('takes anything for missed every ten seconds while it does not hear itself', async () => {
    await clock.advance(60_000)
    expect([atA, atB]).to.deep.equal([[], []])
    channel.isDeaf = true
    await clock.advance(40_000)
    expect(atA.length).to.be.within(3, 4)
    expect(new Set(atA.map(({ kind }) => kind))).to.deep.equal(new Set(['missed']))
    expect(warnings).to.equal(2)
    channel.isDeaf = false
    await clock.advance(20_000)
    const { length } = atA
    await clock.advance(40_000)
    expect(atA).to.have.length(length)
  })

  it('reports no silence while the database is away, because its return is a gap', async () => {
    channel.refusal = new Error('no connection')
    await clock.advance(60_000)
    expect([atA, warnings]).to.deep.equal([[], 0])
  })
})

describe('signals within a process', () => {
  it('reach all other nodes, also that all may have missed some', async () => {
    const bus = new SignalBus()
    const seen: string[] = []
    const [a, b, c] = ['a', 'b', 'c'].map((id) => {
      const signals = bus.join()
      return { signals, end: signals.listen(({ kind }) => seen.push(`${id} ${kind}`)) }
    })
    a!.signals.publish({ kind: 'pause_changed' })
    c!.end()
    await settle()
    bus.miss()
    expect(seen).to.deep.equal(['b pause_changed', 'a missed', 'b missed'])
    b!.end()
  })
})
