import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ValidationError } from '../../errors/errors.ts'
import { checkPlugin } from '../../registry/check-plugin.ts'
import { checkSettings } from '../../skill/connection/settings.ts'
import {
  ConnectionError,
  SkillError,
  type ConnectionDefinition,
  type InboundRequest,
  type JsonSchema,
  type PluginDefinition,
  type Sandbox,
} from '../index.ts'
import { checkConnection } from './check-connection.ts'
import { describeImplementations } from './describe-implementations.ts'
import { describeRelated, describeReversal, describeState, withSandbox } from './describe-related.ts'
import { describeFailures, namesOfSecrets, type AddTest } from './failures/describe-failures.ts'
import { loopbackEgress } from './loopback-egress.ts'
import { runSkill } from './run-skill.ts'

// mocha's globals, not imports: `tocsin demo` loads sandboxes, and with them this module, without mocha
// installed.
interface TestGlobals {
  readonly describe: (name: string, body: () => void) => void
  readonly it: AddTest
}

export interface DescribePluginOptions {
  /** The plugin's folder, e.g. `import.meta.dirname`; it has the plugin's name and contains its README. */
  readonly folder: string
  /** Examples run against it. Required if the plugin has a connection. */
  readonly sandbox?: Sandbox
  /** Whether the folder may have any name, as that of a package. Default false. */
  readonly isPackage?: boolean
  /**
   * Whether it is a `plugin.yaml`: its skills share the code for connections and errors, so only one of them
   * is tested against failures. Default false.
   */
  readonly isDeclared?: boolean
}

/** A mocha suite of the rules for all plugins. A plugin's own tests cover the rest. */
export function describePlugin(plugin: PluginDefinition, options: DescribePluginOptions): void {
  const { describe, it } = globalThis as unknown as TestGlobals
  describe(`plugin ${plugin.name}`, () => addContract(plugin, options, it))
}

/** One rule for all plugins. */
export interface ContractTest {
  readonly name: string
  /** Throws if the plugin breaks the rule. */
  readonly run: () => void | Promise<void>
}

/** The tests of {@link describePlugin}, for use without mocha. */
export function contractTests(
  plugin: PluginDefinition,
  options: DescribePluginOptions,
): readonly ContractTest[] {
  const tests: ContractTest[] = []
  addContract(plugin, options, (name, run) => void tests.push({ name, run }))
  return tests
}

function addContract(plugin: PluginDefinition, options: DescribePluginOptions, it: AddTest): void {
  it('has valid names, schemas, examples and effects', () => {
    const folder = options.isPackage === true ? undefined : basename(options.folder)
    deepStrictEqual(checkPlugin(plugin, folder), [])
  })

  it('describes its patterns in words', () => {
    const declared = [plugin.connection?.settings, ...plugin.skills.map(({ input }) => input)]
    const missing = declared.flatMap(patternsWithoutWords)
    strictEqual(missing.length, 0, `add patternErrorMessage beside the pattern ${missing.join(', ')}`)
  })

  it('has a README that names every skill', () => {
    const readme = readFileSync(join(options.folder, 'README.md'), 'utf8')
    for (const { name } of plugin.skills) {
      ok(readme.includes(`${plugin.name}.${name}`), `README.md does not mention ${plugin.name}.${name}`)
    }
  })

  for (const skill of plugin.skills) {
    if (skill.connection === undefined || skill.connectionIsOptional === true) continue
    it(`${skill.name} links to the documentation of its operation`, () => {
      match(String(skill.docs), /^https:\/\/[^/]+\/./)
    })
  }

  describeExamples(plugin, options, it)
  describeImplementations(plugin, options, it)
  describeReversal(plugin, it)
  describeRelated(plugin, options, it)
  describeState(plugin, options, it)
  describeFailures(plugin, options, it)
  if (plugin.connection !== undefined) describeConnection(plugin.connection, options, it)
}

