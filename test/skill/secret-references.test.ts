import { expect } from 'chai'
import { ConnectionError, Secret, SkillError, type SkillContext } from '../../core/plugin/index.ts'
import type { SecretSource } from '../../core/ports/secret-source.ts'
import { createSecretResolver } from '../../core/skill/connection/secret-resolver.ts'
import { callerOf, failure, skillThat, storedConnection } from './fixture.ts'

/** A source whose value the test changes. */
function sourceOf(first: string) {
  const source = { value: first, error: undefined as Error | undefined, reads: 0 }
  const read: SecretSource['read'] = async () => {
    source.reads++
    if (source.error !== undefined) throw source.error
    return new Secret(source.value)
  }
  return Object.assign(source, { read })
}

const connections = [storedConnection('main', { secretReferences: { key: 'vault:box#key' } })]
/** The system behind the connection accepts one key. */
const knows = (key: () => string) => (request: { readonly headers: Readonly<Record<string, string>> }) =>
  request.headers['x-key'] === key() ? { body: '{}' } : { status: 401 }
const asks = (_input: never, { http }: SkillContext<never>) => http.get('/me').then(() => ({ text: 'done' }))

describe('a connection whose secret is a reference', () => {
  const openWith = (source: SecretSource) => ({
    connections,
    secrets: {},
    resolver: createSecretResolver(source),
  })

  it('is called with the value, which is read at each call', async () => {
    const source = sourceOf('canary-first')
    const { call, requests } = callerOf(skillThat(asks), {
      ...openWith(source),
      answer: knows(() => source.value),
    })
    await call()
    source.value = 'canary-second'
    await call()
    expect(requests.map(({ headers }) => headers['x-key'])).to.deep.equal(['canary-first', 'canary-second'])
  })

  it('is the same object for skills as long as nothing changes', async () => {
    const source = sourceOf('canary-first')
    const resolver = createSecretResolver(source)
    const stored = { connection: connections[0]!, secrets: {} }
    const options = { signal: AbortSignal.timeout(30_000) }
    const first = await resolver.resolve(stored, options)
    expect(await resolver.resolve(stored, options)).to.equal(first)
    source.value = 'canary-second'
    const second = await resolver.resolve(stored, options)
    expect(second.secrets['key']?.reveal()).to.equal('canary-second')
    expect(second.formerSecrets).to.deep.equal(['canary-first'])
    expect(await resolver.renew(second, options.signal), 'the same values').to.equal(undefined)
    expect(await resolver.renew(stored, options.signal), 'nothing was read').to.equal(undefined)
  })

  it('does not show the value, nor one that was replaced', async () => {
    const source = sourceOf('canary-first')
    const { call } = callerOf(
      skillThat(() => ({ text: 'the keys canary-first and canary-second' })),
      openWith(source),
    )
    await call()
    source.value = 'canary-second'
    expect(await call()).to.deep.equal({ text: 'the keys [redacted] and [redacted]' })
  })

  it('fails with the reference, and without a call, if it cannot be read', async () => {
    const source = sourceOf('')
    source.error = new ConnectionError(
      'secret_unresolved',
      'cannot read the secret vault:box#key: it is gone',
      {
        effect: 'none',
      },
    )
    const { call, requests } = callerOf(skillThat(asks), openWith(source))
    expect(await failure(call())).to.include({
      code: 'secret_unresolved',
      message: "connection 'main': cannot read the secret vault:box#key: it is gone",
    })
    expect(requests).to.deep.equal([])
  })

  it('cannot be used without sources', async () => {
    const { call } = callerOf(skillThat(asks), { connections, secrets: {} })
    expect((await failure(call())).message).to.include('no source of secrets is configured')
  })

  describe('that was just rotated', () => {
    /** The cached value is used until a refusal causes a new read. */
    function rotating() {
      const reads: boolean[] = []
      const source: SecretSource = {
        read: async (_organization, _reference, { isRefused = false }) => {
          reads.push(isRefused)
          return new Secret(reads.includes(true) ? 'canary-new' : 'canary-old')
        },
      }
      return { reads, source }
    }
    const write = { effect: 'write', repeat: 'never' }
    const post =
      (path: string) =>
      (_input: never, { http }: SkillContext<never>) =>
        http.post(path).then(() => ({ text: 'done' }))

    for (const [what, skill] of [
      ['that reads', skillThat(asks)],
      ['that writes', skillThat(post('/act'), write)],
    ] as const)
      it(`is called again with the new value by a skill ${what}`, async () => {
        const { reads, source } = rotating()
        const { call, requests } = callerOf(skill, { ...openWith(source), answer: knows(() => 'canary-new') })
        expect(await call()).to.deep.equal({ text: 'done' })
        expect(requests).to.have.length(2)
        expect(reads).to.deep.equal([false, true])
      })

    it('is called once again, and no more', async () => {
      const { call, requests } = callerOf(skillThat(asks), {
        ...openWith(rotating().source),
        answer: () => ({ status: 401 }),
      })
      expect(await failure(call())).to.include({ code: 'http_401' })
      expect(requests).to.have.length(2)
    })

    it('is not called again with the same value, nor for another error', async () => {
      const source = sourceOf('canary-first')
      const wrong = callerOf(skillThat(asks), { ...openWith(source), answer: () => ({ status: 401 }) })
      expect(await failure(wrong.call())).to.include({ code: 'http_401' })
      expect(wrong.requests).to.have.length(1)
      expect(source.reads).to.equal(2)
      const { reads, source: other } = rotating()
      const missing = callerOf(skillThat(asks), { ...openWith(other), answer: () => ({ status: 404 }) })
      expect(await failure(missing.call())).to.be.instanceOf(SkillError)
      expect(reads).to.deep.equal([false])
    })

    it('is not called again by a write that has changed something, unless a repeat is safe', async () => {
      const twice = async (_input: never, { http }: SkillContext<never>) => {
        await http.post('/first')
        await http.post('/second')
        return { text: 'done' }
      }
      const answer = ({ url, headers }: { url: string; headers: Readonly<Record<string, string>> }) =>
        url.endsWith('/second') && headers['x-key'] === 'canary-old' ? { status: 401 } : { body: '{}' }
      const never = callerOf(skillThat(twice, write), { ...openWith(rotating().source), answer })
      expect(await failure(never.call())).to.deep.include({ code: 'http_401' })
      expect(never.requests).to.have.length(2)
      const safe = callerOf(skillThat(twice, { effect: 'write', repeat: 'safe' }), {
        ...openWith(rotating().source),
        answer,
      })
      expect(await safe.call()).to.deep.equal({ text: 'done' })
      expect(safe.requests).to.have.length(4)
    })

    it('fails with the refusal of the other system if the source then fails too', async () => {
      const source: SecretSource = {
        read: async (_organization, _reference, { isRefused = false }) => {
          if (isRefused) throw new Error('Vault is down')
          return new Secret('canary-old')
        },
      }
      const { call } = callerOf(skillThat(asks), { ...openWith(source), answer: () => ({ status: 401 }) })
      expect(await failure(call())).to.include({ code: 'http_401' })
    })
  })
})
