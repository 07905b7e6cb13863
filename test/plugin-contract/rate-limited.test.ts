import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { PluginDefinition, Sandbox } from '../../core/plugin/index.ts'
import { loopbackEgress, runSkill, type ServedSandbox } from '../../core/plugin/testing/index.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'

const pluginsDir = join(import.meta.dirname, '../../plugins')

for (const folder of readdirSync(pluginsDir)) {
  const name = folder.replaceAll('-', '_')
  const sandbox: Sandbox | undefined = await loadSandbox({ pluginsDir }, name)
  if (sandbox === undefined) continue
  const module = (await import(join(pluginsDir, folder, 'plugin.ts'))) as { default: PluginDefinition }
  const skills = module.default.skills.filter(({ connection }) => connection !== undefined)

  describe(`a rate limit of ${name}`, () => {
    for (const skill of skills) {
      it(`tells ${skill.name} how long to wait, and that nothing happened`, async () => {
        const running = (await sandbox.start()) as ServedSandbox
        running.limitRate({ requests: 1, perMs: 3_600_000 })
        // The one request that is answered.
        await loopbackEgress.send({
          method: 'GET',
          url: running.url,
          headers: {},
          body: undefined,
          signal: AbortSignal.timeout(5_000),
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
