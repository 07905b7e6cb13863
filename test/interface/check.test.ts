import { expect } from 'chai'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { KnownConnection } from '../../core/playbook/scope/context.ts'
import { catalogueOf, playbookOf, vendors } from './support.ts'

const isolate = `  - uses: interface.isolate_machine
    with: { machine: { id: n-1 }, comment: ACME-7 }
`
const found = `  - id: find
    uses: interface.find_machine
    with: { kind: host, value: web-1 }
  - foreach: \${{ steps.find.output.machines }}
    uses: interface.isolate_machine
    with: { machine: "\${{ item }}", comment: ACME-7 }
`
const edr = { name: 'edr', plugin: 'north' }
const endpoints = { name: 'endpoints', plugin: 'south' }

function said(steps: string, connections?: readonly KnownConnection[], catalogue = vendors): string {
  const source = playbookOf(steps)
  const { problems } = parsePlaybook(source, { catalogue, ...(connections && { connections }) })
  return problems
    .filter(({ severity }) => severity !== 'info')
    .map((problem) => formatProblem(problem, source))
    .join('\n')
}

describe('the check of a step that uses an interface', () => {
  it('needs no plugin', () => {
    expect(said(isolate, undefined, catalogueOf())).to.equal('')
    expect(said(found, undefined, catalogueOf())).to.equal('')
    const { problems } = parsePlaybook(playbookOf(isolate.replace('comment', 'coment')), {})
    expect(problems.map(({ message }) => message)).to.include("unknown input 'coment'")
  })

  for (const [what, steps, message, hint] of [
    [
      'an unknown interface',
      isolate.replace('isolate_machine', 'isolate_machin'),
      'there is no interface',
      "did you mean 'interface.isolate_machine'?",
    ],
    ['a missing input', isolate.replace(', comment: ACME-7', ''), "'comment' is required", ''],
    [
      'a kind that does not exist',
      found.replace('kind: host', 'kind: hosts'),
      "'hosts' is not one of host, ip",
      '',
    ],
    [
      'a field that no vendor has',
      `${found}  - return: \${{ steps.find.output.machines[0].aid }}`,
      "'aid'",
      '',
    ],
    [
      'a value that may be null',
      `${found}  - if: steps.find.output.machines[0].isolated
    return: true`,
      'E210',
      '',
    ],
    [
      'a question as a step',
      '  - uses: interface.ask\n    with: { user: kim@example.com, message: You? }\n',
      'asks a person',
      'checkpoint: { via: interface.ask',
    ],
  ] as const) {
    it(`reports ${what}`, () => {
      expect(said(steps)).to.include(message).and.include(hint)
    })
  }

  it('refuses a sensitive value', () => {
    const source = playbookOf(`  - uses: interface.notify
    with: { text: "\${{ inputs.token }}" }
`).replace('steps:', 'inputs: { token: { type: string, sensitive: true } }\nsteps:')
    const { problems } = parsePlaybook(source, { catalogue: vendors })
    expect(problems.map(({ code }) => code)).to.include.oneOf(['E315', 'E310', 'E311'])
  })

  describe('with the connections of a server', () => {
    it('accepts one that can be used, several for a search, and the one of the entity', () => {
      expect(said(isolate, [edr])).to.equal('')
      expect(said(found, [edr, endpoints])).to.equal('')
      expect(said(`${isolate}    connection: EDR\n`, [edr, endpoints])).to.equal('')
    })

    it('reports several that can be used', () => {
      expect(said(isolate, [edr, endpoints]))
        .to.include('E304')
        .and.include('several connections can be used for interface.isolate_machine')
        .and.include('add connection: edr | endpoints, or give the machine as a step found it')
    })

    it('reports that there is none', () => {
      expect(said(isolate, [])).to.include('no connection can be used').and.include('north, south')
      expect(said(found.replace('kind: host', 'kind: ip'), [edr])).to.include('no connection can be used')
    })

    it('reports one that is missing, or whose plugin does not implement it', () => {
      const named = (name: string) => `${isolate}    connection: ${name}\n`
      expect(said(named('edrr'), [edr]))
        .to.include("there is no connection 'edrr'")
        .and.include("'edr'")
      const chat = { name: 'chat', plugin: 'messaging' }
      expect(said(named('chat'), [edr, chat])).to.include('connection of messaging, which does not implement')
    })
  })
})
