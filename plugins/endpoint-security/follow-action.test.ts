import { expect } from 'chai'
import {
  ConnectionError,
  RetryableError,
  SkillError,
  valueAt,
  type HttpClient,
  type HttpResponse,
} from 'tocsin/plugin'
import { followAction } from './actions/follow-action.ts'
import { decodeMachineAction } from './records/machine-action.ts'
import { endpointFixture } from './sandbox/data/fixture.ts'

const queued = decodeMachineAction(endpointFixture('machine-action-isolate'))

/** Follows an action whose polls return these states in order; an error is thrown. */
async function follow(
  seen: readonly (string | Error)[],
  forMs: number,
  { roomMs = Infinity, lookMs = 0 } = {},
) {
  const pauses: number[] = []
  let nowMs = 0
  let asked = 0
  const get = async (): Promise<HttpResponse> => {
    const next = seen[asked++] ?? 'Pending'
    nowMs += lookMs
    if (typeof next !== 'string') throw next
    const body = { ...queued, status: next }
    return { status: 200, url: '', headers: {}, text: '', bytes: Buffer.of(), json: () => body }
  }
  const http = { get } as unknown as HttpClient
  const log = { info() {}, warn() {} }
  const context = { http, log, signal: AbortSignal.timeout(30_000), deadlineMs: roomMs }
  const time = {
    now: () => nowMs,
    async pause(ms: number) {
      pauses.push(ms)
      nowMs += ms
    },
  }
  const work = followAction(queued, forMs, context, time)
  const outcome: unknown = await work.then(
    ({ status }) => status,
    (error: unknown) => error,
  )
  return { outcome, pauses, asked }
}

describe('followAction', () => {
  it('does not poll without a wait time', async () => {
    expect(await follow(['Failed'], 0)).to.deep.equal({ outcome: 'Pending', pauses: [], asked: 0 })
  })

  it('polls with growing pauses until the action succeeds', async () => {
    const { outcome, pauses } = await follow(['Pending', 'Pending', 'InProgress', 'Succeeded'], 600_000)
    expect(outcome).to.equal('Succeeded')
    expect(pauses).to.deep.equal([5000, 7500, 11_250, 16_875])
  })

  it('stops at the end of the wait and returns the last state', async () => {
    const { outcome, pauses } = await follow(['InProgress', 'InProgress', 'InProgress'], 20_000)
    expect(outcome).to.equal('InProgress')
    expect(pauses).to.deep.equal([5000, 7500, 7500])
  })

  it('returns the last state before the call times out, even if polls are slow', async () => {
    const room = { roomMs: 60_000, lookMs: 2_000 }
    const { outcome, pauses, asked } = await follow([], 3_600_000, room)
    expect(outcome).to.equal('Pending')
    expect(pauses.reduce((sum, ms) => sum + ms) + asked * room.lookMs).to.be.within(50_000, 52_000)
    expect(await follow([], 60_000, { roomMs: 5_000 })).to.deep.equal({
      outcome: 'Pending',
      pauses: [],
      asked: 0,
    })
  })

  it('pauses at most one minute', async () => {
    const { pauses } = await follow([], 3_600_000)
    expect(Math.max(...pauses)).to.equal(60_000)
    expect(pauses.reduce((sum, ms) => sum + ms)).to.equal(3_600_000)
  })

  for (const status of ['Failed', 'TimeOut', 'Cancelled']) {
    it(`fails if the action ends as ${status}`, async () => {
      const { outcome } = await follow(['InProgress', status], 60_000)
      expect(outcome).to.include({ name: 'SkillError', code: 'action_failed' })
      expect(valueAt(outcome, 'details')).to.deep.equal({ action_id: queued.id, status })
    })
  }

  it('treats an unknown status as pending', async () => {
    expect((await follow(['Paused', 'Succeeded'], 60_000)).outcome).to.equal('Succeeded')
  })

  it('continues after a transient error', async () => {
    const { outcome } = await follow([new RetryableError('http_500', 'x'), 'Succeeded'], 60_000)
    expect(outcome).to.equal('Succeeded')
  })

  it('continues if the action is not visible yet', async () => {
    const notFound = new SkillError('resource_not_found', 'x')
    expect(await follow([notFound, notFound, 'Succeeded'], 60_000)).to.deep.equal({
      outcome: 'Succeeded',
      pauses: [5000, 7500, 11_250],
      asked: 3,
    })
  })

  it('stops polling without failing if it lacks permission', async () => {
    expect(await follow([new ConnectionError('http_403', 'x'), 'Succeeded'], 60_000)).to.deep.equal({
      outcome: 'Pending',
      pauses: [5000],
      asked: 1,
    })
  })
})
