import { expect } from 'chai'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  SkillError,
  type PluginDefinition,
  type Sandbox,
  type SkillContext,
} from '../../core/plugin/index.ts'
import { describePlugin, serveSandbox } from '../../core/plugin/testing/index.ts'
import http from '../../plugins/http/plugin.ts'
import httpSandbox from '../../plugins/http/sandbox.ts'

const httpFolder = join(import.meta.dirname, '../../plugins/http')

/**
 * Runs the generic suite and returns the names of failing tests: a suite that cannot fail proves nothing.
 *
 * @param isWhole includes failing systems, which takes far longer than the rest
 */
async function failing(
  plugin: PluginDefinition,
  folder: string,
  sandbox?: Sandbox,
  isWhole = false,
): Promise<readonly string[]> {
  const tests: { readonly name: string; readonly body: () => unknown }[] = []
  const real = { describe: globalThis.describe, it: globalThis.it }
  Object.assign(globalThis, {
    describe: (_name: string, body: () => void) => body(),
    it: (name: string, body: () => unknown) => tests.push({ name, body }),
  })
  try {
    describePlugin(plugin, sandbox === undefined ? { folder } : { folder, sandbox })
  } finally {
    Object.assign(globalThis, real)
  }
  const failed: string[] = []
  for (const { name, body } of tests) {
    if (!isWhole && /handles malformed responses|never repeats a secret/.test(name)) continue
    try {
      await body()
    } catch {
      failed.push(name)
    }
  }
  expect(tests.length).to.be.above(3)
  return failed
}

const made: string[] = []

function folderNamed(name: string, readme: string): string {
  const parent = mkdtempSync(join(tmpdir(), 'plugin-'))
  made.push(parent)
  const folder = join(parent, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'README.md'), readme)
  return folder
}

describe('describePlugin', () => {
  after(() => made.forEach((path) => rmSync(path, { recursive: true })))

  const settings = (url: string) => ({ base_url: url, header_value: 'Bearer x' })

  it('passes for a valid plugin', async () => {
    expect(await failing(http, httpFolder, httpSandbox, true)).to.deep.equal([])
  })

  it('fails if the folder has another name or the README omits a skill', async () => {
    expect(await failing(http, folderNamed('web', 'http.get'), httpSandbox)).to.deep.equal([
      'has valid names, schemas, examples and effects',
      'has a README that names every skill',
    ])
  })

  it('fails if a pattern has no description in words', async () => {
    const { test_path, ...properties } = http.connection!.settings.properties!
    const { patternErrorMessage: _, ...wordless } = test_path!
    const settings = { ...http.connection!.settings, properties: { ...properties, test_path: wordless } }
    const connection = { ...http.connection!, settings }
    expect(await failing({ ...http, connection }, httpFolder, httpSandbox)).to.include(
      'describes its patterns in words',
    )
  })

  it('fails without a sandbox', async () => {
    expect(await failing(http, httpFolder)).to.include('has a sandbox')
  })

  it('fails if an example differs from the response of the sandbox', async () => {
    const skills = http.skills.map((skill) => ({
      ...skill,
      examples: skill.examples.map((example) => ({
        ...example,
        output: { ...(example.output as object), text: 'else' },
      })),
    }))
    expect(await failing({ ...http, skills }, httpFolder, httpSandbox)).to.have.length(skills.length)
  })

  it('fails if a skill throws on an unreadable response', async () => {
    const run = async (_input: unknown, { http }: SkillContext) =>
      JSON.parse((await http.get('/devices/7')).text) as object
    const skills = http.skills.map((skill) => ({ ...skill, run }))
    expect(await failing({ ...http, skills }, httpFolder, httpSandbox, true)).to.include.members(
      skills.map(({ name }) => `${name} handles malformed responses`),
    )
  })

  it('fails if an error has no hint', async () => {
    const run = async (_input: unknown, { http }: SkillContext) => {
      const { text } = await http.get('/devices/7')
      throw new SkillError('bad_response', `what is this? ${text.slice(0, 9)}`)
    }
    const skills = http.skills.map((skill) => ({ ...skill, run }))
    expect(await failing({ ...http, skills }, httpFolder, httpSandbox, true)).to.include.members(
      skills.map(({ name }) => `${name} handles malformed responses`),
    )
  })

  it('fails if inbound requests are accepted without verification', async () => {
    const inbound = {
      events: () => ({}),
      clicks: () => {
        throw new SkillError('bad_signature', 'no')
      },
    }
    const connection = { ...http.connection, inbound } as unknown as typeof http.connection
    const skills = http.skills.map((skill) => ({ ...skill, connection }))
    const careless = { ...http, connection, skills } as unknown as PluginDefinition
    expect(await failing(careless, httpFolder, httpSandbox)).to.deep.equal([
      'refuses unauthenticated requests to events',
    ])
  })

  it('fails if the sandbox accepts any credentials', async () => {
    const careless = serveSandbox(() => () => ({ json: {} }), settings)
    expect(await failing({ ...http }, httpFolder, careless)).to.include(
      'reports wrong credentials with a ConnectionError',
    )
  })

  it('fails if the sandbox refuses its own credentials', async () => {
    const strict = serveSandbox(() => () => ({ status: 401 }), settings)
    expect(await failing({ ...http }, httpFolder, strict)).to.include(
      'accepts the credentials of its sandbox',
    )
  })
})
