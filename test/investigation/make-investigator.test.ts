import { expect } from 'chai'
import { join } from 'node:path'
import fc from 'fast-check'
import { disabledLookups, findLookups, type PossibleLookup } from '../../core/investigation/find-lookups.ts'
import { investigatorName, generateInvestigator } from '../../core/investigation/generate-investigator.ts'
import type { Connection } from '../../core/domain/connection.ts'
import { evaluateTemplate } from '../../core/playbook/template/template.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { anyCharacter } from '../support/any-character.ts'
import { tries } from '../support/random.ts'

const acme = { code: 'acme' }

const connection = (name: string, enabled = true): Connection => ({
  uuid: name,
  organizationUuid: 'o',
  name,
  plugin: 'intel_provider',
  settings: {},
  secretReferences: {},
  enabled,
  secretsAt: 0,
  broken: null,
  lastFailure: null,
  warning: null,
  signIn: null,
  revision: 1,
  createdAt: 0,
  modifiedAt: 0,
})

describe('generating an investigation', () => {
  let catalogue: Catalogue

  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(import.meta.dirname, '../../plugins') })
  })

  const lookups = (...connections: Connection[]): PossibleLookup[] => findLookups(catalogue, connections)

  it('writes a playbook without problems or hints', () => {
    for (const found of [
      lookups(),
      lookups(connection('intel')),
      lookups(connection('a-b'), connection('a_b')),
    ]) {
      const { problems } = parsePlaybook(generateInvestigator('brute_force', acme, found), { catalogue })
      expect(problems).to.deep.equal([])
    }
  })

  it('matches only this type in this organization', () => {
    const { playbook } = parsePlaybook(generateInvestigator('brute_force', acme, []), { catalogue })
    expect(playbook?.alertTrigger?.types).to.deep.equal(['brute_force'])
    const where = playbook?.alertTrigger?.where
    expect(where?.evaluate({ alert: {}, organization: { code: 'acme', name: '' } })).to.equal(true)
    expect(where?.evaluate({ alert: {}, organization: { code: 'other', name: '' } })).to.equal(false)
  })

  it('calls every enabled connection with an enriching skill, and no other', () => {
    const text = generateInvestigator(
      'x',
      acme,
      lookups(connection('first'), connection('off', false), connection('second')),
    )
    expect(text).to.include('id: ip_first').and.include('id: ip_second').and.not.include('off')
  })

  it('states that nothing can be looked up without a connection', () => {
    expect(generateInvestigator('x', acme, lookups())).to.include('has no connection that can look up')
  })

  it('names disabled connections that could look something up', () => {
    const found = disabledLookups(catalogue, [connection('one', false), connection('two', false)])
    const text = generateInvestigator('x', acme, lookups(), { disabled: found })
    expect(text).to.include('can look up observables are disabled (one, two)')
    expect(parsePlaybook(text, { catalogue }).problems).to.deep.equal([])
    expect(disabledLookups(catalogue, [connection('on')])).to.deep.equal([])
  })

  it('lists the observables of an alert, but no empty list', () => {
    const { playbook } = parsePlaybook(generateInvestigator('x', acme, []), { catalogue })
    const step = playbook?.steps[1]
    const summary = step?.action === 'uses' && step.with.kind === 'map' ? step.with : undefined
    const summaryOf = (all: readonly object[]) =>
      evaluateTemplate(summary!, { steps: { observables: { output: { all } } } })
    const why = 'Not assessed: this organization has no connection that can look up observables.'
    expect(summaryOf([])).to.deep.equal({ summary: `${why} The alert contains none.` })
    const all = [
      { kind: 'ip', value: '192.0.2.1' },
      { kind: 'domain', value: 'a.example' },
    ]
    expect(summaryOf(all)).to.deep.equal({ summary: `${why} Found 2: ip 192.0.2.1, domain a.example` })
  })

  it('is deterministic', () => {
    const make = () => generateInvestigator('brute_force', acme, lookups(connection('intel')))
    expect(make()).to.equal(make())
  })

  it('treats any type as plain data, and distinguishes all types', () => {
    const type = fc.oneof(
      fc.string({ minLength: 1, maxLength: 200, unit: anyCharacter }),
      fc.constantFrom(
        '${{ alert.content }}',
        '"\n  evil: true',
        "it's: #1",
        '__proto__',
        '- a',
        '{{',
        'ä-ö',
        '-',
        '%',
        '…',
      ),
    )
    fc.assert(
      fc.property(
        type.filter((text) => !/[\u0000-\u001f\u007f]/.test(text) && text.isWellFormed()),
        (text) => {
          const { playbook, problems } = parsePlaybook(generateInvestigator(text, acme, []), { catalogue })
          expect(problems).to.deep.equal([])
          expect(playbook?.alertTrigger?.types).to.deep.equal([text])
        },
      ),
      tries(100),
    )
    fc.assert(
      fc.property(type, type, (one, other) => {
        if (one !== other) expect(investigatorName(one, 'acme')).to.not.equal(investigatorName(other, 'acme'))
      }),
      tries(100),
    )
  })

  it('gives different names to different types and organizations', () => {
    const digest = investigatorName('a', 'b_c').split('-').at(-1)!
    const types = [
      'a',
      'b',
      'a_b',
      'b_c',
      'a_b_c',
      '%',
      'X',
      'a__b',
      digest,
      `a_${digest}`,
      `a_b_c_${digest}`,
    ]
    const codes = ['a', 'b', 'c', 'a_b', 'b_c', 'Acme', 'a__c', '_', digest, `c_${digest}`]
    const names = types.flatMap((type) => codes.map((code) => investigatorName(type, code)))
    expect(new Set(names).size).to.equal(names.length)
    expect(investigatorName('brute_force', 'main')).to.equal('investigate-brute-force-main')
  })
})
