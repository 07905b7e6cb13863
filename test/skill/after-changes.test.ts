import { expect } from 'chai'
import { isOutcomeUnknown, mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import { RetryableError, type Effect, type SkillContext } from '../../core/plugin/index.ts'
import type { EgressRequest, EgressResponse } from '../../core/ports/egress.ts'
import { callerOf, connection, failure, skillThat } from './fixture.ts'

type Work = (context: SkillContext<never>) => Promise<unknown>

const busy = { status: 429, headers: { 'retry-after': '30' } }
const oneAtATime = {
  ...connection,
  rate: () => ({ bucket: 'all', limits: [{ requests: 1, perMs: 60_000 }] }),
}

/**
 * The error of a skill that does `work`; `/busy` is over its rate limit, `/down` refuses connections, `/cut`
 * drops them.
 */
async function errorOf(work: Work, more: object = {}) {
  const answer = ({ url }: EgressRequest): Partial<EgressResponse> | Error => {
    const path = new URL(url).pathname
    if (path.endsWith('/busy')) return busy
    if (path.endsWith('/missing')) return { status: 404 }
    if (!path.endsWith('/down') && !path.endsWith('/cut')) return {}
    const code = path.endsWith('/down') ? 'ECONNREFUSED' : 'ECONNRESET'
    return new RetryableError('network_error', code, { details: { code } })
  }
  const skill = skillThat(
    async (_input, context) => {
      await work(context)
      return { text: '' }
    },
    { effect: 'write', repeat: 'never', ...more },
  )
  const error = await failure(callerOf(skill, { answer }).call())
  return { error, mayHaveHappened: mayHaveHappened(error) }
}

describe('a skill that fails after a change', () => {
  for (const path of ['/busy', '/down']) {
    it(`does not claim that nothing happened: ${path}`, async () => {
      const alone = await errorOf(({ http }) => http.post(path))
      expect(alone.mayHaveHappened).to.equal(false)
      const after = await errorOf(async ({ http }) => {
        await http.post('/change')
        await http.get(path)
      })
      expect(after.mayHaveHappened).to.equal(true)
      expect(after.error).to.include({
        name: 'RetryableError',
        code: (alone.error as { code?: string }).code,
      })
    })
  }

  it('keeps the rest of the error', async () => {
    const { error } = await errorOf(async ({ http }) => {
      await http.post('/change')
      await http.post('/busy')
    })
    expect(error).to.include({ code: 'http_429', retryAfterMs: 30_000 })
    expect(error.message).to.include('answered 429')
    expect(error.details).to.deep.include({ status: 429, connection: 'main', effect: 'unknown' })
  })

  it('does not claim it when rate-limited either', async () => {
    const { error, mayHaveHappened } = await errorOf(
      async ({ http }) => {
        await http.post('/change')
        await http.get('/look')
      },
      { connection: oneAtATime },
    )
    expect(error).to.include({ code: 'rate_limited' })
    expect(mayHaveHappened).to.equal(true)
  })

  it('may have changed something if the connection was closed', async () => {
    const { mayHaveHappened } = await errorOf(async ({ http }) => {
      await http.post('/cut').catch(() => {})
      await http.get('/busy')
    })
    expect(mayHaveHappened).to.equal(true)
  })

  for (const [what, work] of Object.entries<Work>({
    'only read before': ({ http }) => http.get('/look'),
    'was refused before': ({ http }) => http.post('/busy').catch(() => {}),
    'was told before that there is no such thing': ({ http }) => http.post('/missing', { accept: [404] }),
  })) {
    it(`has changed nothing if it ${what}`, async () => {
      const { mayHaveHappened } = await errorOf(async (context) => {
        await work(context)
        await context.http.post('/busy')
      })
      expect(mayHaveHappened).to.equal(false)
    })
  }

  it('has a known outcome if it only reads, even by POST', async () => {
    const search: Work = async ({ http }) => {
      await http.post('/search')
      await http.post('/busy')
    }
    expect((await errorOf(search, { effect: 'read' })).mayHaveHappened).to.equal(false)
    expect((await errorOf(search)).mayHaveHappened).to.equal(true)
  })

  describe('reports to the engine', () => {
    /** The reported effects, each once, then the error of the skill. */
    async function told(work: Work, more: object = {}): Promise<readonly unknown[]> {
      const seen: unknown[] = []
      const answer = ({ url }: EgressRequest): Partial<EgressResponse> | Error => {
        if (url.endsWith('/missing')) return { status: 404 }
        if (!url.endsWith('/down')) return {}
        return new RetryableError('network_error', 'no', { details: { code: 'ECONNREFUSED' } })
      }
      const skill = skillThat(
        async (_input, context) => {
          await work(context)
          return { text: '' }
        },
        { effect: 'write', repeat: 'never', ...more },
      )
      const attempt = {
        number: 1,
        idempotencyKey: 'run-1/act',
        deadlineMs: Infinity,
        signal: AbortSignal.timeout(30_000),
        onEffect: (effect: Effect | (() => Effect | undefined)) =>
          void (typeof effect === 'function' || seen.at(-1) === effect || seen.push(effect)),
      }
      await callerOf(skill, { answer })
        .call({ attempt })
        .catch(() => {})
      return seen
    }

    it('no effect while it reads, cannot connect, or gets a 404', async () => {
      expect(await told(({ http }) => http.get('/look'))).to.deep.equal(['none'])
      expect(await told(({ http }) => http.post('/down'))).to.deep.equal(['none'])
      const refused = await told(({ http }) => http.post('/missing', { accept: [404] }))
      expect(refused).to.deep.equal(['none', 'unknown', 'none'])
    })

    it('a possible effect from the moment a change was sent', async () => {
      const seen = await told(async ({ http }) => {
        await http.post('/change')
        await http.get('/look')
      })
      expect(seen).to.deep.equal(['none', 'unknown'])
    })

    it('nothing for calls without requests or for reads', async () => {
      expect(await told(async () => {})).to.deep.equal([])
      expect(await told(({ http }) => http.post('/search'), { effect: 'read' })).to.deep.equal([])
    })
  })

  it('keeps its unknown outcome, whatever error a later request gets', async () => {
    const { error } = await errorOf(async ({ http }) => {
      await http.post('/change')
      await http.get('/missing')
    })
    expect(error).to.include({ name: 'SkillError', code: 'http_404' })
    expect(isOutcomeUnknown(error)).to.equal(true)
  })
})
