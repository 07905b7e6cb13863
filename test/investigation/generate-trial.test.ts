import { join } from 'node:path'
import { expect } from 'chai'
import { undoOf } from '../../core/engine/skills/skill-caller.ts'
import { generateTrial } from '../../core/investigation/generate-trial.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { definePlugin, defineSkill } from '../../core/plugin/index.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'

const properties = {
  user: { type: 'string' },
  password: { type: 'string', 'x-sensitive': true },
  in: { type: 'string' },
  $top: { type: 'integer' },
  account: {
    type: 'object',
    properties: { name: { type: 'string' }, pin: { type: 'string', 'x-sensitive': true } },
  },
} as const
const signIn = defineSkill({
  name: 'sign_in',
  title: 'Sign in',
  description: 'Signs in.',
  effect: 'read',
  input: { type: 'object', properties },
  output: { type: 'object', properties: {} },
  examples: [],
  run: async () => ({}),
})

describe('the playbook that tries a skill', () => {
  const catalogue = buildCatalogue([
    definePlugin({ name: 'door', title: 'Door', description: 'A door.', skills: [signIn] }),
  ])
  const door = catalogue.skill('door.sign_in')!

  it('is valid for every skill, with all of its inputs', async () => {
    const installed = await discoverPlugins({ pluginsDir: join(import.meta.dirname, '../../plugins') })
    const tried = installed.skills.filter(({ skill }) => skill.asks !== true)
    expect(tried.length).to.be.above(20)
    for (const entry of tried) {
      const given = Object.fromEntries(Object.keys(entry.skill.input.properties ?? {}).map((key) => [key, 1]))
      const connection = entry.skill.connection === undefined ? undefined : 'a "name" with ${{ now }}'
      const { source } = generateTrial(entry, connection, given)
      const { playbook, problems } = parsePlaybook(source, { catalogue: installed })
      expect(playbook, `${entry.name} ${JSON.stringify(problems)}`).to.not.equal(undefined)
    }
  })

  it('undoes every skill that contains, with retries', async () => {
    const installed = await discoverPlugins({ pluginsDir: join(import.meta.dirname, '../../plugins') })
    const undone = installed.skills.flatMap((entry) => {
      const [example] = entry.skill.examples
      const undo = example && undoOf(entry, example.input, example.output)
      return undo === undefined ? [] : [{ name: entry.name, undo }]
    })
    expect(undone.length).to.be.above(15)
    for (const { name, undo } of undone) {
      const found = installed.skill(undo.skill)!
      const { source } = generateTrial(found, 'west', undo.input!, { undoes: true })
      const { playbook, problems } = parsePlaybook(source, { catalogue: installed })
      expect(playbook, `${name} ${JSON.stringify(problems)}`).to.not.equal(undefined)
      expect(playbook!.name).to.match(/^undo-/)
      expect(source).to.include('retry: { max: 10')
    }
  })

  it('contains no value, and hides the sensitive ones', () => {
    const given = { user: 'kim', password: 'canary', account: { name: 'k', pin: 'canary' } }
    const { source, inputs } = generateTrial(door, undefined, given)
    expect(source).to.not.match(/kim|canary/)
    expect(inputs).to.deep.equal(given)
    const { playbook, problems } = parsePlaybook(source, { catalogue })
    expect(problems).to.deep.equal([])
    expect(playbook?.masks.inputs).to.deep.equal({
      fields: { password: true, account: { fields: { pin: true } } },
    })
  })

  it('renames fields that cannot be names of inputs', () => {
    const { source, inputs } = generateTrial(door, undefined, { in: 'x', $top: 3 })
    expect(inputs).to.deep.equal({ input_1: 'x', input_2: 3 })
    expect(parsePlaybook(source, { catalogue }).problems).to.deep.equal([])
  })
})
