import { join } from 'node:path'
import { expect } from 'chai'
import type { AnySkill, PluginDefinition } from '../../core/plugin/index.ts'
import { runSkill, type SandboxReply, type ServedSandbox } from '../../core/plugin/testing/index.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'

const pluginsDir = join(import.meta.dirname, '../../plugins')

type Failing = Parameters<ServedSandbox['failNext']>[0]
/** Class and code of the error: they determine who acts next, and what a playbook can match. */
type Outcome = readonly [name: string, code: string]

const status = (code: number): SandboxReply => ({ status: code, text: '' })

/** The meaning of each failure for every system. */
const usual: Readonly<Record<string, readonly [Failing, Outcome]>> = {
  'a request that is refused': [status(400), ['SkillError', 'http_400']],
  'credentials that are refused': [status(401), ['ConnectionError', 'http_401']],
  'a permission that is missing': [status(403), ['ConnectionError', 'http_403']],
  'an address that is wrong': [status(404), ['SkillError', 'http_404']],
  'too many requests': [status(429), ['RetryableError', 'http_429']],
  'an outage': [status(500), ['RetryableError', 'http_500']],
  'a gateway': [status(502), ['RetryableError', 'http_502']],
  maintenance: [status(503), ['RetryableError', 'http_503']],
  'a connection that is cut': ['reset', ['RetryableError', 'network_error']],
  rubbish: ['garbage', ['SkillError', 'bad_response']],
  'an answer without end': ['huge', ['SkillError', 'response_too_large']],
  'a bomb of gzip': ['gzip_bomb', ['SkillError', 'response_too_large']],
  'a system that never answers': ['hang', ['TimeoutError', 'the deadline']],
  'a system that answers byte by byte': ['drip', ['TimeoutError', 'the deadline']],
}

/**
 * One skill per plugin with its exceptions: the system reports the failure differently, or the skill knows
 * more.
 */
const skills: Readonly<Record<string, Readonly<Record<string, Outcome>>>> = {
  'endpoint_security.get_machine': {},
  'threat_platform.fetch_incidents': {},
  'messaging.send_message': {
    // The address of the webhook is the credential.
    'an address that is wrong': ['ConnectionError', 'http_404'],
  },
  'messaging.checkpoint': {},
  'travel.get_bookings': {},
  'intel_provider.get_enrichment': {
    // Only the provider's own 404 means that the value is unknown.
    'an address that is wrong': ['SkillError', 'bad_response'],
  },
}

for (const [name, own] of Object.entries(skills)) {
  const [plugin = '', word] = name.split('.')
  const path = join(pluginsDir, plugin.replaceAll('_', '-'), 'plugin.ts')
  const { default: definition } = (await import(path)) as { default: PluginDefinition }
  const skill: AnySkill = definition.skills.find((one) => one.name === word)!
  const sandbox = await loadSandbox({ pluginsDir }, plugin)

  describe(`${name}, through the egress of the server, handles`, () => {
    let running: ServedSandbox
    let egress: ClosableEgress
    beforeEach(async () => {
      running = (await sandbox!.start()) as ServedSandbox
      egress = createEgress({ allowPrivate: ['127.0.0.1'] })
    })
    afterEach(async () => {
      egress.close()
      await running.close()
    })

    for (const [what, [how, expected]] of Object.entries(usual)) {
      it(what, async () => {
        running.failNext(how, 1_000)
        const isEndless = how === 'hang' || how === 'drip'
        const signal = AbortSignal.timeout(isEndless ? 150 : 10_000)
        const { settings } = running
        const options = { settings, egress, token: 'a-token', signal }
        const error = await runSkill(skill, skill.examples[0]?.input, options).then(
          () => expect.fail('it should have failed'),
          (reason: { name: string; code: string }) => reason,
        )
        const outcome = error === signal.reason ? ['TimeoutError', 'the deadline'] : [error.name, error.code]
        expect(outcome).to.deep.equal(own[what] ?? expected)
      })
    }
  })
}
