import { expect } from 'chai'
import sinon from 'sinon'
import { watchSilence } from '../../server/web/live/live-state.ts'

describe('heartbeat watchdog', () => {
  let clock: sinon.SinonFakeTimers
  let silences: number
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    silences = 0
  })
  afterEach(() => clock.restore())
  const watch = () => watchSilence(45_000, () => silences++)

  it('calls back after the silence', () => {
    const { heard } = watch()
    heard()
    clock.tick(44_000)
    heard()
    clock.tick(44_000)
    expect(silences).to.equal(0)
    clock.tick(1_000)
    expect(silences).to.equal(1)
    clock.tick(100_000)
    expect(silences).to.equal(1)
  })

  it('does not run before the first heartbeat or after stop', () => {
    const { heard, stop } = watch()
    clock.tick(100_000)
    heard()
    stop()
    clock.tick(100_000)
    expect(silences).to.equal(0)
  })
})
