import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDeclaredPlugin } from '../../core/plugin/testing/index.ts'
import { pluginWith } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'declared-plugin-'))
writeFileSync(
  join(folder, 'plugin.yaml'),
  pluginWith({
    connection: `fields: { signing_secret: { secret: true } }
errors: [{ when: response.status == 401, hint: the key is wrong }]
webhooks:
  events:
    verify: { hmac: { key: "\${{ settings.signing_secret }}", header: X-Signature } }
    provider: example`,
    skill: `poll: { request: { get: /state }, until: response.body.done, every: 1m, timeout: 1h }
examples: []`,
  }),
)
const example = await openDeclaredPlugin(folder, { signing_secret: 'a-signing-secret' })
rmSync(folder, { recursive: true })

describe('openDeclaredPlugin', () => {
  it('calls a skill without waiting', async () => {
    const states = Array.from({ length: 30 }, (_, at) => ({ json: { done: at === 29 } }))
    const { output, requests } = await example.run('get_it', {}, { replies: [{ status: 202 }, ...states] })
    expect(output).to.deep.equal({ status: 200 })
    expect(requests).to.have.length(31)
  })

  it('describes a failure', async () => {
    const replies = [{ status: 401, json: { message: 'unknown key' } }]
    for (const failure of [
      await example.failureOf('get_it', {}, { replies }),
      await example.checkFailureOf(replies),
    ]) {
      expect(failure).to.include({ kind: 'ConnectionError', code: 'http_401' })
      expect(failure.text).to.match(/unknown key; the key is wrong$/)
    }
    const busy = await example.failureOf(
      'get_it',
      {},
      { replies: [{ status: 429, headers: { 'retry-after': '7' } }] },
    )
    expect(busy).to.include({ kind: 'RetryableError', retryAfterMs: 7_000 })
  })

  it('rejects if the call does not fail, or the skill is unknown', async () => {
    const succeeds = example.checkFailureOf([{ json: {} }])
    expect(await succeeds.catch(String)).to.match(/^Error: the call should fail, but gives /)
    expect(await example.run('get_that', {}).catch(String)).to.match(/example has no skill 'get_that'/)
  })

  it('receives webhook requests', () => {
    const signature = createHmac('sha256', 'a-signing-secret').update('{}').digest('hex')
    expect(example.receive('events', '{}', { headers: { 'x-signature': signature } }).alerts).to.have.length(
      1,
    )
    expect(() => example.receive('events', '{"a":1}', { headers: { 'x-signature': signature } })).to.throw()
    expect(() => example.receive('incidents', '{}')).to.throw("example has no webhook 'incidents'")
  })
})
