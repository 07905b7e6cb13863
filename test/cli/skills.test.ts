import { join } from 'node:path'
import { expect } from 'chai'
import { exampleSteps } from '../../core/skill/describe/example-step.ts'
import { schemaRows, typeName } from '../../core/skill/describe/schema-rows.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

describe('tocsin skills', () => {
  after(killCommands)

  it('lists what the installed plugins can do', async () => {
    const { code, stdout, stderr } = await runTocsin(['skills'])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout).to.match(/^SKILL +TITLE +EFFECT +ENRICHES\n/)
    expect(stdout).to.match(/^case\.update +Update Case +write, safe$/m)
    expect(stdout).to.match(/^intel_provider\.get_enrichment +Get Enrichment +read +ip domain url/m)
  })

  it('lists the skills of one plugin', async () => {
    const { stdout } = await runTocsin(['skills', 'case'])
    const names = stdout
      .split('\n')
      .slice(2, -1)
      .map((line) => line.split(' ')[0])
    expect(names)
      .to.include('case.create')
      .and.satisfy((all: string[]) => all.every((n) => n.startsWith('case.')))
  })

  it('shows one skill with its inputs, its outputs and a step to paste', async () => {
    const { code, stdout } = await runTocsin(['skills', 'intel_provider.get_enrichment'])
    expect(code).to.equal(0)
    expect(stdout).to.match(
      /^intel_provider\.get_enrichment {2}Get Enrichment\nReturns what the provider knows/,
    )
    expect(stdout).to.match(/effect +read: changes nothing/)
    expect(stdout).to.match(
      /Inputs\n {2}kind +ip \| domain \| url \| hash \| vulnerability \| company · required\n/,
    )
    expect(stdout).to.match(
      / {2}fields +list of \(entity \| [^]+· default\s+\["entity","risk","timestamps"\]/,
    )
    expect(stdout).to.match(/Outputs\n[^]* {2}risk\.score +number or null · at least 0 · at most 100\n/)
    expect(stdout).to.contain(
      '- id: get_enrichment\n    uses: intel_provider.get_enrichment\n    with:\n      kind: domain\n',
    )
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).to.be.at.most(100)
  })

  it('shows every example of a skill', async () => {
    const { skills } = await discoverPlugins({ pluginsDir: join(import.meta.dirname, '../../plugins') })
    const { name, skill } = skills.find((each) => each.skill.examples.length > 1)!
    const { stdout } = await runTocsin(['skills', name])
    expect(stdout).to.contain('\nExamples\n')
    for (const { title } of skill.examples) expect(stdout).to.contain(`  # ${title}\n`)
    expect(stdout).to.contain(`- id: ${skill.name}_2\n`)
  })

  it('shows the class of a destructive skill in the table, in its details and in JSON', async () => {
    const [table, details, json] = await Promise.all(
      [['endpoint_security'], ['endpoint_security.isolate_machine'], ['endpoint_security', '--json']].map(
        (args) => runTocsin(['skills', ...args]),
      ),
    )
    expect(table!.stdout).to.match(/^endpoint_security\.isolate_machine .* write, \w+, containment$/m)
    expect(table!.stdout).to.match(/^endpoint_security\.list_alerts .* read$/m)
    expect(details!.stdout).to.match(/destructive +containment: counts against the hourly limit/)
    const classes = new Map(
      (JSON.parse(json!.stdout) as Record<string, unknown>[]).map((each) => [
        each['name'],
        each['destructive'],
      ]),
    )
    expect(classes.get('endpoint_security.isolate_machine')).to.equal('containment')
    expect(classes.get('endpoint_security.list_alerts')).to.equal(null)
  })

  it('describes the effect of a crash on a write', async () => {
    const { stdout } = await runTocsin(['skills', 'http.send'])
    expect(stdout).to.match(/effect +write: never repeated/)
    expect(stdout).to.match(/connection +optional, of the plugin http/)
  })

  it('gives programs JSON with the schemas and nothing else', async () => {
    const { code, stdout, stderr } = await runTocsin(['skills', '--json'])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    const skills = JSON.parse(stdout) as Record<string, any>[]
    const update = skills.find((skill) => skill['name'] === 'case.update')
    expect(update).to.include({ plugin: 'case', title: 'Update Case', effect: 'write', repeat: 'safe' })
    expect(update).to.include({ needs_connection: false, docs: null })
    expect(update?.['input'].properties.severity.enum).to.include('critical')
    expect(update?.['output'].required).to.deep.equal(['id'])
    expect(skills.find((skill) => skill['name'] === 'intel_provider.get_enrichment')).to.deep.include({
      needs_connection: true,
      enriches: ['ip', 'domain', 'url', 'hash', 'vulnerability', 'company'],
    })
  })

  it('prints a JSON list for a single skill too', async () => {
    const { stdout } = await runTocsin(['skills', 'case.comment', '--json'])
    expect(JSON.parse(stdout).map((skill: { name: string }) => skill.name)).to.deep.equal(['case.comment'])
  })

  it('suggests a name for an unknown one', async () => {
    const { code, stdout, stderr } = await runTocsin(['skills', 'case.updat'])
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.contain(`named 'case.updat'`).and.contain('did you mean case.update?')
  })
})

