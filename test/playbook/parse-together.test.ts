import { expect } from 'chai'
import { parseTogether } from '../../core/playbook/index.ts'
import { catalogue } from './support.ts'

const callable = (name: string, steps: string) => ({
  file: `${name}.yaml`,
  source: `apiVersion: tocsin/v1\nname: ${name}\non: { call: true, manual: true }\nsteps: [${steps}]`,
})

describe('playbooks beside each other', () => {
  const codes = (isWhole: boolean, ...files: readonly ReturnType<typeof callable>[]) =>
    parseTogether(files, { catalogue, isWhole }).map(({ file, problems }) => [
      file,
      ...problems.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    ])

  it('are refused where they call each other in a circle, each of them', () => {
    const files = [callable('a', '{ call: b }'), callable('b', '{ call: c }'), callable('c', '{ call: a }')]
    expect(codes(true, ...files, callable('d', '{ return: 1 }'))).to.deep.equal([
      ['a.yaml', 'E318'],
      ['b.yaml', 'E318'],
      ['c.yaml', 'E318'],
      ['d.yaml'],
    ])
  })

  it('may call what is not here, unless here is all there is', () => {
    const caller = callable('a', '{ call: elsewhere }')
    expect(codes(false, caller)).to.deep.equal([['a.yaml']])
    expect(codes(true, caller)).to.deep.equal([['a.yaml', 'E316']])
  })

  it('are checked against those that are here, whatever else is called', () => {
    const caller = callable('a', '{ call: elsewhere }, { call: b, with: { x: 1 } }')
    const callee = callable('b', '{ return: 1 }')
    expect(codes(false, caller, callee)).to.deep.equal([['a.yaml', 'E305'], ['b.yaml']])
    expect(codes(true, caller, callee)).to.deep.equal([['a.yaml', 'E316', 'E305'], ['b.yaml']])
  })

  it('are told of mistakes in what they call, and not that it is missing', () => {
    const [caller] = parseTogether([callable('a', '{ call: b }'), callable('b', '{ uses: none }')], {
      catalogue,
      isWhole: true,
    })
    expect(caller?.problems.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([
      "E317 the playbook 'b' has mistakes of its own",
    ])
    expect(caller?.problems[0]?.hint).to.match(/^line 4: 'none' is not the name of a skill/)
  })

  it('are looked for where the one that calls stands', () => {
    const files: Record<string, string> = {
      b: callable('b', '{ call: c, with: { x: 1 } }').source,
      c: callable('c', '{ return: 1 }').source,
    }
    const asked: string[] = []
    const [caller] = parseTogether([callable('a', '{ call: b }')], {
      catalogue,
      isWhole: false,
      find: ({ file }, name) => {
        asked.push(`${file} ${name}`)
        return files[name]
      },
    })
    expect(asked).to.deep.equal(['a.yaml b', 'a.yaml c'])
    expect(caller?.problems.map(({ code }) => code)).to.deep.equal(['E317'])
  })

  it('name the file in every problem', () => {
    const [first] = parseTogether([callable('a', '{ call: a }')], { catalogue, isWhole: true })
    expect(first?.problems.map(({ file }) => file)).to.deep.equal(['a.yaml'])
  })
})