function describeExamples(plugin: PluginDefinition, options: DescribePluginOptions, it: AddTest): void {
  for (const skill of plugin.skills) {
    for (const example of skill.examples) {
      it(`${skill.name} matches its example: ${example.title}`, async () => {
        const connected = skill.connection !== undefined
        await withSandbox(connected ? options.sandbox : undefined, async (sandbox) => {
          const settings = sandbox === undefined ? {} : { settings: sandbox.settings, egress: loopbackEgress }
          const { output } = await runSkill(skill, example.input, settings)
          deepStrictEqual(output, example.output)
        })
      })
    }
  }
}

function describeConnection(
  definition: ConnectionDefinition,
  { sandbox }: DescribePluginOptions,
  it: AddTest,
): void {
  const check = (settings: Readonly<Record<string, unknown>> = {}) =>
    checkConnection(definition, { settings, egress: loopbackEgress })

  it('has a sandbox', () => {
    strictEqual(typeof sandbox?.start, 'function', 'a plugin with a connection needs a sandbox.ts')
  })

  it('accepts the credentials of its sandbox', () =>
    withSandbox(sandbox, async (running) => void (await check(running?.settings))))

  it('refuses an unknown setting', () =>
    withSandbox(sandbox, async (running) => {
      throws(() => checkSettings(definition, { ...running?.settings, not_a_setting: 1 }), ValidationError)
    }))

  for (const [name, schema] of Object.entries(definition.settings.properties ?? {})) {
    if (schema.format !== 'uri' || schema['x-secret'] === true) continue
    it(`refuses credentials, query and fragment in ${name}, because readers see it`, () =>
      withSandbox(sandbox, async (running) => {
        for (const address of [
          'https://kim:pw@example.com',
          'https://kim@example.com',
          'https://a.example/?k=v',
          'https://a.example#k',
        ])
          throws(
            () => checkSettings(definition, { ...running?.settings, [name]: address }),
            ValidationError,
            address,
          )
      }))
  }

  for (const [route, handler] of Object.entries(definition.inbound ?? {})) {
    it(`refuses unauthenticated requests to ${route}`, () =>
      withSandbox(sandbox, async (running) => {
        const { settings, secrets } = checkSettings(definition, running?.settings)
        for (const text of ['', '{}', 'payload=%7B%7D']) {
          const request = webhookRequest(text)
          throws(() => handler(request, { ...settings, ...secrets }), SkillError)
          throws(() => handler(request, settings), SkillError, 'without anything to prove it with')
        }
      }))
  }

  if (namesOfSecrets(definition.settings).length === 0) return
  it('reports wrong credentials with a ConnectionError', () =>
    withSandbox(sandbox, async (running) => {
      const wrong = namesOfSecrets(definition.settings).flatMap((name) => {
        const secret = running?.settings[name]
        return typeof secret === 'string' ? [[name, spoil(secret)]] : []
      })
      await rejects(check({ ...running?.settings, ...Object.fromEntries(wrong) }), ConnectionError)
    }))
}

/** A request to a webhook, for tests of its handler. Default: an unsigned POST of `text`, received now. */
export function webhookRequest(text: string, changes: Partial<InboundRequest> = {}): InboundRequest {
  const url = 'https://tocsin.example/api/webhooks/plugin/v1/word?token=t'
  const now = { nowMs: Date.now() }
  return { method: 'POST', url, query: {}, headers: {}, body: Buffer.from(text), text, ...now, ...changes }
}

/** The whole schema except for field names: errors about names do not mention the pattern. */
function patternsWithoutWords(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { pattern, patternErrorMessage, propertyNames: _, ...rest } = schema as JsonSchema
  const own = typeof pattern === 'string' && patternErrorMessage === undefined ? [pattern] : []
  return [...own, ...Object.values(rest).flatMap(patternsWithoutWords)]
}

/** Another secret of the same format: changes the last letters and digits. */
function spoil(secret: string): string {
  return secret.replace(/[A-Za-z0-9](?=[^A-Za-z0-9]*(?:[A-Za-z0-9][^A-Za-z0-9]*){0,3}$)/g, (char) => {
    if (char === '9') return '0'
    if (/[fFzZ]/.test(char)) return String.fromCharCode(char.charCodeAt(0) - 1)
    return String.fromCharCode(char.charCodeAt(0) + 1)
  })
}
