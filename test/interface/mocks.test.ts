import { expect } from 'chai'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import { runTests } from '../../core/playbook-test/run/run-tests.ts'
import { playbookOf, vendors } from './support.ts'

const playbook = playbookOf(`  - id: find
    uses: interface.find_machine
    with: { kind: host, value: web-1 }
  - id: each
    foreach: \${{ steps.find.output.machines }}
    uses: interface.isolate_machine
    with: { machine: "\${{ item }}", comment: ACME-7 }
  - return: "\${{ steps.each.output.map(each, each.status) }}"
`)

const testsOf = (mocks: string, expected: string) => `playbook: contain.yaml
mocks:
${mocks.replaceAll(/^/gm, '  ')}
tests:
  - name: contains
    expect: ${expected}
`

function parsed(source: string) {
  return parseTests(source, {
    catalogue: vendors,
    loadPlaybook: () => playbook,
  })
}

async function failuresOf(mocks: string, expected: string): Promise<string> {
  const source = testsOf(mocks, expected)
  const { tests, problems } = parsed(source)
  if (tests === undefined) return problems.map((problem) => formatProblem(problem, source)).join('\n')
  const { tests: results } = await runTests(tests, { catalogue: vendors, crash: true })
  return results
    .flatMap(({ failures }) => failures.map(({ message, hint }) => `${message} (${hint})`))
    .join('\n')
}

const neutral = `interface.find_machine: { output: { machines: [{ id: m-1 }] } }
interface.isolate_machine: { output: { status: done } }`
const ofNorth = `north.list_devices: { output: { devices: [{ aid: n-1, pin: p }] } }
north.contain: { output: { state: contained } }`
const ofSouth = `south.search: { output: { hits: [s-1, s-2] } }
south.quarantine: { output: { task: 1 } }`

describe('tests of a playbook with interfaces', () => {
  it('read without problems', () => {
    expect(
      parsePlaybook(playbook, { catalogue: vendors }).problems.filter(({ severity }) => severity !== 'info'),
    ).to.deep.equal([])
  })

  it('mock an interface, without any vendor', async () => {
    const expected = `{ outputs: [done], calls: [{ skill: interface.isolate_machine, times: 1, with: { machine: { id: m-1 } } }] }`
    expect(await failuresOf(neutral, expected)).to.equal('')
  })

  it('mock a step', async () => {
    const mocks = `steps.find: { output: { machines: [{ id: m-1, name: web-1 }, { id: m-2 }] } }
steps.each: [{ with: { machine: { id: m-1 } }, output: { status: done } }, { output: { status: pending } }]`
    expect(await failuresOf(mocks, '{ outputs: [done, pending] }')).to.equal('')
  })

  it('mock the skills of a vendor, which then counts as connected', async () => {
    const called = `calls: [{ skill: interface.isolate_machine, with: { comment: ACME-7 } }`
    const north = `{ outputs: [done], ${called}, { skill: north.contain, times: 1, with: { aid: n-1 } }] }`
    expect(await failuresOf(ofNorth, north)).to.equal('')
    const south = `{ outputs: [pending, pending], ${called}, { skill: south.quarantine, times: 2 }] }`
    expect(await failuresOf(ofSouth, south)).to.equal('')
  })

  it('act on each machine where it was found, if several vendors are mocked', async () => {
    const expected = `{ outputs: [done, pending, pending], calls: [{ skill: north.contain, times: 1 }, { skill: south.quarantine, times: 2 }] }`
    expect(await failuresOf(`${ofNorth}\n${ofSouth}`, expected)).to.equal('')
  })

  it('fail without a mock, and say which is missing', async () => {
    const [, isolated] = neutral.split('\n')
    expect(await failuresOf(isolated!, '{ outputs: [] }')).to.include(
      "step 'find/@call[0]' calls interface.find_machine, which is not mocked",
    )
  })

  it('check the mock of an interface, and report one that is never called', async () => {
    const wrong = neutral.replace('status: done', 'status: isolated')
    expect(await failuresOf(wrong, '{ outputs: [done] }'))
      .to.include('E602')
      .and.include('status')
    const { problems } = parsed(
      testsOf(`${ofNorth}\nsouth.open_incident: { output: { number: 1 } }`, '{ outputs: [done] }'),
    )
    expect(problems.map(({ message }) => message)).to.deep.equal([
      'the playbook never calls south.open_incident',
    ])
  })
})
