import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { editorSchema } from '../../core/editor/editor-schema.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { example } from '../playbook/example.ts'
import { parsed, withSteps } from '../playbook/support.ts'
import { playbookSchema } from '../../core/playbook/language/playbook-schema.ts'
import { guide } from './support/guide.ts'

const compile = (schema: object) =>
  new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(schema)
const fits = compile(editorSchema(playbookSchema, guide.catalogue!))
const problems = (source: string) => {
  fits(parse(source))
  return (fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
const step = (text: string) => problems(withSteps(`  - ${text}`))

describe('the schema for editors', () => {
  it('accepts valid playbooks', () => {
    expect(parsed(example).name).to.equal('impossible-travel')
    expect(problems(example)).to.deep.equal([])
  })

  it('accepts every shipped playbook with the shipped plugins', async () => {
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const validate = compile(
      editorSchema(playbookSchema, await discoverPlugins({ pluginsDir: `${root}plugins`, packages: [] })),
    )
    const files = readdirSync(`${root}playbooks`).filter((name) => /^[^.]+\.yaml$/.test(name))
    expect(files.length).to.be.greaterThan(1)
    for (const file of files) {
      validate(parse(readFileSync(`${root}playbooks/${file}`, 'utf8')))
      expect(validate.errors, file).to.equal(null)
    }
  })

  it('refuses unknown skills and inputs', () => {
    expect(step('{ uses: case.updat }')).to.not.deep.equal([])
    expect(step('{ uses: case.update, with: { verdit: benign } }')).to.not.deep.equal([])
    expect(step('{ uses: case.update, with: { verdict: bening } }')).to.not.deep.equal([])
    expect(step('{ uses: intel_provider.get_enrichment, with: { kind: ip } }')).to.not.deep.equal([])
    expect(step('{ uses: intel_provider.get_enrichment }')).to.not.deep.equal([])
    expect(
      step('{ uses: intel_provider.get_enrichment, with: { kind: ip, value: abc, limit: 0 } }'),
    ).to.not.deep.equal([])
    expect(step('{ uses: case.update, connection: main }')).to.not.deep.equal([])
  })

  it('accepts an expression for a value of any type, at any depth', () => {
    const limit =
      '{ uses: intel_provider.get_enrichment, with: { kind: "${{ x }}", value: "${{ x }}", limit: "${{ 1 + 1 }}" } }'
    expect(step(limit)).to.deep.equal([])
    const filter = (text: string) =>
      `{ uses: intel_provider.get_enrichment, with: { kind: ip, value: abc, filter: ${text} } }`
    expect(step(filter('"${{ x }}"'))).to.deep.equal([])
    expect(step(filter('{ tags: "${{ x }}" }'))).to.deep.equal([])
    expect(step(filter('{ tags: ["${{ x }}"] }'))).to.deep.equal([])
    expect(step(filter('{ tags: 5 }'))).to.not.deep.equal([])
    expect(step(filter('some text'))).to.not.deep.equal([])
  })

  it('still refuses mistakes in keys and shapes', () => {
    expect(step('{ usse: case.update }')).to.not.deep.equal([])
    expect(step('{ uses: case.update, set: { x: 1 } }')).to.not.deep.equal([])
  })

  it('allows asking skills and operator for checkpoints, and all other skills for steps', () => {
    const ask = (text: string) => step(`{ checkpoint: { ${text}, answers: [a, b], timeout: 1h } }`)
    expect(ask('via: messaging.checkpoint, with: { user: kim, message: x }')).to.deep.equal([])
    expect(ask('via: operator, with: { message: x }')).to.deep.equal([])
    expect(ask('via: case.update')).to.not.deep.equal([])
    expect(step('{ uses: messaging.checkpoint, with: { message: x } }')).to.not.deep.equal([])
  })

  it('omits the inputs that the engine gives to an asking skill', () => {
    const ask = (inputs: string) =>
      step(
        `{ checkpoint: { via: messaging.checkpoint, with: { message: x${inputs} }, answers: [a], timeout: 1h } }`,
      )
    expect(ask(', user: kim')).to.deep.equal([])
    expect(ask(', usr: kim')).to.not.deep.equal([])
    expect(ask(', checkpoint_id: x')).to.not.deep.equal([])
    expect(ask(', answers: [a]')).to.not.deep.equal([])
  })

  it('is valid without asking skills, and without any skills', () => {
    const some = guide.catalogue!
    for (const usable of [some.usable.filter(({ skill }) => skill.asks !== true), []]) {
      const validate = compile(editorSchema(playbookSchema, { ...some, usable }))
      const ask = (via: string) =>
        validate(
          parse(
            withSteps(`  - checkpoint: { via: ${via}, with: { message: x }, answers: [a], timeout: 1h }`),
          ),
        )
      expect(ask('operator')).to.equal(true)
      expect(ask('messaging.checkpoint')).to.equal(false)
    }
  })

  it('fills in places that also accept a word instead of a skill', () => {
    const skill = { anyOf: [{ const: 'nothing' }, playbookSchema.$defs!['step']!.properties!['uses']!] }
    const base = {
      $defs: {
        later: { type: 'object' as const, properties: { calls: skill, with: { type: 'object' as const } } },
      },
      $ref: '#/$defs/later',
    }
    const validate = compile(editorSchema(base, guide.catalogue!))
    expect(validate({ calls: 'nothing', with: { anything: 1 } })).to.equal(true)
    expect(validate({ calls: 'case.update', with: { verdict: 'benign' } })).to.equal(true)
    expect(validate({ calls: 'case.update', with: { verdict: 'good' } })).to.equal(false)
    expect(validate({ calls: 'case.none' })).to.equal(false)
  })
})
