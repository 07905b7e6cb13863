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

  it('name the file in every problem', () => {
    const [first] = parseTogether([callable('a', '{ call: a }')], { catalogue, isWhole: true })
    expect(first?.problems.map(({ file }) => file)).to.deep.equal(['a.yaml'])
  })
})
