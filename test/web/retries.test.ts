import { expect } from 'chai'
import { ApiError } from '../../server/web/api/problem.ts'
import { previewsOf, retriesOf, type Post, type Previewed } from '../../server/web/runs/many/pieces.ts'
import type { RunStatus } from '../../core/domain/run.ts'
import { retryOffer, effectsOfMany, refusalsOfMany, failedFilter } from '../../server/web/runs/retries.ts'

const run = (status: RunStatus) => ({ status, pruned_at: null, retried_by: null, playbook_hash: 'ran' })

describe('retryOffer', () => {
  it('offers a newer version for a completed run, if one is live', () => {
    const offered = (hash: string, isInForce: boolean) =>
      retryOffer(run('completed'), { hash, in_force: isInForce })
    expect(offered('newer', true)).to.equal('newer')
    expect(offered('ran', true), 'the version that ran').to.equal(null)
    expect(offered('newer', false), 'a version that nothing starts').to.equal(null)
    expect(retryOffer(run('completed'), undefined), 'not known yet').to.equal(null)
  })

  it('offers the failed step for failed and cancelled runs', () => {
    expect(retryOffer(run('failed'), undefined)).to.equal('failed')
    expect(retryOffer(run('cancelled'), { hash: 'ran', in_force: true })).to.equal('failed')
  })

  it('offers nothing for active, retried and pruned runs', () => {
    const newest = { hash: 'newer', in_force: true }
    for (const status of ['queued', 'running', 'waiting'] as const)
      expect(retryOffer(run(status), newest), status).to.equal(null)
    for (const status of ['failed', 'completed'] as const) {
      expect(retryOffer({ ...run(status), retried_by: 'next' }, newest), status).to.equal(null)
      expect(retryOffer({ ...run(status), pruned_at: 1 }, newest), status).to.equal(null)
    }
  })
})

const effect = (skill: string, repeat: 'safe' | 'never') => ({
  path: `steps/${skill}`,
  skill,
  input: {},
  took_effect: 'yes' as const,
  reason: 'failed',
  repeat,
})

describe('preview of many retries', () => {
  it('groups equal actions with the number of runs, most frequent first', () => {
    const run = (uuid: string, ...repeats: ReturnType<typeof effect>[]) => ({
      run_uuid: uuid,
      playbook: 'p',
      plan: `plan of ${uuid}`,
      repeats,
      error: null,
    })
    const data = [
      run('1', effect('a.tell', 'safe')),
      run('2', effect('a.isolate', 'never'), effect('a.isolate', 'never')),
      run('3', effect('a.isolate', 'never')),
    ]
    expect(effectsOfMany(data).map(({ skill, runs }) => [skill, runs])).to.deep.equal([
      ['a.isolate', 2],
      ['a.tell', 1],
    ])
  })

  it('lists the inputs of each run', () => {
    const isolated = (uuid: string, host: string) => ({
      run_uuid: uuid,
      playbook: 'p',
      plan: `plan of ${uuid}`,
      repeats: [{ ...effect('a.isolate', 'never'), input: { host } }],
      error: null,
    })
    const [found] = effectsOfMany([isolated('1', 'ws-1'), isolated('2', 'ws-2')])
    expect(found?.inputs).to.deep.equal([
      { run: '1', input: { host: 'ws-1' } },
      { run: '2', input: { host: 'ws-2' } },
    ])
  })

  it('groups reasons of refusals, with their hints', () => {
    const gone = { code: 'x', message: 'gone', hint: 'send it again' }
    const other = { code: 'y', message: 'it has not ended' }
    const data = [gone, other, gone, null].map((error) => ({ error }))
    expect(refusalsOfMany(data)).to.deep.equal(['2 × send it again', '1 × it has not ended'])
  })
})

const now = 100 * 86_400_000

describe('retrying all listed failed runs', () => {
  it('is offered for filters that the API accepts', () => {
    const listed = { status: 'failed', playbook: 'p' }
    expect(failedFilter({ ...listed, sort: 'created_at' }, now)).to.deep.equal({ playbook: 'p' })
    expect(
      failedFilter({ ...listed, error: 'x', created_after: '5', created_before: '9' }, now),
    ).to.deep.equal({
      playbook: 'p',
      error: 'x',
      created_after: 5,
      created_before: 9,
    })
    expect(failedFilter({ status: 'failed', case: 'main-1', organization: 'main' }, now)).to.deep.equal({
      case: 'main-1',
      organization: 'main',
    })
    expect(failedFilter({ ...listed, since: '24h' }, now)).to.deep.equal({
      playbook: 'p',
      created_after: 99 * 86_400_000,
    })
  })

  it('is not offered for other filters', () => {
    for (const others of [
      { status: 'failed' },
      { status: 'completed', playbook: 'p' },
      { status: 'failed', organization: 'main' },
      { status: 'failed', playbook: 'p', waits_for: 'answer' },
      { status: 'failed', playbook: 'p', since: 'ever' },
      { status: 'failed', playbook: 'p', created_before: 'noon' },
    ])
      expect(failedFilter(others, now), JSON.stringify(others)).to.equal(undefined)
  })
})

