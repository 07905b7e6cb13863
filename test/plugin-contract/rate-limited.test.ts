import { join } from 'node:path'
import { expect } from 'chai'
import { loopbackEgress, runSkill, type ServedSandbox } from '../../core/plugin/testing/index.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'

const pluginsDir = join(import.meta.dirname, '../../plugins')

for (const { name, skills: all } of (await discoverPlugins({ pluginsDir })).plugins) {
  const sandbox = await loadSandbox({ pluginsDir }, name)
  if (sandbox === undefined) continue
  // Mail is not HTTP: its limits are tested with the plugin.
  const skills = all.filter(({ connection }) => connection !== undefined && name !== 'mail')

  describe(`a rate limit of ${name}`, () => {
    for (const skill of skills) {
      it(`tells ${skill.name} how long to wait, and that nothing happened`, async () => {
        const running = (await sandbox.start()) as ServedSandbox
        running.limitRate({ requests: 1, perMs: 3_600_000 })
        // The only request that is answered.
        await loopbackEgress.send({
          method: 'GET',
          url: running.url,
          headers: {},
          body: undefined,
          signal: AbortSignal.timeout(30_000),
        })
        const error = await runSkill(skill, skill.examples[0]?.input, {
          settings: running.settings,
          egress: loopbackEgress,
          token: 'a-token',
        }).then(
          () => expect.fail('it should have been refused'),
          (reason: { retryAfterMs?: number; name?: string; code?: string }) => reason,
        )
        await running.close()
        expect(error).to.include({ name: 'RetryableError' })
        expect(error.code).to.be.oneOf(['http_429', 'rate_limited'])
        expect(error.retryAfterMs).to.be.within(3_500_000, 3_600_000)
      })
    }
  })
}
