import { expect } from 'chai'
import { parseTogether } from '../../core/playbook/read/parse-together.ts'
import { catalogue } from './support.ts'

const callable = (name: string, steps: string) => ({
  file: `${name}.yaml`,
  source: `apiVersion: tocsin/v1\nname: ${name}\non: { call: true, manual: true }\nsteps: [${steps}]`,
})

describe('several playbooks', () => {
  const codes = (...files: readonly ReturnType<typeof callable>[]) =>
    parseTogether(files, { catalogue }).map(({ file, problems }) => [
      file,
      ...problems.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    ])

  it('are all refused if they call each other in a cycle', () => {
    const files = [callable('a', '{ call: b }'), callable('b', '{ call: c }'), callable('c', '{ call: a }')]
    expect(codes(...files, callable('d', '{ return: 1 }'))).to.deep.equal([
      ['a.yaml', 'E318'],
      ['b.yaml', 'E318'],
      ['c.yaml', 'E318'],
      ['d.yaml'],
    ])
  })

  it('are checked per call, regardless of other errors', () => {
    const caller = callable(
      'a',
      '{ call: elsewhere }, { call: broken }, { call: b, with: { x: 1 } }, { uses: nothing }',
    )
    const broken = callable('broken', '{ uses: nothing }')
    const callee = callable('b', '{ return: 1 }')
    expect(codes(caller, callee, broken)).to.deep.equal([
      ['a.yaml', 'E316', 'E317', 'E305', 'E107'],
      ['b.yaml'],
      ['broken.yaml', 'E107'],
    ])
  })

  it('report errors of a called playbook, not that it is missing', () => {
    const [caller] = parseTogether([callable('a', '{ call: b }'), callable('b', '{ uses: none }')], {
      catalogue,
    })
    expect(caller?.problems.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([
      "E317 the playbook 'b' has errors",
    ])
    expect(caller?.problems[0]?.hint).to.match(/^line 4: 'none' is not the name of a skill/)
  })

  it('are found in the folder of the caller', () => {
    const files = new Map([
      ['b', callable('b', '{ call: c, with: { x: 1 } }').source],
      ['c', callable('c', '{ return: 1 }').source],
    ])
    const asked: string[] = []
    const [caller] = parseTogether([callable('a', '{ call: b }, { call: d }, { call: bb }')], {
      catalogue,
      beside: ({ file }) => ({
        keys: () => files.keys(),
        get: (name) => (asked.push(`${file} ${name}`), files.get(name)),
        expectedAt: (name) => `there/${name}.yaml`,
      }),
    })
    expect(asked).to.deep.equal(['a.yaml b', 'a.yaml c', 'a.yaml d', 'a.yaml bb'])
    expect(caller?.problems.map(({ code, hint }) => `${code} ${hint}`)).to.deep.equal([
      "E317 line 4: unknown input 'x'",
      'E316 it is expected in there/d.yaml',
      "E316 did you mean 'b'?",
    ])
  })

  it('have the file in every problem', () => {
    const [first] = parseTogether([callable('a', '{ call: a }')], { catalogue })
    expect(first?.problems.map(({ file }) => file)).to.deep.equal(['a.yaml'])
  })
})
