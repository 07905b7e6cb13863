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
    return { status: 200, url: '', headers: {}, text: '', json: () => body }
  }
  const http = { get } as unknown as HttpClient
  const log = { info() {}, warn() {} }
  const context = { http, log, signal: AbortSignal.timeout(5000), deadlineMs: roomMs }
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
  it('does not ask where nobody waits', async () => {
    expect(await follow(['Failed'], 0)).to.deep.equal({ outcome: 'Pending', pauses: [], asked: 0 })
  })

  it('asks with growing pauses until the action has succeeded', async () => {
    const { outcome, pauses } = await follow(['Pending', 'Pending', 'InProgress', 'Succeeded'], 600_000)
    expect(outcome).to.equal('Succeeded')
    expect(pauses).to.deep.equal([5000, 7500, 11_250, 16_875])
  })

  it('stops at its time, and gives what it saw last', async () => {
    const { outcome, pauses } = await follow(['InProgress', 'InProgress', 'InProgress'], 20_000)
    expect(outcome).to.equal('InProgress')
    expect(pauses).to.deep.equal([5000, 7500, 7500])
  })

  it('gives what it saw last before the time of the call is up, also where looks are slow', async () => {
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

  it('pauses for a minute at most', async () => {
    const { pauses } = await follow([], 3_600_000)
    expect(Math.max(...pauses)).to.equal(60_000)
    expect(pauses.reduce((sum, ms) => sum + ms)).to.equal(3_600_000)
  })

  for (const status of ['Failed', 'TimeOut', 'Cancelled']) {
    it(`fails where the action ended as ${status}`, async () => {
      const { outcome } = await follow(['InProgress', status], 60_000)
      expect(outcome).to.include({ name: 'SkillError', code: 'action_failed' })
      expect(valueAt(outcome, 'details')).to.deep.equal({ action_id: queued.id, status })
    })
  }

  it('takes a status that nobody knows for pending', async () => {
    expect((await follow(['Paused', 'Succeeded'], 60_000)).outcome).to.equal('Succeeded')
  })

  it('goes on where an answer cannot be had just now', async () => {
    const { outcome } = await follow([new RetryableError('http_500', 'x'), 'Succeeded'], 60_000)
    expect(outcome).to.equal('Succeeded')
  })

  it('goes on where the action does not show yet', async () => {
    const notFound = new SkillError('resource_not_found', 'x')
    expect(await follow([notFound, notFound, 'Succeeded'], 60_000)).to.deep.equal({
      outcome: 'Succeeded',
      pauses: [5000, 7500, 11_250],
      asked: 3,
    })
  })

  it('gives up looking, and nothing else, where it may not look', async () => {
    expect(await follow([new ConnectionError('http_403', 'x'), 'Succeeded'], 60_000)).to.deep.equal({
      outcome: 'Pending',
      pauses: [5000],
      asked: 1,
    })
  })
})
