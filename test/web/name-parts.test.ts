import { expect } from 'chai'
import { nameParts } from '../../server/web/parts/outside-text.ts'

describe('the parts of a name', () => {
  it('end after joining characters', () => {
    expect(nameParts('unexpected_service')).to.deep.equal(['unexpected_', 'service'])
    expect(nameParts('DEMO-GOOGLE_WORKSPACE-2')).to.deep.equal(['DEMO-GOOGLE_', 'WORKSPACE-2'])
    expect(nameParts('cloudformation.amazonaws.com')).to.deep.equal(['cloudformation.', 'amazonaws.', 'com'])
    expect(nameParts('Policy:IAMUser/Root__Used')).to.deep.equal(['Policy:', 'IAMUser/', 'Root__', 'Used'])
  })

  it('are one without joining characters', () => {
    for (const name of ['', '_', 'malware', 'sign-in', '_hidden', 'end.', '...', '/etc'])
      expect(nameParts(name), name).to.deep.equal([name])
  })

  it('are not split in a long text', () => {
    const text = 'a_'.repeat(101)
    expect(nameParts(text)).to.deep.equal([text])
  })
})
