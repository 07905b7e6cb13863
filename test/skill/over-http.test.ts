import { expect } from 'chai'
import { runSkill, type ServedSandbox } from '../../core/plugin/testing/index.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import sandbox from '../../plugins/http/sandbox.ts'
import { get } from '../../plugins/http/skills/get.ts'
import { failure } from './fixture.ts'

describe('a skill over the real egress', () => {
  let running: ServedSandbox
  let egress: ClosableEgress
  beforeEach(async () => {
    running = await sandbox.start()
    egress = createEgress({ allowPrivate: [new URL(running.url).host] })
  })
  afterEach(async () => {
    egress.close()
    await running.close()
  })

  function call(signal = AbortSignal.timeout(30_000)) {
    return runSkill(get, { path: '/devices/7' }, { settings: running.settings, egress, signal })
  }

  it('behaves as in the test kit', async () => {
    const { output } = await call()
    expect(output).to.deep.include({ status: 200, json: { id: '7', owner: 'ada' } })
  })

  it('reports who acts next if the other system fails', async () => {
    running.failNext({ status: 429, headers: { 'retry-after': '2' } })
    expect(await failure(call())).to.include({
      name: 'RetryableError',
      code: 'http_429',
      retryAfterMs: 2_000,
    })
    running.failNext({ status: 500, text: '<html>oops</html>' })
    expect(await failure(call())).to.include({ name: 'RetryableError', code: 'http_500' })
    running.failNext({ status: 401 })
    expect(await failure(call())).to.include({ name: 'ConnectionError', code: 'http_401' })
    running.failNext('reset')
    expect(await failure(call())).to.include({ name: 'RetryableError', code: 'network_error' })
  })

  for (const how of ['hang', 'drip'] as const) {
    it(`ends by its deadline: ${how}`, async () => {
      running.failNext(how)
      const signal = AbortSignal.timeout(100)
      expect(await failure(call(signal))).to.equal(signal.reason)
    })
  }

  for (const how of ['huge', 'gzip_bomb'] as const) {
    it(`reads at most 10 MB of a body: ${how}`, async () => {
      running.failNext(how)
      expect(await failure(call())).to.include({ name: 'SkillError', code: 'response_too_large' })
    })
  }

  it('does not leave the host that the operator allowed', async () => {
    const strict = createEgress({ allowPrivate: [] })
    const work = runSkill(get, { path: '/' }, { settings: running.settings, egress: strict })
    expect(await failure(work)).to.include({ name: 'ForbiddenError', code: 'egress_forbidden' })
    expect(running.requests).to.have.length(0)
  })
})
