import { expect } from 'chai'
import { argumentsIn, wordOf } from '../../cli/sandbox/usage.ts'

describe('sandbox command usage', () => {
  const reply = 'reply <message> <text>'

  it('starts with a command name', () => {
    expect(wordOf(reply)).to.equal('reply')
    expect(wordOf('machines')).to.equal('machines')
  })

  it('takes one word per argument, and the rest for the last', () => {
    expect(argumentsIn(reply, ' 3  not  me ')).to.deep.equal(['3', 'not  me'])
    expect(argumentsIn('known [kind]', 'ip')).to.deep.equal(['ip'])
    expect(argumentsIn('click <message|e-mail> <answer>', 'a@b.example Yes, me')).to.deep.equal([
      'a@b.example',
      'Yes, me',
    ])
  })

  it('allows optional arguments only at the end', () => {
    expect(argumentsIn('known [kind]', '')).to.deep.equal([''])
    expect(argumentsIn('fail <plugin> <how> [times]', 'travel 429')).to.deep.equal(['travel', '429', ''])
    expect(argumentsIn(reply, '3')).to.equal(undefined)
    expect(argumentsIn(reply, '')).to.equal(undefined)
  })

  it('accepts only empty input if nothing is expected', () => {
    expect(argumentsIn('machines', '')).to.deep.equal([])
    expect(argumentsIn('machines', 'all')).to.equal(undefined)
  })
})