describe('retries in pieces', () => {
  const refused = { code: 'x', message: 'gone' }
  const previewOf = (uuid: string, error: typeof refused | null = null): Previewed => ({
    run_uuid: uuid,
    playbook: 'p',
    plan: error === null ? `plan of ${uuid}` : null,
    repeats: [],
    error,
  })
  interface Sent {
    readonly path: string
    readonly body: Partial<Record<string, unknown>>
    readonly key: string | undefined
  }

  /** Answers from a list; an error is thrown. */
  function server(...answers: readonly unknown[]) {
    const sent: Sent[] = []
    const rest = [...answers]
    const post: Post = async (path, body, key) => {
      sent.push({ path, body, key })
      const answer = rest.shift()
      if (answer instanceof Error) throw answer
      return answer as never
    }
    return { sent, post }
  }

  it('preview all runs that match a filter, continuing behind the last one', async () => {
    const { sent, post } = server(
      { data: [previewOf('3'), previewOf('2')], left: 1, next: '2' },
      new Error('no connection'),
      { data: [previewOf('1')], left: 0, next: null },
    )
    const next = previewsOf({ filter: { playbook: 'p' } }, 'same', post)
    expect(await next()).to.deep.include({ left: 1 })
    await next().catch(() => undefined)
    expect(await next()).to.deep.equal({ items: [previewOf('1')], left: 0 })
    expect(sent.map(({ body }) => body['after'])).to.deep.equal([undefined, '2', '2'])
  })

  it('preview named runs in pieces, also if the server left some of them', async () => {
    const runs = Array.from({ length: 150 }, (_, n) => String(n))
    const answer = (some: readonly string[]) => ({
      data: some.map((uuid) => previewOf(uuid)),
      left: 0,
      next: null,
    })
    const { sent, post } = server(
      answer(runs.slice(0, 100)),
      answer(runs.slice(100, 110)),
      answer(runs.slice(110)),
    )
    const next = previewsOf({ runs }, 'newest', post)
    expect([(await next()).left, (await next()).left, (await next()).left]).to.deep.equal([50, 40, 0])
    expect(sent[2]?.body['runs']).to.deep.equal(runs.slice(110))
  })

  it('retry exactly the runs and plans of the preview, each piece under its own key', async () => {
    const previews = [previewOf('1'), previewOf('2', refused), previewOf('3')]
    const done = (uuid: string) => ({ run_uuid: uuid, retry_uuid: `again ${uuid}`, error: null })
    const { sent, post } = server({ data: [done('1')], left: 1, next: null }, new Error('no answer'), {
      data: [done('3')],
      left: 0,
      next: null,
    })
    const next = retriesOf(previews, 'same', post)
    expect(await next()).to.deep.equal({ items: [done('1')], left: 1 })
    await next().catch(() => undefined)
    expect(await next()).to.deep.equal({ items: [done('3')], left: 0 })
    expect(sent.map(({ body }) => [body['runs'], body['plans']])).to.deep.equal([
      [
        ['1', '3'],
        ['plan of 1', 'plan of 3'],
      ],
      [['3'], ['plan of 3']],
      [['3'], ['plan of 3']],
    ])
    expect(sent[0]?.key).to.be.a('string').and.not.equal(sent[1]?.key)
    expect(sent[2]?.key, 'of the repeated request').to.equal(sent[1]?.key)
  })

  it('are sent under a new key if the answer to the old one was lost', async () => {
    const interrupted = { title: 'Interrupted', status: 409, code: 'request_interrupted' }
    const retried = { run_uuid: '1', retry_uuid: null, error: { code: 'run_superseded', message: 'retried' } }
    const { sent, post } = server(new ApiError(interrupted), { data: [retried], left: 0, next: null })
    const next = retriesOf([previewOf('1')], 'same', post)
    expect(await next()).to.deep.equal({ items: [retried], left: 0 })
    expect(sent[0]?.body).to.deep.equal(sent[1]?.body)
    expect(sent[0]?.key).to.not.equal(sent[1]?.key)
  })
})
