import { expect } from 'chai'
import { nameParts } from '../../server/web/parts/name-parts.ts'

describe('the parts of a name', () => {
  it('end behind what joins words', () => {
    expect(nameParts('unexpected_service')).to.deep.equal(['unexpected_', 'service'])
    expect(nameParts('DEMO-GOOGLE_WORKSPACE-2')).to.deep.equal(['DEMO-GOOGLE_', 'WORKSPACE-2'])
    expect(nameParts('cloudformation.amazonaws.com')).to.deep.equal(['cloudformation.', 'amazonaws.', 'com'])
    expect(nameParts('Policy:IAMUser/Root__Used')).to.deep.equal(['Policy:', 'IAMUser/', 'Root__', 'Used'])
  })

  it('are one where nothing joins words', () => {
    for (const name of ['', '_', 'malware', 'sign-in', '_hidden', 'end.', '...', '/etc'])
      expect(nameParts(name), name).to.deep.equal([name])
  })

  it('are not looked for in a text', () => {
    const text = 'a_'.repeat(101)
    expect(nameParts(text)).to.deep.equal([text])
  })
})