describe('example steps of a skill', () => {
  const pluginsDir = join(import.meta.dirname, '../../plugins')

  it('are valid in a playbook, for every installed skill', async () => {
    const catalogue = await discoverPlugins({ pluginsDir })
    expect(catalogue.skills.length).to.be.greaterThan(5)
    for (const entry of catalogue.skills) {
      const written = exampleSteps(entry)
      expect(written).to.have.length(entry.skill.examples.length)
      const steps = written.join('\n').replaceAll(/^/gm, '  ')
      const source = `apiVersion: tocsin/v1\nname: tried\non: { manual: true }\nsteps:\n${steps}\n`
      const { problems } = parsePlaybook(source, { catalogue })
      expect(
        problems.filter((problem) => problem.severity === 'error'),
        source,
      ).to.deep.equal([])
    }
  })

  it('contain a checkpoint if the skill asks, and omit inputs set by the engine', () => {
    const input = { user: 'ana', checkpoint_id: 'x', answers: ['mine', 'not_mine'] }
    const skill = { name: 'ask', asks: true, examples: [{ title: 'T', input }] }
    expect(exampleSteps({ name: 'x.ask', plugin: {}, skill } as never)).to.deep.equal([
      [
        '# T',
        '- id: ask',
        '  checkpoint:',
        '    via: x.ask',
        '    with:',
        '      user: ana',
        '    answers: ["mine","not_mine"]',
        '    timeout: 30m',
      ].join('\n'),
    ])
  })

  it('quote values that are not plain words, and escape expression signs', () => {
    const input = {
      yes: 'no',
      text: 'a: b # ${{ 1 }}',
      list: [1, 'two'],
      deep: { a: { b: 'c '.repeat(40) } },
    }
    const entry = { name: 'x.y', plugin: {}, skill: { name: 'y', examples: [{ title: 'T', input }] } }
    expect(exampleSteps(entry as never)).to.deep.equal([
      [
        '# T',
        '- id: y',
        '  uses: x.y',
        '  with:',
        '    "yes": "no"',
        '    text: "a: b # $${{ 1 }}"',
        '    list: [1,"two"]',
        '    deep:',
        '      a:',
        `        b: "${'c '.repeat(40)}"`,
      ].join('\n'),
    ])
  })
})

describe('the rows of a schema', () => {
  it('name types briefly', () => {
    expect(typeName({ type: ['string', 'null'] })).to.equal('string or null')
    expect(typeName({ type: 'array', items: { enum: ['a', 'b'] } })).to.equal('list of (a | b)')
    expect(typeName({ anyOf: [{ type: 'integer' }, { const: 'all' }] })).to.equal('integer or "all"')
    expect(typeName({})).to.equal('any')
  })

  it('include objects and lists of objects, three levels deep', () => {
    const deep = { type: 'object', properties: { d: { type: 'string' } } } as const
    const rows = schemaRows({
      properties: {
        a: { type: 'array', items: { properties: { b: { properties: { c: deep } } } } },
        z: { type: 'integer', default: 3 },
      },
      required: ['z'],
    })
    expect(rows.map((row) => row.name)).to.deep.equal(['a', 'a[].b', 'a[].b.c', 'z'])
    expect(rows.at(-1)).to.deep.equal({
      name: 'z',
      type: 'integer',
      required: true,
      notes: ['default 3'],
      description: '',
    })
  })
})
